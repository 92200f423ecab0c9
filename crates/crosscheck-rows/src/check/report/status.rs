//! How a workflow ended.

use crosscheck_core::Verdict;

use crate::certificate::Trust;

/// How the workflow ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkflowStatus {
    /// everything verified
    Complete,
    /// something is otherwise
    Inconsistent,
    /// something is open
    Incomplete,
}

impl WorkflowStatus {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Inconsistent => "inconsistent",
            Self::Incomplete => "incomplete",
        }
    }

    /// The line that begins standard error.
    pub(crate) fn verdict_line(self) -> String {
        let trust = match self {
            Self::Complete => "trusted",
            Self::Inconsistent => "not_trusted",
            Self::Incomplete => "unknown",
        };
        format!("truth_check_verdict: {trust}\n")
    }
}

impl From<Verdict> for WorkflowStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Confirmed => Self::Complete,
            Verdict::Refuted => Self::Inconsistent,
            Verdict::Undecided => Self::Incomplete,
        }
    }
}

impl From<WorkflowStatus> for Verdict {
    fn from(status: WorkflowStatus) -> Self {
        match status {
            WorkflowStatus::Complete => Self::Confirmed,
            WorkflowStatus::Inconsistent => Self::Refuted,
            WorkflowStatus::Incomplete => Self::Undecided,
        }
    }
}

pub(crate) const fn trust_word(trust: Trust) -> &'static str {
    match trust {
        Trust::Trusted => "trusted",
        Trust::NotTrusted => "not_trusted",
        Trust::Unknown => "unknown",
    }
}
