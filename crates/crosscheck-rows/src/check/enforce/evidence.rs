//! What drift depends on, whatever verified the run.

use crosscheck_core::Verdict;

use crate::check::error::ContractError;
use crate::check::report::{Report, Unread, spool_error};

/// A finished run, as far as it is compared with a baseline.
pub struct Evidence {
    pub(super) workflow_id: String,
    /// What is compared: the material truth, as canonical JSON.
    pub(super) truth: Vec<u8>,
    /// The hash of the document that the run printed.
    pub(super) document_sha256: String,
    /// Whether the run itself holds; a baseline may be one that does not.
    pub(super) verdict: Verdict,
    /// A look-up that failed.
    pub(super) unread: Option<Unread>,
}

impl Evidence {
    /// The evidence of a run of `check`.
    pub fn of_check(report: &Report) -> Result<Self, ContractError> {
        let mut truth = Vec::new();
        report
            .write_material_truth(&mut truth)
            .map_err(|error| spool_error(&error))?;
        let certificate = report.certificate_hash();
        Ok(Self {
            workflow_id: report.head.workflow_id.clone(),
            truth,
            document_sha256: certificate.map_err(|error| spool_error(&error))?.hex(),
            verdict: report.verdict(),
            unread: report.unread.clone(),
        })
    }

    /// Names the run by its document.
    pub fn run_id(&self) -> String {
        let hash = self.document_sha256.get(..16);
        format!("run-{}", hash.unwrap_or_default())
    }
}
