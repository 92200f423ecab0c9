//! A.9.6 and A.9.7: which parameters belong to which table.

use std::collections::{BTreeMap, HashMap};

use crosscheck_core::JsStr;
use crosscheck_core::json::Scalar;

use super::score::{self, T_TABLE, TableName};
use crate::observe::Catalog;
use crate::quick::read::Action;

/// The bucket of parameters that name no table.
const GLOBAL: &str = "__global__";

/// The parameters of one row unit.
#[derive(Debug)]
pub(super) struct Bucket<'a> {
    /// The table the paths name; `None` for the fallback bucket.
    pub(super) table: Option<usize>,
    /// Paths in UTF-16 order, with mapping key and value.
    pub(super) entries: Vec<BucketEntry<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BucketEntry<'a> {
    pub(super) path: JsStr<'a>,
    /// What is compared with column names.
    pub(super) key: JsStr<'a>,
    pub(super) value: &'a Scalar,
}

/// The buckets of a tool call in UTF-16 order of their table.
pub(super) fn of<'a>(
    action: &'a Action,
    catalog: &Catalog,
    names: &[TableName],
) -> Vec<Bucket<'a>> {
    let mut segments = HashMap::new();
    let mut buckets: BTreeMap<(Vec<u16>, Option<usize>), Bucket<'a>> = BTreeMap::new();
    for (path, value) in action.flat.iter() {
        let segment = score::segment(path);
        let table = *segments.entry(segment).or_insert_with_key(|segment| {
            best(catalog, names, |name| name.segment_score(segment))
                .filter(|(_, score)| *score >= T_TABLE)
                .map(|(table, _)| table)
        });
        let name = table
            .and_then(|at| catalog.tables.get(at))
            .map_or(GLOBAL, |table| table.table.name.as_str());
        let bucket = buckets
            .entry((name.encode_utf16().collect(), table))
            .or_insert_with(|| Bucket {
                table,
                entries: Vec::new(),
            });
        bucket.entries.push(BucketEntry {
            path,
            key: mapping_key(path, table.is_some()),
            value,
        });
    }
    let mut buckets: Vec<Bucket<'a>> = buckets.into_values().collect();
    for bucket in &mut buckets {
        bucket.entries.sort_by(|a, b| a.path.cmp(&b.path));
    }
    buckets
}

/// The best table and its score; ties go to the smallest name in UTF-16 order.
pub(super) fn best(
    catalog: &Catalog,
    names: &[TableName],
    score: impl Fn(&TableName) -> f64,
) -> Option<(usize, f64)> {
    ranked(catalog, names, score).into_iter().next()
}

/// All tables, best first, ties by name in UTF-16 order.
pub(super) fn ranked(
    catalog: &Catalog,
    names: &[TableName],
    score: impl Fn(&TableName) -> f64,
) -> Vec<(usize, f64)> {
    let mut tables: Vec<(usize, f64)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (at, score(name)))
        .collect();
    let name = |at: usize| {
        catalog
            .tables
            .get(at)
            .map_or("", |table| table.table.name.as_str())
    };
    tables.sort_by(|a, b| {
        b.1.total_cmp(&a.1)
            .then_with(|| crosscheck_core::text::utf16_order(name(a.0), name(b.0)))
    });
    tables
}

fn mapping_key(path: JsStr<'_>, names_table: bool) -> JsStr<'_> {
    if !names_table {
        return path;
    }
    path.split_once('.').map_or(path, |(_, rest)| rest)
}
