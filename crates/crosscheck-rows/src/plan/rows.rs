//! What a call says about one row: arguments and image together (rows 8.4).

use std::collections::HashSet;

use crosscheck_core::json::{Node, Value as Kind};
use crosscheck_core::rules::Rule;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::sync::Arc;

use super::facts::{About, of_object};
use super::field::{Field, Tool, Vocabulary};
use super::key::FoundKey;
use super::means::sets;
use super::model::{ColumnId, TableId};
use super::names::Name;
use super::object::{Member, Object};
use super::words::words;
use crate::compare::value::{Value, Values, each_leaf, is_scalar};
use crate::compare::{Answered, answered};
use crate::fact::{Claim, Fact, From, KeyFrom, Looked, Subject, Target, Why};

const STATE: Rule = Rule::new(
    "rows.state",
    "the name of a tool says which state it brings about",
);
const CONDITION: Rule = Rule::new(
    "rows.condition",
    "a version that is given may be a condition",
);

/// A subject without facts.
pub(crate) fn subject(
    table: TableId,
    key: &FoundKey,
    key_from: KeyFrom,
    looked: Looked,
    is_sure: bool,
    why: Why,
) -> Subject {
    let values = key
        .values
        .iter()
        .map(|value| value.clone().unwrap_or_default());
    Subject {
        key: key.columns.iter().copied().zip(values).collect(),
        looked,
        ..Subject::new(table, key_from, is_sure, why)
    }
}

/// What a call says that may not be compared with anything.
pub(crate) type Uncompared = Vec<(SmolStr, Value)>;

/// Everything that is said about one row.
pub(crate) struct Said<'a, 'j> {
    pub(crate) tool: &'a Tool,
    /// The arguments, if they are about this row.
    pub(crate) arguments: &'a Object<'j>,
    /// Those of them that hold its key.
    pub(crate) own_fields: &'a [Arc<Field>],
    /// The object of the answer, if there is one.
    pub(crate) image: Option<&'a Object<'j>>,
    /// The fields of the image that hold the key; `None` for an answer that
    /// does not hold it.
    pub(crate) key_fields: Option<&'a [Arc<Field>]>,
    /// All arguments as the log has them.
    pub(crate) given: &'a Values,
}

/// The values among the arguments that can be told from others.
pub(crate) fn given(arguments: Node<'_>) -> Values {
    let mut given = Values::default();
    each_leaf(arguments, |leaf| {
        let value = Value::of(leaf);
        if !value.is_trivial() {
            given.add(value);
        }
    });
    given
}

/// Fills a subject with its facts, and tells what was said beside them.
pub(crate) fn fill(
    vocabulary: &mut Vocabulary,
    subject: &mut Subject,
    said: &Said<'_, '_>,
) -> Uncompared {
    let key: SmallVec<[ColumnId; 2]> = subject.key.iter().map(|(column, _)| *column).collect();
    let about = |from, key_fields, is_firm| About {
        table: subject.table,
        key: &key,
        key_fields,
        tool: said.tool,
        from,
        is_firm,
    };
    let mut has_image = false;
    let mut facts = of_object(
        vocabulary,
        said.arguments,
        &about(From::Argument, said.own_fields, true),
    );
    if let Some(image) = said.image {
        let fields = said.key_fields.unwrap_or_default();
        let labelled = said.key_fields.is_some();
        let about = about(From::Result, fields, labelled);
        let table = vocabulary.model.table(subject.table);
        let is_set = sets(said.tool, table, subject.key_from);
        facts.reserve(image.len());
        for fact in of_object(vocabulary, image, &about) {
            has_image |= labelled && !fact.is_outcome;
            add(&mut facts, fact, said.tool, is_set);
        }
    }
    for fact in &mut facts {
        is_a_condition(fact, subject.table, said);
    }
    subject.has_image = has_image;
    if STATE.is_on() {
        add_state(vocabulary, subject.table, said.tool, &mut facts);
    }
    for fact in &mut facts {
        let is_key = |value: &Value| subject.key.iter().any(|(_, key)| **key == value.plain());
        let table = vocabulary.model.table(subject.table);
        let is_minor =
            matches!(fact.about, Target::Column(column) if table.column(column).is_minor);
        let is_given = |value: &Value| {
            let large = is_minor.then(|| value.hundredth()).flatten();
            (said.given.has(value) || large.is_some_and(|large| said.given.has(&large)))
                && !is_key(value)
        };
        fact.repeats_argument = fact.claim.any(|value| match value {
            Value::Json(json) => {
                let mut is_inside = false;
                each_leaf(json.root(), |leaf| is_inside |= is_given(&Value::of(leaf)));
                is_inside
            }
            value => is_given(value),
        });
    }
    subject.facts = facts;
    uncompared(vocabulary, subject, said)
}

/// A version that is given is a condition if the answer shows another one. If it
/// shows the same it is what was written, and else nobody knows.
fn is_a_condition(fact: &mut Fact, table: TableId, said: &Said<'_, '_>) {
    let (Target::Column(column), Claim::Value(value)) = (&fact.about, &fact.claim) else {
        return;
    };
    if fact.from != From::Argument || !fact.is_outcome || !CONDITION.is_on() {
        return;
    }
    let mut members = said.image.into_iter().flatten();
    let shown = members.find(|member| member.field.column(table) == Some((*column, true)));
    let is_same = shown.map(|member| Value::of(member.node).is_same(value));
    fact.is_firm = is_same == Some(true);
    fact.is_outcome = is_same == Some(false);
}

/// Adds the state that the tool's name speaks of. It may be in any column
/// of states, or be a column of truth values, so that only its being there
/// tells something.
fn add_state(vocabulary: &Vocabulary, table: TableId, tool: &Tool, facts: &mut Vec<Fact>) {
    for (column, claim) in &tool.promise(vocabulary.model.table(table)).states {
        let target = Target::Column(*column);
        if !facts.iter().any(|fact| fact.about == target) {
            facts.push(Fact {
                is_outcome: true,
                ..Fact::new(
                    target,
                    Claim::Value(claim.clone()),
                    From::Tool,
                    tool.name.clone(),
                )
            });
        }
    }
}

/// Adds a fact of the image to those of the arguments. On one column equal
/// ones are one fact, and of different ones the firm image counts; so it does
/// where arguments are not what the row holds afterwards.
fn add(facts: &mut Vec<Fact>, mut fact: Fact, tool: &Tool, is_set: bool) {
    let Some(known) = facts.iter_mut().find(|known| known.about == fact.about) else {
        facts.push(fact);
        return;
    };
    if fact.is_outcome {
        return;
    }
    match (&known.claim, &fact.claim, &fact.about) {
        (Claim::Value(asked), Claim::Value(returned), Target::Column(_)) => {
            let said = answered(asked, returned);
            let is_same = said == Answered::Same;
            // what was added is not what is there afterwards
            let is_added = tool.relative.is_some() && asked.is_number();
            // an answer that shows less does not take back what was asked for
            let is_kept = is_set && said != Answered::Other;
            if is_kept || (is_same && !fact.is_firm) {
                known.is_firm |= fact.is_firm;
            } else if fact.is_firm {
                if !is_same && !is_added {
                    fact.asked = Some(Box::new((asked.clone(), known.field.clone())));
                }
                *known = fact;
            }
        }
        (_, _, Target::Beside { .. }) => *known = fact,
        _ if fact.is_firm => *known = fact,
        _ => {}
    }
}

/// What was said and has no fact: scalars of the arguments, and states of the
/// image that have no column (rows 10.5).
fn uncompared(vocabulary: &mut Vocabulary, subject: &Subject, said: &Said<'_, '_>) -> Uncompared {
    let mut known = Known::default();
    known.extend(said.own_fields.iter().map(|field| field.name.norm.clone()));
    for fact in &subject.facts {
        if fact.from == From::Argument || matches!(fact.about, Target::Beside { .. }) {
            let inner = fact.field.rsplit('.').next().unwrap_or_default();
            known.push(vocabulary.field(inner).name.norm.clone());
        }
        if let Some(asked) = &fact.asked {
            known.push(vocabulary.field(&asked.1).name.norm.clone());
        }
    }
    let mut open = Uncompared::new();
    let has_image = said.key_fields.is_some() && said.image.is_some();
    if let Some(image) = said.image.filter(|_| has_image) {
        for member in image {
            let name = &member.field.name;
            // `new_status` is what the status is, and `old_status` what it was
            let is_renewed = words().new_prefix.has(name.first()) && {
                let bare = name.words.get(1..).unwrap_or_default().join("_");
                vocabulary.field(&bare).column(subject.table).is_some()
            };
            let is_old = words().old_prefix.has(name.first()) || is_renewed;
            if !is_old && is_open_state(vocabulary, subject.table, member) {
                open.push((name.text.clone(), Value::of(member.node)));
            }
        }
    }
    let adds = has_image && said.tool.relative.is_some();
    // what is put into a row of another table is not added to a number of this one
    let is_elsewhere = |member: &Member<'_>| {
        let mut tables = said.tool.tables().map(|(table, _)| table);
        let field = &member.field;
        field.name.ends_in_id
            || (field.column(subject.table).is_none()
                && tables.any(|table| field.column(table).is_some()))
    };
    let renewed = renewed(said.arguments);
    for member in said.arguments {
        let name = &member.field.name;
        let is_old = renewed.contains(name.norm.as_str());
        if is_known(name, &known) {
            open.extend(beside_rows(member, &subject.facts));
        }
        if is_old || is_known(name, &known) {
            continue;
        }
        for (name, value) in values_of(member) {
            let inner = name.rsplit('.').next().unwrap_or_default();
            let is_inside = inner.len() < name.len();
            let is_known = is_inside && is_known(&vocabulary.field(inner).name, &known);
            let is_added = adds && value.is_number() && !is_elsewhere(member);
            if !is_known && !is_added {
                open.push((name, value));
            }
        }
    }
    open
}

/// What the elements of an array say beside what is compared with the rows of
/// a child table.
fn beside_rows(member: &Member<'_>, facts: &[Fact]) -> Uncompared {
    let name = &member.field.name.text;
    let mut facts = facts.iter();
    let Some(fact) = facts.find(|fact| fact.field == *name && fact.from == From::Argument) else {
        return Uncompared::new();
    };
    let Claim::Rows(rows) = &fact.claim else {
        return Uncompared::new();
    };
    let mut compared = Values::default();
    for (_, value) in rows.iter().flatten() {
        compared.add(value.clone());
    }
    let elements = member.node.as_array().into_iter().flatten();
    let inner = elements.filter_map(Node::as_object).flatten();
    inner
        .filter(|(_, node)| matches!(node.value(), Kind::Number(_) | Kind::String(_)))
        .map(|(inner, node)| (inner, Value::of(node)))
        .filter(|(_, value)| !compared.has(value))
        .map(|(inner, value)| (format!("{name}[].{}", inner.to_str_lossy()).into(), value))
        .collect()
}

/// What an argument says that should be found in the database: itself, or the
/// members of an object.
pub(crate) fn values_of(member: &Member<'_>) -> Uncompared {
    let name = &member.field.name.text;
    if member.field.is_beside_the_point {
        return Uncompared::new();
    }
    let says = |node: Node<'_>| match node.value() {
        Kind::Null | Kind::Bool(false) => false,
        Kind::String(text) => !text.is_empty(),
        Kind::Array(mut items) => items.next().is_some(),
        Kind::Object(members) => !members.is_empty(),
        Kind::Number(_) | Kind::Bool(true) => true,
    };
    match member.node.value() {
        Kind::Object(members) => members
            .filter(|(_, node)| says(*node))
            .map(|(inner, node)| {
                let path = format!("{name}.{}", inner.to_str_lossy());
                (path.into(), Value::of(node))
            })
            .collect(),
        _ if says(member.node) => vec![(name.clone(), Value::of(member.node))],
        _ => Uncompared::new(),
    }
}

/// A state that the answer tells and no column holds.
pub(crate) fn is_open_state(vocabulary: &Vocabulary, table: TableId, member: &Member<'_>) -> bool {
    let field = &member.field;
    is_scalar(member.node)
        && field.name.is_state
        && field.column(table).is_none()
        && super::related::beside(&vocabulary.model, table, field).is_none()
        && !words()
            .outcome_words
            .has(&Value::of(member.node).plain().to_lowercase())
}

/// Norms of names that have a fact.
type Known = SmallVec<[SmolStr; 8]>;

fn is_known(name: &Name, known: &Known) -> bool {
    let without_first = name.norm.get(name.first().len()..).unwrap_or_default();
    let mut known = known.iter();
    known.any(|known| *known == name.norm || known == without_first)
}

/// The names `x` for which there is a `new_x`.
pub(crate) fn renewed(arguments: &Object<'_>) -> HashSet<String> {
    let names = arguments.iter().map(|member| &member.field.name);
    names
        .filter(|name| words().new_prefix.has(name.first()))
        .map(|name| name.words.get(1..).unwrap_or_default().concat())
        .collect()
}
