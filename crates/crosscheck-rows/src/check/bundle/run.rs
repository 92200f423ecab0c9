//! The run bundle: the events as they came and every fact of every step.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crosscheck_core::digest::{Digest, Hasher};
use serde_json::{Value, json};

use super::inventory::Files;
use super::sign::Signer;
use super::{Maker, failed, inventory, normalised, timestamp, write_file, write_text};
use crate::check::error::ContractError;
use crate::check::read::Log;
use crate::check::report::Report;

const SIDECAR: &str = "workflow-result.sig.json";

/// Writes the bundle; when a signed one fails, what was written is removed.
pub fn write(
    folder: &Path,
    report: &Report,
    log: &Log,
    signer: Option<&Signer>,
    maker: Maker<'_>,
) -> Result<(), ContractError> {
    let unsigned = signer.is_none();
    let unwanted: &[&str] = if unsigned { &[SIDECAR] } else { &[] };
    inventory::remove_others(folder, unwanted, !unsigned)?;
    let mut written = Vec::new();
    let done = write_all(folder, report, log, signer, maker, &mut written);
    if done.is_err() && signer.is_some() {
        for name in written {
            let _ = fs::remove_file(folder.join(name));
        }
    }
    done
}

fn write_all(
    folder: &Path,
    report: &Report,
    log: &Log,
    signer: Option<&Signer>,
    maker: Maker<'_>,
    written: &mut Vec<&'static str>,
) -> Result<(), ContractError> {
    let mut files = Files::new();
    let mut events = Normalised::default();
    let events_path = folder.join("events.ndjson");
    written.push("events.ndjson");
    let bytes = log.bytes().map_err(|error| failed(&events_path, &error))?;
    let raw = write_file(&events_path, |out| copy(bytes, out, &mut events))?;
    files.insert("events.ndjson".to_owned(), raw);

    written.push("workflow-result.json");
    let result = report
        .result
        .as_ref()
        .ok_or_else(|| ContractError::internal("the run kept no result for its bundle"))?;
    let mut content = signer.map(|_| Vec::new());
    let raw = write_file(&folder.join("workflow-result.json"), |out| {
        // only a signature needs the whole text at once
        match &mut content {
            Some(content) => {
                result.write(content)?;
                out.write_all(content)
            }
            None => result.write(out),
        }
    })?;
    // a JSON text on one line has no line end to normalise
    files.insert("workflow-result.json".to_owned(), raw);
    let artifact = |name: &str, digest: Digest, len: u64| json!({ "relativePath": name, "sha256": digest.hex(), "byteLength": len });
    let (events_digest, events_len) = events.finish();
    let mut artifacts = json!({
        "workflowResult": artifact("workflow-result.json", raw.0, raw.1),
        "events": artifact("events.ndjson", events_digest, events_len),
    });
    if let (Some(signer), Some(content)) = (signer, &content) {
        written.push(SIDECAR);
        let sidecar = write_text(&folder.join(SIDECAR), &signer.sidecar(&normalised(content)))?;
        files.insert(SIDECAR.to_owned(), sidecar);
        if let Some(map) = artifacts.as_object_mut() {
            map.insert(
                "workflowResultSignature".to_owned(),
                artifact(SIDECAR, sidecar.0, sidecar.1),
            );
        }
    }
    let record = record(folder, report, maker, signer.is_some(), &artifacts);
    let text = serde_json::to_string_pretty(&record)
        .map_err(|error| ContractError::internal(error.to_string()))?
        + "\n";
    written.push("agent-run.json");
    files.insert(
        "agent-run.json".to_owned(),
        write_text(&folder.join("agent-run.json"), &text)?,
    );
    inventory::write(folder, &files, signer)
}

/// The name of a folder, also when it is written as `.` or `..`.
pub fn base_name(folder: &Path) -> Option<String> {
    let whole = folder.canonicalize();
    let named = folder
        .file_name()
        .or_else(|| whole.as_ref().ok()?.file_name());
    named.map(|name| name.to_string_lossy().into_owned())
}

fn record(
    folder: &Path,
    report: &Report,
    maker: Maker<'_>,
    signed: bool,
    artifacts: &Value,
) -> Value {
    let name = base_name(folder);
    json!({
        "schemaVersion": if signed { 2 } else { 1 },
        "runId": name.unwrap_or_else(|| "run".to_owned()),
        "workflowId": report.head.workflow_id,
        "producer": { "name": "crosscheck", "version": maker.version },
        "verifiedAt": timestamp(maker.clock),
        "artifacts": artifacts,
    })
}

fn copy(
    mut from: impl io::Read,
    out: &mut dyn Write,
    normalised: &mut Normalised,
) -> io::Result<()> {
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(());
        }
        let bytes = piece.get(..read).unwrap_or_default();
        normalised.update(bytes);
        out.write_all(bytes)?;
    }
}

/// Hashes with `\r\n` as `\n`, also where a pair is torn apart.
#[derive(Default)]
struct Normalised {
    hasher: Hasher,
    len: u64,
    held: bool,
}

impl Normalised {
    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
    }

    fn update(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if std::mem::take(&mut self.held) && rest.first() != Some(&b'\n') {
            self.add(b"\r");
        }
        if let Some(before) = rest.strip_suffix(b"\r") {
            rest = before;
            self.held = true;
        }
        self.add(&normalised(rest));
    }

    fn finish(mut self) -> (Digest, u64) {
        if self.held {
            self.add(b"\r");
        }
        (self.hasher.finish(), self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_line_ends_are_normalised_like_whole_ones() {
        let text = b"a\r\nb\rc\r\n\r\r\nd\r";
        for cut in 0..=text.len() {
            let mut pieces = Normalised::default();
            pieces.update(&text[..cut]);
            pieces.update(&text[cut..]);
            let expected = normalised(text);
            assert_eq!(
                pieces.finish(),
                (Digest::of(&expected), expected.len() as u64),
                "cut at {cut}"
            );
        }
        assert_eq!(normalised(text), b"a\nb\rc\n\r\nd\r");
    }
}
