//! The contract of `rows` (rows 12): what tools do, as a person wrote it down.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::pointer::{Pointer, Root};

/// What is known about tools.
#[derive(Debug, Default)]
pub struct Contract {
    /// By the name of the tool.
    pub tools: BTreeMap<String, Rule>,
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
}

/// What a tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It deletes.
    Delete,
    /// It is none of our business.
    Ignore,
}

/// What is known about a tool.
#[derive(Debug)]
pub struct Rule {
    /// What it does.
    pub class: Option<Class>,
    /// The row it writes.
    pub row: Option<RowRule>,
    /// Rows that it writes by keys of their own. Without these and without a
    /// row it is mapped as without a contract.
    pub rows: Vec<RowsRule>,
    /// Arguments that need not be compared.
    pub ignore: Vec<String>,
    /// What is said and not compared: calls that say it stay unproven.
    pub open: Vec<String>,
    /// Whether a person has looked at it.
    pub confirmed: bool,
}

/// The row that a tool writes.
#[derive(Debug)]
pub struct RowRule {
    /// The table, as the database calls it.
    pub table: String,
    /// The key columns.
    pub key: Vec<(String, Origin)>,
    /// The other columns.
    pub fields: Vec<(String, Origin)>,
    /// Columns that the call only shows: they are compared and prove nothing.
    pub shows: Vec<(String, Origin)>,
    /// Whether the row must be gone.
    pub absent: bool,
    /// Whether each call adds a row, and many may be alike.
    pub append: bool,
    /// Rows of other tables, one for each element of an array.
    pub each: Vec<EachRule>,
}

/// Rows for the elements of an array or map.
#[derive(Debug)]
pub struct EachRule {
    /// The array.
    pub items: Origin,
    /// The table of the rows.
    pub table: String,
    /// The column that they share, and its value.
    pub key: (String, Origin),
    /// The columns that each element fills.
    pub fields: Vec<(String, Origin)>,
    /// Whether there may be no other rows.
    pub exact: bool,
}

/// Rows that a tool writes, each by its key.
#[derive(Debug)]
pub struct RowsRule {
    /// The array; without one there is one row.
    pub items: Option<Origin>,
    /// The row, of an element or of the call.
    pub row: RowRule,
}

/// Where a value comes from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A place in the arguments, the answer or the element.
    Pointer {
        /// The way to it.
        pointer: Pointer,
        /// The pointer as it was written.
        text: String,
    },
    /// Always the same.
    Const(serde_json::Value),
    /// The first of these places that holds something.
    First(Vec<Origin>),
    /// The word behind these words of a text.
    Behind(Box<Origin>, String),
}

impl Origin {
    /// The places that it names, as they were written.
    pub(crate) fn places(&self) -> Vec<(&Pointer, &str)> {
        match self {
            Self::Pointer { pointer, text } => vec![(pointer, text)],
            Self::Const(_) => Vec::new(),
            Self::First(origins) => origins.iter().flat_map(Self::places).collect(),
            Self::Behind(origin, _) => origin.places(),
        }
    }

    fn is_of_element(&self) -> bool {
        let mut places = self.places().into_iter();
        places.any(|(pointer, _)| pointer.root == Root::Each)
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

impl Contract {
    /// Reads the text of a contract.
    pub fn parse(text: &str) -> Result<Self, ContractError> {
        let raw: RawContract = toml::from_str(text).map_err(|error| syntax(text, &error))?;
        if raw.version != 1 {
            return Err(ContractError::at("version", "must be 1"));
        }
        let rule = |(name, raw): (String, RawRule)| {
            let rule = Rule::new(&name, raw)?;
            Ok((name, rule))
        };
        let tools = raw.tools.into_iter().map(rule);
        Ok(Self {
            tools: tools.collect::<Result<_, _>>()?,
            text: text.to_owned(),
        })
    }
}

/// The place and the message of what TOML itself refuses, without the line's text.
fn syntax(text: &str, error: &toml::de::Error) -> ContractError {
    let message = error.message().to_owned();
    let Some(start) = error.span().map(|span| span.start) else {
        return ContractError::at("the file", message);
    };
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    ContractError::at(format!("line {line}, column {column}"), message)
}

/// What tools do to the database, for `crosscheck rows --contract`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RowsContract")]
pub(crate) struct RawContract {
    /// The version of this format.
    #[schemars(extend("const" = 1))]
    version: i64,
    /// By the name of the tool.
    #[serde(default)]
    tools: BTreeMap<String, RawRule>,
}

/// What one tool does.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tool", extend("dependentRequired" = {
    "table": ["key"], "key": ["table"], "fields": ["table"], "shows": ["table"],
    "absent": ["table"], "append": ["table"]
}))]
struct RawRule {
    class: Option<Class>,
    /// The table of the row it writes. Without one the tool is mapped as
    /// without a contract.
    table: Option<String>,
    /// The columns that name the row.
    #[schemars(extend("minProperties" = 1))]
    key: Option<BTreeMap<String, RawOrigin>>,
    /// The columns it fills; a pointer that leads nowhere says nothing.
    #[schemars(extend("minProperties" = 1))]
    fields: Option<BTreeMap<String, RawOrigin>>,
    /// Columns that the call only shows: they are compared and prove nothing.
    #[schemars(extend("minProperties" = 1))]
    shows: Option<BTreeMap<String, RawOrigin>>,
    /// Whether the row must be gone.
    absent: Option<bool>,
    /// Whether each call adds a row: as many must hold key and fields as calls say so.
    append: Option<bool>,
    /// More rows: of other tables, or one for each element of an array.
    each: Option<Vec<RawEach>>,
    /// Arguments that need not be compared.
    #[serde(default)]
    ignore: Vec<String>,
    /// What is said and not compared: calls that say it stay unproven until it
    /// is mapped to a column, or moved to `ignore`.
    #[serde(default)]
    open: Vec<String>,
    /// Whether a person confirmed this entry. Only then it refutes.
    #[serde(default = "yes")]
    confirmed: bool,
}

const fn yes() -> bool {
    true
}

/// Rows for the elements of an array or map, or one more row.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Each")]
struct RawEach {
    /// Pointer to the array or map; without one there is one row.
    items: Option<String>,
    /// The table of the rows.
    table: String,
    /// The columns that name each row, one of them by `/each`; else the one
    /// column that all of them share with the row of the tool.
    #[schemars(extend("minProperties" = 1))]
    key: BTreeMap<String, RawOrigin>,
    /// The columns that each element fills.
    #[schemars(extend("minProperties" = 1))]
    fields: Option<BTreeMap<String, RawOrigin>>,
    /// Whether the rows must be gone.
    #[serde(default)]
    absent: bool,
    /// Whether other rows with that key are reported.
    #[serde(default)]
    exact: bool,
}

/// Where a value comes from.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Origin")]
#[serde(
    untagged,
    expecting = "a pointer such as \"/args/id\", a list of them, { const = … }, or { text = \"/result\", after = … }"
)]
enum RawOrigin {
    /// A place in the arguments, the answer or, below `each`, the element.
    Pointer(#[schemars(regex(pattern = "^/(args|result|each)(/.*)?$"))] String),
    /// The first of these places that holds something.
    First(#[schemars(extend("minItems" = 1))] Vec<String>),
    /// Always the same value.
    Const(RawConst),
    /// The word behind some words of a text.
    Behind(RawBehind),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Behind")]
struct RawBehind {
    /// A place that holds a text, such as `/result`.
    text: String,
    /// What stands in front of the word, such as `for bill `.
    after: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Constant")]
struct RawConst {
    #[schemars(extend("type" = ["string", "number", "boolean"]))]
    r#const: serde_json::Value,
}

impl Rule {
    fn new(name: &str, raw: RawRule) -> Result<Self, ContractError> {
        let place = format!("tools.{name}");
        let needs_table = [
            ("key", raw.key.is_some()),
            ("fields", raw.fields.is_some()),
            ("shows", raw.shows.is_some()),
            ("absent", raw.absent.is_some()),
            ("append", raw.append.is_some()),
        ];
        let (mut each, mut rows) = (Vec::new(), Vec::new());
        for (at, raw) in raw.each.into_iter().flatten().enumerate() {
            match More::new(&format!("{place}.each[{at}]"), raw)? {
                More::Below(rule) => each.push(rule),
                More::Rows(rule) => rows.push(rule),
            }
        }
        let row = match (raw.table, raw.key) {
            (Some(table), Some(key)) => Some(RowRule {
                key: origins(&format!("{place}.key"), key, false)?,
                fields: match raw.fields {
                    Some(fields) => origins(&format!("{place}.fields"), fields, false)?,
                    None => Vec::new(),
                },
                shows: match raw.shows {
                    Some(shows) => origins(&format!("{place}.shows"), shows, false)?,
                    None => Vec::new(),
                },
                absent: raw.absent.unwrap_or(false),
                append: raw.append.unwrap_or(false),
                each,
                table,
            }),
            (Some(_), None) => {
                return Err(ContractError::at(
                    place,
                    "`table` without `key`: say which columns find the row, as in key = { id = \"/args/id\" }",
                ));
            }
            (None, _) => {
                if let Some((key, _)) = needs_table.iter().find(|(_, given)| *given) {
                    let message = format!(
                        "`{key}` without `table`: name the table and the key of the row that the tool writes"
                    );
                    return Err(ContractError::at(place, message));
                }
                if !each.is_empty() {
                    let message = "`each` with a key that all rows share needs `table` and `key` of the row they belong to; if each element is a row of its own, point there: key = { id = \"/each\" }";
                    return Err(ContractError::at(place, message));
                }
                None
            }
        };
        Ok(Self {
            class: raw.class,
            row,
            rows,
            ignore: raw.ignore,
            open: raw.open,
            confirmed: raw.confirmed,
        })
    }
}

/// More rows of a tool.
enum More {
    /// Child rows of the row that the tool writes.
    Below(EachRule),
    /// Rows by keys of their own.
    Rows(RowsRule),
}

impl More {
    fn new(place: &str, raw: RawEach) -> Result<Self, ContractError> {
        let has_items = raw.items.is_some();
        let mut key = origins(&format!("{place}.key"), raw.key, has_items)?;
        let fields = match raw.fields {
            Some(fields) => origins(&format!("{place}.fields"), fields, has_items)?,
            None => Vec::new(),
        };
        let items = raw.items.map(|items| {
            let place = format!("{place}.items");
            origin(&place, RawOrigin::Pointer(items), false)
        });
        let items = items.transpose()?;
        let is_own = key.iter().any(|(_, origin)| origin.is_of_element());
        let is_below = !is_own && !raw.absent;
        let Some(items) = items.clone().filter(|_| is_below) else {
            if raw.exact {
                let message = "`exact` is for rows that share a key, and these have keys of their own; remove it";
                return Err(ContractError::at(place, message));
            }
            return Ok(Self::Rows(RowsRule {
                items,
                row: RowRule {
                    table: raw.table,
                    key,
                    fields,
                    shows: Vec::new(),
                    absent: raw.absent,
                    append: false,
                    each: Vec::new(),
                },
            }));
        };
        let (Some(first), None) = (key.pop(), key.pop()) else {
            let message = "must name exactly one column, or point into the elements: key = { id = \"/each/id\" }";
            return Err(ContractError::at(format!("{place}.key"), message));
        };
        if fields.is_empty() {
            let message = "`fields` is missing: say which columns each element fills";
            return Err(ContractError::at(place, message));
        }
        Ok(Self::Below(EachRule {
            items,
            table: raw.table,
            key: first,
            fields,
            exact: raw.exact,
        }))
    }
}

fn origins(
    place: &str,
    raw: BTreeMap<String, RawOrigin>,
    in_each: bool,
) -> Result<Vec<(String, Origin)>, ContractError> {
    if raw.is_empty() {
        return Err(ContractError::at(
            place,
            "names no column; name one, or remove it",
        ));
    }
    raw.into_iter()
        .map(|(column, raw)| {
            let origin = origin(&format!("{place}.{column}"), raw, in_each)?;
            Ok((column, origin))
        })
        .collect()
}

fn origin(place: &str, raw: RawOrigin, in_each: bool) -> Result<Origin, ContractError> {
    let text = match raw {
        RawOrigin::Const(RawConst { r#const }) => {
            return match r#const {
                serde_json::Value::Null
                | serde_json::Value::Array(_)
                | serde_json::Value::Object(_) => Err(ContractError::at(
                    place,
                    "a constant is a text, a number or a truth value",
                )),
                scalar => Ok(Origin::Const(scalar)),
            };
        }
        RawOrigin::Behind(RawBehind { text, after }) => {
            let text = origin(place, RawOrigin::Pointer(text), in_each)?;
            return Ok(Origin::Behind(Box::new(text), after));
        }
        RawOrigin::First(texts) => {
            if texts.is_empty() {
                return Err(ContractError::at(place, "names no place"));
            }
            let one = |text| origin(place, RawOrigin::Pointer(text), in_each);
            let origins = texts.into_iter().map(one).collect::<Result<_, _>>()?;
            return Ok(Origin::First(origins));
        }
        RawOrigin::Pointer(text) => text,
    };
    let root = match text.split('/').nth(1) {
        Some("args") if text.starts_with('/') => Root::Args,
        Some("result") if text.starts_with('/') => Root::Result,
        Some("each") if text.starts_with('/') && in_each => Root::Each,
        _ => {
            let each = if in_each { ", /each" } else { "" };
            return Err(ContractError::at(
                place,
                format!("`{text}` must begin with /args, /result{each}"),
            ));
        }
    };
    let path = text.splitn(3, '/').nth(2);
    let path = path.map_or_else(String::new, |path| format!("/{path}"));
    Ok(Origin::Pointer {
        pointer: Pointer {
            root,
            path: path.as_str().into(),
        },
        text,
    })
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
        let row = close.row.as_ref().unwrap();
        assert_eq!((row.key.len(), row.fields.len(), row.each.len()), (1, 2, 1));
        assert!(row.each[0].exact);
        assert!(contract.tools["mail"].row.is_none());
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
                "tools.t.key.id: `args/id` must begin with /args, /result",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'\nkey = { id = '/each/id' }",
                "tools.t.key.id: `/each/id` must begin with /args, /result",
            ),
            (
                "version = 1\n[tools.t]\ntable = 'x'\nkey = { id = { const = [1] } }",
                "tools.t.key.id: a constant is",
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
