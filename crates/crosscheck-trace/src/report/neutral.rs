//! The neutral report that every renderer, the ledger and the gate read.

use crosscheck_core::outcome::{Grounds, Outcome, Place, Report};
use crosscheck_core::{UnitId, Verdict};

use super::{CheckState, TraceReport};
use crate::check::Check;
use crate::finding::Failure;
use crate::reasons::TraceRunReason;

impl TraceReport {
    /// One outcome for each check that passed or did not run, and one for
    /// each failure of the others.
    pub fn neutral(&self) -> Report {
        let mut outcomes = Vec::new();
        for (check, state) in self.checks() {
            match state {
                CheckState::Passed => outcomes.push(outcome(check, Verdict::Confirmed)),
                CheckState::NotRun => {
                    let mut outcome = outcome(check, Verdict::Undecided);
                    outcome.reasons = vec![Grounds::plain(TraceRunReason::CheckNotRun.reason())];
                    outcomes.push(outcome);
                }
                CheckState::Failed => {
                    let mine = self
                        .failures
                        .iter()
                        .filter(|failure| failure.check == check);
                    outcomes.extend(
                        mine.enumerate()
                            .map(|(nth, failure)| self.failed(nth, failure)),
                    );
                }
            }
        }
        Report {
            verifier: "trace",
            notices: Vec::new(),
            subject: self.subject.clone(),
            verdict: self.verdict(),
            summary: self.summary(),
            outcomes,
        }
    }

    fn failed(&self, nth: usize, failure: &Failure) -> Outcome {
        let unit = format!("{}/{}", failure.check.name(), nth + 1);
        Outcome {
            unit: UnitId::try_from(unit).unwrap_or_else(|_| UnitId::numbered('f', nth)),
            reasons: vec![Grounds {
                reason: failure.reason.reason(),
                message: failure.message.clone(),
            }],
            expected: failure.expected.clone(),
            observed: failure.found.clone(),
            place: Some(self.place(failure)),
            ..outcome(failure.check, Verdict::Refuted)
        }
    }

    /// The file a person should open.
    pub(super) fn place(&self, failure: &Failure) -> Place {
        let location = &failure.location;
        let path = match (location.file.as_deref(), &location.path, &self.artifacts) {
            (Some("plan"), ..) => self.plan_path.clone(),
            (None, Some(path), Some(folder)) => format!("{folder}/{path}"),
            (None, Some(path), None) => path.clone(),
            _ => self.trace_path.clone(),
        };
        Place {
            path,
            line: location.line,
            column: None,
            end_line: None,
        }
    }
}

fn outcome(check: Check, verdict: Verdict) -> Outcome {
    Outcome {
        unit: UnitId::try_from(check.name().to_owned())
            .unwrap_or_else(|_| UnitId::numbered('c', check as usize)),
        claim: check.name().replace('_', " "),
        verdict,
        reasons: Vec::new(),
        expected: None,
        observed: None,
        place: None,
        link: None,
    }
}
