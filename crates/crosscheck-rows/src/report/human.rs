//! The report for people: one line for each call, its reasons below.

use std::io::{self, Write};

use crosscheck_core::text::safe_line;

use super::Report;
use crate::judge::subject::State;

/// How the report for people looks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// Whether to use colours.
    pub colour: bool,
    /// Whether to show every row and fact.
    pub explain: bool,
}

pub(super) fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for (call, verdict) in report.calls() {
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
        for (reason, message) in &verdict.grounds {
            writeln!(out, "{:12}{reason}: {}", "", line(message))?;
        }
        // an open call says so in its reasons
        let is_settled = matches!(verdict.state, State::Proven | State::Superseded);
        if is_settled && !verdict.uncompared.is_empty() {
            let names = verdict.uncompared.join(", ");
            writeln!(out, "{:12}not compared: {}", "", line(&names))?;
        }
        if style.explain {
            for (subject, row) in call.subjects.iter().zip(&verdict.rows) {
                explain(&super::document::row(report, subject, row), out)?;
            }
        }
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

fn explain(row: &crate::wire::rows_v1::RowV1, out: &mut dyn Write) -> io::Result<()> {
    let key: Vec<String> = row
        .key
        .iter()
        .map(|(column, value)| format!("{column}={value}"))
        .collect();
    let sure = if row.sure { "" } else { ", not certain" };
    let head = format!("row {} {} ({}{sure})", row.table, key.join(", "), row.why);
    writeln!(out, "{:12}{}", "", line(&head))?;
    for fact in &row.facts {
        let what = match (&fact.child_table, &fact.column) {
            (Some(table), Some(column)) => format!("{table}.{column}"),
            (Some(name), None) | (None, Some(name)) => name.clone(),
            (None, None) => String::new(),
        };
        let tolerance = if fact.tolerance.is_empty() {
            String::new()
        } else {
            format!(" ({})", fact.tolerance)
        };
        let told = format!(
            "{:<15} {what:<24} claimed {} found {}{tolerance} [{} {}]",
            fact.state, fact.claimed.0, fact.found.0, fact.source, fact.field
        );
        writeln!(out, "{:14}{}", "", line(&told))?;
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
