//! Folders that a run writes into and that another program may replace meanwhile.
//!
//! A program that is checked can put a link in the place of its own folder, and
//! what is written there later would arrive where the link leads. So a folder
//! is held before such a program runs: [`crate::files`] writes below it only
//! while its path still leads where it led then.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Folders as they are named, with their real paths.
static HELD: Mutex<Vec<(PathBuf, PathBuf)>> = Mutex::new(Vec::new());

/// From now on nothing is written below this path if it leads elsewhere.
pub fn hold(folder: &Path) {
    if let Ok(real) = fs::canonicalize(folder) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(named, _)| named != folder);
        held.push((folder.to_owned(), real));
    }
}

/// Whether a held folder around this path still is where it was.
pub fn check(path: &Path) -> io::Result<()> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let mut around = held.iter().filter(|(named, _)| path.starts_with(named));
    // a folder that is gone is for the caller to notice
    let leads_elsewhere = |(named, real): &(PathBuf, PathBuf)| {
        fs::canonicalize(named).is_ok_and(|found| found != *real)
    };
    match around.find(|held| leads_elsewhere(held)) {
        None => Ok(()),
        Some((named, _)) => Err(io::Error::other(format!(
            "`{}` was replaced by a link during the run",
            named.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::files::{Owned, open_owned, write_atomic};

    #[test]
    fn nothing_is_written_through_a_link_that_replaced_a_held_folder() {
        let desk = tempfile::tempdir().unwrap();
        let at = |name: &str| desk.path().join(name);
        for name in ["w", "elsewhere", "other"] {
            fs::create_dir(at(name)).unwrap();
        }
        hold(&at("w"));
        write_atomic(&at("w/before"), b"x").unwrap();
        fs::rename(at("w"), at("away")).unwrap();
        symlink(at("elsewhere"), at("w")).unwrap();
        assert!(write_atomic(&at("w/after"), b"x").is_err());
        assert!(write_atomic(&at("w/sub/after"), b"x").is_err());
        assert!(open_owned(&at("w/log"), Owned::Append).is_err());
        assert_eq!(fs::read_dir(at("elsewhere")).unwrap().count(), 0);
        // what is not below it, and a folder that is back, can be written
        write_atomic(&at("other/after"), b"x").unwrap();
        fs::remove_file(at("w")).unwrap();
        fs::rename(at("away"), at("w")).unwrap();
        write_atomic(&at("w/after"), b"x").unwrap();
    }

    #[test]
    fn a_link_that_was_there_before_is_followed() {
        let desk = tempfile::tempdir().unwrap();
        fs::create_dir(desk.path().join("real")).unwrap();
        symlink("real", desk.path().join("w")).unwrap();
        hold(&desk.path().join("w"));
        write_atomic(&desk.path().join("w/a"), b"x").unwrap();
        assert!(desk.path().join("real/a").exists());
    }
}
