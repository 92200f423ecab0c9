//! The report of the reduced profile. It never says `accepted`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crosscheck_core::Verdict;
use crosscheck_core::outcome::{Place, Report};
use crosscheck_core::text::terminal_safe;
use crosscheck_transcript::Transcript;
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::Judged;
use crate::check::Check;
use crate::finding::{Failure, Findings, flat};
use crate::report::{CheckState, FailureV1, outcomes};

/// At most this many failures and open calls are shown to people.
const SHOWN: usize = 20;

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
    checks: Vec<(Check, CheckState)>,
    failures: Vec<Failure>,
    open: Vec<OpenCall>,
    numbers: BTreeMap<&'static str, u64>,
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
        let checks: Vec<(Check, CheckState)> = Check::ALL
            .into_iter()
            .map(|check| {
                let state = match (applies(check), findings.count(check)) {
                    (false, _) => CheckState::NotApplicable,
                    (true, 0) => CheckState::Passed,
                    (true, _) => CheckState::Failed,
                };
                (check, state)
            })
            .collect();
        let total = findings.total();
        let failures = findings.into_failures();
        let failed = checks
            .iter()
            .filter(|(_, state)| *state == CheckState::Failed)
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
        for failure in self.failures.iter().take(SHOWN) {
            let (code, check) = (failure.reason.wire(), failure.check.name());
            let _ = writeln!(text, "\n{code} in {check}");
            let mut place = self.subject.clone();
            if let Some(line) = failure.location.line {
                let _ = write!(place, ":{line}");
            }
            for (label, value) in [
                ("where", Some(&*place)),
                ("names", failure.location.reference.as_deref()),
                ("expected", failure.expected.as_deref()),
                ("found", failure.found.as_deref()),
                ("what", Some(&failure.message)),
            ] {
                if let Some(value) = value {
                    let _ = writeln!(text, "  {label:<9} {}", flat(value));
                }
            }
        }
        if self.failures.len() > SHOWN {
            let _ = writeln!(
                text,
                "\nand {} more; --json lists them",
                self.failures.len() - SHOWN
            );
        }
        for call in self.open.iter().take(SHOWN) {
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

    /// The neutral report.
    pub fn neutral(&self) -> Report {
        let place = |failure: &Failure| Place {
            path: self.subject.clone(),
            line: failure.location.line,
            column: None,
            end_line: None,
        };
        Report {
            verifier: "trace linkage",
            notices: Vec::new(),
            subject: self.subject.clone(),
            verdict: self.verdict(),
            summary: self.summary(),
            outcomes: outcomes(self.checks.iter().copied(), &self.failures, place),
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
                    passed: *state == CheckState::Passed,
                    details: (*state == CheckState::NotApplicable).then_some("not_applicable"),
                })
                .collect(),
            failures: report.failures.iter().map(FailureV1::from).collect(),
            open_calls: report.open.clone(),
            summary_metrics: report.numbers.clone(),
        }
    }
}
