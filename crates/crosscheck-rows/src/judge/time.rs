//! What came before and what came after (rows 9).
//!
//! Calls come in order. What the log has shown of a fact is kept as a
//! fingerprint; who wrote it last, and which later calls may have changed it
//! without saying so, as the number of the call. So every question about
//! later calls is one look into a table.

use std::collections::HashMap;
use std::num::NonZeroU32;

use smallvec::SmallVec;

use crate::compare::value::{Print, Prints, Value};
use crate::plan::{ColumnId, TableId};

/// A row of the database, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RowId(pub(crate) u32);

/// What a fact is about, within its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TargetId(pub(crate) u32);

/// A judged call, by its place among the judged ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(pub(crate) u32);

#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// Rows by the fingerprint of table and name.
    names: HashMap<Print, RowId, foldhash::fast::RandomState>,
    prints: Prints,
    rows: Vec<RowTime>,
    facts: Vec<FactTime>,
    /// Facts of rows with very many of them.
    many: HashMap<(RowId, TargetId), FactId, foldhash::fast::RandomState>,
    /// The earlier calls that wrote a fact in the step of its last one.
    others: HashMap<FactId, Vec<CallId>, foldhash::fast::RandomState>,
    /// What the last read has shown of a fact, if one has shown something
    /// else than was written.
    after: HashMap<FactId, Value, foldhash::fast::RandomState>,
    /// The steps of the calls that wrote facts.
    steps: Vec<u32>,
    /// The last call whose effect on any row of the table is not shown.
    tables: HashMap<TableId, CallId, foldhash::fast::RandomState>,
    /// The tools that may have changed anything.
    works: Vec<Work>,
    /// The last call that may have deleted anything.
    cleared: Last,
    /// The last call that deletes rows of the table without saying which.
    deletes: HashMap<TableId, CallId, foldhash::fast::RandomState>,
    /// The calls that delete the rows of a table with these values.
    some_deleted: HashMap<TableId, Vec<SomeRows>>,
    /// The calls after which rows of a table have these values.
    some_set: HashMap<TableId, Vec<SomeRows>>,
    /// The last call that deletes a row which is gone, by its primary key.
    gone: HashMap<TableId, CallId, foldhash::fast::RandomState>,
    /// The last call that writes or deletes any row of the table.
    touched: HashMap<TableId, CallId, foldhash::fast::RandomState>,
    /// The last call that deletes any row of the table.
    emptied: HashMap<TableId, CallId, foldhash::fast::RandomState>,
    /// The last call that writes a column of any row.
    columns: HashMap<(TableId, ColumnId), CallId, foldhash::fast::RandomState>,
    /// The last call that was asked to set a flag of any row.
    flags: HashMap<(TableId, ColumnId), CallId, foldhash::fast::RandomState>,
    /// The last unmapped call that holds a value among its arguments.
    values: HashMap<Print, CallId, foldhash::fast::RandomState>,
    /// The last of them that may delete.
    removed: HashMap<Print, CallId, foldhash::fast::RandomState>,
    /// The last call that holds an id of a row which is not its own.
    mentioned: HashMap<Print, CallId, foldhash::fast::RandomState>,
}

/// A tool that may have changed anything.
#[derive(Debug)]
struct Work {
    tool: Print,
    first: CallId,
    last: CallId,
    puts_back: bool,
}

/// More such tools are not told apart.
const MOST_WORKS: usize = 100;

/// A call, and the values of the rows that it deletes or leaves.
type SomeRows = (CallId, Box<[(ColumnId, Print)]>);

/// More such calls of a table are not told apart.
const MOST_SOME: usize = 100;

/// A fact, by its place in the list of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FactId(NonZeroU32);

impl FactId {
    /// The fact at this place.
    fn at(place: usize) -> Self {
        let number = u32::try_from(place).unwrap_or(u32::MAX).saturating_add(1);
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }

    const fn place(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A call, if there is one, in four bytes: a long log has many of these.
#[derive(Debug, Clone, Copy, Default)]
struct Last(Option<NonZeroU32>);

impl Last {
    fn of(call: CallId) -> Self {
        Self(NonZeroU32::new(call.0.saturating_add(1)))
    }

    fn call(self) -> Option<CallId> {
        self.0.map(|number| CallId(number.get() - 1))
    }
}

#[derive(Debug, Default)]
struct RowTime {
    /// The last delete and the last write of the row.
    deleted: Last,
    written: Last,
    /// The last write whose effect is not shown.
    blind: Last,
    /// The last write that may do more than it is given.
    loose: Last,
    /// When the log first spoke of it: see [`Timeline::meet`].
    met: u32,
    /// Grows with each delete: what was shown before is forgotten.
    life: u32,
    /// Its facts are a chain.
    first: Option<FactId>,
}

#[derive(Debug)]
struct FactTime {
    target: TargetId,
    next: Option<FactId>,
    view: Option<Print>,
    life: u32,
    /// The last call that wrote it.
    owner: Last,
    /// The last call that it was shown with since, unchanged.
    shown: Last,
}

/// Longer chains go on in a table.
const CHAIN: usize = 64;

/// What the log knew about a fact when a call stated it.
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
    pub(crate) fn row(&mut self, table: TableId, name: &str) -> RowId {
        let next = RowId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        let print = self.prints.of_pair(table.0, name);
        let row = *self.names.entry(print).or_insert(next);
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

    /// A fact of a row, which is a new one if nothing was said of it.
    fn of_fact(&mut self, row: RowId, target: TargetId) -> (FactId, &mut FactTime) {
        let id = self.find(row, target).unwrap_or_else(|length| {
            let id = FactId::at(self.facts.len());
            let mut next = None;
            if length < CHAIN {
                next = self.of_row(row).first.replace(id);
            } else {
                self.many.insert((row, target), id);
            }
            self.facts.push(FactTime {
                target,
                next,
                view: None,
                life: 0,
                owner: Last::default(),
                shown: Last::default(),
            });
            id
        });
        // facts are numbered by this very list
        #[expect(clippy::indexing_slicing, reason = "see above")]
        (id, &mut self.facts[id.place()])
    }

    /// The place of a fact, or how many facts the chain of the row has.
    fn find(&self, row: RowId, target: TargetId) -> Result<FactId, usize> {
        let row_time = self.rows.get(row.0 as usize);
        let mut next = row_time.and_then(|row| row.first);
        let mut length = 0;
        while let Some(id) = next
            && let Some(fact) = self.facts.get(id.place())
        {
            if fact.target == target {
                return Ok(id);
            }
            next = fact.next;
            length += 1;
        }
        if length < CHAIN {
            return Err(length);
        }
        self.many.get(&(row, target)).copied().ok_or(length)
    }

    /// A read shows a value.
    pub(crate) fn read(
        &mut self,
        row: RowId,
        target: TargetId,
        print: Print,
        value: Option<&Value>,
        before: Option<CallId>,
    ) {
        let life = self.of_row(row).life;
        let (id, fact) = self.of_fact(row, target);
        let is_same = fact.view.replace(print) == Some(print);
        let is_owned = fact.owner.call().is_some();
        fact.life = life;
        let has_moved = self.after.contains_key(&id);
        if let Some(before) = before.filter(|_| is_same && !has_moved) {
            self.of_fact(row, target).1.shown = Last::of(before);
        }
        if let Some(value) = value.filter(|_| is_owned && (has_moved || !is_same)) {
            self.after.insert(id, value.clone());
        }
    }

    /// A call deletes a row.
    pub(crate) fn delete(&mut self, row: RowId, call: CallId) {
        let row = self.of_row(row);
        row.deleted = Last::of(call);
        row.life += 1;
    }

    /// A call writes to a row.
    pub(crate) fn write(&mut self, row: RowId, call: CallId) {
        self.of_row(row).written = Last::of(call);
    }

    /// What the log knew about a fact so far.
    pub(crate) fn before(&mut self, row: RowId, target: TargetId, print: Print) -> Before {
        let life = self.of_row(row).life;
        let (_, fact) = self.of_fact(row, target);
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
        let at = call.0 as usize;
        if self.steps.len() <= at {
            self.steps.resize(at + 1, 0);
        }
        if let Some(known) = self.steps.get_mut(at) {
            *known = step;
        }
        let life = self.of_row(row).life;
        let (id, fact) = self.of_fact(row, target);
        let before = fact.owner.call();
        fact.owner = Last::of(call);
        fact.view = Some(print);
        fact.life = life;
        fact.shown = Last::default();
        let step_of = |call: CallId| self.steps.get(call.0 as usize).copied();
        match before {
            Some(before) if before == call => {}
            Some(before) if step_of(before) == Some(step) => {
                self.others.entry(id).or_default().push(before);
            }
            _ => {
                self.others.remove(&id);
            }
        }
        self.after.remove(&id);
    }

    /// A call writes to a row, and the log does not show what.
    pub(crate) fn blind(&mut self, row: RowId, call: CallId) {
        self.of_row(row).blind = Last::of(call);
    }

    /// A call that may do more than it is given writes to a row.
    pub(crate) fn loosens(&mut self, row: RowId, call: CallId) {
        self.of_row(row).loose = Last::of(call);
    }

    /// A later write to a row that may have done more than the log shows.
    pub(crate) fn loosened_after(&self, row: RowId, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        row.loose.call().filter(|later| *later > call)
    }

    /// A later write to a row, after which it may be gone.
    pub(crate) fn hidden_after(&self, row: RowId, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        row.blind.call().filter(|later| *later > call)
    }

    /// The log speaks of a row: a call with its number, or a read before the
    /// call with that number.
    pub(crate) fn meet(&mut self, row: RowId, call: CallId, is_read: bool) {
        let at = call.0.saturating_mul(2).saturating_add(2) - u32::from(is_read);
        let row = self.of_row(row);
        if row.met == 0 {
            row.met = at;
        }
    }

    /// Whether a read showed a row before a call was the first to write it.
    pub(crate) fn was_read_before(&self, row: RowId, call: CallId) -> bool {
        let row = self.rows.get(row.0 as usize);
        row.is_some_and(|row| {
            row.met % 2 == 1 && row.met < call.0.saturating_mul(2) + 2 && row.life == 0
        })
    }

    /// The row of a table that is called so, if the log spoke of it.
    pub(crate) fn known_row(&self, table: TableId, name: &str) -> Option<RowId> {
        self.names.get(&self.prints.of_pair(table.0, name)).copied()
    }

    /// A fact is shown again as it was: nothing up to now has changed it, if
    /// no read has shown something else.
    pub(crate) fn shows(&mut self, row: RowId, target: TargetId, call: CallId) {
        let (id, _) = self.of_fact(row, target);
        if !self.after.contains_key(&id) {
            self.of_fact(row, target).1.shown = Last::of(call);
        }
    }

    /// The last call up to which a fact was as this call says.
    pub(crate) fn shown_until(&self, row: RowId, target: TargetId, call: CallId) -> CallId {
        let fact = self.find(row, target).ok();
        let fact = fact.and_then(|id| self.facts.get(id.place()));
        let shown = fact.and_then(|fact| fact.shown.call());
        shown.map_or(call, |shown| shown.max(call))
    }

    /// A call holds an id of a row that is not its own.
    pub(crate) fn mentions(&mut self, id: Print, call: CallId) {
        self.mentioned.insert(id, call);
    }

    /// A later call that holds all parts of a key.
    pub(crate) fn mentioned_after(&self, key: &[Print], call: CallId) -> Option<CallId> {
        let last = key.iter().map(|print| self.mentioned.get(print).copied());
        let last = last.min().flatten();
        last.filter(|later| *later > call)
    }

    /// Whether any call holds all parts of a key which is not its own.
    pub(crate) fn is_mentioned(&self, key: &[Print]) -> bool {
        let held = |print: &Print| self.mentioned.contains_key(print);
        !key.is_empty() && key.iter().all(held)
    }

    /// A call may have changed any row of a table.
    pub(crate) fn blind_table(&mut self, table: TableId, call: CallId) {
        self.tables.insert(table, call);
    }

    /// A call of a tool may have changed any row: perhaps to what it held
    /// before, and perhaps it deleted some.
    pub(crate) fn blind_anywhere(
        &mut self,
        tool: &str,
        call: CallId,
        puts_back: bool,
        clears: bool,
    ) {
        let tool = self.prints.of_text(tool);
        let at = self.works.iter().position(|work| work.tool == tool);
        let at = at.or((self.works.len() >= MOST_WORKS).then_some(0));
        if let Some(work) = at.and_then(|at| self.works.get_mut(at)) {
            work.last = call;
            work.puts_back |= puts_back;
        } else {
            self.works.push(Work {
                tool,
                first: call,
                last: call,
                puts_back,
            });
        }
        if clears {
            self.cleared = Last::of(call);
        }
    }

    /// A later call that may have changed any row; with `to_old` only one that
    /// may have brought back what was there before, as it may have done then.
    pub(crate) fn anything_after(&self, call: CallId, to_old: bool) -> Option<CallId> {
        let works = self.works.iter();
        let later = works.filter(|work| !to_old || work.puts_back || work.first < call);
        let later = later.map(|work| work.last);
        later.filter(|later| *later > call).max()
    }

    /// A call may have deleted any row of a table.
    pub(crate) fn deletes_somewhere(&mut self, table: TableId, call: CallId) {
        self.deletes.insert(table, call);
    }

    /// A call may have deleted the rows of a table that hold these values.
    pub(crate) fn deletes_some(
        &mut self,
        table: TableId,
        call: CallId,
        values: Box<[(ColumnId, Print)]>,
    ) {
        let known = self.some_deleted.entry(table).or_default();
        if known.len() < MOST_SOME {
            known.push((call, values));
        } else {
            self.deletes.insert(table, call);
        }
    }

    /// A call sets these values in some row of a table.
    pub(crate) fn sets_some(
        &mut self,
        table: TableId,
        call: CallId,
        values: Box<[(ColumnId, Print)]>,
    ) {
        let known = self.some_set.entry(table).or_default();
        if known.len() < MOST_SOME {
            known.push((call, values));
        } else {
            self.blind_table(table, call);
        }
    }

    /// A later call that may have set a column of any row to what it holds.
    pub(crate) fn set_after(
        &self,
        table: TableId,
        held: (ColumnId, Print),
        call: CallId,
    ) -> Option<CallId> {
        let calls = self.some_set.get(&table).into_iter().flatten();
        let later = calls.filter(|(later, values)| *later > call && values.contains(&held));
        later.map(|(later, _)| *later).max()
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

    /// The tables that later calls write to or delete from, with the last.
    pub(crate) fn all_touched_after(
        &self,
        call: CallId,
    ) -> impl Iterator<Item = (TableId, CallId)> {
        let later = self.touched.iter().filter(move |(_, later)| **later > call);
        later.map(|(table, later)| (*table, *later))
    }

    /// The tables of which a later call deletes rows, with that call, and
    /// whether it is known which rows.
    pub(crate) fn emptied_after(
        &self,
        call: CallId,
    ) -> impl Iterator<Item = (TableId, CallId, bool)> {
        let known = self
            .emptied
            .iter()
            .map(|(table, later)| (table, later, true));
        let unknown = self
            .deletes
            .iter()
            .map(|(table, later)| (table, later, false));
        let some = self.some_deleted.iter().filter_map(|(table, calls)| {
            let (later, _) = calls.last()?;
            Some((table, later, false))
        });
        known
            .chain(unknown)
            .chain(some)
            .filter(move |(_, later, _)| **later > call)
            .map(|(table, later, is_known)| (*table, *later, is_known))
    }

    /// A call writes a column of some row.
    pub(crate) fn writes_column(&mut self, column: (TableId, ColumnId), call: CallId) {
        self.columns.insert(column, call);
    }

    /// A call is asked to set a flag of some row.
    pub(crate) fn flags(&mut self, column: (TableId, ColumnId), call: CallId) {
        self.flags.insert(column, call);
    }

    /// A later call that was asked to set a flag of any row.
    pub(crate) fn flagged_after(
        &self,
        column: (TableId, ColumnId),
        call: CallId,
    ) -> Option<CallId> {
        let later = self.flags.get(&column).copied();
        later.filter(|later| *later > call)
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
        let row = self.rows.get(row.0 as usize);
        row.is_some_and(|row| row.deleted.call().or(row.written.call()).is_some())
    }

    /// The later delete of a row.
    pub(crate) fn deleted_after(&self, row: RowId, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        row.deleted.call().filter(|later| *later > call)
    }

    /// The later write to a row.
    pub(crate) fn written_after(&self, row: RowId, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        row.written.call().filter(|later| *later > call)
    }

    /// A later call that may have deleted the row with this key, and does not
    /// say so.
    pub(crate) fn removed_after(
        &self,
        table: TableId,
        key: &[Print],
        call: CallId,
        claims: impl Fn(ColumnId, Print) -> bool,
    ) -> Option<CallId> {
        let some = self.some_deleted.get(&table).into_iter().flatten();
        let some = some.filter(|(_, values)| {
            let mut values = values.iter();
            values.all(|(column, print)| claims(*column, *print))
        });
        let some = some.map(|(call, _)| *call).max();
        let table = self.deletes.get(&table).copied().max(some);
        let values = key
            .iter()
            .filter_map(|print| self.removed.get(print).copied());
        let later = table.into_iter().chain(values).chain(self.cleared.call());
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
        let row = self.rows.get(row.0 as usize);
        let own = row.and_then(|row| row.blind.call());
        let table = self.tables.get(&table).copied();
        let values = key
            .iter()
            .filter_map(|print| self.values.get(print).copied());
        let later = [own, table].into_iter().flatten().chain(values);
        later.filter(|later| *later > call).max()
    }

    /// The calls that wrote a fact last, all of one step.
    pub(crate) fn owners(&self, row: RowId, target: TargetId) -> SmallVec<[CallId; 2]> {
        let Ok(id) = self.find(row, target) else {
            return SmallVec::new();
        };
        let others = self.others.get(&id).into_iter().flatten().copied();
        let fact = self.facts.get(id.place());
        others
            .chain(fact.and_then(|fact| fact.owner.call()))
            .collect()
    }

    /// What a read has shown since the last write.
    pub(crate) fn after(&self, row: RowId, target: TargetId) -> Option<&Value> {
        self.after.get(&self.find(row, target).ok()?)
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
        let row = time.row(TableId(0), "1");
        let target = TargetId(0);
        for (call, step, text) in [(0, 1, "a"), (1, 2, "b"), (2, 2, "c")] {
            let print = prints.of(&value(text));
            time.own(row, target, print, (CallId(call), step));
        }
        assert_eq!(time.owners(row, target)[..], [CallId(1), CallId(2)]);
        assert_eq!(time.row(TableId(0), "1"), row);
        assert_ne!(time.row(TableId(1), "1"), row);
    }

    #[test]
    fn a_row_may_have_very_many_facts() {
        let mut time = Timeline::default();
        let row = time.row(TableId(0), "1");
        let print = Prints::default().of(&value("a"));
        for round in 0..2 {
            for target in 0..1000 {
                time.own(row, TargetId(target), print, (CallId(round), round));
            }
        }
        assert_eq!(time.facts.len(), 1000);
        for target in 0..1000 {
            assert_eq!(time.owners(row, TargetId(target))[..], [CallId(1)]);
        }
        assert!(time.owners(row, TargetId(1000)).is_empty());
    }

    #[test]
    fn a_delete_forgets_what_was_shown() {
        let mut time = Timeline::default();
        let prints = Prints::default();
        let row = time.row(TableId(0), "1");
        let (target, open) = (TargetId(0), prints.of(&value("open")));
        assert_eq!(time.before(row, target, open), Before::Unknown);
        time.read(row, target, open, None, None);
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
        let row = time.row(TableId(0), "1");
        let key = [prints.of_text("l-1")];
        let at = (TableId(0), row);
        assert_eq!(time.blind_after(at, &key, CallId(0)), None);
        time.unmapped(key[0], CallId(4), false);
        let claims = |_, _| true;
        let removed = time.removed_after(TableId(0), &key, CallId(0), claims);
        assert_eq!(removed, None);
        assert_eq!(time.blind_after(at, &key, CallId(0)), Some(CallId(4)));
        assert_eq!(time.blind_after(at, &key, CallId(4)), None);
        time.blind_table(TableId(0), CallId(6));
        assert_eq!(time.blind_after(at, &[], CallId(4)), Some(CallId(6)));
        time.blind(row, CallId(9));
        assert_eq!(time.blind_after(at, &[], CallId(6)), Some(CallId(9)));
    }
}
