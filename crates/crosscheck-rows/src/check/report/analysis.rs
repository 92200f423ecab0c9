//! Why a run is not complete: the one failure to look at first, where it
//! comes from, and what to do about it.
//!
//! Contract: check 10.

use crosscheck_core::JsString;
use serde_json::{Value, json};

use super::Driver;
use crate::check::judge::StepStatus;
use crate::check::plan::order;
use crate::check::read::RunContext;
use crate::check::reasons::ContractReason;
use crate::reasons::RowReason;
use crate::wire::certificate_v3::{
    ActionableFailure, FailureCategory, RecommendedAction, Severity,
};

/// What a code says about its failure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    pub(crate) origin: &'static str,
    pub(crate) category: FailureCategory,
    pub(crate) action: RecommendedAction,
}

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
    pub(crate) alternatives: Vec<(&'static str, &'static str)>,
    pub(crate) failure: ActionableFailure,
}

/// The table of section 10.1.
pub(crate) fn class(code: &str) -> Class {
    use FailureCategory::{
        BadInput, DecisionError, DownstreamExecutionFailure, StateInconsistency,
    };
    use RecommendedAction::{
        AlignToolObservations, CorrectVerificationInputs, Deduplicate,
        FixVerificationDatabaseConnection, ImproveReadConnectivity, ReconcileDownstreamState,
        ResolveMultiEffectFailures,
    };
    let downstream = |category, action| Class {
        origin: "downstream_system_state",
        category,
        action,
    };
    match code {
        "ROW_ABSENT"
        | "VALUE_MISMATCH"
        | "RELATED_ROWS_ABSENT"
        | "RELATIONAL_EXPECTATION_MISMATCH"
        | "ROW_PRESENT_WHEN_FORBIDDEN"
        | "ORPHAN_ROW_DETECTED" => downstream(StateInconsistency, ReconcileDownstreamState),
        "DUPLICATE_ROWS" => downstream(StateInconsistency, Deduplicate),
        "CONNECTOR_ERROR"
        | "ROW_SHAPE_MISMATCH"
        | "UNREADABLE_VALUE"
        | "RELATIONAL_SCALAR_UNUSABLE"
        | "ROW_NOT_OBSERVED_WITHIN_WINDOW"
        | "FORBIDDEN_ROWS_STILL_PRESENT_WITHIN_WINDOW"
        | "MULTI_EFFECT_UNCERTAIN_WITHIN_WINDOW" => {
            downstream(DownstreamExecutionFailure, ImproveReadConnectivity)
        }
        "MULTI_EFFECT_PARTIAL" | "MULTI_EFFECT_ALL_FAILED" => {
            downstream(DownstreamExecutionFailure, ResolveMultiEffectFailures)
        }
        "MULTI_EFFECT_INCOMPLETE" => downstream(BadInput, CorrectVerificationInputs),
        "UNKNOWN_TOOL" => Class {
            origin: "tool_use",
            category: BadInput,
            action: CorrectVerificationInputs,
        },
        "RETRY_OBSERVATIONS_DIVERGE" => Class {
            origin: "tool_use",
            category: DecisionError,
            action: AlignToolObservations,
        },
        "STATE_WITNESS_UNAVAILABLE_IN_SQLITE_FILE_MODE" | "CONNECTOR_UNSUPPORTED_IN_SCOPE" => {
            Class {
                origin: "workflow_flow",
                category: BadInput,
                action: FixVerificationDatabaseConnection,
            }
        }
        _ => Class {
            origin: "inputs",
            category: BadInput,
            action: CorrectVerificationInputs,
        },
    }
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
    let severity = if facts.any_failed {
        Severity::High
    } else {
        Severity::Medium
    };
    found.failure.severity = severity;
    if !found.alternatives.is_empty() {
        found.failure = ActionableFailure {
            category: FailureCategory::Ambiguous,
            severity,
            recommended_action: RecommendedAction::ManualReview,
            automation_safe: false,
        };
    }
    found
}

fn failure(
    category: FailureCategory,
    recommended_action: RecommendedAction,
    automation_safe: bool,
) -> ActionableFailure {
    ActionableFailure {
        category,
        severity: Severity::Medium,
        recommended_action,
        automation_safe,
    }
}

fn run_level(facts: &AnalysisFacts<'_>) -> Option<Analysis> {
    let codes = order::unique(facts.run_level.iter().copied());
    let first = *codes.first()?;
    let (origin, category) = if first == ContractReason::MalformedEventLine.code() {
        ("inputs", FailureCategory::BadInput)
    } else {
        ("workflow_flow", FailureCategory::ControlFlowProblem)
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
        alternatives: Vec::new(),
        failure: failure(category, RecommendedAction::FixEventIngestAndSteps, false),
    })
}

#[expect(
    clippy::too_many_lines,
    reason = "one rule after the other, in contract order"
)]
fn run_context(facts: &AnalysisFacts<'_>) -> Option<Analysis> {
    let before = facts.first_failing_ingest?;
    let context = facts.context;
    let earlier = |ingest: usize| ingest < before;
    let item = |code: ContractReason, ingest: usize| Evidence {
        scope: "run_context",
        codes: vec![code.code()],
        ingest: Some(ingest),
        ..Evidence::default()
    };
    let made = |evidence: Vec<Evidence>, origin, confidence, category, alternatives| {
        let code = evidence
            .first()
            .and_then(|first| first.codes.first().copied())
            .unwrap_or_default();
        Some(Analysis {
            summary: format!("Something went wrong before the first failing step: {code}."),
            origin,
            confidence,
            evidence,
            alternatives,
            failure: failure(category, RecommendedAction::FixRunContextControls, false),
        })
    };
    let retrievals: Vec<Evidence> = context
        .retrievals
        .iter()
        .filter(|one| earlier(one.ingest) && one.status == "error")
        .map(|one| Evidence {
            source: Some(one.source.clone()),
            run_event_id: Some(one.id.clone()),
            ..item(ContractReason::RetrievalError, one.ingest)
        })
        .collect();
    if !retrievals.is_empty() {
        return made(
            retrievals,
            "retrieval",
            "high",
            FailureCategory::RetrievalFailure,
            Vec::new(),
        );
    }
    if let Some(turn) = context
        .turns
        .iter()
        .find(|one| earlier(one.ingest) && one.status != "completed")
    {
        let code = match turn.status {
            "error" => ContractReason::ModelTurnError,
            "aborted" => ContractReason::ModelTurnAborted,
            _ => ContractReason::ModelTurnIncomplete,
        };
        let evidence = Evidence {
            run_event_id: Some(turn.id.clone()),
            ..item(code, turn.ingest)
        };
        return made(
            vec![evidence],
            "decision_making",
            "high",
            FailureCategory::DecisionError,
            Vec::new(),
        );
    }
    if let Some(control) = context
        .controls
        .iter()
        .find(|one| earlier(one.ingest) && one.kind == "interrupt")
    {
        let evidence = Evidence {
            run_event_id: Some(control.id.clone()),
            ..item(ContractReason::ControlInterrupt, control.ingest)
        };
        return made(
            vec![evidence],
            "decision_making",
            "high",
            FailureCategory::DecisionError,
            Vec::new(),
        );
    }
    if let Some(control) = context
        .controls
        .iter()
        .find(|one| earlier(one.ingest) && one.is_skipped())
    {
        let code = if control.kind == "branch" {
            ContractReason::ControlBranchSkipped
        } else {
            ContractReason::ControlGateSkipped
        };
        let evidence = Evidence {
            run_event_id: Some(control.id.clone()),
            ..item(code, control.ingest)
        };
        let other = vec![(
            "workflow_flow",
            "the workflow may be built to skip this part",
        )];
        return made(
            vec![evidence],
            "decision_making",
            "medium",
            FailureCategory::ControlFlowProblem,
            other,
        );
    }
    let skip = context.skips.iter().find(|one| earlier(one.ingest))?;
    let evidence = Evidence {
        tool_id: Some(skip.tool_id.clone()),
        ..item(ContractReason::ToolSkipped, skip.ingest)
    };
    made(
        vec![evidence],
        "tool_use",
        "medium",
        FailureCategory::ControlFlowProblem,
        Vec::new(),
    )
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
        alternatives: Vec::new(),
        failure: failure(
            FailureCategory::ControlFlowProblem,
            RecommendedAction::FixEventSequenceOrder,
            false,
        ),
    })
}

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
            alternatives: Vec::new(),
            failure: failure(
                FailureCategory::ControlFlowProblem,
                RecommendedAction::FixEventIngestAndSteps,
                false,
            ),
        };
    };
    let (code, effect) = driver.primary();
    let class = class(code);
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
    let alternatives = if open {
        vec![
            (
                "tool_use",
                "the tool may have failed, or said more than it did",
            ),
            (
                "inputs",
                "the registry or the logged parameters may name another row than the tool wrote",
            ),
        ]
    } else {
        Vec::new()
    };
    Analysis {
        summary: format!(
            "Step seq={} tool={} ended as {} with {code} (origin {}).",
            driver.seq,
            driver.tool_id,
            driver.outcome.status.word(),
            class.origin
        ),
        origin: class.origin,
        confidence: if open { "medium" } else { "high" },
        evidence,
        alternatives,
        failure: failure(
            class.category,
            class.action,
            code == RowReason::ConnectorError.code(),
        ),
    }
}

impl Evidence {
    pub(crate) fn wire(&self) -> Value {
        let mut object = json!({ "scope": self.scope });
        let mut set = |key: &str, value: Value| {
            if let Some(map) = object.as_object_mut() {
                map.insert(key.to_owned(), value);
            }
        };
        if !self.codes.is_empty() {
            set("codes", json!(self.codes));
        }
        if let Some(ingest) = self.ingest {
            set("ingestIndex", json!(ingest));
        }
        if let Some(seq) = self.seq {
            set("seq", json!(seq));
        }
        for (key, text) in [
            ("toolId", &self.tool_id),
            ("effectId", &self.effect_id),
            ("source", &self.source),
            ("runEventId", &self.run_event_id),
        ] {
            if let Some(text) = text {
                set(key, json!(text.to_string()));
            }
        }
        object
    }
}

impl Analysis {
    pub(crate) fn wire(&self) -> Value {
        let evidence: Vec<Value> = self.evidence.iter().map(Evidence::wire).collect();
        let mut object = json!({
            "summary": self.summary, "primaryOrigin": self.origin, "confidence": self.confidence,
            "unknownReasonCodes": [], "evidence": evidence, "actionableFailure": self.failure,
        });
        if let (false, Some(map)) = (self.alternatives.is_empty(), object.as_object_mut()) {
            let list = self
                .alternatives
                .iter()
                .map(|(origin, why)| json!({ "primaryOrigin": origin, "rationale": why }));
            map.insert("alternativeHypotheses".to_owned(), list.collect());
        }
        object
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
