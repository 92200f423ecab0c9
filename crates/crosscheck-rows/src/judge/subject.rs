//! What we make of one row of a call (rows 10.4).
//!
//! Contract: rows 10.3.

mod fact;
mod later;
mod sum;

pub(crate) use self::fact::{CONDITION, OUTCOME};
pub(crate) use self::sum::is_state_field;
pub(crate) use crate::fact::FactState;

use crosscheck_core::rules::Rule;

use super::like::Likeness;
use super::seen::SeenCall;
use super::texts::Texts;
use super::time::{CallId, Deed, Place};
use crate::compare::value::Print;
use crate::fact::{Mark, RowSeen, Subject};
use crate::observe::{Hides, Holds};
use crate::plan::classify::Class;
use crate::plan::means::{makes, means};
use crate::plan::names::Name;
use crate::plan::{ColumnId, KeyFrom, Looked, TableId, Why};
use crate::reasons::CallReason as Reason;
use crate::run::Known;
use crate::run::order::claim_name;

const LEAVES: Rule = Rule::new(
    "rows.leaves",
    "a verb that may remove a row excuses its absence",
);
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

    fn because(self, reason: Reason, message: String) -> (Self, Ground) {
        (self, (reason, message))
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
#[derive(Debug, Clone)]
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
    pub(crate) fn subject(&self, call: &SeenCall, id: CallId, subject: &Subject) -> RowVerdict {
        let mut verdict = RowVerdict {
            state: State::Unproven,
            grounds: Vec::new(),
            is_sure: self.is_sure(call, subject),
            facts: Vec::new(),
        };
        let name = || self.texts.row(subject);
        let (state, ground) = match &subject.seen {
            RowSeen::Failed(message) => {
                let message = format!("{}: {}", name(), self.texts.text(message));
                State::Unproven.because(Reason::ConnectorError, message)
            }
            RowSeen::Many => {
                let message = format!("several rows {}", name());
                State::Unproven.because(Reason::DuplicateRows, message)
            }
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
    fn is_sure(&self, call: &SeenCall, subject: &Subject) -> bool {
        let is_late = self.known.has_answers && !call.is_answered;
        let is_known = call.class != Class::Unknown;
        subject.is_sure && ((is_known && !is_late) || subject.key_from.is_literal())
    }

    /// Names a later call.
    pub(super) fn later(&self, id: CallId) -> String {
        let call = self.known.calls.get(id.0 as usize);
        call.map_or_else(String::new, |call| {
            format!("call {} ({})", call.index, call.tool.name)
        })
    }

    fn by_values(
        &self,
        call: &SeenCall,
        subject: &Subject,
        rows: u32,
        is_whole: bool,
        name: &str,
    ) -> (State, Ground) {
        let table = &self.known.model().table(subject.table).shown;
        if subject.looked == Looked::ValuesAbsent {
            return if rows > 0 {
                let model = self.known.model().table(subject.table);
                let is_key = |column: &ColumnId| subject.key.iter().any(|(own, _)| own == column);
                let message = if rows == 1 && model.primary().iter().all(is_key) {
                    format!("{name} is still there; the call does not say what of it was removed")
                } else {
                    format!("{rows} rows {name} are there; the call does not say which was meant")
                };
                State::Unproven.because(Reason::NoKey, message)
            } else if is_whole {
                self.not_there(subject, Reason::AbsentByValues, name)
            } else {
                let message = format!(
                    "the call does not hold the key of {table}, and not all rows that may be meant were read"
                );
                State::Unproven.because(Reason::NoKey, message)
            };
        }
        let claim = claim_name(&subject.conditions);
        let claims = self
            .known
            .same_claims
            .get(&(subject.table, claim))
            .copied()
            .unwrap_or(1);
        if subject.key_from == KeyFrom::Contract {
            let name = self.texts.row(subject);
            return if rows as usize >= claims {
                State::Proven.because(Reason::FoundByValues, format!("{rows} row(s) {name}"))
            } else if subject.is_sure && is_whole {
                let message = format!("{rows} row(s) {name} hold what {claims} call(s) say");
                State::Refuted.because(Reason::RowAbsent, message)
            } else {
                let message = format!("{rows} row(s) {name} hold what the call says");
                State::Unproven.because(Reason::RowNotFound, message)
            };
        }
        let verb = &call.tool.verb;
        let writes = call.class == Class::Unknown || verb.creates || verb.is_setter || verb.sets;
        if !writes {
            let message = format!("{rows} row(s) {name}, which do not tell what was done to them");
            return State::Unproven.because(Reason::NoKey, message);
        }
        // a part of a key may be that of many rows, such as those of other tenants
        let primary = self.known.model().table(subject.table).primary();
        let is_part = |(column, _): &(ColumnId, _)| primary.contains(column);
        if !verb.creates && subject.key.iter().any(is_part) {
            let message = format!("the call holds only a part of the key of {table}");
            return State::Unproven.because(Reason::NoKey, message);
        }
        if rows as usize >= claims {
            return State::Proven.because(Reason::FoundByValues, format!("{rows} row(s) {name}"));
        }
        let message =
            format!("the call does not hold the key of {table}, and {rows} rows have {name}");
        State::Unproven.because(Reason::NoKey, message)
    }

    fn hides(&self, table: TableId) -> Option<&'static str> {
        Some(match self.known.model().table(table).hides? {
            Hides::Policy => "row security may hide it from this role",
            Hides::View => "the view may leave it out",
        })
    }

    fn gone(&self, id: CallId, subject: &Subject, name: &str) -> (State, Ground) {
        self.written_again(id, subject)
            .unwrap_or_else(|| self.not_there(subject, Reason::RowGone, name))
    }

    /// A later call that wrote what was to go.
    fn written_again(&self, id: CallId, subject: &Subject) -> Option<(State, Ground)> {
        let row = Place::Row(subject.row);
        let later = self.known.time.since(row, Deed::Writes, id)?;
        let message = format!("{} wrote it again", self.later(later));
        Some(State::Superseded.because(Reason::Superseded, message))
    }

    /// What is not there proves that it is gone, unless it may be hidden.
    fn not_there(&self, subject: &Subject, reason: Reason, name: &str) -> (State, Ground) {
        match self.hides(subject.table) {
            Some(hides) => {
                State::Unproven.because(Reason::NotVisible, format!("no {name}; {hides}"))
            }
            None => State::Proven.because(reason, format!("no {name}")),
        }
    }

    fn still_there(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        mark: Mark,
        verdict: &mut RowVerdict,
    ) -> (State, Ground) {
        let name = self.texts.row(subject);
        if let Some(later) = self.written_again(id, subject) {
            return later;
        }
        if mark == Mark::Deleted {
            let message = format!("{name} is marked as deleted");
            return State::Proven.because(Reason::MarkedDeleted, message);
        }
        let blind = self.near(subject, Deed::Hides, id);
        let doubt = if mark == Mark::Perhaps && subject.key_from != KeyFrom::Contract {
            Some("its state may mean deleted".to_owned())
        } else if !verdict.is_sure {
            Some(doubt(call, subject))
        } else {
            blind.map(|later| format!("{} may have written it again", self.later(later)))
        };
        if let Some(doubt) = doubt {
            verdict.is_sure = false;
            let message = format!("{name} is still there; {doubt}");
            State::Unproven.because(Reason::ValueUnsure, message)
        } else {
            let message = format!("{name} is still there");
            State::Refuted.because(Reason::RowPresentWhenForbidden, message)
        }
    }

    fn absent(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        verdict: &mut RowVerdict,
    ) -> (State, Ground) {
        let name = self.texts.row(subject);
        let row = Place::Row(subject.row);
        if let Some(later) = self.known.time.since(row, Deed::Deletes, id) {
            let message = format!("{} deleted it", self.later(later));
            return State::Superseded.because(Reason::Superseded, message);
        }
        if let Some(hides) = self.hides(subject.table) {
            return State::Unproven.because(Reason::NotVisible, format!("no {name}; {hides}"));
        }
        let table = self.known.model().table(subject.table);
        let unlike = subject.key.iter().find(|(column, value)| {
            let holds = table.column(*column).holds;
            !self
                .likeness
                .is_like((subject.table, *column), holds, value)
        });
        let is_its_own = || self.is_its_own(call, subject);
        let unlike = unlike.filter(|_| !subject.key_from.is_literal() && !is_its_own());
        if let Some((column, _)) = unlike {
            let column = &table.column(*column).column;
            let message = format!(
                "no {name}, and no {column} of {} looks like that",
                table.shown
            );
            return State::Unproven.because(Reason::KeyUnlike, message);
        }
        let doubt = if verdict.is_sure {
            self.absence_doubt(call, id, subject)
        } else {
            Some(doubt(call, subject))
        };
        match doubt {
            Some(doubt) => {
                verdict.is_sure = false;
                State::Unproven.because(Reason::RowNotFound, format!("no {name}; {doubt}"))
            }
            None => State::Refuted.because(Reason::RowAbsent, format!("no {name}")),
        }
    }

    /// Whether a call makes a row and calls its key just as the table does: then
    /// the key may be of any form.
    fn is_its_own(&self, call: &SeenCall, subject: &Subject) -> bool {
        let table = self.known.model().table(subject.table);
        let (Why::Answer(field, true) | Why::Arguments(field, true)) = &subject.why else {
            return false;
        };
        let [column] = table.primary() else {
            return false;
        };
        let name = &table.column(*column).name;
        makes(&call.tool, table) && !name.is_bare_id && Name::new(field).norm == name.norm
    }

    /// Why a row may be gone, or known under another key, without a lie.
    fn absence_doubt(&self, call: &SeenCall, id: CallId, subject: &Subject) -> Option<String> {
        let time = &self.known.time;
        let table = self.known.model().table(subject.table);
        let is_shown = subject.has_image && !means().undoes(&call.tool);
        let is_left = is_shown || means().leaves(&call.tool);
        if LEAVES.is_on() && !is_left && !subject.key_from.is_literal() {
            return Some("what the call does may remove the row".to_owned());
        }
        let may_remove = |later: &CallId| {
            let later = self.known.calls.get(later.0 as usize);
            later.is_some_and(|later| !means().leaves(&later.tool))
        };
        let blind = time.since(Place::Row(subject.row), Deed::Hides, id);
        let anywhere = time.since(Place::Anywhere, Deed::MayDelete, id);
        let removed = self.near(subject, Deed::MayDelete, id).max(anywhere);
        if let Some(later) = blind.filter(may_remove).or(removed) {
            return Some(format!("{} may have deleted it", self.later(later)));
        }
        // what it hangs on is there: it was not taken along
        let parent = self.parent_deleted(subject.table, id);
        if let Some((parent, later)) = parent.filter(|_| !subject.has_parents) {
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
        if subject.is_known_by(table.primary()) || subject.key_from.is_literal() {
            return None;
        }
        let table = Place::Table(subject.table);
        let later = time.since(table, Deed::Writes, id);
        later.map(|later| format!("{} may have changed or deleted it", self.later(later)))
    }

    fn key_prints(&self, subject: &Subject) -> Vec<Print> {
        let print = |value: &smol_str::SmolStr| self.known.prints.of_any_case(value);
        subject.key.iter().map(|(_, value)| print(value)).collect()
    }

    /// A later call that did this to a row, to what its key names, or anywhere in its table.
    fn near(&self, subject: &Subject, deed: Deed, id: CallId) -> Option<CallId> {
        let own = [Place::Row(subject.row), Place::Table(subject.table)];
        let key = self.key_prints(subject).into_iter().map(Place::Value);
        self.known.time.near(own.into_iter().chain(key), deed, id)
    }
}

/// Why the mapping is not certain.
fn doubt(call: &SeenCall, subject: &Subject) -> String {
    let doubt = if call.may_be_refused {
        "the answer may say that it was not done, or not yet"
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
