//! One row unit from one bucket: table check, identity, compared fields.

use std::collections::HashSet;

use crosscheck_core::JsStr;
use crosscheck_core::json::Scalar;
use crosscheck_core::text::utf16_order;

use super::bucket::{Bucket, BucketEntry, ranked};
use super::score::{
    ColumnName, ParameterName, T_AMBIGUITY_DELTA, T_COL, T_OVERALL, TableName, column_score,
    tool_tokens,
};
use super::{Expectation, Identity, Planned, RowRequest, Unmapped, Unused};
use crate::observe::{Catalog, Identifier, Table, TableRef};
use crate::quick::read::Action;
use crate::reasons::RowReason;

pub(super) fn unit(
    bucket: &Bucket<'_>,
    action: &Action,
    catalog: &Catalog,
    names: &[TableName],
) -> Planned {
    let tokens = tool_tokens(action.tool.as_js());
    let order = ranked(catalog, names, |name| name.tool_score(&tokens));
    let s1 = order.first().map_or(0.0, |(_, score)| *score);
    let target = bucket
        .table
        .or_else(|| order.first().map(|(at, _)| *at))
        .unwrap_or(0);
    let Some(table) = catalog.tables.get(target) else {
        return low_confidence_without_table();
    };
    if bucket.table.is_none()
        && let Some(planned) = table_check(&order, catalog, &table.table)
    {
        return planned;
    }
    let candidates = Candidates::new(&bucket.entries);
    let Some((identity, key_score)) = identity(table, &candidates) else {
        return unmapped(
            &table.table,
            vec![RowReason::MappingNoUniqueKey],
            Vec::new(),
            0.0,
            no_key_rationale(table),
        );
    };
    let tool_score = names
        .get(target)
        .map_or(0.0, |name| name.tool_score(&tokens));
    let confidence = ((tool_score + key_score + s1) / 3.0).min(1.0);
    let (fields, paths) = fields(table, &candidates);
    let unused = unused(&bucket.entries, &identity, &paths);
    let rationale = vec![
        format!(
            "table `{}`: tool name score {tool_score}, best of all tables {s1}",
            table.table.shown()
        ),
        format!(
            "key column score {key_score}; {} compared field(s)",
            fields.len()
        ),
    ];
    let request = RowRequest {
        table: table.table.clone(),
        identity,
        fields,
    };
    Planned {
        confidence,
        expectation: Expectation::Row(request),
        unused,
        rationale,
    }
}

/// A.9.7 and A.10, for parameters that name no table: is the best table good
/// enough, and clearly better than the next?
fn table_check(order: &[(usize, f64)], catalog: &Catalog, target: &TableRef) -> Option<Planned> {
    let &(first, s1) = order.first()?;
    let mut codes = Vec::new();
    let mut alternates = Vec::new();
    if s1 < T_OVERALL {
        codes.push(RowReason::MappingLowConfidence);
    }
    if let Some(&(second, s2)) = order.get(1)
        && s1 - s2 <= T_AMBIGUITY_DELTA
    {
        codes.push(RowReason::MappingAmbiguous);
        alternates = [(first, s1), (second, s2)]
            .into_iter()
            .filter_map(|(at, score)| Some((catalog.tables.get(at)?.table.clone(), score)))
            .collect();
        alternates.sort_by(|a, b| utf16_order(a.0.name.as_str(), b.0.name.as_str()));
    }
    if codes.is_empty() {
        return None;
    }
    let rationale = vec![format!(
        "best table `{}` has tool name score {s1}",
        target.shown()
    )];
    Some(unmapped(target, codes, alternates, s1, rationale))
}

fn unmapped(
    table: &TableRef,
    codes: Vec<RowReason>,
    alternates: Vec<(TableRef, f64)>,
    confidence: f64,
    rationale: Vec<String>,
) -> Planned {
    Planned {
        confidence,
        expectation: Expectation::Unmapped(Unmapped {
            table: table.clone(),
            codes,
            alternates,
        }),
        unused: Unused::default(),
        rationale,
    }
}

fn low_confidence_without_table() -> Planned {
    let table = TableRef {
        schema: None,
        name: Identifier::from_catalog(""),
    };
    unmapped(
        &table,
        vec![RowReason::MappingLowConfidence],
        Vec::new(),
        0.0,
        Vec::new(),
    )
}

fn no_key_rationale(table: &Table) -> Vec<String> {
    let shown = table.table.shown();
    vec![match table.identity() {
        None => format!("table `{shown}` has neither a primary key nor a unique constraint"),
        Some(columns) => {
            let names: Vec<&str> = columns.iter().map(Identifier::as_str).collect();
            format!(
                "table `{shown}` is keyed by {}; no parameter fits every key column",
                names.join(", ")
            )
        }
    }]
}

/// The parameters of a bucket with their names ready for scoring.
pub(super) struct Candidates<'e, 'a> {
    entries: Vec<(&'e BucketEntry<'a>, ParameterName)>,
}

impl<'e, 'a> Candidates<'e, 'a> {
    pub(super) fn new(entries: &'e [BucketEntry<'a>]) -> Self {
        Self {
            entries: entries
                .iter()
                .map(|entry| (entry, ParameterName::new(entry.key)))
                .collect(),
        }
    }

    /// The best parameter for a key column: ties go to the smallest mapping
    /// key, then to the smallest path.
    fn for_key(&self, column: &Identifier) -> Option<(&'e BucketEntry<'a>, f64)> {
        self.best(column, |key, best| key < best)
    }

    /// The best parameter for a compared column: ties go to the first path.
    fn for_field(&self, column: &Identifier) -> Option<(&'e BucketEntry<'a>, f64)> {
        self.best(column, |_, _| false)
    }

    fn best(
        &self,
        column: &Identifier,
        prefer: impl Fn(JsStr<'_>, JsStr<'_>) -> bool,
    ) -> Option<(&'e BucketEntry<'a>, f64)> {
        let name = ColumnName::new(column.as_str());
        let mut best: Option<(&'e BucketEntry<'a>, f64)> = None;
        for (entry, key) in &self.entries {
            let score = column_score(key, &name);
            let better = best.is_none_or(|(holder, top)| {
                score > top || (score.total_cmp(&top).is_eq() && prefer(entry.key, holder.key))
            });
            if better {
                best = Some((entry, score));
            }
        }
        best.filter(|(_, score)| *score >= T_COL)
    }
}

/// Key columns with their values, and the lowest score among them.
fn identity(table: &Table, candidates: &Candidates<'_, '_>) -> Option<(Vec<Identity>, f64)> {
    let mut columns: Vec<&Identifier> = table.identity()?.iter().collect();
    columns.sort_by(|a, b| utf16_order(a.as_str(), b.as_str()));
    let mut lowest = f64::INFINITY;
    let mut identity = Vec::new();
    for column in columns {
        let (entry, score) = candidates.for_key(column)?;
        if !is_finite(entry.value) {
            return None;
        }
        lowest = lowest.min(score);
        identity.push(Identity {
            column: column.clone(),
            value: entry.value.text(),
            path: entry.path.to_owned(),
        });
    }
    Some((identity, lowest))
}

/// Every other column that a parameter fits, and the paths of those.
fn fields<'a>(
    table: &Table,
    candidates: &Candidates<'_, 'a>,
) -> (Vec<(Identifier, Scalar)>, Vec<JsStr<'a>>) {
    let key = table.identity().unwrap_or_default();
    let mut paths = Vec::new();
    let mut fields: Vec<(Identifier, Scalar)> = table
        .columns
        .iter()
        .filter(|column| !key.contains(&column.name))
        .filter_map(|column| {
            let (entry, _) = candidates.for_field(&column.name)?;
            is_finite(entry.value).then(|| {
                paths.push(entry.path);
                (column.name.clone(), entry.value.clone())
            })
        })
        .collect();
    fields.sort_by(|a, b| utf16_order(a.0.as_str(), b.0.as_str()));
    (fields, paths)
}

/// Whatever is neither part of the key nor compared.
fn unused(entries: &[BucketEntry<'_>], identity: &[Identity], compared: &[JsStr<'_>]) -> Unused {
    const FIRST: usize = 5;
    let key = identity.iter().map(|pair| pair.path.as_js());
    let used: HashSet<JsStr<'_>> = key.chain(compared.iter().copied()).collect();
    let mut unused = Unused::default();
    for entry in entries.iter().filter(|entry| !used.contains(&entry.path)) {
        unused.count += 1;
        if unused.count <= FIRST {
            unused.first.push(entry.path.to_owned());
        }
    }
    unused
}

fn is_finite(value: &Scalar) -> bool {
    !matches!(value, Scalar::Number(number) if !number.is_finite())
}
