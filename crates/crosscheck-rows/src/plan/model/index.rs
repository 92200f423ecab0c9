//! From names to tables and columns, without looking through all of them.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::{ColumnId, TableId, TableModel, singular};
use crate::plan::names::{Name, forms, is_id_word, same_words};
use crate::plan::words::words;

/// A column that a name may mean; firm when the names are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) table: TableId,
    pub(crate) column: ColumnId,
    pub(crate) firm: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Columns by their norm.
    firm: HashMap<SmolStr, Vec<(TableId, ColumnId)>>,
    /// Columns by similar norms; `None` where several of a table are similar.
    loose: HashMap<SmolStr, Vec<(TableId, Option<ColumnId>)>>,
    /// Tables by the forms of their words, with the place of the word.
    by_word: HashMap<SmolStr, Vec<(TableId, usize)>>,
    /// How many words each table has, and which.
    words: Vec<Vec<SmolStr>>,
    /// The words that only the key of a table has.
    aliases: Vec<(TableId, Vec<SmolStr>)>,
}

impl Index {
    pub(super) fn new(tables: &[TableModel]) -> Self {
        let mut index = Self {
            words: tables.iter().map(|table| table.words.clone()).collect(),
            ..Self::default()
        };
        for (id, table) in (0..).map(TableId).zip(tables) {
            if !table.alias.is_empty() {
                index.aliases.push((id, table.alias.clone()));
            }
            for (place, word) in table.words.iter().enumerate() {
                for form in forms(word) {
                    index.by_word.entry(form).or_default().push((id, place));
                }
            }
            index.add_columns(id, table);
        }
        index
    }

    fn add_columns(&mut self, id: TableId, table: &TableModel) {
        let mut own: HashSet<SmolStr> = HashSet::new();
        for (column, model) in table.column_ids() {
            // of two columns that differ in their separators the first counts
            if own.insert(model.name.norm.clone()) {
                let known = self.firm.entry(model.name.norm.clone()).or_default();
                known.push((id, column));
            }
        }
        let mut similar: HashMap<SmolStr, HashSet<ColumnId>> = HashMap::new();
        let prefixes = prefixes(table);
        for (column, model) in table.column_ids() {
            for norm in similar_norms(&model.name, &prefixes) {
                similar.entry(norm).or_default().insert(column);
            }
        }
        for (norm, columns) in similar {
            let mut columns = columns.into_iter();
            let only = columns.next().filter(|_| columns.next().is_none());
            self.loose.entry(norm).or_default().push((id, only));
        }
    }

    /// The columns that a field may mean, one for each table at most, in the
    /// order of the tables.
    pub(crate) fn meanings(&self, norm: &str) -> Vec<Meaning> {
        let firm = self.firm.get(norm).map_or(&[][..], Vec::as_slice);
        let loose = self.loose.get(norm).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<Meaning> = firm
            .iter()
            .map(|(table, column)| Meaning {
                table: *table,
                column: *column,
                firm: true,
            })
            .collect();
        for (table, column) in loose {
            let is_firm = firm.iter().any(|(known, _)| known == table);
            if let Some(column) = column.filter(|_| !is_firm) {
                found.push(Meaning {
                    table: *table,
                    column,
                    firm: false,
                });
            }
        }
        found.sort_by_key(|meaning| meaning.table);
        found
    }

    /// The tables that these words name, each with the number of its words.
    pub(crate) fn named(&self, words: &[SmolStr]) -> Vec<(TableId, usize)> {
        let mut seen: HashMap<TableId, HashSet<usize>> = HashMap::new();
        for word in words {
            for form in forms(word) {
                for (table, place) in self.by_word.get(&form).into_iter().flatten() {
                    seen.entry(*table).or_default().insert(*place);
                }
            }
        }
        // a table of one word may be written in several (`work order`)
        for length in 2..=4 {
            for some in words.windows(length) {
                for form in forms(&some.concat()) {
                    for (table, place) in self.by_word.get(&form).into_iter().flatten() {
                        if self.length(*table) == 1 {
                            seen.entry(*table).or_default().insert(*place);
                        }
                    }
                }
            }
        }
        let mut named: Vec<(TableId, usize)> = seen
            .into_iter()
            .map(|(table, places)| (table, places.len()))
            .filter(|(table, count)| *count == self.length(*table))
            .collect();
        let has_all = |alias: &Vec<SmolStr>| {
            alias
                .iter()
                .all(|own| super::super::names::any_same(own, words))
        };
        for (table, alias) in &self.aliases {
            if has_all(alias) && !named.iter().any(|(known, _)| known == table) {
                named.push((*table, alias.len()));
            }
        }
        named.sort_unstable();
        named
    }

    /// The tables whose id a field of these words is.
    pub(crate) fn ids(&self, words: &[SmolStr]) -> Vec<TableId> {
        match words.split_last() {
            Some((last, rest)) if is_id_word(last) => self.called(rest),
            _ => Vec::new(),
        }
    }

    /// The tables that are called by exactly these words.
    pub(crate) fn called(&self, words: &[SmolStr]) -> Vec<TableId> {
        let first = words.first().map(|word| forms(word)).unwrap_or_default();
        let mut found: Vec<TableId> = first
            .iter()
            .filter_map(|form| self.by_word.get(form))
            .flatten()
            .filter(|(table, place)| {
                let own = self.words.get(table.0 as usize);
                *place == 0 && own.is_some_and(|own| same_words(words, own))
            })
            .map(|(table, _)| *table)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn is_noun(&self, word: &str) -> bool {
        forms(word)
            .iter()
            .any(|form| self.by_word.contains_key(form))
    }

    fn length(&self, table: TableId) -> usize {
        self.words.get(table.0 as usize).map_or(0, Vec::len)
    }
}

/// What may be in front of a column's own words: the words of the table,
/// or a first word that most of its columns share.
fn prefixes(table: &TableModel) -> Vec<Vec<SmolStr>> {
    let mut counts: Vec<(SmolStr, usize)> = Vec::new();
    for column in table
        .columns
        .iter()
        .filter(|column| column.name.words.len() > 1)
    {
        let first = column.name.first();
        match counts.iter_mut().find(|(word, _)| word == first) {
            Some((_, count)) => *count += 1,
            None => counts.push((first.into(), 1)),
        }
    }
    let is_shared = |count: usize| count >= 3 && count * 10 >= table.columns.len() * 6;
    let shared = counts.into_iter().filter(|(_, count)| is_shared(*count));
    let mut prefixes: Vec<Vec<SmolStr>> = shared.map(|(word, _)| vec![word]).collect();
    prefixes.push(table.words.clone());
    prefixes.push(singular(&table.words));
    prefixes
}

/// The norms of fields that may mean a column although their names differ.
fn similar_norms(column: &Name, prefixes: &[Vec<SmolStr>]) -> HashSet<SmolStr> {
    let own = &column.words;
    let mut norms = HashSet::new();
    let minor = own.len() > 1 && words().minor_words.has(column.last());
    let whole = own.get(..own.len().saturating_sub(1)).unwrap_or_default();
    if minor {
        norms.insert(whole.concat().into());
    }
    for prefix in prefixes.iter().filter(|prefix| !prefix.is_empty()) {
        norms.insert(SmolStr::from([prefix.concat(), own.concat()].concat()));
        let Some(rest) = own.strip_prefix(prefix.as_slice()) else {
            continue;
        };
        if !rest.is_empty() {
            norms.insert(rest.concat().into());
        }
        if minor && rest.len() > 1 {
            let rest = rest.get(..rest.len() - 1).unwrap_or_default();
            norms.insert(rest.concat().into());
        }
    }
    norms
}
