//! Foreign keys: those that are declared, and those that only names tell.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::{ColumnId, Index, TableId, TableModel};
use crate::observe::{Catalog, Identifier, TableRef};
use crate::plan::names::any_same;

/// A table that points to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) table: TableId,
    /// The columns that point.
    pub(crate) columns: Vec<ColumnId>,
    /// The columns of the parent that they point to.
    pub(crate) parent: Vec<ColumnId>,
    /// Whether the pointing columns are a key of the child, so that there is
    /// at most one row for each row of the parent.
    pub(crate) is_single: bool,
    /// The words that tell the child from its parent.
    pub(crate) words: Vec<SmolStr>,
}

/// Finds the foreign keys and tells each parent its children.
pub(super) fn connect(tables: &mut [TableModel], catalog: &Catalog, index: &Index) {
    let mut links = declared(tables, catalog);
    let known: HashSet<(TableId, ColumnId)> = links
        .iter()
        .flat_map(|(_, child)| child.columns.iter().map(|column| (child.table, *column)))
        .collect();
    links.extend(inferred(tables, index, &known));
    links.sort_by(|(_, a), (_, b)| (a.table, &a.columns).cmp(&(b.table, &b.columns)));
    for (parent, child) in links {
        let Some(pointing) = tables.get_mut(child.table.0 as usize) else {
            continue;
        };
        for column in &child.columns {
            if let Some(column) = pointing.columns.get_mut(column.0 as usize) {
                column.is_key_like = true;
                column.is_foreign = true;
            }
        }
        let is_single = pointing
            .keys
            .iter()
            .any(|key| same_set(key, &child.columns));
        let own = pointing.words.clone();
        if let Some(parent) = tables
            .get_mut(parent.0 as usize)
            .filter(|_| child.table != parent)
        {
            let is_of_parent = |word: &SmolStr| any_same(word, &parent.words);
            let (_, telling): (Vec<SmolStr>, Vec<SmolStr>) =
                own.iter().cloned().partition(is_of_parent);
            let words = if telling.is_empty() { own } else { telling };
            parent.children.push(Child {
                is_single,
                words,
                ..child
            });
        }
    }
}

fn same_set(a: &[ColumnId], b: &[ColumnId]) -> bool {
    a.len() == b.len() && a.iter().all(|column| b.contains(column))
}

fn declared(tables: &[TableModel], catalog: &Catalog) -> Vec<(TableId, Child)> {
    let places: HashMap<&TableRef, TableId> = (0..)
        .map(TableId)
        .zip(tables)
        .map(|(id, table)| (&table.table, id))
        .collect();
    let columns = |table: TableId, names: &[Identifier]| {
        let table = tables.get(table.0 as usize)?;
        let place = |name: &Identifier| table.column_named(name.as_str());
        names.iter().map(place).collect::<Option<Vec<ColumnId>>>()
    };
    let link = |key: &crate::observe::ForeignKey| {
        let (child, parent) = (*places.get(&key.child)?, *places.get(&key.parent)?);
        let child = Child {
            table: child,
            columns: columns(child, &key.child_columns)?,
            parent: columns(parent, &key.parent_columns)?,
            is_single: false,
            words: Vec::new(),
        };
        (child.columns.len() == child.parent.len()).then_some((parent, child))
    };
    catalog.foreign_keys.iter().filter_map(link).collect()
}

/// A column that is called like the only key column of another table
/// (`order_id`), or like that table and its bare id.
fn inferred(
    tables: &[TableModel],
    index: &Index,
    declared: &HashSet<(TableId, ColumnId)>,
) -> Vec<(TableId, Child)> {
    let mut by_key: HashMap<&str, Vec<TableId>> = HashMap::new();
    for (id, table) in (0..).map(TableId).zip(tables) {
        if let [key] = table.primary() {
            let norm = table.column(*key).name.norm.as_str();
            by_key.entry(norm).or_default().push(id);
        }
    }
    let mut links = Vec::new();
    for (id, table) in (0..).map(TableId).zip(tables) {
        for (column, model) in table.column_ids() {
            if declared.contains(&(id, column)) {
                continue;
            }
            let name = &model.name;
            let alike = (!name.is_bare_id && name.ends_in_id)
                .then(|| by_key.get(name.norm.as_str()))
                .flatten();
            let ids = index.ids(&name.words);
            let ids = ids
                .iter()
                .filter(|parent| is_bare_key(tables, **parent, name));
            let mut parents: Vec<TableId> =
                alike.into_iter().flatten().chain(ids).copied().collect();
            parents.retain(|parent| *parent != id);
            parents.sort_unstable();
            let Some(parent) = parents.first().copied() else {
                continue;
            };
            let key = tables.get(parent.0 as usize).map(TableModel::primary);
            let child = Child {
                table: id,
                columns: vec![column],
                parent: key.unwrap_or_default().to_vec(),
                is_single: false,
                words: Vec::new(),
            };
            links.push((parent, child));
        }
    }
    links
}

/// Whether a table has one bare id as its key, and a column of this name is meant for it.
fn is_bare_key(tables: &[TableModel], parent: TableId, name: &crate::plan::names::Name) -> bool {
    tables
        .get(parent.0 as usize)
        .is_some_and(|parent| match parent.primary() {
            [key] => {
                let key = &parent.column(*key).name;
                key.is_bare_id && parent.is_id_for(name, key)
            }
            _ => false,
        })
}
