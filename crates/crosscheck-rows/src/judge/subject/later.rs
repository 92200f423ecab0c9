//! Later calls that may have changed or removed what a call wrote, although
//! the log does not show it (rows 9).

use super::Bench;
use super::sum::{is_moment, is_own};
use crate::compare::shown;
use crate::compare::value::{Print, Value};
use crate::judge::seen::{Found, SeenCall, SeenFact, SeenSubject};
use crate::judge::time::{CallId, RowId};
use crate::observe::Cell;
use crate::plan::means::means;
use crate::plan::model::Child;
use crate::plan::{ColumnId, TableId, Target};

impl Bench<'_> {
    /// A later delete in a table on which this one hangs: it may have taken
    /// the row along. A delete of another row than the one that the call
    /// says it hangs on does not count.
    pub(super) fn parent_deleted(
        &self,
        subject: &SeenSubject,
        table: TableId,
        id: CallId,
    ) -> Option<(TableId, CallId)> {
        let model = self.known.model();
        let emptied = self.known.time.emptied_after(id);
        let deleted = |row: RowId| self.known.time.deleted_after(row, id);
        let parents = emptied.filter(|(parent, _, is_known)| {
            let is_other =
                || table == subject.table && self.keeps_parent(subject, *parent, deleted);
            model.hangs_on(table, *parent) && !(*is_known && is_other())
        });
        let parents = parents.map(|(parent, later, _)| (parent, later));
        parents.max_by_key(|(_, later)| *later)
    }

    /// Whether a fact is a text for people, which only those change who are
    /// given another one.
    fn is_for_people(&self, fact: &SeenFact) -> bool {
        let (table, target) = self.known.targets.get(fact.target);
        let is_state = |column: ColumnId| {
            let column = self.known.model().table(*table).column(column);
            column.name.is_state
        };
        matches!(*target, Target::Column(column) if !is_state(column))
            && matches!(fact.value(), Some(Value::Text(text)) if text.trim().contains(' '))
            && !is_moment(fact)
    }

    /// The key of a row, and the ids that the call says it points to.
    fn own_prints(&self, subject: &SeenSubject) -> Vec<Print> {
        let mut prints = self.key_prints(subject);
        let table = self.known.model().table(subject.table);
        for fact in &subject.facts {
            if let (of, Target::Column(column)) = self.known.targets.get(fact.target)
                && *of == subject.table
                && table.column(*column).is_foreign
                && let Some(value) = fact.value()
            {
                prints.push(self.known.prints.of_any_case(&value.plain()));
            }
        }
        prints
    }

    /// Whether a call says which row of a parent table its row hangs on, and
    /// no later call does this to that one.
    fn keeps_parent(
        &self,
        subject: &SeenSubject,
        parent: TableId,
        changed: impl Fn(RowId) -> Option<CallId>,
    ) -> bool {
        let of_parent = self.known.model().table(parent);
        let links = of_parent.children.iter();
        let links: Vec<_> = links.filter(|child| child.table == subject.table).collect();
        let is_kept = |child: &&Child| {
            let [column] = &child.columns[..] else {
                return false;
            };
            let mut facts = subject.facts.iter();
            let fact = facts.find(|fact| {
                *self.known.targets.get(fact.target) == (subject.table, Target::Column(*column))
            });
            let mut key = subject.key.iter();
            let of_key = key.find(|(own, _)| own == column);
            let value = fact.and_then(SeenFact::value).map(Value::plain);
            let value = value.or_else(|| of_key.map(|(_, value)| value.as_str().into()));
            let value = value.filter(|_| child.parent == of_parent.primary());
            value.is_some_and(|value| {
                let row = self.known.time.known_row(parent, &value);
                row.and_then(&changed).is_none()
            })
        };
        !links.is_empty() && links.iter().all(is_kept)
    }

    /// A later call that may have changed what a fact is about, although the
    /// log does not show it, and how: writes that may do more than they are
    /// given, and calls about rows beside this one.
    pub(super) fn changed_elsewhere(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
    ) -> Option<(CallId, String)> {
        let (model, time) = (self.known.model(), &self.known.time);
        let since = time.shown_until(subject.row, fact.target, id);
        let key = self.key_prints(subject);
        let called = self.called(subject);
        let hidden = time.blind_after(
            (subject.table, subject.row),
            &self.own_prints(subject),
            since,
        );
        let anything = || {
            let is_old = self.is_still_the_old_value(fact);
            let later = time.anything_after(since, is_old)?;
            (!self.is_for_people(fact)).then_some(later)
        };
        let set = || match (&self.known.targets.get(fact.target).1, &fact.found) {
            (Target::Column(column), Found::Cell(held)) => {
                let held = self.known.prints.of_any_case(&shown(held));
                time.set_after(subject.table, (*column, held), since)
            }
            _ => None,
        };
        let hidden = hidden.or_else(anything).or_else(set);
        if hidden.is_some() {
            return hidden.map(|later| (later, "may have changed it".to_owned()));
        }
        let cascades = |table: TableId| {
            let (parent, later) = self.parent_deleted(subject, table, id)?;
            let parent = &model.table(parent).shown;
            Some((later, format!("deleted from {parent}, on which it hangs")))
        };
        let target = self.known.targets.get(fact.target);
        let Target::Column(column_id) = target.1 else {
            let child = self.texts.target_table(target);
            let how = format!("wrote to {}", model.table(child).shown);
            return with_reason(time.touched_after(child, id), &how).or_else(|| cascades(child));
        };
        let column = model.table(subject.table).column(column_id);
        let is_empty = matches!(&fact.found, Found::Cell(held) if matches!(**held, Cell::Null));
        let emptied = (column.is_foreign && is_empty).then(|| cascades(subject.table));
        if let Some(emptied) = emptied.flatten() {
            return Some(emptied);
        }
        if fact.from.is_literal() {
            return None;
        }
        if is_own(call, fact, &column.name) {
            return self.passed_on(subject, fact, column_id, since, &[key, called]);
        }
        let written = with_reason(time.written_after(subject.row, since), "wrote to this row");
        written.or_else(|| self.moved_along(subject, fact, column_id, since, &[key, called]))
    }

    /// What people call the row by, beside its key: its code or number.
    fn called(&self, subject: &SeenSubject) -> Vec<Print> {
        let table = self.known.model().table(subject.table);
        let print = |fact: &SeenFact| match *self.known.targets.get(fact.target) {
            (of, Target::Column(column))
                if of == subject.table && means().is_public(table.column(column).name.last()) =>
            {
                let value = fact.value().filter(|value| !value.is_trivial())?;
                Some(self.known.prints.of_any_case(&value.plain()))
            }
            _ => None,
        };
        subject.facts.iter().find_map(print).into_iter().collect()
    }

    /// A later call that holds the key of a row, or what people call it by.
    fn mentioned(&self, names: &[Vec<Print>; 2], since: CallId) -> Option<(CallId, String)> {
        let mut names = names.iter().filter(|name| !name.is_empty());
        let later = names.find_map(|name| self.known.time.mentioned_after(name, since));
        with_reason(later, "names the key of this row")
    }

    /// A later call that may have changed in passing what a call itself wrote:
    /// flags move from row to row, and places shift.
    fn passed_on(
        &self,
        subject: &SeenSubject,
        fact: &SeenFact,
        column_id: ColumnId,
        since: CallId,
        names: &[Vec<Print>; 2],
    ) -> Option<(CallId, String)> {
        let (table, time) = (self.known.model().table(subject.table), &self.known.time);
        let column = table.column(column_id);
        let shifted = if means().is_shifting(column.name.last()) {
            let how = format!("wrote to another row of {}", table.shown);
            with_reason(time.touched_after(subject.table, since), &how)
        } else if matches!(fact.value(), Some(Value::Bool(true))) {
            let flagged = time.flagged_after((subject.table, column_id), since);
            with_reason(flagged, "set it for another row")
        } else {
            None
        };
        let is_number = fact.value().is_some_and(Value::is_number) && !column.is_key_like;
        let is_derived = is_number || column.name.is_state;
        if shifted.is_some() || !is_derived || self.is_still_the_old_value(fact) {
            return shifted;
        }
        let loosened = time.loosened_after(subject.row, since);
        with_reason(loosened, "wrote to this row").or_else(|| self.mentioned(names, since))
    }

    /// A later call about other rows, along with which what an answer merely
    /// shows may have moved.
    fn moved_along(
        &self,
        subject: &SeenSubject,
        fact: &SeenFact,
        column_id: ColumnId,
        since: CallId,
        names: &[Vec<Print>; 2],
    ) -> Option<(CallId, String)> {
        let (model, time) = (self.known.model(), &self.known.time);
        let (table, shown) = (model.table(subject.table), |id| &model.table(id).shown);
        let column = table.column(column_id);
        let is_number = fact.value().is_some_and(Value::is_number) && !column.is_key_like;
        let is_flag = matches!(fact.value(), Some(Value::Bool(_)));
        let is_counted = is_number || is_flag || means().is_shifting(column.name.last());
        if !is_counted && !column.name.is_state && !is_moment(fact) {
            return None;
        }
        let sibling = time.touched_after(subject.table, since);
        let how = format!("wrote to another row of {}", table.shown);
        with_reason(sibling.filter(|_| is_counted), &how)
            .or_else(|| self.mentioned(names, since))
            .or_else(|| {
                let (child, later) = self.child_deleted(subject, since)?;
                with_reason(Some(later), &format!("deleted from {}", shown(child)))
            })
            .or_else(|| {
                let (parent, later) = self.parent_written(subject, since)?;
                let how = format!("wrote to {}, to which it belongs,", shown(parent));
                with_reason(Some(later), &how)
            })
    }

    /// A later delete in a child table: its rows may have counted here.
    fn child_deleted(&self, subject: &SeenSubject, since: CallId) -> Option<(TableId, CallId)> {
        let children = &self.known.model().table(subject.table).children;
        let emptied = self.known.time.emptied_after(since);
        let of_child = emptied.filter(|(table, _, _)| {
            let mut children = children.iter();
            children.any(|child| child.table == *table)
        });
        let of_child = of_child.map(|(table, later, _)| (table, later));
        of_child.max_by_key(|(table, later)| (*later, *table))
    }

    /// A later write to a row that this one points to.
    fn parent_written(&self, subject: &SeenSubject, since: CallId) -> Option<(TableId, CallId)> {
        let time = &self.known.time;
        let is_parent = |table: TableId| {
            let mut children = self.known.model().table(table).children.iter();
            children.any(|child| child.table == subject.table)
        };
        let written = |row: RowId| time.written_after(row, since);
        let touched = time
            .all_touched_after(since)
            .filter(|(table, _)| is_parent(*table) && !self.keeps_parent(subject, *table, written));
        touched.max_by_key(|(table, later)| (*later, *table))
    }
}

/// A later call and what it did.
fn with_reason(later: Option<CallId>, how: &str) -> Option<(CallId, String)> {
    later.map(|later| (later, format!("{how} and may have changed it")))
}
