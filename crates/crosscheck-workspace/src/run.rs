//! `run` (workspace 13): iterations until the agent says complete, then a
//! verification, then more iterations if it found gaps.

mod steps;

use std::sync::Arc;

use crosscheck_core::Listener;
use crosscheck_core::clock::{Clock, SystemClock};

use crate::error::WorkspaceError;
use crate::voice::Voice;
use crate::workspace::Workspace;
use steps::WorkspaceRun;

/// The settings of a run; `None` means the value of the workspace or the
/// configuration.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// At most this many iterations, at least 1.
    pub max_iterations: Option<u64>,
    /// Seconds between iterations.
    pub delay: Option<u64>,
    /// Skip permission prompts, for this run only.
    pub skip_permissions: bool,
    /// Do not verify at the end.
    pub no_verify: bool,
}

/// Runs a workspace; `false` when a verification of this run did not pass.
pub fn run(
    workspace: &Workspace,
    options: &RunOptions,
    listener: &mut dyn Listener,
) -> Result<bool, WorkspaceError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut voice = Voice::new(listener);
    WorkspaceRun::start(workspace, options, &mut voice, &clock)?.finish()
}
