//! Whether a file of a folder is what a bundle of ours holds under its name. A
//! list alone does not make a file ours: anybody can write one.

use std::path::Path;

use serde_json::Value;

use super::read_inside;
use super::sign::Sidecar;

const MAX_BYTES: u64 = 1024 * 1024;

/// The files in which a bundle says who made it.
pub(super) const RECORDS: [&str; 2] = ["agent-run.json", "manifest.json"];

/// Whether an earlier bundle can have written this file.
pub(super) fn is_ours(folder: &Path, name: &str) -> bool {
    let bytes = || read_inside(folder, name, MAX_BYTES).unwrap_or_default();
    let begins = |start: &str| bytes().starts_with(start.as_bytes());
    match name {
        "agent-run.json" => is_record(&bytes(), "/artifacts/events/sha256"),
        "manifest.json" => is_record(&bytes(), "/certificate/sha256"),
        "exit.json" => begins("{\"schemaVersion\":1,\"exitCode\":"),
        "human-layer.json" => begins("{\"schemaVersion\":1,\"kind\":"),
        _ if name.ends_with(".sig.json") => Sidecar::parse(&bytes()).is_some(),
        // copies and results: their bundle says so
        _ => RECORDS.iter().any(|record| is_ours(folder, record)),
    }
}

fn is_record(bytes: &[u8], hash: &str) -> bool {
    let Ok(record) = serde_json::from_slice::<Value>(bytes) else {
        return false;
    };
    let maker = record.pointer("/producer/name").and_then(Value::as_str);
    maker == Some("crosscheck") && record.pointer(hash).is_some_and(Value::is_string)
}
