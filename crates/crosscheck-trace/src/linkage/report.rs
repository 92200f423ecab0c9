//! The report of the reduced profile. It never says `accepted`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crosscheck_core::outcome::{Grounds, Outcome, Place, Report};
use crosscheck_core::text::terminal_safe;
use crosscheck_core::{UnitId, Verdict};
use crosscheck_transcript::Transcript;
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::Judged;
use crate::check::Check;
use crate::finding::{Failure, Findings, flat};
use crate::reasons::TraceRunReason;
use crate::report::FailureV1;

/// A call without a result when the log ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenCall {
    /// The id of the call; empty when it has none.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Line or record of the log, from 1.
    pub line: u64,
}

/// The result of checking one log.
#[derive(Debug, Clone)]
pub struct LinkageReport {
    subject: String,
    format: &'static str,
    checks: Vec<(Check, State)>,
    failures: Vec<Failure>,
    open: Vec<OpenCall>,
    numbers: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Passed,
    Failed,
    NotApplicable,
}

/// The document that `crosscheck trace linkage --json` prints.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "LinkageReport")]
pub struct LinkageReportV1 {
    report_version: u8,
    profile: &'static str,
    /// `linkage_holds` or `rejected`; never `accepted`.
    verdict: &'static str,
    format: &'static str,
    checks: Vec<CheckV1>,
    failures: Vec<FailureV1>,
    open_calls: Vec<OpenCall>,
    summary_metrics: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct CheckV1 {
    name: &'static str,
    passed: bool,
    details: Option<&'static str>,
}

impl LinkageReport {
    pub(super) fn new(
        transcript: &Transcript,
        subject: &str,
        judged: Judged,
        citations: u64,
        findings: Findings,
    ) -> Self {
        let applies = |check| match check {
            Check::InputSchema
            | Check::CoreInvariants
            | Check::StepOrder
            | Check::ToolLinkage
            | Check::OutputLinkage => true,
            Check::SupportSpans => citations > 0,
            _ => false,
        };
        let checks: Vec<(Check, State)> = Check::ALL
            .into_iter()
            .map(|check| {
                let state = match (applies(check), findings.count(check)) {
                    (false, _) => State::NotApplicable,
                    (true, 0) => State::Passed,
                    (true, _) => State::Failed,
                };
                (check, state)
            })
            .collect();
        let total = findings.total();
        let failures = findings.into_failures();
        let failed = checks
            .iter()
            .filter(|(_, state)| *state == State::Failed)
            .count();
        let numbers = BTreeMap::from([
            ("checks_failed", failed as u64),
            ("checks_total", checks.len() as u64),
            ("citations", citations),
            ("failures", failures.len() as u64),
            ("failures_truncated", total - failures.len() as u64),
            ("ignored", transcript.ignored.count as u64),
            ("open_calls", judged.open_count),
            ("records", transcript.records as u64),
            ("tool_calls", judged.calls),
            ("tool_results", judged.results),
        ]);
        Self {
            subject: subject.to_owned(),
            format: transcript.format.name(),
            checks,
            failures,
            open: judged.open,
            numbers,
        }
    }

    /// Undecided if everything that can be checked holds; never confirmed.
    pub fn verdict(&self) -> Verdict {
        if self.failures.is_empty() {
            Verdict::Undecided
        } else {
            Verdict::Refuted
        }
    }

    /// The verdict in the words of the report.
    pub fn word(&self) -> &'static str {
        match self.verdict() {
            Verdict::Refuted => "rejected",
            Verdict::Confirmed | Verdict::Undecided => "linkage_holds",
        }
    }

    /// The listed failures, in order.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Calls without a result when the log ends.
    pub fn open_calls(&self) -> &[OpenCall] {
        &self.open
    }

    /// One sentence.
    pub fn summary(&self) -> String {
        let number = |key| self.numbers.get(key).copied().unwrap_or_default();
        format!(
            "{} (profile linkage, {}): {} calls, {} results, {} open, {} failures; plan, grounding and evidence were not checked",
            self.word(),
            self.format,
            number("tool_calls"),
            number("tool_results"),
            number("open_calls"),
            number("failures") + number("failures_truncated"),
        )
    }

    /// The whole report, safe for a terminal.
    pub fn human(&self) -> String {
        let mut text = format!("{}\n  {}\n", self.summary(), self.subject);
        for failure in self.failures.iter().take(20) {
            let line = failure
                .location
                .line
                .map_or_else(String::new, |line| format!(":{line}"));
            let _ = writeln!(
                text,
                "\n{} in {}\n  where     {}{line}",
                failure.reason.wire(),
                failure.check.name(),
                self.subject
            );
            for (label, value) in [
                ("names", &failure.location.reference),
                ("expected", &failure.expected),
                ("found", &failure.found),
            ] {
                if let Some(value) = value {
                    let _ = writeln!(text, "  {label:<9} {}", flat(value));
                }
            }
            let _ = writeln!(text, "  what      {}", failure.message);
        }
        if self.failures.len() > 20 {
            let _ = writeln!(
                text,
                "\nand {} more; --json lists them",
                self.failures.len() - 20
            );
        }
        for call in self.open.iter().take(20) {
            let _ = writeln!(
                text,
                "  open: {} {} at line {}",
                flat(&call.tool),
                flat(&call.id),
                call.line
            );
        }
        terminal_safe(&text).into_owned()
    }

    /// The neutral report: one outcome per check that passed, per failure,
    /// and one undecided outcome per check that does not apply.
    pub fn neutral(&self) -> Report {
        let mut outcomes = Vec::new();
        for (check, state) in &self.checks {
            let outcome = |unit: String, verdict, reasons| Outcome {
                unit: UnitId::try_from(unit)
                    .unwrap_or_else(|_| UnitId::numbered('c', *check as usize)),
                claim: check.name().replace('_', " "),
                verdict,
                reasons,
                expected: None,
                observed: None,
                place: None,
                link: None,
            };
            match state {
                State::Passed => outcomes.push(outcome(
                    check.name().to_owned(),
                    Verdict::Confirmed,
                    Vec::new(),
                )),
                State::NotApplicable => {
                    let reason = Grounds::plain(TraceRunReason::CheckNotApplicable.reason());
                    outcomes.push(outcome(
                        check.name().to_owned(),
                        Verdict::Undecided,
                        vec![reason],
                    ));
                }
                State::Failed => {
                    let mine = self
                        .failures
                        .iter()
                        .filter(|failure| failure.check == *check);
                    outcomes.extend(mine.enumerate().map(|(nth, failure)| Outcome {
                        expected: failure.expected.clone(),
                        observed: failure.found.clone(),
                        place: Some(Place {
                            path: self.subject.clone(),
                            line: failure.location.line,
                            column: None,
                            end_line: None,
                        }),
                        ..outcome(
                            format!("{}/{}", check.name(), nth + 1),
                            Verdict::Refuted,
                            vec![Grounds {
                                reason: failure.reason.reason(),
                                message: failure.message.clone(),
                            }],
                        )
                    }));
                }
            }
        }
        Report {
            verifier: "trace linkage",
            notices: Vec::new(),
            subject: self.subject.clone(),
            verdict: self.verdict(),
            summary: self.summary(),
            outcomes,
        }
    }
}

impl From<&LinkageReport> for LinkageReportV1 {
    fn from(report: &LinkageReport) -> Self {
        Self {
            report_version: 1,
            profile: "linkage",
            verdict: report.word(),
            format: report.format,
            checks: report
                .checks
                .iter()
                .map(|(check, state)| CheckV1 {
                    name: check.name(),
                    passed: *state == State::Passed,
                    details: (*state == State::NotApplicable).then_some("not_applicable"),
                })
                .collect(),
            failures: report.failures.iter().map(FailureV1::from).collect(),
            open_calls: report.open.clone(),
            summary_metrics: report.numbers.clone(),
        }
    }
}
