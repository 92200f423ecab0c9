//! Opens files below the artifacts directory, and reads small ones whole.
//!
//! The location of the opened file decides (trace 12), so swapping a link in
//! between does not help.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crosscheck_core::files::{ReadError, Root, drain_limited};

/// The size limit of a document beside the trace.
pub(crate) const MAX_DOCUMENT: u64 = 256 << 20;

/// Why a path below the directory gives no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not exist, or the system refuses access.
    Missing(String),
    /// It leads out of the directory.
    Escape,
    /// It is a directory, pipe, socket or device.
    NotRegular,
}

impl Refusal {
    /// For people.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Missing(why) => why,
            Self::Escape => "it leads out of the artifacts directory",
            Self::NotRegular => "it is not a regular file",
        }
    }
}

/// Opens a regular file below the directory without blocking. Only if that
/// fails, the path is resolved for a precise error.
pub(crate) fn open(root: &Root, path: &str) -> Result<File, Refusal> {
    Ok(open_measured(root, path)?.0)
}

/// As [`open`], with the current length of the file.
pub(crate) fn open_measured(root: &Root, path: &str) -> Result<(File, u64), Refusal> {
    root.open_measured(Path::new(path)).map_err(|error| {
        match fs::canonicalize(root.path().join(path)) {
            Err(error) => return missing(&error),
            Ok(real) if !real.starts_with(root.path()) => return Refusal::Escape,
            // a socket cannot even be opened
            Ok(real) if fs::metadata(&real).is_ok_and(|meta| !meta.is_file()) => {
                return Refusal::NotRegular;
            }
            Ok(_) => {}
        }
        match error {
            ReadError::Io { source, .. } => missing(&source),
            ReadError::OutsideRoot { .. } => Refusal::Escape,
            ReadError::NotRegular { .. } => Refusal::NotRegular,
            ReadError::TooLarge { .. } => Refusal::Missing("it is too large".to_owned()),
        }
    })
}

fn missing(error: &io::Error) -> Refusal {
    Refusal::Missing(if error.kind() == io::ErrorKind::NotFound {
        "there is no such file".to_owned()
    } else {
        error.to_string()
    })
}

/// A small file beside the trace.
#[derive(Debug)]
pub(crate) enum Artifact {
    /// There is no such file.
    Absent,
    /// It exists but cannot be read.
    Unreadable(String),
    /// Its content.
    Bytes(Vec<u8>),
}

/// Reads a small file; without a directory there are none.
pub(crate) fn read(root: Option<&Root>, path: &str, limit: u64) -> Artifact {
    let Some(root) = root else {
        return Artifact::Absent;
    };
    let file = match open(root, path) {
        Ok(file) => file,
        Err(Refusal::Missing(_)) if !is_there(root, path) => return Artifact::Absent,
        Err(refusal) => return Artifact::Unreadable(refusal.why().to_owned()),
    };
    match drain_limited(file, limit) {
        Ok(Some(bytes)) => Artifact::Bytes(bytes),
        Ok(None) => Artifact::Unreadable(format!("it is larger than {limit} bytes")),
        Err(error) => Artifact::Unreadable(error.to_string()),
    }
}

/// Whether the name exists, even as a dangling link. Only a clear "no such
/// file" is absence.
pub(crate) fn is_there(root: &Root, path: &str) -> bool {
    match fs::symlink_metadata(root.path().join(path)) {
        Ok(_) => true,
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}
