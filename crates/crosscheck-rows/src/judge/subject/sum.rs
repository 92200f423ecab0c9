//! What the facts of a row come to, and how it is reported.

use std::cell::LazyCell;

use crosscheck_core::rules::Rule;

use super::fact::CONDITION;
use super::{Bench, FactState, FactVerdict, Ground, RowVerdict, State};
use crate::compare::NULL;
use crate::compare::moment::Moment;
use crate::compare::value::Value;
use crate::fact::{Fact, Found, Subject};
use crate::judge::seen::SeenCall;
use crate::judge::time::CallId;
use crate::plan::classify::Class;
use crate::plan::means::{is_delta, makes, sets};
use crate::plan::names::{Name, any_same};
use crate::plan::{From, KeyFrom, Target};
use crate::reasons::CallReason as Reason;

const REPLACED: Rule = Rule::new(
    "rows.replaced",
    "what was asked for anew supersedes the whole call",
);

impl Bench<'_> {
    /// The first rule that fits decides.
    pub(super) fn sum_up(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        verdict: &RowVerdict,
        doubt: Option<&str>,
    ) -> (State, Vec<Ground>) {
        // most rows agree, and are never listed by name
        let name = LazyCell::new(|| self.texts.row(subject));
        let pairs = || subject.facts.iter().zip(&verdict.facts);
        let grounds = |state: FactState, made: &dyn Fn(&Fact, &FactVerdict) -> Option<Ground>| {
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
            matches!(fact.found, Found::Failed(_)) && verdict.state != FactState::Superseded
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
        self.without_facts(call, id, subject, verdict, &name)
    }

    pub(super) fn without_facts(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        verdict: &RowVerdict,
        name: &str,
    ) -> (State, Vec<Ground>) {
        // what is only a condition is never replaced, and says nothing
        let is_superseded = |verdict: &FactVerdict| {
            verdict.state == FactState::Superseded || verdict.word == CONDITION
        };
        // what the answer repeats beside it and is still there says nothing against it
        let pairs = || subject.facts.iter().zip(&verdict.facts);
        let is_stated = |(fact, verdict): &(&Fact, &FactVerdict)| {
            is_superseded(verdict) && self.is_telling(call, id, subject, fact, verdict)
        };
        let mut listed = pairs().filter(is_stated).peekable();
        let holds =
            |verdict: &FactVerdict| is_superseded(verdict) || verdict.state == FactState::Agrees;
        let is_replaced = REPLACED.is_on()
            && listed.peek().is_some()
            && listed.all(|(fact, _)| self.is_asked_anew(subject, fact))
            && verdict.facts.iter().all(holds);
        let is_gone = !verdict.facts.is_empty() && verdict.facts.iter().all(is_superseded);
        if is_gone || is_replaced {
            let message = self.replaced(subject, verdict, name);
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
        let listed = |(fact, verdict): (&Fact, &FactVerdict)| {
            if fact.from != From::Tool {
                return format!("{} cannot be compared ({})", fact.field, verdict.word);
            }
            let target = self.known.targets.get(fact.target);
            let (found, claimed) = (self.texts.found(fact), self.texts.claimed(fact, target));
            let what = self.texts.target(target);
            format!("{what} is {found}, which does not say {claimed}")
        };
        let open: Vec<String> = open.map(listed).collect();
        let agrees = pairs().any(|(_, verdict)| verdict.state == FactState::Agrees);
        let message = if !open.is_empty() {
            format!("{name} exists, but nothing agrees: {}", open.join(", "))
        } else if agrees {
            format!("{name} exists, and what agrees may have been there before the call")
        } else {
            format!("{name} exists, but nothing the call wrote could be compared")
        };
        (State::Unproven, vec![(Reason::NothingCompared, message)])
    }

    /// Which later calls wrote what this one had written.
    fn replaced(&self, subject: &Subject, verdict: &RowVerdict, name: &str) -> String {
        let mut listed: Vec<(Option<CallId>, String)> = Vec::new();
        for (fact, verdict) in subject.facts.iter().zip(&verdict.facts) {
            if verdict.state != FactState::Superseded {
                continue;
            }
            let owners = self.known.time.owners(subject.row, fact.target);
            let last = owners.into_iter().max();
            let what = self.texts.target(self.known.targets.get(fact.target));
            match listed.iter_mut().find(|(by, _)| *by == last) {
                Some((_, columns)) => {
                    columns.push_str(", ");
                    columns.push_str(&what);
                }
                None => listed.push((last, what)),
            }
        }
        let by = |(by, columns): &(Option<CallId>, String)| {
            let by = by.map_or_else(|| "a later call".to_owned(), |by| self.later(by));
            format!("{by} wrote {columns} again")
        };
        let listed: Vec<String> = listed.iter().map(by).collect();
        format!("{name}: {}", listed.join("; "))
    }

    /// Whether a fact that agrees shows that the call did something: columns
    /// that an answer merely repeats prove nothing.
    pub(crate) fn is_telling(
        &self,
        call: &SeenCall,
        id: CallId,
        subject: &Subject,
        fact: &Fact,
        verdict: &FactVerdict,
    ) -> bool {
        if fact.from == From::Shown {
            return false;
        }
        let (table, target) = self.known.targets.get(fact.target);
        let is_single = matches!(target, Target::Column(_) | Target::Beside { .. });
        let model = self.known.model();
        let of_target = model.table(target.table(*table, model));
        let column = target.column().filter(|_| is_single);
        let column = column.map(|column| of_target.column(column));
        let is_key_like =
            matches!(target, Target::Column(_)) && column.is_some_and(|column| column.is_key_like);
        let is_answer = fact.from == From::Result;
        let is_brought_about = || {
            let table = self.known.model().table(subject.table);
            let words = column.map(|column| &column.name.words);
            let state = call.tool.promise(table).state.as_ref();
            state
                .zip(words)
                .is_some_and(|(state, words)| words.contains(state))
        };
        let of_row = self.known.model().table(subject.table);
        let is_number = || fact.value().is_some_and(Value::is_number);
        let is_change = fact.from == From::Argument
            && is_number()
            && column
                .is_some_and(|column| is_delta(&call.tool, of_row, subject.key_from, &column.name));
        // a row that the call only found was there before: `lock_plan(date)`
        let is_found = subject.key_from == KeyFrom::Result
            && !call.tool.verb.creates
            && !sets(&call.tool, of_row, subject.key_from)
            && call.tool.is_about(of_row);
        let is_told = || {
            let is_new_row = subject.key_from == KeyFrom::Result && !is_key_like;
            !is_found && (is_new_row || fact.repeats_argument)
        };
        let is_new = || {
            (is_answer && call.tool.relative.is_some() && is_number())
                || column.is_some_and(|column| column.name.is_state)
                || (is_answer && (is_told() || is_brought_about()))
                || fact.from == From::Tool
        };
        let is_unique = matches!(target, Target::Column(column) if of_row.keys.iter().flatten().any(|key| key == column));
        // what only says which row is meant was there before
        let is_given = || match call.class {
            Class::Unknown if subject.key_from == KeyFrom::Result => {
                let given = subject.facts.iter();
                given.filter(|fact| fact.from == From::Argument).count() > 1
            }
            Class::Unknown => !is_key_like && !is_unique,
            _ if makes(&call.tool, of_row) => !self.known.time.was_read_before(subject.row, id),
            _ if is_unique && subject.key_from == KeyFrom::Result => call.tool.verb.creates,
            _ => sets(&call.tool, of_row, subject.key_from),
        };
        let is_claim = fact.from.is_literal()
            || fact.asked.is_some()
            || fact.before.is_some()
            || (fact.from == From::Argument && !is_change && is_given());
        let weighs = verdict.is_firm
            || !is_single
            || fact.from == From::Tool
            || fact.value().is_some_and(|value| !value.is_trivial());
        (is_claim || (!is_change && is_new())) && weighs
    }

    pub(super) fn mismatch(&self, name: &str, fact: &Fact) -> Ground {
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

    pub(super) fn unsure(&self, name: &str, fact: &Fact, doubt: &str) -> Ground {
        let (_, message) = self.mismatch(name, fact);
        (Reason::ValueUnsure, format!("{message}; {doubt}"))
    }

    pub(super) fn asked(&self, name: &str, fact: &Fact) -> Ground {
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
fn unsure_why(call: &SeenCall, fact: &Fact, verdict: &FactVerdict) -> &'static str {
    if verdict.word == NULL {
        "nothing may stand for what is unchanged"
    } else if fact.from == From::Argument && call.tool.relative.is_some() {
        "the tool may add what it is given"
    } else if (fact.from == From::Argument || fact.repeats_argument) && fact.is_firm {
        "what the tool is given may not be what the row holds afterwards"
    } else {
        "it is not certain that this column is meant"
    }
}

/// Whether a call itself brings a fact about, and its answer does not merely
/// show it beside others.
pub(super) fn is_own(call: &SeenCall, fact: &Fact, column: &Name) -> bool {
    let is_number = || fact.value().is_some_and(Value::is_number);
    fact.from != From::Result
        || fact.asked.is_some()
        || fact.before.is_some()
        || fact.repeats_argument
        || (column.is_state && !call.tool.verb.creates)
        || (call.tool.relative.is_some() && is_number())
}

pub(super) fn is_moment(fact: &Fact) -> bool {
    matches!(fact.value(), Some(Value::Text(text)) if Moment::parse(text).is_some())
}

/// Whether the last part of a field's path names a state.
pub(crate) fn is_state_field(field: &str) -> bool {
    Name::new(field).is_state
}
