//! How complete the evidence is, what is missing, and what to do about it.
//!
//! Contract: check 10, check 11.

use crosscheck_core::JsString;

use super::analysis::{self, Analysis};
use super::correctness;
use super::texts::action_text;
use super::{Broken, Collector, Head, WorkflowStatus};
use crate::check::plan::order;
use crate::check::read::Log;
use crate::check::reasons::{ContractFailure, ContractReason};
use crate::quick::report::redaction::redact;
use crate::reasons::RowReason;
use crate::remedy::{Words, next_actions, readiness, remedy};
use crate::wire::certificate_v3::{
    ActionableFailure, BlockerCategory, EvidenceCompleteness, ExpectedState, FailureCategory,
    HumanReview, MissingInput, QuickSignal, RecommendedAction, RemediationItem, RemediationScope,
    Severity, WitnessCoverage,
};

const ITEMS: usize = 32;
const MISSING: usize = 8;

const WORDS: Words = Words {
    is_ready: "ready with the same inputs",
    rows_changed: "The rows in question were changed since this run.",
    somebody_looked: "Somebody looked at the step and the database and decided what should be true.",
    changed_as_decided: "Events, registry or database were changed as decided.",
};

/// The failure of a run; a complete run has none.
pub(super) fn failure(analysis: Option<&Analysis>) -> ActionableFailure {
    analysis.map_or(
        ActionableFailure {
            category: FailureCategory::Unclassified,
            severity: Severity::Low,
            recommended_action: RecommendedAction::None,
            automation_safe: false,
        },
        |analysis| analysis.failure,
    )
}

/// Every code of the run level, the sequence and the steps, in locale order.
pub(super) fn codes(collected: &Collector, log: &Log) -> Vec<&'static str> {
    let sequence = log.sequence.iter().map(|reason| reason.code());
    order::unique(collected.codes.iter().copied().chain(sequence))
}

pub(super) fn completeness(collected: &Collector, log: &Log, head: &Head) -> EvidenceCompleteness {
    let open = head.analysis.as_ref();
    let failure = failure(open);
    let blocker = blocker(collected, log, head);
    let items = open.map(|analysis| items(collected, log, head, analysis));
    let path = items.as_ref().and_then(|items| {
        let primary = items
            .iter()
            .find(|item| item.primary)
            .or_else(|| items.first());
        primary.map(|item| item.rerun_path.clone())
    });
    EvidenceCompleteness {
        schema_version: 1,
        blocker_category: blocker,
        quick_signal: QuickSignal::Na,
        verified_claims: collected.verified.clone(),
        unverified_claims: collected.unverified.clone(),
        missing_inputs: codes(collected, log)
            .into_iter()
            .take(MISSING)
            .map(|code| MissingInput {
                code: code.to_owned(),
                hint: redact(help(code).into(), 400),
            })
            .collect(),
        next_actions: next_actions(failure.recommended_action, open.is_some(), action_text),
        witness_coverage: Some(coverage(collected)),
        rerun_readiness: open.map(|_| readiness(blocker, failure)),
        rerun_path: path,
        remediation_items: items,
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

fn blocker(collected: &Collector, log: &Log, head: &Head) -> BlockerCategory {
    let has = |code: &str| collected.codes.contains(code);
    let any = |codes: &[&str]| codes.iter().any(|code| has(code));
    if has(ContractReason::NoStepsForWorkflow.code()) {
        BlockerCategory::IngestEmpty
    } else if has(ContractReason::MalformedEventLine.code()) {
        BlockerCategory::IngestUnstructured
    } else if !log.sequence.is_empty() {
        BlockerCategory::EventSequence
    } else if log.context.is_disturbed() {
        BlockerCategory::ControlFlowContext
    } else if has(ContractReason::UnknownTool.code()) {
        BlockerCategory::RegistryUnknownTool
    } else if collected.codes.iter().any(|code| is_resolver(code)) {
        BlockerCategory::RegistryResolution
    } else if any(&[
        "STATE_WITNESS_UNAVAILABLE_IN_SQLITE_FILE_MODE",
        "STATE_WITNESS_SETUP_ERROR",
        "CONNECTOR_UNSUPPORTED_IN_SCOPE",
    ]) {
        BlockerCategory::WitnessUnavailable
    } else if any(&["CONNECTOR_ERROR", "ROW_SHAPE_MISMATCH", "UNREADABLE_VALUE"]) {
        BlockerCategory::DatabaseAccess
    } else if collected
        .codes
        .iter()
        .any(|code| code.ends_with("_WITHIN_WINDOW"))
    {
        BlockerCategory::TimingOrWindow
    } else {
        match head.status {
            WorkflowStatus::Inconsistent => BlockerCategory::StateMismatch,
            WorkflowStatus::Incomplete => BlockerCategory::VerificationIncomplete,
            WorkflowStatus::Complete => BlockerCategory::None,
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

fn coverage(collected: &Collector) -> WitnessCoverage {
    let kinds: Vec<&'static str> = collected.kinds.keys().copied().collect();
    let part = |wanted: bool| -> Vec<&'static str> {
        collected
            .kinds
            .iter()
            .filter(|(_, all)| **all == wanted)
            .map(|(kind, _)| *kind)
            .collect()
    };
    let (full, open) = (part(true), part(false));
    let support_label = match kinds.as_slice() {
        [] => "thin_or_unknown",
        _ if !open.is_empty() => "coverage_incomplete_or_failed",
        ["sql"] => "sql_only_contract",
        [_] => "single_non_sql_contract",
        _ => "meaningful_multi_witness",
    };
    let list = |kinds: &[&str]| {
        if kinds.is_empty() {
            "none".to_owned()
        } else {
            kinds.join(", ")
        }
    };
    WitnessCoverage {
        schema_version: 1,
        summary_line: format!("asked: {}; fully satisfied: {}", list(&kinds), list(&full)),
        exercised_kinds: kinds,
        fully_satisfied_kinds: full,
        not_fully_satisfied_kinds: open,
        support_label,
    }
}

fn items(
    collected: &Collector,
    log: &Log,
    head: &Head,
    analysis: &Analysis,
) -> Vec<RemediationItem> {
    let first = analysis.evidence.first().cloned().unwrap_or_default();
    let mut items = Vec::new();
    if !head.run_level.is_empty() {
        let codes = order::unique(head.run_level.iter().map(|(code, _)| *code));
        let mut item = Draft::new("run_level", RemediationScope::RunLevel, codes);
        item.action = RecommendedAction::FixEventIngestAndSteps;
        item.primary = first.scope == "run_level";
        "reading the events file".clone_into(&mut item.check);
        items.push(item);
    }
    if !log.sequence.is_empty() {
        let codes = order::unique(log.sequence.iter().map(|reason| reason.code()));
        let mut item = Draft::new("event_sequence", RemediationScope::EventSequence, codes);
        item.action = RecommendedAction::FixEventSequenceOrder;
        item.primary = first.scope == "event_sequence";
        "the order of the events".clone_into(&mut item.check);
        items.push(item);
    }
    for (at, one) in analysis
        .evidence
        .iter()
        .filter(|one| one.scope == "run_context")
        .enumerate()
    {
        let ingest = one.ingest.unwrap_or(0);
        let mut item = Draft::new(
            &format!("run_context:{ingest}"),
            RemediationScope::RunContext,
            one.codes.clone(),
        );
        item.action = RecommendedAction::FixRunContextControls;
        item.primary = at == 0;
        item.check = format!("event {ingest} of the run");
        items.push(item);
    }
    items.extend(
        collected
            .broken
            .iter()
            .map(|broken| step_item(broken, analysis)),
    );
    items.truncate(ITEMS);
    items
        .into_iter()
        .map(|draft| draft.item(analysis))
        .collect()
}

fn step_item(broken: &Broken, analysis: &Analysis) -> Draft {
    let (id, scope) = match &broken.effect {
        Some(effect) => (
            format!("effect:{}:{effect}", broken.seq),
            RemediationScope::Effect,
        ),
        None => (format!("step:{}", broken.seq), RemediationScope::Step),
    };
    let mut draft = Draft::new(&id, scope, vec![broken.code]);
    let analysis::Class(_, _, action) = analysis::class(broken.code);
    draft.action = action;
    draft.primary = broken.effect.is_none() && analysis.points_to_step(broken.seq);
    if draft.primary && analysis.failure.recommended_action == RecommendedAction::ManualReview {
        draft.action = RecommendedAction::ManualReview;
    }
    draft.check = format!("step seq={} tool={}", broken.seq, broken.tool_id);
    draft.reason.clone_from(&broken.message);
    draft.expected = broken.expected.clone();
    draft
}

/// An item before its standing texts are added.
struct Draft {
    id: String,
    scope: RemediationScope,
    codes: Vec<&'static str>,
    primary: bool,
    action: RecommendedAction,
    check: String,
    reason: String,
    expected: JsString,
}

impl Draft {
    fn new(id: &str, scope: RemediationScope, codes: Vec<&'static str>) -> Self {
        let reason: Vec<String> = codes
            .iter()
            .map(|code| format!("{code}: {}", meaning(code)))
            .collect();
        Self {
            id: crosscheck_core::text::cut_units(id, 128).to_owned(),
            scope,
            reason: reason.join("; "),
            codes,
            primary: false,
            action: RecommendedAction::ManualReview,
            check: String::new(),
            expected: "The events of this workflow are whole, in order, and undisturbed.".into(),
        }
    }

    fn item(mut self, analysis: &Analysis) -> RemediationItem {
        let (automation, rerun_path) = remedy(self.action, self.codes.first().copied(), &WORDS);
        self.codes.truncate(MISSING);
        RemediationItem {
            id: self.id,
            scope: self.scope,
            primary: self.primary,
            failed_check: redact(self.check.as_str().into(), 256),
            reason_codes: self.codes,
            reason: redact(self.reason.as_str().into(), 1024).to_string(),
            recommended_action: self.action,
            action_text: action_text(self.action),
            expected_state: ExpectedState {
                summary: redact(self.expected.as_js(), 1024),
                projection_kind: self.primary.then(|| correctness::kind(analysis)),
            },
            automation,
            human_review: review(self.action == RecommendedAction::ManualReview, analysis),
            rerun_path,
        }
    }
}

fn review(required: bool, analysis: &Analysis) -> HumanReview {
    let lines = |list: Vec<String>| required.then_some(list);
    HumanReview {
        required,
        decision_prompt: required
            .then_some("Is the declared step right, or is the database right?"),
        hypotheses: lines(
            analysis
                .alternatives
                .iter()
                .map(|(_, why)| (*why).to_owned())
                .collect(),
        ),
        known_facts: lines(vec![
            redact(analysis.summary.as_str().into(), 512).to_string(),
        ]),
        evidence_to_inspect: lines(vec![
            "the event of the step".to_owned(),
            "the row and its table in the database".to_owned(),
        ]),
    }
}
