//! The hashes of instructions and criteria, kept across commands.
//!
//! While an agent or a judge runs, the hashes of instructions and criteria are
//! kept in a file of the workspace. It is removed if they are still the same at
//! the end. Otherwise it stays, every later verification reports it, and only a
//! person removes it (`workspace accept-criteria`). It also stays when the
//! program is killed, so an unchecked change is not forgotten.

use std::path::{Path, PathBuf};

use crosscheck_core::files::{ReadError, read_regular, write_atomic};
use crosscheck_core::interrupt;
use serde::{Deserialize, Serialize};

use super::tamper::Inputs;
use crate::error::WorkspaceError;
use crate::observe::lock::{self, LockPurpose};
use crate::workspace::Workspace;

/// The file in the workspace folder.
pub(crate) const CRITERIA_FILE: &str = ".criteria.json";
const LIMIT: u64 = 64 << 10;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CriteriaRecord {
    version: u8,
    /// When these hashes were taken.
    since: String,
    sha256: Inputs,
}

/// Keeps the record while a process runs that could change the inputs.
#[derive(Debug)]
pub(crate) struct Remembered<'w> {
    workspace: &'w Workspace,
    record: Loaded,
    /// Whether an active run may also rely on the record.
    is_shared: bool,
    /// A signal ends the program without dropping anything.
    _on_interrupt: interrupt::Guard,
}

/// The error says why the record cannot be read.
type Loaded = Result<CriteriaRecord, String>;

impl<'w> Remembered<'w> {
    /// Uses the record of an earlier command, or creates one.
    /// Beside a verification a run may be active.
    pub(crate) fn start(
        workspace: &'w Workspace,
        now: &str,
        is_run: bool,
    ) -> Result<Self, WorkspaceError> {
        let folder = workspace.folder.clone();
        let earlier = load(&folder);
        let is_shared = !is_run && earlier.is_some() && lock::is_held(LockPurpose::Run, &folder);
        let record = earlier.unwrap_or_else(|| {
            Ok(CriteriaRecord {
                version: 1,
                since: now.to_owned(),
                sha256: Inputs::take(workspace, None).asked_for(),
            })
        });
        let kept = record.clone();
        let remembered = Self {
            workspace,
            record,
            is_shared,
            _on_interrupt: interrupt::on_interrupt({
                let folder = folder.clone();
                move || drop(write(&folder, &kept))
            }),
        };
        remembered.keep()?;
        Ok(remembered)
    }

    /// Writes the record again if it was removed or changed.
    pub(crate) fn keep(&self) -> Result<(), WorkspaceError> {
        write(&self.workspace.folder, &self.record)
    }

    /// What differs from the record now.
    pub(crate) fn changes(&self) -> Vec<String> {
        changes(self.workspace, &self.record)
    }
}

/// Removes the record if nothing has changed.
impl Drop for Remembered<'_> {
    fn drop(&mut self) {
        if !self.changes().is_empty() || self.is_shared {
            let _ = self.keep();
        } else {
            let _ = std::fs::remove_file(path(&self.workspace.folder));
        }
    }
}

fn write(folder: &Path, loaded: &Loaded) -> Result<(), WorkspaceError> {
    let Ok(record) = loaded else {
        return Ok(()); // an unreadable record stays unchanged
    };
    if load(folder).as_ref() == Some(loaded) {
        return Ok(());
    }
    let text = serde_json::to_string_pretty(record).unwrap_or_default() + "\n";
    write_atomic(&path(folder), text.as_bytes()).map_err(|error| WorkspaceError::io(&error))
}

/// Removes the record: a person accepts instructions and criteria as they are.
/// Returns what had changed.
pub(crate) fn accept(workspace: &Workspace) -> Result<Vec<String>, WorkspaceError> {
    let path = path(&workspace.folder);
    match read_regular(&path, LIMIT) {
        Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        // what cannot be looked at is not accepted
        Err(error @ ReadError::Io { .. }) => return Err(WorkspaceError::io(&error)),
        Ok(_) | Err(_) => {}
    }
    let Some(record) = load(&workspace.folder) else {
        return Ok(Vec::new());
    };
    std::fs::remove_file(&path).map_err(|error| WorkspaceError::file("remove", &path, &error))?;
    Ok(changes(workspace, &record))
}

/// What differs from the record of an earlier command.
pub(crate) fn pending(workspace: &Workspace) -> Vec<String> {
    load(&workspace.folder).map_or_else(Vec::new, |record| changes(workspace, &record))
}

fn changes(workspace: &Workspace, record: &Loaded) -> Vec<String> {
    match record {
        Ok(record) => {
            let now = Inputs::take(workspace, None).asked_for();
            record.sha256.differences(&now)
        }
        Err(why) => vec![format!("{CRITERIA_FILE} {why}")],
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(CRITERIA_FILE)
}

/// `None` when there is no record; the error says why it cannot be read.
fn load(folder: &Path) -> Option<Loaded> {
    let bytes = match read_regular(&path(folder), LIMIT) {
        Ok(bytes) => bytes,
        Err(ReadError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return None;
        }
        Err(error) => return Some(Err(crosscheck_core::advice::with_causes(&error))),
    };
    let record = serde_json::from_slice(&bytes);
    Some(record.map_err(|error| format!("is not a record of ours: {error}")))
}
