//! Why a workspace command failed (workspace 12). The messages are part of the
//! contract: they are printed unchanged after `Error: `.

use std::path::{Path, PathBuf};

use crosscheck_core::advice::with_causes;
use crosscheck_core::{Advice, Reason};

use crate::reasons::WorkspaceReason;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Options that contradict each other.
    #[error("{0}")]
    Usage(String),
    /// An invalid workspace name.
    #[error("Invalid workspace name '{0}'. Use 1-100 letters, numbers, hyphens, and underscores.")]
    Name(String),
    /// No such workspace.
    #[error("Workspace '{name}' not found at: {}{detail}\n{advice}", path.display())]
    NotFound {
        /// The name asked for.
        name: String,
        /// Where it should be.
        path: PathBuf,
        /// What exactly is missing.
        detail: &'static str,
        /// The existing workspaces.
        advice: String,
    },
    /// `init` on an existing folder.
    #[error("Workspace already exists: {0}")]
    Exists(String),
    /// There are no instructions yet.
    #[error("Instructions not found. Run setup first:\n {program} setup {name}")]
    InstructionsMissing {
        /// How the program is called.
        program: String,
        /// The workspace.
        name: String,
    },
    /// `.metadata.json` is wrong.
    #[error("Invalid metadata: {0}")]
    Metadata(String),
    /// A setting is wrong.
    #[error("Invalid configuration: {0}")]
    Config(String),
    /// The configured report is outside the workspace.
    #[error("verification.reportFilename must stay inside the workspace")]
    ReportOutside,
    /// The acceptance file is wrong.
    #[error("Invalid acceptance file: {0}")]
    Acceptance(String),
    /// The version probe failed.
    #[error("{who} CLI not available\n{advice}")]
    LlmUnavailable {
        /// The CLI, as messages name it.
        who: String,
        /// What to do.
        advice: String,
    },
    /// The LLM failed.
    #[error("{who} execution failed: {what}\n{said}")]
    LlmFailed {
        /// The CLI, as messages name it.
        who: String,
        /// How it ended.
        what: String,
        /// `Stderr: …` or `Output: …`.
        said: String,
        /// Its exit code, if it had one.
        exit: Option<i32>,
    },
    /// The LLM timed out.
    #[error(
        "{who} execution failed: timed out after {seconds} s\n\
         Allow more with --timeout SECONDS or verification.timeoutSeconds\n{said}"
    )]
    LlmTimeout {
        /// The CLI, as messages name it.
        who: String,
        /// The limit.
        seconds: u64,
        /// `Stderr: …` or `Output: …`.
        said: String,
    },
    /// Processes of a call could not be ended, and could still change files.
    #[error("{who} left processes running that could not be ended, so nothing is verified")]
    LeftRunning {
        /// Whose they are.
        who: String,
    },
    /// The LLM wrote nothing.
    #[error(
        "Verification report not generated\nExpected location: {}\n\nPossible causes:\n  \
         1. Permission prompts blocked execution\n     Try: --dangerously-skip-permissions\n  \
         2. {who} failed to understand instructions\n  \
         3. Path or permission issues preventing file write\n{older}\n{who} output:\n{output}",
        path.display()
    )]
    ReportMissing {
        /// The CLI, as messages name it.
        who: String,
        /// Where it should be.
        path: PathBuf,
        /// A line about an older report, or nothing.
        older: String,
        /// All it printed.
        output: String,
    },
    /// The report is too large.
    #[error("Verification report is too large: {} (the limit is 16 MiB)", .0.display())]
    ReportTooLarge(PathBuf),
    /// Another process holds the lock.
    #[error("{0}")]
    Locked(String),
    /// A file could not be read or written.
    #[error("{0}")]
    Io(String),
}

impl WorkspaceError {
    pub(crate) fn io(error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Io(with_causes(error))
    }

    pub(crate) fn file(step: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::Io(format!("cannot {step} `{}`: {error}", path.display()))
    }

    const fn code(&self) -> WorkspaceReason {
        match self {
            Self::Usage(_) => WorkspaceReason::Usage,
            Self::Name(_) => WorkspaceReason::Name,
            Self::NotFound { .. } => WorkspaceReason::NotFound,
            Self::Exists(_) => WorkspaceReason::Exists,
            Self::InstructionsMissing { .. } => WorkspaceReason::InstructionsMissing,
            Self::Metadata(_) => WorkspaceReason::Metadata,
            Self::Config(_) | Self::ReportOutside => WorkspaceReason::Config,
            Self::Acceptance(_) => WorkspaceReason::Acceptance,
            Self::LlmUnavailable { .. } => WorkspaceReason::LlmUnavailable,
            Self::LlmFailed { .. } => WorkspaceReason::LlmFailed,
            Self::LlmTimeout { .. } => WorkspaceReason::LlmTimeout,
            Self::LeftRunning { .. } => WorkspaceReason::LeftRunning,
            Self::ReportMissing { .. } => WorkspaceReason::ReportMissing,
            Self::ReportTooLarge(_) => WorkspaceReason::ReportTooLarge,
            Self::Locked(_) => WorkspaceReason::Locked,
            Self::Io(_) => WorkspaceReason::Io,
        }
    }

    /// Whether the verification had begun.
    pub(crate) const fn belongs_in_log(&self) -> bool {
        matches!(
            self,
            Self::LlmUnavailable { .. }
                | Self::LlmFailed { .. }
                | Self::LlmTimeout { .. }
                | Self::LeftRunning { .. }
                | Self::ReportMissing { .. }
                | Self::ReportTooLarge(_)
                | Self::Io(_)
        )
    }

    /// The exit code of the LLM, if there is one.
    pub(crate) const fn llm_exit(&self) -> Option<i32> {
        match self {
            Self::LlmFailed { exit, .. } => *exit,
            Self::ReportMissing { .. } | Self::ReportTooLarge(_) => Some(0),
            _ => None,
        }
    }

    /// The word for the verification log.
    pub(crate) const fn log_code(&self) -> &'static str {
        match self {
            Self::LlmUnavailable { .. } => "llm_unavailable",
            Self::LlmFailed { .. } | Self::LeftRunning { .. } => "llm_failed",
            Self::LlmTimeout { .. } => "llm_timeout",
            Self::ReportMissing { .. } => "report_missing",
            _ => "io",
        }
    }
}

impl Advice for WorkspaceError {
    fn reason(&self) -> &'static Reason {
        self.code().reason()
    }
}
