//! The run bundle: the events as they came and every fact of every step.
//!
//! Contract: check 15.

use std::io::{self, Write};
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
    let mut events = Normalised::default();
    let bytes = log
        .bytes()
        .map_err(|error| failed(&folder.join(EVENTS), &error))?;
    staged.write(EVENTS, |out| copy(bytes, out, &mut events))?;
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
        "events": artifact(EVENTS, events.finish()),
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
