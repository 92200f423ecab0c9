//! What we make of one row of a call (rows 10.4).

mod fact;
mod sum;

pub(crate) use self::fact::OUTCOME;
pub(crate) use self::sum::is_state_field;
use self::sum::{is_moment, is_own};

use super::like::Likeness;
use super::seen::{Found, Mark, RowSeen, SeenCall, SeenFact, SeenSubject};
use super::texts::Texts;
use super::time::{CallId, RowId};
use crate::compare::value::{Print, Value};
use crate::observe::{Cell, Hides, Holds};
use crate::plan::classify::Class;
use crate::plan::means::means;
use crate::plan::model::Child;
use crate::plan::{ColumnId, From, KeyFrom, Looked, TableId, Target};
use crate::reasons::CallReason as Reason;
use crate::run::Known;
use crate::run::order::claim_name;

/// What becomes of a call, or of one of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Refuted,
    Unproven,
    Proven,
    Superseded,
}

impl State {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Refuted => "refuted",
            Self::Unproven => "unproven",
            Self::Proven => "proven",
            Self::Superseded => "superseded",
        }
    }
}

/// What becomes of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactState {
    Agrees,
    Differs,
    NotCompared,
    AskedNotDone,
    ExtraRows,
    Superseded,
    Overtaken,
}

impl FactState {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::NotCompared => "not_compared",
            Self::AskedNotDone => "asked_not_done",
            Self::ExtraRows => "extra_rows",
            Self::Superseded => "superseded",
            Self::Overtaken => "overtaken",
        }
    }
}

/// The verdict about a fact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactVerdict {
    pub(crate) state: FactState,
    pub(crate) is_firm: bool,
    /// What makes them equal or not comparable, in a word.
    pub(crate) word: &'static str,
}

/// A reason and the words of the single case.
pub(crate) type Ground = (Reason, String);

/// The verdict about a row.
#[derive(Debug)]
pub(crate) struct RowVerdict {
    pub(crate) state: State,
    pub(crate) grounds: Vec<Ground>,
    pub(crate) is_sure: bool,
    pub(crate) facts: Vec<FactVerdict>,
}

/// Everything that the verdict about a row rests on.
pub(crate) struct Bench<'k> {
    pub(crate) known: &'k Known,
    pub(crate) likeness: &'k Likeness,
    pub(crate) texts: Texts<'k>,
}

impl Bench<'_> {
    /// Judges one row of a call.
    pub(crate) fn subject(&self, call: &SeenCall, id: CallId, subject: &SeenSubject) -> RowVerdict {
        let mut verdict = RowVerdict {
            state: State::Unproven,
            grounds: Vec::new(),
            is_sure: self.is_sure(call, subject),
            facts: Vec::new(),
        };
        let name = || self.texts.row(subject);
        let (state, ground) = match &subject.seen {
            RowSeen::Failed(message) => (
                State::Unproven,
                (
                    Reason::ConnectorError,
                    format!("{}: {}", name(), self.texts.text(message)),
                ),
            ),
            RowSeen::Many => (
                State::Unproven,
                (Reason::DuplicateRows, format!("several rows {}", name())),
            ),
            RowSeen::Values { rows, is_whole } => {
                self.by_values(call, subject, *rows, *is_whole, &name())
            }
            RowSeen::There(mark) => self.still_there(call, id, subject, *mark, &mut verdict),
            RowSeen::None if subject.looked == Looked::Absence => self.gone(id, subject, &name()),
            RowSeen::None => self.absent(call, id, subject, &mut verdict),
            RowSeen::One => return self.row(call, id, subject, verdict),
        };
        verdict.state = state;
        verdict.grounds.push(ground);
        verdict
    }

    /// Whether the mapping is certain; a call without an answer may have failed.
    fn is_sure(&self, call: &SeenCall, subject: &SeenSubject) -> bool {
        let is_late = self.known.has_answers && !call.is_answered;
        let is_known = call.class != Class::Unknown;
        subject.is_sure && ((is_known && !is_late) || subject.key_from == KeyFrom::Contract)
    }

    /// Names a later call.
    fn later(&self, id: CallId) -> String {
        let call = self.known.calls.get(id.0 as usize);
        call.map_or_else(String::new, |call| {
            format!("call {} ({})", call.index, call.tool.name)
        })
    }

    fn by_values(
        &self,
        call: &SeenCall,
        subject: &SeenSubject,
        rows: u32,
        is_whole: bool,
        name: &str,
    ) -> (State, Ground) {
        let table = &self.known.model().table(subject.table).shown;
        if subject.looked == Looked::ValuesAbsent {
            return if rows > 0 {
                let message =
                    format!("{rows} rows {name} are there; the call does not say which was meant");
                (State::Unproven, (Reason::NoKey, message))
            } else if !is_whole {
                let message = format!(
                    "the call does not hold the key of {table}, and not all rows that may be meant were read"
                );
                (State::Unproven, (Reason::NoKey, message))
            } else if let Some(hides) = self.hides(subject.table) {
                (
                    State::Unproven,
                    (Reason::NotVisible, format!("no {name}; {hides}")),
                )
            } else {
                (
                    State::Proven,
                    (Reason::AbsentByValues, format!("no {name}")),
                )
            };
        }
        let claim = subject.key_claim();
        let claims = self
            .known
            .same_claims
            .get(&(subject.table, claim))
            .copied()
            .unwrap_or(1);
        let verb = &call.tool.verb;
        let writes = call.class == Class::Unknown || verb.creates() || verb.is_setter();
        if !writes {
            let message = format!("{rows} row(s) {name}, which do not tell what was done to them");
            return (State::Unproven, (Reason::NoKey, message));
        }
        if rows as usize >= claims {
            return (
                State::Proven,
                (Reason::FoundByValues, format!("{rows} row(s) {name}")),
            );
        }
        let message =
            format!("the call does not hold the key of {table}, and {rows} rows have {name}");
        (State::Unproven, (Reason::NoKey, message))
    }

    fn hides(&self, table: TableId) -> Option<&'static str> {
        Some(match self.known.model().table(table).hides? {
            Hides::Policy => "row security may hide it from this role",
            Hides::View => "the view may leave it out",
        })
    }

    fn gone(&self, id: CallId, subject: &SeenSubject, name: &str) -> (State, Ground) {
        if self.known.time.written_after(subject.row, id).is_some() {
            return (State::Superseded, written_again());
        }
        match self.hides(subject.table) {
            Some(hides) => (
                State::Unproven,
                (Reason::NotVisible, format!("no {name}; {hides}")),
            ),
            None => (State::Proven, (Reason::RowGone, format!("no {name}"))),
        }
    }

    fn still_there(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        mark: Mark,
        verdict: &mut RowVerdict,
    ) -> (State, Ground) {
        let name = self.texts.row(subject);
        if self.known.time.written_after(subject.row, id).is_some() {
            return (State::Superseded, written_again());
        }
        if mark == Mark::Deleted {
            return (
                State::Proven,
                (
                    Reason::MarkedDeleted,
                    format!("{name} is marked as deleted"),
                ),
            );
        }
        let blind = self.blind(subject, id);
        let doubt = if mark == Mark::Perhaps {
            Some("its state may mean deleted".to_owned())
        } else if !verdict.is_sure {
            Some(doubt(call, subject))
        } else {
            blind.map(|later| format!("{} may have written it again", self.later(later)))
        };
        match doubt {
            Some(doubt) => {
                verdict.is_sure = false;
                (
                    State::Unproven,
                    (
                        Reason::ValueUnsure,
                        format!("{name} is still there; {doubt}"),
                    ),
                )
            }
            None => (
                State::Refuted,
                (
                    Reason::RowPresentWhenForbidden,
                    format!("{name} is still there"),
                ),
            ),
        }
    }

    fn absent(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        verdict: &mut RowVerdict,
    ) -> (State, Ground) {
        let name = self.texts.row(subject);
        if self.known.time.deleted_after(subject.row, id).is_some() {
            return (
                State::Superseded,
                (Reason::Superseded, "deleted later".to_owned()),
            );
        }
        if let Some(hides) = self.hides(subject.table) {
            return (
                State::Unproven,
                (Reason::NotVisible, format!("no {name}; {hides}")),
            );
        }
        let table = self.known.model().table(subject.table);
        let unlike = subject.key.iter().find(|(column, value)| {
            let holds = table.column(*column).holds;
            !self
                .likeness
                .is_like((subject.table, *column), holds, value)
        });
        if let Some((column, _)) = unlike.filter(|_| subject.key_from != KeyFrom::Contract) {
            let column = &table.column(*column).column;
            let message = format!(
                "no {name}, and no {column} of {} looks like that",
                table.shown
            );
            return (State::Unproven, (Reason::KeyUnlike, message));
        }
        let doubt = if verdict.is_sure {
            self.absence_doubt(call, id, subject)
        } else {
            Some(doubt(call, subject))
        };
        match doubt {
            Some(doubt) => {
                verdict.is_sure = false;
                (
                    State::Unproven,
                    (Reason::RowNotFound, format!("no {name}; {doubt}")),
                )
            }
            None => (State::Refuted, (Reason::RowAbsent, format!("no {name}"))),
        }
    }

    /// Why a row may be gone, or known under another key, without a lie.
    fn absence_doubt(&self, call: &SeenCall, id: CallId, subject: &SeenSubject) -> Option<String> {
        let time = &self.known.time;
        let table = self.known.model().table(subject.table);
        let is_left = subject.has_image || means().leaves(&call.tool);
        if !is_left && subject.key_from != KeyFrom::Contract {
            return Some("what the call does may remove the row".to_owned());
        }
        let may_remove = |later: &CallId| {
            let later = self.known.calls.get(later.0 as usize);
            later.is_some_and(|later| !means().leaves(&later.tool))
        };
        if let Some(later) = time.hidden_after(subject.row, id).filter(may_remove) {
            return Some(format!("{} may have removed it", self.later(later)));
        }
        // only an id is written the same way everywhere
        let claims = |column: ColumnId, print: Print| {
            if !table.column(column).is_key_like {
                return true;
            }
            let target = (subject.table, Target::Column(column));
            let mut facts = subject.facts.iter();
            let fact = facts.find(|fact| *self.known.targets.get(fact.target) == target);
            let claimed = fact.and_then(SeenFact::value);
            claimed.is_none_or(|value| self.known.prints.of_any_case(&value.plain()) == print)
        };
        let key = self.key_prints(subject);
        if let Some(later) = time.removed_after(subject.table, &key, id, claims) {
            return Some(format!("{} may have deleted it", self.later(later)));
        }
        if let Some((parent, later)) = self.parent_deleted(subject, subject.table, id) {
            let (parent, later) = (&self.known.model().table(parent).shown, self.later(later));
            return Some(format!("{later} deleted from {parent}, on which it hangs"));
        }
        let is_moment = |holds: Holds| matches!(holds, Holds::Day | Holds::Moment(_));
        if subject
            .key
            .iter()
            .any(|(column, _)| is_moment(table.column(*column).holds))
        {
            return Some("its key is a date, which may be written otherwise".to_owned());
        }
        let is_primary = subject.key.len() == table.primary().len()
            && subject
                .key
                .iter()
                .all(|(column, _)| table.primary().contains(column));
        if is_primary || subject.key_from == KeyFrom::Contract {
            return None;
        }
        let written = subject
            .key
            .iter()
            .find_map(|(column, _)| time.column_written_after((subject.table, *column), id));
        let later = written.or_else(|| time.gone_after(subject.table, id));
        later.map(|later| format!("{} may have changed or deleted it", self.later(later)))
    }

    /// A later delete in a table on which this one hangs: it may have taken
    /// the row along. A delete of another row than the one that the call
    /// says it hangs on does not count.
    fn parent_deleted(
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
    fn changed_elsewhere(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
    ) -> Option<(CallId, String)> {
        let (model, time) = (self.known.model(), &self.known.time);
        let shown = |table: TableId| &model.table(table).shown;
        let told = |how: &str| {
            let how = format!("{how} and may have changed it");
            move |later: CallId| (later, how)
        };
        let cascades = |table: TableId| {
            let (parent, later) = self.parent_deleted(subject, table, id)?;
            let how = format!("deleted from {}, on which it hangs", shown(parent));
            Some((later, how))
        };
        let since = time.shown_until(subject.row, fact.target, id);
        let key = self.key_prints(subject);
        let hidden = time.blind_after((subject.table, subject.row), &key, since);
        if hidden.is_some() {
            return hidden.map(|later| (later, "may have changed it".to_owned()));
        }
        let target = self.known.targets.get(fact.target);
        let Target::Column(column_id) = target.1 else {
            let child = self.texts.target_table(target);
            let touched = time.touched_after(child, id);
            let wrote = touched.map(told(&format!("wrote to {}", shown(child))));
            return wrote.or_else(|| cascades(child));
        };
        let column = model.table(subject.table).column(column_id);
        let is_empty = matches!(&fact.found, Found::Cell(held) if matches!(**held, Cell::Null));
        if column.is_foreign && is_empty {
            let deleted = cascades(subject.table);
            if deleted.is_some() {
                return deleted;
            }
        }
        if fact.from == From::Contract {
            return None;
        }
        let is_flag = matches!(fact.value(), Some(Value::Bool(_)));
        let is_number = fact.value().is_some_and(Value::is_number) && !column.is_key_like;
        let is_shifting = means().is_shifting(column.name.last());
        let sibling = || {
            let how = format!("wrote to another row of {}", shown(subject.table));
            time.touched_after(subject.table, since).map(told(&how))
        };
        let is_derived = is_number || column.name.is_state;
        let mentioned = || {
            let mentioned = time.mentioned_after(&key, since);
            mentioned.map(told("names the key of this row"))
        };
        if is_own(call, fact, &column.name) {
            // flags move from row to row, and places shift
            let shifted = if is_shifting {
                sibling()
            } else if matches!(fact.value(), Some(Value::Bool(true))) {
                let flagged = time.flagged_after((subject.table, column_id), since);
                flagged.map(told("set it for another row"))
            } else {
                None
            };
            let in_passing = is_derived && !self.is_still_the_old_value(fact);
            let loosened = || {
                let loosened = time.loosened_after(subject.row, since);
                loosened.map(told("wrote to this row"))
            };
            let passed = || in_passing.then(|| loosened().or_else(mentioned)).flatten();
            return shifted.or_else(passed);
        }
        let written = time.written_after(subject.row, since);
        let written = written.map(told("wrote to this row"));
        let is_moved = is_derived || is_flag || is_shifting || is_moment(fact);
        let near = || {
            let shifted = (is_number || is_flag || is_shifting)
                .then(sibling)
                .flatten();
            let child = || self.child_deleted(subject, since);
            let child = || {
                child().map(|(table, later)| told(&format!("deleted from {}", shown(table)))(later))
            };
            shifted.or_else(mentioned).or_else(child)
        };
        let of_parent = || {
            let (parent, later) = self.parent_written(subject, since)?;
            Some(told(&format!(
                "wrote to {}, to which it belongs,",
                shown(parent)
            ))(later))
        };
        written.or_else(|| is_moved.then(|| near().or_else(of_parent)).flatten())
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

    fn key_prints(&self, subject: &SeenSubject) -> Vec<Print> {
        let print = |value: &smol_str::SmolStr| self.known.prints.of_any_case(value);
        subject.key.iter().map(|(_, value)| print(value)).collect()
    }

    fn blind(&self, subject: &SeenSubject, id: CallId) -> Option<CallId> {
        let row = (subject.table, subject.row);
        self.known
            .time
            .blind_after(row, &self.key_prints(subject), id)
    }
}

/// Why the mapping is not certain.
fn doubt(call: &SeenCall, subject: &SeenSubject) -> String {
    let doubt = if call.may_be_refused {
        "the answer may be a refusal"
    } else if subject.key_from == KeyFrom::Contract {
        "the contract entry is not confirmed"
    } else if call.class == Class::Unknown {
        "no known verb says that the tool writes"
    } else if subject.is_sure {
        "the log has no answer to this call"
    } else {
        "it is not certain that this row is meant"
    };
    doubt.to_owned()
}

fn written_again() -> Ground {
    (Reason::Superseded, "written again later".to_owned())
}

impl SeenSubject {
    /// What a look by values asked for.
    fn key_claim(&self) -> smol_str::SmolStr {
        claim_name(&self.conditions)
    }
}
