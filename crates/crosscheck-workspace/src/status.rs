//! The verdict of a verification, in the words of the contract.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict words of this contract; the worst is the greatest.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceStatus {
    /// The work is complete.
    Pass,
    /// A person has to review it.
    NeedsReview,
    /// Something is missing.
    Fail,
}

impl WorkspaceStatus {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NeedsReview => "needs_review",
            Self::Fail => "fail",
        }
    }
}

impl From<WorkspaceStatus> for crosscheck_core::Verdict {
    fn from(status: WorkspaceStatus) -> Self {
        match status {
            WorkspaceStatus::Pass => Self::Confirmed,
            WorkspaceStatus::NeedsReview => Self::Undecided,
            WorkspaceStatus::Fail => Self::Refuted,
        }
    }
}
