//! What must always hold, in a form that machines can enforce.
//!
//! Contract: check 10.

use serde_json::{Value, json};

use super::analysis::Analysis;
use super::resolved;
use super::{Driver, Head};
use crate::wire::certificate_v3::{
    CorrectnessDefinition, EnforceableProjection, ProjectionKind, RemediationAlignment,
};

/// The kind of projection an analysis leads to.
pub(super) fn kind(analysis: &Analysis) -> ProjectionKind {
    match analysis.evidence.first().map(|first| first.scope) {
        Some("run_level") => ProjectionKind::RunIngestIntegrity,
        Some("event_sequence") => ProjectionKind::EventCaptureIntegrity,
        Some("run_context") => ProjectionKind::RunContextFairness,
        _ => ProjectionKind::StepRegistryExpectation,
    }
}

/// `correctnessDefinition`
pub(crate) fn definition(
    head: &Head,
    analysis: &Analysis,
    driver: Option<&Driver>,
) -> CorrectnessDefinition<EnforceableProjection> {
    let kind = kind(analysis);
    let (mut rule, holds) = rule(kind, analysis, driver);
    let policy = head.policy.fragment();
    resolved::set(&mut rule, "projectionKind", json!(kind));
    resolved::set(&mut rule, "workflowId", json!(head.workflow_id));
    resolved::set(&mut rule, "verificationPolicyFragment", json!(policy));
    CorrectnessDefinition {
        schema_version: 1,
        enforcement_kind: kind,
        must_always_hold: holds.into(),
        enforce_as: [
            "Run `crosscheck check` with the same registry and events before the result is used."
                .to_owned(),
            "Let `crosscheck enforce` compare every run with an accepted baseline.".to_owned(),
        ],
        enforceable_projection: EnforceableProjection::Contract(rule),
        remediation_alignment: RemediationAlignment {
            recommended_action: analysis.failure.recommended_action,
            automation_safe: analysis.failure.automation_safe,
        },
    }
}

/// The rule for machines, and the sentence for people.
fn rule(kind: ProjectionKind, analysis: &Analysis, driver: Option<&Driver>) -> (Value, String) {
    let first = analysis.evidence.first().cloned().unwrap_or_default();
    let codes = first.codes;
    let (rule, holds) = match kind {
        ProjectionKind::RunIngestIntegrity => (
            json!({ "primaryFailureCodes": codes, "ingestContractRequirement": "no_run_level_failures" }),
            "The events file of this workflow is readable as a whole and holds its tool observations.",
        ),
        ProjectionKind::EventCaptureIntegrity => (
            json!({ "forbiddenEventSequenceCodes": codes }),
            "The events of this workflow are captured in the order of their seq.",
        ),
        ProjectionKind::RunContextFairness => (
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
