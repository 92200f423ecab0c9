//! Nodes of a JSON document that a query of RFC 9535 selects, spelled as in the file.

use std::collections::{HashMap, HashSet};

use crosscheck_core::json::Value as Spelled;
use crosscheck_core::{Json, Node};
use serde_json::Value;
use serde_json_path::JsonPath;

/// So many steps a query may take; what it keeps of each is a pointer.
const MAX_STEPS: u64 = 16 * 1024 * 1024;
/// The parser tries a filter inside a filter several times over.
const MAX_FILTERS: usize = 6;
/// A pattern is compiled for every node it is tried on.
const PATTERN_COST: u64 = 1024;
/// As deep as the reader lets a document nest.
const MAX_DEPTH: u64 = 128;

/// Why there are no nodes to look at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoNodes {
    /// The text is neither JSON nor JSON Lines.
    NotJson,
    /// RFC 9535 does not allow this query.
    BadQuery,
    /// Running the query, or showing what it selects, would take too much.
    TooLarge,
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

/// Selects nodes in the order of the query; together their texts stay below `max_bytes`.
pub(crate) fn select(bytes: &[u8], query: &str, max_bytes: u64) -> Result<Vec<Selected>, NoNodes> {
    let text = std::str::from_utf8(bytes).map_err(|_| NoNodes::NotJson)?;
    let (value, spelled) = parse(text).ok_or(NoNodes::NotJson)?;
    let path = vetted(query, text.len() as u64)?;
    let nodes = path.query(&value).all();
    if nodes.len() as u64 > max_bytes {
        return Err(NoNodes::TooLarge);
    }
    let mut search = Search {
        wanted: nodes.iter().copied().map(address).collect(),
        found: HashMap::new(),
    };
    search.walk(&value, spelled.root(), None);
    let mut room = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut selected = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some((name, spelled)) = search.found.get(&address(node)) else {
            return Err(NoNodes::NotJson);
        };
        let mut json = String::new();
        write(*spelled, room, &mut json)?;
        room -= json.len();
        selected.push(Selected {
            name: name.map(str::to_owned),
            string: node.as_str().map(str::to_owned),
            json,
        });
    }
    Ok(selected)
}

/// A JSON text as [`Selected`] has it, whatever its blanks; nothing for what is
/// no JSON text.
pub(crate) fn compact(text: &str) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let mut out = String::new();
    write(json.root(), text.len(), &mut out).ok()?;
    Some(out)
}

/// One JSON value, or JSON Lines as an array of its values: once to be queried,
/// and once with the digits of its numbers.
fn parse(text: &str) -> Option<(Value, Json)> {
    let both = |text: &str| {
        let value = serde_json::from_str(text).ok()?;
        Some((value, Json::parse(text).ok()?))
    };
    both(text).or_else(|| {
        let lines: Vec<&str> = text
            .split('\n')
            .map(str::trim_ascii)
            .filter(|line| !line.is_empty())
            .collect();
        let is_json = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
        (!lines.is_empty() && lines.iter().all(is_json))
            .then(|| both(&format!("[{}]", lines.join(","))))?
    })
}

/// The query is foreign text: what could make the parser or the search run
/// away is refused before either starts.
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

/// An upper estimate: lists select a node repeatedly, every further search
/// through descendants meets a node once for each level above it, and a `$`
/// inside a filter starts again at the root for every node.
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

/// The query without what stands between quotation marks.
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

/// Tells values apart that are equal; the document stays where it is meanwhile.
fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Finds the spelling of selected nodes by walking both readings side by side.
struct Search<'d> {
    wanted: HashSet<usize>,
    found: HashMap<usize, (Option<&'d str>, Node<'d>)>,
}

impl<'d> Search<'d> {
    /// The first reading nests at most 128 levels, so the recursion is bounded.
    fn walk(&mut self, value: &'d Value, node: Node<'d>, name: Option<&'d str>) {
        if self.wanted.contains(&address(value)) {
            // Of a repeated key the last value counts, and it comes last.
            self.found.insert(address(value), (name, node));
        }
        match (value, node.value()) {
            (Value::Array(values), Spelled::Array(nodes)) => {
                for (value, node) in values.iter().zip(nodes) {
                    self.walk(value, node, name);
                }
            }
            (Value::Object(values), Spelled::Object(members)) => {
                for (key, node) in members {
                    let known = key.as_str().and_then(|key| values.get_key_value(key));
                    if let Some((key, value)) = known {
                        self.walk(value, node, Some(key));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Compact JSON in the order of the file, of a repeated key the last value.
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
