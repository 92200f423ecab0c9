//! JUnit XML: a suite for each report, a test case for each outcome.
//!
//! Refuted is a failure. Undecided is an error, because a test that could not
//! look must not appear as passed or be passed over.

use std::fmt::Write as _;
use std::io::{self, Write};

use crosscheck_core::{Outcome, Report, Verdict};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use crate::story::{self, facts, main_reason};

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let mut document = Document::new("crosscheck");
    for report in reports {
        let mut suite = TestSuite::new(suite_name(report));
        for outcome in &report.outcomes {
            suite.add_test_case(case(report, outcome));
        }
        let mut said = story::heading(report).to_owned();
        if let Some(summary) = story::summary(report) {
            let _ = write!(said, ": {}", line(&summary));
        }
        for notice in &report.notices {
            let _ = write!(said, "\nnote: {}", line(notice));
        }
        suite.set_system_out(said);
        document.add_test_suite(suite);
    }
    // written by ourselves, so that the caller sees a closed pipe as one
    let text = document.to_string().map_err(io::Error::other)?;
    // the public schema knows this count on suites, not on the root
    let text = text.replacen(" skipped=\"0\"", "", 1);
    out.write_all(text.as_bytes())
}

fn suite_name(report: &Report) -> String {
    format!("{} {}", report.verifier, line(&report.subject))
}

fn case(report: &Report, outcome: &Outcome) -> TestCase {
    let name = format!("{}: {}", line(outcome.unit.as_str()), line(&outcome.claim));
    let details = details(outcome);
    let status = match outcome.verdict {
        Verdict::Confirmed => TestCaseStatus::success(),
        Verdict::Undecided => status(NonSuccessKind::Error, outcome, &details),
        Verdict::Refuted => status(NonSuccessKind::Failure, outcome, &details),
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(format!("crosscheck.{}", report.verifier));
    if outcome.verdict == Verdict::Confirmed && !details.is_empty() {
        case.set_system_out(details);
    }
    case
}

fn status(kind: NonSuccessKind, outcome: &Outcome, details: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    let word = outcome.verdict.word();
    if let Some(grounds) = main_reason(outcome) {
        status.set_type(grounds.reason.code);
        status.set_message(line(&grounds.message));
    } else {
        status.set_type(word);
        status.set_message(line(&outcome.claim));
    }
    status.set_description(format!("{word}\n{details}"));
    status
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

/// XML has no place for two characters that Unicode text may hold.
fn line(text: &str) -> String {
    story::line(text)
        .replace('\u{FFFE}', "\\ufffe")
        .replace('\u{FFFF}', "\\uffff")
}
