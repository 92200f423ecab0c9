//! What must always hold, in a form that machines can enforce.

use serde_json::{Value, json};

use super::analysis::Analysis;
use super::{Driver, Head};
use crate::check::plan::show;
use crate::wire::certificate_v3::ProjectionKind;

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
pub(crate) fn definition(head: &Head, analysis: &Analysis, driver: Option<&Driver>) -> Value {
    let kind = kind(analysis);
    let first = analysis.evidence.first().cloned().unwrap_or_default();
    let mut projection = json!({
        "projectionKind": kind,
        "workflowId": head.workflow_id,
        "verificationPolicyFragment": head.policy.fragment(),
    });
    let mut set = |key: &str, value: Value| {
        if let Some(map) = projection.as_object_mut() {
            map.insert(key.to_owned(), value);
        }
    };
    let holds = match kind {
        ProjectionKind::RunIngestIntegrity => {
            set("primaryFailureCodes", json!(first.codes));
            set("ingestContractRequirement", json!("no_run_level_failures"));
            "The events file of this workflow is readable as a whole and holds its tool observations.".to_owned()
        }
        ProjectionKind::EventCaptureIntegrity => {
            set("forbiddenEventSequenceCodes", json!(first.codes));
            "The events of this workflow are captured in the order of their seq.".to_owned()
        }
        ProjectionKind::RunContextFairness => {
            set("ingestIndex", json!(first.ingest.unwrap_or(0)));
            set(
                "requiredUpstreamContract",
                json!(upstream(first.codes.first().copied().unwrap_or_default())),
            );
            set("primaryRunContextCodes", json!(first.codes));
            "Nothing before the failing step ends abnormally or is skipped.".to_owned()
        }
        _ => {
            set("seq", json!(first.seq.unwrap_or(0)));
            set(
                "toolId",
                json!(
                    first
                        .tool_id
                        .map(|tool| tool.to_string())
                        .unwrap_or_default()
                ),
            );
            let request = driver.and_then(|driver| driver.request.as_ref());
            set(
                "verificationRequest",
                request.map_or(Value::Null, show::wire),
            );
            let expected = driver
                .map(|driver| driver.expected.to_string())
                .unwrap_or_default();
            super::line(&format!(
                "After this step the database must show: {expected}"
            ))
        }
    };
    json!({
        "schemaVersion": 1,
        "enforcementKind": kind,
        "mustAlwaysHold": holds,
        "enforceAs": [
            "Run `crosscheck check` with the same registry and events before the result is used.",
            "Let `crosscheck enforce` compare every run with an accepted baseline.",
        ],
        "enforceableProjection": projection,
        "remediationAlignment": {
            "recommendedAction": analysis.failure.recommended_action,
            "automationSafe": analysis.failure.automation_safe,
        },
    })
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
