//! What came before and what came after (rows 9).
//!
//! Calls are told in order. What the log has shown of a fact is kept as a
//! fingerprint; who wrote it last, and which later calls may have changed it
//! without saying so, as the number of the call. So every question about
//! later calls is one look into a table.

use std::collections::HashMap;

use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::compare::value::{Print, Value};
use crate::plan::{ColumnId, TableId};

/// A row of the database, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RowId(u32);

/// What a fact is about, within its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TargetId(pub(crate) u32);

/// A judged call, by its place among the judged ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(pub(crate) u32);

#[derive(Debug, Default)]
pub(crate) struct Timeline {
    names: HashMap<(TableId, SmolStr), RowId>,
    rows: Vec<RowTime>,
    places: HashMap<(RowId, TargetId), u32, foldhash::fast::RandomState>,
    facts: Vec<FactTime>,
    /// The last call whose effect on any row of the table is not shown.
    tables: HashMap<TableId, CallId>,
    /// The last call that deletes rows of the table without saying which.
    deletes: HashMap<TableId, CallId>,
    /// The last call that deletes a row which is gone, by its primary key.
    gone: HashMap<TableId, CallId>,
    /// The last call that writes or deletes any row of the table.
    touched: HashMap<TableId, CallId>,
    /// The last call that deletes any row of the table.
    emptied: HashMap<TableId, CallId>,
    /// The last call that writes a column of any row.
    columns: HashMap<(TableId, ColumnId), CallId, foldhash::fast::RandomState>,
    /// The last unmapped call that holds a value among its arguments.
    values: HashMap<Print, CallId>,
    /// The last of them that may delete.
    removed: HashMap<Print, CallId>,
}

#[derive(Debug, Default)]
struct RowTime {
    is_touched: bool,
    /// The last delete and the last write of the row.
    deleted: Option<CallId>,
    written: Option<CallId>,
    /// The last write whose effect is not shown.
    blind: Option<CallId>,
    /// Grows with each delete: what was shown before is forgotten.
    life: u32,
}

#[derive(Debug, Default)]
struct FactTime {
    view: Option<Print>,
    life: u32,
    /// The last calls that wrote it, all of one step.
    owners: SmallVec<[CallId; 2]>,
    step: u32,
    /// What reads have shown since.
    after: Option<Box<Value>>,
}

/// What the log knew about a fact when a call told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing.
    Unknown,
    /// The same.
    Same,
    /// Something else.
    Other(Print),
}

impl Timeline {
    /// The row of a table that is called so.
    pub(crate) fn row(&mut self, table: TableId, name: SmolStr) -> RowId {
        let next = RowId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        let row = *self.names.entry((table, name)).or_insert(next);
        if row == next {
            self.rows.push(RowTime::default());
        }
        row
    }

    fn of_row(&mut self, row: RowId) -> &mut RowTime {
        // rows are numbered by this very list
        #[expect(clippy::indexing_slicing, reason = "see above")]
        &mut self.rows[row.0 as usize]
    }

    fn of_fact(&mut self, row: RowId, target: TargetId) -> &mut FactTime {
        let next = u32::try_from(self.facts.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry((row, target)).or_insert(next);
        if place == next {
            self.facts.push(FactTime::default());
        }
        // facts are numbered by this very list
        #[expect(clippy::indexing_slicing, reason = "see above")]
        &mut self.facts[place as usize]
    }

    /// A read shows a value.
    pub(crate) fn read(
        &mut self,
        row: RowId,
        target: TargetId,
        print: Print,
        value: Option<&Value>,
    ) {
        let life = self.of_row(row).life;
        let fact = self.of_fact(row, target);
        fact.view = Some(print);
        fact.life = life;
        if !fact.owners.is_empty()
            && let Some(value) = value
        {
            fact.after = Some(Box::new(value.clone()));
        }
    }

    /// A call deletes a row.
    pub(crate) fn delete(&mut self, row: RowId, call: CallId) {
        let row = self.of_row(row);
        row.is_touched = true;
        row.deleted = Some(call);
        row.life += 1;
    }

    /// A call writes to a row.
    pub(crate) fn write(&mut self, row: RowId, call: CallId) {
        let row = self.of_row(row);
        row.is_touched = true;
        row.written = Some(call);
    }

    /// What the log knew about a fact so far.
    pub(crate) fn before(&mut self, row: RowId, target: TargetId, print: Print) -> Before {
        let life = self.of_row(row).life;
        let fact = self.of_fact(row, target);
        match fact.view.filter(|_| fact.life == life) {
            None => Before::Unknown,
            Some(view) if view == print => Before::Same,
            Some(view) => Before::Other(view),
        }
    }

    /// A call of a step writes a fact: it owns it, together with the other
    /// calls of the step.
    pub(crate) fn own(
        &mut self,
        row: RowId,
        target: TargetId,
        print: Print,
        (call, step): (CallId, u32),
    ) {
        let life = self.of_row(row).life;
        let fact = self.of_fact(row, target);
        if fact.step != step {
            fact.owners.clear();
        }
        fact.step = step;
        if fact.owners.last() != Some(&call) {
            fact.owners.push(call);
        }
        fact.after = None;
        fact.view = Some(print);
        fact.life = life;
    }

    /// A call writes to a row, and the log does not show what.
    pub(crate) fn blind(&mut self, row: RowId, call: CallId) {
        self.of_row(row).blind = Some(call);
    }

    /// A call may have changed any row of a table.
    pub(crate) fn blind_table(&mut self, table: TableId, call: CallId) {
        self.tables.insert(table, call);
    }

    /// A call may have deleted any row of a table.
    pub(crate) fn deletes_somewhere(&mut self, table: TableId, call: CallId) {
        self.deletes.insert(table, call);
    }

    /// A call deletes a row of a table by its primary key, and it is gone: it
    /// may have been known by another key.
    pub(crate) fn deletes_by_key(&mut self, table: TableId, call: CallId) {
        self.gone.insert(table, call);
    }

    /// A call writes or deletes some row of a table, known or not.
    pub(crate) fn touches(&mut self, table: TableId, call: CallId, deletes: bool) {
        self.touched.insert(table, call);
        if deletes {
            self.emptied.insert(table, call);
        }
    }

    /// A later call that may have changed any row of a table.
    pub(crate) fn touched_after(&self, table: TableId, call: CallId) -> Option<CallId> {
        let own = [self.touched.get(&table), self.tables.get(&table)];
        let later = own.into_iter().flatten().copied();
        later.filter(|later| *later > call).max()
    }

    /// The tables of which a later call deletes rows, with that call.
    pub(crate) fn emptied_after(&self, call: CallId) -> impl Iterator<Item = (TableId, CallId)> {
        let tables = self.emptied.iter().chain(&self.deletes);
        tables
            .filter(move |(_, later)| **later > call)
            .map(|(table, later)| (*table, *later))
    }

    /// A call writes a column of some row.
    pub(crate) fn writes_column(&mut self, column: (TableId, ColumnId), call: CallId) {
        self.columns.insert(column, call);
    }

    /// A later write to a column of any row.
    pub(crate) fn column_written_after(
        &self,
        column: (TableId, ColumnId),
        call: CallId,
    ) -> Option<CallId> {
        self.columns
            .get(&column)
            .copied()
            .filter(|later| *later > call)
    }

    /// A call that could not be mapped holds this value.
    pub(crate) fn unmapped(&mut self, value: Print, call: CallId, may_delete: bool) {
        self.values.insert(value, call);
        if may_delete {
            self.removed.insert(value, call);
        }
    }

    pub(crate) fn is_touched(&self, row: RowId) -> bool {
        self.rows
            .get(row.0 as usize)
            .is_some_and(|row| row.is_touched)
    }

    /// The later delete of a row.
    pub(crate) fn deleted_after(&self, row: RowId, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        row.deleted.filter(|later| *later > call)
    }

    /// The later write to a row.
    pub(crate) fn written_after(&self, row: RowId, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        row.written.filter(|later| *later > call)
    }

    /// A later call that may have deleted the row with this key, and does not
    /// say so.
    pub(crate) fn removed_after(
        &self,
        table: TableId,
        key: &[Print],
        call: CallId,
    ) -> Option<CallId> {
        let table = self.deletes.get(&table).copied();
        let values = key
            .iter()
            .filter_map(|print| self.removed.get(print).copied());
        let later = table.into_iter().chain(values);
        later.filter(|later| *later > call).max()
    }

    /// A later delete by the primary key of a row that is gone.
    pub(crate) fn gone_after(&self, table: TableId, call: CallId) -> Option<CallId> {
        self.gone.get(&table).copied().filter(|later| *later > call)
    }

    /// A later call that may have changed a row without the log showing it.
    pub(crate) fn blind_after(
        &self,
        (table, row): (TableId, RowId),
        key: &[Print],
        call: CallId,
    ) -> Option<CallId> {
        let own = self.rows.get(row.0 as usize).and_then(|row| row.blind);
        let table = self.tables.get(&table).copied();
        let values = key
            .iter()
            .filter_map(|print| self.values.get(print).copied());
        let later = [own, table].into_iter().flatten().chain(values);
        later.filter(|later| *later > call).max()
    }

    /// The calls that wrote a fact last.
    pub(crate) fn owners(&self, row: RowId, target: TargetId) -> &[CallId] {
        self.fact(row, target).map_or(&[], |fact| &fact.owners)
    }

    /// What a read has shown since the last write.
    pub(crate) fn after(&self, row: RowId, target: TargetId) -> Option<&Value> {
        self.fact(row, target)?.after.as_deref()
    }

    fn fact(&self, row: RowId, target: TargetId) -> Option<&FactTime> {
        let place = self.places.get(&(row, target))?;
        self.facts.get(*place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::value::Prints;

    fn value(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn the_last_step_owns_and_calls_of_one_step_own_together() {
        let mut time = Timeline::default();
        let prints = Prints::default();
        let row = time.row(TableId(0), "1".into());
        let target = TargetId(0);
        for (call, step, text) in [(0, 1, "a"), (1, 2, "b"), (2, 2, "c")] {
            let print = prints.of(&value(text));
            time.own(row, target, print, (CallId(call), step));
        }
        assert_eq!(time.owners(row, target), [CallId(1), CallId(2)]);
        assert_eq!(time.row(TableId(0), "1".into()), row);
        assert_ne!(time.row(TableId(1), "1".into()), row);
    }

    #[test]
    fn a_delete_forgets_what_was_shown() {
        let mut time = Timeline::default();
        let prints = Prints::default();
        let row = time.row(TableId(0), "1".into());
        let (target, open) = (TargetId(0), prints.of(&value("open")));
        assert_eq!(time.before(row, target, open), Before::Unknown);
        time.read(row, target, open, None);
        assert_eq!(time.before(row, target, open), Before::Same);
        let closed = prints.of(&value("closed"));
        assert_eq!(time.before(row, target, closed), Before::Other(open));
        time.delete(row, CallId(3));
        assert_eq!(time.before(row, target, closed), Before::Unknown);
        assert_eq!(time.deleted_after(row, CallId(2)), Some(CallId(3)));
        assert_eq!(time.deleted_after(row, CallId(3)), None);
    }

    #[test]
    fn later_calls_that_hide_their_effect_are_found_at_once() {
        let mut time = Timeline::default();
        let prints = Prints::default();
        let row = time.row(TableId(0), "1".into());
        let key = [prints.of_text("l-1")];
        let at = (TableId(0), row);
        assert_eq!(time.blind_after(at, &key, CallId(0)), None);
        time.unmapped(key[0], CallId(4), false);
        assert_eq!(time.removed_after(TableId(0), &key, CallId(0)), None);
        assert_eq!(time.blind_after(at, &key, CallId(0)), Some(CallId(4)));
        assert_eq!(time.blind_after(at, &key, CallId(4)), None);
        time.blind_table(TableId(0), CallId(6));
        assert_eq!(time.blind_after(at, &[], CallId(4)), Some(CallId(6)));
        time.blind(row, CallId(9));
        assert_eq!(time.blind_after(at, &[], CallId(6)), Some(CallId(9)));
    }
}
