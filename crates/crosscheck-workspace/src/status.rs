//! The verdict of a verification, in the words of the contract.

use serde::{Deserialize, Serialize};

/// The verdict words of this contract; the worst is the greatest.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The work is complete.
    Pass,
    /// A person has to review it.
    NeedsReview,
    /// Something is missing.
    Fail,
}

impl Status {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NeedsReview => "needs_review",
            Self::Fail => "fail",
        }
    }
}

impl From<Status> for crosscheck_core::Verdict {
    fn from(status: Status) -> Self {
        match status {
            Status::Pass => Self::Confirmed,
            Status::NeedsReview => Self::Undecided,
            Status::Fail => Self::Refuted,
        }
    }
}
