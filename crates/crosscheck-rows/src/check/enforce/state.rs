//! The state file of a workflow, and the lock that guards it.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crosscheck_core::advice::with_causes;
use crosscheck_core::canonical;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::{ReadError, read_regular, write_atomic, written_as};
use crosscheck_core::interrupt;
use crosscheck_core::json::Json;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::check::error::ContractError;
use crate::check::reasons::ContractFailure as Failure;

const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
const HISTORY_MAX: usize = 200;
const LOCK_WAIT: Duration = Duration::from_secs(10);
const LOCK_POLL: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the words of the contract")]
pub(super) struct State {
    #[serde(rename = "schemaVersion")]
    schema_version: u8,
    kind: String,
    pub(super) workflow_id: String,
    pub(super) lifecycle_state: String,
    pub(super) lifecycle_state_version: u64,
    #[serde(deserialize_with = "Option::deserialize")] // null, but never missing
    pub(super) pending_accept_projection_hash: Option<String>,
    pub(super) needs_rebaseline: bool,
    #[serde(deserialize_with = "Option::deserialize")]
    pub(super) baseline: Option<Baseline>,
    #[serde(deserialize_with = "Option::deserialize")]
    pub(super) active_acceptance: Option<Acceptance>,
    history: Vec<History>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Baseline {
    pub(super) material_truth_sha256: String,
    pub(super) certificate_sha256: String,
    /// As it is: it may hold half surrogate pairs.
    pub(super) material_truth: Box<RawValue>,
    pub(super) run_id: String,
    pub(super) established_at: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the words of the contract")]
pub(super) struct Acceptance {
    pub(super) acceptance_id: String,
    pub(super) reason: String,
    pub(super) owner: String,
    pub(super) evidence_links: Vec<String>,
    pub(super) review_by: Option<String>,
    pub(super) accepted_at: String,
    pub(super) accepted_material_truth_sha256: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct History {
    pub(super) at: String,
    pub(super) event: String,
    pub(super) run_id: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) expected_projection_hash: Option<String>,
    pub(super) actual_projection_hash: String,
    pub(super) decision_reason_code: Option<String>,
}

impl State {
    /// The state of a workflow that has none.
    pub(super) fn missing(workflow_id: &str) -> Self {
        Self {
            schema_version: 1,
            kind: "enforce_state".to_owned(),
            workflow_id: workflow_id.to_owned(),
            lifecycle_state: "baseline_missing".to_owned(),
            lifecycle_state_version: 0,
            pending_accept_projection_hash: None,
            needs_rebaseline: false,
            baseline: None,
            active_acceptance: None,
            history: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, entry: History) {
        self.history.push(entry);
        let over = self.history.len().saturating_sub(HISTORY_MAX);
        self.history.drain(..over);
    }

    /// Whether the parts agree; a state that was edited by hand may not.
    fn is_sound(&self, workflow_id: &str) -> bool {
        let known = ["baseline_active", "action_required", "rerun_required"];
        let truth_fits = self.baseline.as_ref().is_some_and(|baseline| {
            Json::parse(baseline.material_truth.get()).is_ok_and(|truth| {
                Digest::of(canonical::of_node(truth.root())).hex() == baseline.material_truth_sha256
            })
        });
        self.schema_version == 1
            && self.kind == "enforce_state"
            && self.workflow_id == workflow_id
            && known.contains(&self.lifecycle_state.as_str())
            && self.lifecycle_state_version < MOST_VERSIONS
            && (self.lifecycle_state != "action_required"
                || self.pending_accept_projection_hash.is_some())
            && truth_fits
    }
}

/// No file that was counted up by runs comes near it.
const MOST_VERSIONS: u64 = 1 << 53;

/// Where the state of a workflow is kept.
pub(super) struct StateFile {
    path: PathBuf,
    workflow_id: String,
}

/// Held while the state is read and written: a file that the system locks, so
/// that a run that was killed holds it no longer.
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
    _guard: interrupt::Guard,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Lock {
    /// `None` while another run holds it, or somebody else.
    fn take(path: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path)?;
        let meta = file.metadata()?;
        // runs write nothing into it: what holds something was made by somebody else
        let is_free = meta.is_file()
            && meta.len() == 0
            && match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(error)) => return Err(error),
            };
        // whoever held it may have taken it away meanwhile
        if !is_free || !is_at(&file, path) {
            return Ok(None);
        }
        let leftover = path.to_owned();
        let guard = interrupt::on_interrupt(move || {
            let _ = fs::remove_file(leftover);
        });
        Ok(Some(Self {
            path: path.to_owned(),
            _file: file,
            _guard: guard,
        }))
    }
}

/// Whether a path still names the file that was opened.
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let place = |about: fs::Metadata| (about.dev(), about.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(opened), Ok(named)) => place(opened) == place(named),
        _ => false,
    }
}

impl StateFile {
    pub(super) fn new(folder: &Path, workflow_id: &str) -> Self {
        let mut name = String::new();
        for byte in workflow_id.bytes() {
            if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
                name.push(char::from(byte));
            } else {
                let _ = write!(name, "%{byte:02X}");
            }
        }
        let hash = Digest::of(workflow_id).hex();
        // a file name holds 255 bytes; the hash keeps long ids apart
        let head: String = name.chars().take(200).collect();
        let path = folder.join(format!("{head}-{}.json", hash.get(..8).unwrap_or_default()));
        Self {
            path,
            workflow_id: workflow_id.to_owned(),
        }
    }

    pub(super) fn exists(&self) -> bool {
        self.path.symlink_metadata().is_ok()
    }

    pub(super) fn lock(&self) -> Result<Lock, ContractError> {
        let mut path = self.path.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        let fail = |failure, why: String| {
            ContractError::new(failure, format!("`{}`: {why}", path.display()))
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| fail(Failure::EnforceStateWriteFailed, error.to_string()))?;
        }
        let until = Instant::now() + LOCK_WAIT;
        loop {
            let taken = Lock::take(&path)
                .map_err(|error| fail(Failure::EnforceStateWriteFailed, error.to_string()))?;
            if let Some(lock) = taken {
                self.sweep();
                return Ok(lock);
            }
            if Instant::now() >= until {
                let why = "another run holds this lock; if none is running, remove the file";
                return Err(fail(Failure::EnforceStateLocked, why.to_owned()));
            }
            thread::sleep(LOCK_POLL);
        }
    }

    /// Removes what a killed run was still writing. Whoever holds the lock is
    /// the only one who writes.
    fn sweep(&self) {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return;
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let found = entry.file_name().to_string_lossy().into_owned();
            let is_ours = written_as(&found).is_some_and(|written| name == written);
            if is_ours {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The state, or `None` when there is no file.
    pub(super) fn read(&self) -> Result<Option<State>, ContractError> {
        let corrupt = |why: String| {
            ContractError::new(
                Failure::EnforceStateCorrupt,
                format!(
                    "the state file `{}` {why}; put it back from version control, or remove it and set a new baseline",
                    self.path.display()
                ),
            )
        };
        let bytes = match read_regular(&self.path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(ReadError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) => return Err(corrupt(format!("cannot be read: {}", with_causes(&error)))),
        };
        let state: State = serde_json::from_slice(&bytes)
            .map_err(|error| corrupt(format!("is not a state file: {error}")))?;
        if !state.is_sound(&self.workflow_id) {
            return Err(corrupt("contradicts itself".to_owned()));
        }
        Ok(Some(state))
    }

    pub(super) fn write(&self, state: &State) -> Result<(), ContractError> {
        let text = canonical::of(state)
            .map_err(|error| ContractError::internal(error.to_string()))?
            + "\n";
        write_atomic(&self.path, text.as_bytes()).map_err(|error| {
            ContractError::new(Failure::EnforceStateWriteFailed, with_causes(&error))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_keeps_workflows_apart() {
        let name = |id: &str| {
            let file = StateFile::new(Path::new("s"), id);
            file.path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        };
        assert_eq!(
            name("wf"),
            format!("wf-{}.json", Digest::of("wf").hex().get(..8).unwrap())
        );
        assert!(name("a/b ü").starts_with("a%2Fb%20%C3%BC-"));
        assert_ne!(name("A"), name("a"));
        assert!(name(&"x".repeat(512)).len() < 255);
    }

    #[test]
    fn only_one_holds_the_lock() {
        let desk = tempfile::tempdir().unwrap();
        let file = StateFile::new(desk.path(), "wf");
        let lock = file.lock().unwrap();
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 1);
        assert!(Lock::take(&lock.path).unwrap().is_none());
        drop(lock);
        assert_eq!(fs::read_dir(desk.path()).unwrap().count(), 0);
    }
}
