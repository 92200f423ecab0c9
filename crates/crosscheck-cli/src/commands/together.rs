//! Files that are written all together or not at all.

use std::fs;
use std::io;
use std::path::Path;

use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::files::{WriteError, write_atomic};
use crosscheck::core::folder::{Beside, Swapped};

/// Writes these files into a folder. Each is whole beside it before the first
/// one gets its place, so that a full disk leaves the folder as it was. A folder
/// with nothing else in it is swapped as a whole.
pub(super) fn write_together<N: AsRef<Path>, B: AsRef<[u8]>>(
    folder: &Path,
    files: &[(N, B)],
) -> Result<(), WriteError> {
    let fail = |step| {
        move |source: io::Error| WriteError::Io {
            step,
            path: folder.to_owned(),
            source,
        }
    };
    let mut beside = Beside::new(folder).map_err(fail("create the folder"))?;
    let is_ours = |name: &str| files.iter().any(|(own, _)| own.as_ref() == Path::new(name));
    beside.sweep(SystemClock.now(), &is_ours);
    for (name, bytes) in files {
        write_atomic(&beside.path().join(name), bytes.as_ref()).map_err(|error| match error {
            WriteError::Io { step, source, .. } => WriteError::Io {
                step,
                path: folder.join(name),
                source,
            },
            WriteError::ReadBack { .. } => WriteError::ReadBack {
                path: folder.join(name),
            },
        })?;
    }
    if holds_only(folder, &is_ours) {
        match beside.swap().map_err(fail("write"))? {
            Swapped::Whole(old) => {
                if let Some(old) = old {
                    remove(&old, &is_ours);
                }
                return Ok(());
            }
            Swapped::Not(again) => beside = again,
        }
    }
    for (name, bytes) in files {
        let place = folder.join(name);
        match fs::rename(beside.path().join(name), &place) {
            // the parent cannot be written to, so that the files lie elsewhere
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                write_atomic(&place, bytes.as_ref())?;
            }
            moved => moved.map_err(fail("write into"))?,
        }
    }
    Ok(())
}

/// Whether a folder is missing, or holds plain files of these names alone.
fn holds_only(folder: &Path, is_ours: &dyn Fn(&str) -> bool) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return folder.symlink_metadata().is_err();
    };
    let mut entries = entries.flatten();
    entries.all(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_file())
            && is_ours(&entry.file_name().to_string_lossy())
    })
}

/// Removes the folder before. What arrived in it meanwhile stays.
fn remove(old: &Path, is_ours: &dyn Fn(&str) -> bool) {
    for entry in fs::read_dir(old).into_iter().flatten().flatten() {
        if is_ours(&entry.file_name().to_string_lossy()) {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(old);
}
