//! Failures as values, in the order of the report. Beyond the limit they are
//! only counted: a hostile trace may have millions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::Check;
use crate::reasons::TraceReason;

/// The location of a failure in the run; only fields that apply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// `trace`, `plan`, or the sealed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line of the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Position of the event, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idx: Option<u64>,
    /// The step of the event, or the plan node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_id: Option<String>,
    /// The referenced id.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The artifact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// One reason to reject the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The check that found it.
    pub check: Check,
    /// What is wrong.
    pub reason: TraceReason,
    /// The message of this case, in one line.
    pub message: String,
    /// Where.
    pub location: Location,
    /// What was expected.
    pub expected: Option<String>,
    /// What was found.
    pub found: Option<String>,
}

/// The position of a failure, by which failures are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot<'a> {
    /// The plan file; failures in it come first.
    Plan,
    /// The header of the trace.
    Header { line: u64 },
    /// A line of the trace that could not be read as an event.
    Line(u64),
    /// An event.
    Event { line: u64, idx: u64, step: &'a str },
    /// The end of the trace.
    End,
    /// A file beside the trace.
    File { path: &'a str, line: Option<u64> },
}

impl Spot<'_> {
    const fn rank(self) -> (u8, u64) {
        match self {
            Self::Plan => (0, 0),
            Self::Header { line } | Self::Line(line) | Self::Event { line, .. } => (1, line),
            Self::End => (2, 0),
            Self::File { line, .. } => (
                3,
                match line {
                    Some(line) => line,
                    None => 0,
                },
            ),
        }
    }

    fn location(self) -> Location {
        let mut location = Location::default();
        match self {
            Self::Plan => location.file = Some("plan".to_owned()),
            Self::End => location.file = Some("trace".to_owned()),
            Self::Header { line } | Self::Line(line) => {
                location.file = Some("trace".to_owned());
                location.line = Some(line);
            }
            Self::Event { line, idx, step } => {
                location.file = Some("trace".to_owned());
                location.line = Some(line);
                location.idx = Some(idx);
                if !step.is_empty() {
                    location.step_id = Some(step.to_owned());
                }
            }
            Self::File { path, line } => {
                location.path = Some(path.to_owned());
                location.line = line;
            }
        }
        location
    }
}

/// A text from the run on one line, so that it cannot start a new line of a
/// report.
pub(crate) fn flat(text: &str) -> String {
    text.replace(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'], " ")
}

/// The failures of all checks.
#[derive(Debug)]
pub(crate) struct Findings {
    cap: usize,
    tallies: [Tally; 16],
    sequence: u64,
}

#[derive(Debug, Default)]
struct Tally {
    kept: BTreeMap<(u8, u64, u64), Failure>,
    count: u64,
}

impl Findings {
    pub(crate) fn new(cap: usize) -> Self {
        Self {
            cap,
            tallies: Default::default(),
            sequence: 0,
        }
    }

    /// Adds a failure, which can then be described.
    pub(crate) fn add(&mut self, check: Check, reason: TraceReason, spot: Spot<'_>) -> Noted<'_> {
        let (file, line) = spot.rank();
        self.sequence += 1;
        let key = (file, line, self.sequence);
        let cap = self.cap;
        let Some(tally) = self.tallies.get_mut(check as usize) else {
            return Noted(None);
        };
        tally.count += 1;
        if tally.kept.len() >= cap {
            let last = tally.kept.last_key_value();
            if last.is_none_or(|(last, _)| *last < key) {
                return Noted(None);
            }
            tally.kept.pop_last();
        }
        let failure = Failure {
            check,
            reason,
            message: reason.reason().meaning.to_owned(),
            location: spot.location(),
            expected: None,
            found: None,
        };
        Noted(Some(tally.kept.entry(key).or_insert(failure)))
    }

    /// The number of failures of a check, listed or not.
    pub(crate) fn count(&self, check: Check) -> u64 {
        self.tallies
            .get(check as usize)
            .map_or(0, |tally| tally.count)
    }

    /// The number of all failures, listed or not.
    pub(crate) fn total(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.count).sum()
    }

    /// The listed failures in the order of the report.
    pub(crate) fn into_failures(self) -> Vec<Failure> {
        self.tallies
            .into_iter()
            .flat_map(|tally| tally.kept.into_values())
            .collect()
    }
}

impl Failure {
    /// Message, expectation and finding in one line.
    pub(crate) fn full_message(&self) -> String {
        let mut text = self.message.clone();
        if let Some(expected) = &self.expected {
            text.push_str("; expected ");
            text.push_str(expected);
        }
        if let Some(found) = &self.found {
            text.push_str("; found ");
            text.push_str(found);
        }
        crosscheck_core::text::one_line(&text)
    }
}

/// A failure that was added, if it will be listed.
pub(crate) struct Noted<'f>(Option<&'f mut Failure>);

impl Noted<'_> {
    /// Describes the failure, if it will be listed.
    pub(crate) fn with(mut self, describe: impl FnOnce(&mut Failure)) -> Self {
        if let Some(failure) = &mut self.0 {
            describe(failure);
        }
        self
    }

    /// Replaces the general message.
    pub(crate) fn says(self, message: impl AsRef<str>) -> Self {
        self.with(|failure| failure.message = crosscheck_core::text::one_line(message.as_ref()))
    }

    pub(crate) fn expects(self, expected: impl AsRef<str>) -> Self {
        self.with(|failure| failure.expected = Some(expected.as_ref().to_owned()))
    }

    pub(crate) fn finds(self, found: impl AsRef<str>) -> Self {
        self.with(|failure| failure.found = Some(found.as_ref().to_owned()))
    }

    pub(crate) fn differs(self, expected: impl AsRef<str>, found: impl AsRef<str>) -> Self {
        self.expects(expected).finds(found)
    }

    pub(crate) fn refers_to(self, id: impl AsRef<str>) -> Self {
        self.with(|failure| failure.location.reference = Some(id.as_ref().to_owned()))
    }

    pub(crate) fn of_claim(self, id: impl AsRef<str>) -> Self {
        self.with(|failure| failure.location.claim_id = Some(id.as_ref().to_owned()))
    }

    pub(crate) fn step(self, id: impl AsRef<str>) -> Self {
        self.with(|failure| failure.location.step_id = Some(id.as_ref().to_owned()))
    }

    pub(crate) fn field(self, field: impl AsRef<str>) -> Self {
        self.with(|failure| failure.location.field = Some(field.as_ref().to_owned()))
    }

    pub(crate) fn path(self, path: impl AsRef<str>) -> Self {
        self.with(|failure| failure.location.path = Some(path.as_ref().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(findings: &mut Findings, line: u64) {
        findings.add(
            Check::StepOrder,
            TraceReason::StepRestarted,
            Spot::Line(line),
        );
    }

    #[test]
    fn the_cap_keeps_the_first_in_order_and_counts_all() {
        let mut findings = Findings::new(2);
        for line in [5, 9, 3, 7] {
            note(&mut findings, line);
        }
        assert_eq!(findings.count(Check::StepOrder), 4);
        assert_eq!(findings.total(), 4);
        let lines: Vec<_> = findings
            .into_failures()
            .iter()
            .map(|failure| failure.location.line)
            .collect();
        assert_eq!(lines, [Some(3), Some(5)]);
    }
}
