//! The decision bundle: certificate, material truth, and what people added.

use std::path::Path;

use crosscheck_core::advice::with_causes;
use crosscheck_core::canonical;
use crosscheck_core::files::read_limited;
use crosscheck_core::json::Json;
use serde_json::{Value, json};

use super::sign::Signer;
use super::staged::Staged;
use super::{Maker, timestamp};
use crate::check::error::ContractError;
use crate::check::plan::narrative::STRINGIFY;
use crate::check::report::Report;
use crate::check::schema::Schema;

const MAX_BYTES: u64 = 1024 * 1024;

/// What goes into a decision bundle beside the run itself.
#[derive(Debug, Default)]
pub struct Decision {
    attestation: Option<String>,
    next_action: Option<String>,
    /// Whether the human report is kept out.
    pub without_human_report: bool,
}

impl Decision {
    /// Reads and checks the files people added.
    pub fn load(
        attestation: Option<&Path>,
        next_action: Option<&Path>,
    ) -> Result<Self, ContractError> {
        let read = |flag: &str,
                    path: Option<&Path>,
                    schema: Schema|
         -> Result<Option<String>, ContractError> {
            let Some(path) = path else { return Ok(None) };
            let fail =
                |why: String| ContractError::usage(format!("{flag} `{}`: {why}", path.display()));
            let bytes = read_limited(path, MAX_BYTES).map_err(|error| fail(with_causes(&error)))?;
            let value: Value = serde_json::from_slice(&bytes)
                .map_err(|error| fail(format!("not JSON: {error}")))?;
            match schema.violations(&value).first() {
                Some(first) => Err(fail(format!("at {}: {}", first.path, first.message))),
                None => compact(&bytes).map(Some).map_err(fail),
            }
        };
        Ok(Self {
            attestation: read("--decision-attestation", attestation, Schema::Attestation)?,
            next_action: read("--decision-next-action", next_action, Schema::NextAction)?,
            without_human_report: false,
        })
    }
}

/// The given JSON without blanks, its keys in the order of the file.
pub(super) fn compact(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    Ok(canonical::text(json.root(), &STRINGIFY))
}

/// `complete` or `partial`, and the artifacts behind it.
pub(super) fn completeness(matches: bool, attested: bool, answered: bool) -> Value {
    let status = if !matches && !answered {
        "partial"
    } else {
        "complete"
    };
    json!({
        "status": status,
        "artifacts": { "a4Present": attested, "a5Present": answered, "a5Required": !matches },
    })
}

/// The file that keeps an exit code.
pub(super) fn exit_of_bundle(code: u8) -> String {
    format!(
        "{{\"schemaVersion\":1,\"exitCode\":{code},\"cliConvention\":\"outcome_certificate_v2\"}}\n"
    )
}

/// The exit code a relation stands for.
pub(super) fn exit_of(relation: &str) -> u8 {
    match relation {
        "matches_expectations" => 0,
        "does_not_match" => 1,
        _ => 2,
    }
}

/// Every file that such a bundle may have, besides its list.
pub(super) const NAMES: [&str; 8] = [
    "attestation.json",
    "exit.json",
    "human-layer.json",
    "manifest.json",
    "manifest.sig.json",
    "material-truth.json",
    "next-action.json",
    "outcome-certificate.json",
];

/// Writes the bundle beside its folder.
pub fn stage(
    folder: &Path,
    report: &Report,
    decision: &Decision,
    signer: Option<&Signer>,
    maker: Maker<'_>,
    run_id: &str,
) -> Result<Staged, ContractError> {
    let mut staged = Staged::new(folder, &NAMES, maker)?;
    let certificate = staged.write("outcome-certificate.json", |out| {
        report.write_certificate(out)
    })?;
    let truth = staged.write("material-truth.json", |out| {
        report.write_material_truth(out)
    })?;
    let exit = exit_of_bundle(exit_of(report.relation()));
    let human = if decision.without_human_report {
        "{\"schemaVersion\":1,\"kind\":\"suppressed\",\"reason\":\"no_human_report\"}\n".to_owned()
    } else {
        let text = canonical::quoted(report.human().into());
        format!("{{\"schemaVersion\":1,\"kind\":\"report\",\"text\":{text}}}\n")
    };
    let mut texts = vec![("exit.json", exit), ("human-layer.json", human)];
    for (name, value) in [
        ("attestation.json", &decision.attestation),
        ("next-action.json", &decision.next_action),
    ] {
        if let Some(value) = value {
            texts.push((name, format!("{value}\n")));
        }
    }
    let manifest = json!({
        "schemaVersion": 2,
        "bundleKind": "decision_evidence",
        "producer": { "name": "crosscheck", "version": maker.version },
        "createdAt": timestamp(maker.clock),
        "workflowId": report.head.workflow_id,
        "runId": run_id,
        "certificate": { "relativePath": "outcome-certificate.json", "sha256": certificate.0.hex() },
        "materialTruth": { "relativePath": "material-truth.json", "schemaVersion": 2, "sha256": truth.0.hex() },
        "completeness": completeness(
            report.relation() == "matches_expectations",
            decision.attestation.is_some(),
            decision.next_action.is_some(),
        ),
    });
    let manifest = canonical::of(&manifest)
        .map_err(|error| ContractError::internal(error.to_string()))?
        + "\n";
    if let Some(signer) = signer {
        texts.push(("manifest.sig.json", signer.sidecar(manifest.as_bytes())));
    }
    texts.push(("manifest.json", manifest));
    for (name, text) in texts {
        staged.write_text(name, &text)?;
    }
    staged.finish(signer)
}
