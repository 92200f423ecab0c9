//! A report never replaces what it reports on.

use std::path::{Path, PathBuf};

use crosscheck::config::USER_FILE;

use crate::args::read;
use crate::failure::Failure;
use crate::settings::places;

/// Refuses to write to one of these files, to an existing file below one of
/// these folders, or to anything that the command line names to be read, that
/// configures the project, or that configures the user's checks.
pub(super) fn spare(output: &Path, files: &[PathBuf], folders: &[PathBuf]) -> Result<(), Failure> {
    let Ok(real) = output.canonicalize() else {
        return Ok(()); // nothing is there yet
    };
    let is_real = |path: &PathBuf| path.canonicalize().ok();
    let user = places(Path::new("."), None).user_folder;
    let user = user.map(|folder| folder.join(USER_FILE));
    let mut files = files.iter().chain(read()).chain(&user).filter_map(is_real);
    let is_spared = files.any(|file| file == real)
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
