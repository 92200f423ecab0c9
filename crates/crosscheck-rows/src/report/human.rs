//! The report for people: one line for each call, its reasons below.

use std::fmt::Write as _;
use std::io::{self, Write};

use crosscheck_core::outcome::Grounds;
use crosscheck_core::text::safe_line;

use super::{Report, outcome};
use crate::fact::Subject;
use crate::judge::subject::{RowVerdict, State};
use crate::judge::texts::write_found;
use crate::reasons::CallReason;

/// How the report for people looks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to show every row and fact.
    pub explain: bool,
}

pub(super) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (has_tables, no_table) = (report.has_tables(), CallReason::NoTable.code());
    for (step, call, verdict) in report.steps() {
        let word = painted(
            style,
            verdict.state,
            &format!("{:<10}", verdict.state.word().to_uppercase()),
        );
        let tool = line(&call.tool.name);
        let log = line(report.log(&call));
        let place = match (report.line(&call), &call.id) {
            (Some(number), _) => format!("{log}:{number}, call {}", call.index),
            (None, Some(id)) => format!("{log}, call {}, id {}", call.index, line(id)),
            (None, None) => format!("{log}, call {}", call.index),
        };
        writeln!(out, "{word}  {tool}  ({place})")?;
        // without any table the warning says it for all calls
        let is_stated = |grounds: &&Grounds| has_tables || grounds.reason.code != no_table;
        for grounds in step.reasons.iter().filter(is_stated) {
            let (code, message) = (grounds.reason.code, line(&grounds.message));
            writeln!(out, "{:12}{code}: {message}", "")?;
        }
        // an open call says so in its reasons
        let is_settled = matches!(verdict.state, State::Proven | State::Superseded);
        if is_settled && !verdict.uncompared.is_empty() {
            let names = verdict.uncompared.join(", ");
            writeln!(out, "{:12}not compared: {}", "", line(&names))?;
        }
        if style.explain {
            for (subject, row) in call.subjects.iter().zip(&verdict.rows) {
                explain(report, subject, row, out)?;
            }
        }
    }
    for (at, told) in report.told.iter().enumerate() {
        let step = super::neutral::said(report, at, told);
        let word = format!("{:<10}", told.state.word().to_uppercase());
        let word = painted(style, told.state, &word);
        writeln!(out, "{word}  said at the end: {}", line(&step.claim))?;
        let (code, message) = (told.ground.0.code(), line(&told.ground.1));
        writeln!(out, "{:12}{code}: {message}", "")?;
    }
    if !report.states.is_empty() {
        writeln!(out)?;
    }
    let tally = report.tally();
    writeln!(
        out,
        "{}; {} superseded, {} reads, {} failed, {} ignored",
        report.summary(),
        tally.superseded,
        tally.reads,
        tally.failed,
        tally.ignored
    )?;
    for warning in report.warnings() {
        writeln!(out, "warning: {}", line(&warning))?;
    }
    Ok(())
}

fn explain(
    report: &Report,
    subject: &Subject,
    verdict: &RowVerdict,
    out: &mut dyn Write,
) -> io::Result<()> {
    let table = &report.known.model().table(subject.table).shown;
    let key = outcome::key(report, subject);
    let key: Vec<String> = key
        .iter()
        .map(|(name, is)| format!("{name}={is}"))
        .collect();
    let sure = if verdict.is_sure { "" } else { ", not certain" };
    let why = outcome::why(&subject.why, table);
    let head = format!("row {table} {} ({why}{sure})", key.join(", "));
    writeln!(out, "{:12}{}", "", line(&head))?;
    for (seen, verdict) in subject.facts.iter().zip(&verdict.facts) {
        let (column, child) = outcome::about(report, seen);
        let what: Vec<&str> = child.into_iter().chain(column).collect();
        let mut fact_line = format!(
            "{:<15} {:<24} claimed ",
            verdict.state.word(),
            what.join(".")
        );
        outcome::write_claimed(&mut fact_line, report, seen);
        fact_line.push_str(" found ");
        outcome::shown(&mut fact_line, report, |out| write_found(out, seen));
        if !verdict.word.is_empty() {
            let _ = write!(fact_line, " ({})", verdict.word); // memory takes everything
        }
        let _ = write!(fact_line, " [{} {}]", seen.from.word(), seen.field);
        writeln!(out, "{:14}{}", "", line(&fact_line))?;
    }
    Ok(())
}

fn line(text: &str) -> String {
    safe_line(text).into_owned()
}

fn painted(style: Style, state: State, text: &str) -> String {
    if !style.colour {
        return text.to_owned();
    }
    let code = match state {
        State::Refuted => 31,
        State::Unproven => 33,
        State::Proven => 32,
        State::Superseded => 2,
    };
    format!("\u{1b}[1;{code}m{text}\u{1b}[0m")
}
