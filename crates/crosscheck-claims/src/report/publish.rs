//! Keeps a report before standard output has it (claims 3.5).

use std::path::Path;

use crosscheck_core::files::WriteError;

use super::place::write_below;
use super::{ClaimsReport, name};

impl ClaimsReport {
    /// Keeps the report where the settings of the project say, below its root.
    pub fn keep(&self, root: &Path, bytes: &[u8]) -> Result<(), WriteError> {
        if !(self.valid && self.settings.persist) {
            return Ok(());
        }
        let folder = self.settings.persist_dir.join("verify");
        let file = name::file_name(&self.wire.task_id.to_str_lossy());
        write_below(root, &folder.join(file), bytes)
    }
}
