//! The neutral report, derived from ours.

use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Outcome, Report};

use super::QuickReport;

impl QuickReport {
    /// What renderers, the ledger and the gate read. `subject` is what was checked.
    pub fn neutral(&self, subject: &str) -> Report {
        Report {
            verifier: "quick",
            notices: self
                .unchecked
                .iter()
                .map(|one| format!("not checked: {one}"))
                .collect(),
            subject: subject.to_owned(),
            verdict: self.verdict,
            summary: self.summary.to_string(),
            outcomes: self
                .units
                .iter()
                .map(|unit| Outcome {
                    unit: unit.finding.unit.id.clone(),
                    claim: unit.reconciliation.declared.to_string(),
                    verdict: unit.verdict(),
                    reasons: unit
                        .reasons()
                        .iter()
                        .map(|code| Grounds::plain(code.reason()))
                        .collect(),
                    expected: Some(unit.reconciliation.expected.to_string()),
                    observed: Some(unit.reconciliation.observed.to_string()),
                    place: None,
                    link: None,
                })
                .collect(),
        }
    }
}
