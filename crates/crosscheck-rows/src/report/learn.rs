//! `rows learn`: a contract that a person can read and confirm (rows 12).

mod pointers;
#[cfg(test)]
mod tests;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use crosscheck_core::json::{Node, Value as Kind};
use smol_str::SmolStr;

use self::pointers::{Best, Places, with_value};
use super::Report;
use crate::compare::value::{Value, is_scalar};
use crate::fact::{Fact, RowSeen, Subject};
use crate::judge::call::CallVerdict;
use crate::judge::seen::SeenCall;
use crate::judge::subject::{FactState, FactVerdict, State};
use crate::judge::time::CallId;
use crate::plan::classify::Class;
use crate::plan::names::Name;
use crate::plan::words::words;
use crate::plan::{Claim, ColumnId, From, TableId, Target};

/// What is learnt about one tool.
#[derive(Default)]
struct Lesson {
    /// How its calls ended, by the word for it.
    ends: BTreeMap<&'static str, usize>,
    class: BTreeMap<&'static str, usize>,
    tables: BTreeMap<TableId, usize>,
    /// Why calls were not mapped.
    reasons: BTreeMap<&'static str, usize>,
    /// What was said and not compared.
    open: BTreeSet<String>,
    /// The arguments that hold one value.
    arguments: BTreeSet<String>,
    of_tables: BTreeMap<TableId, TableLesson>,
}

/// What is learnt about a tool and the table it writes.
#[derive(Default)]
struct TableLesson {
    /// Whether any row was there.
    was_found: bool,
    /// States that the tool's name speaks of and rows held, with how often.
    states: BTreeMap<ColumnId, BTreeMap<String, usize>>,
    /// By the columns that were the key of a call.
    keys: BTreeMap<Vec<ColumnId>, KeyLesson>,
    fields: BTreeMap<(ColumnId, String), Counts>,
    each: BTreeMap<(String, String), EachLesson>,
}

/// Where a key is.
#[derive(Default)]
struct KeyLesson {
    calls: usize,
    columns: BTreeMap<ColumnId, Best>,
}

/// How often something agreed, differed, or was open.
#[derive(Default, Clone, Copy)]
struct Counts {
    agrees: usize,
    differs: usize,
    open: usize,
    /// Of those that agreed, those that show what the call did.
    tells: usize,
    /// Of the open ones, those that a later call replaced.
    replaced: usize,
}

impl Counts {
    fn add(&mut self, state: FactState, tells: bool) {
        self.tells += usize::from(tells && state == FactState::Agrees);
        self.replaced += usize::from(state == FactState::Superseded);
        match state {
            FactState::Agrees => self.agrees += 1,
            FactState::Differs => self.differs += 1,
            FactState::NotCompared
            | FactState::AskedNotDone
            | FactState::ExtraRows
            | FactState::Superseded
            | FactState::Overtaken => self.open += 1,
        }
    }
}

struct EachLesson {
    counts: Counts,
    table: TableId,
    /// The column that all rows share, and the column of the parent it equals.
    key: (ColumnId, Option<ColumnId>),
    fields: BTreeMap<ColumnId, Best>,
    /// Members of the elements that no column is called like.
    open: BTreeSet<String>,
}

/// A contract for a person to review.
#[derive(Debug)]
pub struct Learnt {
    /// As text.
    pub contract: String,
    /// What calls said and the contract does not compare, a line for each tool.
    pub left_out: Vec<String>,
    /// What may or may not be stored: the tool, and what its calls say.
    pub questions: Vec<(String, String)>,
    /// How many tools that write it covers, and which it does not, in one sentence.
    pub coverage: String,
    /// How many tools it names.
    pub tools: usize,
}

impl Learnt {
    /// Says that something is not stored: then it need not be compared.
    pub fn ignore(&mut self, tool: &str, name: &str) {
        self.contract = write::ignored(&self.contract, tool, name);
    }
}

/// What the calls of a report teach.
pub(super) fn learnt(report: &Report) -> Learnt {
    let mut lessons: BTreeMap<SmolStr, Lesson> = BTreeMap::new();
    for (tool, counts) in &report.known.others {
        let lesson = lessons.entry(tool.clone()).or_default();
        for (class, count) in counts {
            *lesson.ends.entry(class.word()).or_default() += count;
            if *class != Class::Failed {
                *lesson.class.entry(class.word()).or_default() += count;
            }
        }
    }
    for (id, (call, verdict)) in (0..).map(CallId).zip(report.calls_in_time()) {
        let lesson = lessons.entry(call.tool.name.clone()).or_default();
        lesson.add(report, (id, &call), &verdict);
    }
    write::learnt(report, &lessons)
}

impl Lesson {
    fn add(&mut self, report: &Report, (id, call): (CallId, &SeenCall), verdict: &CallVerdict) {
        *self.ends.entry(verdict.state.word()).or_default() += 1;
        *self.class.entry(call.class.word()).or_default() += 1;
        if verdict.state != State::Proven {
            for (reason, _) in &verdict.grounds {
                *self.reasons.entry(reason.code()).or_default() += 1;
            }
        }
        self.open.extend(verdict.uncompared.iter().cloned());
        let given = call.raw.iter().filter_map(|raw| raw.0.0.root().as_object());
        for (name, node) in given.flatten() {
            let name = name.to_str_lossy();
            let is_control = words().control.has(&Name::new(&name).joined);
            if is_scalar(node) && !is_control {
                self.arguments.insert(name.into_owned());
            }
        }
        let pairs = call.subjects.iter().zip(&verdict.rows);
        for (subject, row) in pairs.filter(|(subject, _)| subject.looked.is_by_key()) {
            *self.tables.entry(subject.table).or_default() += 1;
            let table = self.of_tables.entry(subject.table).or_default();
            let bench = report.bench();
            let facts = subject.facts.iter().zip(&row.facts);
            let tells: Vec<bool> = facts
                .map(|(fact, verdict)| bench.is_telling(call, id, subject, fact, verdict))
                .collect();
            table.add(report, call, subject, (&row.facts, &tells));
        }
    }
}

impl TableLesson {
    fn add(
        &mut self,
        report: &Report,
        call: &SeenCall,
        subject: &Subject,
        (verdicts, tells): (&[FactVerdict], &[bool]),
    ) {
        self.was_found |= matches!(subject.seen, RowSeen::One);
        let Some(raw) = &call.raw else { return };
        let (arguments, answer) = (raw.0.0.root(), raw.1.as_ref().map(|answer| answer.0.root()));
        let prints = &report.known.prints;
        let in_arguments = Places::of("/args", arguments, prints);
        let in_answer = answer.map(|answer| Places::of("/result", answer, prints));
        let columns = subject.key.iter().map(|(column, _)| *column).collect();
        let key = self.keys.entry(columns).or_default();
        key.calls += 1;
        for (column, value) in &subject.key {
            let best = key.columns.entry(*column).or_default();
            let is_key = |node: Node<'_>| {
                is_scalar(node) && Value::of(node).plain().trim() == value.as_str()
            };
            let mut pointers = with_value("/args", arguments, &is_key);
            if let Some(answer) = answer {
                pointers.extend(with_value("/result", answer, &is_key));
            }
            best.add(pointers);
        }
        for ((fact, verdict), tells) in subject.facts.iter().zip(verdicts).zip(tells) {
            let (root, node, places) = match fact.from {
                From::Argument => ("/args", Some(arguments), Some(&in_arguments)),
                From::Result => ("/result", answer, in_answer.as_ref()),
                From::Tool => {
                    self.state(report, fact, verdict);
                    continue;
                }
                From::Contract | From::Shown => continue,
            };
            if let (Some(node), Some(places)) = (node, places) {
                self.fact(report, fact, (verdict, *tells), (root, node, places));
            }
        }
    }

    /// What the tool's name says of a state, if the row bears it out.
    fn state(&mut self, report: &Report, fact: &Fact, verdict: &FactVerdict) {
        let (_, target) = report.known.targets.get(fact.target);
        if let (Target::Column(column), FactState::Agrees) = (target, verdict.state) {
            let mut found = String::new();
            crate::judge::texts::write_found(&mut found, fact);
            let states = self.states.entry(*column).or_default();
            *states.entry(found).or_default() += 1;
        }
    }

    fn fact(
        &mut self,
        report: &Report,
        fact: &Fact,
        (verdict, tells): (&FactVerdict, bool),
        (root, node, places): (&str, Node<'_>, &Places),
    ) {
        let (table, target) = report.known.targets.get(fact.target);
        let last = fact.field.rsplit('.').next().unwrap_or_default();
        match (target, &fact.claim) {
            (Target::Column(column), Claim::Value(value)) => {
                let found = places.get(report.known.prints.of(value));
                if let Some(pointer) = pointers::nearest(&found, &fact.field) {
                    self.fields
                        .entry((*column, pointer))
                        .or_default()
                        .add(verdict.state, tells);
                }
            }
            (Target::Rows { child } | Target::List { child, .. }, claim) => {
                let Some(child) = report.known.model().table(*table).children.get(*child) else {
                    return;
                };
                let (&[column], parent) = (&child.columns[..], child.parent.first().copied())
                else {
                    return;
                };
                let is_several =
                    |node: Node<'_>| matches!(node.value(), Kind::Array(_) | Kind::Object(_));
                let Some((pointer, items)) = pointers::named(root, node, last, &is_several) else {
                    return;
                };
                let of_table = report.texts().target_table(&(*table, target.clone()));
                let name = (
                    pointer,
                    report.known.model().table(of_table).shown.to_string(),
                );
                let lesson = self.each.entry(name).or_insert_with(|| EachLesson {
                    counts: Counts::default(),
                    table: of_table,
                    key: (column, parent),
                    fields: BTreeMap::new(),
                    open: BTreeSet::new(),
                });
                lesson.counts.add(verdict.state, tells);
                lesson.learn(report, target, claim, (last, items));
            }
            _ => {}
        }
    }
}

impl EachLesson {
    /// Which member of the elements fills which column: only its name tells,
    /// because others may hold the same value by chance.
    fn learn(
        &mut self,
        report: &Report,
        target: &Target,
        claim: &Claim,
        (name, items): (&str, Node<'_>),
    ) {
        if let Target::List { column, .. } = target {
            self.fields
                .entry(*column)
                .or_default()
                .add(vec!["/each".to_owned()]);
            return;
        }
        let Claim::Rows(rows) = claim else { return };
        let elements: Vec<Node<'_>> = match items.value() {
            Kind::Array(items) => items.collect(),
            Kind::Object(members) => members.map(|(_, value)| value).collect(),
            _ => return,
        };
        let index = &report.known.model().index;
        for (row, element) in rows.iter().zip(elements) {
            for (member, node) in element.as_object().into_iter().flatten() {
                let member = member.to_str_lossy();
                let meanings = index.meanings(&Name::new(&member).norm);
                let mut meanings = meanings.iter();
                let meaning = meanings.find(|meaning| meaning.table == self.table && meaning.firm);
                let Some(meaning) = meaning else {
                    if matches!(node.value(), Kind::Number(_) | Kind::String(_)) {
                        self.open.insert(format!("{name}[].{member}"));
                    }
                    continue;
                };
                let is_it = |(column, value): &(ColumnId, Value)| {
                    *column == meaning.column && value.is_same(&Value::of(node))
                };
                if row.iter().any(is_it) {
                    let pointer = format!("/each/{}", crate::read::pointer::escaped(&member));
                    let best = self.fields.entry(meaning.column).or_default();
                    best.add(vec![pointer]);
                }
            }
        }
    }
}
