//! JUnit XML: a suite for each report, a test case for each outcome.
//!
//! Refuted is a failure. Undecided is an error, because a check that could not
//! be done must not appear as passed or skipped.

use std::fmt::Write as _;
use std::io::{self, Write};

use askama::Template;
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{self, facts, main_reason};

/// Everything in it is escaped by the template engine.
#[derive(Template)]
#[template(path = "junit.xml")]
struct Document {
    counts: Counts,
    suites: Vec<Suite>,
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
}

struct Suite {
    name: String,
    class: String,
    counts: Counts,
    cases: Vec<Case>,
    said: String,
}

struct Case {
    name: String,
    problem: Option<Problem>,
    details: String,
}

struct Problem {
    element: &'static str,
    message: String,
    code: &'static str,
    word: &'static str,
}

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        counts: Counts::of(reports),
        suites: reports.iter().map(|report| suite(report)).collect(),
    };
    let text = document.render().map_err(io::Error::other)?;
    writeln!(out, "{text}")
}

impl Counts {
    fn of(reports: &[&Report]) -> Self {
        let count = |verdict| reports.iter().map(|report| report.count(verdict)).sum();
        Self {
            tests: reports.iter().map(|report| report.outcomes.len()).sum(),
            failures: count(Verdict::Refuted),
            errors: count(Verdict::Undecided),
        }
    }
}

fn suite(report: &Report) -> Suite {
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
        cases: report.outcomes.iter().map(case).collect(),
        said,
    }
}

fn case(outcome: &Outcome) -> Case {
    Case {
        name: format!("{}: {}", line(outcome.unit.as_str()), line(&outcome.claim)),
        problem: match outcome.verdict {
            Verdict::Confirmed => None,
            Verdict::Undecided => Some(problem("error", outcome)),
            Verdict::Refuted => Some(problem("failure", outcome)),
        },
        details: details(outcome),
    }
}

fn problem(element: &'static str, outcome: &Outcome) -> Problem {
    let word = outcome.verdict.word();
    let (code, message) = main_reason(outcome).map_or((word, &outcome.claim), |grounds| {
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
fn line(text: &str) -> String {
    story::line(text)
        .replace('\u{FFFE}', "\\ufffe")
        .replace('\u{FFFF}', "\\uffff")
}
