//! Nodes of a JSON document that an RFC 9535 query selects, spelled as in the file
//! (claims 12).

mod spelling;

use std::borrow::Cow;
use std::collections::HashMap;

use crosscheck_core::json::Value as Spelled;
use crosscheck_core::{Json, Node};
use serde_json::Value;
use serde_json_path::JsonPath;

use self::spelling::{Found, Search, address, outermost};

/// Limit on the steps of a query; each step keeps a pointer.
const MAX_STEPS: u64 = 16 * 1024 * 1024;
/// The parser tries nested filters several times.
const MAX_FILTERS: usize = 6;
/// A pattern is compiled for every node it is matched against.
const PATTERN_COST: u64 = 1024;
/// The nesting limit of the document reader.
const MAX_DEPTH: u64 = 128;

/// Why there are no nodes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoNodes {
    /// The text is neither JSON nor JSON Lines.
    NotJson,
    /// RFC 9535 does not allow this query.
    BadQuery,
    /// Running the query, or showing its result, would be too costly.
    TooLarge,
}

/// What a query selects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Nodes {
    pub(crate) selected: Vec<Selected>,
    /// Their text in the file, members with their names; a node inside another
    /// one is part of its text.
    pub(crate) spelled: Vec<String>,
}

/// One selected node.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selected {
    /// The last member name on the way to it.
    pub(crate) name: Option<String>,
    /// The string itself, where the node is a string.
    pub(crate) string: Option<String>,
    /// Its compact JSON text, numbers with the digits of the file.
    pub(crate) json: String,
}

impl Selected {
    /// `name = value`, strings without their quotes.
    pub(crate) fn line(&self) -> String {
        let value = self.string.as_ref().unwrap_or(&self.json);
        match &self.name {
            Some(name) => format!("{name} = {value}"),
            None => value.clone(),
        }
    }
}

/// Selects nodes in the order of the query; members whose order the query
/// leaves open come in the order of the file. Their texts together stay below
/// `max_bytes`.
pub(crate) fn select(bytes: &[u8], query: &str, max_bytes: u64) -> Result<Nodes, NoNodes> {
    let text = std::str::from_utf8(bytes).map_err(|_| NoNodes::NotJson)?;
    let read = Reading::of(text).ok_or(NoNodes::NotJson)?;
    let path = vetted(query, text.len() as u64)?;
    let mut nodes = path.query(&read.value).all();
    if nodes.len() as u64 > max_bytes {
        return Err(NoNodes::TooLarge);
    }
    let places = Search::new(&read.text, &nodes).run(&read.value, read.spelled.root());
    let place = |node: &Value| places.get(&address(node)).ok_or(NoNodes::NotJson);
    let order = Order::of(query);
    nodes.sort_by_key(|node| place(node).map_or((0, 0), |found| order.key(found)));
    let mut room = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut selected = Vec::with_capacity(nodes.len());
    let mut ranges = Vec::with_capacity(nodes.len());
    for node in nodes {
        let found = place(node)?;
        let mut json = String::new();
        write(found.node, room, &mut json)?;
        room -= json.len();
        ranges.push(found.range.clone());
        selected.push(Selected {
            name: found.name.map(str::to_owned),
            string: node.as_str().map(str::to_owned),
            json,
        });
    }
    let whole = 0..read.text.len();
    let spelled = if ranges.contains(&whole) {
        vec![text.to_owned()] // JSON Lines have neither brackets nor commas between values
    } else {
        outermost(&read.text, ranges)
    };
    Ok(Nodes { selected, spelled })
}

/// The order that RFC 9535 requires; where it leaves the order open, that of
/// the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Given by the query.
    AsSelected,
    /// As in the file.
    ByPlace,
    /// The members of a value before those of the values inside it.
    ByParent,
}

impl Order {
    fn of(query: &str) -> Self {
        let plain = without_strings(query);
        let goes_back = plain.contains(':') && plain.contains('-');
        if plain.contains(',') || goes_back {
            return Self::AsSelected;
        }
        match plain.split_once("..") {
            None => Self::ByPlace,
            // The order is this simple only if the last step visits the descendants.
            Some((_, last)) if !last.get(1..).unwrap_or_default().contains(['.', '[']) => {
                Self::ByParent
            }
            Some(_) => Self::AsSelected,
        }
    }

    /// The sort key of nodes; the sort is stable.
    const fn key(self, found: &Found<'_>) -> (usize, usize) {
        match self {
            Self::AsSelected => (0, 0),
            Self::ByPlace => (0, found.range.start),
            Self::ByParent => (found.parent, found.range.start),
        }
    }
}

/// A JSON text in the form of [`Selected`], with any white space; `None` if it
/// is not JSON.
pub(crate) fn compact(text: &str) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let mut out = String::new();
    write(json.root(), text.len(), &mut out).ok()?;
    Some(out)
}

/// One JSON value, or JSON Lines as an array of its values.
struct Reading<'t> {
    text: Cow<'t, str>,
    /// For queries.
    value: Value,
    /// With the digits of its numbers.
    spelled: Json,
}

impl<'t> Reading<'t> {
    fn of(text: &'t str) -> Option<Self> {
        Self::of_one(Cow::Borrowed(text)).or_else(|| {
            let lines: Vec<&str> = text
                .split('\n')
                .map(str::trim_ascii)
                .filter(|line| !line.is_empty())
                .collect();
            let is_json = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
            (!lines.is_empty() && lines.iter().all(is_json))
                .then(|| Self::of_one(Cow::Owned(format!("[{}]", lines.join(",")))))?
        })
    }

    fn of_one(text: Cow<'t, str>) -> Option<Self> {
        let value = serde_json::from_str(&text).ok()?;
        let spelled = Json::parse(&text).ok()?;
        Some(Self {
            text,
            value,
            spelled,
        })
    }
}

/// The query is untrusted: what could make the parser or the search too slow is
/// refused before either starts.
fn vetted(query: &str, document_bytes: u64) -> Result<JsonPath, NoNodes> {
    let plain = without_strings(query);
    let count = |mark: &str| plain.matches(mark).count();
    if query.len() > 4096 || count("(") + count("[") + count("!") > 100 {
        return Err(NoNodes::BadQuery);
    }
    if count("?") > MAX_FILTERS || steps(&plain, document_bytes / 2 + 1) > MAX_STEPS {
        return Err(NoNodes::TooLarge);
    }
    JsonPath::parse(query).map_err(|_| NoNodes::BadQuery)
}

/// An upper estimate: lists select a node repeatedly, every further descendant
/// search visits a node once for each level above it, and a `$` inside a filter
/// starts again at the root for every node.
fn steps(plain: &str, values: u64) -> u64 {
    let power = |base: u64, mark: &str| {
        let times = plain.matches(mark).count().saturating_sub(1);
        base.saturating_pow(u32::try_from(times).unwrap_or(u32::MAX))
    };
    let lists = plain
        .split('[')
        .map(|part| part.matches(',').count() as u64 + 1)
        .fold(1, u64::saturating_mul);
    let patterns = if plain.contains("match") || plain.contains("search") {
        PATTERN_COST
    } else {
        1
    };
    values
        .saturating_mul(lists)
        .saturating_mul(patterns)
        .saturating_mul(power(values.min(MAX_DEPTH), ".."))
        .saturating_mul(power(values, "$"))
}

/// The query without its quoted parts.
fn without_strings(query: &str) -> String {
    let mut plain = String::new();
    let mut inside = None;
    let mut chars = query.chars();
    while let Some(c) = chars.next() {
        match inside {
            Some(_) if c == '\\' => {
                chars.next();
            }
            Some(mark) if c == mark => inside = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => inside = Some(c),
            None => plain.push(c),
        }
    }
    plain
}

/// Compact JSON in the order of the file; the last value of a repeated key
/// counts.
fn write(node: Node<'_>, room: usize, out: &mut String) -> Result<(), NoNodes> {
    match node.value() {
        Spelled::Null => out.push_str("null"),
        Spelled::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        Spelled::Number(digits) => out.push_str(digits.text()),
        Spelled::String(text) => out.push_str(&quoted(&text.to_str_lossy())),
        Spelled::Array(elements) => {
            out.push('[');
            for (at, element) in elements.enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write(element, room, out)?;
            }
            out.push(']');
        }
        Spelled::Object(members) => {
            let last: HashMap<&[u8], usize> = members
                .enumerate()
                .map(|(at, (key, _))| (key.bytes(), at))
                .collect();
            let kept = members
                .enumerate()
                .filter(|(at, (key, _))| last.get(key.bytes()) == Some(at));
            out.push('{');
            for (number, (_, (key, value))) in kept.enumerate() {
                out.push_str(if number == 0 { "" } else { "," });
                out.push_str(&quoted(&key.to_str_lossy()));
                out.push(':');
                write(value, room, out)?;
            }
            out.push('}');
        }
    }
    if out.len() > room {
        return Err(NoNodes::TooLarge);
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
#[path = "query/tests.rs"]
mod tests;
