//! What must always hold, in a form that machines can enforce.
//!
//! Contract: check 10.

use serde_json::{Value, json};

use super::analysis::Analysis;
use super::resolved;
use super::{Driver, Head};
use crate::certificate::{self, Doc};

/// The kind of projection an analysis leads to.
pub(super) fn kind(analysis: &Analysis) -> &'static str {
    match analysis.evidence.first().map(|first| first.scope) {
        Some("run_level") => "run_ingest_integrity",
        Some("event_sequence") => "event_capture_integrity",
        Some("run_context") => "run_context_fairness",
        _ => "step_registry_expectation",
    }
}

/// `correctnessDefinition`
pub(crate) fn definition(head: &Head, analysis: &Analysis, driver: Option<&Driver>) -> Doc {
    let kind = kind(analysis);
    let (mut rule, holds) = rule(kind, analysis, driver);
    let policy = head.policy.fragment();
    resolved::set(&mut rule, "projectionKind", json!(kind));
    resolved::set(&mut rule, "workflowId", json!(head.workflow_id));
    resolved::set(&mut rule, "verificationPolicyFragment", json!(policy));
    certificate::definition(
        kind,
        &holds.into(),
        &[
            "Run `crosscheck check` with the same registry and events before the result is used.",
            "Let `crosscheck enforce` compare every run with an accepted baseline.",
        ],
        rule,
        (
            analysis.failure.recommended_action,
            analysis.failure.automation_safe,
        ),
    )
}

/// The rule for machines, and the sentence for people.
fn rule(kind: &str, analysis: &Analysis, driver: Option<&Driver>) -> (Value, String) {
    let first = analysis.evidence.first().cloned().unwrap_or_default();
    let codes = first.codes;
    let (rule, holds) = match kind {
        "run_ingest_integrity" => (
            json!({ "primaryFailureCodes": codes, "ingestContractRequirement": "no_run_level_failures" }),
            "The events file of this workflow is readable as a whole and holds its tool observations.",
        ),
        "event_capture_integrity" => (
            json!({ "forbiddenEventSequenceCodes": codes }),
            "The events of this workflow are captured in the order of their seq.",
        ),
        "run_context_fairness" => (
            json!({
                "ingestIndex": first.ingest.unwrap_or(0), "primaryRunContextCodes": codes,
                "requiredUpstreamContract": upstream(codes.first().copied().unwrap_or_default()),
            }),
            "Nothing before the failing step ends abnormally or is skipped.",
        ),
        _ => {
            let request = driver.and_then(|driver| driver.request.as_ref());
            let expected = driver.map(|driver| driver.expected.to_string());
            let tool = first.tool_id.map(|tool| tool.to_string());
            let rule = json!({
                "seq": first.seq.unwrap_or(0), "toolId": tool.unwrap_or_default(),
                "verificationRequest": request.map(resolved::request),
            });
            let expected = expected.unwrap_or_default();
            let holds = format!("After this step the database must show: {expected}");
            return (rule, super::line(&holds));
        }
    };
    (rule, holds.to_owned())
}

fn upstream(code: &str) -> &'static str {
    match code {
        "RETRIEVAL_ERROR" => "retrieval_ok_before_observation",
        "CONTROL_INTERRUPT" => "no_interrupt_before_observation",
        "CONTROL_BRANCH_SKIPPED" => "branch_not_skipped_before_observation",
        "CONTROL_GATE_SKIPPED" => "gate_not_skipped_before_observation",
        "TOOL_SKIPPED" => "tool_not_skipped_before_observation",
        _ => "model_turn_completed_before_observation",
    }
}
