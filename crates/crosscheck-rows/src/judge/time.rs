//! What came before and what came after (rows 9).
//!
//! Calls come in order. What the log has shown of a fact is kept as a
//! fingerprint; who wrote it last, and which later calls may have changed it
//! without saying so, as the number of the call. So every question about
//! later calls is one look into a table.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::compare::value::{Print, Prints, Value};
use crate::fact::{RowId, TargetId};
use crate::plan::TableId;

/// A judged call, by its place among the judged ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallId(pub(crate) u32);

#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// Rows by the fingerprint of table and name.
    names: HashMap<Print, RowId, foldhash::fast::RandomState>,
    prints: Prints,
    rows: Vec<RowTime>,
    facts: HashMap<FactId, FactTime, foldhash::fast::RandomState>,
    /// The earlier calls that wrote a fact in the step of its last one.
    others: HashMap<FactId, Vec<CallId>, foldhash::fast::RandomState>,
    /// What the last read has shown of a fact, if one has shown something
    /// else than was written.
    after: HashMap<FactId, Value, foldhash::fast::RandomState>,
    /// The last call that did this there.
    deeds: HashMap<(Place, Deed), CallId, foldhash::fast::RandomState>,
}

/// A fact: the row, and what of it.
type FactId = (RowId, TargetId);

/// Where a call may have changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A table, known rows of it or others.
    Table(TableId),
    /// The rows that are known by this value.
    Value(Print),
    Anywhere,
}

/// What a call did to rows that are not, or not only, those it is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Deed {
    /// It writes or deletes there.
    Touches,
    /// A row is gone.
    Empties,
    /// It may have changed anything there, and the log does not show it.
    Hides,
    /// It may have brought back what was there before.
    PutsBack,
    /// It may have deleted there.
    MayDelete,
    /// It holds an id of a row that is not its own.
    Mentions,
}

/// What a call did to a row that it is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Touch {
    Deletes,
    Writes,
    /// It writes, and its effect is not shown.
    Blinds,
    /// It writes, and may do more than it is given.
    Loosens,
}

#[derive(Debug, Default)]
struct RowTime {
    /// The last call of each kind.
    touched: [Option<CallId>; 4],
    /// When the log first spoke of it: see [`Timeline::meet`].
    met: u32,
    /// Grows with each delete: what was shown before is forgotten.
    life: u32,
}

#[derive(Debug, Default)]
struct FactTime {
    view: Option<Print>,
    life: u32,
    /// The last call that wrote it, and its step.
    owner: Option<CallId>,
    step: u32,
    /// The last call that it was shown with since, unchanged.
    shown: Option<CallId>,
}

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

    /// A read shows a value.
    pub(crate) fn read(
        &mut self,
        row: RowId,
        target: TargetId,
        print: Print,
        value: Option<&Value>,
        before: Option<CallId>,
    ) {
        let (id, life) = ((row, target), self.of_row(row).life);
        let has_moved = self.after.contains_key(&id);
        let fact = self.facts.entry(id).or_default();
        let is_same = fact.view.replace(print) == Some(print);
        fact.life = life;
        if is_same && !has_moved && before.is_some() {
            fact.shown = before;
        }
        let is_new = fact.owner.is_some() && (has_moved || !is_same);
        if let Some(value) = value.filter(|_| is_new) {
            self.after.insert(id, value.clone());
        }
    }

    /// A call does this to a row.
    pub(crate) fn touch(&mut self, row: RowId, touch: Touch, call: CallId) {
        let row = self.of_row(row);
        row.life += u32::from(matches!(touch, Touch::Deletes));
        if let Some(last) = row.touched.get_mut(touch as usize) {
            *last = Some(call);
        }
    }

    /// The last later call that did this to a row.
    pub(crate) fn touched_after(&self, row: RowId, touch: Touch, call: CallId) -> Option<CallId> {
        let row = self.rows.get(row.0 as usize)?;
        let last = row.touched.get(touch as usize)?;
        last.filter(|later| *later > call)
    }

    /// What the log knew about a fact so far.
    pub(crate) fn before(&mut self, row: RowId, target: TargetId, print: Print) -> Before {
        let life = self.of_row(row).life;
        let fact = self.facts.get(&(row, target));
        let view = fact
            .filter(|fact| fact.life == life)
            .and_then(|fact| fact.view);
        match view {
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
        let (id, life) = ((row, target), self.of_row(row).life);
        let known = self.facts.insert(
            id,
            FactTime {
                view: Some(print),
                life,
                owner: Some(call),
                step,
                shown: None,
            },
        );
        let known = known.unwrap_or_default();
        match known.owner {
            Some(before) if before == call => {}
            Some(before) if known.step == step => {
                self.others.entry(id).or_default().push(before);
            }
            _ => {
                self.others.remove(&id);
            }
        }
        self.after.remove(&id);
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
        let id = (row, target);
        if !self.after.contains_key(&id) {
            self.facts.entry(id).or_default().shown = Some(call);
        }
    }

    /// The last call up to which a fact was as this call says.
    pub(crate) fn shown_until(&self, row: RowId, target: TargetId, call: CallId) -> CallId {
        let fact = self.facts.get(&(row, target));
        let shown = fact.and_then(|fact| fact.shown);
        shown.map_or(call, |shown| shown.max(call))
    }

    /// A call does something beside the rows that it is judged by.
    pub(crate) fn note(&mut self, place: Place, deed: Deed, call: CallId) {
        self.deeds.insert((place, deed), call);
    }

    /// The last call after this one that did so.
    pub(crate) fn since(&self, place: Place, deed: Deed, call: CallId) -> Option<CallId> {
        let last = self.deeds.get(&(place, deed)).copied();
        last.filter(|later| *later > call)
    }

    /// Whether any call so far did so.
    pub(crate) fn has_done(&self, place: Place, deed: Deed) -> bool {
        self.deeds.contains_key(&(place, deed))
    }

    /// A later call that holds all parts of a key.
    pub(crate) fn mentioned_after(&self, key: &[Print], call: CallId) -> Option<CallId> {
        let last = |print: &Print| self.since(Place::Value(*print), Deed::Mentions, call);
        key.iter().map(last).min().flatten()
    }

    /// Whether any call holds all parts of a key which is not its own.
    pub(crate) fn is_mentioned(&self, key: &[Print]) -> bool {
        let held = |print: &Print| self.has_done(Place::Value(*print), Deed::Mentions);
        !key.is_empty() && key.iter().all(held)
    }

    pub(crate) fn is_touched(&self, row: RowId) -> bool {
        let row = self.rows.get(row.0 as usize);
        row.is_some_and(|row| row.touched.iter().any(Option::is_some))
    }

    /// A later call that may have deleted the row with this key, and does not
    /// say so.
    pub(crate) fn removed_after(
        &self,
        table: TableId,
        key: &[Print],
        call: CallId,
    ) -> Option<CallId> {
        self.anywhere_after(Deed::MayDelete, table, key, call)
            .max(self.since(Place::Anywhere, Deed::MayDelete, call))
    }

    fn anywhere_after(
        &self,
        deed: Deed,
        table: TableId,
        key: &[Print],
        call: CallId,
    ) -> Option<CallId> {
        let values = key.iter().map(|print| Place::Value(*print));
        let places = values.chain([Place::Table(table)]);
        places
            .filter_map(|place| self.since(place, deed, call))
            .max()
    }

    /// A later call that may have changed a row without the log showing it.
    pub(crate) fn blind_after(
        &self,
        (table, row): (TableId, RowId),
        key: &[Print],
        call: CallId,
    ) -> Option<CallId> {
        let own = self.touched_after(row, Touch::Blinds, call);
        own.max(self.anywhere_after(Deed::Hides, table, key, call))
    }

    /// The calls that wrote a fact last, all of one step.
    pub(crate) fn owners(&self, row: RowId, target: TargetId) -> SmallVec<[CallId; 2]> {
        let id = (row, target);
        let others = self.others.get(&id).into_iter().flatten().copied();
        let owner = self.facts.get(&id).and_then(|fact| fact.owner);
        others.chain(owner).collect()
    }

    /// What a read has shown since the last write.
    pub(crate) fn after(&self, row: RowId, target: TargetId) -> Option<&Value> {
        self.after.get(&(row, target))
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
        time.touch(row, Touch::Deletes, CallId(3));
        assert_eq!(time.before(row, target, closed), Before::Unknown);
        let deleted = |call| time.touched_after(row, Touch::Deletes, CallId(call));
        assert_eq!((deleted(2), deleted(3)), (Some(CallId(3)), None));
    }

    #[test]
    fn later_calls_that_hide_their_effect_are_found_at_once() {
        let mut time = Timeline::default();
        let prints = Prints::default();
        let row = time.row(TableId(0), "1");
        let key = [prints.of_text("l-1")];
        let at = (TableId(0), row);
        assert_eq!(time.blind_after(at, &key, CallId(0)), None);
        time.note(Place::Value(key[0]), Deed::Hides, CallId(4));
        assert_eq!(time.removed_after(TableId(0), &key, CallId(0)), None);
        assert_eq!(time.blind_after(at, &key, CallId(0)), Some(CallId(4)));
        assert_eq!(time.blind_after(at, &key, CallId(4)), None);
        time.note(Place::Table(TableId(0)), Deed::Hides, CallId(6));
        assert_eq!(time.blind_after(at, &[], CallId(4)), Some(CallId(6)));
        time.touch(row, Touch::Blinds, CallId(9));
        assert_eq!(time.blind_after(at, &[], CallId(6)), Some(CallId(9)));
    }
}
