//! One outcome of the document `crosscheck.rows/1`, laid out like the rest of it.
//! Most of a report are its outcomes: they are written straight away. A test
//! holds them against the wire structs.

use std::fmt::Write as _;

use crosscheck_core::canonical::write_text;

use super::document::{why, write_claimed};
use super::{Report, neutral};
use crate::judge::call::CallVerdict;
use crate::judge::seen::{SeenCall, SeenFact, SeenSubject};
use crate::judge::subject::{FactVerdict, RowVerdict};
use crate::judge::texts::{REDACTED, write_found};
use crate::plan::Target;

/// Appends a call that was judged.
pub(super) fn write(out: &mut String, report: &Report, call: &SeenCall, verdict: &CallVerdict) {
    let _ = write!(out, "{{\n      \"unit\": \"c{}\"", call.index); // memory takes everything
    out.push_str(",\n      \"claim\": ");
    write_text(out, &neutral::claim(report, call));
    let word = neutral::verdict(verdict.state).word();
    let state = verdict.state.word();
    push(out, [",\n      \"verdict\": \"", word]);
    push(out, ["\",\n      \"state\": \"", state]);
    out.push_str("\",\n      \"reasons\": ");
    list(out, 8, verdict.grounds.iter(), |out, (reason, message)| {
        let _ = write!(out, "{{\n          \"reason\": \"{}\"", reason.code());
        out.push_str(",\n          \"message\": ");
        write_text(out, message);
        out.push_str("\n        }");
    });
    let (expected, observed) = neutral::sides(report, call, verdict);
    for (name, side) in [("expected", expected), ("observed", observed)] {
        if let Some(side) = side {
            let _ = write!(out, ",\n      \"{name}\": ");
            write_text(out, &side);
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
    match &call.id {
        Some(id) => write_text(out, id),
        None => out.push_str("null"),
    }
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

fn row(out: &mut String, report: &Report, subject: &SeenSubject, verdict: &RowVerdict) {
    let table = report.known.model().table(subject.table);
    out.push_str("{\n          \"table\": ");
    write_text(out, &table.shown);
    out.push_str(",\n          \"key\": {");
    let mut key: Vec<(&str, &str)> = Vec::with_capacity(subject.key.len());
    for (column, value) in &subject.key {
        let column = table.column(*column);
        let is_hidden = report.redacts || column.is_hidden;
        let value = if is_hidden { REDACTED } else { value };
        key.push((column.column.as_str(), value));
    }
    key.sort_unstable_by_key(|(column, _)| *column);
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

fn fact(out: &mut String, report: &Report, seen: &SeenFact, verdict: &FactVerdict) {
    let target = report.known.targets.get(seen.target);
    let model = report
        .known
        .model()
        .table(report.texts().target_table(target));
    out.push_str("{\"column\": ");
    match &target.1 {
        Target::Column(column) | Target::Beside { column, .. } | Target::List { column, .. } => {
            write_text(out, model.column(*column).column.as_str());
        }
        Target::Rows { .. } | Target::Named { .. } => out.push_str("null"),
    }
    out.push_str(", \"childTable\": ");
    match &target.1 {
        Target::Column(_) => out.push_str("null"),
        _ => write_text(out, &model.shown),
    }
    out.push_str(", \"claimed\": ");
    shown(out, report, |out| write_claimed(out, report, seen));
    out.push_str(", \"found\": ");
    shown(out, report, |out| write_found(out, seen));
    out.push_str(", \"asked\": ");
    shown(out, report, |out| match &seen.asked {
        Some(asked) => asked.0.write_canonical(out),
        None => out.push_str("null"),
    });
    push(out, [", \"source\": \"", seen.from.word()]);
    out.push_str("\", \"field\": ");
    write_text(out, &seen.field);
    push(out, [", \"firm\": ", truth(verdict.is_firm)]);
    push(out, [", \"state\": \"", verdict.state.word()]);
    push(out, ["\", \"tolerance\": \"", verdict.word]);
    out.push_str("\"}");
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
fn shown(out: &mut String, report: &Report, value: impl FnOnce(&mut String)) {
    let start = out.len();
    value(out);
    if report.redacts && out.get(start..) != Some("null") {
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
    use crate::report::{document, layout};
    use crate::verify::testing::{LOG, report};
    use crate::wire::rows_v1::{CallV1, OutcomeV1, PlaceV1, ReasonV1};

    #[test]
    fn outcomes_are_what_the_wire_structs_say() {
        for redacts in [false, true] {
            let report = report(LOG, redacts, false);
            let mut states = Vec::new();
            for (call, verdict) in report.calls() {
                let mut written = String::new();
                write(&mut written, &report, &call, &verdict);
                let plain = layout::text(&plain(&report, &call, &verdict), 2).unwrap();
                assert_eq!(written, plain);
                states.push(verdict.state.word());
            }
            states.dedup();
            assert_eq!(states, ["refuted", "unproven", "proven"]);
        }
    }

    fn plain(report: &Report, call: &SeenCall, verdict: &CallVerdict) -> OutcomeV1 {
        let (expected, observed) = neutral::sides(report, call, verdict);
        OutcomeV1 {
            unit: format!("c{}", call.index),
            claim: neutral::claim(report, call),
            verdict: neutral::verdict(verdict.state).word(),
            state: verdict.state.word(),
            reasons: verdict
                .grounds
                .iter()
                .map(|(reason, message)| ReasonV1 {
                    reason: reason.code(),
                    message: message.clone(),
                })
                .collect(),
            expected,
            observed,
            place: PlaceV1 {
                path: report.log(call).to_owned(),
                line: call.place.record,
            },
            call: CallV1 {
                index: call.index,
                id: call.id.as_deref().map(str::to_owned),
                tool: call.tool.name.to_string(),
                step: call.step,
                class: call.class.word(),
                class_from: call.class_from.to_string(),
            },
            rows: call
                .subjects
                .iter()
                .zip(&verdict.rows)
                .map(|(subject, verdict)| document::row(report, subject, verdict))
                .collect(),
            uncompared: verdict.uncompared.to_vec(),
        }
    }
}
