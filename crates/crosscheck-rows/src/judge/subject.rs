//! What we make of one row of a call (rows 10.4).

use std::cell::LazyCell;

use super::like::Likeness;
use super::seen::{Found, Look, Mark, RowSeen, SeenCall, SeenFact, SeenSubject};
use super::texts::Texts;
use super::time::{CallId, RowId};
use crate::compare::moment::Moment;
use crate::compare::value::{Print, Value};
use crate::compare::{Comparison, NULL, Sides, compare, shown};
use crate::observe::{Cell, Hides, Holds};
use crate::plan::classify::Class;
use crate::plan::means::{makes, means, sets};
use crate::plan::model::Child;
use crate::plan::names::{Name, any_same};
use crate::plan::{ColumnId, From, KeyFrom, Looked, TableId, Target, Tool};
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

/// Said of facts whose column means something else.
const AGAINST: &str = "reads of other rows disagree with this column";
pub(crate) const OUTCOME: &str = "outcome word";

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
            claimed.is_none_or(|value| {
                self.known.prints.of_text(&value.plain().to_lowercase()) == print
            })
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
    /// log does not show it: writes that may do more than they are given, and
    /// calls about rows beside this one.
    fn changed_elsewhere(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
    ) -> Option<CallId> {
        let (model, time) = (self.known.model(), &self.known.time);
        let since = time.shown_until(subject.row, fact.target, id);
        let key = self.key_prints(subject);
        let hidden = time.blind_after((subject.table, subject.row), &key, since);
        if hidden.is_some() {
            return hidden;
        }
        let target = self.known.targets.get(fact.target);
        let Target::Column(column_id) = target.1 else {
            let child = self.texts.target_table(target);
            let deleted = || {
                let deleted = self.parent_deleted(subject, child, id);
                deleted.map(|(_, later)| later)
            };
            return time.touched_after(child, id).or_else(deleted);
        };
        let column = model.table(subject.table).column(column_id);
        let is_empty = matches!(&fact.found, Found::Cell(held) if matches!(**held, Cell::Null));
        if column.is_foreign && is_empty {
            let deleted = self.parent_deleted(subject, subject.table, id);
            if let Some((_, later)) = deleted {
                return Some(later);
            }
        }
        if fact.from == From::Contract {
            return None;
        }
        let is_flag = matches!(fact.value(), Some(Value::Bool(_)));
        let is_number = fact.value().is_some_and(Value::is_number) && !column.is_key_like;
        let is_shifting = means().is_shifting(column.name.last());
        let sibling = || time.touched_after(subject.table, since);
        let is_derived = is_number || column.name.is_state();
        let mentioned = || time.mentioned_after(&key, since);
        if is_own(call, fact, &column.name) {
            // flags move from row to row, and places shift
            let shifted = if is_shifting {
                sibling()
            } else if matches!(fact.value(), Some(Value::Bool(true))) {
                time.flagged_after((subject.table, column_id), since)
            } else {
                None
            };
            let in_passing = is_derived && !self.is_still_the_old_value(fact);
            let loosened = || time.loosened_after(subject.row, since);
            let passed = || in_passing.then(|| loosened().or_else(mentioned)).flatten();
            return shifted.or_else(passed);
        }
        let written = time.written_after(subject.row, since);
        let is_moved = is_derived || is_flag || is_shifting || is_moment(fact);
        let near = || {
            let shifted = (is_number || is_flag || is_shifting)
                .then(sibling)
                .flatten();
            shifted
                .or_else(mentioned)
                .or_else(|| self.child_deleted(subject, since))
        };
        let of_parent = || self.parent_written(subject, since);
        written.or_else(|| is_moved.then(|| near().or_else(of_parent)).flatten())
    }

    /// A later delete in a child table: its rows may have counted here.
    fn child_deleted(&self, subject: &SeenSubject, since: CallId) -> Option<CallId> {
        let children = &self.known.model().table(subject.table).children;
        let emptied = self.known.time.emptied_after(since);
        let of_child = emptied.filter(|(table, _, _)| {
            let mut children = children.iter();
            children.any(|child| child.table == *table)
        });
        of_child.map(|(_, later, _)| later).max()
    }

    /// A later write to a row that this one points to.
    fn parent_written(&self, subject: &SeenSubject, since: CallId) -> Option<CallId> {
        let time = &self.known.time;
        let is_parent = |table: TableId| {
            let mut children = self.known.model().table(table).children.iter();
            children.any(|child| child.table == subject.table)
        };
        let written = |row: RowId| time.written_after(row, since);
        let touched = time
            .all_touched_after(since)
            .filter(|(table, _)| is_parent(*table) && !self.keeps_parent(subject, *table, written));
        touched.map(|(_, later)| later).max()
    }

    fn key_prints(&self, subject: &SeenSubject) -> Vec<Print> {
        let print = |value: &smol_str::SmolStr| self.known.prints.of_text(&value.to_lowercase());
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

impl Bench<'_> {
    /// The row is there: fact by fact.
    fn row(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        mut verdict: RowVerdict,
    ) -> RowVerdict {
        let mut doubt = (!verdict.is_sure).then(|| doubt(call, subject));
        if let Some(later) = self.known.time.deleted_after(subject.row, id) {
            doubt = Some(format!("{} deleted the row", self.later(later)));
        }
        verdict.facts = subject
            .facts
            .iter()
            .map(|fact| self.fact(call, id, subject, fact))
            .collect();
        let differs = |verdict: &FactVerdict| verdict.state == FactState::Differs;
        if call.class == Class::Unknown
            && subject.is_sure
            && self.claims_a_change(call, subject, &mut verdict.facts)
        {
            doubt = None;
        }
        let mut elsewhere = None;
        for (fact, verdict) in subject.facts.iter().zip(&mut verdict.facts) {
            if differs(verdict)
                && let Some(later) = self.changed_elsewhere(call, id, subject, fact)
            {
                verdict.is_firm = false;
                elsewhere = Some(later);
            }
        }
        let is_firm = |verdict: &FactVerdict| verdict.is_firm && differs(verdict);
        if let Some(later) = elsewhere.filter(|_| !verdict.facts.iter().any(is_firm)) {
            doubt = doubt.or_else(|| Some(format!("{} may have changed it", self.later(later))));
        }
        verdict.is_sure = doubt.is_none();
        let (state, grounds) = self.sum_up(call, id, subject, &verdict, doubt.as_deref());
        verdict.state = state;
        verdict.grounds = grounds;
        verdict
    }

    /// Whether a tool with an unknown verb answers that a column changed which
    /// still holds what the log showed before; only such facts stay firm.
    fn claims_a_change(
        &self,
        call: &SeenCall,
        subject: &SeenSubject,
        verdicts: &mut [FactVerdict],
    ) -> bool {
        if !call.is_answered || call.may_be_refused {
            return false;
        }
        for (fact, verdict) in subject.facts.iter().zip(&mut *verdicts) {
            verdict.is_firm &= fact.from == From::Result && self.is_still_the_old_value(fact);
        }
        let is_such =
            |verdict: &FactVerdict| verdict.is_firm && verdict.state == FactState::Differs;
        verdicts.iter().any(is_such)
    }

    /// What becomes of one fact.
    fn fact(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
    ) -> FactVerdict {
        let mut verdict = FactVerdict {
            state: match fact.look {
                Look::Agrees => FactState::Agrees,
                Look::Differs => FactState::Differs,
                Look::Extra => FactState::ExtraRows,
                Look::Not | Look::Failed => FactState::NotCompared,
            },
            is_firm: fact.is_firm,
            word: fact.word,
        };
        let owners = self.known.time.owners(subject.row, fact.target);
        if !owners.contains(&id)
            || (fact.look == Look::Differs && self.another_agrees(id, subject, fact, &owners))
        {
            verdict.state = FactState::Superseded;
            return verdict;
        }
        if fact.is_outcome && verdict.state == FactState::Differs {
            (verdict.state, verdict.word) = (FactState::NotCompared, OUTCOME);
            return verdict;
        }
        let target = self.known.targets.get(fact.target);
        let is_column = matches!(target.1, Target::Column(_));
        if verdict.state == FactState::NotCompared && is_column && self.is_still_the_old_value(fact)
        {
            (verdict.state, verdict.word) = (FactState::Differs, "still the value from before");
        }
        if let Some(asked) = &fact.asked {
            let held = self.compared(fact, target, &asked.0);
            verdict.state = match (held, verdict.state) {
                (Some(Comparison::Equal(_)), _) => FactState::Agrees,
                (Some(Comparison::Different(_)), FactState::Agrees) => FactState::AskedNotDone,
                (_, state) => state,
            };
        }
        if fact.from != From::Contract {
            self.temper(subject, fact, target, &mut verdict);
            let table = self.known.model().table(subject.table);
            let is_meant = fact.from == From::Result
                || call.class == Class::Unknown
                || sets(&call.tool, table, subject.key_from);
            verdict.is_firm &= is_meant;
        }
        verdict
    }

    /// What keeps a difference from being one, apart from a contract.
    fn temper(
        &self,
        subject: &SeenSubject,
        fact: &SeenFact,
        target: &(TableId, Target),
        verdict: &mut FactVerdict,
    ) {
        if self.known.calibration.is_against(fact.target) {
            (verdict.state, verdict.word) = (FactState::NotCompared, AGAINST);
        } else if self.known.calibration.is_for(fact.target) {
            verdict.is_firm = true;
        }
        if verdict.state != FactState::Differs {
            return;
        }
        if verdict.word == NULL && !self.is_still_the_old_value(fact) {
            verdict.is_firm = false;
        }
        let Target::Column(column) = target.1 else {
            return;
        };
        let model = self.known.model().table(subject.table).column(column);
        let value = fact.value().map(Value::plain).unwrap_or_default();
        if model.is_key_like
            && !self
                .likeness
                .is_like((subject.table, column), model.holds, &value)
        {
            (verdict.state, verdict.word) =
                (FactState::NotCompared, "no id like those in this column");
            return;
        }
        if let Some(later) = self.known.time.after(subject.row, fact.target)
            && fact
                .before
                .is_some_and(|before| before != self.known.prints.of(later))
            && self.holds(fact, target, later)
        {
            verdict.state = FactState::Overtaken;
        }
    }

    /// Whether another call of the same step wrote what is there.
    fn another_agrees(
        &self,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
        owners: &[CallId],
    ) -> bool {
        let mut others = owners.iter().filter(|owner| **owner != id);
        others.any(|other| self.says(*other, subject, fact, |fact| fact.look == Look::Agrees))
    }

    /// Whether a call says such a thing about the same row and column.
    fn says(
        &self,
        call: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
        is_such: impl Fn(&SeenFact) -> bool,
    ) -> bool {
        let call = self.known.calls.get(call.0 as usize);
        call.is_some_and(|call| {
            let mut same_row = call.subjects.iter().filter(|own| own.row == subject.row);
            same_row.any(|own| {
                let mut facts = own.facts.iter();
                facts.any(|own| own.target == fact.target && is_such(own))
            })
        })
    }

    /// Whether the column of a fact holds what those say who wrote it last.
    pub(super) fn is_there(&self, subject: &SeenSubject, fact: &SeenFact) -> bool {
        let owners = self.known.time.owners(subject.row, fact.target);
        let agrees = |fact: &SeenFact| matches!(fact.look, Look::Agrees | Look::Extra);
        let mut owners = owners.into_iter();
        owners.any(|owner| self.says(owner, subject, fact, agrees))
    }

    /// Whether those who wrote a fact last were asked to: an answer that
    /// shows another value may only show that the write before was a lie.
    fn is_asked_anew(&self, subject: &SeenSubject, fact: &SeenFact) -> bool {
        let owners = self.known.time.owners(subject.row, fact.target);
        let asks = |fact: &SeenFact| fact.from != From::Result || fact.asked.is_some();
        owners
            .into_iter()
            .any(|owner| self.says(owner, subject, fact, asks))
    }

    /// Whether a column still holds just the text that the log showed before.
    fn is_still_the_old_value(&self, fact: &SeenFact) -> bool {
        let Some(before) = fact.before else {
            return false;
        };
        match &fact.found {
            Found::Cell(cell) => match &**cell {
                Cell::Text(text) => self.known.prints.of(&Value::Text(text.clone())) == before,
                Cell::Moment(_) | Cell::Day(_) => {
                    let text = Value::Text(shown(cell).into());
                    self.known.prints.of(&text) == before
                }
                Cell::Number(number) => {
                    let digits = crosscheck_core::canonical::number_text(*number);
                    self.known.prints.of(&Value::Number(digits.into())) == before
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the column of a fact holds another value.
    fn holds(&self, fact: &SeenFact, target: &(TableId, Target), value: &Value) -> bool {
        let compared = self.compared(fact, target, value);
        compared.is_some_and(Comparison::is_equal)
    }

    /// What the column of a fact holds beside another value.
    fn compared(
        &self,
        fact: &SeenFact,
        (table, target): &(TableId, Target),
        value: &Value,
    ) -> Option<Comparison> {
        let Target::Column(column) = target else {
            return Some(Comparison::Different(""));
        };
        let sides = Sides {
            literally: false,
            ..super::children::sides(
                self.known.model().table(*table),
                *column,
                "",
                From::Argument,
            )
        };
        match &fact.found {
            Found::Cell(cell) => Some(compare(value, cell, sides)),
            Found::Same => fact
                .value()
                .map(|held| compare(value, &crate::compare::cell(held), sides)),
            _ => None,
        }
    }
}

impl Bench<'_> {
    /// The first rule that fits decides.
    fn sum_up(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        verdict: &RowVerdict,
        doubt: Option<&str>,
    ) -> (State, Vec<Ground>) {
        // most rows agree, and are never told by name
        let name = LazyCell::new(|| self.texts.row(subject));
        let pairs = || subject.facts.iter().zip(&verdict.facts);
        let grounds =
            |state: FactState, made: &dyn Fn(&SeenFact, &FactVerdict) -> Option<Ground>| {
                let of_state = pairs().filter(move |(_, verdict)| verdict.state == state);
                of_state
                    .filter_map(|(fact, verdict)| made(fact, verdict))
                    .collect::<Vec<Ground>>()
            };
        let refuting = grounds(FactState::Differs, &|fact, verdict| {
            (verdict.is_firm && doubt.is_none()).then(|| self.mismatch(&name, fact))
        });
        if !refuting.is_empty() {
            return (State::Refuted, refuting);
        }
        let failed = pairs().find(|(fact, verdict)| {
            fact.look == Look::Failed && verdict.state != FactState::Superseded
        });
        if let Some((fact, _)) = failed {
            let message = format!("{}: {}", *name, self.texts.found(fact));
            return (State::Unproven, vec![(Reason::ConnectorError, message)]);
        }
        let asked = grounds(FactState::AskedNotDone, &|fact, _| {
            Some(self.asked(&name, fact))
        });
        if !asked.is_empty() {
            return (State::Unproven, asked);
        }
        let unsure = grounds(FactState::Differs, &|fact, verdict| {
            let doubt = doubt.unwrap_or_else(|| unsure_why(call, fact, verdict));
            Some(self.unsure(&name, fact, doubt))
        });
        if !unsure.is_empty() {
            return (State::Unproven, unsure);
        }
        let extra = grounds(FactState::ExtraRows, &|fact, _| {
            let target = self.texts.target(self.known.targets.get(fact.target));
            let message = format!("{}: {target} has more rows than the answer lists", *name);
            Some((Reason::ExtraRows, message))
        });
        if !extra.is_empty() {
            return (State::Unproven, extra);
        }
        let tells = pairs().any(|(fact, verdict)| {
            verdict.state == FactState::Agrees && self.is_telling(call, id, subject, fact, verdict)
        });
        let overtaken = grounds(FactState::Overtaken, &|_, _| {
            let message = format!("{}: a later read shows that the value changed again", *name);
            Some((Reason::Overtaken, message))
        });
        if !overtaken.is_empty() && !tells {
            return (State::Unproven, overtaken.into_iter().take(1).collect());
        }
        if tells {
            return (State::Proven, Vec::new());
        }
        self.nothing_told(call, id, subject, verdict, &name)
    }

    fn nothing_told(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        verdict: &RowVerdict,
        name: &str,
    ) -> (State, Vec<Ground>) {
        let is_superseded = |verdict: &FactVerdict| verdict.state == FactState::Superseded;
        // what the answer repeats beside it and is still there says nothing against it
        let pairs = || subject.facts.iter().zip(&verdict.facts);
        let is_told = |(fact, verdict): &(&SeenFact, &FactVerdict)| {
            is_superseded(verdict) && self.is_telling(call, id, subject, fact, verdict)
        };
        let mut told = pairs().filter(is_told).peekable();
        let holds =
            |verdict: &FactVerdict| is_superseded(verdict) || verdict.state == FactState::Agrees;
        let is_replaced = told.peek().is_some()
            && told.all(|(fact, _)| self.is_asked_anew(subject, fact))
            && verdict.facts.iter().all(holds);
        let is_gone = !verdict.facts.is_empty() && verdict.facts.iter().all(is_superseded);
        if is_gone || is_replaced {
            let message = "a later write of the log replaced it".to_owned();
            return (State::Superseded, vec![(Reason::Superseded, message)]);
        }
        let table = self.known.model().table(subject.table);
        let is_plain =
            |word: &smol_str::SmolStr| *word == call.tool.verb.word || any_same(word, &table.words);
        let exists = makes(&call.tool, table)
            && call.tool.words.iter().all(is_plain)
            && !self.known.time.was_read_before(subject.row, id)
            && verdict.is_sure
            && subject.facts.is_empty()
            && call.uncompared.is_empty()
            && subject.key_from == KeyFrom::Argument;
        if exists {
            let message = format!("{name} exists; there was nothing else to compare");
            return (State::Proven, vec![(Reason::RowExists, message)]);
        }
        let open = pairs().filter(|(_, verdict)| verdict.state == FactState::NotCompared);
        let open: Vec<String> = open
            .map(|(fact, verdict)| format!("{} ({})", fact.field, verdict.word))
            .collect();
        let agrees = pairs().any(|(_, verdict)| verdict.state == FactState::Agrees);
        let message = if !open.is_empty() {
            format!(
                "{name} exists, but these cannot be compared: {}",
                open.join(", ")
            )
        } else if agrees {
            format!("{name} exists, and what agrees may have been there before the call")
        } else {
            format!("{name} exists, but nothing the call wrote could be compared")
        };
        (State::Unproven, vec![(Reason::NothingCompared, message)])
    }

    /// Whether a fact that agrees shows that the call did something: columns
    /// that an answer merely repeats prove nothing.
    fn is_telling(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
        verdict: &FactVerdict,
    ) -> bool {
        let (table, target) = self.known.targets.get(fact.target);
        let column = match target {
            Target::Column(column) => Some(self.known.model().table(*table).column(*column)),
            Target::Beside { column, .. } => {
                let table = self.texts.target_table(&(*table, target.clone()));
                Some(self.known.model().table(table).column(*column))
            }
            Target::Rows { .. } | Target::List { .. } | Target::Named { .. } => None,
        };
        let is_single = column.is_some();
        let is_key_like =
            matches!(target, Target::Column(_)) && column.is_some_and(|column| column.is_key_like);
        let is_answer = fact.from == From::Result;
        let is_new = || {
            (call.tool.relative.is_some() && fact.value().is_some_and(Value::is_number))
                || (is_answer && subject.key_from == KeyFrom::Result && !is_key_like)
                || column.is_some_and(|column| column.name.is_state())
                || (is_answer && fact.repeats_argument)
        };
        let of_row = self.known.model().table(subject.table);
        let is_unique = matches!(target, Target::Column(column) if of_row.keys.iter().flatten().any(|key| key == column));
        // what only says which row is meant was there before
        let is_given = || match call.class {
            Class::Unknown if subject.key_from == KeyFrom::Result => {
                let given = subject.facts.iter();
                given.filter(|fact| fact.from == From::Argument).count() > 1
            }
            Class::Unknown => !is_key_like && !is_unique,
            _ if makes(&call.tool, of_row) => !self.known.time.was_read_before(subject.row, id),
            _ => sets(&call.tool, of_row, subject.key_from),
        };
        let is_claim = fact.from == From::Contract
            || fact.asked.is_some()
            || fact.before.is_some()
            || (fact.from == From::Argument && is_given());
        let weighs =
            verdict.is_firm || !is_single || fact.value().is_some_and(|value| !value.is_trivial());
        (is_claim || is_new()) && weighs
    }

    fn mismatch(&self, name: &str, fact: &SeenFact) -> Ground {
        let target = self.known.targets.get(fact.target);
        let what = self.texts.target(target);
        if let crate::plan::Claim::Value(_) = &fact.claim {
            let (found, claimed) = (self.texts.found(fact), self.texts.claimed(fact, target));
            (
                Reason::ValueMismatch,
                format!("{name}: {what} is {found}, claimed {claimed}"),
            )
        } else {
            let missing = self.texts.missing(fact, target);
            (
                Reason::ChildRowsAbsent,
                format!("{name}: {what} lacks {missing}"),
            )
        }
    }

    fn unsure(&self, name: &str, fact: &SeenFact, doubt: &str) -> Ground {
        let (_, message) = self.mismatch(name, fact);
        (Reason::ValueUnsure, format!("{message}; {doubt}"))
    }

    fn asked(&self, name: &str, fact: &SeenFact) -> Ground {
        let what = self.texts.target(self.known.targets.get(fact.target));
        let asked = fact.asked.as_ref().map(|asked| self.texts.value(&asked.0));
        let message = format!(
            "{name}: {what} is {} as the answer says, asked for was {}",
            self.texts.found(fact),
            asked.unwrap_or_default()
        );
        (Reason::AskedNotDone, message)
    }
}

/// Why a difference is not certain, where nothing about the row is in doubt.
fn unsure_why(call: &SeenCall, fact: &SeenFact, verdict: &FactVerdict) -> &'static str {
    if verdict.word == NULL {
        "nothing may stand for what is unchanged"
    } else if fact.from == From::Argument && call.tool.relative.is_some() {
        "the tool may add what it is given"
    } else if fact.from == From::Argument && fact.is_firm {
        "what the tool is given may not be what the row holds afterwards"
    } else {
        "it is not certain that this column is meant"
    }
}

/// Whether a call itself brings a fact about, and its answer does not merely
/// show it beside others.
fn is_own(call: &SeenCall, fact: &SeenFact, column: &Name) -> bool {
    let is_number = || fact.value().is_some_and(Value::is_number);
    fact.from != From::Result
        || fact.asked.is_some()
        || fact.before.is_some()
        || fact.repeats_argument
        || (column.is_state() && !call.tool.verb.creates())
        || (call.tool.relative.is_some() && is_number())
        || speaks_of(&call.tool, column)
}

/// Whether the name of a tool speaks of a column: `lock_user` of `locked_at`,
/// `enable_roaming` of `roaming_enabled`.
fn speaks_of(tool: &Tool, column: &Name) -> bool {
    let is_stem = |word: &smol_str::SmolStr, other: &smol_str::SmolStr| {
        let stem = word.strip_suffix('e').unwrap_or(word);
        stem.len() >= 4 && other.starts_with(stem)
    };
    tool.words
        .iter()
        .any(|word| column.words.iter().any(|other| is_stem(word, other)))
}

fn is_moment(fact: &SeenFact) -> bool {
    matches!(fact.value(), Some(Value::Text(text)) if Moment::parse(text).is_some())
}

/// Whether the last part of a field's path names a state.
pub(crate) fn is_state_field(field: &str) -> bool {
    Name::new(field).is_state()
}
