//! Later calls that may have changed or removed what a call wrote, although
//! the log does not show it (rows 9): one table says what excuses what.

use smallvec::{SmallVec, smallvec};

use super::Bench;
use super::sum::{is_moment, is_own};
use crate::compare::value::Value;
use crate::fact::{Fact, Found, Subject};
use crate::judge::seen::SeenCall;
use crate::judge::time::{CallId, Deed, Place};
use crate::observe::Cell;
use crate::plan::means::means;
use crate::plan::{TableId, Target};

/// How far what a fact is about is open to calls that do not speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exposure {
    /// The call was given it, or a contract or a statement says what is meant.
    Given,
    /// A number or a state that the call itself brings about.
    Derived,
    /// A number, flag or place: it may move when other rows come and go.
    Shared,
    /// A number, a state or a moment that the answer merely shows.
    Counted,
    /// What the answer merely shows.
    Shown,
    /// Rows of another table.
    Rows,
}

/// What a later call did near the row.
#[derive(Debug, Clone, Copy)]
enum Near {
    /// Something here that the log does not show.
    Hidden,
    /// It writes to the row, and may do more than it is given.
    Loose,
    /// It writes to the row.
    Row,
    /// It writes to another row of the table.
    Table,
    /// It holds the key of the row.
    Key,
    /// It deletes from a table whose rows hang on this one.
    Child,
    /// It writes to a table on whose rows this one hangs.
    Parent,
    /// It writes to the table of the rows that are meant.
    Target,
    /// It deletes from a table on which those hang.
    Above,
}

use Exposure::{Counted, Derived, Given, Rows, Shared, Shown};

/// What excuses what: the first that fits is named.
const DOUBTS: [(Near, &[Exposure], &str); 9] = [
    (
        Near::Hidden,
        &[Given, Derived, Shared, Counted, Shown, Rows],
        "may have changed it",
    ),
    (Near::Target, &[Rows], "wrote to {} and may have changed it"),
    (Near::Above, &[Rows], "deleted from {}, on which it hangs"),
    (
        Near::Row,
        &[Shown],
        "wrote to this row and may have changed it",
    ),
    (
        Near::Loose,
        &[Derived],
        "wrote to this row and may have changed it",
    ),
    (
        Near::Table,
        &[Shared],
        "wrote to another row of {} and may have changed it",
    ),
    (
        Near::Key,
        &[Derived, Counted],
        "names the key of this row and may have changed it",
    ),
    (
        Near::Child,
        &[Counted],
        "deleted from {} and may have changed it",
    ),
    (
        Near::Parent,
        &[Counted],
        "wrote to {}, to which it belongs, and may have changed it",
    ),
];

impl Bench<'_> {
    /// A later call that may have changed what a fact is about, although the
    /// log does not show it, and how.
    pub(super) fn changed_elsewhere(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        fact: &Fact,
    ) -> Option<(CallId, String)> {
        let since = self.known.time.shown_until(subject.row, fact.target, id);
        let exposed = self.exposed(call, subject, fact);
        let doubt = DOUBTS.iter().find_map(|(near, excused, how)| {
            let is_excused = excused.iter().any(|one| exposed.contains(one));
            let (later, table) = is_excused
                .then(|| self.later_call(*near, subject, fact, since))
                .flatten()?;
            Some((
                later,
                how.replace("{}", &self.known.model().table(table).shown),
            ))
        });
        doubt.or_else(|| {
            // what pointed to a row that was deleted may be empty
            let is_empty = matches!(&fact.found, Found::Cell(held) if matches!(**held, Cell::Null));
            let (parent, later) = self
                .parent_deleted(subject.table, id)
                .filter(|_| is_empty && self.is_foreign(fact))?;
            let parent = &self.known.model().table(parent).shown;
            Some((later, format!("deleted from {parent}, on which it hangs")))
        })
    }

    fn is_foreign(&self, fact: &Fact) -> bool {
        let (table, target) = self.known.targets.get(fact.target);
        let table = self.known.model().table(*table);
        matches!(target, Target::Column(column) if table.column(*column).is_foreign)
    }

    fn exposed(&self, call: &SeenCall, subject: &Subject, fact: &Fact) -> SmallVec<[Exposure; 3]> {
        let Target::Column(column) = self.known.targets.get(fact.target).1 else {
            return smallvec![Rows];
        };
        let column = self.known.model().table(subject.table).column(column);
        if fact.from.is_literal() {
            return smallvec![Given];
        }
        let is_number = fact.value().is_some_and(Value::is_number) && !column.is_key_like;
        let is_shifting = means().shifting.has(column.name.last());
        if is_own(call, fact, &column.name) {
            let is_set = matches!(fact.value(), Some(Value::Bool(true)));
            let is_derived = is_number || column.name.is_state;
            let mut exposed = smallvec![Given];
            if is_shifting || is_set {
                exposed.push(Shared);
            }
            if is_derived && !self.is_still_the_old_value(fact) {
                exposed.push(Derived);
            }
            return exposed;
        }
        let is_flag = matches!(fact.value(), Some(Value::Bool(_)));
        let is_shared = is_number || is_flag || is_shifting;
        if is_shared {
            return smallvec![Shown, Shared, Counted];
        }
        if column.name.is_state || is_moment(fact) {
            return smallvec![Shown, Counted];
        }
        smallvec![Shown]
    }

    /// The last later call that did this near a row, and the table it did it to.
    fn later_call(
        &self,
        near: Near,
        subject: &Subject,
        fact: &Fact,
        since: CallId,
    ) -> Option<(CallId, TableId)> {
        let (model, time, own) = (self.known.model(), &self.known.time, subject.table);
        let touched = |table: TableId| {
            let place = Place::Table(table);
            let deeds = [Deed::Writes, Deed::Hides];
            let later = deeds.map(|deed| time.since(place, deed, since));
            later
                .into_iter()
                .max()
                .flatten()
                .map(|later| (later, table))
        };
        let here = |later: Option<CallId>| later.map(|later| (later, own));
        match near {
            Near::Hidden => here(self.hidden(subject, fact, since)),
            Near::Loose => here(time.since(Place::Row(subject.row), Deed::Loosens, since)),
            Near::Row => here(time.since(Place::Row(subject.row), Deed::Writes, since)),
            Near::Table => touched(own),
            Near::Key => here(self.mentioned(subject, since)),
            Near::Child => {
                let children = model.table(own).children.iter();
                children
                    .filter_map(|child| Some((self.emptied(child.table, since)?, child.table)))
                    .max()
            }
            Near::Parent => {
                let mut tables = model.tables();
                let is_parent = |(_, table): &(TableId, &crate::plan::model::TableModel)| {
                    table.children.iter().any(|child| child.table == own)
                };
                let parents = tables.by_ref().filter(is_parent);
                parents.filter_map(|(parent, _)| touched(parent)).max()
            }
            Near::Target => touched(self.texts.target_table(self.known.targets.get(fact.target))),
            Near::Above => {
                let target = self.texts.target_table(self.known.targets.get(fact.target));
                let (parent, later) = self.parent_deleted(target, since)?;
                Some((later, parent))
            }
        }
    }

    /// A later call that may have changed anything here.
    fn hidden(&self, subject: &Subject, fact: &Fact, since: CallId) -> Option<CallId> {
        let time = &self.known.time;
        let foreign = subject.facts.iter().filter(|fact| self.is_foreign(fact));
        let ids = foreign.filter_map(Fact::value);
        let ids = ids.map(|id| Place::Value(self.known.prints.of_any_case(&id.plain())));
        let here = self.near(subject, Deed::Hides, since);
        let here = here.max(time.near(ids, Deed::Hides, since));
        // what is still there was not changed, unless it was brought back
        let deed = if self.is_still_the_old_value(fact) {
            Deed::PutsBack
        } else {
            Deed::Hides
        };
        let anywhere = time.since(Place::Anywhere, deed, since);
        here.or(anywhere.filter(|_| !self.is_for_people(fact)))
    }

    /// A later delete from a table.
    fn emptied(&self, table: TableId, since: CallId) -> Option<CallId> {
        let deeds = [Deed::Deletes, Deed::MayDelete];
        let later = deeds.map(|deed| self.known.time.since(Place::Table(table), deed, since));
        later.into_iter().max().flatten()
    }

    /// A later delete in a table on which this one hangs: it may have taken
    /// rows along.
    pub(super) fn parent_deleted(&self, table: TableId, id: CallId) -> Option<(TableId, CallId)> {
        let model = self.known.model();
        let tables = model.tables().map(|(parent, _)| parent);
        let emptied = tables.filter_map(|parent| Some((parent, self.emptied(parent, id)?)));
        emptied
            .filter(|(parent, _)| model.hangs_on(table, *parent))
            .max_by_key(|(_, later)| *later)
    }

    /// Whether a fact is a text for people, which only those change who are
    /// given another one.
    fn is_for_people(&self, fact: &Fact) -> bool {
        let (table, target) = self.known.targets.get(fact.target);
        let table = self.known.model().table(*table);
        matches!(target, Target::Column(column) if !table.column(*column).name.is_state)
            && matches!(fact.value(), Some(Value::Text(text)) if text.trim().contains(' '))
            && !is_moment(fact)
    }

    /// A later call that holds the key of a row, or what people call it by: its
    /// code or number.
    fn mentioned(&self, subject: &Subject, since: CallId) -> Option<CallId> {
        let (table, time) = (self.known.model().table(subject.table), &self.known.time);
        let name = |fact: &Fact| match *self.known.targets.get(fact.target) {
            (of, Target::Column(column))
                if of == subject.table && means().public.has(table.column(column).name.last()) =>
            {
                let value = fact.value().filter(|value| !value.is_trivial())?;
                Some(self.known.prints.of_any_case(&value.plain()))
            }
            _ => None,
        };
        let by_key = time.mentioned_after(&self.key_prints(subject), since);
        by_key.or_else(|| {
            let name = subject.facts.iter().find_map(name)?;
            time.mentioned_after(&[name], since)
        })
    }
}
