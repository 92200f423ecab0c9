//! Markdown for a pull request comment or a job summary.
//!
//! Uses lists instead of a table: in a table cell a backslash before a pipe
//! cannot be written unambiguously. Foreign text is written in code spans,
//! where neither markup nor mentions nor links work; sentences are escaped.

use std::io::{self, Write};

use crosscheck_core::foreign::{markdown_code as code, markdown_prose as prose};
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{Counts, heading, next_steps, place, summary, worst_first};

pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        section(report, out)?;
    }
    let steps = next_steps(reports);
    if !steps.is_empty() {
        writeln!(out, "**What to do next**\n")?;
        for reason in steps {
            writeln!(out, "- {}: {}", code(reason.code), prose(reason.help))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", Counts::of(reports).line())
}

fn section(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let word = heading(report);
    writeln!(out, "### crosscheck {}: {word}\n", prose(report.verifier))?;
    writeln!(out, "{}\n", code(&report.subject))?;
    if let Some(summary) = summary(report) {
        writeln!(out, "{}\n", prose(&summary))?;
    }
    for notice in &report.notices {
        writeln!(out, "Note: {}\n", prose(notice))?;
    }
    let (open, confirmed): (Vec<_>, Vec<_>) = worst_first(report)
        .into_iter()
        .partition(|outcome| outcome.verdict != Verdict::Confirmed);
    for outcome in &open {
        item(outcome, out)?;
    }
    if !open.is_empty() {
        writeln!(out)?;
    }
    if !confirmed.is_empty() {
        let count = confirmed.len();
        writeln!(out, "<details><summary>{count} confirmed</summary>\n")?;
        for outcome in confirmed {
            item(outcome, out)?;
        }
        writeln!(out, "\n</details>\n")?;
    }
    Ok(())
}

fn item(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let word = outcome.verdict.word();
    let unit = code(outcome.unit.as_str());
    writeln!(out, "- **{word}** {unit}: {}", code(&outcome.claim))?;
    for (label, text) in [
        ("expected", &outcome.expected),
        ("observed", &outcome.observed),
    ] {
        if let Some(text) = text {
            writeln!(out, "  - {label}: {}", code(text))?;
        }
    }
    for grounds in &outcome.reasons {
        let message = prose(&grounds.message);
        writeln!(out, "  - {}: {message}", code(grounds.reason.code))?;
    }
    if let Some(at) = &outcome.place {
        writeln!(out, "  - place: {}", code(&place(at)))?;
    }
    Ok(())
}
