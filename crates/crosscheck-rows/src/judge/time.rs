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
    /// The last call that did this there.
    deeds: HashMap<(Place, Deed), CallId, foldhash::fast::RandomState>,
}

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
        let own = self.hidden_after(row, call);
        own.max(self.anywhere_after(Deed::Hides, table, key, call))
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
        time.note(Place::Value(key[0]), Deed::Hides, CallId(4));
        assert_eq!(time.removed_after(TableId(0), &key, CallId(0)), None);
        assert_eq!(time.blind_after(at, &key, CallId(0)), Some(CallId(4)));
        assert_eq!(time.blind_after(at, &key, CallId(4)), None);
        time.note(Place::Table(TableId(0)), Deed::Hides, CallId(6));
        assert_eq!(time.blind_after(at, &[], CallId(4)), Some(CallId(6)));
        time.blind(row, CallId(9));
        assert_eq!(time.blind_after(at, &[], CallId(6)), Some(CallId(9)));
    }
}
