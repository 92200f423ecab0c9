//! The fresh report rule (workspace 2): the report that is read was written by
//! this judge. An older report is set aside first and restored unless the new
//! one is accepted.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crosscheck_core::interrupt;
use rustix::process::{Pid, test_kill_process};

use crate::error::WorkspaceError;

/// Guards the place of the report while the judge runs.
#[derive(Debug)]
pub struct ReportPlace {
    path: PathBuf,
    older: Option<OlderReport>,
    /// Whether the new report was accepted, or the older one put back.
    is_settled: Arc<AtomicBool>,
    _on_interrupt: interrupt::Guard,
}

/// A report that was set aside.
#[derive(Debug, Clone)]
struct OlderReport {
    aside: PathBuf,
    /// Device and inode, which identify it under any name.
    file: (u64, u64),
}

impl ReportPlace {
    /// Sets an older report aside. A path that the user typed may be a link,
    /// and is followed; otherwise the link itself is set aside, so that the
    /// judge cannot write through it.
    pub fn clear(path: &Path, follow: bool) -> Result<Self, WorkspaceError> {
        let followed = follow.then(|| fs::canonicalize(path).ok()).flatten();
        let path = followed.as_deref().unwrap_or(path);
        let older = match fs::symlink_metadata(path) {
            Ok(seen) if seen.is_file() || seen.is_symlink() => Some(OlderReport {
                aside: with_suffix(path, &format!(".prev-{}", std::process::id())),
                file: (seen.dev(), seen.ino()),
            }),
            Ok(_) => {
                let why = io::Error::other("it is not a regular file");
                return Err(WorkspaceError::file("set aside", path, &why));
            }
            Err(_) => None,
        };
        if let Some(older) = &older {
            fs::rename(path, &older.aside)
                .map_err(|error| WorkspaceError::file("set aside", path, &error))?;
        }
        let is_settled = Arc::new(AtomicBool::new(false));
        let (settled, place, copy) = (Arc::clone(&is_settled), path.to_owned(), older.clone());
        Ok(Self {
            path: path.to_owned(),
            older,
            is_settled,
            _on_interrupt: interrupt::on_interrupt(move || {
                put_back(&place, copy.as_ref(), &settled);
            }),
        })
    }

    /// Whether an older report was set aside.
    pub const fn had_older(&self) -> bool {
        self.older.is_some()
    }

    /// Where the older report is kept, by its real folder.
    pub fn set_aside(&self) -> Option<PathBuf> {
        let aside = &self.older.as_ref()?.aside;
        let folder = fs::canonicalize(aside.parent()?).ok()?;
        Some(folder.join(aside.file_name()?))
    }

    /// Whether the judge left a new regular file: not the older one under its
    /// old name, nor another name of any other file.
    pub fn has_new(&self) -> bool {
        let older = self.older.as_ref().map(|older| older.file);
        fs::symlink_metadata(&self.path).is_ok_and(|seen| {
            seen.is_file() && seen.nlink() == 1 && older != Some((seen.dev(), seen.ino()))
        })
    }

    /// The real path of the report.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Accepts the new report and removes the older one. The file then contains
    /// what was judged, even if a program of a criterion wrote to it meanwhile.
    pub fn accept(self, judged: &[u8]) {
        let limit = judged.len() as u64;
        let now = crosscheck_core::files::read_regular(&self.path, limit);
        if now.ok().as_deref() != Some(judged) {
            let _ = crosscheck_core::files::write_atomic(&self.path, judged);
        }
        let was_settled = self.is_settled.swap(true, Ordering::SeqCst);
        if let Some(older) = self.older.as_ref().filter(|_| !was_settled) {
            let _ = fs::remove_file(&older.aside);
        }
    }
}

/// Without acceptance the report is rejected, also on an early return.
impl Drop for ReportPlace {
    fn drop(&mut self) {
        put_back(&self.path, self.older.as_ref(), &self.is_settled);
    }
}

fn put_back(path: &Path, older: Option<&OlderReport>, is_settled: &AtomicBool) {
    if is_settled.swap(true, Ordering::SeqCst) {
        return;
    }
    let there = fs::symlink_metadata(path).ok();
    let there = there.map(|seen| (seen.dev(), seen.ino()));
    match older {
        // it was already put back
        Some(older) if there == Some(older.file) => drop(fs::remove_file(&older.aside)),
        _ => {
            // there may be none
            let _ = fs::rename(path, with_suffix(path, ".rejected"));
            let _ = older.map(|older| fs::rename(&older.aside, path));
        }
    }
}

/// Restores what a killed process had set aside, or removes it if there is a
/// report again. Called at the start of every verification, with or without an
/// LLM.
pub fn recover(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let mut prefix = name.to_owned();
    prefix.push(".prev-");
    let prefix = prefix.to_string_lossy().into_owned();
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name
            .strip_prefix(&prefix)
            .and_then(|pid| pid.parse::<i32>().ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else {
            continue;
        };
        let lives = match test_kill_process(pid) {
            Ok(()) => true,
            Err(errno) => errno == rustix::io::Errno::PERM,
        };
        let is_report = entry
            .file_type()
            .is_ok_and(|kind| kind.is_file() || kind.is_symlink());
        if lives || !is_report {
            continue;
        }
        if fs::symlink_metadata(path).is_err() {
            let _ = fs::rename(entry.path(), path);
        } else {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests use plain file calls")]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_accepted_report_replaces_the_older_one() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("r.md");
        fs::write(&path, "old").unwrap();
        let place = ReportPlace::clear(&path, false).unwrap();
        assert!(place.had_older() && !place.has_new());
        fs::write(&path, "new").unwrap();
        assert!(place.has_new());
        place.accept(b"new");
        assert_eq!(
            (
                fs::read_to_string(&path).unwrap().as_str(),
                names(desk.path()).len()
            ),
            ("new", 1)
        );
    }

    #[test]
    fn a_report_that_is_not_accepted_is_moved_away_and_the_older_one_comes_back() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("r.md");
        fs::write(&path, "old").unwrap();
        let place = ReportPlace::clear(&path, false).unwrap();
        fs::write(&path, "new").unwrap();
        drop(place);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(
            fs::read_to_string(desk.path().join("r.md.rejected")).unwrap(),
            "new"
        );
    }

    #[test]
    fn the_older_report_under_its_old_name_is_not_new() {
        for link in [false, true] {
            let desk = tempfile::tempdir().unwrap();
            let path = desk.path().join("r.md");
            fs::write(&path, "old").unwrap();
            let place = ReportPlace::clear(&path, false).unwrap();
            let aside = place.set_aside().unwrap();
            if link {
                fs::hard_link(&aside, &path).unwrap();
            } else {
                fs::rename(&aside, &path).unwrap();
            }
            assert!(!place.has_new());
            drop(place);
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
            assert_eq!(names(desk.path()), ["r.md"]);
        }
    }

    #[test]
    fn a_second_name_of_another_file_is_not_a_report() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("r.md");
        let place = ReportPlace::clear(&path, false).unwrap();
        fs::write(desk.path().join("planted"), "x").unwrap();
        fs::hard_link(desk.path().join("planted"), &path).unwrap();
        assert!(!place.has_new());
    }

    #[test]
    fn only_a_regular_file_or_a_link_is_set_aside() {
        use std::os::unix::net::UnixListener;
        let desk = tempfile::tempdir().unwrap();
        let socket = desk.path().join("r.md");
        let _listener = UnixListener::bind(&socket).unwrap();
        for path in [socket.as_path(), desk.path()] {
            let error = ReportPlace::clear(path, true).unwrap_err().to_string();
            assert!(error.ends_with("it is not a regular file"), "{error}");
        }
        assert_eq!(names(desk.path()), ["r.md"]);
    }

    #[test]
    fn what_a_dead_process_left_is_brought_back_or_removed() {
        let desk = tempfile::tempdir().unwrap();
        let path = desk.path().join("r.md");
        fs::write(desk.path().join("r.md.prev-2147483646"), "old").unwrap();
        fs::create_dir(desk.path().join("r.md.prev-2147483645")).unwrap();
        recover(&path);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        fs::remove_dir(desk.path().join("r.md.prev-2147483645")).unwrap();
        fs::write(desk.path().join("r.md.prev-2147483646"), "older").unwrap();
        recover(&path);
        assert_eq!(
            (
                fs::read_to_string(&path).unwrap().as_str(),
                names(desk.path()).len()
            ),
            ("old", 1)
        );
    }
}
