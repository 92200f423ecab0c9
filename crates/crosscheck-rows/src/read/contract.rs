//! The contract of `rows` (rows 12): what tools do, as a person wrote it down.
//! `schemas/rows-contract.schema.json` describes its form.

use std::collections::BTreeMap;

use crosscheck_core::json::Node;
use serde::Deserialize;

use super::pointer::resolve_pointer;
use crate::compare::value::Value;

/// What is known about tools.
#[derive(Debug, Default)]
pub(crate) struct Contract {
    /// By the name of the tool.
    pub(crate) tools: BTreeMap<String, Rule>,
    /// As it was read.
    pub(crate) text: String,
}

impl Contract {
    /// The entry of a tool: by its name, else by what follows the last `__`,
    /// because harnesses put the name of the server in front of it.
    pub(crate) fn rule(&self, tool: &str) -> Option<&Rule> {
        if self.tools.is_empty() {
            return None;
        }
        let bare = || tool.rsplit("__").next().unwrap_or(tool);
        self.tools.get(tool).or_else(|| self.tools.get(bare()))
    }

    /// Reads the text of a contract.
    pub(crate) fn parse(text: &str) -> Result<Self, ContractError> {
        let raw: RawContract = toml::from_str(text).map_err(|error| syntax(text, &error))?;
        if raw.version != 1 {
            return Err(ContractError::at("version", "must be 1"));
        }
        let rule = |(name, raw): (String, RawRule)| {
            let rule = raw.rule(&format!("tools.{name}"))?;
            Ok((name, rule))
        };
        Ok(Self {
            tools: raw.tools.into_iter().map(rule).collect::<Result<_, _>>()?,
            text: text.to_owned(),
        })
    }
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    Read,
    Write,
    Delete,
    /// It is none of our business.
    Ignore,
}

/// What is known about a tool.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) class: Option<Class>,
    /// The rows it writes, its own first. Without any it is mapped as without a contract.
    pub(crate) rows: Vec<RowRule>,
    /// Arguments that need not be compared.
    pub(crate) ignore: Vec<String>,
    /// What is said and not compared: calls that say it stay unproven.
    pub(crate) open: Vec<String>,
    /// Whether a person has looked at it.
    pub(crate) confirmed: bool,
}

/// A row that a tool writes, or one for each element of an array.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of the contract"
)]
pub(crate) struct RowRule {
    /// The table, as the database calls it.
    pub(crate) table: String,
    pub(crate) key: Columns,
    /// The other columns.
    pub(crate) fields: Columns,
    /// Columns that the call only shows: they are compared and prove nothing.
    pub(crate) shows: Columns,
    /// Whether the row must be gone.
    pub(crate) absent: bool,
    /// Whether each call adds a row, and many may be alike.
    pub(crate) append: bool,
    /// The array or map with an element for each row.
    pub(crate) items: Option<Pointer>,
    /// Whether the rows hang on that of the tool, and share the one column of their key.
    pub(crate) is_below: bool,
    /// Whether there may be no other such rows.
    pub(crate) exact: bool,
}

/// Columns, each with what it holds.
pub(crate) type Columns = Vec<(String, Origin)>;

/// Where a value comes from.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawOrigin")]
pub(crate) enum Origin {
    /// The first of these places that holds something.
    Places(Vec<Pointer>),
    /// Always the same.
    Const(Value),
    /// The word behind these words of a text.
    Behind(Pointer, String),
}

impl Origin {
    /// The places that it names.
    pub(crate) fn places(&self) -> &[Pointer] {
        match self {
            Self::Places(places) => places,
            Self::Const(_) => &[],
            Self::Behind(place, _) => std::slice::from_ref(place),
        }
    }

    fn is_of_element(&self) -> bool {
        let mut places = self.places().iter();
        places.any(|place| place.root == Root::Each)
    }
}

/// The place of a value in what is known about a call: a JSON Pointer behind `/args`, `/result` or
/// `/each`.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Pointer {
    pub(crate) root: Root,
    /// As it was written.
    pub(crate) text: String,
}

/// What a pointer begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    Args,
    Result,
    Each,
}

impl Pointer {
    /// The value it leads to, of the arguments, the answer and the element.
    pub(crate) fn follow<'j>(&self, roots: [Option<Node<'j>>; 3]) -> Option<Node<'j>> {
        let [args, result, each] = roots;
        let root = match self.root {
            Root::Args => args,
            Root::Result => result,
            Root::Each => each,
        };
        let path = self.text.get(1..)?;
        let path = path.find('/').and_then(|at| path.get(at..));
        resolve_pointer(root?, path.unwrap_or_default().into())
    }
}

impl TryFrom<String> for Pointer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let root = match text
            .strip_prefix('/')
            .and_then(|path| path.split('/').next())
        {
            Some("args") => Root::Args,
            Some("result") => Root::Result,
            Some("each") => Root::Each,
            _ => return Err(format!("`{text}` must begin with /args, /result or /each")),
        };
        Ok(Self { root, text })
    }
}

/// The contract cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ContractError {
    /// The line, or the path of keys.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

impl ContractError {
    /// Something is wrong at this path of keys.
    pub(crate) fn at(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
        }
    }
}

/// The place and the message of what TOML itself refuses, without the line's text.
fn syntax(text: &str, error: &toml::de::Error) -> ContractError {
    let message = error.message().to_owned();
    let Some(start) = error.span().map(|span| span.start) else {
        return ContractError::at("the file", message);
    };
    let before = text.get(..start).unwrap_or_default();
    let last = before.rsplit('\n').next().unwrap_or_default();
    let (line, column) = (before.matches('\n').count() + 1, last.chars().count() + 1);
    ContractError::at(format!("line {line}, column {column}"), message)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawContract {
    version: i64,
    #[serde(default)]
    tools: BTreeMap<String, RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    class: Option<Class>,
    table: Option<String>,
    key: Option<BTreeMap<String, Origin>>,
    fields: Option<BTreeMap<String, Origin>>,
    shows: Option<BTreeMap<String, Origin>>,
    absent: Option<bool>,
    append: Option<bool>,
    #[serde(default)]
    each: Vec<RawEach>,
    #[serde(default)]
    ignore: Vec<String>,
    #[serde(default)]
    open: Vec<String>,
    #[serde(default = "yes")]
    confirmed: bool,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEach {
    items: Option<Pointer>,
    table: String,
    key: BTreeMap<String, Origin>,
    fields: Option<BTreeMap<String, Origin>>,
    #[serde(default)]
    absent: bool,
    #[serde(default)]
    exact: bool,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a pointer such as \"/args/id\", a list of them, { const = … }, or { text = \"/result\", after = … }"
)]
enum RawOrigin {
    Pointer(String),
    First(Vec<String>),
    Const { r#const: serde_json::Value },
    Behind { text: String, after: String },
}

impl TryFrom<RawOrigin> for Origin {
    type Error = String;

    fn try_from(raw: RawOrigin) -> Result<Self, String> {
        let places = match raw {
            RawOrigin::Const { r#const } => {
                return Ok(Self::Const(match r#const {
                    serde_json::Value::Bool(truth) => Value::Bool(truth),
                    serde_json::Value::Number(number) => Value::Number(number.to_string().into()),
                    serde_json::Value::String(text) => Value::Text(text.into()),
                    _ => return Err("a constant is a text, a number or a truth value".to_owned()),
                }));
            }
            RawOrigin::Behind { text, after } => {
                return Ok(Self::Behind(text.try_into()?, after));
            }
            RawOrigin::First(places) if places.is_empty() => {
                return Err("names no place".to_owned());
            }
            RawOrigin::First(places) => places,
            RawOrigin::Pointer(place) => vec![place],
        };
        let places = places.into_iter().map(Pointer::try_from);
        Ok(Self::Places(places.collect::<Result<_, _>>()?))
    }
}

impl RawRule {
    fn rule(self, place: &str) -> Result<Rule, ContractError> {
        let mut rows = Vec::new();
        let needs_table = [
            ("key", self.key.is_some()),
            ("fields", self.fields.is_some()),
            ("shows", self.shows.is_some()),
            ("absent", self.absent.is_some()),
            ("append", self.append.is_some()),
        ];
        let needless = needs_table.iter().find(|(_, is_given)| *is_given);
        match (self.table, self.key, needless) {
            (Some(table), Some(key), _) => rows.push(RowRule {
                table,
                key: columns(place, "key", Some(key), false)?,
                fields: columns(place, "fields", self.fields, false)?,
                shows: columns(place, "shows", self.shows, false)?,
                absent: self.absent.unwrap_or_default(),
                append: self.append.unwrap_or_default(),
                ..RowRule::default()
            }),
            (Some(_), None, _) => {
                let message = "`table` without `key`: say which columns find the row, as in key = { id = \"/args/id\" }";
                return Err(ContractError::at(place, message));
            }
            (None, _, Some((word, _))) => {
                let message = format!(
                    "`{word}` without `table`: name the table and the key of the row that the tool writes"
                );
                return Err(ContractError::at(place, message));
            }
            (None, _, None) => {}
        }
        let has_own = !rows.is_empty();
        for (at, raw) in self.each.into_iter().enumerate() {
            let row = raw.rows(&format!("{place}.each[{at}]"))?;
            if row.is_below && !has_own {
                let message = "`each` with a key that all rows share needs `table` and `key` of the row they belong to; if each element is a row of its own, point there: key = { id = \"/each\" }";
                return Err(ContractError::at(place, message));
            }
            rows.push(row);
        }
        Ok(Rule {
            class: self.class,
            rows,
            ignore: self.ignore,
            open: self.open,
            confirmed: self.confirmed,
        })
    }
}

impl RawEach {
    fn rows(self, place: &str) -> Result<RowRule, ContractError> {
        let in_each = self.items.is_some();
        let key = columns(place, "key", Some(self.key), in_each)?;
        let fields = columns(place, "fields", self.fields, in_each)?;
        let is_own = key.iter().any(|(_, origin)| origin.is_of_element());
        let is_below = in_each && !is_own && !self.absent;
        let wrong = |place: &str, message: &str| Err(ContractError::at(place, message));
        if !is_below && self.exact {
            let message =
                "`exact` is for rows that share a key, and these have keys of their own; remove it";
            return wrong(place, message);
        }
        if is_below && key.len() > 1 {
            let message = "must name exactly one column, or point into the elements: key = { id = \"/each/id\" }";
            return wrong(&format!("{place}.key"), message);
        }
        if is_below && fields.is_empty() {
            let message = "`fields` is missing: say which columns each element fills";
            return wrong(place, message);
        }
        Ok(RowRule {
            table: self.table,
            key,
            fields,
            absent: self.absent,
            items: self.items,
            is_below,
            exact: self.exact,
            ..RowRule::default()
        })
    }
}

/// Columns with what they hold; only below `each` there is an element.
fn columns(
    place: &str,
    part: &str,
    raw: Option<BTreeMap<String, Origin>>,
    in_each: bool,
) -> Result<Columns, ContractError> {
    let Some(raw) = raw else {
        return Ok(Columns::new());
    };
    if raw.is_empty() {
        let message = "names no column; name one, or remove it";
        return Err(ContractError::at(format!("{place}.{part}"), message));
    }
    let stray = raw
        .iter()
        .find(|(_, origin)| origin.is_of_element() && !in_each);
    if let Some((column, origin)) = stray {
        let text = origin.places().first().map_or("", |place| &place.text);
        let message = format!("`{text}` must begin with /args, /result");
        return Err(ContractError::at(
            format!("{place}.{part}.{column}"),
            message,
        ));
    }
    Ok(raw.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Contract::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_contract_says_what_tools_write() {
        let contract = Contract::parse(
            r#"
            version = 1
            [tools.close]
            class = "write"
            table = "loans"
            key = { id = "/args/ref" }
            fields = { status = { const = "closed" }, note = "/result/remark" }
            [[tools.close.each]]
            items = "/args/books"
            table = "loan_items"
            key = { loan_id = "/args/ref" }
            fields = { isbn = "/each" }
            exact = true
            [tools.mail]
            class = "ignore"
            "#,
        )
        .unwrap();
        let close = &contract.tools["close"];
        assert!(close.confirmed && close.class == Some(Class::Write));
        let [row, each] = &close.rows[..] else {
            panic!("{close:?}");
        };
        assert_eq!((row.key.len(), row.fields.len()), (1, 2));
        assert!(each.is_below && each.exact);
        assert!(contract.tools["mail"].rows.is_empty());
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place() {
        let table = [
            ("version = 2", "version: must be 1"),
            ("tools = {}", "line 1, column 1: missing field `version`"),
            (
                "version = 1\n[tools.t]\ntabel = 'x'",
                "line 3, column 1: unknown field `tabel`",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'",
                "tools.t: `table` without `key`: say which columns",
            ),
            (
                "version = 1\n[tools.t]\nabsent = true",
                "tools.t: `absent` without `table`: name the table and the key",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'\nkey = {}",
                "tools.t.key: names no column; name one, or remove it",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'\nkey = { id = 'args/id' }",
                "line 4, column 14: `args/id` must begin with /args, /result",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'\nkey = { id = '/each/id' }",
                "tools.t.key.id: `/each/id` must begin with /args, /result",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'\nkey = { id = { const = [1] } }",
                "line 4, column 14: a constant is",
            ),
            (
                "version = 1\n[tools.t]\nclass = 'maybe'",
                "line 3, column 9: unknown variant `maybe`",
            ),
            ("version = 1\n[tools.t\n", "line 2, column"),
        ];
        for (text, expected) in table {
            let message = refused(text);
            assert!(message.starts_with(expected), "{text}\n{message}");
        }
    }
}
