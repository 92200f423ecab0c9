//! Why a pull request could not be checked.

use crosscheck_core::{Advice, Reason};

use crate::reasons::PrRunReason;

/// Why a pull request could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum PrError {
    /// There is no repository.
    #[error("no git repository can be read here: {0}")]
    NoRepository(String),
    /// A name of the command line or of the event is no commit of the repository.
    #[error("`{name}` is not a commit of this repository{}", shallow(*is_shallow))]
    NoCommit {
        /// The name.
        name: String,
        /// Whether the repository has only a part of its history.
        is_shallow: bool,
    },
    /// The two commits have no common ancestor.
    #[error("`{base}` and `{head}` have no common commit{}", shallow(*is_shallow))]
    NoCommonCommit {
        /// The base.
        base: String,
        /// The head.
        head: String,
        /// Whether the repository has only a part of its history.
        is_shallow: bool,
    },
    /// git did not answer.
    #[error("git could not compare the commits: {0}")]
    Git(String),
    /// A file of the command line is not what it should be.
    #[error("cannot use {what}: {why}")]
    Input {
        /// The event, or the results of the checks.
        what: &'static str,
        /// Why.
        why: String,
    },
}

fn shallow(is_shallow: bool) -> &'static str {
    if is_shallow {
        ", which has only a part of its history"
    } else {
        ""
    }
}

impl Advice for PrError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::NoRepository(_) => PrRunReason::PrNoRepository.reason(),
            Self::NoCommit { .. } | Self::NoCommonCommit { .. } => PrRunReason::PrNoCommit.reason(),
            Self::Git(_) => PrRunReason::PrGitFailed.reason(),
            Self::Input { .. } => PrRunReason::PrInputUnreadable.reason(),
        }
    }
}
