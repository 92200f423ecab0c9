//! What we make of a call (rows 10.5), and of calls that later ones replaced.

use std::borrow::Cow;
use std::collections::HashSet;

use super::seen::SeenCall;
use super::subject::{
    Bench, CONDITION, FactState, FactVerdict, Ground, OUTCOME, RowVerdict, State, is_state_field,
};
use super::time::{CallId, Deed, Place};
use crate::compare::leaves_open;
use crate::compare::value::{Value, Values};
use crate::fact::{Fact, Subject};
use crate::plan::by_contract::covers;
use crate::plan::{Claim, From, KeyFrom, Target};
use crate::reasons::CallReason as Reason;

/// The verdict about a call.
#[derive(Debug, Clone)]
pub(crate) struct CallVerdict {
    pub(crate) state: State,
    pub(crate) grounds: Box<[Ground]>,
    pub(crate) rows: Box<[RowVerdict]>,
    /// What was said and not compared.
    pub(crate) uncompared: Box<[String]>,
}

impl Bench<'_> {
    /// How every call ended, in their order, and the verdicts of the first so
    /// many. Others are made again when they are shown: kept, they would be most
    /// of the memory of a run.
    pub(crate) fn states(&self, most: usize) -> (Vec<State>, Vec<CallVerdict>) {
        let mut verdicts = Vec::new();
        let mut states = Vec::with_capacity(self.known.calls.len());
        for (id, call) in (0..).map(CallId).zip(self.known.calls.iter()) {
            let verdict = self.call(id, &call);
            states.push(verdict.state);
            if verdicts.len() < most {
                verdicts.push(verdict);
            }
        }
        // the last first: what replaced a call may itself have been replaced
        for at in (0..states.len()).rev() {
            let id = CallId(u32::try_from(at).unwrap_or(u32::MAX));
            let is_open = |later: CallId| {
                let later = states.get(later.0 as usize);
                matches!(later, Some(State::Refuted | State::Unproven))
            };
            if states.get(at) == Some(&State::Superseded)
                && self.replacing(id).into_iter().any(is_open)
                && let Some(state) = states.get_mut(at)
            {
                *state = State::Unproven;
            }
        }
        (states, verdicts)
    }

    /// The verdict about a call that ended so, if it has to be made again.
    pub(crate) fn verdict<'v>(
        &self,
        id: CallId,
        call: &SeenCall,
        state: State,
        known: Option<Cow<'v, CallVerdict>>,
    ) -> Cow<'v, CallVerdict> {
        let verdict = known.unwrap_or_else(|| Cow::Owned(self.call(id, call)));
        if verdict.state == state {
            return verdict;
        }
        let mut later = self.replacing(id);
        later.sort_unstable();
        later.dedup();
        let later: Vec<String> = later.into_iter().map(|later| self.later(later)).collect();
        let message = format!(
            "replaced by {}, and not all of that is proven",
            later.join(", ")
        );
        Cow::Owned(CallVerdict {
            state,
            grounds: Box::new([(Reason::Superseded, message)]),
            ..verdict.into_owned()
        })
    }

    fn call(&self, id: CallId, call: &SeenCall) -> CallVerdict {
        if let Some(reason) = &call.reason {
            return CallVerdict {
                state: State::Unproven,
                grounds: Box::new([(reason.0, reason.1.clone())]),
                rows: Box::default(),
                uncompared: Box::default(),
            };
        }
        let rows: Vec<RowVerdict> = call
            .subjects
            .iter()
            .map(|subject| self.subject(call, id, subject))
            .collect();
        let mut state = rows
            .iter()
            .map(|row| row.state)
            .min()
            .unwrap_or(State::Unproven);
        let mut grounds: Vec<Ground> = Vec::new();
        let mut listed: HashSet<&Ground, foldhash::fast::RandomState> = HashSet::default();
        for ground in rows.iter().flat_map(|row| &row.grounds) {
            if listed.insert(ground) {
                grounds.push(ground.clone());
            }
        }
        let mut uncompared = self.uncompared(call, &rows);
        if state == State::Proven {
            uncompared.extend(self.replaced_by_nothing(call, &rows));
            uncompared.sort_unstable();
            uncompared.dedup();
        }
        // the person who confirmed an entry decided what matters
        let rule = self.known.planner.contract.rule(&call.tool.name);
        let is_decided = rule.is_some_and(|rule| rule.confirmed)
            && call
                .subjects
                .iter()
                .any(|subject| subject.key_from == KeyFrom::Contract);
        let is_open = match state {
            State::Proven | State::Superseded => !uncompared.is_empty(),
            State::Refuted | State::Unproven => false,
        };
        let is_left = |name: &String| rule.is_some_and(|rule| rule.leaves_open(name));
        if is_open && (!is_decided || uncompared.iter().any(is_left)) {
            if state == State::Superseded {
                grounds.clear();
            }
            state = State::Unproven;
            grounds.push((
                Reason::PartlyCompared,
                format!("not compared: {}", uncompared.join(", ")),
            ));
        }
        CallVerdict {
            state,
            grounds: grounds.into(),
            rows: rows.into(),
            uncompared: uncompared.into(),
        }
    }

    /// What a call was asked to write and a later one replaced by something
    /// that is not there, either.
    fn replaced_by_nothing(&self, call: &SeenCall, rows: &[RowVerdict]) -> Vec<String> {
        let pairs = call.subjects.iter().zip(rows);
        let facts = pairs.flat_map(|(subject, row)| {
            let facts = subject.facts.iter().zip(&row.facts);
            facts.map(move |(fact, verdict)| (subject, fact, verdict))
        });
        let is_open = |(subject, fact, verdict): &(&Subject, &Fact, &FactVerdict)| {
            verdict.state == FactState::Superseded
                && (fact.from == From::Argument || fact.asked.is_some())
                && fact.look != FactState::Agrees
                && !self.is_there(subject, fact)
        };
        let open = facts.filter(is_open);
        open.map(|(_, fact, _)| fact.field.to_string()).collect()
    }

    /// What a call said and nothing was compared with, by its names.
    fn uncompared(&self, call: &SeenCall, rows: &[RowVerdict]) -> Vec<String> {
        let facts = || {
            let pairs = call.subjects.iter().zip(rows);
            pairs.flat_map(|(subject, row)| subject.facts.iter().zip(&row.facts))
        };
        let mut said = Values::default();
        if !call.uncompared.is_empty() {
            for (_, key) in call.subjects.iter().flat_map(|subject| &subject.key) {
                said.add(Value::Text(key.clone()));
                said.add(Value::Number(key.clone()));
            }
            let settled = facts().filter(|(_, verdict)| {
                matches!(verdict.state, FactState::Agrees | FactState::Superseded)
            });
            for (fact, _) in settled {
                let (table, target) = self.known.targets.get(fact.target);
                if let Target::Column(column) = target
                    && self.known.model().table(*table).column(*column).is_minor
                {
                    // said in euros, compared in cents
                    if let Some(value) = fact.value().and_then(Value::hundredth) {
                        said.add(value);
                    }
                }
                leaves(&fact.claim, &mut |value| {
                    // `"5"` was compared where 5 was
                    match &value {
                        Value::Number(digits) => said.add(Value::Text(digits.clone())),
                        Value::Text(text) if value.is_number() => {
                            said.add(Value::Number(text.clone()));
                        }
                        _ => {}
                    }
                    said.add(value);
                });
            }
        }
        // a truth value elsewhere tells nothing about this one
        let is_said = |value: &Value| match value {
            Value::Bool(_) => false,
            Value::Json(json) => {
                let mut is_said = true;
                crate::compare::value::each_leaf(json.root(), |leaf| {
                    is_said &= said.has(&Value::of(leaf));
                });
                is_said
            }
            value => said.has(value),
        };
        let open = call.uncompared.iter().filter(|(_, value)| !is_said(value));
        let mut names: Vec<String> = open
            .flat_map(|(name, value)| inside(name, value, &is_said))
            .collect();
        let doubtful = facts().filter(|(fact, verdict)| {
            verdict.state == FactState::NotCompared
                && ![OUTCOME, CONDITION].contains(&verdict.word)
                && (fact.from != From::Result
                    || fact.asked.is_some()
                    || fact.before.is_some()
                    || leaves_open(verdict.word)
                    || is_state_field(&fact.field))
        });
        names.extend(doubtful.map(|(fact, _)| fact.field.to_string()));
        let rule = self.known.planner.contract.rule(&call.tool.name);
        let ignored = rule.map_or(&[][..], |rule| &rule.ignore);
        names.retain(|name| !ignored.iter().any(|ignored| covers(ignored, name)));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The later calls that replaced what a call wrote.
    fn replacing(&self, id: CallId) -> Vec<CallId> {
        let time = &self.known.time;
        let mut later = Vec::new();
        let Some(call) = self.known.calls.get(id.0 as usize) else {
            return later;
        };
        for subject in &call.subjects {
            let facts = subject.facts.iter();
            later.extend(facts.flat_map(|fact| time.owners(subject.row, fact.target)));
            let deeds = [Deed::Deletes, Deed::Writes].into_iter();
            later.extend(deeds.filter_map(|deed| time.since(Place::Row(subject.row), deed, id)));
        }
        later.retain(|later| *later != id);
        later
    }
}

/// What of a value is not said elsewhere: members of the objects in an array
/// by their own names, anything else by its name.
fn inside(name: &str, value: &Value, is_said: &dyn Fn(&Value) -> bool) -> Vec<String> {
    let Value::Json(json) = value else {
        return vec![name.to_owned()];
    };
    let elements = json.root().as_array().into_iter().flatten();
    let members: Option<Vec<_>> = elements.map(crosscheck_core::Node::as_object).collect();
    let open = members.into_iter().flatten().flatten();
    let open = open.filter(|(_, node)| !is_said(&Value::of(*node)));
    let mut names: Vec<String> = open
        .map(|(member, _)| format!("{name}[].{}", member.to_str_lossy()))
        .collect();
    if names.is_empty() {
        names.push(name.to_owned());
    }
    names
}

/// Every scalar in a claim.
fn leaves(claim: &Claim, found: &mut dyn FnMut(Value)) {
    claim.any(|value| {
        match value {
            Value::Json(json) => {
                crate::compare::value::each_leaf(json.root(), |leaf| found(Value::of(leaf)));
            }
            other => found(other.clone()),
        }
        false
    });
}
