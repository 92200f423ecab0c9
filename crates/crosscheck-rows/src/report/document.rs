//! The document `crosscheck.rows/1`, written call by call.

use std::io::{self, Write};

use crosscheck_core::text::terminal_safe;

use super::{Report, layout, outcome};
use crate::judge::seen::{SeenFact, SeenSubject};
use crate::judge::subject::{FactVerdict, RowVerdict};
use crate::judge::texts::{REDACTED, found_json};
use crate::plan::{Claim, Target, Why};
use crate::wire::rows_v1::{AnyJson, CallsV1, CountsV1, CoverageV1, FactV1, RowV1, RowsHeadV1};

const TOOL: &str = concat!("crosscheck ", env!("CARGO_PKG_VERSION"));

pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let head = layout::text(&head(report), 0)?;
    // the outcomes go where the object would end
    let head = head.strip_suffix("\n}").unwrap_or(&head);
    write!(out, "{},\n  \"outcomes\": [", terminal_safe(head))?;
    let mut text = String::new();
    for (at, (call, verdict)) in report.calls().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        text.clear();
        outcome::write(&mut text, report, &call, &verdict);
        write!(out, "{comma}\n    {}", terminal_safe(&text))?;
    }
    let end = if report.states.is_empty() { "" } else { "\n  " };
    writeln!(out, "{end}]\n}}")
}

fn head(report: &Report) -> RowsHeadV1 {
    let tally = report.tally();
    RowsHeadV1 {
        schema: "crosscheck.rows/1",
        tool: TOOL,
        verifier: "rows",
        subject: report.subject.clone(),
        verdict: report.verdict().word(),
        exit_code: report.verdict().exit_code(),
        summary: report.summary(),
        counts: CountsV1 {
            refuted: tally.refuted,
            undecided: tally.unproven,
            confirmed: tally.proven + tally.superseded,
        },
        calls: CallsV1 {
            total: tally.total,
            writes: tally.writes,
            proven: tally.proven,
            refuted: tally.refuted,
            unproven: tally.unproven,
            superseded: tally.superseded,
            reads: tally.reads,
            failed: tally.failed,
            ignored: tally.ignored,
        },
        coverage: CoverageV1 {
            checked: tally.proven + tally.refuted,
            writes: tally.writes - tally.superseded,
        },
        contract: report.contract.clone(),
        redacted: report.redacts,
        warnings: report.warnings(),
    }
}

pub(super) fn row(report: &Report, subject: &SeenSubject, verdict: &RowVerdict) -> RowV1 {
    let table = report.known.model().table(subject.table);
    let key = |(column, value): &(crate::plan::ColumnId, smol_str::SmolStr)| {
        let column = table.column(*column);
        let is_hidden = report.redacts || column.is_hidden;
        let value = if is_hidden { REDACTED } else { value };
        (column.column.to_string(), value.to_owned())
    };
    let facts = subject.facts.iter().zip(&verdict.facts);
    RowV1 {
        table: table.shown.to_string(),
        key: subject.key.iter().map(key).collect(),
        key_from: subject.key_from.word(),
        looked: subject.looked.word(),
        sure: verdict.is_sure,
        why: why(&subject.why, &table.shown),
        facts: facts
            .map(|(seen, verdict)| fact(report, seen, verdict))
            .collect(),
    }
}

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
        Why::Elements(field) => format!("the elements of {field} hold the key"),
        Why::Values => format!("no key of {table}; looked for by values"),
        Why::Contract => "contract".to_owned(),
    }
}

fn fact(report: &Report, seen: &SeenFact, verdict: &FactVerdict) -> FactV1 {
    let target = report.known.targets.get(seen.target);
    let texts = report.texts();
    let table = texts.target_table(target);
    let model = report.known.model().table(table);
    let column = match &target.1 {
        Target::Column(column) | Target::Beside { column, .. } | Target::List { column, .. } => {
            Some(model.column(*column).column.to_string())
        }
        Target::Rows { .. } | Target::Named { .. } => None,
    };
    let hidden = |text: String| {
        let is_shown = text == "null" || !report.redacts;
        AnyJson(if is_shown {
            text
        } else {
            format!("\"{REDACTED}\"")
        })
    };
    FactV1 {
        column,
        child_table: (!matches!(target.1, Target::Column(_))).then(|| model.shown.to_string()),
        claimed: hidden(claimed(report, seen)),
        found: hidden(found_json(seen)),
        asked: hidden(
            seen.asked
                .as_ref()
                .map_or("null".to_owned(), |asked| asked.0.canonical()),
        ),
        source: seen.from.word(),
        field: seen.field.to_string(),
        firm: verdict.is_firm,
        state: verdict.state.word(),
        tolerance: verdict.word,
    }
}

/// What a fact claims, as JSON text with the names of the columns.
fn claimed(report: &Report, seen: &SeenFact) -> String {
    let mut text = String::new();
    write_claimed(&mut text, report, seen);
    text
}

/// Appends what a fact claims.
pub(super) fn write_claimed(out: &mut String, report: &Report, seen: &SeenFact) {
    let Claim::Rows(rows) = &seen.claim else {
        seen.claim.write_canonical(out);
        return;
    };
    let target = report.known.targets.get(seen.target);
    let table = report
        .known
        .model()
        .table(report.texts().target_table(target));
    out.push('[');
    for (at, row) in rows.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(&crate::judge::children::json_row(table, row));
    }
    out.push(']');
}
