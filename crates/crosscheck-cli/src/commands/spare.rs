//! The one place where a command writes what the user named: never over what
//! the run reads, and never over what looks like the settings of a program.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::path::{Component, Path, PathBuf};

use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::files::{WriteError, way_through_nothing, write_atomic, write_atomic_with};
use crosscheck::core::outputs::{self, is_read, place_of};

use crate::args::is_stream;
use crate::failure::Failure;

/// The folder of the program itself in a project.
const OWN_FOLDER: &str = ".crosscheck";

/// Hidden folders whose files programs act on.
const SETTINGS: [&str; 22] = [
    ".git",
    ".hg",
    ".jj",
    ".svn",
    ".github",
    ".gitlab",
    ".circleci",
    ".husky",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".vscode",
    ".idea",
    ".config",
    ".cargo",
    ".ssh",
    ".gnupg",
    ".aws",
    ".docker",
    ".kube",
    ".local",
];

/// Refuses an output that would replace one of these files, an existing file
/// below one of these folders, anything else that the run reads, or settings.
pub(super) fn spare(output: &Path, files: &[PathBuf], folders: &[PathBuf]) -> Result<(), Failure> {
    for file in files {
        outputs::named(file);
    }
    if is_stream(output) {
        let is_read = is_read(output);
        return if is_read {
            Err(would_replace(output))
        } else {
            Ok(())
        };
    }
    if let Some(folder) = way_through_nothing(output, Path::is_dir) {
        return Err(Failure::usage(
            &format!(
                "the folder `{}` of the output `{}` does not exist",
                folder.display(),
                output.display()
            ),
            "create it, or name the file without `..`",
        ));
    }
    let is_below = |real: &PathBuf| {
        let mut folders = folders
            .iter()
            .filter_map(|folder| folder.canonicalize().ok());
        folders.any(|folder| real.starts_with(folder))
    };
    if is_read(output) || output.canonicalize().is_ok_and(|real| is_below(&real)) {
        return Err(would_replace(output));
    }
    if is_hidden(output) && output.symlink_metadata().is_ok() {
        return Err(Failure::usage(
            &format!(
                "the output would replace `{}`, which is hidden as the settings of a program are",
                output.display()
            ),
            "name another file, or remove this one if nothing needs it",
        ));
    }
    Ok(())
}

pub(super) fn would_replace(output: &Path) -> Failure {
    let message = format!(
        "the report would replace `{}`, which this run reads",
        output.display()
    );
    Failure::usage(&message, "name another file for the report")
}

/// Whether a file is hidden, or in a folder of settings that is not around the
/// working directory.
fn is_hidden(path: &Path) -> bool {
    let (Some(place), Ok(here)) = (place_of(path), Path::new(".").canonicalize()) else {
        return false;
    };
    let around = place.components().zip(here.components());
    let shared = around.take_while(|(one, other)| one == other).count();
    let is_settings = |part: Component<'_>| SETTINGS.iter().any(|name| part.as_os_str() == *name);
    let name = place.file_name().unwrap_or_default();
    let is_own = place
        .components()
        .any(|part| part.as_os_str() == OWN_FOLDER);
    name.as_encoded_bytes().starts_with(b".") && !is_own
        || place.components().skip(shared).any(is_settings)
}

/// Writes an output that the user named.
pub(super) fn publish(output: &Path, content: &[u8]) -> Result<(), Failure> {
    publish_with(output, |out| out.write_all(content))
}

/// The same for content that is made while it is written.
pub(crate) fn publish_with(
    output: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    spare(output, &[], &[])?;
    let written = if is_stream(output) {
        into_stream(output, write)
    } else {
        write_atomic_with(output, |out| write(out))
    };
    written.map_err(|error| unwritten(&error))
}

/// Writes files into a folder, each of them whole.
pub(super) fn write_files<N: AsRef<Path>, B: AsRef<[u8]>>(
    folder: &Path,
    files: &[(N, B)],
) -> Result<(), WriteError> {
    std::fs::create_dir_all(folder).map_err(|source| WriteError::Io {
        step: "create the folder",
        path: folder.to_owned(),
        source,
    })?;
    files
        .iter()
        .try_for_each(|(name, bytes)| write_atomic(&folder.join(name), bytes.as_ref()))
}

/// The usual failure of an output.
pub(super) fn unwritten(error: &WriteError) -> Failure {
    let reason = RunReason::OutputUnwritable.reason();
    Failure::because(reason, &with_causes(error), reason.help)
}

/// A stream is written to as it is; a reader that closes it early is not an
/// error.
fn into_stream(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let written = stream(path).and_then(|file| {
        let mut out = io::BufWriter::new(file);
        write(&mut out).and_then(|()| out.flush())
    });
    match written {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Err(WriteError::Io {
            step: "write to",
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

fn stream(path: &Path) -> io::Result<File> {
    let own = match path.to_str().unwrap_or_default() {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => {
            io::stdout().as_fd().try_clone_to_owned()
        }
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => {
            io::stderr().as_fd().try_clone_to_owned()
        }
        _ => return OpenOptions::new().append(true).open(path),
    };
    own.map(File::from)
}
