//! Every sentence a contract run says to people.
//!
//! Contract: check 11.

use crate::certificate::Action;

pub(crate) const TRUSTED: &str =
    "TRUSTED: every step of this workflow was found in the database as its contract says.";
pub(crate) const NOT_TRUSTED_MISMATCH: &str =
    "NOT TRUSTED: the database disagrees with what at least one step should have left behind.";
pub(crate) const NOT_TRUSTED_INCOMPLETE: &str = "NOT TRUSTED: at least one step could not be checked, so nothing is established for the workflow as a whole.";
pub(crate) const NOT_TRUSTED_UNCERTAIN: &str =
    "NOT TRUSTED: at least one step was not seen in the database before its window closed.";
/// Every sentence on trust. A signed bundle of ours is known by it, so that a
/// sentence that was once published stays in this list.
pub(crate) const TRUST: [&str; 4] = [
    TRUSTED,
    NOT_TRUSTED_MISMATCH,
    NOT_TRUSTED_INCOMPLETE,
    NOT_TRUSTED_UNCERTAIN,
];
pub(crate) const IRREGULAR_SUFFIX: &str =
    " The order of the events is irregular; read the sequence notes.";

pub(crate) const RELIANCE_PERMITTED: &str = "A written contract was checked against the database and every step holds; this may be relied on for the state at the time of the check.";
pub(crate) const RELIANCE_MISMATCH: &str = "A written contract was checked against the database and at least one step does not hold; do not ship, bill, certify or close on it.";
pub(crate) const RELIANCE_OPEN: &str =
    "A written contract could not be checked in full; an open check is not a basis for a decision.";

pub(crate) const NO_REQUEST: &str =
    "No SQL verification request (registry resolution or unknown tool).";
pub(crate) const NO_ROW_COUNT: &str = "SQL evidence present (no rowCount in summary).";
pub(crate) const NOT_READ: &str = "Not read: the database gave no answer.";
pub(crate) const EXPECTED_NONE: &str = "none: no expectation could be resolved for this step";

pub(crate) const NO_VALUE_COMPARED: &str = "row exists; no value compared";
pub(crate) const SEE_ALSO: &str = "see_also: `crosscheck rows LOG` checks the log of an agent without a registry, and compares the answers of its tools too";

pub(crate) const TRUST_BOUNDARY: &str =
    "rows as read at the time of the check; that a tool ran is not proven";

/// What to do, in one sentence.
pub(crate) const fn action_text(action: Action) -> &'static str {
    match action {
        Action::None => "Nothing has to be done.",
        Action::ManualReview => {
            "Hold the declared call and the observed row side by side and decide which of them is right."
        }
        Action::Deduplicate => {
            "Remove the extra rows and add a unique constraint over the identity."
        }
        Action::ReconcileDownstreamState => {
            "Bring the database to the declared state, or correct what was declared; then check again."
        }
        Action::CorrectVerificationInputs => {
            "Correct the registry entry or the logged parameters so that they name one expectation; then check again."
        }
        Action::ImproveReadConnectivity => {
            "Make the rows readable for this check (connection, rights, names, types, time) and check again."
        }
        Action::ResolveMultiEffectFailures => {
            "Go through the effects of the step one by one and complete or undo what is half done."
        }
        Action::AlignToolObservations => {
            "Give each logical step its own seq, or log retries with the same parameters."
        }
        Action::FixEventIngestAndSteps => {
            "Repair the events file: one valid event per line, with tool observations of this workflow."
        }
        Action::FixEventSequenceOrder => "Log events in the order of their seq.",
        Action::FixRunContextControls => {
            "Repair what went wrong before the failing step, then run the workflow again."
        }
        Action::FixRegistryEventsOrCompareFiles => {
            "Check registry and events with `crosscheck validate-registry`, then check again."
        }
        Action::FixVerificationDatabaseConnection => {
            "Check this step against the system that holds its state."
        }
    }
}
