//! Text for a terminal: the claim, the finding, and advice.

use std::borrow::Cow;
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
            brush.verdict(story::verdict(&[report]), word)
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

/// Reports may have very many outcomes, so their parts are written as they are.
fn item(outcome: &Outcome, brush: Brush, out: &mut dyn Write) -> io::Result<()> {
    let word = outcome.verdict.word();
    let unit = line(outcome.unit.as_str());
    put(out, &brush.verdict(outcome.verdict, word))?;
    pad(out, WORD, word)?;
    for part in ["  ", &unit, "  ", &line(&outcome.claim), "\n"] {
        put(out, part)?;
    }
    let facts = facts(outcome);
    let width = width(facts.iter().map(|(label, _)| *label));
    for (label, fact) in facts {
        pad(out, WORD + 2, "")?;
        put(out, &brush.faint(label))?;
        pad(out, width + 2, label)?;
        put(out, &fact)?;
        put(out, "\n")?;
    }
    Ok(())
}

fn put(out: &mut dyn Write, text: &str) -> io::Result<()> {
    out.write_all(text.as_bytes())
}

/// Blanks behind a word, up to a width.
fn pad(out: &mut dyn Write, width: usize, word: &str) -> io::Result<()> {
    const BLANKS: &str = "                                ";
    let mut left = width.saturating_sub(word.len());
    while left > 0 {
        let blanks = BLANKS.get(..left).unwrap_or(BLANKS);
        put(out, blanks)?;
        left -= blanks.len();
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
    fn verdict(self, verdict: Verdict, text: &str) -> Cow<'_, str> {
        let colour = match verdict {
            Verdict::Refuted => AnsiColor::Red,
            Verdict::Undecided => AnsiColor::Yellow,
            Verdict::Confirmed => AnsiColor::Green,
        };
        self.paint(colour.on_default().bold(), text)
    }

    fn strong(self, text: &str) -> Cow<'_, str> {
        self.paint(Paint::new().bold(), text)
    }

    fn faint(self, text: &str) -> Cow<'_, str> {
        self.paint(Paint::new().dimmed(), text)
    }

    fn plain(self, text: &str) -> Cow<'_, str> {
        self.paint(Paint::new(), text)
    }

    fn paint(self, paint: Paint, text: &str) -> Cow<'_, str> {
        if self.colour {
            Cow::Owned(format!("{paint}{text}{paint:#}"))
        } else {
            Cow::Borrowed(text)
        }
    }
}
