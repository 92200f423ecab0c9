//! Advisory locks: one verification and one run at a time (workspace 16).

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use crosscheck_core::files::{Owned, open_owned, open_regular};

use crate::error::WorkspaceError;
use crate::reasons::WorkspaceReason;

/// A lock that is held until it is dropped; the file stays, but only the lock
/// counts.
#[derive(Debug)]
pub struct WorkspaceLock {
    _file: File,
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
        let (what, is) = match self {
            Self::Verify => ("verification", "running"),
            Self::Run => ("run", "active"),
        };
        let message = format!("Another {what} of workspace '{name}' is {is} (pid {holder})");
        WorkspaceError::new(WorkspaceReason::Locked, message)
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
        // For people and for the message above; the lock does not depend on it.
        let _ = file
            .set_len(0)
            .and_then(|()| writeln!(file, "{} {now}", std::process::id()));
        Ok(Self { _file: file })
    }
}

/// Whether another process holds this lock.
pub fn is_held(purpose: LockPurpose, folder: &Path) -> bool {
    open_regular(&folder.join(purpose.file()))
        .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
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
}
