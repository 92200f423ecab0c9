//! The path of the report (workspace 2).

use std::fs;
use std::path::{Path, PathBuf};

use crosscheck_core::files::real;

use super::remembered::CRITERIA_FILE;
use crate::error::WorkspaceError;
use crate::read::acceptance::ACCEPTANCE_FILE;
use crate::read::layout::{INSTRUCTIONS_FILE, normal};
use crate::read::metadata::METADATA_FILE;
use crate::read::status::STATUS_FILE;
use crate::reasons::WorkspaceReason;
use crate::report::log::LOG_FILE;
use crate::voice::Voice;
use crate::workspace::Workspace;

/// Files that a report must not overwrite.
pub(super) const OWN_FILES: [&str; 8] = [
    INSTRUCTIONS_FILE,
    METADATA_FILE,
    STATUS_FILE,
    ACCEPTANCE_FILE,
    CRITERIA_FILE,
    LOG_FILE,
    ".verify.lock",
    ".run.lock",
];

/// The path of the report.
pub(super) struct ReportTarget {
    /// As shown: absolute and normalised.
    pub(super) shown: PathBuf,
    /// As written.
    pub(super) path: PathBuf,
    /// Whether the user typed it; then it may point anywhere.
    pub(super) was_typed: bool,
}

/// The end of a chain of links, even if nothing exists there yet.
fn through_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = normal(&real(path.parent().unwrap_or(&path)).join(target));
    }
    path
}

fn is_own(path: &Path, workspace: &Workspace) -> bool {
    let is_here = path
        .parent()
        .is_some_and(|folder| real(folder) == real(&workspace.folder));
    let name = path.file_name().unwrap_or_default();
    is_here && OWN_FILES.iter().any(|own| name == *own)
}

impl ReportTarget {
    /// A typed path may lead anywhere. A configured one could have been written
    /// by the agent, so it stays inside the workspace.
    pub(super) fn of(workspace: &Workspace, typed: Option<&Path>) -> Result<Self, WorkspaceError> {
        let configured = Path::new(&workspace.settings.chosen.report_filename);
        let shown = normal(&workspace.folder.join(typed.unwrap_or(configured)));
        if typed.is_none() {
            let parent = shown.parent().unwrap_or(&shown);
            let is_inside = shown != workspace.folder
                && shown.starts_with(&workspace.folder)
                && real(parent).starts_with(real(&workspace.folder));
            if !is_inside {
                return Err(WorkspaceError::new(
                    WorkspaceReason::Config,
                    "verification.reportFilename must stay inside the workspace",
                ));
            }
        }
        let path = if typed.is_some() {
            through_links(&shown)
        } else {
            shown.clone()
        };
        if is_own(&shown, workspace) || is_own(&path, workspace) {
            return Err(WorkspaceError::usage(format!(
                "Report path is a file of the workspace itself: {}",
                shown.display()
            )));
        }
        // Setting one of these aside for a report would break every program that uses it.
        let hindrance = match fs::metadata(&shown) {
            Ok(seen) if seen.is_dir() => Some("is a directory"),
            Ok(seen) if !seen.is_file() => Some("is a device, a pipe or a socket"),
            _ => None,
        };
        if let Some(what) = hindrance {
            return Err(WorkspaceError::usage(format!(
                "Report path {what}: {}",
                shown.display()
            )));
        }
        Ok(Self {
            path,
            shown,
            was_typed: typed.is_some(),
        })
    }

    /// A folder that cannot be created is only noted: the judge might still
    /// succeed.
    pub(super) fn make_folder(&self, voice: &mut Voice<'_>) {
        if let Some(folder) = self.path.parent()
            && let Err(error) = fs::create_dir_all(folder)
        {
            voice.detail(&format!("cannot create {}: {error}", folder.display()));
        }
    }
}
