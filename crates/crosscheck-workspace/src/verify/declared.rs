//! What a verification needs before the judge is called: the path of the report
//! and the declared criteria.

use std::path::PathBuf;

use crosscheck_core::advice::with_causes;
use crosscheck_core::files::{read_regular, real};

use super::VerificationOptions;
use super::place::ReportTarget;
use crate::error::WorkspaceError;
use crate::read::acceptance::{self, ACCEPTANCE_FILE, Criterion, CriterionCheck};
use crate::workspace::Workspace;

/// Declared criteria, and the file they come from.
pub(super) struct Declared {
    pub(super) criteria: Vec<Criterion>,
    pub(super) file: Option<PathBuf>,
}

/// Everything that can be wrong before the LLM is called. A run checks it at
/// its start, so that a mistake does not cost all its iterations.
pub(crate) fn preflight(
    workspace: &Workspace,
    options: &VerificationOptions,
) -> Result<(), WorkspaceError> {
    settle(workspace, options).map(drop)
}

pub(super) fn settle(
    workspace: &Workspace,
    options: &VerificationOptions,
) -> Result<(ReportTarget, Declared), WorkspaceError> {
    let target = ReportTarget::of(workspace, options.report_path.as_deref())?;
    let declared = read(workspace, options)?;
    let is_same = |file: &PathBuf| real(file) == real(&target.path);
    if declared.file.as_ref().is_some_and(is_same) {
        return Err(WorkspaceError::usage(format!(
            "Report path is the acceptance file: {}",
            target.shown.display()
        )));
    }
    Ok((target, declared))
}

fn read(workspace: &Workspace, options: &VerificationOptions) -> Result<Declared, WorkspaceError> {
    let path = options
        .acceptance
        .clone()
        .unwrap_or_else(|| workspace.folder.join(ACCEPTANCE_FILE));
    let mut criteria = Vec::new();
    let mut file = None;
    if options.acceptance.is_some() || std::fs::symlink_metadata(&path).is_ok() {
        let bytes = read_regular(&path, acceptance::LIMIT)
            .map_err(|error| WorkspaceError::acceptance(with_causes(&error)))?;
        criteria = acceptance::parse(&String::from_utf8_lossy(&bytes))?;
        file = Some(path);
    }
    if let Some(argv) = workspace.settings.chosen.test_command.clone() {
        const ID: &str = "testCommand";
        if criteria.iter().any(|criterion| criterion.id == ID) {
            return Err(WorkspaceError::acceptance(format_args!(
                "the id `{ID}` is taken by verification.testCommand"
            )));
        }
        criteria.push(Criterion {
            id: ID.to_owned(),
            kind: "command".to_owned(),
            check: CriterionCheck::Command {
                argv,
                cwd: None,
                timeout_seconds: 600,
                expect_exit: 0,
            },
        });
    }
    Ok(Declared { criteria, file })
}
