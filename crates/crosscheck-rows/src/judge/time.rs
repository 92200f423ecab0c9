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

/// Where a call did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Row(RowId),
    /// A table, known rows of it or others.
    Table(TableId),
    /// The rows that are known by this value.
    Value(Print),
    Anywhere,
}

/// What a call did there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Deed {
    /// It writes.
    Writes,
    /// It writes to a row, and may do more than it is given.
    Loosens,
    /// It deletes, and no row is there.
    Deletes,
    /// It may have changed anything there, and the log does not show it.
    Hides,
    /// It may have brought back what was there before.
    PutsBack,
    /// It may have deleted there.
    MayDelete,
    /// It holds an id of a row that is not its own.
    Mentions,
}

#[derive(Debug, Default)]
struct RowTime {
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

    /// A call does something.
    pub(crate) fn note(&mut self, place: Place, deed: Deed, call: CallId) {
        if let (Place::Row(row), Deed::Deletes) = (place, deed) {
            self.of_row(row).life += 1;
        }
        self.deeds.insert((place, deed), call);
    }

    /// The last call after this one that did so.
    pub(crate) fn since(&self, place: Place, deed: Deed, call: CallId) -> Option<CallId> {
        let last = self.deeds.get(&(place, deed)).copied();
        last.filter(|later| *later > call)
    }

    /// The last call after this one that did so at one of the places.
    pub(crate) fn near(
        &self,
        places: impl IntoIterator<Item = Place>,
        deed: Deed,
        call: CallId,
    ) -> Option<CallId> {
        let places = places.into_iter();
        places
            .filter_map(|place| self.since(place, deed, call))
            .max()
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
        time.note(Place::Row(row), Deed::Deletes, CallId(3));
        assert_eq!(time.before(row, target, closed), Before::Unknown);
        let deleted = |call| time.since(Place::Row(row), Deed::Deletes, CallId(call));
        assert_eq!((deleted(2), deleted(3)), (Some(CallId(3)), None));
    }

    #[test]
    fn later_calls_that_hide_their_effect_are_found_at_once() {
        let mut time = Timeline::default();
        let row = time.row(TableId(0), "1");
        let key = Place::Value(Prints::default().of_text("l-1"));
        let places = [Place::Row(row), key, Place::Table(TableId(0))];
        let hidden = |time: &Timeline, call| time.near(places, Deed::Hides, CallId(call));
        for (call, place) in [(4, key), (6, places[2]), (9, places[0])] {
            assert_eq!(hidden(&time, call - 1), None);
            time.note(place, Deed::Hides, CallId(call));
            assert_eq!(hidden(&time, 0), Some(CallId(call)));
            assert_eq!(hidden(&time, call), None);
        }
        assert_eq!(time.near(places, Deed::MayDelete, CallId(0)), None);
    }
}
