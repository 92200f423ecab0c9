//! The rows that a contract says a call writes (rows 12).

use crosscheck_core::json::{Json, Node, Value as Kind};
use smol_str::SmolStr;

use super::call::{Found, answer_data};
use super::field::{Tool, Vocabulary};
use super::key::fit_text;
use super::model::{ColumnId, Model, TableId};
use super::rows::{Uncompared, given, is_open_state, renewed, values_of};
use crate::compare::value::{Value, Values, is_scalar};
use crate::fact::{Claim, Element, Fact, From, KeyFrom, Looked, Subject, Target, Why};
use crate::read::contract::{Columns, Origin, Pointer, Root, RowRule, Rule};
use crate::read::pointer::escaped;
use crate::read::{Answer, Call, Contract, ContractError};
use crate::reasons::CallReason as Reason;

/// Whether every table and column that a contract names is there. Every
/// mistake is reported, with its line in the text of the contract.
pub(crate) fn validate(
    contract: &Contract,
    model: &Model,
    text: &str,
) -> Result<(), ContractError> {
    let mut wrong: Vec<ContractError> = Vec::new();
    for (name, rule) in &contract.tools {
        for (at, row) in rule.rows.iter().enumerate() {
            let place = if at == 0 && row.items.is_none() {
                ""
            } else {
                ".each"
            };
            for (part, word, message) in missing(model, row) {
                let line = line(text, name, word);
                let place = format!("line {line}: tools.{name}{place}.{part}");
                wrong.push(ContractError::at(place, message));
            }
        }
    }
    let mut wrong = wrong.into_iter();
    let Some(mut first) = wrong.next() else {
        return Ok(());
    };
    for other in wrong {
        first.message.push('\n');
        first.message.push_str(&other.to_string());
    }
    Err(first)
}

/// What a rule names and the database lacks: the part of the rule, the name,
/// and what is there instead.
fn missing<'c>(model: &Model, row: &'c RowRule) -> Vec<(&'static str, &'c str, String)> {
    let Some(id) = model.named(&row.table) else {
        let message = format!(
            "the database has no table `{}` that this role may read; {}",
            row.table,
            there(model.tables().map(|(_, own)| own.shown.as_str()))
        );
        return vec![("table", &row.table, message)];
    };
    let own = model.table(id);
    let parts = [
        ("key", &row.key),
        ("fields", &row.fields),
        ("fields", &row.shows),
    ];
    let names = parts
        .into_iter()
        .flat_map(|(part, columns)| columns.iter().map(move |(name, _)| (part, name)));
    let missing = names.filter(|(_, name)| own.column_named(name).is_none());
    let told = |(part, name): (&'static str, &'c String)| {
        let message = format!(
            "the table `{}` has no column `{name}`; {}",
            own.shown,
            there(own.columns.iter().map(|own| own.column.as_str()))
        );
        (part, name.as_str(), message)
    };
    missing.map(told).collect()
}

/// At most this many names are listed.
const LISTED: usize = 20;

fn there<'n>(mut names: impl Iterator<Item = &'n str>) -> String {
    let mut some: Vec<&str> = names.by_ref().take(LISTED).collect();
    some.extend(names.next().map(|_| "…"));
    format!("there is {}", some.join(", "))
}

/// The line of a contract where a tool names something, as far as it is found.
fn line(text: &str, tool: &str, word: &str) -> usize {
    let head = |line: &str| line.trim_start().starts_with('[') && line.contains(tool);
    let start = text.lines().position(head).unwrap_or_default();
    let mut lines = text.lines().skip(start);
    start
        + lines
            .position(|line| line.contains(word))
            .unwrap_or_default()
        + 1
}

/// The rows of a call, by its rule.
pub(crate) fn subjects(model: &Model, call: &Call, rule: &Rule, is_delete: bool) -> Found {
    let places = Places::of(call);
    let mut subjects: Vec<Subject> = Vec::new();
    for row in &rule.rows {
        let of = |element| subject(model, rule, row, (&places, element), is_delete);
        match &row.items {
            Some(_) if row.is_below => {
                if let Some(own) = subjects.first_mut() {
                    own.facts.extend(children(model, row, &places));
                }
            }
            Some(items) => {
                for element in places.elements(items) {
                    subjects.push(of(Some(element))?);
                }
            }
            None => subjects.push(of(None)?),
        }
    }
    if subjects.is_empty() {
        let message = "the contract points to a list that the call does not have, or that is empty";
        return Err((Reason::NoKey, message.to_owned()));
    }
    Ok(subjects)
}

/// One row, of a call or of an element.
fn subject(
    model: &Model,
    rule: &Rule,
    row: &RowRule,
    at: (&Places<'_>, Option<Node<'_>>),
    is_delete: bool,
) -> Result<Subject, (Reason, String)> {
    let Some(table) = model.named(&row.table) else {
        return Err((Reason::NoTable, format!("no table {}", row.table)));
    };
    let mut key = smallvec::SmallVec::new();
    for (name, origin) in &row.key {
        let Some(column) = model.table(table).column_named(name) else {
            continue;
        };
        let Some(value) = at.0.value(origin, at.1).filter(is_given) else {
            let message =
                format!("the contract points to a key ({name}) that the call does not have");
            return Err((Reason::NoKey, message));
        };
        let holds = model.table(table).column(column).holds;
        let Some(text) = fit_text(holds, value.plain().trim().into()) else {
            let message = format!(
                "the value for {}.{name} cannot be in that column, which holds {}",
                row.table,
                holds.words()
            );
            return Err((Reason::KeyType, message));
        };
        key.push((column, text));
    }
    let looked = if row.absent || (is_delete && row.fields.is_empty()) {
        Looked::Absence
    } else if row.append {
        Looked::Values
    } else {
        Looked::Row
    };
    let mut facts = fields(model, table, &row.fields, From::Contract, at);
    let mut conditions = Vec::new();
    if looked == Looked::Values {
        let text = |(column, text): &(ColumnId, SmolStr)| (*column, Value::Text(text.clone()));
        conditions.extend(key.iter().map(text));
        let claims = facts.drain(..).map(|fact| (fact.about, fact.claim));
        conditions.extend(claims.filter_map(|claim| match claim {
            (Target::Column(column), Claim::Value(value)) => Some((column, value)),
            _ => None,
        }));
    }
    facts.extend(fields(model, table, &row.shows, From::Shown, at));
    Ok(Subject {
        key,
        conditions: conditions.into(),
        looked,
        facts,
        ..Subject::new(table, KeyFrom::Contract, rule.confirmed, Why::Contract)
    })
}

fn fields(
    model: &Model,
    table: TableId,
    columns: &Columns,
    from: From,
    (places, each): (&Places<'_>, Option<Node<'_>>),
) -> Vec<Fact> {
    let fact = |(name, origin): &(String, Origin)| {
        let column = model.table(table).column_named(name)?;
        let value = places.value(origin, each)?;
        let named = origin.places().first();
        let field = named.map_or("const", |place| &place.text);
        let is_shown = field.starts_with("/result") && !places.given.has(&value);
        Some(Fact {
            is_firm: true,
            repeats_argument: !is_shown,
            ..Fact::new(
                Target::Column(column),
                Claim::Value(value),
                from,
                field.into(),
            )
        })
    };
    columns.iter().filter_map(fact).collect()
}

/// The rows for the elements of an array, which share a key.
fn children(model: &Model, row: &RowRule, places: &Places<'_>) -> Option<Fact> {
    let table = model.named(&row.table)?;
    let own = model.table(table);
    let (name, origin) = row.key.first()?;
    let column = own.column_named(name)?;
    let value = places.value(origin, None).filter(is_given)?;
    let value = fit_text(own.column(column).holds, value.plain().trim().into())?;
    let items = row.items.as_ref()?;
    let element = |node: Node<'_>| -> Option<Element> {
        let pairs = row.fields.iter().filter_map(|(name, origin)| {
            let column = own.column_named(name)?;
            Some((column, places.value(origin, Some(node))?))
        });
        let pairs: Vec<(ColumnId, Value)> = pairs.collect();
        (!pairs.is_empty()).then(|| pairs.into())
    };
    let elements = places.elements(items).into_iter();
    let elements: Vec<Element> = elements.filter_map(element).collect();
    if elements.is_empty() {
        return None;
    }
    let target = Target::Named {
        table,
        column,
        value,
    };
    let claim = Claim::Rows(elements.into());
    Some(Fact {
        is_firm: true,
        is_complete: row.exact,
        ..Fact::new(target, claim, From::Contract, items.text.as_str().into())
    })
}

/// What a call says and its rule does not compare: arguments, and, where a
/// person has confirmed the rule, what the answer says of columns and states.
pub(crate) fn beside(
    vocabulary: &mut Vocabulary,
    call: &Call,
    tool: &Tool,
    rule: &Rule,
) -> Uncompared {
    let places = Places::of(call);
    let mut open = Uncompared::new();
    let has_below = rule.rows.iter().any(|row| row.is_below);
    let says = |row: &RowRule| !row.absent && (!row.fields.is_empty() || has_below);
    if !rule.rows.iter().any(says) {
        return open;
    }
    if let Some(arguments) = places.arguments {
        let arguments = vocabulary.object(arguments.root());
        let renewed = renewed(&arguments);
        let is_old = |norm: &str| renewed.contains(norm);
        for member in arguments
            .iter()
            .filter(|member| !is_old(&member.field.name.norm))
        {
            let is_open = |(path, _): &(SmolStr, Value)| {
                let mut steps = path.splitn(2, '.').map(escaped);
                let step =
                    |step: Option<String>| step.map_or_else(String::new, |step| format!("/{step}"));
                let place = format!("/args{}{}", step(steps.next()), step(steps.next()));
                !rule.uses(&place)
            };
            open.extend(values_of(member).into_iter().filter(is_open));
        }
        // what was added is not what is there afterwards
        open.retain(|(_, value)| tool.relative.is_none() || !value.is_number());
    }
    let own = rule
        .rows
        .first()
        .filter(|row| rule.confirmed && row.items.is_none());
    let table = own.and_then(|row| vocabulary.model.named(&row.table));
    if let Some((table, answer)) = table.zip(places.answer) {
        for member in vocabulary.object(answer.root()) {
            let field = &member.field;
            let has_column = field.column(table).is_some_and(|(column, _)| {
                !vocabulary.model.table(table).column(column).is_volatile
            });
            let is_said = has_column || is_open_state(vocabulary, table, &member);
            let is_listed =
                rule.leaves_open(&field.name.text) || (is_said && is_scalar(member.node));
            if is_listed && !rule.uses(&format!("/result/{}", escaped(&field.name.text))) {
                open.extend(values_of(&member));
            }
        }
    }
    for row in rule.rows.iter().filter(|row| !row.absent) {
        if let Some(items) = &row.items {
            open.extend(beside_elements(vocabulary, (items, row), &places));
        }
    }
    open
}

/// What the elements of an array say and their rule does not compare.
fn beside_elements(
    vocabulary: &mut Vocabulary,
    (items, row): (&Pointer, &RowRule),
    places: &Places<'_>,
) -> Uncompared {
    let name = items.text.rsplit('/').next().unwrap_or_default();
    let mut open = Uncompared::new();
    for element in places.elements(items) {
        for member in vocabulary.object(element) {
            let inner = &member.field.name.text;
            let place = format!("/each/{}", escaped(inner));
            let tells = matches!(member.node.value(), Kind::Number(_) | Kind::String(_))
                && !member.field.is_beside_the_point;
            if tells && !row.places().any(|used| is_within(&used.text, &place)) {
                open.push((format!("{name}[].{inner}").into(), Value::of(member.node)));
            }
        }
    }
    open
}

impl RowRule {
    /// The places that hold something of it.
    fn places(&self) -> impl Iterator<Item = &Pointer> {
        let parts = [&self.key, &self.fields, &self.shows].into_iter();
        parts.flatten().flat_map(|(_, origin)| origin.places())
    }
}

impl Rule {
    /// Whether something of this name is said and not compared.
    pub(crate) fn leaves_open(&self, name: &str) -> bool {
        self.open.iter().any(|open| covers(open, name))
    }

    /// Whether a place is used, as a whole or in part, or what it is a part of.
    fn uses(&self, place: &str) -> bool {
        let rows = self.rows.iter();
        let mut used = rows.flat_map(|row| row.places().chain(&row.items));
        used.any(|used| is_within(&used.text, place) || is_within(place, &used.text))
    }
}

/// Whether a name that a contract lists is this one, or what holds it.
pub(crate) fn covers(listed: &str, name: &str) -> bool {
    let bare = |name: &str| name.replace("[]", "");
    let (listed, name) = (bare(listed), bare(name));
    let rest = name.strip_prefix(listed.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether a place is another one, or inside it.
fn is_within(place: &str, other: &str) -> bool {
    let rest = place.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_given(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Text(text) => !text.trim().is_empty(),
        Value::Null | Value::Bool(_) | Value::Json(_) => false,
    }
}

/// What pointers lead into.
struct Places<'c> {
    arguments: Option<&'c Json>,
    answer: Option<&'c Json>,
    /// An answer in words.
    words: Option<&'c str>,
    /// What the call was given.
    given: Values,
}

impl<'c> Places<'c> {
    fn of(call: &'c Call) -> Self {
        let arguments = call.arguments.as_ref().ok();
        Self {
            arguments,
            answer: answer_data(call),
            words: match &call.answer {
                Some(Answer::Text(text)) => Some(text),
                _ => None,
            },
            given: arguments.map_or_else(Values::default, |json| given(json.root())),
        }
    }

    fn node(&self, place: &Pointer, each: Option<Node<'c>>) -> Option<Node<'c>> {
        let [args, answer] = [self.arguments, self.answer].map(|json| json.map(Json::root));
        place.follow([args, answer, each])
    }

    /// The elements of an array, or the members of a map.
    fn elements(&self, items: &Pointer) -> Vec<Node<'c>> {
        match self.node(items, None).map(Node::value) {
            Some(Kind::Array(items)) => items.collect(),
            Some(Kind::Object(members)) => members.map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// The value; nothing where a pointer leads nowhere, or to an argument or
    /// element that is `null`. In an answer `null` says that nothing is there.
    fn value(&self, origin: &Origin, each: Option<Node<'c>>) -> Option<Value> {
        let held = |place: &Pointer| {
            let node = self.node(place, each)?;
            (!node.is_null() || place.root == Root::Result).then(|| Value::of(node))
        };
        match origin {
            Origin::Const(value) => Some(value.clone()),
            Origin::Places(places) => places.iter().find_map(held),
            Origin::Behind(place, after) => {
                let words = self.words.filter(|_| place.root == Root::Result);
                let text = match words {
                    Some(words) => words.to_owned(),
                    None => held(place)?.plain().into_owned(),
                };
                word_behind(&text, after)
            }
        }
    }
}

/// The word behind some words of a text.
fn word_behind(text: &str, after: &str) -> Option<Value> {
    let (_, rest) = text.split_once(after)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut words = rest.split(|c: char| !is_part(c));
    let word = words.find(|word| !word.is_empty())?;
    Some(Value::Text(word.into()))
}
