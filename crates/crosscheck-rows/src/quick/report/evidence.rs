//! How complete the evidence is, what is missing, and what to do about it.

use crosscheck_core::text::one_line_js;
use crosscheck_core::{JsString, Verdict};

use super::correctness::{alignment, projection_kind, sorted_codes};
use super::redaction::redact;
use super::{QuickReport, UnitReport};
use crate::certificate::{
    Action, Blocker, Doc, Evidence, Failure, Item, Spine, Words, next_actions, object,
};
use crate::quick::plan::Expectation;
use crate::reasons::RowReason;

const CLAIM_MAX: usize = 160;
const HINT_MAX: usize = 400;
const CODES_MAX: usize = 8;

const WORDS: Words = Words {
    is_ready: "ready with the same input",
    rows_changed: "The row in question was changed since this run.",
    somebody_looked: "Somebody looked at the call and the database and decided what should be true.",
    changed_as_decided: "The log, the registry or the database were changed as decided.",
};

pub(super) fn completeness(report: &QuickReport) -> Evidence {
    let signal = quick_signal(report);
    let failure = actionable_failure(report);
    let open = report.verdict != Verdict::Confirmed;
    Evidence {
        words: &WORDS,
        blocker: blocker(signal, report.verdict),
        signal,
        verified: claims(report, |verdict| verdict == Verdict::Confirmed),
        unverified: claims(report, |verdict| verdict != Verdict::Confirmed),
        missing: vec![missing_input(report)],
        actions: next_actions(failure.recommended_action, open, |action| {
            action_text(action, Review::of(driver(report)))
        }),
        coverage: None,
        failure,
        items: open.then(|| remediation_items(report)),
    }
}

fn quick_signal(report: &QuickReport) -> &'static str {
    match report.verdict {
        _ if report.ingest.has(RowReason::IngestNoActions) => "no_actions",
        _ if report.ingest.has(RowReason::IngestNoStructuredToolActivity) => {
            "no_structured_activity"
        }
        _ if report.units.is_empty() => "no_sql_candidates",
        Verdict::Confirmed => "sql_ran_passed",
        Verdict::Refuted => "sql_ran_failed",
        Verdict::Undecided => "sql_ran_uncertain",
    }
}

fn blocker(signal: &str, verdict: Verdict) -> Blocker {
    match signal {
        "no_actions" => Blocker::IngestEmpty,
        "no_structured_activity" => Blocker::IngestUnstructured,
        "no_sql_candidates" => Blocker::RegistryResolution,
        "sql_ran_failed" => Blocker::StateMismatch,
        _ if verdict == Verdict::Undecided => Blocker::VerificationIncomplete,
        _ => Blocker::PreviewLane,
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

fn missing_input(report: &QuickReport) -> (&'static str, JsString) {
    if !report.ingest.is_clean() {
        // the hint is cut long before a thousand codes
        let codes = report.ingest.all_codes().take(1000).map(RowReason::code);
        let codes: Vec<&str> = codes.collect();
        return ("ingest", redact(codes.join(",").as_str().into(), HINT_MAX));
    }
    let mut units = report.units.iter();
    let coded = units.find_map(|unit| Some((unit, unit.reasons().first()?)));
    match coded {
        Some((unit, code)) => {
            let mut hint = JsString::from(format!("{}:", unit.id()));
            hint.push(unit.tool.as_js());
            (code.code(), redact(hint.as_js(), HINT_MAX))
        }
        None => ("none_reported", "no input is known to be missing".into()),
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

fn action_text(action: Action, review: Review) -> &'static str {
    match action {
        Action::ManualReview => review.text(),
        other => other.text(true),
    }
}

fn remediation_items(report: &QuickReport) -> Vec<Item> {
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

fn ingest_item(report: &QuickReport) -> Item {
    let mut codes = report.ingest.distinct_codes();
    if codes.is_empty() {
        codes.push(RowReason::IngestNoStructuredToolActivity);
    }
    Item {
        id: "quick_ingest".to_owned(),
        scope: "quick_ingest",
        failed_check: "reading the tool-call log".into(),
        expected: "The log holds structured tool calls whose parameters name the rows they write."
            .into(),
        ..item(&codes, Review::Log)
    }
}

fn unit_item(unit: &UnitReport) -> Item {
    let mut check = JsString::from(format!(
        "unit {} ({}) on table {} for tool ",
        unit.id(),
        unit.kind(),
        unit.table()
    ));
    check.push(unit.tool.as_js());
    Item {
        id: format!("quick:{}", unit.id()),
        scope: "quick_unit",
        failed_check: one_line_js(redact(check.as_js(), 256).as_js()),
        expected: redact(unit.reconciliation.expected.as_js(), 1024),
        projection: Some(projection_kind(unit)),
        ..item(unit.reasons(), Review::of(Some(unit)))
    }
}

/// What follows from the codes alone.
fn item(codes: &[RowReason], review: Review) -> Item {
    let action = alignment(codes);
    let why = codes.iter().take(CODES_MAX);
    let why: Vec<String> = why
        .map(|code| format!("{code}: {}", code.reason().meaning))
        .collect();
    let mut reason_codes = sorted_codes(codes.iter().copied());
    let first_code = reason_codes.first().copied();
    reason_codes.truncate(CODES_MAX);
    Item {
        id: String::new(),
        scope: "",
        primary: false,
        failed_check: JsString::default(),
        codes: reason_codes,
        first_code,
        reason: why.join("; "),
        action,
        action_text: action_text(action, review),
        expected: JsString::default(),
        projection: None,
        review: human_review(review),
    }
}

fn human_review(review: Review) -> Doc {
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
    object! { "decisionPrompt": prompt, "evidenceToInspect": places }
}

pub(super) fn failure_spine(report: &QuickReport) -> Spine {
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
    Spine {
        trust_decision: "unknown",
        summary: report.summary.clone(),
        failure: actionable_failure(report),
        codes,
        guidance: match report.verdict {
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

fn actionable_failure(report: &QuickReport) -> Failure {
    let code = driver(report).and_then(|unit| unit.reasons().first());
    let unreadable = "downstream_execution_failure";
    let (category, recommended_action, automation_safe) = match code {
        _ if report.verdict == Verdict::Confirmed => ("unclassified", Action::ManualReview, false),
        None => (
            "control_flow_problem",
            Action::FixEventIngestAndSteps,
            false,
        ),
        Some(RowReason::RowAbsent | RowReason::ValueMismatch) => {
            ("ambiguous", Action::ManualReview, false)
        }
        Some(RowReason::DuplicateRows) => ("state_inconsistency", Action::Deduplicate, false),
        Some(RowReason::RelatedRowsAbsent) => (
            "state_inconsistency",
            Action::ReconcileDownstreamState,
            false,
        ),
        Some(RowReason::ConnectorError) => (unreadable, Action::ImproveReadConnectivity, true),
        Some(
            RowReason::UnreadableValue
            | RowReason::RowShapeMismatch
            | RowReason::RelationalScalarUnusable,
        ) => (unreadable, Action::ImproveReadConnectivity, false),
        Some(_) => ("unclassified", Action::ManualReview, false),
    };
    let is_refuted = report.verdict == Verdict::Refuted;
    Failure {
        category,
        severity: if is_refuted { "high" } else { "medium" },
        recommended_action,
        automation_safe,
    }
}
