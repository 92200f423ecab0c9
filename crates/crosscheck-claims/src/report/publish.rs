//! Writes the files first, standard output last (claims 3.5).

use std::path::{Path, PathBuf};

use crosscheck_core::files::{WriteError, write_atomic};

use super::place::write_below;
use super::{ClaimsReport, name};
use crate::ClaimsError;

/// Where a report goes besides standard output.
#[derive(Debug, Clone, Default)]
pub struct Publication {
    /// `--out`.
    pub out: Option<PathBuf>,
    /// `--details`.
    pub details: Option<PathBuf>,
    /// `--no-persist`.
    pub no_persist: bool,
}

impl ClaimsReport {
    /// Writes every requested file; paths are relative to the root. All of them
    /// are tried; the first error is returned.
    pub fn publish(&self, root: &Path, to: &Publication, bytes: &[u8]) -> Result<(), ClaimsError> {
        let mut failed: Option<WriteError> = None;
        let mut note = |written: Result<(), WriteError>| {
            if let Err(error) = written {
                failed.get_or_insert(error);
            }
        };
        if self.valid && self.settings.persist && !to.no_persist {
            let folder = self.settings.persist_dir.join("verify");
            let file = name::file_name(&self.wire.task_id.to_str_lossy());
            note(write_below(root, &folder.join(file), bytes));
        }
        if let Some(out) = &to.out {
            note(write_atomic(&root.join(out), bytes));
        }
        if let Some(details) = &to.details {
            note(write_atomic(&root.join(details), &self.details_json(false)));
        }
        failed.map_or(Ok(()), |error| Err(error.into()))
    }
}
