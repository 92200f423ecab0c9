//! Why each parameter went where it went, for `--explain-mapping`.

use crosscheck_core::JsString;

use super::bucket::{self, ranked};
use super::score::{ColumnName, ParameterName, T_COL, T_TABLE, column_score, segment, tool_tokens};
use super::table_names;
use crate::observe::Catalog;
use crate::quick::read::Log;

/// Where one parameter went.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// Index of the tool call.
    pub action: usize,
    /// The tool.
    pub tool: JsString,
    /// The parameter's path.
    pub path: JsString,
    /// How the table was chosen: by the parameter's own name or by the tool's.
    pub by_tool: bool,
    /// The table, and the one that came second.
    pub table: Choice,
    /// The column, and the one that came second.
    pub column: Choice,
}

/// The best name with its score, whether that was enough, and the runner-up.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// The best.
    pub best: Option<(String, f64)>,
    /// Whether its score reaches the threshold.
    pub taken: bool,
    /// The next best.
    pub runner_up: Option<(String, f64)>,
}

/// Explains every parameter of every tool call.
pub fn explain(log: &Log, catalog: &Catalog) -> Vec<Mapping> {
    let names = table_names(catalog);
    let mut mappings = Vec::new();
    for (index, action) in log.actions.iter().enumerate() {
        let tokens = tool_tokens(action.tool.as_js());
        for bucket in bucket::of(action, catalog, &names) {
            for entry in &bucket.entries {
                let by_tool = bucket.table.is_none();
                let order = if by_tool {
                    ranked(catalog, &names, |name| name.tool_score(&tokens))
                } else {
                    let segment = segment(entry.path);
                    ranked(catalog, &names, |name| name.segment_score(&segment))
                };
                let shown = |at: usize| {
                    catalog
                        .tables
                        .get(at)
                        .map(|table| table.table.shown())
                        .unwrap_or_default()
                };
                let tables = order
                    .iter()
                    .map(|(at, score)| (shown(*at), *score))
                    .collect();
                let target = bucket
                    .table
                    .or_else(|| order.first().map(|(at, _)| *at))
                    .and_then(|at| catalog.tables.get(at));
                let key = ParameterName::new(entry.key);
                let mut columns: Vec<(String, f64)> = target
                    .map(|table| {
                        table
                            .columns
                            .iter()
                            .map(|column| {
                                (
                                    column.name.to_string(),
                                    column_score(&key, &ColumnName::new(column.name.as_str())),
                                )
                            })
                            .collect()
                    })
                    .unwrap_or_default();
                columns.sort_by(|a, b| b.1.total_cmp(&a.1));
                mappings.push(Mapping {
                    action: index,
                    tool: action.tool.clone(),
                    path: entry.path.to_owned(),
                    by_tool,
                    table: choice(tables, T_TABLE),
                    column: choice(columns, T_COL),
                });
            }
        }
    }
    mappings
}

fn choice(ranked: Vec<(String, f64)>, threshold: f64) -> Choice {
    let mut ranked = ranked.into_iter();
    let best = ranked.next();
    let taken = best.as_ref().is_some_and(|(_, score)| *score >= threshold);
    Choice {
        best,
        taken,
        runner_up: ranked.next(),
    }
}
