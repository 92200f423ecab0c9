//! The catalogue with names (rows 6): which field may mean which column of
//! which table, by words alone.

mod foreign;
mod index;

use std::collections::{HashMap, HashSet};

use crosscheck_core::rules::Rule;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::means::means;
use super::names::{Name, forms, is_id_word, same, same_words};
use super::words::words;
use crate::observe::{Catalog, Hides, Holds, Identifier, TableRef};

pub(crate) use foreign::Child;
pub(crate) use index::{Index, Meaning};

const ALIAS: Rule = Rule::new(
    "rows.alias",
    "a table is also called like its key: `leave_id`",
);

const HISTORY: Rule = Rule::new(
    "rows.history",
    "a table of events may hold the state instead",
);

/// A table, by its place in the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct TableId(pub(crate) u32);

/// A column, by its place in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct ColumnId(pub(crate) u32);

/// All tables, in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Model {
    tables: Vec<TableModel>,
    /// Which names mean which tables and columns.
    pub(crate) index: Index,
}

#[derive(Debug)]
pub(crate) struct TableModel {
    pub(crate) id: TableId,
    pub(crate) table: TableRef,
    /// How reports call it.
    pub(crate) shown: SmolStr,
    /// The words that tell it from the other tables.
    pub(crate) words: Vec<SmolStr>,
    /// What its key says it is a table of: `leave` of `leave_records(leave_id)`.
    pub(crate) alias: Vec<SmolStr>,
    pub(crate) columns: Vec<ColumnModel>,
    /// The primary key first, then unique keys.
    pub(crate) keys: Vec<Vec<ColumnId>>,
    /// Tables with a foreign key to this one.
    pub(crate) children: Vec<Child>,
    pub(crate) hides: Option<Hides>,
    /// Whether a child table may keep its states, so that its own columns may be out of date.
    pub(crate) has_history: bool,
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(crate) struct ColumnModel {
    pub(crate) name: Name,
    pub(crate) column: Identifier,
    pub(crate) holds: Holds,
    /// Whether it is part of a foreign key, declared or inferred, or of the
    /// primary key: what it holds is the id of something.
    pub(crate) is_key_like: bool,
    /// Whether it points to another table.
    pub(crate) is_foreign: bool,
    pub(crate) is_secret: bool,
    /// Whether its values are compared but not shown.
    pub(crate) is_hidden: bool,
    pub(crate) is_volatile: bool,
    /// Whether its name speaks of the small unit of money.
    pub(crate) is_minor: bool,
    /// Whether its name is that of its table and an id word.
    pub(crate) is_table_id: bool,
}

impl Model {
    pub(crate) fn new(catalog: &Catalog) -> Self {
        let mut names: Vec<Vec<SmolStr>> = catalog
            .tables
            .iter()
            .map(|table| table_words(table.table.name.as_str()))
            .collect();
        drop_common_prefix(&mut names);
        let tables = (0..).map(TableId).zip(&catalog.tables).zip(names);
        let mut tables: Vec<TableModel> = tables
            .map(|((id, table), words)| TableModel::new(id, table, words))
            .collect();
        if ALIAS.is_on() {
            name_by_key(&mut tables);
        }
        let index = Index::new(&tables);
        foreign::connect(&mut tables, catalog, &index);
        find_histories(&mut tables);
        Self { tables, index }
    }

    pub(crate) fn table(&self, id: TableId) -> &TableModel {
        // ids are made from places in this very list
        #[expect(clippy::indexing_slicing, reason = "see above")]
        &self.tables[id.0 as usize]
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = (TableId, &TableModel)> {
        (0..).map(TableId).zip(&self.tables)
    }

    /// Whether rows of a table point to those of another one, directly or
    /// through others: they may go when those go.
    pub(crate) fn hangs_on(&self, table: TableId, parent: TableId) -> bool {
        let mut seen = vec![parent];
        let mut at = 0;
        while let Some(here) = seen.get(at).copied() {
            at += 1;
            for child in &self.table(here).children {
                if child.table == table {
                    return true;
                }
                if !seen.contains(&child.table) {
                    seen.push(child.table);
                }
            }
        }
        false
    }

    /// The table that a contract names: by its name, or with its schema.
    pub(crate) fn named(&self, name: &str) -> Option<TableId> {
        let is_it = |(_, table): &(TableId, &TableModel)| {
            table.shown == name || table.table.name.as_str() == name
        };
        let mut found = self.tables().filter(is_it);
        let first = found.next()?;
        // a name that two schemas have needs its schema
        found.next().is_none().then_some(first.0)
    }

    /// Whether a word is one of those that name a table.
    pub(crate) fn is_noun(&self, word: &str) -> bool {
        self.index.is_noun(word)
    }
}

impl TableModel {
    fn new(id: TableId, table: &crate::observe::Table, words: Vec<SmolStr>) -> Self {
        let columns: Vec<ColumnModel> = table.columns.iter().map(ColumnModel::new).collect();
        let place = |name: &Identifier| {
            let at = columns.iter().position(|column| column.column == *name)?;
            u32::try_from(at).ok().map(ColumnId)
        };
        let key = |names: &[Identifier]| names.iter().map(place).collect::<Option<Vec<_>>>();
        let mut unique: Vec<&Vec<Identifier>> = table.unique.iter().collect();
        unique.sort_by_key(|names| {
            let listed = names.iter().map(Identifier::as_str).collect::<Vec<_>>();
            (names.len(), listed.join("\u{0}"))
        });
        let mut keys: Vec<Vec<ColumnId>> = Vec::new();
        for names in std::iter::once(&table.primary_key).chain(unique) {
            if let Some(key) = key(names).filter(|key| !key.is_empty() && !keys.contains(key)) {
                keys.push(key);
            }
        }
        let mut model = Self {
            id,
            shown: table.table.shown().into(),
            table: table.table.clone(),
            words,
            alias: Vec::new(),
            columns,
            keys,
            children: Vec::new(),
            hides: table.hides,
            has_history: false,
        };
        for at in 0..model.columns.len() {
            let is_own = |column: &ColumnModel| model.is_id(&column.name.words);
            let is_table_id = model.columns.get(at).is_some_and(is_own);
            if let Some(column) = model.columns.get_mut(at) {
                column.is_table_id = is_table_id;
            }
        }
        for column in model.primary().to_vec() {
            if let Some(column) = model.columns.get_mut(column.0 as usize) {
                column.is_key_like = true;
            }
        }
        model
    }

    pub(crate) fn column(&self, id: ColumnId) -> &ColumnModel {
        // ids are made from places in this very list
        #[expect(clippy::indexing_slicing, reason = "see above")]
        &self.columns[id.0 as usize]
    }

    pub(crate) fn column_ids(&self) -> impl Iterator<Item = (ColumnId, &ColumnModel)> {
        (0..).map(ColumnId).zip(&self.columns)
    }

    /// The column with exactly this name.
    pub(crate) fn column_named(&self, name: &str) -> Option<ColumnId> {
        let mut columns = self.column_ids();
        columns
            .find(|(_, column)| column.column.as_str() == name)
            .map(|(id, _)| id)
    }

    /// The key that names a row: the primary one, or the first there is.
    pub(crate) fn primary(&self) -> &[ColumnId] {
        self.keys.first().map_or(&[], Vec::as_slice)
    }

    /// Whether these words are the words of the table and one id word.
    pub(crate) fn is_id(&self, words: &[SmolStr]) -> bool {
        let Some((last, rest)) = words.split_last() else {
            return false;
        };
        is_id_word(last) && same_words(rest, &self.words)
    }
}

impl TableModel {
    /// Whether a field is the id of this table and meant for this column:
    /// `issue_id` for any id, `issue_key` only for a key.
    fn is_id_for(&self, field: &Name, column: &Name) -> bool {
        self.is_id(&field.words) && (field.last() == "id" || field.last() == column.last())
    }
}

impl ColumnModel {
    fn new(column: &crate::observe::Column) -> Self {
        let name = Name::new(column.name.as_str());
        let lists = words();
        Self {
            is_secret: lists.secret.has(&name.joined),
            is_hidden: name.looks_secret(),
            is_volatile: lists.volatile.has(&name.joined),
            is_minor: name.is_minor(),
            is_table_id: false,
            name,
            column: column.name.clone(),
            holds: column.holds,
            is_key_like: false,
            is_foreign: false,
        }
    }
}

/// Tables with a child that keeps what they held, one row after the other.
fn find_histories(tables: &mut [TableModel]) {
    let is_history = |table: &TableModel| {
        let mut words = table.words.iter();
        let mut columns = table.columns.iter();
        words.any(|word| means().histories.has(word)) && columns.any(|column| column.name.is_state)
    };
    let histories: Vec<bool> = tables.iter().map(is_history).collect();
    for table in tables.iter_mut().filter(|_| HISTORY.is_on()) {
        let mut children = table.children.iter();
        table.has_history =
            children.any(|child| histories.get(child.table.0 as usize) == Some(&true));
    }
}

/// Tables whose one key column is called like something that no table is: the
/// only one with such a key is known by that name, too.
fn name_by_key(tables: &mut [TableModel]) {
    let stem = |table: &TableModel| match table.primary() {
        [key] => {
            let name = &table.column(*key).name;
            let stem = name.words.split_last().filter(|(last, _)| is_id_word(last));
            stem.map(|(_, stem)| stem.to_vec())
                .filter(|stem| !stem.is_empty())
        }
        _ => None,
    };
    let stems: Vec<Option<Vec<SmolStr>>> = tables.iter().map(stem).collect();
    for at in 0..tables.len() {
        let Some(stem) = stems.get(at).cloned().flatten() else {
            continue;
        };
        let is_table = tables.iter().any(|table| same_words(&table.words, &stem));
        let others = stems.iter().flatten().filter(|other| **other == stem);
        if !is_table
            && others.count() == 1
            && let Some(table) = tables.get_mut(at)
        {
            table.alias = stem;
        }
    }
}

fn table_words(name: &str) -> Vec<SmolStr> {
    let all = super::names::split(name);
    let telling: Vec<SmolStr> = all
        .iter()
        .filter(|word| !matches!(word.as_str(), "tbl" | "tb"))
        .cloned()
        .collect();
    if telling.is_empty() { all } else { telling }
}

/// A first word that most tables share tells nothing (`shop_order`).
fn drop_common_prefix(names: &mut [Vec<SmolStr>]) {
    let mut counts: HashMap<SmolStr, usize> = HashMap::new();
    for words in names.iter().filter(|words| words.len() > 1) {
        *counts
            .entry(words.first().cloned().unwrap_or_default())
            .or_default() += 1;
    }
    let is_common = |count: usize| names.len() >= 3 && count * 10 >= names.len() * 6;
    let is_a_table = |word: &SmolStr| {
        let mut alone = names.iter().filter(|words| words.len() == 1);
        alone.any(|words| words.iter().any(|own| same(own, word)))
    };
    let common: HashSet<SmolStr> = counts
        .into_iter()
        .filter(|(word, count)| is_common(*count) && !is_a_table(word))
        .map(|(word, _)| word)
        .collect();
    for words in names {
        if words.len() > 1 && words.first().is_some_and(|first| common.contains(first)) {
            words.remove(0);
        }
    }
}

/// The shortest form of each word, which is mostly the singular.
fn singular(words: &[SmolStr]) -> Vec<SmolStr> {
    let shortest = |word: &SmolStr| {
        let mut forms = forms(word).into_vec();
        forms.sort_by_key(|form| (form.chars().count(), form.clone()));
        forms.into_iter().next().unwrap_or_default()
    };
    words.iter().map(shortest).collect()
}
