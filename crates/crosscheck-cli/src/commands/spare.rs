//! A report never replaces what it reports on.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Refuses to write to one of these files, or to an existing file below one of
/// these folders.
pub(super) fn spare(output: &Path, files: &[PathBuf], folders: &[PathBuf]) -> Result<(), Failure> {
    let Ok(real) = output.canonicalize() else {
        return Ok(()); // nothing is there yet
    };
    let is_real = |path: &PathBuf| path.canonicalize().ok();
    let is_spared = files.iter().filter_map(is_real).any(|file| file == real)
        || folders
            .iter()
            .filter_map(is_real)
            .any(|folder| real.starts_with(folder));
    if !is_spared {
        return Ok(());
    }
    Err(Failure::usage(
        &format!(
            "the report would replace `{}`, a file it reports on",
            output.display()
        ),
        "name another file for the report",
    ))
}
