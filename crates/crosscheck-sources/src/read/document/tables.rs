//! Tables: what a source in a row is cited for.

use std::ops::Range;
use std::sync::LazyLock;

use crosscheck_judge::builtin::{Quantity, quantities};
use regex::Regex;

use super::labels::is_citation;
use super::structure::{Link, Seen, Table};

/// Headings of columns that hold sources.
static SOURCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:primary|main|data|key|original)\s+)?(?:sources?|references?|refs?\.?|citations?|links?|urls?|doi|evidence|papers?|stud(?:y|ies)|reports?|website|page|quellen?|beleg|nachweise?|fuentes?|fontes?|fonti|来源|出处|出典|参考)(?:\s*(?:\(.*\)|links?|urls?))?$").ok()
});
/// Headings of columns that only count.
static COUNTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:#|no\.?|nr\.?|id|rank|row|item|s/n|)$").ok());

/// What the row says that a link stands in, with the headings of its columns;
/// none where the link is not a source of the row.
pub(super) fn claim(
    text: &str,
    seen: &Seen,
    table: &Table,
    row: usize,
    link: &Range<usize>,
    words: Option<&Link>,
) -> Option<String> {
    let cells = table.rows.get(row)?;
    let own = cells
        .iter()
        .position(|cell| cell.start <= link.start && link.end <= cell.end)?;
    let read = |range: &Range<usize>| seen.read(text, range).trim_matches(['|', ' ']).to_owned();
    let heads: Vec<String> = table.head.iter().map(read).collect();
    let is = |form: &LazyLock<Option<Regex>>, words: &str| {
        form.as_ref()
            .is_some_and(|form| form.is_match(words.trim()))
    };
    let in_column = heads.get(own).is_some_and(|head| is(&SOURCES, head));
    let is_label = words.is_some_and(|link| is_citation(&link.title));
    if !in_column && !is_label {
        return None;
    }
    let mut parts = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let head = heads.get(at).map(String::as_str).unwrap_or_default();
        let said = read(cell);
        let is_source = at == own || is(&SOURCES, head);
        if said.is_empty()
            || (is_source && in_column)
            || (at == own && is_label && said.split_whitespace().count() < 2)
        {
            continue;
        }
        if is(&COUNTS, head)
            && said.len() <= 4
            && said
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            continue;
        }
        // A figure in a heading is no figure of the row.
        let has_figure = quantities(head).iter().any(Quantity::is_figure);
        parts.push(if head.is_empty() || has_figure || parts.is_empty() {
            said
        } else {
            format!("{head} {said}")
        });
    }
    let claim = parts.join(", ");
    Some(claim).filter(|claim| !claim.is_empty())
}

/// The table and row around a place.
pub(super) fn around(tables: &[Table], at: usize) -> Option<(usize, usize)> {
    let start = |table: &Table| table.head.first().map(|cell| cell.start);
    let table = tables
        .partition_point(|table| start(table).is_some_and(|start| start <= at))
        .checked_sub(1)?;
    let rows = &tables.get(table)?.rows;
    let row = rows
        .partition_point(|row| row.first().is_some_and(|cell| cell.start <= at))
        .checked_sub(1)?;
    let covers = rows.get(row)?.last().is_some_and(|cell| at < cell.end);
    covers.then_some((table, row))
}
