//! Advisory locks: one verification and one run at a time (workspace 16).

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use crosscheck_core::files::{Owned, open_owned, open_regular, read_regular};

use crate::error::WorkspaceError;

/// A lock that is held until it is dropped; the file stays, but only the lock
/// counts.
#[derive(Debug)]
pub struct WorkspaceLock {
    _file: File,
    /// Whether the holder before was cut off while a record of criteria was
    /// open.
    pub follows_cut_off: bool,
}

/// What a lock protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockPurpose {
    /// One verification at a time.
    Verify,
    /// One run at a time.
    Run,
}

impl LockPurpose {
    const fn file(self) -> &'static str {
        match self {
            Self::Verify => ".verify.lock",
            Self::Run => ".run.lock",
        }
    }

    fn busy(self, name: &str, holder: &str) -> WorkspaceError {
        WorkspaceError::Locked(match self {
            Self::Verify => {
                format!("Another verification of workspace '{name}' is running (pid {holder})")
            }
            Self::Run => format!("Another run of workspace '{name}' is active (pid {holder})"),
        })
    }
}

impl WorkspaceLock {
    /// Takes the lock; a busy one is an error unless `wait` is set.
    pub fn take(
        purpose: LockPurpose,
        folder: &Path,
        name: &str,
        wait: bool,
        now: &str,
    ) -> Result<Self, WorkspaceError> {
        let path = folder.join(purpose.file());
        let fail = |error: &std::io::Error| WorkspaceError::file("lock", &path, error);
        let mut file = open_owned(&path, Owned::Rewrite).map_err(|error| fail(&error))?;
        if wait {
            file.lock().map_err(|error| fail(&error))?;
        } else {
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(purpose.busy(name, &holder(&mut file))),
                Err(TryLockError::Error(error)) => return Err(fail(&error)),
            }
        }
        let follows_cut_off = is_open(&path);
        // For people and for the message above; the lock does not depend on it.
        let _ = file
            .set_len(0)
            .and_then(|()| writeln!(file, "{} {now}", std::process::id()));
        Ok(Self {
            _file: file,
            follows_cut_off,
        })
    }
}

/// Notes in the lock file that a record of criteria is open, or no longer. A
/// holder that is killed leaves the note.
pub fn note_record(purpose: LockPurpose, folder: &Path, is_open: bool) {
    let path = folder.join(purpose.file());
    let text = words(&path);
    let mut words: Vec<&str> = text.split_whitespace().take(2).collect();
    words.extend(is_open.then_some(OPEN));
    // in place, because the lock belongs to this file
    if let Ok(mut file) = open_owned(&path, Owned::Rewrite) {
        let _ = file
            .set_len(0)
            .and_then(|()| writeln!(file, "{}", words.join(" ")));
    }
}

/// Whether the holder of this lock was cut off while a record was open.
pub fn was_cut_off(purpose: LockPurpose, folder: &Path) -> bool {
    is_open(&folder.join(purpose.file())) && !is_held(purpose, folder)
}

/// Whether another process holds this lock.
pub fn is_held(purpose: LockPurpose, folder: &Path) -> bool {
    open_regular(&folder.join(purpose.file()))
        .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

const OPEN: &str = "open";

fn is_open(path: &Path) -> bool {
    words(path).split_whitespace().nth(2) == Some(OPEN)
}

fn words(path: &Path) -> String {
    const LIMIT: u64 = 256;
    let bytes = read_regular(path, LIMIT).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.take(64).read_to_string(&mut text);
    let pid: String = text.chars().take_while(char::is_ascii_digit).collect();
    if pid.is_empty() {
        "unknown".to_owned()
    } else {
        pid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_learns_the_holder() {
        let desk = tempfile::tempdir().unwrap();
        let take = |purpose| WorkspaceLock::take(purpose, desk.path(), "demo", false, "now");
        let first = take(LockPurpose::Verify).unwrap();
        assert_eq!(
            take(LockPurpose::Verify).unwrap_err().to_string(),
            format!(
                "Another verification of workspace 'demo' is running (pid {})",
                std::process::id()
            )
        );
        take(LockPurpose::Run).unwrap();
        drop(first);
        take(LockPurpose::Verify).unwrap();
    }

    #[test]
    fn a_holder_that_was_cut_off_is_noticed_once() {
        let desk = tempfile::tempdir().unwrap();
        let take =
            || WorkspaceLock::take(LockPurpose::Run, desk.path(), "demo", false, "now").unwrap();
        let first = take();
        note_record(LockPurpose::Run, desk.path(), true);
        assert!(
            is_held(LockPurpose::Run, desk.path()) && !was_cut_off(LockPurpose::Run, desk.path())
        );
        drop(first);
        assert!(was_cut_off(LockPurpose::Run, desk.path()));
        assert!(take().follows_cut_off);
        assert!(!take().follows_cut_off);
        note_record(LockPurpose::Run, desk.path(), true);
        note_record(LockPurpose::Run, desk.path(), false);
        assert!(!take().follows_cut_off && !was_cut_off(LockPurpose::Verify, desk.path()));
    }
}
