//! What must always hold, in a form that machines can enforce.
//!
//! Contract: check 10.

use super::analysis::Analysis;
use super::resolved;
use super::{Driver, Head};
use crate::wire::certificate_v3::{
    CorrectnessDefinition, EnforceableProjection, ProjectionKind, RemediationAlignment,
};
use crate::wire::contract::{ContractProjection, ContractRule};

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
    let (rule, holds) = rule(kind, analysis, driver);
    CorrectnessDefinition {
        schema_version: 1,
        enforcement_kind: kind,
        must_always_hold: holds.into(),
        enforce_as: [
            "Run `crosscheck check` with the same registry and events before the result is used."
                .to_owned(),
            "Let `crosscheck enforce` compare every run with an accepted baseline.".to_owned(),
        ],
        enforceable_projection: EnforceableProjection::Contract(ContractProjection {
            workflow_id: head.workflow_id.clone(),
            verification_policy_fragment: head.policy.fragment(),
            rule,
        }),
        remediation_alignment: RemediationAlignment {
            recommended_action: analysis.failure.recommended_action,
            automation_safe: analysis.failure.automation_safe,
        },
    }
}

/// The rule for machines, and the sentence for people.
fn rule(
    kind: ProjectionKind,
    analysis: &Analysis,
    driver: Option<&Driver>,
) -> (ContractRule, String) {
    let first = analysis.evidence.first().cloned().unwrap_or_default();
    match kind {
        ProjectionKind::RunIngestIntegrity => (
            ContractRule::RunIngestIntegrity {
                primary_failure_codes: first.codes,
                ingest_contract_requirement: "no_run_level_failures",
            },
            "The events file of this workflow is readable as a whole and holds its tool observations.".to_owned(),
        ),
        ProjectionKind::EventCaptureIntegrity => (
            ContractRule::EventCaptureIntegrity {
                forbidden_event_sequence_codes: first.codes,
            },
            "The events of this workflow are captured in the order of their seq.".to_owned(),
        ),
        ProjectionKind::RunContextFairness => (
            ContractRule::RunContextFairness {
                ingest_index: first.ingest.unwrap_or(0),
                required_upstream_contract: upstream(first.codes.first().copied().unwrap_or_default()),
                primary_run_context_codes: first.codes,
            },
            "Nothing before the failing step ends abnormally or is skipped.".to_owned(),
        ),
        _ => {
            let request = driver.and_then(|driver| driver.request.as_ref());
            let expected = driver
                .map(|driver| driver.expected.to_string())
                .unwrap_or_default();
            let rule = ContractRule::StepRegistryExpectation {
                seq: first.seq.unwrap_or(0),
                tool_id: first.tool_id.map(|tool| tool.to_string()).unwrap_or_default(),
                verification_request: request.map(resolved::request),
            };
            let holds = super::line(&format!("After this step the database must show: {expected}"));
            (rule, holds)
        }
    }
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
