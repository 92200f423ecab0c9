//! What is notable about the path of the run. Never changes a verdict.
//!
//! Contract: check 10.

use crosscheck_core::JsString;
use serde_json::{Value, json};

use super::Judged;
use crate::check::read::Log;
use crate::check::reasons::ContractReason;

/// The most findings about single steps that are kept.
const STEP_FINDINGS: usize = 10_000;

/// One notable thing.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) reason: ContractReason,
    pub(crate) severity: &'static str,
    pub(crate) concern: &'static str,
    pub(crate) scope: &'static str,
    pub(crate) ingest: Option<usize>,
    pub(crate) seq: Option<u64>,
    pub(crate) tool_id: Option<JsString>,
}

/// Findings about single steps, in step order.
#[derive(Default)]
pub(crate) struct StepFindings(Vec<Finding>);

impl StepFindings {
    pub(crate) fn push(&mut self, step: &Judged) {
        let diverges = step.outcome.code() == Some(ContractReason::RetryObservationsDiverge.code());
        let unresolved = step.request.is_none() && !diverges;
        let noted = [
            (
                unresolved,
                ContractReason::ActionInputResolutionFailed,
                "high",
                "action_inputs_invalid",
            ),
            (
                diverges,
                ContractReason::RetryObservationsDiverge,
                "medium",
                "tool_selection_execution",
            ),
            (
                step.repeats > 1,
                ContractReason::LogicalStepRetries,
                "low",
                "tool_selection_execution",
            ),
        ];
        for (applies, reason, severity, concern) in noted {
            if applies && self.0.len() < STEP_FINDINGS {
                self.0.push(Finding {
                    reason,
                    severity,
                    concern,
                    scope: "step",
                    ingest: None,
                    seq: Some(step.seq),
                    tool_id: Some(JsString::clone(&step.tool_id)),
                });
            }
        }
    }
}

/// All findings in the order of the contract.
#[expect(
    clippy::too_many_lines,
    reason = "one rule after the other, in contract order"
)]
pub(crate) fn all(log: &Log, run_level: bool, steps: StepFindings) -> Vec<Finding> {
    let context = &log.context;
    let mut found = Vec::new();
    let mut add = |reason, severity, concern, scope, ingest| {
        found.push(Finding {
            reason,
            severity,
            concern,
            scope,
            ingest,
            seq: None,
            tool_id: None,
        });
    };
    if run_level {
        add(
            ContractReason::RunLevelIngestIssues,
            "high",
            "capture_integrity",
            "run_level",
            None,
        );
    }
    if !log.sequence.is_empty() {
        add(
            ContractReason::EventSequenceIrregular,
            "medium",
            "capture_integrity",
            "event_sequence",
            None,
        );
    }
    for one in &context.retrievals {
        let (reason, severity) = match (one.status, one.hits) {
            ("empty", _) => (ContractReason::RetrievalEmpty, "high"),
            ("error", _) => (ContractReason::RetrievalError, "high"),
            (_, Some(hits)) if hits < 1.0 => (ContractReason::RetrievalThinHits, "medium"),
            _ => continue,
        };
        add(
            reason,
            severity,
            "context_quality",
            "run_context",
            Some(one.ingest),
        );
    }
    let structured = context.max_version >= 2 && context.first_tool.is_some();
    if structured && context.retrievals.is_empty() {
        add(
            ContractReason::NoRetrievalEvents,
            "low",
            "context_quality",
            "run_context",
            None,
        );
    }
    for one in context.turns.iter().filter(|one| one.status != "completed") {
        add(
            ContractReason::ModelTurnAbnormal,
            "high",
            "decision_execution",
            "run_context",
            Some(one.ingest),
        );
    }
    for one in &context.controls {
        let (reason, severity) = match one.kind {
            "interrupt" => (ContractReason::ControlInterrupt, "high"),
            _ if one.is_skipped() => (ContractReason::BranchOrGateSkipped, "medium"),
            _ => continue,
        };
        add(
            reason,
            severity,
            "decision_execution",
            "run_context",
            Some(one.ingest),
        );
    }
    for one in &context.skips {
        add(
            ContractReason::ToolSkipped,
            "medium",
            "tool_selection_execution",
            "run_context",
            Some(one.ingest),
        );
    }
    found.extend(steps.0);
    let mut add = |reason, severity, concern, ingest| {
        found.push(Finding {
            reason,
            severity,
            concern,
            scope: "run_context",
            ingest,
            seq: None,
            tool_id: None,
        });
    };
    if structured && !context.run_completed() {
        add(
            ContractReason::MissingRunCompleted,
            "medium",
            "workflow_completeness",
            None,
        );
    }
    if let Some((ingest, "model_turn", Some(status))) = context.last
        && status != "completed"
    {
        add(
            ContractReason::LastEventModelAbnormal,
            "high",
            "workflow_completeness",
            Some(ingest),
        );
    }
    found
}

impl Finding {
    pub(crate) fn wire(&self) -> Value {
        let mut evidence = json!({ "scope": self.scope, "codes": [self.reason.code()] });
        if let Some(map) = evidence.as_object_mut() {
            if let Some(ingest) = self.ingest {
                map.insert("ingestIndex".to_owned(), json!(ingest));
            }
            if let Some(seq) = self.seq {
                map.insert("seq".to_owned(), json!(seq));
            }
            if let Some(tool) = &self.tool_id {
                map.insert("toolId".to_owned(), json!(tool.to_string()));
            }
        }
        json!({
            "code": self.reason.code(), "severity": self.severity, "concernCategory": self.concern,
            "message": self.reason.reason().meaning, "evidence": evidence,
        })
    }
}

/// One sentence about all of them.
pub(crate) fn summary(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "nothing notable on the path of this run".to_owned();
    }
    let high = findings.iter().filter(|one| one.severity == "high").count();
    format!(
        "{} notable things on the path of this run, {high} of them of high severity",
        findings.len()
    )
}
