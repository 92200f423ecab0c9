//! Arrays and states that are in other tables than the row they belong to.
//!
//! Contract: rows 8.4.

use crosscheck_core::json::Value as Kind;
use smol_str::SmolStr;

use super::field::Field;
use super::model::{ColumnId, Model, TableId, TableModel};
use super::names::{Name, any_same, is_id_word};
use super::object::Object;
use crate::compare::value::{Value, is_scalar};
use crate::fact::Element;

/// The child table whose rows an array holds.
#[derive(Debug)]
pub(crate) struct FoundRows {
    /// Its place among the children of the table.
    pub(crate) child: usize,
    pub(crate) elements: Box<[Element]>,
    /// How many columns the elements fill.
    pub(crate) columns: usize,
    /// Whether a word of its own name is in that of the array.
    pub(crate) is_named: bool,
}

/// The child that fits best, if it stands alone at the top: a point for each
/// firm column, two for the name.
pub(crate) fn rows(
    model: &Model,
    table: TableId,
    array: &Name,
    elements: &[Object<'_>],
) -> Option<FoundRows> {
    let parent = model.table(table);
    let mut best: Option<(usize, usize, bool, Vec<ColumnId>)> = None;
    let mut is_tie = false;
    for (place, child) in parent.children.iter().enumerate() {
        let own = model.table(child.table);
        let is_named = child.words.iter().any(|word| any_same(word, &array.words));
        let columns = filled(own, child.table, &child.columns, elements);
        let score = columns.len() + if is_named { 2 } else { 0 };
        if columns.is_empty() || score < 2 {
            continue;
        }
        match &best {
            Some((_, top, _, _)) if *top > score => {}
            Some((_, top, _, _)) if *top == score => is_tie = true,
            _ => {
                is_tie = false;
                best = Some((place, score, is_named, columns));
            }
        }
    }
    let (child, _, is_named, columns) = best.filter(|_| !is_tie)?;
    let of_child = parent.children.get(child)?.table;
    let elements: Option<Vec<Element>> = elements
        .iter()
        .map(|element| {
            let value = |column: &ColumnId| {
                let mut members = element.iter();
                let is_it = Some((*column, true));
                let member = members.find(|member| {
                    member.field.column(of_child) == is_it && holds_value(member.node)
                })?;
                Some((*column, Value::of(member.node)))
            };
            let values: Vec<(ColumnId, Value)> = columns.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| values.into())
        })
        .collect();
    Some(FoundRows {
        child,
        elements: elements?.into(),
        columns: columns.len(),
        is_named,
    })
}

/// The firm columns of a table that some element fills.
fn filled(
    table: &TableModel,
    id: TableId,
    foreign: &[ColumnId],
    elements: &[Object<'_>],
) -> Vec<ColumnId> {
    let mut columns: Vec<ColumnId> = Vec::new();
    for member in elements.iter().flatten() {
        let Some((column, true)) = member.field.column(id) else {
            continue;
        };
        let counts = !foreign.contains(&column)
            && !table.column(column).is_volatile
            && !table.column(column).is_secret
            && holds_value(member.node);
        if counts && !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

fn holds_value(node: crosscheck_core::json::Node<'_>) -> bool {
    is_scalar(node) || matches!(node.value(), Kind::Object(_))
}

/// The child column whose values an array lists, and whether that is certain:
/// all words of the array are explained, one of them by the child's name.
pub(crate) fn list(model: &Model, table: TableId, array: &Name) -> Option<(usize, ColumnId, bool)> {
    let parent = model.table(table);
    let words: Vec<&SmolStr> = array
        .words
        .iter()
        .filter(|word| !is_id_word(word) && word.as_str() != "ids")
        .collect();
    let mut best: Option<(usize, usize, usize, ColumnId, bool)> = None;
    let mut is_tie = false;
    for (place, child) in parent.children.iter().enumerate() {
        let table = model.table(child.table);
        let own = &child.words;
        let is_named = words.iter().any(|word| any_same(word, own));
        for (column, model) in table.column_ids() {
            let name: Vec<&SmolStr> = model
                .name
                .words
                .iter()
                .filter(|word| !is_id_word(word))
                .collect();
            if child.columns.contains(&column) || name.is_empty() {
                continue;
            }
            let is_hit = |word: &&&SmolStr| {
                any_same(word, own) || name.iter().any(|other| super::names::same(word, other))
            };
            let is_open = |word: &&&SmolStr| {
                !any_same(word, own) && !words.iter().any(|other| super::names::same(word, other))
            };
            let hits = words.iter().filter(is_hit).count();
            let open = name.iter().filter(is_open).count();
            if hits == 0 {
                continue;
            }
            let firm = hits == words.len() && open == 0 && is_named;
            match &best {
                Some((top, least, ..))
                    if (*top, usize::MAX - *least) > (hits, usize::MAX - open) => {}
                Some((top, least, ..)) if (*top, *least) == (hits, open) => is_tie = true,
                _ => {
                    is_tie = false;
                    best = Some((hits, open, place, column, firm));
                }
            }
        }
    }
    best.filter(|_| !is_tie)
        .map(|(_, _, place, column, firm)| (place, column, firm))
}

/// A column of the one table beside this one that has the field: a child with
/// at most one row for each row here.
pub(crate) fn beside(model: &Model, table: TableId, field: &Field) -> Option<(usize, ColumnId)> {
    let children = model.table(table).children.iter().enumerate();
    let mut found = children.filter_map(|(place, child)| match field.column(child.table) {
        Some((column, true)) if child.is_single => Some((place, column, child)),
        _ => None,
    });
    let (place, column, child) = found.next()?;
    (found.next().is_none() && !child.columns.contains(&column)).then_some((place, column))
}
