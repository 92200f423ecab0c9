//! `compare certificates`: how the posture moved between two runs.

use std::path::Path;

use crosscheck_core::advice::with_causes;
use crosscheck_core::canonical;
use crosscheck_core::digest::Digest;
use crosscheck_core::files::read_limited;
use crosscheck_core::json::Json;
use serde_json::{Value, json};

use super::error::ContractError;
use super::reasons::ContractFailure;
use super::schema::{Schema, document};

/// The largest certificate that is compared.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// What was compared.
#[derive(Debug)]
pub struct Comparison {
    /// The document.
    pub document: Value,
    /// `improved`, `weakened`, `unchanged`, `less_determinate` or `drifted`.
    pub movement: &'static str,
    /// A few lines for people.
    pub text: String,
}

/// A certificate, as far as it is compared.
struct Face {
    whole: Value,
    sha256: String,
}

impl Face {
    fn load(path: &Path) -> Result<Self, ContractError> {
        let fail = |failure, why: String| {
            Err(ContractError::new(
                failure,
                format!("`{}`: {why}", path.display()),
            ))
        };
        let bytes = match read_limited(path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                return fail(ContractFailure::CompareInputReadFailed, with_causes(&error));
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let json = match Json::parse(text.trim_start_matches('\u{feff}')) {
            Ok(json) => json,
            Err(error) => return fail(ContractFailure::CompareInputJsonSyntax, error.to_string()),
        };
        let canonical = canonical::of_node(json.root());
        let whole = match document(canonical.as_bytes()) {
            Ok((_, whole)) => whole,
            Err(why) => return fail(ContractFailure::CompareInputSchemaInvalid, why),
        };
        if let Some(first) = Schema::Certificate.violations(&whole).first() {
            return fail(
                ContractFailure::CompareInputSchemaInvalid,
                format!(
                    "not an outcome certificate version 3, at {}: {}",
                    first.path, first.message
                ),
            );
        }
        Ok(Self {
            sha256: Digest::of(&canonical).hex(),
            whole,
        })
    }

    fn text(&self, key: &str) -> &str {
        self.whole
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    fn evidence(&self) -> Value {
        let evidence = self
            .whole
            .get("evidenceCompleteness")
            .cloned()
            .unwrap_or_default();
        let label = evidence
            .pointer("/witnessCoverage/supportLabel")
            .cloned()
            .unwrap_or(Value::Null);
        json!({ "blockerCategory": evidence.get("blockerCategory"), "supportLabel": label })
    }

    fn wire(&self) -> Value {
        json!({
            "certificateSha256": self.sha256, "runKind": self.text("runKind"),
            "stateRelation": self.text("stateRelation"),
            "releaseCriticalVerdict": self.text("releaseCriticalVerdict"),
            "highStakesReliance": self.text("highStakesReliance"),
        })
    }

    fn determinacy(&self) -> (&'static str, u8) {
        match self.text("stateRelation") {
            "matches_expectations" => ("established_positive", 2),
            "does_not_match" => ("established_negative", 1),
            _ => ("not_established", 0),
        }
    }
}

/// Compares two certificates of one workflow.
pub fn certificates(
    before: &Path,
    after: &Path,
    with_steps: bool,
) -> Result<Comparison, ContractError> {
    let (prior, current) = (Face::load(before)?, Face::load(after)?);
    let workflow = prior.text("workflowId");
    if workflow != current.text("workflowId") {
        return Err(ContractError::new(
            ContractFailure::CompareWorkflowIdMismatch,
            format!(
                "the certificates belong to `{workflow}` and `{}`",
                current.text("workflowId")
            ),
        ));
    }
    let movement = movement(&prior, &current);
    let pair = |key: &str| json!({ "prior": prior.text(key), "current": current.text(key), "changed": prior.text(key) != current.text(key) });
    let (from, to) = (prior.determinacy(), current.determinacy());
    let (headline, next_action) = words(movement);
    let mut document = json!({
        "$schema": "https://crosscheck.dev/schemas/verification-diff-certificate-v1.schema.json",
        "schemaVersion": 1,
        "comparisonKind": "outcome_certificate_v3_semantic",
        "workflowId": workflow,
        "prior": prior.wire(),
        "current": current.wire(),
        "stateRelation": pair("stateRelation"),
        "releaseCriticalVerdict": pair("releaseCriticalVerdict"),
        "highStakesReliance": pair("highStakesReliance"),
        "runKind": pair("runKind"),
        "evidenceCompletenessProjection": { "prior": prior.evidence(), "current": current.evidence() },
        "completenessChanged": prior.evidence() != current.evidence(),
        "determinacy": { "priorClass": from.0, "currentClass": to.0, "priorRank": from.1, "currentRank": to.1 },
        "lessDeterminate": from.1 > 0 && to.1 == 0,
        "postureMovement": movement,
        "headline": headline,
        "recommendedNextAction": next_action,
        "limits": { "certificateOnly": true, "noEvents": true, "noStepStructuralDiff": true },
        "nextStepHint": { "command": "crosscheck enforce", "docAnchor": "docs/enforce.md" },
    });
    if let (true, Some(map)) = (with_steps, document.as_object_mut()) {
        map.insert(
            "steps".to_owned(),
            super::enforce::drift::steps(&prior.whole, &current.whole),
        );
        map.insert(
            "limits".to_owned(),
            json!({ "certificateOnly": true, "noEvents": true, "noStepStructuralDiff": false }),
        );
    }
    let text = format!(
        "compare: {movement}\nstate_relation: {} -> {}\nrelease_critical_verdict: {} -> {}\n{headline}\n",
        prior.text("stateRelation"),
        current.text("stateRelation"),
        prior.text("releaseCriticalVerdict"),
        current.text("releaseCriticalVerdict")
    );
    Ok(Comparison {
        document,
        movement,
        text,
    })
}

/// The members whose change moves the posture, and how good their words are.
const RANKS: [(&str, &[&str]); 3] = [
    (
        "stateRelation",
        &["not_established", "does_not_match", "matches_expectations"],
    ),
    (
        "releaseCriticalVerdict",
        &["not_trusted", "unknown", "trusted"],
    ),
    ("highStakesReliance", &["prohibited", "permitted"]),
];

/// The first rule that fits.
fn movement(prior: &Face, current: &Face) -> &'static str {
    let is_same_kind = prior.text("runKind") == current.text("runKind");
    let is_same_evidence = prior.evidence() == current.evidence();
    for (member, words) in RANKS {
        let rank = |face: &Face| words.iter().position(|word| *word == face.text(member));
        match (rank(prior), rank(current)) {
            (before, after) if before == after => {}
            // what was established is open again
            (_, Some(0)) if member == "stateRelation" => return "less_determinate",
            // from open to refuted is no step forward
            (Some(0), Some(1)) if member == "stateRelation" => return "weakened",
            (before, after) if after > before => return "improved",
            _ => return "weakened",
        }
    }
    if is_same_kind == is_same_evidence {
        "unchanged"
    } else {
        "drifted"
    }
}

/// What a movement means, and what to do about it.
fn words(movement: &str) -> (&'static str, &'static str) {
    const LOOK: &str = "Look at the failing steps of the later certificate before relying on it.";
    const NOTHING: &str = "Nothing has to be done.";
    match movement {
        "improved" => ("The later run is better than the earlier one.", NOTHING),
        "weakened" => ("The later run is worse than the earlier one.", LOOK),
        "less_determinate" => {
            let headline = "The later run no longer establishes what the earlier one did.";
            (headline, LOOK)
        }
        "drifted" => (
            "The runs are equally good, but on different evidence.",
            "Find out why the evidence changed.",
        ),
        _ => ("Both runs are equally good.", NOTHING),
    }
}
