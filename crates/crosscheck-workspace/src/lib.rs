//! Is the work of an agent loop really complete? An LLM CLI checks the
//! deliverables and writes a report. The report is parsed, and because it is
//! itself only a claim, hard facts are checked as well.

pub mod commands;
pub mod config;
mod error;
pub mod judge;
pub mod observe;
pub mod plan;
pub mod read;
pub mod reasons;
pub mod report;
pub mod run;
mod status;
mod verify;
mod voice;
mod workspace;

use std::sync::Arc;

use crosscheck_core::Listener;
use crosscheck_core::clock::{Clock, SystemClock};

pub use error::WorkspaceError;
pub use report::result::VerificationResult;
pub use status::WorkspaceStatus;
pub use verify::VerificationOptions;
pub use workspace::Workspace;

use voice::Voice;

/// Verifies a workspace and reports its progress.
pub fn verify(
    workspace: &Workspace,
    options: &VerificationOptions,
    listener: &mut dyn Listener,
) -> Result<VerificationResult, WorkspaceError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut voice = Voice::new(listener);
    verify::verify(workspace, options, None, &mut voice, &clock)
}

/// The text with which a run continues after a failed verification: the gaps,
/// then the original instructions.
pub fn prepare_resume_instructions(
    workspace: &Workspace,
    result: &VerificationResult,
) -> Result<String, WorkspaceError> {
    let instructions = workspace.instructions()?;
    Ok(plan::resume::text(
        &result.gaps(),
        std::path::Path::new(&result.report_path),
        &String::from_utf8_lossy(&instructions),
    ))
}
