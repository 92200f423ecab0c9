//! `rows learn`: a contract that a person can read and confirm (rows 12).

mod pointers;
#[cfg(test)]
mod tests;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use crosscheck_core::foreign::{json_written, toml_string};
use crosscheck_core::json::{Node, Value as Kind};
use smol_str::SmolStr;

use super::Report;
use crate::compare::value::{Value, is_scalar};
use crate::fact::{Fact, Subject};
use crate::judge::call::CallVerdict;
use crate::judge::seen::SeenCall;
use crate::judge::subject::{FactState, State};
use crate::judge::time::CallId;
use crate::plan::classify::Class;
use crate::plan::model::{Meaning, TableModel};
use crate::plan::names::Name;
use crate::plan::{Claim, ColumnId, From, Model, TableId, Target};

/// What is learnt about one tool.
#[derive(Default)]
struct Lesson {
    /// How its calls ended, by the word for it.
    ends: BTreeMap<&'static str, usize>,
    class: BTreeMap<&'static str, usize>,
    /// Why calls were not mapped.
    reasons: BTreeMap<&'static str, usize>,
    /// What was said and not compared.
    open: BTreeSet<String>,
    tables: BTreeMap<SmolStr, RowLesson>,
    /// Whether an entry of the given contract says what it writes.
    ruled: Option<bool>,
}

/// What is learnt about a tool and the table it writes.
#[derive(Default)]
struct RowLesson {
    calls: usize,
    /// By the columns that were the key of a call.
    keys: BTreeMap<Vec<SmolStr>, KeyLesson>,
    /// By column, what it was compared with, as a contract writes it.
    fields: BTreeMap<SmolStr, BTreeMap<String, Counts>>,
    /// By the pointer to the array.
    each: BTreeMap<String, EachLesson>,
}

/// Where each column of a key was found.
#[derive(Default)]
struct KeyLesson {
    calls: usize,
    places: BTreeMap<SmolStr, BTreeMap<String, Place>>,
}

/// A place that held a key.
#[derive(Default)]
struct Place {
    count: usize,
    /// Whether it is called like the column, or like the id of the table.
    is_named: bool,
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
    /// Whether what it counts shows what the call did, or will in a run in which no
    /// later call replaces it.
    fn shows_the_call(&self) -> bool {
        let is_replaced = self.agrees + self.differs == 0 && self.replaced > 0;
        self.tells > 0 || is_replaced
    }

    fn add(&mut self, state: FactState, tells: bool) {
        self.tells += usize::from(tells && state == FactState::Agrees);
        self.replaced += usize::from(state == FactState::Superseded);
        match state {
            FactState::Agrees => self.agrees += 1,
            FactState::Differs => self.differs += 1,
            _ => self.open += 1,
        }
    }
}

struct EachLesson {
    counts: Counts,
    table: SmolStr,
    /// The column that all rows share, and the column of the parent it equals.
    key: (SmolStr, Option<SmolStr>),
    /// The member of the elements that fills a column.
    fields: BTreeMap<SmolStr, String>,
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

/// What the calls of one or more reports teach, each with a database of its own.
#[derive(Default)]
pub struct Lessons {
    tools: BTreeMap<SmolStr, Lesson>,
    /// The contract that was given.
    given: String,
}

impl Lessons {
    /// Learns from a report; the run must have kept what the log says.
    pub fn add(&mut self, report: &Report) {
        let known = &report.known;
        self.given.clone_from(&known.planner.contract.text);
        for (tool, counts) in &known.others {
            let lesson = self.lesson(report, tool);
            for (class, count) in counts {
                *lesson.ends.entry(class).or_default() += count;
                if *class != Class::Failed.word() {
                    *lesson.class.entry(class).or_default() += count;
                }
            }
        }
        for (id, (call, verdict)) in (0..).map(CallId).zip(report.calls_in_time()) {
            let lesson = self.lesson(report, &call.tool.name);
            lesson.add(report, (id, &call), &verdict);
        }
    }

    fn lesson(&mut self, report: &Report, tool: &SmolStr) -> &mut Lesson {
        self.tools.entry(tool.clone()).or_insert_with(|| {
            let rule = report.known.planner.contract.rule(tool);
            Lesson {
                ruled: rule.map(|rule| !rule.rows.is_empty()),
                ..Lesson::default()
            }
        })
    }

    /// A contract that a person can read and confirm.
    pub fn learnt(&self) -> Learnt {
        write::learnt(&self.given, &self.tools)
    }
}

/// The roots of the pointers that a contract may hold, and what is there.
type Roots<'c> = [(&'static str, Option<Node<'c>>); 2];

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
        let Some(raw) = &call.raw else { return };
        let answer = raw.1.as_ref().map(|answer| answer.0.root());
        let roots = [("/args", Some(raw.0.0.root())), ("/result", answer)];
        let bench = report.bench();
        let pairs = call.subjects.iter().zip(&verdict.rows);
        for (subject, row) in pairs.filter(|(subject, _)| subject.looked.is_by_key()) {
            let model = report.known.model();
            let name = &model.table(subject.table).shown;
            let table = self.tables.entry(name.clone()).or_default();
            table.calls += 1;
            table.key(model, subject, roots);
            for (fact, verdict) in subject.facts.iter().zip(&row.facts) {
                let tells = bench.is_telling(call, id, subject, fact, verdict);
                // what the tool did otherwise than asked must not pass for what it does
                let asked = fact.asked.as_ref();
                let asked = asked.filter(|_| verdict.state == FactState::AskedNotDone);
                self.open.extend(asked.map(|asked| asked.1.to_string()));
                table.fact(report, fact, (verdict.state, tells), roots);
            }
        }
    }
}

impl RowLesson {
    fn key(&mut self, model: &Model, subject: &Subject, roots: Roots<'_>) {
        let table = model.table(subject.table);
        let columns = subject.key.iter();
        let columns = columns.map(|(column, _)| column_name(table, *column));
        let key = self.keys.entry(columns.collect()).or_default();
        key.calls += 1;
        for (column, value) in &subject.key {
            let is_key = |node: Node<'_>| {
                is_scalar(node) && Value::of(node).plain().trim() == value.as_str()
            };
            let places = key.places.entry(column_name(table, *column)).or_default();
            for (root, node) in roots {
                for pointer in pointers::all(root, node, &is_key) {
                    let name = pointers::last_step(&pointer);
                    let place = places.entry(pointer).or_default();
                    place.count += 1;
                    place.is_named = is_key_name(model, (subject.table, *column), &name);
                }
            }
        }
    }

    fn fact(
        &mut self,
        report: &Report,
        fact: &Fact,
        (state, tells): (FactState, bool),
        [arguments, answer]: Roots<'_>,
    ) {
        let model = report.known.model();
        let (table, target) = report.known.targets.get(fact.target);
        let table = model.table(*table);
        let (root, node) = match fact.from {
            From::Argument => arguments,
            From::Result => answer,
            // a state that the name of the tool speaks of, if the row bears it out
            From::Tool => {
                if let (Target::Column(column), FactState::Agrees) = (target, state) {
                    let mut found = String::new();
                    crate::judge::texts::write_found(&mut found, fact);
                    let origin = format!("{{ const = {} }}", json_written(found));
                    self.field(table, *column, origin).add(state, true);
                }
                return;
            }
            From::Contract | From::Shown => return,
        };
        match (target, &fact.claim) {
            (Target::Column(column), Claim::Value(value)) => {
                let is_it = |node: Node<'_>| Value::of(node).is_same(value);
                if let Some((pointer, _)) = pointers::called(root, node, &fact.field, &is_it) {
                    self.field(table, *column, toml_string(&pointer))
                        .add(state, tells);
                }
            }
            (Target::Rows { child } | Target::List { child, .. }, claim) => {
                let Some(child) = table.children.get(*child) else {
                    return;
                };
                let is_several =
                    |node: Node<'_>| matches!(node.value(), Kind::Array(_) | Kind::Object(_));
                let found = pointers::called(root, node, &fact.field, &is_several);
                let (&[column], Some((pointer, items))) = (&child.columns[..], found) else {
                    return;
                };
                let each = self.each.entry(pointer).or_insert_with(|| EachLesson {
                    counts: Counts::default(),
                    table: model.table(child.table).shown.clone(),
                    key: (
                        column_name(model.table(child.table), column),
                        child.parent.first().map(|own| column_name(table, *own)),
                    ),
                    fields: BTreeMap::new(),
                    open: BTreeSet::new(),
                });
                each.counts.add(state, tells);
                each.learn(model, (child.table, target), claim, (&fact.field, items));
            }
            _ => {}
        }
    }

    fn field(&mut self, table: &TableModel, column: ColumnId, origin: String) -> &mut Counts {
        let origins = self.fields.entry(column_name(table, column)).or_default();
        origins.entry(origin).or_default()
    }
}

impl EachLesson {
    /// Which member of the elements fills which column: only its name tells,
    /// because others may hold the same value by chance.
    fn learn(
        &mut self,
        model: &Model,
        (table, target): (TableId, &Target),
        claim: &Claim,
        (name, items): (&str, Node<'_>),
    ) {
        if let Target::List { column, .. } = target {
            let column = column_name(model.table(table), *column);
            self.fields.insert(column, "/each".to_owned());
            return;
        }
        let Claim::Rows(rows) = claim else { return };
        let elements: Vec<Node<'_>> = match items.value() {
            Kind::Array(items) => items.collect(),
            Kind::Object(members) => members.map(|(_, value)| value).collect(),
            _ => return,
        };
        let is_claimed = |column: ColumnId| rows.iter().flatten().any(|(own, _)| *own == column);
        let members = elements.into_iter().filter_map(Node::as_object).flatten();
        for (member, node) in members {
            let member = member.to_str_lossy();
            let meanings = model.index.meanings(&Name::new(&member).norm);
            let mut meanings = meanings.iter();
            let meaning = meanings.find(|meaning| meaning.table == table && meaning.firm);
            match meaning.filter(|meaning| is_claimed(meaning.column)) {
                Some(meaning) => {
                    let pointer = format!("/each/{}", crate::read::pointer::escaped(&member));
                    let column = column_name(model.table(table), meaning.column);
                    self.fields.insert(column, pointer);
                }
                None if matches!(node.value(), Kind::Number(_) | Kind::String(_)) => {
                    self.open.insert(format!("{name}[].{member}"));
                }
                None => {}
            }
        }
    }
}

fn column_name(table: &TableModel, column: ColumnId) -> SmolStr {
    table.column(column).column.as_str().into()
}

/// Whether a key column is called so: like the column, or like the table's id.
fn is_key_name(model: &Model, (table, column): (TableId, ColumnId), name: &Name) -> bool {
    let means = |meaning: &Meaning| (meaning.table, meaning.column) == (table, column);
    model.index.meanings(&name.norm).iter().any(means)
        || model.index.ids(&name.words).contains(&table)
        || model.index.called(&name.words).contains(&table)
}
