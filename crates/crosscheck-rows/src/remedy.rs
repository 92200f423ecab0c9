//! What the certificates of `quick` and `check` say alike: what is to be done,
//! who may do it, and when another run says more.

use serde::Serialize;

use crate::reasons::RowReason;
use crate::wire::certificate_v3::{
    ActionableFailure, Automation, AutomationClass, BlockerCategory, NextAction, RecommendedAction,
    RerunKind, RerunPath, RerunReadiness,
};

pub(crate) const EVIDENCE_BEGIN: &str = "=== evidence_completeness ===";
pub(crate) const EVIDENCE_END: &str = "=== end evidence_completeness ===";
pub(crate) const BOUNDARY: &str =
    "This tool only reads. It never changes data, and nothing it says permits an automatic change.";

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

/// What to do first, and what to do about anything that is open.
pub(crate) fn next_actions(
    first: RecommendedAction,
    is_open: bool,
    text: impl Fn(RecommendedAction) -> &'static str,
) -> Vec<NextAction> {
    let mut ids = vec![first];
    if is_open && first != RecommendedAction::FixRegistryEventsOrCompareFiles {
        ids.push(RecommendedAction::FixRegistryEventsOrCompareFiles);
    }
    let action = |id| NextAction { id, text: text(id) };
    ids.into_iter().map(action).collect()
}

/// What must happen before the next run.
pub(crate) fn readiness(blocker: BlockerCategory, failure: ActionableFailure) -> RerunReadiness {
    if failure.automation_safe {
        return RerunReadiness::RerunReadySameInputs;
    }
    match blocker {
        BlockerCategory::IngestEmpty | BlockerCategory::IngestUnstructured => {
            RerunReadiness::FixInputsBeforeRerun
        }
        BlockerCategory::RegistryUnknownTool | BlockerCategory::RegistryResolution => {
            RerunReadiness::FixRegistryBeforeRerun
        }
        BlockerCategory::StateMismatch | BlockerCategory::DatabaseAccess => {
            RerunReadiness::ReconcileStateBeforeRerun
        }
        BlockerCategory::None
        | BlockerCategory::PreviewLane
        | BlockerCategory::TimingOrWindow
        | BlockerCategory::WitnessUnavailable
        | BlockerCategory::VerificationIncomplete
        | BlockerCategory::EventSequence
        | BlockerCategory::ControlFlowContext => RerunReadiness::ManualReviewBeforeRerun,
    }
}

/// Who may do what is recommended for a code, and when another run says more.
pub(crate) fn remedy(
    action: RecommendedAction,
    code: Option<&str>,
    words: &Words,
) -> (Automation, RerunPath) {
    let class = class(action, code);
    let label = match class {
        AutomationClass::ReadOnlyRetry => "may be retried automatically, read-only",
        AutomationClass::InputRegenerationCandidate => {
            "inputs may be regenerated, then checked again"
        }
        AutomationClass::HumanWriteRequired => "a person must approve the write that fixes it",
        AutomationClass::NeverAutoMutate => "a person must decide before anything is changed",
    };
    let automation = Automation {
        class,
        label,
        boundary: BOUNDARY,
    };
    (automation, rerun_path(class, words))
}

fn class(action: RecommendedAction, code: Option<&str>) -> AutomationClass {
    if code == Some(RowReason::ConnectorError.code()) {
        return AutomationClass::ReadOnlyRetry;
    }
    match action {
        RecommendedAction::ReconcileDownstreamState | RecommendedAction::Deduplicate => {
            AutomationClass::HumanWriteRequired
        }
        RecommendedAction::ManualReview
        | RecommendedAction::ResolveMultiEffectFailures
        | RecommendedAction::AlignToolObservations => AutomationClass::NeverAutoMutate,
        RecommendedAction::None
        | RecommendedAction::CorrectVerificationInputs
        | RecommendedAction::ImproveReadConnectivity
        | RecommendedAction::FixEventIngestAndSteps
        | RecommendedAction::FixEventSequenceOrder
        | RecommendedAction::FixRunContextControls
        | RecommendedAction::FixRegistryEventsOrCompareFiles
        | RecommendedAction::FixVerificationDatabaseConnection => {
            AutomationClass::InputRegenerationCandidate
        }
    }
}

fn rerun_path(class: AutomationClass, words: &Words) -> RerunPath {
    let (kind, prerequisite, meaningful_when, readiness_label) = match class {
        AutomationClass::ReadOnlyRetry => (
            RerunKind::SameInputVerify,
            "The database answers read-only queries of this connection.",
            "The connection, the rights or the server were repaired.",
            words.is_ready,
        ),
        AutomationClass::InputRegenerationCandidate => (
            RerunKind::AfterInputFixVerify,
            "Registry, events or connection were corrected.",
            "An input of this run was changed.",
            "after the inputs are fixed",
        ),
        AutomationClass::HumanWriteRequired => (
            RerunKind::AfterStateFixVerify,
            "Somebody brought the database to the declared state or corrected the declaration.",
            words.rows_changed,
            "after the state is fixed",
        ),
        AutomationClass::NeverAutoMutate => (
            RerunKind::AfterManualReviewVerify,
            words.somebody_looked,
            words.changed_as_decided,
            "after a review",
        ),
    };
    RerunPath {
        kind,
        same_inputs: class == AutomationClass::ReadOnlyRetry,
        prerequisite,
        meaningful_when,
        readiness_label,
    }
}
