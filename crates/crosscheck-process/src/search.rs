//! Where programs are looked for.
//!
//! A program runs in the folder under check. A relative folder on the search
//! path would then be one that the agent can write to.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
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

/// The same, but nothing below this folder: an agent can put a program into its
/// `node_modules/.bin`. If there is no other, none is run.
pub(crate) fn found_outside(name: &OsStr, root: &Path) -> PathBuf {
    let Some(folders) = FOLDERS.get() else {
        return name.into();
    };
    outside(folders, name, root).unwrap_or_else(|| Path::new("/nowhere").join(name))
}

fn outside(folders: &[PathBuf], name: &OsStr, root: &Path) -> Option<PathBuf> {
    let real = |path: &Path| path.canonicalize().ok();
    let root = real(root);
    let is_below = |file: &PathBuf| {
        let is_in = |path: Option<PathBuf>| {
            let root = root.as_ref();
            path.is_some_and(|path| root.is_some_and(|root| path.starts_with(root)))
        };
        is_in(real(file)) || is_in(file.parent().and_then(real))
    };
    let files = folders.iter().map(|folder| folder.join(name));
    files
        .filter(|file| file.is_file())
        .find(|file| !is_below(file))
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
    fn a_program_below_the_root_is_passed_over() {
        let desk = crosscheck_testkit::Desk::new("");
        let folders = ["root/bin", "link", "own"].map(|name| desk.path().join(name));
        desk.file("root/bin/git", "");
        desk.file("own/git", "");
        std::os::unix::fs::symlink(&folders[0], &folders[1]).unwrap();
        let found = |folders: &[PathBuf]| {
            let root = desk.path().join("root");
            outside(folders, "git".as_ref(), &root)
        };
        assert_eq!(found(&folders), Some(folders[2].join("git")));
        assert_eq!(found(&folders[..2]), None);
    }

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
