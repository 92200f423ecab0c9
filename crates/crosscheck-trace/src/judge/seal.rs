//! Check `sealed_artifacts` (trace 6.16): manifest, fingerprint and run metadata
//! match the run.

use std::collections::BTreeSet;

use crosscheck_core::digest::{Digest, Hasher};
use crosscheck_core::json::Node;

use super::Collected;
use super::evidence::FilesSeen;
use crate::canonical;
use crate::check::Check::SealedArtifacts;
use crate::finding::{Findings, Noted, Spot};
use crate::forms::is_safe_path;
use crate::observe::artifacts::Artifact;
use crate::observe::files::FileSeen;
use crate::read::document::{self, Unwrapped};
use crate::read::header::Header;
use crate::read::manifest::Manifest;
use crate::read::object::Flaw;
use crate::read::plan::Plan;
use crate::reasons::TraceReason;

/// The names of the seal's files.
pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const FINGERPRINT: &str = "fingerprint.txt";
pub(crate) const RUN_META: &str = "run_meta.json";

/// A failure of this check, in a file of the seal.
fn fail<'f>(findings: &'f mut Findings, reason: TraceReason, path: &str) -> Noted<'f> {
    findings.add(SealedArtifacts, reason, Spot::File { path, line: None })
}

/// Reads the manifest, if there is one; a broken one is a failure.
pub(crate) fn manifest(
    file: &Artifact,
    required: bool,
    findings: &mut Findings,
) -> Option<Manifest> {
    let read = match file {
        Artifact::Absent => {
            missing(MANIFEST, required, findings);
            return None;
        }
        Artifact::Unreadable(why) => Err(why.clone()),
        Artifact::Bytes(bytes) => Manifest::read(bytes),
    };
    read.map_err(|why| {
        fail(findings, TraceReason::ManifestMalformed, MANIFEST)
            .says(format!("the manifest cannot be read: {why}"));
    })
    .ok()
}

fn missing(path: &'static str, required: bool, findings: &mut Findings) {
    if required {
        fail(findings, TraceReason::SealMissing, path)
            .says(format!("a seal is required, and there is no {path}"));
    }
}

/// Compares a manifest with the files and with what was verified, which may be
/// a trace or a plan from elsewhere.
pub(crate) fn judge_manifest(
    manifest: &Manifest,
    collected: &Collected,
    seen: FilesSeen<'_>,
    verified: [(&str, Option<Digest>); 2],
    findings: &mut Findings,
) {
    for (path, hash) in &manifest.files {
        let mut differs = |reason, found: Option<String>| {
            let noted = fail(findings, reason, MANIFEST);
            let mut noted = noted.path(path).expects(hash);
            if reason == TraceReason::ManifestHashMismatch {
                noted = noted.says(format!(
                    "`{path}`, or its line in the manifest, was changed after the run was sealed"
                ));
            }
            noted.with(|failure| failure.found = found);
        };
        if !is_safe_path(path) {
            differs(TraceReason::ManifestPathUnsafe, None);
            continue;
        }
        let number = collected.files.number(path);
        match number
            .and_then(|number| seen.get(number))
            .map(|(_, file)| file)
        {
            None => differs(TraceReason::ManifestFileMissing, None),
            Some(FileSeen::Refused(refusal)) => {
                let why = refusal.why().to_owned();
                differs(TraceReason::ManifestFileMissing, Some(why));
            }
            Some(FileSeen::Read { digest, .. }) if digest.hex() != *hash => {
                differs(TraceReason::ManifestHashMismatch, Some(digest.hex()));
            }
            Some(FileSeen::Read { .. }) => {
                let verified = verified
                    .iter()
                    .find(|(name, _)| name == path)
                    .and_then(|(_, digest)| *digest);
                if let Some(digest) = verified.filter(|digest| digest.hex() != *hash) {
                    not_the_sealed(path, hash, digest, findings);
                }
            }
        }
    }
    incomplete(manifest, collected, findings);
}

/// Trace, plan and all evidence must be listed.
fn incomplete(manifest: &Manifest, collected: &Collected, findings: &mut Findings) {
    let evidence = collected
        .evidence
        .iter()
        .map(|evidence| collected.files.path(evidence.file));
    let needed: BTreeSet<&str> = ["trace.jsonl", "plan.json"]
        .into_iter()
        .chain(evidence)
        .collect();
    for path in needed
        .into_iter()
        .filter(|path| !manifest.files.contains_key(*path))
    {
        fail(findings, TraceReason::ManifestIncomplete, MANIFEST).path(path);
    }
}

/// The trace or plan that was verified is not the sealed one.
fn not_the_sealed(path: &str, hash: &str, verified: Digest, findings: &mut Findings) {
    fail(findings, TraceReason::ManifestHashMismatch, MANIFEST)
        .path(path)
        .differs(hash, verified.hex())
        .says(format!(
            "the seal is not of what was verified: it names another `{path}`"
        ));
}

/// Judges the fingerprint of the trace file.
pub(crate) fn fingerprint(
    file: &Artifact,
    trace: Option<Digest>,
    required: bool,
    findings: &mut Findings,
) {
    let found = match file {
        Artifact::Absent => {
            missing(FINGERPRINT, required, findings);
            return;
        }
        Artifact::Unreadable(why) => why.clone(),
        Artifact::Bytes(bytes) => String::from_utf8_lossy(bytes).trim().to_owned(),
    };
    let trace = trace.map(|digest| digest.hex()).unwrap_or_default();
    if trace.is_empty() || found != trace {
        fail(findings, TraceReason::FingerprintMismatch, FINGERPRINT).differs(trace, found);
    }
}

/// Compares the trace with the hash that the caller trusts.
pub(crate) fn expected_hash(
    expected: Option<Digest>,
    trace: Option<Digest>,
    findings: &mut Findings,
) {
    if let Some(expected) = expected.filter(|expected| Some(*expected) != trace) {
        let found = trace.map(|digest| digest.hex()).unwrap_or_default();
        findings
            .add(
                SealedArtifacts,
                TraceReason::TraceSha256Unexpected,
                Spot::End,
            )
            .differs(expected.hex(), found);
    }
}

/// Judges the metadata of the run.
pub(crate) fn run_meta(
    file: &Artifact,
    header: &Header,
    plan: &Plan,
    collected: &Collected,
    findings: &mut Findings,
) {
    let bytes = match file {
        Artifact::Absent => return,
        Artifact::Unreadable(why) => return malformed(why, findings),
        Artifact::Bytes(bytes) => bytes,
    };
    let json = match document::parse(bytes) {
        Ok(json) => json,
        Err(flaw) => return malformed(&Flaw::why(flaw), findings),
    };
    let root = match document::unwrap(json.root()) {
        Unwrapped::Plain(root) if root.as_object().is_some() => root,
        Unwrapped::Plain(_) => return malformed("it is not an object", findings),
        Unwrapped::Version(found) => return unsupported("canonical_version", &found, findings),
    };
    if let Some(version) = root.get("schema_version").map(canonical::of_node)
        && !["1", "2"].contains(&version.as_str())
    {
        return unsupported("schema_version", &version, findings);
    }
    for (key, expected) in [
        ("trace_id", header.id.as_str()),
        ("plan_id", &plan.name.id),
        ("spec_id", &plan.spec_id),
    ] {
        if let Some(found) = root
            .get(key)
            .filter(|found| found.as_str() != Some(expected))
        {
            fail(findings, TraceReason::RunMetaMismatch, RUN_META)
                .field(key)
                .differs(expected, canonical::of_node(found));
        }
    }
    checksum(root, header, (plan, collected), findings);
}

/// The checksum over plan, evidence order and runtime, and its copy in the
/// header.
fn checksum(
    meta: Node<'_>,
    header: &Header,
    (plan, collected): (&Plan, &Collected),
    findings: &mut Findings,
) {
    let Some(recorded) = meta.get("invariant_checksum") else {
        return;
    };
    let mut hasher = Hasher::new();
    hasher.update("{\"evidence_order\":[");
    let mut text = String::new();
    for id in &collected.evidence_ids {
        canonical::write_str(&mut text, id);
        hasher.update(&text);
        text.clear();
        text.push(',');
    }
    hasher.update("],\"plan\":");
    hasher.update(&plan.canonical);
    if let Some(runtime) = present(meta, "runtime_descriptor") {
        hasher.update(",\"runtime_descriptor\":");
        hasher.update(canonical::of_node(runtime));
    }
    hasher.update("}");
    let made = hasher.finish().hex();
    let mut differs = |file, expected: String, found: String| {
        fail(findings, TraceReason::InvariantChecksumMismatch, file)
            .field("invariant_checksum")
            .differs(expected, found);
    };
    if recorded.as_str() != Some(&made) {
        differs(RUN_META, made, canonical::of_node(recorded));
    }
    let in_header = header.metadata("invariant_checksum").and_then(Node::as_str);
    if let (Some(recorded), Some(in_header)) = (recorded.as_str(), in_header)
        && recorded != in_header
    {
        differs("trace.jsonl", recorded.to_owned(), in_header.to_owned());
    }
}

/// A key that is present and not null.
fn present<'j>(node: Node<'j>, key: &str) -> Option<Node<'j>> {
    node.get(key).filter(|value| !value.is_null())
}

fn malformed(why: &str, findings: &mut Findings) {
    fail(findings, TraceReason::RunMetaMalformed, RUN_META)
        .says(format!("run_meta.json cannot be read: {why}"));
}

fn unsupported(field: &str, found: &str, findings: &mut Findings) {
    fail(findings, TraceReason::RunMetaVersionUnsupported, RUN_META)
        .field(field)
        .differs("a supported version", found);
}
