//! The Outcome Certificate (`outcome-certificate-v3.schema.json`), as `quick` and
//! `check` fill it: what both say about what is to be done, who may do it, and
//! when another run says more.
//!
//! Contract: check 11.

use std::collections::BTreeMap;

use crosscheck_core::{JsString, Verdict};
use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::reasons::RowReason;

pub(crate) const EVIDENCE_BEGIN: &str = "=== evidence_completeness ===";
pub(crate) const EVIDENCE_END: &str = "=== end evidence_completeness ===";
pub(crate) const BOUNDARY: &str =
    "This tool only reads. It never changes data, and nothing it says permits an automatic change.";

/// An object of a contract. A member that has no value is left out.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Doc(BTreeMap<&'static str, Box<RawValue>>);

impl Doc {
    pub(crate) fn with(mut self, name: &'static str, value: impl Serialize) -> Self {
        if let Ok(text) = to_raw_value(&value)
            && text.get() != "null"
        {
            self.0.insert(name, text);
        }
        self
    }
}

macro_rules! object {
    ($($name:literal: $value:expr),+ $(,)?) => {
        $crate::certificate::Doc::default()$(.with($name, &$value))+
    };
}
pub(crate) use object;

/// Sentences by their names, from a table with the columns of one of reasons.
macro_rules! texts {
    ($table:expr; $($name:ident),+ $(,)?) => {
        $(pub(crate) const $name: &str =
            crosscheck_core::reason::declared($table, stringify!($name)).meaning;)+
    };
}
pub(crate) use texts;

/// What is best done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    None,
    ManualReview,
    Deduplicate,
    ReconcileDownstreamState,
    CorrectVerificationInputs,
    ImproveReadConnectivity,
    ResolveMultiEffectFailures,
    AlignToolObservations,
    FixEventIngestAndSteps,
    FixEventSequenceOrder,
    FixRunContextControls,
    FixRegistryEventsOrCompareFiles,
    FixVerificationDatabaseConnection,
}

impl Action {
    /// The action of a table by its word.
    pub(crate) fn named(word: &str) -> Self {
        let named: Result<Self, serde::de::value::Error> =
            Self::deserialize(word.into_deserializer());
        named.unwrap_or(Self::ManualReview)
    }

    /// What to do, in one sentence; `quick` says some of them in its own words.
    pub(crate) fn text(self, is_quick: bool) -> &'static str {
        let word = word(&self);
        let of_action = |line: &'static str| line.strip_prefix(word.as_str())?.strip_prefix('\t');
        let texts = include_str!("actions.tsv").lines().find_map(of_action);
        match texts.unwrap_or_default().split_once('\t') {
            Some((_, own)) if is_quick && !own.is_empty() => own,
            texts => texts.unwrap_or_default().0,
        }
    }
}

/// What stands in the way of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Blocker {
    None,
    PreviewLane,
    IngestEmpty,
    IngestUnstructured,
    RegistryUnknownTool,
    RegistryResolution,
    DatabaseAccess,
    TimingOrWindow,
    WitnessUnavailable,
    StateMismatch,
    VerificationIncomplete,
    EventSequence,
    ControlFlowContext,
}

/// Whether a release may rely on a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trust {
    #[default]
    Trusted,
    NotTrusted,
    Unknown,
}

/// What kind of failure it is, and what to do about it.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    pub(crate) category: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) recommended_action: Action,
    pub(crate) automation_safe: bool,
}

/// How a certificate names what it is about.
pub(crate) struct Words {
    pub(crate) is_ready: &'static str,
    pub(crate) rows_changed: &'static str,
    pub(crate) somebody_looked: &'static str,
    pub(crate) changed_as_decided: &'static str,
}

/// The contract's own word for a value of a closed set.
pub(crate) fn word(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    text.trim_matches('"').to_owned()
}

/// The member `stateRelation`.
pub(crate) const fn relation(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "matches_expectations",
        Verdict::Refuted => "does_not_match",
        Verdict::Undecided => "not_established",
    }
}

/// Something to repair.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) scope: &'static str,
    pub(crate) primary: bool,
    pub(crate) failed_check: JsString,
    pub(crate) codes: Vec<&'static str>,
    /// The code that says who may repair it.
    pub(crate) first_code: Option<&'static str>,
    pub(crate) reason: String,
    pub(crate) action: Action,
    pub(crate) action_text: &'static str,
    /// What should be true.
    pub(crate) expected: JsString,
    pub(crate) projection: Option<&'static str>,
    /// What a person is asked, where one must decide.
    pub(crate) review: Doc,
}

impl Item {
    fn doc(&self, words: &Words) -> Doc {
        let class = class(self.action, self.first_code);
        let label = match class {
            READ_ONLY_RETRY => "may be retried automatically, read-only",
            HUMAN_WRITE_REQUIRED => "a person must approve the write that fixes it",
            NEVER_AUTO_MUTATE => "a person must decide before anything is changed",
            _ => "inputs may be regenerated, then checked again",
        };
        let needs_review = self.action == Action::ManualReview;
        let review = if needs_review {
            self.review.clone()
        } else {
            Doc::default()
        };
        object! {
            "id": self.id, "scope": self.scope, "primary": self.primary,
            "failedCheck": self.failed_check, "reasonCodes": self.codes, "reason": self.reason,
            "recommendedAction": self.action, "actionText": self.action_text,
            "expectedState": object! { "summary": self.expected, "projectionKind": self.projection },
            "automation": object! { "class": class, "label": label, "boundary": BOUNDARY },
            "humanReview": review.with("required", needs_review),
            "rerunPath": rerun_path(class, words),
        }
    }
}

const READ_ONLY_RETRY: &str = "read_only_retry";
const HUMAN_WRITE_REQUIRED: &str = "human_write_required";
const NEVER_AUTO_MUTATE: &str = "never_auto_mutate";

/// Who may do what is recommended for a code.
fn class(action: Action, code: Option<&str>) -> &'static str {
    match action {
        _ if code == Some(RowReason::ConnectorError.code()) => READ_ONLY_RETRY,
        Action::ReconcileDownstreamState | Action::Deduplicate => HUMAN_WRITE_REQUIRED,
        Action::ManualReview
        | Action::ResolveMultiEffectFailures
        | Action::AlignToolObservations => NEVER_AUTO_MUTATE,
        _ => "input_regeneration_candidate",
    }
}

/// When another run says more.
fn rerun_path(class: &str, words: &Words) -> Doc {
    let (kind, prerequisite, meaningful_when, readiness) = match class {
        READ_ONLY_RETRY => (
            "same_input_verify",
            "The database answers read-only queries of this connection.",
            "The connection, the rights or the server were repaired.",
            words.is_ready,
        ),
        HUMAN_WRITE_REQUIRED => (
            "after_state_fix_verify",
            "Somebody brought the database to the declared state or corrected the declaration.",
            words.rows_changed,
            "after the state is fixed",
        ),
        NEVER_AUTO_MUTATE => (
            "after_manual_review_verify",
            words.somebody_looked,
            words.changed_as_decided,
            "after a review",
        ),
        _ => (
            "after_input_fix_verify",
            "Registry, events or connection were corrected.",
            "An input of this run was changed.",
            "after the inputs are fixed",
        ),
    };
    object! {
        "type": kind, "sameInputs": class == READ_ONLY_RETRY, "prerequisite": prerequisite,
        "meaningfulWhen": meaningful_when, "readinessLabel": readiness,
    }
}

/// How complete the evidence is, what is missing, and what to do about it.
pub(crate) struct Evidence {
    pub(crate) words: &'static Words,
    pub(crate) blocker: Blocker,
    pub(crate) signal: &'static str,
    pub(crate) verified: Vec<JsString>,
    pub(crate) unverified: Vec<JsString>,
    /// Codes, each with what it asks for.
    pub(crate) missing: Vec<(&'static str, JsString)>,
    pub(crate) actions: Vec<(Action, &'static str)>,
    pub(crate) coverage: Option<Doc>,
    pub(crate) failure: Failure,
    /// What is to be repaired, unless all is well.
    pub(crate) items: Option<Vec<Item>>,
}

impl Evidence {
    pub(crate) fn doc(&self) -> Doc {
        let items = self.items.as_ref();
        let primary = items.and_then(|items| {
            let mut primary = items.iter().filter(|item| item.primary);
            primary.next().or_else(|| items.first())
        });
        let missing = self.missing.iter();
        let missing = missing.map(|(code, hint)| object! { "code": code, "hint": hint });
        let actions = self.actions.iter();
        let actions = actions.map(|(action, text)| object! { "id": action, "text": text });
        let documents = |items: &Vec<Item>| -> Vec<Doc> {
            let items = items.iter();
            items.map(|item| item.doc(self.words)).collect()
        };
        object! {
            "schemaVersion": 1, "blockerCategory": self.blocker, "quickSignal": self.signal,
            "verifiedClaims": self.verified, "unverifiedClaims": self.unverified,
            "missingInputs": missing.collect::<Vec<_>>(), "nextActions": actions.collect::<Vec<_>>(),
            "witnessCoverage": self.coverage,
            "rerunReadiness": items.map(|_| self.readiness()),
            "rerunPath": primary.map(|item| rerun_path(class(item.action, item.first_code), self.words)),
            "remediationItems": items.map(documents),
        }
    }

    /// What must happen before the next run.
    fn readiness(&self) -> &'static str {
        match self.blocker {
            _ if self.failure.automation_safe => "rerun_ready_same_inputs",
            Blocker::IngestEmpty | Blocker::IngestUnstructured => "fix_inputs_before_rerun",
            Blocker::RegistryUnknownTool | Blocker::RegistryResolution => {
                "fix_registry_before_rerun"
            }
            Blocker::StateMismatch | Blocker::DatabaseAccess => "reconcile_state_before_rerun",
            _ => "manual_review_before_rerun",
        }
    }
}

/// What to do first, and what to do about anything that is open.
pub(crate) fn next_actions(
    first: Action,
    is_open: bool,
    text: impl Fn(Action) -> &'static str,
) -> Vec<(Action, &'static str)> {
    let more = Action::FixRegistryEventsOrCompareFiles;
    let more = (is_open && first != more).then_some(more);
    let all = [first].into_iter().chain(more);
    all.map(|action| (action, text(action))).collect()
}

/// The failure in one block (`failure-spine-v1.schema.json`).
pub(crate) struct Spine {
    pub(crate) trust_decision: &'static str,
    pub(crate) summary: JsString,
    pub(crate) failure: Failure,
    pub(crate) codes: Vec<String>,
    pub(crate) guidance: &'static str,
    pub(crate) source: &'static str,
}

/// What must always hold (`correctnessDefinitionV1` of `workflow-truth-report.schema.json`).
pub(crate) fn definition(
    kind: &'static str,
    must_always_hold: &JsString,
    enforce_as: &[&str; 2],
    projection: impl Serialize,
    (action, is_safe): (Action, bool),
) -> Doc {
    object! {
        "schemaVersion": 1, "enforcementKind": kind, "mustAlwaysHold": must_always_hold,
        "enforceAs": enforce_as, "enforceableProjection": projection,
        "remediationAlignment": object! { "recommendedAction": action, "automationSafe": is_safe },
    }
}

/// Everything that a certificate says.
pub(crate) struct Certificate<'c> {
    pub(crate) workflow_id: &'c str,
    pub(crate) run_kind: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) is_permitted: bool,
    pub(crate) critical: Trust,
    pub(crate) rationale: &'static str,
    pub(crate) intent: JsString,
    pub(crate) details: Vec<Doc>,
    pub(crate) steps: Vec<Doc>,
    pub(crate) human: &'c str,
    pub(crate) evidence: &'c Evidence,
    pub(crate) spine: &'c Spine,
    pub(crate) definition: Option<Doc>,
}

impl Certificate<'_> {
    pub(crate) fn doc(&self) -> Doc {
        let spine = self.spine;
        object! {
            "schemaVersion": 3, "workflowId": self.workflow_id, "runKind": self.run_kind,
            "stateRelation": relation(self.verdict),
            "highStakesReliance": if self.is_permitted { "permitted" } else { "prohibited" },
            "releaseCriticalVerdict": self.critical, "relianceRationale": self.rationale,
            "intentSummary": self.intent,
            "explanation": object! { "headline": spine.summary, "details": self.details },
            "steps": self.steps, "humanReport": self.human,
            "evidenceCompleteness": self.evidence.doc(),
            "failureSpine": object! {
                "schemaVersion": 1, "trustDecision": spine.trust_decision, "summary": spine.summary,
                "actionableFailure": spine.failure, "primaryCodes": spine.codes,
                "rerunGuidance": spine.guidance, "source": spine.source,
            },
            "correctnessDefinition": self.definition,
        }
    }
}
