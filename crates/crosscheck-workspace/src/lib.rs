//! Is the work of an agent loop really complete? An LLM CLI looks at the
//! deliverables and writes a report; the report is parsed, and because it is
//! itself only a claim, hard facts are checked besides.

pub mod commands;
pub mod config;
pub mod console;
mod error;
mod journal;
pub mod judge;
pub mod observe;
pub mod plan;
pub mod read;
pub mod reasons;
pub mod report;
pub mod run;
mod verify;
mod workspace;

use std::sync::Arc;

use crosscheck_core::clock::SystemClock;

pub use error::WorkspaceError;
pub use report::result::VerificationResult;
pub use verify::{VerificationOptions, Verified, level, verify as verify_with};
pub use workspace::Workspace;

use config::OutputLevel;
use console::{Silent, Voice};

/// Verifies a workspace without saying anything.
pub fn verify(
    workspace: &Workspace,
    options: &VerificationOptions,
) -> Result<VerificationResult, WorkspaceError> {
    let mut silent = Silent;
    let mut voice = Voice::new(&mut silent, OutputLevel::Quiet, false, false);
    let clock: Arc<dyn crosscheck_core::clock::Clock> = Arc::new(SystemClock);
    verify_with(workspace, options, None, &mut voice, &clock).map(|verified| verified.result)
}

/// The text with which a run goes on after a failed verification: what was
/// found, then the original instructions.
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
