//! Do columns mean what their names say (rows 10.2)? Reads of rows that no
//! write touches are compared with the database.

use std::collections::{HashMap, HashSet};

use super::time::Timeline;
use crate::compare::value::Print;
use crate::fact::{Look, RowId, TargetId};
use crate::plan::TableId;

/// At most this many facts of each table count.
const COUNTED: usize = 5_000;
/// At most this many are kept until it is known which rows are written.
const KEPT: usize = 20_000;

/// What a read showed of a row, whether that is there, and the key of the row.
type ReadFact = (RowId, TargetId, bool, Box<[Print]>);

#[derive(Debug, Default)]
pub(crate) struct Calibration {
    tables: HashMap<TableId, Vec<ReadFact>, foldhash::fast::RandomState>,
    known: HashSet<(RowId, TargetId, Print), foldhash::fast::RandomState>,
    counts: HashMap<TargetId, (usize, usize), foldhash::fast::RandomState>,
}

impl Calibration {
    /// Whether one more fact of a table is wanted.
    pub(crate) fn wants(&self, table: TableId, fact: (RowId, TargetId, Print)) -> bool {
        let kept = self.tables.get(&table).map_or(0, Vec::len);
        kept < KEPT && !self.known.contains(&fact)
    }

    /// What a read showed, beside what the database holds.
    /// `key` is the key of the row.
    pub(crate) fn add(
        &mut self,
        table: TableId,
        fact: (RowId, TargetId, Print),
        look: Look,
        key: &[Print],
    ) {
        let agrees = match look {
            Look::Agrees => true,
            Look::Differs | Look::Extra => false,
            Look::Not | Look::Failed => return,
        };
        if self.known.insert(fact) {
            let (row, target, _) = fact;
            self.tables
                .entry(table)
                .or_default()
                .push((row, target, agrees, key.into()));
        }
    }

    /// Counts the rows that no write touches.
    pub(crate) fn count(&mut self, time: &Timeline) {
        self.known = HashSet::default();
        for facts in std::mem::take(&mut self.tables).into_values() {
            // a call that holds its key may have changed it in passing
            let untouched = facts.iter().filter(|(row, _, agrees, key)| {
                !time.is_touched(*row) && (*agrees || !time.is_mentioned(key))
            });
            for (_, target, agrees, _) in untouched.take(COUNTED) {
                let (yes, no) = self.counts.entry(*target).or_default();
                *(if *agrees { yes } else { no }) += 1;
            }
        }
    }

    /// Whether a column disagrees more often than it agrees.
    pub(crate) fn is_against(&self, target: TargetId) -> bool {
        self.counts.get(&target).is_some_and(|(yes, no)| no > yes)
    }

    /// Whether a column always agrees.
    pub(crate) fn is_for(&self, target: TargetId) -> bool {
        self.counts
            .get(&target)
            .is_some_and(|(yes, no)| *yes > 0 && *no == 0)
    }
}
