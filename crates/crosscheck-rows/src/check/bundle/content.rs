//! Whether a file of a folder is what a bundle of ours holds under its name. A
//! list alone does not make a file ours: anyone can write one, and a record
//! with hashes too. So what is in the file must also be what its name says.

use std::path::Path;

use crosscheck_core::files::{ReadError, Root};
use serde_json::Value;

use super::decision::{compact, exit_of_bundle};
use super::sign::Sidecar;
use super::{read_inside, run};
use crate::check::schema::Schema;

const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Documents up to this length are read before the hash of a record is believed.
const DOCUMENT_MAX: u64 = 1024 * 1024;

/// The files in which a bundle says who made it.
const RECORDS: [&str; 2] = ["agent-run.json", "manifest.json"];

/// Where a record keeps the hash of a file.
const HASHES: [(&str, &str); 5] = [
    ("events.ndjson", "/artifacts/events/sha256"),
    ("workflow-result.json", "/artifacts/workflowResult/sha256"),
    (
        "workflow-result.sig.json",
        "/artifacts/workflowResultSignature/sha256",
    ),
    ("outcome-certificate.json", "/certificate/sha256"),
    ("material-truth.json", "/materialTruth/sha256"),
];

/// The records of a folder, and those that a killed run was to replace or to write.
pub(super) fn records(folder: &Path, noted: Vec<Value>) -> Vec<Value> {
    let read = |name: &&str| {
        let bytes = read_inside(folder, name, MAX_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    let mut records: Vec<Value> = RECORDS.iter().filter_map(read).chain(noted).collect();
    records.retain(is_record);
    records
}

fn is_record(record: &Value) -> bool {
    let maker = record.pointer("/producer/name").and_then(Value::as_str);
    let hashes = |(_, place): &(&str, &str)| record.pointer(place).is_some_and(Value::is_string);
    maker == Some("crosscheck") && HASHES.iter().any(hashes)
}

/// Whether an earlier bundle with one of these records can have written this file.
pub(super) fn is_ours(folder: &Path, name: &str, records: &[Value]) -> bool {
    if let Some((_, place)) = HASHES.iter().find(|(known, _)| *known == name) {
        let hash = hash_of(folder, name);
        let kept =
            |record: &Value| record.pointer(place).and_then(Value::as_str) == hash.as_deref();
        return hash.is_some() && records.iter().any(kept) && is_what_it_says(folder, name);
    }
    let Ok(bytes) = read_inside(folder, name, MAX_BYTES) else {
        return false;
    };
    let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let is_compact = || compact(&bytes).is_ok_and(|text| (text + "\n").as_bytes() == bytes);
    match name {
        "agent-run.json" | "manifest.json" => is_record(&json),
        "exit.json" => (0..=2).any(|code| exit_of_bundle(code).as_bytes() == bytes),
        "human-layer.json" => bytes.starts_with(b"{\"schemaVersion\":1,\"kind\":"),
        "attestation.json" => Schema::Attestation.fits(&json) && is_compact(),
        "next-action.json" => Schema::NextAction.fits(&json) && is_compact(),
        _ if name.ends_with(".sig.json") => Sidecar::parse(&bytes).is_some(),
        _ => false,
    }
}

/// Whether a file is the document of its name. Events are a copy of what
/// somebody else wrote and may hold anything.
fn is_what_it_says(folder: &Path, name: &str) -> bool {
    let bytes = match read_inside(folder, name, DOCUMENT_MAX) {
        Ok(bytes) => bytes,
        Err(ReadError::TooLarge { .. }) => return begins_as(folder, name),
        Err(_) => return false,
    };
    let json: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    match name {
        "outcome-certificate.json" => Schema::Certificate.fits(&json),
        "material-truth.json" => Schema::MaterialTruth.fits(&json),
        "workflow-result.json" => ["schemaVersion", "workflowId", "steps", "verificationPolicy"]
            .iter()
            .all(|member| json.get(member).is_some()),
        "workflow-result.sig.json" => Sidecar::parse(&bytes).is_some(),
        _ => true,
    }
}

/// How long documents begin: their members are sorted.
const OPENINGS: [(&str, &str); 6] = [
    ("events.ndjson", ""),
    ("workflow-result.json", "{\"eventSequenceIntegrity\":"),
    ("outcome-certificate.json", "{\"correctnessDefinition\":"),
    ("outcome-certificate.json", "{\"checkpointVerdicts\":"),
    ("outcome-certificate.json", "{\"evidenceCompleteness\":"),
    ("material-truth.json", "{\"checkpointVerdicts\":"),
];

fn begins_as(folder: &Path, name: &str) -> bool {
    use std::io::Read as _;
    let opened = Root::new(folder).and_then(|root| root.open_measured(Path::new(name)));
    let mut head = Vec::new();
    let read = opened.is_ok_and(|(file, _)| file.take(64).read_to_end(&mut head).is_ok());
    let mut openings = OPENINGS.iter().filter(|(known, _)| *known == name);
    read && openings.any(|(_, opening)| head.starts_with(opening.as_bytes()))
}

/// The hash that a record keeps of a file: line ends are `\n` there.
fn hash_of(folder: &Path, name: &str) -> Option<String> {
    let root = Root::new(folder).ok()?;
    let (file, _) = root.open_measured(Path::new(name)).ok()?;
    Some(run::normalised_hash(file).ok()?.hex())
}
