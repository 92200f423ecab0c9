//! Text for a terminal: the claim, the finding, and advice.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Paint};
use crosscheck_core::{Outcome, Report, Verdict};

use crate::Style;
use crate::story::{self, Counts, facts, is_idle, line, next_steps, worst_first};

/// The longest word of a verdict.
const WORD: usize = 9;

pub(crate) fn write(reports: &[&Report], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let brush = Brush {
        colour: style.colour,
    };
    for report in reports {
        let heading = format!("{} {}", report.verifier, line(&report.subject));
        let word = story::heading(report);
        let word = if is_idle(report) {
            brush.strong(word)
        } else {
            brush.verdict(report.verdict, word)
        };
        writeln!(out, "{}: {word}", brush.strong(&heading))?;
        if let Some(summary) = story::summary(report) {
            writeln!(out, "{summary}")?;
        }
        for notice in &report.notices {
            writeln!(out, "note: {}", line(notice))?;
        }
        writeln!(out)?;
        for outcome in worst_first(report) {
            item(outcome, brush, out)?;
        }
        if !report.outcomes.is_empty() {
            writeln!(out)?;
        }
    }
    steps(reports, brush, out)?;
    let counts = Counts::of(reports).line();
    let counts = if reports.iter().all(|report| is_idle(report)) {
        brush.plain(&counts)
    } else {
        brush.verdict(story::verdict(reports), &counts)
    };
    writeln!(out, "{counts}")
}

fn item(outcome: &Outcome, brush: Brush, out: &mut dyn Write) -> io::Result<()> {
    let word = brush.verdict(outcome.verdict, outcome.verdict.word());
    let unit = line(outcome.unit.as_str());
    writeln!(out, "{word:WORD$}  {unit}  {}", line(&outcome.claim))?;
    let facts = facts(outcome);
    let width = width(facts.iter().map(|(label, _)| *label));
    for (label, fact) in facts {
        let label = brush.faint(label);
        writeln!(out, "{:WORD$}  {label:width$}  {fact}", "")?;
    }
    Ok(())
}

fn steps(reports: &[&Report], brush: Brush, out: &mut dyn Write) -> io::Result<()> {
    let steps = next_steps(reports);
    if steps.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", brush.strong("What to do next"))?;
    let width = width(steps.iter().map(|reason| reason.code));
    for reason in steps {
        writeln!(out, "  {:width$}  {}", reason.code, reason.help)?;
    }
    writeln!(out)
}

fn width<'t>(labels: impl Iterator<Item = &'t str>) -> usize {
    labels.map(str::len).max().unwrap_or(0)
}

#[derive(Clone, Copy)]
struct Brush {
    colour: bool,
}

impl Brush {
    fn verdict(self, verdict: Verdict, text: &str) -> Painted<'_> {
        let colour = match verdict {
            Verdict::Refuted => AnsiColor::Red,
            Verdict::Undecided => AnsiColor::Yellow,
            Verdict::Confirmed => AnsiColor::Green,
        };
        self.paint(colour.on_default().bold(), text)
    }

    fn strong(self, text: &str) -> Painted<'_> {
        self.paint(Paint::new().bold(), text)
    }

    fn faint(self, text: &str) -> Painted<'_> {
        self.paint(Paint::new().dimmed(), text)
    }

    fn plain(self, text: &str) -> Painted<'_> {
        self.paint(Paint::new(), text)
    }

    fn paint(self, paint: Paint, text: &str) -> Painted<'_> {
        let paint = if self.colour { paint } else { Paint::new() };
        Painted { paint, text }
    }
}

/// A coloured text; a width counts its characters alone.
struct Painted<'t> {
    paint: Paint,
    text: &'t str,
}

impl fmt::Display for Painted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.paint)?;
        out.pad(self.text)?;
        write!(out, "{:#}", self.paint)
    }
}
