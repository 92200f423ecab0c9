//! `decision-bundle validate`: nothing the manifest says is believed that can
//! be computed again.

use std::path::Path;

use crosscheck_core::canonical;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::read_limited;
use crosscheck_core::json::{Json, Node};
use crosscheck_core::text::one_line;
use crosscheck_core::{JsStr, JsString};
use serde_json::{Value, json};

use super::decision::{NAMES, completeness, exit_of};
use super::inventory::{self, Claims};
use super::sign::{Sidecar, fault_of_public_key, key_digest};
use super::{normalised, read_inside};
use crate::check::error::ContractError;
use crate::check::plan::order::unique;
use crate::check::reasons::ContractFailure as Failure;
use crate::check::schema::{Schema, document};

const SIGNATURE: &str = "manifest.sig.json";
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// What was found.
#[derive(Debug)]
pub struct Validated {
    /// The document.
    pub document: Value,
    /// 0 whole, 1 partial, 2 invalid.
    pub exit: u8,
    /// A note for people.
    pub note: String,
}

/// Validates a decision bundle.
pub fn validate(folder: &Path, public_key: Option<&Path>) -> Result<Validated, ContractError> {
    if !folder.is_dir() {
        return Err(ContractError::usage(format!(
            "`{}` is not a folder that can be opened",
            folder.display()
        )));
    }
    let pem = public_key.map(read_key).transpose()?;
    let mut bundle = Bundle {
        folder,
        pem,
        errors: Vec::new(),
        integrity: Integrity::default(),
    };
    let completeness = bundle.check();
    Ok(bundle.finish(&completeness))
}

/// Reads the key. A file that holds none says nothing about the bundle.
fn read_key(path: &Path) -> Result<String, ContractError> {
    let bytes = read_limited(path, MAX_BYTES)
        .map_err(|error| ContractError::usage(crosscheck_core::advice::with_causes(&error)))?;
    let pem = String::from_utf8_lossy(&bytes).into_owned();
    match fault_of_public_key(&pem) {
        None => Ok(pem),
        Some(fault) => Err(ContractError::usage(format!(
            "--public-key `{}` is {fault}",
            path.display()
        ))),
    }
}

struct Bundle<'a> {
    folder: &'a Path,
    pem: Option<String>,
    errors: Vec<Value>,
    integrity: Integrity,
}

struct Integrity {
    version: u8,
    certificate: Option<bool>,
    truth: Option<bool>,
    truth_present: bool,
    signature: &'static str,
    key: Option<String>,
}

impl Default for Integrity {
    fn default() -> Self {
        Self {
            version: 2,
            certificate: None,
            truth: None,
            truth_present: false,
            signature: "absent",
            key: None,
        }
    }
}

impl Bundle<'_> {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        read_inside(self.folder, name, MAX_BYTES).ok()
    }

    fn error(&mut self, failure: Failure, what: &str) {
        self.error_saying(failure, what, failure.reason().meaning);
    }

    fn error_saying(&mut self, failure: Failure, what: &str, why: &str) {
        let message = format!("{what}: {why}");
        self.errors
            .push(json!({ "code": failure.code(), "message": message }));
    }

    /// The completeness that is reported.
    fn check(&mut self) -> Value {
        let there = |name: &str| self.folder.join(name).is_file();
        let invalid = json!({
            "status": "invalid",
            "artifacts": {
                "a4Present": there("attestation.json"),
                "a5Present": there("next-action.json"),
                "a5Required": false,
            },
        });
        self.integrity.truth_present = self.folder.join("material-truth.json").is_file();
        let bytes = self.read("manifest.json").unwrap_or_default();
        let manifest: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let declared = manifest.get("completeness").cloned().unwrap_or_default();
        if Schema::ManifestV1.fits(&manifest) {
            self.integrity.version = 1;
            return declared;
        }
        if !Schema::ManifestV2.fits(&manifest) {
            if manifest.get("schemaVersion").and_then(Value::as_f64) == Some(1.0) {
                self.integrity.version = 1;
            }
            self.error(Failure::ManifestSchema, "manifest.json");
            return invalid;
        }
        let hash = |part: &str| {
            manifest
                .pointer(&format!("/{part}/sha256"))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let certificate = self.certificate(&hash("certificate"));
        self.truth(&hash("materialTruth"), certificate.as_ref());
        // the list of files belongs to the key of the bundle: held against
        // another one, files would be accused of what the key has done
        let key = self.signature(&bytes);
        let claims = Claims::of(&manifest, self.integrity.signature != "absent");
        for wrong in inventory::check(self.folder, &NAMES, key.as_deref(), claims) {
            self.error(Failure::FileHashMismatch, &wrong);
        }
        match certificate {
            Some(certificate) => self.agree(&certificate, &declared),
            None => declared,
        }
    }

    fn certificate(&mut self, hash: &str) -> Option<Json> {
        let bytes = self.read("outcome-certificate.json");
        let fits = bytes
            .as_ref()
            .is_some_and(|bytes| Digest::of(bytes).hex() == hash);
        self.integrity.certificate = Some(fits);
        if !fits {
            self.error(Failure::DecisionCertFingerprint, "outcome-certificate.json");
        }
        match document(&bytes?) {
            Ok((json, value)) if Schema::Certificate.fits(&value) => Some(json),
            _ => {
                self.error(Failure::CertificateInvalid, "outcome-certificate.json");
                None
            }
        }
    }

    fn truth(&mut self, hash: &str, certificate: Option<&Json>) {
        let Some(bytes) = self.read("material-truth.json") else {
            self.error(Failure::DecisionTruthMissing, "material-truth.json");
            return;
        };
        let listed = Digest::of(&bytes).hex() == hash;
        let implied =
            certificate.is_none_or(|certificate| material_truth(certificate).as_bytes() == bytes);
        self.integrity.truth = Some(listed && implied);
        if !(listed && implied) {
            self.error(Failure::DecisionTruthFingerprint, "material-truth.json");
        }
        if !document(&bytes).is_ok_and(|(_, value)| Schema::MaterialTruth.fits(&value)) {
            self.error(Failure::DecisionTruthSchema, "material-truth.json");
        }
    }

    /// Checks the signature; gives the key that the list of files must be signed with.
    fn signature(&mut self, manifest: &[u8]) -> Option<String> {
        let pem = self.pem.clone();
        let Some(bytes) = self.read(SIGNATURE) else {
            return pem;
        };
        self.integrity.signature = "invalid";
        let Some(pem) = pem else {
            self.error(Failure::DecisionKeyRequired, SIGNATURE);
            return None;
        };
        let content = normalised(manifest);
        let sidecar = Sidecar::parse(&bytes);
        if let Some(sidecar) = sidecar.as_ref().filter(|one| !one.names_key(&pem)) {
            let why = "the bundle was signed with another key than the one of --public-key";
            self.error_saying(Failure::DecisionSignatureInvalid, SIGNATURE, why);
            return Some(sidecar.public_pem.clone());
        }
        let holds = sidecar.is_some_and(|sidecar| {
            sidecar.sha256 == Digest::of(&content).hex() && sidecar.holds(&content, &pem)
        });
        if holds {
            self.integrity.signature = "valid";
            self.integrity.key = Some(pem.replace("\r\n", "\n").trim().to_owned() + "\n");
        } else {
            self.error(Failure::DecisionSignatureInvalid, SIGNATURE);
        }
        Some(pem)
    }

    fn agree(&mut self, certificate: &Json, declared: &Value) -> Value {
        let relation = certificate
            .root()
            .get("stateRelation")
            .and_then(Node::as_str)
            .unwrap_or_default();
        let exit: Value = self
            .read("exit.json")
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        if exit.get("exitCode").and_then(Value::as_u64) != Some(u64::from(exit_of(relation))) {
            self.error(Failure::ExitMismatch, "exit.json");
        }
        let there = |name: &str| self.folder.join(name).is_file();
        let computed = completeness(
            relation == "matches_expectations",
            there("attestation.json"),
            there("next-action.json"),
        );
        if computed != *declared {
            self.error(Failure::CompletenessMismatch, "manifest.json");
        }
        computed
    }

    fn finish(self, completeness: &Value) -> Validated {
        let status = completeness.get("status").and_then(Value::as_str);
        // a manifest of version 1 cannot be computed again, but it can say it itself
        let valid = self.errors.is_empty() && status != Some("invalid");
        let integrity = &self.integrity;
        let partial = status != Some("complete");
        let mut note = self.words(valid);
        if self.pem.is_some() && integrity.signature == "absent" {
            note.push_str(self.why_unproved());
        }
        let document = json!({
            "schemaVersion": 1,
            "kind": "decision_bundle_validation",
            "status": if valid { "valid" } else { "invalid" },
            "bundleDir": self.folder.display().to_string(),
            "completeness": completeness,
            "errors": self.errors,
            "integrity": {
                "manifestVersion": integrity.version,
                "certificateFingerprintOk": integrity.certificate,
                "materialTruthFingerprintOk": integrity.truth,
                "materialTruthPresent": integrity.truth_present,
                "selfVerifying": integrity.version == 2 && valid && integrity.signature != "invalid",
                "signature": integrity.signature,
                "signaturePublicKeySpkiPem": integrity.key,
            },
        });
        let exit = if valid { u8::from(partial) } else { 2 };
        Validated {
            document,
            exit,
            note,
        }
    }
}

impl Bundle<'_> {
    /// What the bundle is, for people: who made it, when, and over which
    /// files; or that it is not what its maker wrote.
    fn words(&self, is_valid: bool) -> String {
        if !is_valid {
            let codes = self
                .errors
                .iter()
                .filter_map(|error| error.get("message")?.as_str());
            let lines = codes.map(|message| format!("refuted: {message}\n"));
            return lines.collect();
        }
        let bytes = self.read("manifest.json").unwrap_or_default();
        let manifest: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let text = |place: &str| {
            let found = manifest.pointer(place).and_then(Value::as_str);
            one_line(found.unwrap_or("?"))
        };
        let signed = match &self.integrity.key {
            Some(pem) => format!("Ed25519, the public key with SHA-256 {}", key_digest(pem)),
            None => "no".to_owned(),
        };
        let words = format!(
            "intact: decision bundle of workflow `{}`, run `{}`, written {} by {} {}\nsigned: {signed}\n",
            text("/workflowId"),
            text("/runId"),
            text("/createdAt"),
            text("/producer/name"),
            text("/producer/version"),
        );
        let others = inventory::others(self.folder);
        let rest = if !self.folder.join(inventory::NAME).is_file() {
            "note: the manifest has no hash for exit.json, human-layer.json, attestation.json and next-action.json\n".to_owned()
        } else if others.is_empty() {
            format!("every file is listed in {}\n", inventory::NAME)
        } else {
            format!("not part of the bundle: {}\n", others.join(", "))
        };
        words + &rest
    }

    /// Why a key that was given proved nothing.
    fn why_unproved(&self) -> &'static str {
        let there = |name: &str| self.folder.join(name).is_file();
        if there(SIGNATURE) {
            "warning: manifest.json is missing or changed, so its signature was not looked at\n"
        } else if there("agent-run.json") && !there("manifest.json") {
            "warning: this is the bundle of a run; `crosscheck verify-bundle-signature` checks it\n"
        } else {
            "warning: the bundle is not signed; the public key proved nothing\n"
        }
    }
}

/// The material truth of a certificate, recomputed.
pub(crate) fn material_truth(certificate: &Json) -> String {
    let root = certificate.root();
    let text = |key: &str| root.get(key).map(canonical::of_node).unwrap_or_default();
    let details = list(root.get("explanation").and_then(|one| one.get("details")));
    let codes = details.filter_map(|detail| detail.get("code")?.as_str());
    let evidence = root.get("evidenceCompleteness");
    let blocker = evidence.and_then(|one| one.get("blockerCategory"));
    let mut steps: Vec<(f64, JsString, String)> = Vec::new();
    for step in list(root.get("steps")) {
        let members = step.as_object().into_iter().flatten();
        let plain = Json::object(members.filter(|(key, _)| *key != "releaseCritical"));
        let tool = step.get("toolId").and_then(Node::as_js);
        let seq = step.get("seq").and_then(Node::as_f64);
        steps.push((
            seq.unwrap_or(0.0),
            tool.map(JsStr::to_owned).unwrap_or_default(),
            canonical::of_node(plain.root()),
        ));
    }
    steps.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let steps: Vec<String> = steps.into_iter().map(|(_, _, text)| text).collect();
    format!(
        "{{\"checkpointVerdicts\":[],\"evidenceGapPrimary\":{},\"reasonCodes\":{},\"runKind\":{},\"schemaVersion\":2,\"stateRelation\":{},\"steps\":[{}],\"workflowId\":{}}}",
        blocker.map(canonical::of_node).unwrap_or_default(),
        serde_json::to_string(&unique(codes)).unwrap_or_default(),
        text("runKind"),
        text("stateRelation"),
        steps.join(","),
        text("workflowId")
    )
}

fn list(node: Option<Node<'_>>) -> impl Iterator<Item = Node<'_>> {
    node.and_then(Node::as_array).into_iter().flatten()
}
