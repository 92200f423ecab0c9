//! JUnit XML: a suite for each report, a test case for each outcome.
//!
//! Refuted is a failure. Undecided is an error, because a check that could not
//! be done must not appear as passed or skipped. What a check accepts is skipped.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use askama::Template;
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{self, acceptance, facts, main_reason};

/// Everything in it is escaped by the template engine.
#[derive(Template)]
#[template(path = "junit.xml")]
struct Document<'r> {
    counts: Counts,
    suites: Vec<Suite<'r>>,
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

struct Suite<'r> {
    name: String,
    class: String,
    counts: Counts,
    report: &'r Report,
    said: String,
}

struct Case<'r> {
    name: String,
    problem: Option<Problem<'r>>,
    details: String,
}

struct Problem<'r> {
    element: &'static str,
    message: Cow<'r, str>,
    code: &'static str,
    word: &'static str,
}

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        counts: Counts::of(reports),
        suites: reports.iter().map(|report| suite(report)).collect(),
    };
    document.write_into(out)?;
    writeln!(out)
}

impl Counts {
    fn of(reports: &[&Report]) -> Self {
        let outcomes = || reports.iter().flat_map(|report| &report.outcomes);
        let is_accepted = |one: &Outcome| acceptance(one).is_some();
        let count = |verdict: Verdict| {
            let failing = outcomes().filter(|one| one.verdict == verdict && !is_accepted(one));
            failing.count()
        };
        Self {
            tests: reports.iter().map(|report| report.outcomes.len()).sum(),
            failures: count(Verdict::Refuted),
            errors: count(Verdict::Undecided),
            skipped: outcomes().filter(|one| is_accepted(one)).count(),
        }
    }
}

fn suite(report: &Report) -> Suite<'_> {
    let mut said = story::heading(report).to_owned();
    if let Some(summary) = story::summary(report) {
        let _ = write!(said, ": {}", line(&summary));
    }
    for notice in &report.notices {
        let _ = write!(said, "\nnote: {}", line(notice));
    }
    Suite {
        name: format!("{} {}", report.verifier, line(&report.subject)),
        class: format!("crosscheck.{}", report.verifier),
        counts: Counts::of(&[report]),
        report,
        said,
    }
}

impl<'r> Suite<'r> {
    /// One after the other: a report may be large.
    fn cases(&self) -> impl Iterator<Item = Case<'r>> + use<'r> {
        self.report.outcomes.iter().map(case)
    }
}

fn case(outcome: &Outcome) -> Case<'_> {
    Case {
        name: format!("{}: {}", line(outcome.unit.as_str()), line(&outcome.claim)),
        problem: match outcome.verdict {
            Verdict::Confirmed => None,
            _ if acceptance(outcome).is_some() => Some(problem("skipped", outcome)),
            Verdict::Undecided => Some(problem("error", outcome)),
            Verdict::Refuted => Some(problem("failure", outcome)),
        },
        details: details(outcome),
    }
}

fn problem<'r>(element: &'static str, outcome: &'r Outcome) -> Problem<'r> {
    let word = outcome.verdict.word();
    let reason = acceptance(outcome).or_else(|| main_reason(outcome));
    let (code, message) = reason.map_or((word, &outcome.claim), |grounds| {
        (grounds.reason.code, &grounds.message)
    });
    Problem {
        element,
        message: line(message),
        code,
        word,
    }
}

fn details(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (label, fact) in facts(outcome) {
        let _ = writeln!(text, "{label}: {}", line(&fact));
    }
    if outcome.verdict != Verdict::Confirmed {
        for grounds in &outcome.reasons {
            let _ = writeln!(text, "next: {}", grounds.reason.help);
        }
    }
    text
}

/// XML forbids two characters that Unicode text may contain.
fn line(text: &str) -> Cow<'_, str> {
    let line = story::line(text);
    if !line.contains(['\u{FFFE}', '\u{FFFF}']) {
        return line;
    }
    let line = line.replace('\u{FFFE}', "\\ufffe");
    line.replace('\u{FFFF}', "\\uffff").into()
}
