//! What becomes of one fact of a row that is there.

use std::borrow::Cow;

use crosscheck_core::rules::Rule;

use super::{Bench, FactState, FactVerdict, RowVerdict, doubt, is_state_field};
use crate::compare::value::Value;
use crate::compare::{CASE, Comparison, NULL, compare, is_part, shown};
use crate::fact::{Fact, Found, Subject};
use crate::judge::seen::SeenCall;
use crate::judge::time::{CallId, Deed, Place};
use crate::observe::Cell;
use crate::plan::classify::Class;
use crate::plan::means::sets;
use crate::plan::model::TableModel;
use crate::plan::{From, KeyFrom, TableId, Target, Tool};

const ECHO: Rule = Rule::new("rows.echo", "an answer that repeats a number says no more");

/// Said of facts whose column means something else.
const MISREAD: &str = "reads of other rows disagree with this column";
/// Said where a unique argument is not that of the row.
const ANOTHER: &str = "the call names another row than its answer";
pub(crate) const OUTCOME: &str = "outcome word";
/// Said of a version that the row should have had before.
pub(crate) const CONDITION: &str = "a condition";

/// Whether an argument says just what the tool does: `close_tickets(ids,
/// status: "closed")`.
fn is_what_is_done(tool: &Tool, table: &TableModel, fact: &Fact) -> bool {
    let said = fact.value().map(Value::plain).unwrap_or_default();
    let state = tool.promise(table).state.as_ref();
    state.is_some_and(|state| said.eq_ignore_ascii_case(state)) && is_state_field(&fact.field)
}

impl Bench<'_> {
    /// The row is there: fact by fact.
    pub(super) fn row(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        mut verdict: RowVerdict,
    ) -> RowVerdict {
        let mut doubt = (!verdict.is_sure).then(|| doubt(call, subject));
        let row = Place::Row(subject.row);
        if let Some(later) = self.known.time.since(row, Deed::Deletes, id) {
            doubt = Some(format!("{} deleted the row", self.later(later)));
        }
        verdict.facts = subject
            .facts
            .iter()
            .map(|fact| self.fact(call, id, subject, fact))
            .collect();
        let differs = |verdict: &FactVerdict| verdict.state == FactState::Differs;
        let mut pairs = subject.facts.iter().zip(&verdict.facts);
        if pairs.any(|(fact, verdict)| differs(verdict) && self.names_another(call, subject, fact))
        {
            doubt = doubt.or_else(|| Some(ANOTHER.to_owned()));
        }
        let mut elsewhere = None;
        for (fact, verdict) in subject.facts.iter().zip(&mut verdict.facts) {
            if differs(verdict)
                && let Some((later, how)) = self.changed_elsewhere(call, id, subject, fact)
            {
                verdict.is_firm = false;
                elsewhere = Some(format!("{} {how}", self.later(later)));
            }
        }
        let is_firm = |verdict: &FactVerdict| verdict.is_firm && differs(verdict);
        if !verdict.facts.iter().any(is_firm) {
            doubt = doubt.or(elsewhere);
        }
        verdict.is_sure = doubt.is_none();
        let (state, grounds) = self.sum_up(call, id, subject, &verdict, doubt.as_deref());
        verdict.state = state;
        verdict.grounds = grounds;
        verdict
    }

    /// Whether an argument that differs is the key of another row than that of
    /// the answer, whose id may be something else.
    fn names_another(&self, call: &SeenCall, subject: &Subject, fact: &Fact) -> bool {
        let (table, target) = self.known.targets.get(fact.target);
        let mut keys = self.known.model().table(*table).keys.iter().flatten();
        subject.key_from == KeyFrom::Result
            && fact.from == From::Argument
            && !call.tool.verb.creates
            && keys.any(|key| *target == Target::Column(*key))
    }

    /// What becomes of one fact.
    pub(super) fn fact(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        fact: &Fact,
    ) -> FactVerdict {
        let mut verdict = FactVerdict {
            state: fact.look,
            is_firm: fact.is_firm,
            word: fact.word,
        };
        let owners = self.known.time.owners(subject.row, fact.target);
        let is_other = fact.is_outcome && fact.look == FactState::Differs;
        let is_replaced = if is_other {
            // the state that a tool brings about may be followed by another one
            fact.from == From::Tool && owners.iter().any(|owner| *owner > id)
        } else {
            // what could not be compared has no owner, unless a later call wrote it
            let is_owned =
                fact.look != FactState::NotCompared || owners.iter().any(|owner| *owner > id);
            is_owned && !owners.contains(&id)
                || (fact.look == FactState::Differs
                    && self.another_agrees(id, subject, fact, &owners))
        };
        if is_replaced {
            verdict.state = FactState::Superseded;
            return verdict;
        }
        if is_other {
            let is_given = fact.from == From::Argument;
            let word = if is_given { CONDITION } else { OUTCOME };
            (verdict.state, verdict.word) = (FactState::NotCompared, word);
            return verdict;
        }
        let target = self.known.targets.get(fact.target);
        let is_column = matches!(target.1, Target::Column(_));
        if verdict.state == FactState::NotCompared && is_column && self.is_still_the_old_value(fact)
        {
            (verdict.state, verdict.word) = (FactState::Differs, "still the value from before");
        }
        if let Some(asked) = &fact.asked {
            match (self.compared(fact, target, &asked.0), verdict.state) {
                (Some((Comparison::Equal(_), _)), _) => verdict.state = FactState::Agrees,
                (Some((Comparison::Different(_), _)), FactState::Agrees) => {
                    verdict.state = FactState::AskedNotDone;
                }
                // what was asked for is only partly there
                (Some((said, true)), FactState::Agrees) => {
                    (verdict.state, verdict.word) = (FactState::NotCompared, said.word());
                }
                _ => {}
            }
        }
        // of a change of case alone nobody knows whether it was made; states are written in any
        let is_case = verdict.state == FactState::Agrees
            && fact.word == CASE
            && fact.from == From::Argument
            && !call.tool.verb.creates;
        if is_case && !is_state_field(&fact.field) {
            verdict.state = FactState::NotCompared;
        }
        if !fact.from.is_literal() {
            self.temper(subject, fact, target, &mut verdict);
            let table = self.known.model().table(subject.table);
            let is_given = fact.from == From::Argument || self.is_echo(call, fact);
            let is_meant = !is_given
                || call.class == Class::Unknown
                || sets(&call.tool, table, subject.key_from)
                || is_what_is_done(&call.tool, table, fact);
            verdict.is_firm &= is_meant;
        }
        verdict
    }

    /// Whether an answer only repeats what the call was given, so that it says
    /// no more than the argument: `log_hours(hours)` answers with the hours
    /// that it added to those of the row.
    pub(super) fn is_echo(&self, call: &SeenCall, fact: &Fact) -> bool {
        let may_be_a_part = call.tool.verb.creates || fact.value().is_some_and(Value::is_number);
        ECHO.is_on()
            && fact.from == From::Result
            && fact.repeats_argument
            && may_be_a_part
            && !self.is_still_the_old_value(fact)
    }

    /// What keeps a difference from being one, apart from a contract.
    pub(super) fn temper(
        &self,
        subject: &Subject,
        fact: &Fact,
        target: &(TableId, Target),
        verdict: &mut FactVerdict,
    ) {
        if self.known.misread.contains(&fact.target) {
            (verdict.state, verdict.word) = (FactState::NotCompared, MISREAD);
        }
        if verdict.state != FactState::Differs {
            return;
        }
        if verdict.word == NULL && !self.is_still_the_old_value(fact) {
            verdict.is_firm = false;
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
        subject: &Subject,
        fact: &Fact,
        owners: &[CallId],
    ) -> bool {
        let mut others = owners.iter().filter(|owner| **owner != id);
        let has_written = |fact: &Fact| fact.look == FactState::Agrees && fact.is_written();
        others.any(|other| self.says(*other, subject, fact, has_written))
    }

    /// Whether a call says such a thing about the same row and column.
    pub(super) fn says(
        &self,
        call: CallId,
        subject: &Subject,
        fact: &Fact,
        is_such: impl Fn(&Fact) -> bool,
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
    pub(in crate::judge) fn is_there(&self, subject: &Subject, fact: &Fact) -> bool {
        let owners = self.known.time.owners(subject.row, fact.target);
        let agrees = |fact: &Fact| matches!(fact.look, FactState::Agrees | FactState::ExtraRows);
        let mut owners = owners.into_iter();
        owners.any(|owner| self.says(owner, subject, fact, agrees))
    }

    /// Whether those who wrote a fact last were asked to: an answer that
    /// shows another value may only show that the write before was a lie.
    pub(super) fn is_asked_anew(&self, subject: &Subject, fact: &Fact) -> bool {
        let owners = self.known.time.owners(subject.row, fact.target);
        let asks = |fact: &Fact| match fact.from {
            From::Result => fact.asked.is_some(),
            From::Contract | From::Shown => fact.is_written(),
            _ => true,
        };
        owners
            .into_iter()
            .any(|owner| self.says(owner, subject, fact, asks))
    }

    /// Whether a column still holds just the text that the log showed before.
    pub(super) fn is_still_the_old_value(&self, fact: &Fact) -> bool {
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
    pub(super) fn holds(&self, fact: &Fact, target: &(TableId, Target), value: &Value) -> bool {
        let compared = self.compared(fact, target, value);
        compared.is_some_and(|(said, _)| said.is_equal())
    }

    /// What the column of a fact holds beside another value, and whether that
    /// is only a part of it.
    pub(super) fn compared(
        &self,
        fact: &Fact,
        (table, target): &(TableId, Target),
        value: &Value,
    ) -> Option<(Comparison, bool)> {
        let Target::Column(column) = target else {
            return Some((Comparison::Different(""), false));
        };
        let table = self.known.model().table(*table);
        let sides = crate::judge::children::sides(table, *column, "", From::Argument);
        let held = match &fact.found {
            Found::Cell(cell) => Cow::Borrowed(&**cell),
            Found::Same => Cow::Owned(crate::compare::cell(fact.value()?)),
            _ => return None,
        };
        let said = compare(value, &held, sides);
        Some((said, is_part(said, value, &held)))
    }
}
