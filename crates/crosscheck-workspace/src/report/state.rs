//! What a run changes in the two files of a workspace that tell its state.

use std::path::Path;

use crosscheck_core::files::{Root, write_atomic};
use serde_json::json;

use crate::error::WorkspaceError;
use crate::read::OrderedJson;
use crate::read::metadata::{METADATA_FILE, Metadata, VerificationRecord};
use crate::read::status::{LIMIT, STATUS_FILE, StatusSeen, load};
use crate::status::WorkspaceStatus;

/// Reads the file again, changes it, and writes it atomically: concurrent
/// changes of other keys are kept.
pub(crate) fn update(
    folder: &Path,
    change: impl FnOnce(&Metadata, &mut OrderedJson),
) -> Result<Metadata, WorkspaceError> {
    let now = Metadata::load(folder)?;
    let mut document = now.document.clone();
    change(&now, &mut document);
    let text = document.pretty();
    write_atomic(&folder.join(METADATA_FILE), text.as_bytes())
        .map_err(|error| WorkspaceError::io(&error))?;
    Metadata::parse(&text)
}

/// Puts a verification record into the file, keys in contract order and
/// unknown ones kept behind them.
pub(crate) fn set_record(document: &mut OrderedJson, record: &VerificationRecord) {
    let mut members = OrderedJson::default();
    let status = record.last_status.map_or("not_run", WorkspaceStatus::word);
    members.set("lastVerificationStatus", status);
    if let Some(time) = &record.last_time {
        members.set("lastVerificationTime", time);
    }
    members.set("verificationAttempts", record.attempts);
    members.set("verifyResumeCycles", record.resume_cycles);
    document.set_members("verification", members);
}

/// Resets the claim to be complete; other keys stay unchanged.
pub(crate) fn reopen(folder: &Path, now: &str) -> Result<(), WorkspaceError> {
    rewrite(folder, now, |_| {})
}

/// Resets the whole claim: nothing is complete, nothing was done. Without a
/// claim nothing changes.
pub(crate) fn restart(folder: &Path, now: &str) -> Result<(), WorkspaceError> {
    let seen = load(folder);
    if seen == StatusSeen::Absent {
        return Ok(());
    }
    let total = seen.claim().progress.map(|(_, total)| total);
    rewrite(folder, now, |document| {
        for key in [
            "worked", "summary", "phase", "notes", "blockers", "progress",
        ] {
            document.remove(key);
        }
        if let Some(total) = total {
            document.set("progress", json!({"completed": 0, "total": total}));
        }
    })
}

fn rewrite(
    folder: &Path,
    now: &str,
    change: impl FnOnce(&mut OrderedJson),
) -> Result<(), WorkspaceError> {
    let path = folder.join(STATUS_FILE);
    let bytes = Root::new(folder).and_then(|root| root.read(Path::new(STATUS_FILE), LIMIT));
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let document = OrderedJson::read(&text.unwrap_or_default());
    let mut document = document.unwrap_or_default();
    document.set("complete", false);
    document.set("lastUpdated", now);
    change(&mut document);
    write_atomic(&path, document.pretty().as_bytes()).map_err(|error| WorkspaceError::io(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::status::AgentStatus;

    const LEAST: &str = r#""name":"demo","created":"2025-10-15T10:00:00.000Z""#;

    #[test]
    fn an_update_keeps_unknown_keys_and_their_order() {
        let desk = tempfile::tempdir().unwrap();
        let text = format!(
            r#"{{"z":[1.0],{LEAST},"verification":{{"extra":true,"verificationAttempts":3}},"a":null}}"#
        );
        write_atomic(&desk.path().join(METADATA_FILE), text.as_bytes()).unwrap();
        update(desk.path(), |now, document| {
            let mut record = now.verification.clone().unwrap();
            record.attempts += 1;
            record.last_status = Some(WorkspaceStatus::Fail);
            set_record(document, &record);
        })
        .unwrap();
        let root = Root::new(desk.path()).unwrap();
        let written =
            String::from_utf8(root.read(Path::new(METADATA_FILE), LIMIT).unwrap()).unwrap();
        let keys: Vec<usize> = [
            "\"z\"",
            "1.0",
            "\"name\"",
            "lastVerificationStatus",
            "verificationAttempts\": 4",
            "verifyResumeCycles",
            "extra",
            "\"a\": null",
        ]
        .iter()
        .map(|key| {
            written
                .find(key)
                .unwrap_or_else(|| panic!("{key} in {written}"))
        })
        .collect();
        assert!(keys.is_sorted(), "{written}");
    }

    #[test]
    fn reopening_keeps_other_keys_and_creates_a_missing_file() {
        let desk = tempfile::tempdir().unwrap();
        reopen(desk.path(), "2025-10-15T10:00:00.000Z").unwrap();
        assert_eq!(load(desk.path()), StatusSeen::Valid(AgentStatus::default()));
        write_atomic(
            &desk.path().join(STATUS_FILE),
            br#"{"mine":1,"complete":true,"summary":"s"}"#,
        )
        .unwrap();
        reopen(desk.path(), "2025-10-15T10:00:00.000Z").unwrap();
        let text =
            std::io::read_to_string(std::fs::File::open(desk.path().join(STATUS_FILE)).unwrap())
                .unwrap();
        assert!(
            text.contains("\"mine\": 1") && text.contains("\"complete\": false"),
            "{text}"
        );
        assert_eq!(load(desk.path()).claim().summary.as_deref(), Some("s"));
    }
}
