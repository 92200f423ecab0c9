//! What we make of one row of a call (rows 10.4).

mod fact;

use std::cell::LazyCell;

use super::like::Likeness;
use super::seen::{Found, Look, Mark, RowSeen, SeenCall, SeenFact, SeenSubject};
use super::texts::Texts;
use super::time::CallId;
use crate::compare::value::Print;
use crate::observe::{Cell, Hides, Holds};
use crate::plan::classify::Class;
use crate::plan::names::{Name, any_same};
use crate::plan::{KeyFrom, Looked, TableId, Target};
use crate::reasons::CallReason as Reason;
use crate::run::Known;
use crate::run::order::claim_name;

pub(crate) use fact::OUTCOME;

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
                self.by_values(subject, *rows, *is_whole, &name())
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
        subject.is_sure && (!is_late || subject.key_from == KeyFrom::Contract)
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
            self.absence_doubt(id, subject)
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
    fn absence_doubt(&self, id: CallId, subject: &SeenSubject) -> Option<String> {
        let time = &self.known.time;
        let table = self.known.model().table(subject.table);
        if let Some(later) = time.removed_after(subject.table, &self.key_prints(subject), id) {
            return Some(format!("{} may have deleted it", self.later(later)));
        }
        if let Some((parent, later)) = self.parent_deleted(subject.table, id) {
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
    /// the row along.
    fn parent_deleted(&self, table: TableId, id: CallId) -> Option<(TableId, CallId)> {
        let model = self.known.model();
        let emptied = self.known.time.emptied_after(id);
        let parents = emptied.filter(|(parent, _)| model.hangs_on(table, *parent));
        parents.max_by_key(|(_, later)| *later)
    }

    /// A later call that may have changed what a fact is about, although it
    /// was about another row: a row of the child table, or the row that a
    /// foreign key pointed to.
    fn changed_elsewhere(
        &self,
        id: CallId,
        subject: &SeenSubject,
        fact: &SeenFact,
    ) -> Option<CallId> {
        let target = self.known.targets.get(fact.target);
        if let Target::Column(column) = target.1 {
            let column = self.known.model().table(subject.table).column(column);
            let is_empty = matches!(&fact.found, Found::Cell(cell) if matches!(**cell, Cell::Null));
            let parent = || self.parent_deleted(subject.table, id);
            return (column.is_foreign && is_empty)
                .then(parent)?
                .map(|(_, later)| later);
        }
        let child = self.texts.target_table(target);
        let deleted = || self.parent_deleted(child, id).map(|(_, later)| later);
        self.known.time.touched_after(child, id).or_else(deleted)
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
            .map(|fact| self.fact(id, subject, fact))
            .collect();
        let differs = |verdict: &FactVerdict| verdict.state == FactState::Differs;
        let mut elsewhere = None;
        for (fact, verdict) in subject.facts.iter().zip(&mut verdict.facts) {
            if verdict.is_firm
                && differs(verdict)
                && let Some(later) = self.changed_elsewhere(id, subject, fact)
            {
                verdict.is_firm = false;
                elsewhere = Some(later);
            }
        }
        let is_firm = |verdict: &FactVerdict| verdict.is_firm && differs(verdict);
        if let Some(later) = elsewhere.filter(|_| !verdict.facts.iter().any(is_firm)) {
            doubt = doubt.or_else(|| Some(format!("{} may have changed it", self.later(later))));
        }
        if doubt.is_none()
            && verdict.facts.iter().any(differs)
            && let Some(later) = self.blind(subject, id)
        {
            doubt = Some(format!("{} may have changed it", self.later(later)));
        }
        verdict.is_sure = doubt.is_none();
        let (state, grounds) = self.sum_up(call, subject, &verdict, doubt.as_deref());
        verdict.state = state;
        verdict.grounds = grounds;
        verdict
    }
}

impl Bench<'_> {
    /// The first rule that fits decides.
    fn sum_up(
        &self,
        call: &SeenCall,
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
        let doubt = doubt.unwrap_or("the name of the column is only similar");
        let unsure = grounds(FactState::Differs, &|fact, _| {
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
            verdict.state == FactState::Agrees && self.is_telling(call, subject, fact, verdict)
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
        self.nothing_told(call, subject, verdict, &name)
    }

    fn nothing_told(
        &self,
        call: &SeenCall,
        subject: &SeenSubject,
        verdict: &RowVerdict,
        name: &str,
    ) -> (State, Vec<Ground>) {
        let is_superseded = |verdict: &FactVerdict| verdict.state == FactState::Superseded;
        // what the answer repeats beside it and is still there says nothing against it
        let pairs = || subject.facts.iter().zip(&verdict.facts);
        let is_told = |(fact, verdict): &(&SeenFact, &FactVerdict)| {
            is_superseded(verdict) && self.is_telling(call, subject, fact, verdict)
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
        let words = &self.known.model().table(subject.table).words;
        let is_plain =
            |word: &smol_str::SmolStr| *word == call.tool.verb.word || any_same(word, words);
        let exists = call.tool.verb.creates()
            && call.tool.words.iter().all(is_plain)
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
}

/// Whether the last part of a field's path names a state.
pub(crate) fn is_state_field(field: &str) -> bool {
    Name::new(field).is_state()
}
