//! Arguments that no column is called like, and the columns that hold their
//! values.

use std::collections::{BTreeMap, BTreeSet};

use crate::compare::value::Value;
use crate::compare::{Sides, compare};
use crate::observe::Cell;
use crate::plan::ColumnId;

/// At most this many different values are remembered of an argument.
const VALUES: usize = 2;

/// What was seen of one argument.
#[derive(Default)]
pub(super) struct ByValue {
    pub(super) calls: usize,
    /// In how many calls a column held the value.
    pub(super) columns: BTreeMap<ColumnId, usize>,
    pub(super) values: BTreeSet<String>,
}

impl ByValue {
    /// One more call with this value, and a row with these cells.
    pub(super) fn add<'c>(
        &mut self,
        value: &Value,
        cells: impl Iterator<Item = &'c (ColumnId, Cell)>,
    ) {
        self.calls += 1;
        if self.values.len() < VALUES {
            self.values.insert(value.canonical());
        }
        // only what held the value in every call is proposed
        let all = self.calls;
        let is_open = |column: &ColumnId| all == 1 || self.columns.contains_key(column);
        let held: Vec<ColumnId> = cells
            .filter(|(column, _)| is_open(column))
            .filter(|(_, cell)| compare(value, cell, Sides::default()).is_equal())
            .map(|(column, _)| *column)
            .collect();
        for column in held {
            *self.columns.entry(column).or_default() += 1;
        }
        self.columns.retain(|_, held| *held == all);
    }
}
