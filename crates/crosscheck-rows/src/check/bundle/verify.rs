//! `verify-bundle-signature`: a signed run bundle, checked offline.
//!
//! Contract: check 15.

use std::path::Path;

use crosscheck_core::Advice as _;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::read_limited;
use crosscheck_core::text::one_line;
use serde_json::Value;

use super::inventory::{self, Claims};
use super::run::NAMES;
use super::sign::{Sidecar, fault_of_public_key, key_digest};
use super::{normalised, read_inside};
use crate::check::error::ContractError;
use crate::check::reasons::ContractFailure as Failure;
use crate::check::report::texts::TRUST;
use crate::check::schema::Schema;

/// The largest file of a bundle that is read.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// Checks hashes and signature. What is intact is said in words: what it is,
/// who signed it, when, and over which files.
pub fn verify(folder: &Path, public_key: &Path) -> Result<String, ContractError> {
    let fail = |failure: Failure, what: &str| {
        Err(ContractError::new(
            failure,
            format!("{what}: {}", failure.reason().meaning),
        ))
    };
    let read = |name: &str| {
        read_inside(folder, name, MAX_BYTES).map_err(|_| {
            ContractError::new(
                Failure::BundleSignatureMissingArtifact,
                format!("{name} is missing"),
            )
        })
    };
    let manifest: Value = match serde_json::from_slice(&read("agent-run.json")?) {
        Ok(manifest) => manifest,
        Err(_) => return fail(Failure::BundleSignatureManifestInvalid, "agent-run.json"),
    };
    match manifest.get("schemaVersion").and_then(Value::as_f64) {
        Some(1.0) => return fail(Failure::BundleSignatureUnsignedManifest, "agent-run.json"),
        Some(2.0) => {}
        _ => {
            return fail(
                Failure::BundleSignatureManifestUnsupportedVersion,
                "agent-run.json",
            );
        }
    }
    if !Schema::RunRecordV2.fits(&manifest) {
        return fail(Failure::BundleSignatureManifestInvalid, "agent-run.json");
    }
    let mut result = Vec::new();
    let mut sidecar = Vec::new();
    for (key, name) in [
        ("events", "events.ndjson"),
        ("workflowResult", "workflow-result.json"),
        ("workflowResultSignature", "workflow-result.sig.json"),
    ] {
        let raw = read(name)?;
        let content = if key == "workflowResultSignature" {
            raw
        } else {
            normalised(&raw)
        };
        let listed = |field: &str| manifest.pointer(&format!("/artifacts/{key}/{field}"));
        let len = listed("byteLength").and_then(Value::as_u64);
        let hash = listed("sha256").and_then(Value::as_str);
        if len != Some(content.len() as u64) || hash != Some(Digest::of(&content).hex().as_str()) {
            return fail(Failure::BundleSignatureArtifactIntegrity, name);
        }
        match key {
            "workflowResult" => result = content,
            "workflowResultSignature" => sidecar = content,
            _ => {}
        }
    }
    let Some(sidecar) = Sidecar::parse(&sidecar) else {
        return fail(
            Failure::BundleSignatureSidecarInvalid,
            "workflow-result.sig.json",
        );
    };
    if sidecar.sha256 != Digest::of(&result).hex() {
        return fail(
            Failure::BundleSignatureSignedHashMismatch,
            "workflow-result.sig.json",
        );
    }
    let Ok(pem) = read_limited(public_key, MAX_BYTES) else {
        return fail(
            Failure::BundleSignatureMissingArtifact,
            &public_key.display().to_string(),
        );
    };
    let pem = String::from_utf8_lossy(&pem);
    if !sidecar.names_key(&pem) {
        let failure = Failure::BundleSignaturePublicKeyMismatch;
        let why = fault_of_public_key(&pem).unwrap_or(failure.reason().meaning);
        let text = format!("{}: {why}", public_key.display());
        return Err(ContractError::new(failure, text));
    }
    if !sidecar.holds(&result, &pem) {
        return fail(
            Failure::BundleSignatureCryptoInvalid,
            "workflow-result.sig.json",
        );
    }
    let mut claims = Claims::of(&manifest, true);
    claims.is_ours |= says_our_sentence(&result);
    match inventory::check(folder, &NAMES, Some(&pem), claims).first() {
        Some(wrong) if wrong.ends_with(" is missing") => {
            fail(Failure::BundleSignatureMissingArtifact, wrong)
        }
        Some(wrong) => fail(Failure::BundleSignatureArtifactIntegrity, wrong),
        None => Ok(words(&manifest, &pem)),
    }
}

fn words(manifest: &Value, pem: &str) -> String {
    let text = |place: &str| {
        let found = manifest.pointer(place).and_then(Value::as_str);
        one_line(found.unwrap_or("?"))
    };
    format!(
        "intact: run bundle `{}` of workflow `{}`, checked {} by {} {}\nsigned: Ed25519, the public key with SHA-256 {}\nfiles: {}\n",
        text("/runId"),
        text("/workflowId"),
        text("/verifiedAt"),
        text("/producer/name"),
        text("/producer/version"),
        key_digest(pem),
        NAMES.join(", ")
    )
}

/// Whether a run bundle is refuted: a file of it is gone or changed, or it was
/// signed over other content or with another key.
pub fn is_refuted(error: &ContractError) -> bool {
    [
        Failure::BundleSignatureMissingArtifact,
        Failure::BundleSignatureArtifactIntegrity,
        Failure::BundleSignatureSignedHashMismatch,
        Failure::BundleSignaturePublicKeyMismatch,
        Failure::BundleSignatureCryptoInvalid,
    ]
    .iter()
    .any(|failure| failure.reason() == error.reason())
}

/// Whether our program wrote a signed result. The manifest is not signed and
/// can be made to name another producer; the sentence in the result cannot.
fn says_our_sentence(result: &[u8]) -> bool {
    let result: Value = serde_json::from_slice(result).unwrap_or_default();
    result
        .pointer("/workflowTruthReport/trustSummary")
        .and_then(Value::as_str)
        .is_some_and(|sentence| TRUST.iter().any(|ours| sentence.starts_with(ours)))
}
