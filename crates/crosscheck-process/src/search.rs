//! Where programs are looked for.
//!
//! A program runs in the folder under check. A relative folder on the search
//! path would then be one that the agent can write to.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::OnceLock;

static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
const DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// Looks for programs in these folders (the value of `PATH`), for this process
/// and its children. Folders without an absolute path are left out.
pub fn set_search_path(path: &OsStr) {
    let _ = FOLDERS.set(absolute(path));
}

/// The file that is run under this name, if the search path was set.
pub fn found(name: &OsStr) -> Option<PathBuf> {
    let folders = FOLDERS.get()?.iter();
    folders
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The value of `PATH` for a child.
pub(crate) fn path() -> Option<OsString> {
    join_paths(FOLDERS.get()?).ok()
}

/// The folders of a value of `PATH` in which programs are looked for.
pub fn absolute(path: &OsStr) -> Vec<PathBuf> {
    let folders = |path: &OsStr| -> Vec<PathBuf> {
        split_paths(path)
            .filter(|folder| folder.is_absolute())
            .collect()
    };
    let found = folders(path);
    if found.is_empty() {
        folders(DEFAULT.as_ref()) // an empty path would mean the working folder
    } else {
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_are_searched() {
        for (path, expected) in [
            (".:/bin", "/bin"),
            ("/a:node_modules/.bin::/b:", "/a:/b"),
            ("", DEFAULT),
            (".", DEFAULT),
        ] {
            let folders = absolute(path.as_ref());
            assert_eq!(join_paths(folders).unwrap(), expected, "{path}");
        }
    }
}
