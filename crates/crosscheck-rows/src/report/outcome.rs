//! One outcome of the document `crosscheck.rows/1`, laid out like the rest of it:
//! the neutral step, and what `rows` alone knows about it. Most of a report are
//! its outcomes: they are written straight away.

use std::fmt::Write as _;

use crosscheck_core::Outcome;
use crosscheck_core::canonical::write_text;
use crosscheck_core::redact::holds_secret;

use super::Report;
use crate::fact::{Fact, Found, Subject};
use crate::judge::call::CallVerdict;
use crate::judge::seen::SeenCall;
use crate::judge::subject::{FactVerdict, RowVerdict};
use crate::judge::texts::{REDACTED, write_found};
use crate::plan::{Claim, Target, Why};

/// Appends a call that was judged.
pub(super) fn write(
    out: &mut String,
    report: &Report,
    step: &Outcome,
    call: &SeenCall,
    verdict: &CallVerdict,
) {
    push(out, ["{\n      \"unit\": \"", step.unit.as_str()]);
    out.push_str("\",\n      \"claim\": ");
    write_text(out, &step.claim);
    push(out, [",\n      \"verdict\": \"", step.verdict.word()]);
    push(out, ["\",\n      \"state\": \"", verdict.state.word()]);
    out.push_str("\",\n      \"reasons\": ");
    list(out, 8, step.reasons.iter(), |out, grounds| {
        push(out, ["{\n          \"reason\": \"", grounds.reason.code]);
        out.push_str("\",\n          \"message\": ");
        write_text(out, &grounds.message);
        out.push_str("\n        }");
    });
    for (name, side) in [("expected", &step.expected), ("observed", &step.observed)] {
        if let Some(side) = side {
            let _ = write!(out, ",\n      \"{name}\": "); // memory takes everything
            write_text(out, side);
        }
    }
    out.push_str(",\n      \"place\": {\n        \"path\": ");
    write_text(out, report.log(call));
    let _ = write!(out, ",\n        \"line\": {}\n      }}", call.place.record);
    let _ = write!(
        out,
        ",\n      \"call\": {{\n        \"index\": {},\n        \"id\": ",
        call.index
    );
    write_or_null(out, call.id.as_deref());
    out.push_str(",\n        \"tool\": ");
    write_text(out, &call.tool.name);
    let _ = write!(out, ",\n        \"step\": {}", call.step);
    push(out, [",\n        \"class\": \"", call.class.word()]);
    out.push_str("\",\n        \"classFrom\": ");
    write_text(out, &call.class_from);
    out.push_str("\n      },\n      \"rows\": ");
    let rows = call.subjects.iter().zip(&verdict.rows);
    list(out, 8, rows, |out, (subject, verdict)| {
        row(out, report, subject, verdict);
    });
    out.push_str(",\n      \"uncompared\": ");
    list(out, 8, verdict.uncompared.iter(), |out, name| {
        write_text(out, name);
    });
    out.push_str("\n    }");
}

fn row(out: &mut String, report: &Report, subject: &Subject, verdict: &RowVerdict) {
    let table = report.known.model().table(subject.table);
    out.push_str("{\n          \"table\": ");
    write_text(out, &table.shown);
    out.push_str(",\n          \"key\": {");
    let key = key(report, subject);
    for (at, (column, value)) in key.iter().enumerate() {
        out.push_str(if at > 0 {
            ",\n            "
        } else {
            "\n            "
        });
        write_text(out, column);
        out.push_str(": ");
        write_text(out, value);
    }
    out.push_str(if key.is_empty() { "}" } else { "\n          }" });
    push(
        out,
        [",\n          \"keyFrom\": \"", subject.key_from.word()],
    );
    push(
        out,
        ["\",\n          \"looked\": \"", subject.looked.word()],
    );
    push(out, ["\",\n          \"sure\": ", truth(verdict.is_sure)]);
    out.push_str(",\n          \"why\": ");
    write_text(out, &why(&subject.why, &table.shown));
    out.push_str(",\n          \"facts\": ");
    let facts = subject.facts.iter().zip(&verdict.facts);
    list(out, 12, facts, |out, (seen, verdict)| {
        fact(out, report, seen, verdict);
    });
    out.push_str("\n        }");
}

fn fact(out: &mut String, report: &Report, seen: &Fact, verdict: &FactVerdict) {
    out.push_str("{\"column\": ");
    let (column, child) = about(report, seen);
    write_or_null(out, column);
    out.push_str(", \"childTable\": ");
    write_or_null(out, child);
    out.push_str(", \"claimed\": ");
    let start = out.len();
    write_claimed(out, report, seen);
    let end = out.len();
    out.push_str(", \"found\": ");
    match (&seen.found, &seen.claim) {
        (Found::Same, Claim::Value(_)) => out.extend_from_within(start..end),
        _ => shown(out, report, |out| write_found(out, seen)),
    }
    out.push_str(", \"asked\": ");
    match &seen.asked {
        Some(asked) => shown(out, report, |out| asked.0.write_canonical(out)),
        None => out.push_str("null"),
    }
    push(out, [", \"source\": \"", seen.from.word()]);
    out.push_str("\", \"field\": ");
    write_text(out, &seen.field);
    push(out, [", \"firm\": ", truth(verdict.is_firm)]);
    push(out, [", \"state\": \"", verdict.state.word()]);
    push(out, ["\", \"tolerance\": \"", verdict.word]);
    out.push_str("\"}");
}

/// The key of a row, by column.
pub(super) fn key<'r>(report: &'r Report, subject: &'r Subject) -> Vec<(&'r str, &'r str)> {
    let table = report.known.model().table(subject.table);
    let part = |(column, value): &'r (_, smol_str::SmolStr)| {
        let column = table.column(*column);
        let is_hidden = report.redacts || column.is_hidden;
        let value = if is_hidden { REDACTED } else { value };
        (column.column.as_str(), value)
    };
    let mut key: Vec<_> = subject.key.iter().map(part).collect();
    key.sort_unstable_by_key(|(column, _)| *column);
    key
}

/// The column and the child table that a fact is about.
pub(super) fn about<'r>(report: &'r Report, seen: &Fact) -> (Option<&'r str>, Option<&'r str>) {
    let target = report.known.targets.get(seen.target);
    let table = report.texts().target_table(target);
    let table = report.known.model().table(table);
    let column = target
        .1
        .column()
        .map(|own| table.column(own).column.as_str());
    let is_own = matches!(target.1, Target::Column(_));
    (column, (!is_own).then_some(&*table.shown))
}

/// Why a call is about a row.
pub(super) fn why(why: &Why, table: &str) -> String {
    let named = |is_named: &bool| {
        if *is_named {
            " and the tool names the table"
        } else {
            ""
        }
    };
    match why {
        Why::Answer(fields, is_named) => ["the answer holds ", fields, named(is_named)].concat(),
        Why::Arguments(fields, is_named) => {
            [fields, " is the key of ", table, named(is_named)].concat()
        }
        Why::Values => format!("no key of {table}; looked for by values"),
        Why::Contract => "contract".to_owned(),
    }
}

/// Appends what a fact claims, as JSON with the names of the columns.
pub(super) fn write_claimed(out: &mut String, report: &Report, seen: &Fact) {
    shown(out, report, |out| {
        let Claim::Rows(rows) = &seen.claim else {
            seen.claim.write_canonical(out);
            return;
        };
        let target = report.known.targets.get(seen.target);
        let table = report.texts().target_table(target);
        let table = report.known.model().table(table);
        out.push('[');
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&crate::judge::children::json_row(table, row));
        }
        out.push(']');
    });
}

fn write_or_null(out: &mut String, text: Option<&str>) {
    match text {
        Some(text) => write_text(out, text),
        None => out.push_str("null"),
    }
}

fn push(out: &mut String, parts: [&str; 2]) {
    for part in parts {
        out.push_str(part);
    }
}

const fn truth(is_true: bool) -> &'static str {
    if is_true { "true" } else { "false" }
}

/// Appends a value, unless values must not be shown.
pub(super) fn shown(out: &mut String, report: &Report, value: impl FnOnce(&mut String)) {
    let start = out.len();
    value(out);
    let is_secret = || out.get(start..).is_some_and(holds_secret);
    if report.redacts && out.get(start..) != Some("null") || is_secret() {
        out.truncate(start);
        write_text(out, REDACTED);
    }
}

/// Appends items, each on its own line behind so many blanks.
fn list<T>(
    out: &mut String,
    indent: usize,
    items: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    const BLANKS: &str = "            ";
    let blanks = |indent: usize| BLANKS.get(..indent).unwrap_or(BLANKS);
    let start = out.len();
    for item in items {
        out.push_str(if out.len() == start { "[\n" } else { ",\n" });
        out.push_str(blanks(indent));
        write(out, item);
    }
    if out.len() == start {
        out.push_str("[]");
    } else {
        out.push('\n');
        out.push_str(blanks(indent - 2));
        out.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::testing::{LOG, report};

    #[test]
    fn outcomes_say_what_the_neutral_steps_say() {
        for redacts in [false, true] {
            let report = report(LOG, redacts, false);
            let mut states = Vec::new();
            for (step, call, verdict) in report.steps() {
                let mut written = String::new();
                write(&mut written, &report, &step, &call, &verdict);
                let written: serde_json::Value = serde_json::from_str(&written).unwrap();
                let mut step = serde_json::to_value(&step).unwrap();
                let step = step.as_object_mut().unwrap();
                step.remove("place");
                for (name, expected) in step {
                    assert_eq!(written.get(name), Some(&*expected), "{name}");
                }
                states.push(verdict.state.word());
            }
            states.dedup();
            assert_eq!(states, ["refuted", "unproven", "proven"]);
        }
    }
}
