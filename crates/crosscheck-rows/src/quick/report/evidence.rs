//! How complete the evidence is, what is missing, and what to do about it.

use crosscheck_core::text::one_line_js;
use crosscheck_core::{JsString, Verdict};

use super::correctness::{alignment, projection_kind, sorted_codes};
use super::redaction::redact;
use super::{QuickReport, UnitReport};
use crate::quick::plan::Expectation;
use crate::reasons::RowReason;
use crate::remedy::{Words, next_actions, readiness, remedy};
use crate::wire::certificate_v3::{
    ActionableFailure, BlockerCategory, EvidenceCompleteness, ExpectedState, FailureCategory,
    FailureSpine, HumanReview, MissingInput, QuickSignal, RecommendedAction, RemediationItem,
    RemediationScope, Severity,
};

const CLAIM_MAX: usize = 160;
const HINT_MAX: usize = 400;
const CODES_MAX: usize = 8;

const WORDS: Words = Words {
    is_ready: "ready with the same input",
    rows_changed: "The row in question was changed since this run.",
    somebody_looked: "Somebody looked at the call and the database and decided what should be true.",
    changed_as_decided: "The log, the registry or the database were changed as decided.",
};

pub(super) fn completeness(report: &QuickReport) -> EvidenceCompleteness {
    let signal = quick_signal(report);
    let blocker = blocker(signal, report.verdict);
    let failure = actionable_failure(report);
    let open = report.verdict != Verdict::Confirmed;
    let items = remediation_items(report);
    EvidenceCompleteness {
        schema_version: 1,
        blocker_category: blocker,
        quick_signal: signal,
        verified_claims: claims(report, |verdict| verdict == Verdict::Confirmed),
        unverified_claims: claims(report, |verdict| verdict != Verdict::Confirmed),
        missing_inputs: vec![missing_input(report)],
        next_actions: next_actions(failure.recommended_action, open, |action| {
            action_text(action, Review::of(driver(report)))
        }),
        witness_coverage: None,
        rerun_readiness: open.then(|| readiness(blocker, failure)),
        rerun_path: items
            .first()
            .filter(|_| open)
            .map(|item| item.rerun_path.clone()),
        remediation_items: open.then_some(items),
    }
}

fn quick_signal(report: &QuickReport) -> QuickSignal {
    if report.ingest.has(RowReason::IngestNoActions) {
        return QuickSignal::NoActions;
    }
    if report.ingest.has(RowReason::IngestNoStructuredToolActivity) {
        return QuickSignal::NoStructuredActivity;
    }
    if report.units.is_empty() {
        return QuickSignal::NoSqlCandidates;
    }
    match report.verdict {
        Verdict::Confirmed => QuickSignal::SqlRanPassed,
        Verdict::Refuted => QuickSignal::SqlRanFailed,
        Verdict::Undecided => QuickSignal::SqlRanUncertain,
    }
}

fn blocker(signal: QuickSignal, verdict: Verdict) -> BlockerCategory {
    match signal {
        QuickSignal::Na | QuickSignal::NoActions => BlockerCategory::IngestEmpty,
        QuickSignal::NoStructuredActivity => BlockerCategory::IngestUnstructured,
        QuickSignal::NoSqlCandidates => BlockerCategory::RegistryResolution,
        QuickSignal::SqlRanFailed => BlockerCategory::StateMismatch,
        QuickSignal::SqlRanUncertain | QuickSignal::SqlRanPassed
            if verdict == Verdict::Undecided =>
        {
            BlockerCategory::VerificationIncomplete
        }
        QuickSignal::SqlRanUncertain | QuickSignal::SqlRanPassed => BlockerCategory::PreviewLane,
    }
}

fn claims(report: &QuickReport, wanted: impl Fn(Verdict) -> bool) -> Vec<JsString> {
    let claim = |unit: &UnitReport| {
        let mut text = JsString::from(format!("unit={} tool=", unit.id()));
        text.push(unit.tool.as_js());
        if unit.verdict() != Verdict::Confirmed {
            text.push_str(": ");
            text.push(unit.reconciliation.verdict.as_js());
        }
        redact(text.as_js(), CLAIM_MAX)
    };
    report
        .units
        .iter()
        .filter(|unit| wanted(unit.verdict()))
        .map(claim)
        .collect()
}

fn missing_input(report: &QuickReport) -> MissingInput {
    if !report.ingest.is_clean() {
        // the hint is cut long before a thousand codes
        let codes: Vec<&str> = report
            .ingest
            .all_codes()
            .take(1000)
            .map(RowReason::code)
            .collect();
        return MissingInput {
            code: "ingest".to_owned(),
            hint: redact(codes.join(",").as_str().into(), HINT_MAX),
        };
    }
    let coded = report
        .units
        .iter()
        .find_map(|unit| Some((unit, unit.reasons().first()?)));
    match coded {
        Some((unit, code)) => {
            let mut hint = JsString::from(format!("{}:", unit.id()));
            hint.push(unit.tool.as_js());
            MissingInput {
                code: code.code().to_owned(),
                hint: redact(hint.as_js(), HINT_MAX),
            }
        }
        None => MissingInput {
            code: "none_reported".to_owned(),
            hint: "no input is known to be missing".into(),
        },
    }
}

/// What a person is to look at.
#[derive(Clone, Copy)]
enum Review {
    /// A call and the row it should have left.
    Row,
    /// A call that led to no row, so that none was looked for.
    Mapping,
    /// A log in which calls are missing.
    Log,
    /// Nothing is open.
    Nothing,
}

impl Review {
    fn of(unit: Option<&UnitReport>) -> Self {
        match unit.map(UnitReport::expectation) {
            Some(Expectation::Unmapped(_)) => Self::Mapping,
            Some(Expectation::Row(_) | Expectation::Related(_)) => Self::Row,
            None => Self::Nothing,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Row => {
                "Look at the declared call and the observed row side by side and decide which of them is right."
            }
            Self::Mapping => {
                "Find out which table and key the declared call means; no row was looked for. Name them in the call, or in a registry."
            }
            Self::Log => "Look into the log: it must contain the tool calls to check, as JSON.",
            Self::Nothing => {
                "Read the checked units before you rely on them: what was compared was inferred from names."
            }
        }
    }
}

fn action_text(action: RecommendedAction, review: Review) -> &'static str {
    match action {
        RecommendedAction::ManualReview => review.text(),
        RecommendedAction::Deduplicate => {
            "Find out why the identity is not unique, remove the extra rows, and add a unique constraint."
        }
        RecommendedAction::ReconcileDownstreamState => {
            "Bring the database to the declared state, or correct what the agent declared; then check again."
        }
        RecommendedAction::ImproveReadConnectivity => {
            "Make the database readable for this check (connection, rights, types) and run it again with the same input."
        }
        RecommendedAction::FixEventIngestAndSteps => {
            "Log tool calls as JSON objects with a tool name and parameters that name the written rows."
        }
        RecommendedAction::FixRegistryEventsOrCompareFiles => {
            "Write the expectation into a registry and replay it with `crosscheck check`, so that nothing has to be inferred."
        }
        contract_only => crate::check::report::texts::action_text(contract_only),
    }
}

fn remediation_items(report: &QuickReport) -> Vec<RemediationItem> {
    let mut items = Vec::new();
    if !report.ingest.is_clean() || report.units.is_empty() {
        items.push(ingest_item(report));
    }
    items.extend(
        report
            .units
            .iter()
            .filter(|unit| unit.verdict() != Verdict::Confirmed)
            .map(unit_item),
    );
    if let Some(first) = items.first_mut() {
        first.primary = true;
    }
    items
}

fn ingest_item(report: &QuickReport) -> RemediationItem {
    let mut codes = report.ingest.distinct_codes();
    if codes.is_empty() {
        codes.push(RowReason::IngestNoStructuredToolActivity);
    }
    let state = ExpectedState {
        summary: "The log holds structured tool calls whose parameters name the rows they write."
            .into(),
        projection_kind: None,
    };
    item(
        "quick_ingest".to_owned(),
        RemediationScope::QuickIngest,
        &"reading the tool-call log".into(),
        &codes,
        state,
        Review::Log,
    )
}

fn unit_item(unit: &UnitReport) -> RemediationItem {
    let mut check = JsString::from(format!(
        "unit {} ({}) on table {} for tool ",
        unit.id(),
        unit.kind(),
        unit.table()
    ));
    check.push(unit.tool.as_js());
    let state = ExpectedState {
        summary: redact(unit.reconciliation.expected.as_js(), 1024),
        projection_kind: Some(projection_kind(unit)),
    };
    item(
        format!("quick:{}", unit.id()),
        RemediationScope::QuickUnit,
        &redact(check.as_js(), 256),
        unit.reasons(),
        state,
        Review::of(Some(unit)),
    )
}

fn item(
    id: String,
    scope: RemediationScope,
    failed_check: &JsString,
    codes: &[RowReason],
    expected_state: ExpectedState,
    review: Review,
) -> RemediationItem {
    let action = alignment(codes);
    let first = codes.iter().map(|code| code.code()).min();
    let (automation, rerun_path) = remedy(action, first, &WORDS);
    let why: Vec<String> = codes
        .iter()
        .take(CODES_MAX)
        .map(|code| format!("{code}: {}", code.reason().meaning))
        .collect();
    let mut reason_codes = sorted_codes(codes.iter().copied());
    reason_codes.truncate(CODES_MAX);
    RemediationItem {
        id,
        scope,
        primary: false,
        failed_check: one_line_js(failed_check.as_js()),
        reason_codes,
        reason: why.join("; "),
        recommended_action: action,
        action_text: action_text(action, review),
        expected_state,
        automation,
        human_review: human_review(action == RecommendedAction::ManualReview, review),
        rerun_path,
    }
}

fn human_review(required: bool, review: Review) -> HumanReview {
    let (prompt, places): (_, &[&str]) = match review {
        Review::Row | Review::Nothing => (
            "Is the declared tool call right, or is the database right?",
            &[
                "the tool call in the log",
                "the row and its table in the database",
            ],
        ),
        Review::Mapping => (
            "Which table and which key does the declared tool call mean?",
            &[
                "the tool call in the log",
                "the tables of the database and their keys",
            ],
        ),
        Review::Log => (
            "Does the log hold every tool call that should be checked?",
            &["the log as it was given"],
        ),
    };
    HumanReview {
        required,
        decision_prompt: required.then_some(prompt),
        hypotheses: None,
        known_facts: None,
        evidence_to_inspect: required
            .then(|| places.iter().map(|place| (*place).to_owned()).collect()),
    }
}

pub(super) fn failure_spine(report: &QuickReport) -> FailureSpine {
    let mut codes: Vec<String> = report
        .units
        .iter()
        .filter(|unit| unit.verdict() != Verdict::Confirmed)
        .map(|unit| format!("quick_unit_{}", super::texts::unit_word(unit.verdict())))
        .collect();
    codes.sort();
    codes.dedup();
    if codes.is_empty() {
        codes.push("UNCLASSIFIED".to_owned());
    }
    FailureSpine {
        schema_version: 1,
        trust_decision: "unknown",
        summary: report.summary.clone(),
        actionable_failure: actionable_failure(report),
        primary_codes: codes,
        rerun_guidance: match report.verdict {
            Verdict::Confirmed => {
                "No rerun is needed for this preview; for decisions, replay the exported registry with `crosscheck check`."
            }
            Verdict::Refuted | Verdict::Undecided => {
                "Follow the first remediation item, then run the same command again."
            }
        },
        source: "quick",
    }
}

/// The unit that decides what is to be done.
fn driver(report: &QuickReport) -> Option<&UnitReport> {
    let first = |verdict| report.units.iter().find(|unit| unit.verdict() == verdict);
    first(Verdict::Refuted).or_else(|| first(Verdict::Undecided))
}

fn actionable_failure(report: &QuickReport) -> ActionableFailure {
    use FailureCategory::{
        Ambiguous, ControlFlowProblem, DownstreamExecutionFailure, StateInconsistency, Unclassified,
    };
    use RecommendedAction::{
        Deduplicate, FixEventIngestAndSteps, ImproveReadConnectivity, ManualReview,
        ReconcileDownstreamState,
    };
    let code = driver(report).and_then(|unit| unit.reasons().first());
    let (category, recommended_action, automation_safe) = match code {
        _ if report.verdict == Verdict::Confirmed => (Unclassified, ManualReview, false),
        None => (ControlFlowProblem, FixEventIngestAndSteps, false),
        Some(RowReason::RowAbsent | RowReason::ValueMismatch) => (Ambiguous, ManualReview, false),
        Some(RowReason::DuplicateRows) => (StateInconsistency, Deduplicate, false),
        Some(RowReason::RelatedRowsAbsent) => (StateInconsistency, ReconcileDownstreamState, false),
        Some(RowReason::ConnectorError) => {
            (DownstreamExecutionFailure, ImproveReadConnectivity, true)
        }
        Some(
            RowReason::UnreadableValue
            | RowReason::RowShapeMismatch
            | RowReason::RelationalScalarUnusable,
        ) => (DownstreamExecutionFailure, ImproveReadConnectivity, false),
        Some(_) => (Unclassified, ManualReview, false),
    };
    let severity = if report.verdict == Verdict::Refuted {
        Severity::High
    } else {
        Severity::Medium
    };
    ActionableFailure {
        category,
        severity,
        recommended_action,
        automation_safe,
    }
}
