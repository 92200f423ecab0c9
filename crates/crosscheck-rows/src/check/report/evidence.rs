//! How complete the evidence is, what is missing, and what to do about it.
//!
//! Contract: check 10, check 11.

use crosscheck_core::{JsString, Verdict};

use super::analysis::{self, Analysis};
use super::correctness;
use super::{Broken, Collector, Head};
use crate::certificate::{
    Action, Blocker, Doc, Evidence, Failure, Item, Words, next_actions, object,
};
use crate::check::plan::order;
use crate::check::read::Log;
use crate::check::reasons::{ContractFailure, ContractReason};
use crate::quick::report::redaction::redact;
use crate::reasons::RowReason;

const ITEMS: usize = 32;
const MISSING: usize = 8;

const WORDS: Words = Words {
    is_ready: "ready with the same inputs",
    rows_changed: "The rows in question were changed since this run.",
    somebody_looked: "Somebody looked at the step and the database and decided what should be true.",
    changed_as_decided: "Events, registry or database were changed as decided.",
};

/// The failure of a run; a complete run has none.
pub(super) fn failure(analysis: Option<&Analysis>) -> Failure {
    let none = Failure {
        category: "unclassified",
        severity: "low",
        recommended_action: Action::None,
        automation_safe: false,
    };
    analysis.map_or(none, |analysis| analysis.failure)
}

/// Every code of the run level, the sequence and the steps, in locale order.
pub(super) fn codes(collected: &Collector, log: &Log) -> Vec<&'static str> {
    let sequence = log.sequence.iter().map(|reason| reason.code());
    order::unique(collected.codes.iter().copied().chain(sequence))
}

pub(super) fn completeness(collected: &Collector, log: &Log, head: &Head) -> Evidence {
    let open = head.analysis.as_ref();
    let failure = failure(open);
    let codes = codes(collected, log).into_iter().take(MISSING);
    Evidence {
        words: &WORDS,
        blocker: blocker(collected, log, head),
        signal: "na",
        verified: collected.verified.clone(),
        unverified: collected.unverified.clone(),
        missing: codes
            .map(|code| (code, redact(help(code).into(), 400)))
            .collect(),
        actions: next_actions(failure.recommended_action, open.is_some(), |action| {
            action.text(false)
        }),
        coverage: Some(coverage(collected)),
        failure,
        items: open.map(|analysis| items(collected, log, head, analysis)),
    }
}

/// What a code asks for.
pub(crate) fn help(code: &str) -> &'static str {
    declared(code).map_or("see the reason of the step", |reason| reason.help)
}

/// What a code means.
pub(crate) fn meaning(code: &str) -> &'static str {
    declared(code).map_or("", |reason| reason.meaning)
}

fn declared(code: &str) -> Option<&'static crosscheck_core::Reason> {
    let all = [RowReason::ALL, ContractReason::ALL, ContractFailure::ALL];
    all.into_iter()
        .flatten()
        .find(|reason| reason.code == code)
        .copied()
}

fn blocker(collected: &Collector, log: &Log, head: &Head) -> Blocker {
    let has = |code: &str| collected.codes.contains(code);
    let any = |codes: &[&str]| codes.iter().any(|code| has(code));
    if has(ContractReason::NoStepsForWorkflow.code()) {
        Blocker::IngestEmpty
    } else if has(ContractReason::MalformedEventLine.code()) {
        Blocker::IngestUnstructured
    } else if !log.sequence.is_empty() {
        Blocker::EventSequence
    } else if log.context.is_disturbed() {
        Blocker::ControlFlowContext
    } else if has(ContractReason::UnknownTool.code()) {
        Blocker::RegistryUnknownTool
    } else if collected.codes.iter().any(|code| is_resolver(code)) {
        Blocker::RegistryResolution
    } else if any(&[
        "STATE_WITNESS_UNAVAILABLE_IN_SQLITE_FILE_MODE",
        "STATE_WITNESS_SETUP_ERROR",
        "CONNECTOR_UNSUPPORTED_IN_SCOPE",
    ]) {
        Blocker::WitnessUnavailable
    } else if any(&["CONNECTOR_ERROR", "ROW_SHAPE_MISMATCH", "UNREADABLE_VALUE"]) {
        Blocker::DatabaseAccess
    } else if collected
        .codes
        .iter()
        .any(|code| code.ends_with("_WITHIN_WINDOW"))
    {
        Blocker::TimingOrWindow
    } else {
        match head.status {
            Verdict::Refuted => Blocker::StateMismatch,
            Verdict::Undecided => Blocker::VerificationIncomplete,
            Verdict::Confirmed => Blocker::None,
        }
    }
}

/// Whether an entry and the parameters of a call made no request.
fn is_resolver(code: &str) -> bool {
    let first = ContractReason::TablePointerInvalid;
    let mut all = ContractReason::VARIANTS.iter();
    all.any(|reason| {
        (first..=ContractReason::UnsupportedVerificationKind).contains(reason)
            && reason.code() == code
    })
}

fn coverage(collected: &Collector) -> Doc {
    let kinds: Vec<&'static str> = collected.kinds.keys().copied().collect();
    let part = |wanted: bool| -> Vec<&'static str> {
        let kinds = collected.kinds.iter();
        let part = kinds.filter(|(_, all)| **all == wanted);
        part.map(|(kind, _)| *kind).collect()
    };
    let (full, open) = (part(true), part(false));
    let label = match kinds.as_slice() {
        [] => "thin_or_unknown",
        _ if !open.is_empty() => "coverage_incomplete_or_failed",
        ["sql"] => "sql_only_contract",
        [_] => "single_non_sql_contract",
        _ => "meaningful_multi_witness",
    };
    let list = |kinds: &[&str]| match kinds {
        [] => "none".to_owned(),
        kinds => kinds.join(", "),
    };
    object! {
        "schemaVersion": 1, "exercisedKinds": kinds, "fullySatisfiedKinds": full,
        "notFullySatisfiedKinds": open, "supportLabel": label,
        "summaryLine": format!("asked: {}; fully satisfied: {}", list(&kinds), list(&full)),
    }
}

/// What is to be repaired, in the order of the contract.
fn items(collected: &Collector, log: &Log, head: &Head, analysis: &Analysis) -> Vec<Item> {
    let first = analysis.evidence.first().cloned().unwrap_or_default();
    let mut items = Vec::new();
    if !head.run_level.is_empty() {
        let codes = order::unique(head.run_level.iter().map(|(code, _)| *code));
        items.push(Item {
            primary: first.scope == "run_level",
            failed_check: "reading the events file".into(),
            ..around("run_level", Action::FixEventIngestAndSteps, codes)
        });
    }
    if !log.sequence.is_empty() {
        let codes = order::unique(log.sequence.iter().map(|reason| reason.code()));
        items.push(Item {
            primary: first.scope == "event_sequence",
            failed_check: "the order of the events".into(),
            ..around("event_sequence", Action::FixEventSequenceOrder, codes)
        });
    }
    let context = analysis.evidence.iter();
    let context = context.filter(|one| one.scope == "run_context");
    for (at, one) in context.enumerate() {
        let ingest = one.ingest.unwrap_or(0);
        items.push(Item {
            id: format!("run_context:{ingest}"),
            primary: at == 0,
            failed_check: format!("event {ingest} of the run").into(),
            ..around(
                "run_context",
                Action::FixRunContextControls,
                one.codes.clone(),
            )
        });
    }
    let broken = collected.broken.iter();
    items.extend(broken.map(|broken| of_step(broken, analysis)));
    items.truncate(ITEMS);
    for item in &mut items {
        item.projection = item.primary.then(|| correctness::kind(analysis));
        item.review = review(analysis);
        item.failed_check = redact(item.failed_check.as_js(), 256);
        item.reason = redact(item.reason.as_str().into(), 1024).to_string();
        item.expected = redact(item.expected.as_js(), 1024);
        item.codes.truncate(MISSING);
    }
    items
}

/// Something about the events around the steps.
fn around(scope: &'static str, action: Action, codes: Vec<&'static str>) -> Item {
    let reason = codes.iter();
    let reason: Vec<String> = reason
        .map(|code| format!("{code}: {}", meaning(code)))
        .collect();
    Item {
        id: scope.to_owned(),
        scope,
        primary: false,
        failed_check: JsString::default(),
        first_code: codes.first().copied(),
        reason: reason.join("; "),
        codes,
        action,
        action_text: action.text(false),
        expected: "The events of this workflow are whole, in order, and undisturbed.".into(),
        projection: None,
        review: Doc::default(),
    }
}

fn of_step(broken: &Broken, analysis: &Analysis) -> Item {
    let (scope, id) = match &broken.effect {
        Some(effect) => ("effect", format!("effect:{}:{effect}", broken.seq)),
        None => ("step", format!("step:{}", broken.seq)),
    };
    let primary = broken.effect.is_none() && analysis.points_to_step(broken.seq);
    let analysis::Class(_, _, action) = analysis::class(broken.code);
    let action = match analysis.failure.recommended_action {
        Action::ManualReview if primary => Action::ManualReview,
        _ => action,
    };
    let check = format!("step seq={} tool={}", broken.seq, broken.tool_id);
    Item {
        id: crosscheck_core::text::cut_units(&id, 128).to_owned(),
        primary,
        failed_check: check.into(),
        reason: broken.message.clone(),
        expected: broken.expected.clone(),
        ..around(scope, action, vec![broken.code])
    }
}

fn review(analysis: &Analysis) -> Doc {
    let hypotheses = analysis.alternatives.iter().map(|(_, why)| why);
    object! {
        "decisionPrompt": "Is the declared step right, or is the database right?",
        "hypotheses": hypotheses.collect::<Vec<_>>(),
        "knownFacts": [redact(analysis.summary.as_str().into(), 512).to_string()],
        "evidenceToInspect": ["the event of the step", "the row and its table in the database"],
    }
}
