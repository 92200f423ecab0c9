//! Annotations of a GitHub workflow.
//!
//! Every line is a command: in any other line the runner still searches for
//! commands of an older form, and the text is untrusted.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use crosscheck_core::foreign::terminal;
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{self, Counts, acceptance, facts, heading, is_web, line, worst_first};

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        for outcome in worst_first(report) {
            annotation(report, outcome, out)?;
        }
        let title = format!("crosscheck {}", report.verifier);
        for notice in &report.notices {
            let properties = [("title", title.as_str().into())];
            command(Verdict::Confirmed, &properties, &line(notice), out)?;
        }
        let counts = Counts::of(&[report]).line();
        let text = format!(
            "{}: {} ({counts})\n{}",
            line(&report.subject),
            heading(report),
            line(&report.summary)
        );
        command(
            story::verdict(&[report]),
            &[("title", title.into())],
            &text,
            out,
        )?;
    }
    Ok(())
}

fn annotation(report: &Report, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut properties: Vec<(&str, Cow<'_, str>)> = Vec::new();
    if let Some(place) = outcome.place.as_ref().filter(|place| !is_web(&place.path)) {
        properties.push(("file", line(&place.path)));
        let numbers = [
            ("line", place.line),
            ("endLine", place.end_line),
            ("col", place.column),
        ];
        for (key, number) in numbers {
            properties.extend(number.map(|number| (key, number.to_string().into())));
        }
    }
    let word = outcome.verdict.word();
    let title = format!(
        "crosscheck {}: {} {word}",
        report.verifier,
        line(outcome.unit.as_str())
    );
    properties.push(("title", title.into()));
    let mut text = line(&outcome.claim).into_owned();
    for (label, fact) in facts(outcome) {
        let _ = write!(text, "\n{label}: {fact}");
    }
    let verdict = match acceptance(outcome) {
        Some(_) => Verdict::Confirmed,
        None => outcome.verdict,
    };
    if verdict != Verdict::Confirmed {
        for grounds in &outcome.reasons {
            let _ = write!(text, "\nnext: {}", grounds.reason.help);
        }
    }
    command(verdict, &properties, &text, out)
}

fn command(
    verdict: Verdict,
    properties: &[(&str, Cow<'_, str>)],
    text: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = match verdict {
        Verdict::Refuted => "error",
        Verdict::Undecided => "warning",
        Verdict::Confirmed => "notice",
    };
    let properties: Vec<String> = properties
        .iter()
        .map(|(key, value)| format!("{key}={}", property(value)))
        .collect();
    writeln!(out, "::{name} {}::{}", properties.join(","), data(text))
}

/// The runner's rules for text after `::`.
fn data(text: &str) -> String {
    terminal(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The runner's rules for property values before `::`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_end_their_property_nor_start_a_command() {
        assert_eq!(property("a,line=1::b%\n"), "a%2Cline=1%3A%3Ab%25%0A");
        assert_eq!(data("50%\n::error::x"), "50%25%0A::error::x");
    }
}
