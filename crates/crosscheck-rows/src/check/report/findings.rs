//! What is notable about the path of the run. Never changes a verdict.
//!
//! Contract: check 10.

use crosscheck_core::JsString;
use serde_json::Value;

use super::Judged;
use crate::certificate::{Doc, object};
use crate::check::read::{Log, Noted};
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
            (unresolved, ContractReason::ActionInputResolutionFailed),
            (diverges, ContractReason::RetryObservationsDiverge),
            (step.repeats > 1, ContractReason::LogicalStepRetries),
        ];
        for (applies, reason) in noted {
            if applies && self.0.len() < STEP_FINDINGS {
                self.0.push(Finding {
                    scope: "step",
                    seq: Some(step.seq),
                    tool_id: Some(JsString::clone(&step.tool_id)),
                    ..Finding::new(reason, None)
                });
            }
        }
    }
}

/// How severe a finding is, and what it is about.
const fn concern(reason: ContractReason) -> (&'static str, &'static str) {
    use ContractReason as R;
    match reason {
        R::RunLevelIngestIssues => ("high", "capture_integrity"),
        R::EventSequenceIrregular => ("medium", "capture_integrity"),
        R::RetrievalEmpty | R::RetrievalError => ("high", "context_quality"),
        R::RetrievalThinHits => ("medium", "context_quality"),
        R::NoRetrievalEvents => ("low", "context_quality"),
        R::ModelTurnAbnormal | R::ControlInterrupt => ("high", "decision_execution"),
        R::BranchOrGateSkipped => ("medium", "decision_execution"),
        R::ToolSkipped | R::RetryObservationsDiverge => ("medium", "tool_selection_execution"),
        R::LogicalStepRetries => ("low", "tool_selection_execution"),
        R::MissingRunCompleted => ("medium", "workflow_completeness"),
        R::LastEventModelAbnormal => ("high", "workflow_completeness"),
        _ => ("high", "action_inputs_invalid"),
    }
}

/// All findings in the order of the contract.
pub(crate) fn all(log: &Log, run_level: bool, steps: StepFindings) -> Vec<Finding> {
    let context = &log.context;
    let mut found = Vec::new();
    for (applies, reason, scope) in [
        (run_level, ContractReason::RunLevelIngestIssues, "run_level"),
        (
            !log.sequence.is_empty(),
            ContractReason::EventSequenceIrregular,
            "event_sequence",
        ),
    ] {
        let finding = Finding::new(reason, None);
        found.extend(applies.then_some(Finding { scope, ..finding }));
    }
    let mut add = |reason, ingest| found.push(Finding::new(reason, ingest));
    let structured = context.max_version >= 2 && context.first_tool.is_some();
    for kind in ["retrieval", "model_turn", "control", "tool_skipped"] {
        let mut noted = context.noted.iter().filter(|one| one.is(kind)).peekable();
        if kind == "retrieval" && structured && noted.peek().is_none() {
            add(ContractReason::NoRetrievalEvents, None);
        }
        for one in noted {
            if let Some(reason) = noticed(one) {
                add(reason, Some(one.ingest));
            }
        }
    }
    found.extend(steps.0);
    if structured && !context.run_completed() {
        found.push(Finding::new(ContractReason::MissingRunCompleted, None));
    }
    if let Some(last) = context.last_noted().filter(|one| one.is_abnormal_turn()) {
        let reason = ContractReason::LastEventModelAbnormal;
        found.push(Finding::new(reason, Some(last.ingest)));
    }
    found
}

/// What is notable about an event of the run.
fn noticed(one: &Noted) -> Option<ContractReason> {
    use ContractReason as R;
    let hits = one.get("hitCount").and_then(Value::as_f64);
    Some(match (one.text("type"), one.text("status")) {
        ("retrieval", "empty") => R::RetrievalEmpty,
        ("retrieval", "error") => R::RetrievalError,
        ("retrieval", _) if hits.is_some_and(|hits| hits < 1.0) => R::RetrievalThinHits,
        ("model_turn", _) if one.is_abnormal_turn() => R::ModelTurnAbnormal,
        ("control", _) if one.text("controlKind") == "interrupt" => R::ControlInterrupt,
        ("control", _) if one.is_skipped_path() => R::BranchOrGateSkipped,
        ("tool_skipped", _) => R::ToolSkipped,
        _ => return None,
    })
}

impl Finding {
    fn new(reason: ContractReason, ingest: Option<usize>) -> Self {
        let (severity, concern) = concern(reason);
        Self {
            reason,
            severity,
            concern,
            scope: "run_context",
            ingest,
            seq: None,
            tool_id: None,
        }
    }

    pub(crate) fn wire(&self) -> Doc {
        let code = self.reason.code();
        let evidence = object! {
            "scope": self.scope, "codes": [code], "ingestIndex": self.ingest, "seq": self.seq,
            "toolId": self.tool_id.as_ref().map(ToString::to_string),
        };
        object! {
            "code": code, "severity": self.severity, "concernCategory": self.concern,
            "message": self.reason.reason().meaning, "evidence": evidence,
        }
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
