//! The neutral report of a verification, for renderers, ledger and gate.

use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Outcome, Place, Report, UnitId, Verdict};

use super::result::VerificationResult;
use crate::judge::findings::{Effect, FindingSeen};
use crate::observe::criteria::{CriterionOutcome, CriterionSeen};
use crate::reasons::{Finding, WorkspaceReason};

impl VerificationResult {
    /// The findings in the vocabulary that all verifiers share: the claim to be
    /// complete, then every declared criterion.
    pub fn report(&self, workspace: &str) -> Report {
        let verdict = Verdict::from(self.status);
        let audit = self.audit.as_ref();
        let criteria = audit.map_or(&[][..], |audit| &audit.criteria);
        let is_open = verdict != Verdict::Confirmed && self.findings().is_empty();
        let open = is_open.then(|| Grounds {
            reason: WorkspaceReason::WorkOpen.reason(),
            message: self.summary.clone(),
        });
        let work = Outcome {
            observed: Some(self.issues.join("; ")).filter(|issues| !issues.is_empty()),
            place: Some(Place {
                path: self.report_path.clone(),
                line: None,
                column: None,
                end_line: None,
            }),
            ..Outcome::new(
                UnitId::numbered('w', 0),
                format!("the work of workspace {workspace} is complete"),
                verdict,
                self.findings().iter().map(grounds).chain(open).collect(),
            )
        };
        let criteria = criteria.iter().enumerate();
        let criteria = criteria.map(|(at, seen)| criterion(at, seen));
        Report {
            verifier: "workspace",
            notices: Vec::new(),
            subject: workspace.to_owned(),
            verdict,
            summary: self.summary.clone(),
            outcomes: std::iter::once(work).chain(criteria).collect(),
        }
    }
}

fn grounds(finding: &FindingSeen) -> Grounds {
    let effect = match finding.effect {
        Effect::Fail | Effect::NeedsReview => "",
        Effect::Note => " (note)",
    };
    Grounds {
        reason: finding.code.reason(),
        message: format!("{}{effect}", finding.detail),
    }
}

fn criterion(at: usize, seen: &CriterionSeen) -> Outcome {
    let (verdict, reason) = match seen.outcome {
        CriterionOutcome::Pass => (Verdict::Confirmed, None),
        CriterionOutcome::Fail => (Verdict::Refuted, Some(Finding::CriterionFailed)),
        CriterionOutcome::Error => (Verdict::Undecided, Some(Finding::CriterionError)),
    };
    let reasons = reason.map(|reason| Grounds {
        reason: reason.reason(),
        message: seen.detail.clone(),
    });
    Outcome::new(
        UnitId::numbered('c', at),
        format!("criterion {} ({}) is met", seen.id, seen.kind),
        verdict,
        reasons.into_iter().collect(),
    )
}
