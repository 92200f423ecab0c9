//! Files that are written all together or not at all.

use std::fs;
use std::io;
use std::path::Path;

use crosscheck::core::files::{WriteError, write_atomic};
use crosscheck::core::folder::Beside;

/// Writes these files into a folder. Each is whole beside it before the first
/// one gets its place, so that a full disk leaves the folder as it was.
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
    let beside = Beside::new(folder).map_err(fail("create the folder"))?;
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
    fs::create_dir_all(folder).map_err(fail("create the folder"))?;
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
