//! Files first, standard output last.

use std::path::Path;

use crosscheck_core::files::write_atomic;

use super::Documents;
use crate::error::RowsError;

/// Where the files of a run go.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    /// The registry file.
    pub registry: &'a Path,
    /// The events file.
    pub events: Option<&'a Path>,
    /// The report file.
    pub report: Option<&'a Path>,
}

/// Writes the files, each as a whole and read back. When one fails, those
/// before it stay; the caller must not print the certificate then.
pub fn publish(documents: &Documents, targets: &Targets<'_>) -> Result<(), RowsError> {
    write_atomic(targets.registry, documents.registry.as_bytes())
        .map_err(|source| RowsError::ExportRegistry { source })?;
    if let Some(path) = targets.events {
        write_atomic(path, documents.events.as_bytes())
            .map_err(|source| RowsError::EmitEvents { source })?;
    }
    if let Some(path) = targets.report {
        write_atomic(path, documents.report.as_bytes())
            .map_err(|source| RowsError::WriteReport { source })?;
    }
    Ok(())
}
