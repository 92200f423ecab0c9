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
        Report {
            verifier: "trace",
            notices: Vec::new(),
            subject: self.subject.clone(),
            verdict: self.verdict(),
            summary: self.summary(),
            outcomes: outcomes(self.checks(), &self.failures, |failure| self.place(failure)),
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

/// One outcome for each check that passed or was not made, and one for each
/// failure of the others.
pub(crate) fn outcomes(
    checks: impl Iterator<Item = (Check, CheckState)>,
    failures: &[Failure],
    place: impl Fn(&Failure) -> Place,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (check, state) in checks {
        let not_made = |reason: TraceRunReason| Outcome {
            reasons: vec![Grounds::plain(reason.reason())],
            ..outcome(check, Verdict::Undecided)
        };
        match state {
            CheckState::Passed => outcomes.push(outcome(check, Verdict::Confirmed)),
            CheckState::NotRun => outcomes.push(not_made(TraceRunReason::CheckNotRun)),
            CheckState::Failed => {
                let mine = failures.iter().filter(|failure| failure.check == check);
                outcomes.extend(mine.enumerate().map(|(nth, failure)| {
                    let unit = format!("{}/{}", check.name(), nth + 1);
                    Outcome {
                        unit: UnitId::try_from(unit).unwrap_or_else(|_| UnitId::numbered('f', nth)),
                        reasons: vec![Grounds {
                            reason: failure.reason.reason(),
                            message: failure.message.clone(),
                        }],
                        expected: failure.expected.clone(),
                        observed: failure.found.clone(),
                        place: Some(place(failure)),
                        ..outcome(check, Verdict::Refuted)
                    }
                }));
            }
        }
    }
    outcomes
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
