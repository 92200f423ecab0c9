//! Why each parameter went where it went, for `--explain-mapping`.

use std::fmt::Write as _;

use crosscheck_core::text::{cut_units, one_line};

use super::bucket::{self, ranked};
use super::score::{ColumnName, ParameterName, T_COL, T_TABLE, column_score, segment, tool_tokens};
use super::table_names;
use crate::observe::Catalog;
use crate::quick::decimals::three_decimals;
use crate::quick::read::Log;

/// Where every parameter of every tool call went, with what came second.
pub(crate) fn explain(log: &Log, catalog: &Catalog) -> String {
    let names = table_names(catalog);
    let shown = |at: &usize| catalog.tables.get(*at).map(|table| table.table.shown());
    let mut lines = String::new();
    for (index, action) in log.actions.iter().enumerate() {
        let tokens = tool_tokens(action.tool.as_js());
        for (at, bucket) in bucket::of(action, catalog, &names).iter().enumerate() {
            if at == 0 {
                let tool = short(&action.tool.to_string());
                let _ = writeln!(lines, "action#={index} tool={tool}");
            }
            for entry in &bucket.entries {
                let segment = segment(entry.path);
                let order = ranked(catalog, &names, |name| match bucket.table {
                    None => name.tool_score(&tokens),
                    Some(_) => name.segment_score(&segment),
                });
                let by = match bucket.table {
                    None => "by the tool's name",
                    Some(_) => "by the parameter's name",
                };
                let best = bucket.table.or_else(|| Some(order.first()?.0));
                let key = ParameterName::new(entry.key);
                let columns = best.and_then(|at| catalog.tables.get(at));
                let columns = columns.map(|table| table.columns.as_slice());
                let scored = columns.unwrap_or_default().iter().map(|column| {
                    let score = column_score(&key, &ColumnName::new(column.name.as_str()));
                    (column.name.to_string(), score)
                });
                let mut columns: Vec<(String, f64)> = scored.collect();
                columns.sort_by(|a, b| b.1.total_cmp(&a.1));
                let tables = order.iter();
                let tables: Vec<(String, f64)> = tables
                    .map(|(at, score)| (shown(at).unwrap_or_default(), *score))
                    .collect();
                let _ = writeln!(
                    lines,
                    "  {} -> table {} ({by}), column {}",
                    short(&entry.path.to_owned().to_string()),
                    choice(&tables, T_TABLE),
                    choice(&columns, T_COL)
                );
            }
        }
    }
    if lines.is_empty() {
        lines.push_str("no parameter was mapped\n");
    }
    format!("=== mapping ===\n{lines}=== end mapping ===\n")
}

/// The best with its score, whether that was enough, and the next best.
fn choice(ranked: &[(String, f64)], threshold: f64) -> String {
    let shown =
        |(name, score): &(String, f64)| format!("`{}` {}", short(name), three_decimals(*score));
    let best = match ranked.first() {
        Some(best) if best.1 >= threshold => shown(best),
        Some(best) => format!("none (best {})", shown(best)),
        None => "none".to_owned(),
    };
    match ranked.get(1) {
        Some(second) => format!("{best}, runner-up {}", shown(second)),
        None => best,
    }
}

fn short(text: &str) -> String {
    one_line(cut_units(text, 120))
}
