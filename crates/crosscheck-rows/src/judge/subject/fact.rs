//! What becomes of one fact of a row that is there, and how it is told.

use super::{Bench, FactState, FactVerdict, Ground};
use crate::compare::value::Value;
use crate::compare::{NULL, Sides, compare};
use crate::judge::children::sides;
use crate::judge::seen::{Found, Look, SeenCall, SeenFact, SeenSubject};
use crate::judge::time::CallId;
use crate::observe::Cell;
use crate::plan::{Claim, From, KeyFrom, TableId, Target};
use crate::reasons::CallReason as Reason;

/// Said of facts whose column means something else.
const AGAINST: &str = "reads of other rows disagree with this column";
pub(crate) const OUTCOME: &str = "outcome word";

impl Bench<'_> {
    /// What becomes of one fact.
    pub(super) fn fact(&self, id: CallId, subject: &SeenSubject, fact: &SeenFact) -> FactVerdict {
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
            verdict.state = match (self.holds(fact, target, &asked.0), verdict.state) {
                (true, _) => FactState::Agrees,
                (false, FactState::Agrees) => FactState::AskedNotDone,
                (false, state) => state,
            };
        }
        if fact.from != From::Contract {
            self.temper(subject, fact, target, &mut verdict);
        }
        verdict
    }

    /// What keeps a difference from being one, apart from a contract.
    pub(super) fn temper(
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
        if verdict.word == NULL {
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
    pub(super) fn another_agrees(
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
    pub(super) fn says(
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

    /// Whether those who wrote a fact last were asked to: an answer that
    /// shows another value may only show that the write before was a lie.
    pub(super) fn is_asked_anew(&self, subject: &SeenSubject, fact: &SeenFact) -> bool {
        let owners = self.known.time.owners(subject.row, fact.target);
        let asks = |fact: &SeenFact| fact.from != From::Result || fact.asked.is_some();
        owners
            .into_iter()
            .any(|owner| self.says(owner, subject, fact, asks))
    }

    /// Whether a column still holds just the text that the log showed before.
    pub(super) fn is_still_the_old_value(&self, fact: &SeenFact) -> bool {
        let Some(before) = fact.before else {
            return false;
        };
        match &fact.found {
            Found::Cell(cell) => match &**cell {
                Cell::Text(text) => self.known.prints.of(&Value::Text(text.clone())) == before,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the column of a fact holds another value.
    pub(super) fn holds(
        &self,
        fact: &SeenFact,
        (table, target): &(TableId, Target),
        value: &Value,
    ) -> bool {
        let Target::Column(column) = target else {
            return false;
        };
        let sides = Sides {
            literally: false,
            ..sides(
                self.known.model().table(*table),
                *column,
                "",
                From::Argument,
            )
        };
        match &fact.found {
            Found::Cell(cell) => compare(value, cell, sides).is_equal(),
            Found::Same => fact
                .value()
                .is_some_and(|held| held.canonical() == value.canonical()),
            _ => false,
        }
    }

    /// Whether a fact that agrees shows that the call did something: columns
    /// that an answer merely repeats prove nothing.
    pub(super) fn is_telling(
        &self,
        call: &SeenCall,
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
        let is_new = || {
            (call.tool.relative.is_some() && fact.value().is_some_and(Value::is_number))
                || (subject.key_from == KeyFrom::Result && !is_key_like)
                || column.is_some_and(|column| column.name.is_state())
                || fact.repeats_argument
        };
        let is_claim = fact.from != From::Result || fact.asked.is_some() || fact.before.is_some();
        let weighs =
            verdict.is_firm || !is_single || fact.value().is_some_and(|value| !value.is_trivial());
        (is_claim || is_new()) && weighs
    }

    pub(super) fn mismatch(&self, name: &str, fact: &SeenFact) -> Ground {
        let target = self.known.targets.get(fact.target);
        let what = self.texts.target(target);
        if let Claim::Value(_) = &fact.claim {
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

    pub(super) fn unsure(&self, name: &str, fact: &SeenFact, doubt: &str) -> Ground {
        let (_, message) = self.mismatch(name, fact);
        (Reason::ValueUnsure, format!("{message}; {doubt}"))
    }

    pub(super) fn asked(&self, name: &str, fact: &SeenFact) -> Ground {
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
