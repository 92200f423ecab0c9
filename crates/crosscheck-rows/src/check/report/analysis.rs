//! Why a run is not complete: the one failure to look at first, where it
//! comes from, and what to do about it.
//!
//! Contract: check 10.

use crosscheck_core::JsString;
use serde_json::Value;

use super::Driver;
use crate::certificate::{Action, Doc, Failure, object};
use crate::check::judge::StepStatus;
use crate::check::plan::order;
use crate::check::read::{Noted, RunContext};
use crate::check::reasons::ContractReason;
use crate::reasons::RowReason;

/// What a code says about its failure: where it comes from, what kind it is,
/// and what to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) Action,
);

/// One thing the analysis points to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evidence {
    pub(crate) scope: &'static str,
    pub(crate) codes: Vec<&'static str>,
    pub(crate) ingest: Option<usize>,
    pub(crate) seq: Option<u64>,
    pub(crate) tool_id: Option<JsString>,
    pub(crate) effect_id: Option<JsString>,
    pub(crate) source: Option<JsString>,
    pub(crate) run_event_id: Option<JsString>,
}

/// The analysis of a run that is not complete.
#[derive(Debug, Clone)]
pub(crate) struct Analysis {
    pub(crate) summary: String,
    pub(crate) origin: &'static str,
    pub(crate) confidence: &'static str,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) alternatives: &'static [(&'static str, &'static str)],
    pub(crate) failure: Failure,
}

/// The table of section 10.1: code, where its failure comes from, what kind it is, and what to do about it.
const CLASSES: &str = include_str!("classes.tsv");

pub(crate) fn class(code: &str) -> Class {
    let of_code = |line: &'static str| {
        let mut parts = line.split('\t');
        let is_own = parts.next() == Some(code);
        let class = is_own.then_some((parts.next()?, parts.next()?, parts.next()?));
        class.map(|(origin, kind, action)| Class(origin, kind, Action::named(action)))
    };
    let resolver = Class("inputs", "bad_input", Action::CorrectVerificationInputs);
    CLASSES.lines().find_map(of_code).unwrap_or(resolver)
}

/// What the analysis looks at.
pub(crate) struct AnalysisFacts<'a> {
    pub(crate) run_level: &'a [&'static str],
    pub(crate) sequence: &'a [ContractReason],
    pub(crate) context: &'a RunContext,
    pub(crate) driver: Option<&'a Driver>,
    pub(crate) first_failing_ingest: Option<usize>,
    pub(crate) any_failed: bool,
}

/// The analysis; the first of four scopes that applies.
pub(crate) fn analyse(facts: &AnalysisFacts<'_>) -> Analysis {
    let mut found = run_level(facts)
        .or_else(|| run_context(facts))
        .or_else(|| event_sequence(facts))
        .unwrap_or_else(|| step(facts));
    let severity = if facts.any_failed { "high" } else { "medium" };
    found.failure.severity = severity;
    if !found.alternatives.is_empty() {
        found.failure = Failure {
            category: "ambiguous",
            severity,
            recommended_action: Action::ManualReview,
            automation_safe: false,
        };
    }
    found
}

fn failure(category: &'static str, recommended_action: Action, automation_safe: bool) -> Failure {
    Failure {
        category,
        severity: "medium",
        recommended_action,
        automation_safe,
    }
}

fn run_level(facts: &AnalysisFacts<'_>) -> Option<Analysis> {
    let codes = order::unique(facts.run_level.iter().copied());
    let first = *codes.first()?;
    let (origin, category) = if first == ContractReason::MalformedEventLine.code() {
        ("inputs", "bad_input")
    } else {
        ("workflow_flow", "control_flow_problem")
    };
    Some(Analysis {
        summary: format!("The events file cannot be relied on: {}.", codes.join(", ")),
        origin,
        confidence: if codes.len() == 1 { "high" } else { "medium" },
        evidence: vec![Evidence {
            scope: "run_level",
            codes,
            ..Evidence::default()
        }],
        alternatives: &[],
        failure: failure(category, Action::FixEventIngestAndSteps, false),
    })
}

const MEANT_TO_SKIP: &[(&str, &str)] = &[(
    "workflow_flow",
    "the workflow may be built to skip this part",
)];

/// What an event before a failing step explains, and how soon it is looked at.
fn upstream(one: &Noted) -> Option<(usize, ContractReason)> {
    use ContractReason as R;
    Some(match one.text("type") {
        "retrieval" if one.text("status") == "error" => (0, R::RetrievalError),
        "model_turn" => match one.text("status") {
            "completed" => return None,
            "error" => (1, R::ModelTurnError),
            "aborted" => (1, R::ModelTurnAborted),
            _ => (1, R::ModelTurnIncomplete),
        },
        "control" if one.text("controlKind") == "interrupt" => (2, R::ControlInterrupt),
        "control" if one.is_skipped_path() => match one.text("controlKind") {
            "branch" => (3, R::ControlBranchSkipped),
            _ => (3, R::ControlGateSkipped),
        },
        "tool_skipped" => (4, R::ToolSkipped),
        _ => return None,
    })
}

/// Origin, confidence and category of each kind of [`upstream`] event.
const UPSTREAM: [(&str, &str, &str); 5] = [
    ("retrieval", "high", "retrieval_failure"),
    ("decision_making", "high", "decision_error"),
    ("decision_making", "high", "decision_error"),
    ("decision_making", "medium", "control_flow_problem"),
    ("tool_use", "medium", "control_flow_problem"),
];

/// What went wrong before the first failing step; the first kind that there is.
fn run_context(facts: &AnalysisFacts<'_>) -> Option<Analysis> {
    let before = facts.first_failing_ingest?;
    let noted = facts.context.noted.iter();
    let noted = noted.take_while(|one| one.ingest < before);
    let found: Vec<(usize, ContractReason, &Noted)> = noted
        .filter_map(|one| upstream(one).map(|(kind, reason)| (kind, reason, one)))
        .collect();
    let kind = found.iter().map(|(kind, ..)| *kind).min()?;
    // every failed retrieval counts, and the first of anything else
    let most = if kind == 0 { usize::MAX } else { 1 };
    let same = found.iter().filter(|(own, ..)| *own == kind).take(most);
    let text = |one: &Noted, member: &str| {
        let text = one.get(member).and_then(Value::as_str);
        text.map(JsString::from)
    };
    let evidence: Vec<Evidence> = same
        .map(|(_, reason, one)| Evidence {
            scope: "run_context",
            codes: vec![reason.code()],
            ingest: Some(one.ingest),
            run_event_id: (kind != 4).then(|| text(one, "runEventId")).flatten(),
            source: text(one, "source"),
            tool_id: text(one, "toolId"),
            ..Evidence::default()
        })
        .collect();
    let (origin, confidence, category) = UPSTREAM.get(kind).copied()?;
    let code = evidence.iter().flat_map(|one| &one.codes).next();
    Some(Analysis {
        summary: format!(
            "Something went wrong before the first failing step: {}.",
            code.copied().unwrap_or_default()
        ),
        origin,
        confidence,
        evidence,
        alternatives: if kind == 3 { MEANT_TO_SKIP } else { &[] },
        failure: failure(category, Action::FixRunContextControls, false),
    })
}

fn event_sequence(facts: &AnalysisFacts<'_>) -> Option<Analysis> {
    let codes = order::unique(facts.sequence.iter().map(|reason| reason.code()));
    if codes.is_empty() {
        return None;
    }
    Some(Analysis {
        summary: format!(
            "The events are in an irregular order: {}.",
            codes.join(", ")
        ),
        origin: "workflow_flow",
        confidence: "high",
        evidence: vec![Evidence {
            scope: "event_sequence",
            codes,
            ..Evidence::default()
        }],
        alternatives: &[],
        failure: failure("control_flow_problem", Action::FixEventSequenceOrder, false),
    })
}

/// Why a row may be absent or otherwise although the step was done.
const OPEN: &[(&str, &str)] = &[
    (
        "tool_use",
        "the tool may have failed, or said more than it did",
    ),
    (
        "inputs",
        "the registry or the logged parameters may name another row than the tool wrote",
    ),
];

fn step(facts: &AnalysisFacts<'_>) -> Analysis {
    let Some(driver) = facts.driver else {
        return Analysis {
            summary: "No step was checked.".to_owned(),
            origin: "workflow_flow",
            confidence: "high",
            evidence: vec![Evidence {
                scope: "run_level",
                ..Evidence::default()
            }],
            alternatives: &[],
            failure: failure(
                "control_flow_problem",
                Action::FixEventIngestAndSteps,
                false,
            ),
        };
    };
    let (code, effect) = driver.primary();
    let Class(origin, category, action) = class(code);
    let mut evidence = vec![Evidence {
        scope: "step",
        codes: vec![code],
        seq: Some(driver.seq),
        tool_id: Some(driver.tool_id.clone()),
        ..Evidence::default()
    }];
    if let Some(id) = effect {
        evidence.push(Evidence {
            scope: "effect",
            codes: vec![code],
            seq: Some(driver.seq),
            effect_id: Some(id),
            ..Evidence::default()
        });
    }
    let open = code == RowReason::RowAbsent.code() || code == RowReason::ValueMismatch.code();
    Analysis {
        summary: format!(
            "Step seq={} tool={} ended as {} with {code} (origin {}).",
            driver.seq,
            driver.tool_id,
            driver.outcome.status.word(),
            origin
        ),
        origin,
        confidence: if open { "medium" } else { "high" },
        evidence,
        alternatives: if open { OPEN } else { &[] },
        failure: failure(category, action, code == RowReason::ConnectorError.code()),
    }
}

impl Evidence {
    pub(crate) fn wire(&self) -> Doc {
        let text = |text: Option<&JsString>| text.map(ToString::to_string);
        object! {
            "scope": self.scope, "codes": (!self.codes.is_empty()).then_some(&self.codes),
            "ingestIndex": self.ingest, "seq": self.seq, "toolId": text(self.tool_id.as_ref()),
            "effectId": text(self.effect_id.as_ref()), "source": text(self.source.as_ref()),
            "runEventId": text(self.run_event_id.as_ref()),
        }
    }
}

impl Analysis {
    pub(crate) fn wire(&self) -> Doc {
        let evidence: Vec<Doc> = self.evidence.iter().map(Evidence::wire).collect();
        let hypotheses = self.alternatives.iter();
        let hypotheses =
            hypotheses.map(|(origin, why)| object! { "primaryOrigin": origin, "rationale": why });
        let hypotheses: Vec<Doc> = hypotheses.collect();
        object! {
            "summary": self.summary, "primaryOrigin": self.origin, "confidence": self.confidence,
            "unknownReasonCodes": [""; 0], "evidence": evidence, "actionableFailure": self.failure,
            "alternativeHypotheses": (!hypotheses.is_empty()).then_some(hypotheses),
        }
    }

    /// Whether this step is the one the analysis points to first.
    pub(crate) fn points_to_step(&self, seq: u64) -> bool {
        self.evidence
            .first()
            .is_some_and(|first| first.scope == "step" && first.seq == Some(seq))
    }
}

/// Whether any step is missing, inconsistent or partly verified.
pub(crate) const fn is_failure(status: StepStatus) -> bool {
    matches!(
        status,
        StepStatus::Missing | StepStatus::Inconsistent | StepStatus::Partial
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::word;

    #[test]
    fn every_class_names_an_action() {
        for line in CLASSES.lines() {
            let parts: Vec<&str> = line.split('\t').collect();
            let [code, origin, kind, action] = parts[..] else {
                panic!("{line}");
            };
            let Class(own, known, named) = class(code);
            assert_eq!((own, known, word(&named).as_str()), (origin, kind, action));
        }
    }
}
