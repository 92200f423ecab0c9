//! The run bundle: the events as they came and every fact of every step.
//!
//! Contract: check 15.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crosscheck_core::digest::{Digest, Hasher};
use serde_json::{Value, json};

use super::sign::Signer;
use super::staged::Staged;
use super::{Maker, failed, normalised, timestamp};
use crate::check::error::ContractError;
use crate::check::read::Log;
use crate::check::report::Report;

const EVENTS: &str = "events.ndjson";
const RESULT: &str = "workflow-result.json";
const SIDECAR: &str = "workflow-result.sig.json";
const RECORD: &str = "agent-run.json";

/// Every file that such a bundle may have, besides its list.
pub(super) const NAMES: [&str; 4] = [RECORD, EVENTS, RESULT, SIDECAR];

/// Writes the bundle beside its folder.
pub fn stage(
    folder: &Path,
    report: &Report,
    log: &Log,
    signer: Option<&Signer>,
    maker: Maker<'_>,
) -> Result<Staged, ContractError> {
    let mut staged = Staged::new(folder, &NAMES, maker)?;
    let mut events = None;
    let bytes = log
        .bytes()
        .map_err(|error| failed(&folder.join(EVENTS), &error))?;
    staged.write(EVENTS, |out| {
        events = Some(copy(BufReader::new(bytes), out)?);
        Ok(())
    })?;
    let result = report
        .result
        .as_ref()
        .ok_or_else(|| ContractError::internal("the run kept no result for its bundle"))?;
    let mut content = signer.map(|_| Vec::new());
    // a JSON text on one line has no line end to normalise
    let raw = staged.write(RESULT, |out| {
        // only a signature needs the whole text at once
        match &mut content {
            Some(content) => {
                result.write(content)?;
                out.write_all(content)
            }
            None => result.write(out),
        }
    })?;
    let artifact = |name: &str, (digest, len): (Digest, u64)| json!({ "relativePath": name, "sha256": digest.hex(), "byteLength": len });
    let mut artifacts = json!({
        "workflowResult": artifact(RESULT, raw),
        "events": events.map(|events| artifact(EVENTS, events)),
    });
    if let (Some(signer), Some(content)) = (signer, &content) {
        let sidecar = staged.write_text(SIDECAR, &signer.sidecar(&normalised(content)))?;
        if let Some(map) = artifacts.as_object_mut() {
            map.insert(
                "workflowResultSignature".to_owned(),
                artifact(SIDECAR, sidecar),
            );
        }
    }
    let record = record(folder, report, maker, signer.is_some(), &artifacts);
    let text = serde_json::to_string_pretty(&record)
        .map_err(|error| ContractError::internal(error.to_string()))?
        + "\n";
    staged.write_text(RECORD, &text)?;
    staged.finish(signer)
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

/// Copies a file; hash and length are those with `\r\n` as `\n`.
fn copy(mut from: impl BufRead, out: &mut dyn Write) -> io::Result<(Digest, u64)> {
    let (mut hasher, mut len, mut line) = (Hasher::new(), 0, Vec::new());
    while from.read_until(b'\n', &mut line)? > 0 {
        out.write_all(&line)?;
        let line = normalised(&std::mem::take(&mut line));
        hasher.update(&line);
        len += line.len() as u64;
    }
    Ok((hasher.finish(), len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_normalised_line_by_line_as_in_the_whole_text() {
        let text = b"a\r\nb\rc\r\n\r\r\nd\r";
        let expected = normalised(text);
        assert_eq!(expected, b"a\nb\rc\n\r\nd\r");
        let mut copied = Vec::new();
        let seen = copy(text.as_slice(), &mut copied).unwrap();
        assert_eq!(seen, (Digest::of(&expected), expected.len() as u64));
        assert_eq!(copied, text);
    }
}
