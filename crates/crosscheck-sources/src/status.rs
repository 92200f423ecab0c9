//! The four words a checked URL can end with.

use crosscheck_core::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found about a cited URL. The greatest is the worst.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SourceStatus {
    /// The page is there and says so.
    Verified,
    /// It could not be decided.
    Suspect,
    /// The page is there and does not say so.
    Unreliable,
    /// The page or its site does not exist.
    Fabricated,
}

impl SourceStatus {
    /// The word of the contract.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Suspect => "suspect",
            Self::Unreliable => "unreliable",
            Self::Fabricated => "fabricated",
        }
    }

    /// Reads the word of the contract.
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::Verified,
            Self::Suspect,
            Self::Unreliable,
            Self::Fabricated,
        ]
        .into_iter()
        .find(|status| status.word() == word)
    }

    /// The word every part of crosscheck uses.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Verified => Verdict::Confirmed,
            Self::Suspect => Verdict::Undecided,
            Self::Unreliable | Self::Fabricated => Verdict::Refuted,
        }
    }
}
