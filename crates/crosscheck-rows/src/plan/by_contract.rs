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
use crate::read::contract::{EachRule, Origin, RowRule, Rule};
use crate::read::pointer::{Pointer, Root, escaped};
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
        let mut names = |place: &str, table: &str, columns: [&[(String, Origin)]; 2]| {
            let missing = missing(model, table, columns);
            wrong.extend(missing.into_iter().map(|(part, word, message)| {
                let line = line(text, name, word);
                ContractError::at(format!("line {line}: tools.{name}{place}.{part}"), message)
            }));
        };
        if let Some(row) = &rule.row {
            names("", &row.table, [&row.key, &row.fields]);
            // a table that is not there is named once
            if model.named(&row.table).is_some() {
                names("", &row.table, [&[], &row.shows]);
            }
            for each in &row.each {
                let key = std::slice::from_ref(&each.key);
                names(".each", &each.table, [key, &each.fields]);
            }
        }
        for rows in &rule.rows {
            names(".each", &rows.row.table, [&rows.row.key, &rows.row.fields]);
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
fn missing<'c>(
    model: &Model,
    table: &'c str,
    columns: [&'c [(String, Origin)]; 2],
) -> Vec<(&'static str, &'c str, String)> {
    let Some(id) = model.named(table) else {
        let known: Vec<&str> = model.tables().map(|(_, own)| own.shown.as_str()).collect();
        let message = format!(
            "the database has no table `{table}` that this role may read; {}",
            there(&known)
        );
        return vec![("table", table, message)];
    };
    let own = model.table(id);
    let known: Vec<&str> = own.columns.iter().map(|own| own.column.as_str()).collect();
    let parts = ["key", "fields"].into_iter().zip(columns);
    let names = parts.flat_map(|(part, names)| names.iter().map(move |(name, _)| (part, name)));
    let missing = names.filter(|(_, name)| own.column_named(name).is_none());
    let values_of = |(part, name): (&'static str, &'c String)| {
        let message = format!(
            "the table `{}` has no column `{name}`; {}",
            own.shown,
            there(&known)
        );
        (part, name.as_str(), message)
    };
    missing.map(values_of).collect()
}

/// At most this many names are listed.
const LISTED: usize = 20;

fn there(names: &[&str]) -> String {
    let some = names.get(..names.len().min(LISTED)).unwrap_or_default();
    let more = if some.len() < names.len() {
        ", …"
    } else {
        ""
    };
    format!("there is {}{more}", some.join(", "))
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
    let mut subjects = Vec::new();
    if let Some(row) = &rule.row {
        let mut own = subject(model, rule, row, (&places, None), is_delete)?;
        for each in &row.each {
            own.facts.extend(rows(model, each, &places));
        }
        subjects.push(own);
    }
    for rows in &rule.rows {
        let Some(items) = &rows.items else {
            subjects.push(subject(model, rule, &rows.row, (&places, None), is_delete)?);
            continue;
        };
        for element in places.elements(items) {
            let at = (&places, Some(element));
            subjects.push(subject(model, rule, &rows.row, at, is_delete)?);
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
    (places, each): (&Places<'_>, Option<Node<'_>>),
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
        let Some(value) = places.value(origin, each).filter(is_given) else {
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
    let mut facts = fields(model, table, &row.fields, From::Contract, (places, each));
    let mut conditions = Vec::new();
    if looked == Looked::Values {
        let text = |(column, text): &(ColumnId, SmolStr)| (*column, Value::Text(text.clone()));
        conditions.extend(key.iter().map(text));
        conditions.extend(
            facts
                .drain(..)
                .filter_map(|fact| match (fact.about, fact.claim) {
                    (Target::Column(column), Claim::Value(value)) => Some((column, value)),
                    _ => None,
                }),
        );
    }
    facts.extend(fields(
        model,
        table,
        &row.shows,
        From::Shown,
        (places, each),
    ));
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
    origins: &[(String, Origin)],
    from: From,
    (places, each): (&Places<'_>, Option<Node<'_>>),
) -> Vec<Fact> {
    let given = places
        .arguments
        .map_or_else(Values::default, |arguments| given(arguments.root()));
    let fact = |(name, origin): &(String, Origin)| {
        let column = model.table(table).column_named(name)?;
        let value = places.value(origin, each)?;
        let named = origin
            .places()
            .first()
            .map(|(_, text)| SmolStr::from(*text));
        let field = named.unwrap_or_else(|| "const".into());
        let is_shown = field.starts_with("/result") && !given.has(&value);
        let fact = made(Target::Column(column), Claim::Value(value), field);
        Some(Fact {
            repeats_argument: !is_shown,
            from,
            ..fact
        })
    };
    origins.iter().filter_map(fact).collect()
}

fn made(target: Target, claim: Claim, field: SmolStr) -> Fact {
    Fact {
        is_firm: true,
        ..Fact::new(target, claim, From::Contract, field)
    }
}

/// The rows for the elements of an array.
fn rows(model: &Model, each: &EachRule, places: &Places<'_>) -> Option<Fact> {
    let table = model.named(&each.table)?;
    let own = model.table(table);
    let (name, origin) = &each.key;
    let column = own.column_named(name)?;
    let value = places.value(origin, None).filter(is_given)?;
    let value = fit_text(own.column(column).holds, value.plain().trim().into())?;
    let (_, text) = each.items.places().pop()?;
    let elements = places.elements(&each.items);
    let element = |node: &Node<'_>| -> Option<Element> {
        let pairs = each.fields.iter().filter_map(|(name, origin)| {
            let column = own.column_named(name)?;
            Some((column, places.value(origin, Some(*node))?))
        });
        let pairs: Vec<(ColumnId, Value)> = pairs.collect();
        (!pairs.is_empty()).then(|| pairs.into())
    };
    let elements: Vec<Element> = elements.iter().filter_map(element).collect();
    if elements.is_empty() {
        return None;
    }
    let target = Target::Named {
        table,
        column,
        value,
    };
    let mut fact = made(target, Claim::Rows(elements.into()), text.into());
    fact.is_complete = each.exact;
    Some(fact)
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
    let says = |row: &RowRule| !(row.absent || row.fields.is_empty() && row.each.is_empty());
    if !rule.all_rows().any(says) {
        return open;
    }
    if let Some(arguments) = places.arguments {
        let arguments = vocabulary.object(arguments.root());
        let renewed = renewed(&arguments);
        for member in &arguments {
            let name = &member.field.name;
            let pointer = format!("/args/{}", escaped(&name.text));
            if renewed.contains(name.norm.as_str()) || rule.points_at(&pointer) {
                continue;
            }
            let is_used = |(path, _): &(SmolStr, Value)| {
                let inner = path.strip_prefix(name.text.as_str()).unwrap_or_default();
                let inner = inner.strip_prefix('.').map(escaped);
                let place =
                    inner.map_or_else(|| pointer.clone(), |inner| format!("{pointer}/{inner}"));
                rule.has_pointer_into(&place)
            };
            open.extend(
                values_of(member)
                    .into_iter()
                    .filter(|value| !is_used(value)),
            );
        }
        // what was added is not what is there afterwards
        open.retain(|(_, value)| tool.relative.is_none() || !value.is_number());
    }
    let row = rule.row.as_ref().filter(|_| rule.confirmed);
    let table = row.and_then(|row| vocabulary.model.named(&row.table));
    if let Some((table, answer)) = table.zip(places.answer) {
        for member in vocabulary.object(answer.root()) {
            let field = &member.field;
            let pointer = format!("/result/{}", escaped(&field.name.text));
            let has_column = field.column(table).is_some_and(|(column, _)| {
                !vocabulary.model.table(table).column(column).is_volatile
            });
            let is_said = has_column || is_open_state(vocabulary, table, &member);
            let is_left = rule.leaves_open(&field.name.text);
            let is_listed = is_left || (is_said && is_scalar(member.node));
            if is_listed && !rule.has_pointer_into(&pointer) {
                open.extend(values_of(&member));
            }
        }
    }
    for each in rule.row.iter().flat_map(|row| &row.each) {
        let used = [&each.fields[..]];
        open.extend(beside_elements(vocabulary, &each.items, &used, &places));
    }
    for rows in rule.rows.iter().filter(|rows| !rows.row.absent) {
        if let Some(items) = &rows.items {
            let used = [&rows.row.fields[..], &rows.row.key[..]];
            open.extend(beside_elements(vocabulary, items, &used, &places));
        }
    }
    open
}

/// What the elements of an array say and their rule does not compare.
fn beside_elements(
    vocabulary: &mut Vocabulary,
    items: &Origin,
    used: &[&[(String, Origin)]],
    places: &Places<'_>,
) -> Uncompared {
    let Some((_, text)) = items.places().pop() else {
        return Uncompared::new();
    };
    let name = text.rsplit('/').next().unwrap_or_default();
    let elements = places.elements(items);
    let mut open = Uncompared::new();
    for element in elements {
        for member in vocabulary.object(element) {
            let inner = &member.field.name.text;
            let pointer = format!("/each/{}", escaped(inner));
            let tells = matches!(member.node.value(), Kind::Number(_) | Kind::String(_))
                && !member.field.is_beside_the_point;
            if tells && !used.iter().any(|used| points_into(used, &pointer)) {
                open.push((format!("{name}[].{inner}").into(), Value::of(member.node)));
            }
        }
    }
    open
}

impl Rule {
    /// Every row by its key.
    fn all_rows(&self) -> impl Iterator<Item = &RowRule> {
        let more = self.rows.iter().map(|rows| &rows.row);
        self.row.iter().chain(more)
    }

    /// Whether something of this name is said and not compared.
    pub(crate) fn leaves_open(&self, name: &str) -> bool {
        self.open.iter().any(|open| covers(open, name))
    }

    /// Whether just this place is used as a whole.
    fn points_at(&self, place: &str) -> bool {
        let mut rows = self.all_rows();
        rows.any(|row| {
            let parts = [&row.key, &row.fields, &row.shows].into_iter();
            let mut origins = parts.flatten().map(|(_, origin)| origin);
            origins.any(|origin| origin.places().iter().any(|(_, text)| *text == place))
        })
    }

    /// Whether something below this place, or itself, is used.
    fn has_pointer_into(&self, place: &str) -> bool {
        let items = self.rows.iter().filter_map(|rows| rows.items.as_ref());
        let below = self.row.iter().flat_map(|row| &row.each);
        let mut items = items.chain(below.map(|each| &each.items));
        items.any(|items| is_into(items, place))
            || self.all_rows().any(|row| {
                let mut parts = [&row.key, &row.fields, &row.shows].into_iter();
                parts.any(|part| points_into(part, place))
            })
    }
}

/// Whether a name that a contract lists is this one, or what holds it.
pub(crate) fn covers(listed: &str, name: &str) -> bool {
    let bare = |name: &str| name.replace("[]", "");
    let (listed, name) = (bare(listed), bare(name));
    let rest = name.strip_prefix(listed.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn points_into(origins: &[(String, Origin)], place: &str) -> bool {
    origins.iter().any(|(_, origin)| is_into(origin, place))
}

fn is_into(origin: &Origin, place: &str) -> bool {
    origin.places().into_iter().any(|(_, text)| {
        let rest = text.strip_prefix(place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
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
}

impl<'c> Places<'c> {
    fn of(call: &'c Call) -> Self {
        Self {
            arguments: call.arguments.as_ref().ok(),
            answer: answer_data(call),
            words: match &call.answer {
                Some(Answer::Text(text)) => Some(text),
                _ => None,
            },
        }
    }

    /// The word behind some words of a text.
    fn behind(&self, origin: &Origin, after: &str, each: Option<Node<'c>>) -> Option<Value> {
        let text = match (&origin.places()[..], self.words) {
            ([(pointer, _)], Some(words)) if pointer.root == Root::Result => words.to_owned(),
            _ => self.value(origin, each)?.plain().into_owned(),
        };
        let (_, rest) = text.split_once(after)?;
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let rest = rest.trim_start_matches(|c: char| !is_part(c));
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let word = rest.get(..end).filter(|word| !word.is_empty())?;
        Some(Value::Text(word.into()))
    }

    fn node(&self, pointer: &Pointer, each: Option<Node<'c>>) -> Option<Node<'c>> {
        let [args, answer] = [self.arguments, self.answer].map(|json| json.map(Json::root));
        pointer.follow(args, answer, each)
    }

    /// The elements of an array, or the members of a map.
    fn elements(&self, items: &Origin) -> Vec<Node<'c>> {
        let mut places = items.places().into_iter();
        match places.find_map(|(pointer, _)| Some(self.node(pointer, None)?.value())) {
            Some(Kind::Array(items)) => items.collect(),
            Some(Kind::Object(members)) => members.map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }

    /// The value; nothing where a pointer leads nowhere, or to an argument or
    /// element that is `null`. In an answer `null` says that nothing is there.
    fn value(&self, origin: &Origin, each: Option<Node<'c>>) -> Option<Value> {
        if let Origin::Const(value) = origin {
            let json = Json::parse(&value.to_string()).ok()?;
            return Some(Value::of(json.root()));
        }
        if let Origin::Behind(text, after) = origin {
            return self.behind(text, after, each);
        }
        origin.places().into_iter().find_map(|(pointer, _)| {
            let node = self.node(pointer, each)?;
            let is_said = !node.is_null() || pointer.root == Root::Result;
            is_said.then(|| Value::of(node))
        })
    }
}
