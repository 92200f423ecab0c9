//! What a job is answered with.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crosscheck_core::advice::{RunReason, with_causes};
use crosscheck_core::outcome::{Grounds, Place};
use crosscheck_core::{Advice, Outcome, Reason, UnitId, Verdict, foreign};

use super::BatchReason;
use super::job::{Head, Id};
use crate::catalogue;
use crate::report::Neutral;

/// One answer: a line of standard output of `crosscheck batch`. It has either
/// a verdict with units, a text, or an error.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Answer {
    /// The id of the job.
    pub id: Option<Id>,
    /// The line of the job, from 1, if it has no id that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The task of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The verifier that made the units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<&'static str>,
    /// What was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// One sentence for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Notes about the run itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// One entry for each thing that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Vec<Outcome>>,
    /// The text that `render` and `explain` answer with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why the job could not be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}

/// Why a job could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// A code that `crosscheck explain` describes.
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// One thing to try.
    pub help: String,
}

impl Refusal {
    /// A refusal with this reason.
    pub fn new(reason: &'static Reason, message: impl Into<String>, help: &str) -> Self {
        Self {
            code: reason.code,
            message: message.into(),
            help: help.to_owned(),
        }
    }

    /// What an error says.
    pub(super) fn of(error: &dyn Advice) -> Self {
        Self {
            code: error.reason().code,
            message: with_causes(error),
            help: error.help(),
        }
    }
}

impl Answer {
    /// An empty answer to this job.
    pub fn to(head: Head) -> Self {
        Self {
            id: head.id,
            task: head.task,
            ..Self::default()
        }
    }

    /// The answer that a job could not be done.
    pub fn refused(head: Head, refusal: Refusal) -> Self {
        Self {
            error: Some(refusal),
            ..Self::to(head)
        }
    }

    /// The answer with this report.
    pub(super) fn with_report(self, report: Neutral) -> Self {
        Self {
            verdict: Some(report.verdict),
            verifier: Some(report.verifier),
            subject: Some(report.subject),
            summary: Some(report.summary),
            notices: report.notices,
            units: Some(report.outcomes),
            ..self
        }
    }

    /// One line of JSON, without its end. Whoever asks may have written anything into its id.
    pub fn line(&self) -> String {
        foreign::json_compact(self)
    }
}

/// An answer that a caller gives back to be rendered.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Given {
    verdict: Verdict,
    verifier: String,
    subject: String,
    summary: String,
    #[serde(default)]
    notices: Vec<String>,
    units: Vec<GivenUnit>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GivenUnit {
    unit: String,
    claim: String,
    verdict: Verdict,
    #[serde(default)]
    reasons: Vec<GivenGrounds>,
    expected: Option<String>,
    observed: Option<String>,
    place: Option<GivenPlace>,
    link: Option<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct GivenGrounds {
    reason: String,
    message: String,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GivenPlace {
    path: String,
    line: Option<u64>,
    column: Option<u64>,
    end_line: Option<u64>,
}

/// The verifiers that reports name.
const VERIFIERS: [&str; 11] = [
    "rows",
    "quick",
    "check",
    "claims",
    "sources",
    "trace",
    "judge",
    "done",
    "workspace",
    "pr",
    "ci",
];

/// Why a report that was written before cannot be taken for one.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It is none, or not whole.
    #[error("{0}")]
    Unreadable(String),
    /// Its parts do not belong together.
    #[error("{0}")]
    Contradicts(String),
}

impl From<String> for ReportError {
    fn from(why: String) -> Self {
        Self::Unreadable(why)
    }
}

impl Advice for ReportError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::Unreadable(_) => RunReason::CliUsage.reason(),
            Self::Contradicts(_) => BatchReason::ReportContradicts.reason(),
        }
    }

    fn help(&self) -> String {
        match self {
            Self::Unreadable(_) => "name a file that a check wrote with --format ndjson".to_owned(),
            Self::Contradicts(_) => self.reason().help.to_owned(),
        }
    }
}

impl TryFrom<Given> for Neutral {
    type Error = ReportError;

    fn try_from(given: Given) -> Result<Self, ReportError> {
        let verifier = VERIFIERS.into_iter().find(|name| *name == given.verifier);
        let units = given.units.into_iter().map(Outcome::try_from);
        let report = Self {
            verifier: verifier.unwrap_or("crosscheck"),
            subject: given.subject,
            verdict: given.verdict,
            summary: given.summary,
            outcomes: units.collect::<Result<_, String>>()?,
            notices: given.notices,
        };
        let refuted = report.count(Verdict::Refuted);
        if report.verdict == Verdict::Confirmed && refuted > 0 {
            return Err(ReportError::Contradicts(format!(
                "its run is confirmed, and {refuted} of its units are refuted"
            )));
        }
        Ok(report.masked())
    }
}

impl TryFrom<GivenUnit> for Outcome {
    type Error = String;

    fn try_from(given: GivenUnit) -> Result<Self, String> {
        let grounds = |given: GivenGrounds| {
            let declared = catalogue::explain(&given.reason);
            let (_, reason) = declared
                .first()
                .ok_or_else(|| format!("unknown code `{}`", given.reason))?;
            Ok(Grounds {
                reason,
                message: given.message,
            })
        };
        Ok(Self {
            unit: UnitId::try_from(given.unit).map_err(|error| error.to_string())?,
            claim: given.claim,
            verdict: given.verdict,
            reasons: given
                .reasons
                .into_iter()
                .map(grounds)
                .collect::<Result<_, String>>()?,
            expected: given.expected,
            observed: given.observed,
            place: given.place.map(|place| Place {
                path: place.path,
                line: place.line,
                column: place.column,
                end_line: place.end_line,
            }),
            link: given.link,
        })
    }
}

/// A line of `--format ndjson`.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Outcome(Box<GivenUnit>),
    Run(Box<GivenRun>),
}

#[derive(Deserialize)]
struct GivenRun {
    verdict: Verdict,
    verifier: String,
    subject: String,
    summary: String,
    #[serde(default)]
    notices: Vec<String>,
    counts: Option<GivenCounts>,
}

#[derive(Deserialize)]
struct GivenCounts {
    refuted: usize,
    undecided: usize,
    confirmed: usize,
}

impl GivenCounts {
    fn are_of(&self, report: &Neutral) -> bool {
        self.refuted == report.count(Verdict::Refuted)
            && self.undecided == report.count(Verdict::Undecided)
            && self.confirmed == report.count(Verdict::Confirmed)
    }
}

/// Reads what `--format ndjson` wrote, one report for each run; the error says
/// which line is none of its lines, or what does not belong together.
pub fn reports(ndjson: &str) -> Result<Vec<Neutral>, ReportError> {
    let (mut reports, mut units) = (Vec::new(), Vec::new());
    let (mut lines, mut known) = (Vec::new(), HashSet::new());
    for (number, line) in (1..).zip(ndjson.lines()) {
        lines.push(line);
        let wrong = |error: String| format!("line {number}: {error}");
        let line: Line = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        match line {
            Line::Outcome(unit) => units.push(*unit),
            Line::Run(run) => {
                let given = Given {
                    verdict: run.verdict,
                    verifier: run.verifier,
                    subject: run.subject,
                    summary: run.summary,
                    notices: run.notices,
                    units: std::mem::take(&mut units),
                };
                let report = Neutral::try_from(given).map_err(|error| match error {
                    ReportError::Unreadable(why) => ReportError::Unreadable(wrong(why)),
                    ReportError::Contradicts(why) => ReportError::Contradicts(wrong(why)),
                })?;
                if run.counts.is_some_and(|counts| !counts.are_of(&report)) {
                    let why = wrong("its run counts other units than there are".to_owned());
                    return Err(ReportError::Contradicts(why));
                }
                if !known.insert(std::mem::take(&mut lines)) {
                    let why = wrong("this run stands there twice".to_owned());
                    return Err(ReportError::Contradicts(why));
                }
                reports.push(report);
            }
        }
    }
    if !units.is_empty() || reports.is_empty() {
        let why = "the line of the run is missing, so the report is not whole";
        return Err(ReportError::Unreadable(why.to_owned()));
    }
    Ok(reports)
}
