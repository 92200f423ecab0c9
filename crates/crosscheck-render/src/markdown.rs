//! Markdown for a pull request comment or a job summary.
//!
//! Uses lists instead of a table: in a table cell a backslash before a pipe
//! cannot be written unambiguously. Foreign text is written in code spans,
//! where neither markup nor mentions nor links work; sentences are escaped.

use std::borrow::Cow;
use std::io::{self, Write};

use crosscheck_core::text::{cut_units, unit_len};
use crosscheck_core::{Outcome, Report, Verdict};

use crate::story::{Counts, heading, line, next_steps, place, summary, worst_first};

/// Comments have a size limit, and readers lose patience; in UTF-16 units.
const SPAN_MAX: usize = 400;

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

/// A code span that the text cannot leave.
fn code(text: &str) -> String {
    let text = line(text);
    let text = short(&text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Markdown readers remove one space on both sides
    let needs_space = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let pad = if needs_space { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A sentence, with everything that could be markup escaped.
fn prose(text: &str) -> String {
    let mut escaped = String::new();
    for c in short(&line(text)).chars() {
        match c {
            // a mention or a reference works even when escaped, so it is broken up
            '@' | '#' => escaped.extend(['\\', c].into_iter().chain("&#8203;".chars())),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '.' | ',' | '\'' | ' ' | '-' | '/' | '?' | '"' | ';' | '=' | '%' => escaped.push(c),
            c if c.is_ascii_punctuation() => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    // what would open a list or a rule at the start of a line
    match escaped.chars().next() {
        Some('-' | '=') => format!("\\{escaped}"),
        Some('0'..='9') => escaped.replacen(". ", "\\. ", 1),
        _ => escaped,
    }
}

fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= SPAN_MAX || unit_len(text) <= SPAN_MAX {
        text.into()
    } else {
        format!("{}...", cut_units(text, SPAN_MAX - 3).trim_end()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_is_longer_than_any_backticks_inside() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(""), "(empty)");
        assert_eq!(code("a\n\n# b"), "`a # b`");
    }

    #[test]
    fn prose_can_neither_mark_up_nor_mention() {
        assert_eq!(prose("<b>*x*</b>"), "&lt;b&gt;\\*x\\*&lt;/b&gt;");
        assert_eq!(prose("@all #1"), "\\@&#8203;all \\#&#8203;1");
        assert_eq!(prose("[a](b)"), "\\[a\\]\\(b\\)");
        assert_eq!(prose("- x"), "\\- x");
        assert_eq!(prose("1. x"), "1\\. x");
        assert_eq!(prose("https://x"), "https\\://x");
    }
}
