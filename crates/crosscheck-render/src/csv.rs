//! CSV: a table for people who work with spreadsheets.
//!
//! One row for each outcome. What the run says as a whole is repeated in the
//! last column, so that a row says it wherever it is copied; a run without
//! outcomes has one row.

use std::borrow::Cow;
use std::io::{self, Write};

use crosscheck_core::foreign::{csv_cell, line};
use crosscheck_core::{Outcome, Report};

use crate::story::{self, link, worst_first};

const COLUMNS: [&str; 14] = [
    "unit", "verdict", "url", "claim", "expected", "observed", "codes", "message", "path", "line",
    "column", "verifier", "subject", "run",
];

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    row(&COLUMNS.map(Cow::Borrowed), out)?;
    for report in reports {
        let said = said(report);
        for outcome in worst_first(report) {
            row(&cells(report, Some(outcome), &said), out)?;
        }
        if report.outcomes.is_empty() {
            row(&cells(report, None, &said), out)?;
        }
    }
    Ok(())
}

/// Verdict, summary and notices of the run.
fn said(report: &Report) -> String {
    let heading = Cow::Borrowed(story::heading(report));
    let notices = report.notices.iter().map(|notice| line(notice));
    let parts = [heading].into_iter().chain(story::summary(report));
    parts.chain(notices).collect::<Vec<_>>().join("; ")
}

fn cells<'r>(
    report: &'r Report,
    outcome: Option<&'r Outcome>,
    said: &'r str,
) -> [Cow<'r, str>; COLUMNS.len()] {
    let text = |field: fn(&Outcome) -> Option<&String>| {
        let field = outcome.and_then(field);
        field.map(|text| line(text)).unwrap_or_default()
    };
    let reasons = outcome.map(|outcome| outcome.reasons.as_slice());
    let reasons = reasons.unwrap_or_default();
    let codes: Vec<&str> = reasons.iter().map(|grounds| grounds.reason.code).collect();
    let messages: Vec<Cow<'_, str>> = reasons.iter().map(|one| line(&one.message)).collect();
    let place = outcome.and_then(|outcome| outcome.place.as_ref());
    let number =
        |number: Option<u64>| Cow::from(number.map_or_else(String::new, |one| one.to_string()));
    [
        outcome.map_or_else(Cow::default, |one| line(one.unit.as_str())),
        outcome
            .map_or(report.verdict, |one| one.verdict)
            .word()
            .into(),
        outcome.and_then(link).unwrap_or_default().into(),
        text(|one| Some(&one.claim)),
        text(|one| one.expected.as_ref()),
        text(|one| one.observed.as_ref()),
        codes.join(" ").into(),
        messages.join("; ").into(),
        place.map(|place| line(&place.path)).unwrap_or_default(),
        number(place.and_then(|place| place.line)),
        number(place.and_then(|place| place.column)),
        report.verifier.into(),
        line(&report.subject),
        said.into(),
    ]
}

fn row(cells: &[Cow<'_, str>], out: &mut dyn Write) -> io::Result<()> {
    for (at, text) in cells.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(out, "{comma}{}", csv_cell(text))?;
    }
    writeln!(out)
}
