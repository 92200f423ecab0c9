//! Why a workspace command failed (workspace 12). The messages are part of the
//! contract: they are printed unchanged after `Error: `.

use std::path::Path;

use crosscheck_core::advice::with_causes;
use crosscheck_core::{Advice, Reason};

use crate::reasons::WorkspaceReason;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct WorkspaceError {
    reason: WorkspaceReason,
    message: String,
    /// The exit code of the LLM, if there is one.
    pub(crate) llm_exit: Option<i32>,
}

impl WorkspaceError {
    /// A failure with the message of this case.
    pub fn new(reason: WorkspaceReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            llm_exit: None,
        }
    }

    /// Options that contradict each other, or a value that is not allowed.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(WorkspaceReason::Usage, message)
    }

    /// A file could not be read or written.
    pub fn io(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::new(WorkspaceReason::Io, with_causes(error))
    }

    /// The report is larger than 16 MiB.
    pub fn too_large(report: &Path) -> Self {
        let shown = report.display();
        let message = format!("Verification report is too large: {shown} (the limit is 16 MiB)");
        Self::new(WorkspaceReason::ReportTooLarge, message).after_exit(Some(0))
    }

    pub(crate) fn file(step: &str, path: &Path, error: &std::io::Error) -> Self {
        let message = format!("cannot {step} `{}`: {error}", path.display());
        Self::new(WorkspaceReason::Io, message)
    }

    pub(crate) fn acceptance(why: impl std::fmt::Display) -> Self {
        let message = format!("Invalid acceptance file: {why}");
        Self::new(WorkspaceReason::Acceptance, message)
    }

    pub(crate) fn metadata(why: impl std::fmt::Display) -> Self {
        Self::new(
            WorkspaceReason::Metadata,
            format!("Invalid metadata: {why}"),
        )
    }

    /// The same with the exit code of the LLM, for the log.
    pub(crate) const fn after_exit(mut self, code: Option<i32>) -> Self {
        self.llm_exit = code;
        self
    }

    /// The word for the verification log, if the verification had begun.
    pub(crate) const fn log_code(&self) -> Option<&'static str> {
        use WorkspaceReason as Reason;
        match self.reason {
            Reason::LlmUnavailable => Some("llm_unavailable"),
            Reason::LlmFailed | Reason::LeftRunning => Some("llm_failed"),
            Reason::LlmTimeout => Some("llm_timeout"),
            Reason::ReportMissing => Some("report_missing"),
            Reason::ReportTooLarge | Reason::Io => Some("io"),
            _ => None,
        }
    }
}

impl Advice for WorkspaceError {
    fn reason(&self) -> &'static Reason {
        self.reason.reason()
    }
}
