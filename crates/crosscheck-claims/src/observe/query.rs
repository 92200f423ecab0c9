//! Nodes of a JSON document that an RFC 9535 query selects, with the digits of the
//! file (claims 12).

use crosscheck_core::canonical::{self, KeyOrder, Numbers, Style};
use crosscheck_core::{Json, Node};
use serde_json::Value;
use serde_json_path::{JsonPath, PathElement};

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
    /// The JSON text, with the name where it has one.
    pub(crate) fn member(&self) -> String {
        match &self.name {
            Some(name) => format!("{}:{}", Value::from(name.as_str()), self.json),
            None => self.json.clone(),
        }
    }

    /// `name = value`, strings without their quotes.
    pub(crate) fn line(&self) -> String {
        let value = self.string.as_ref().unwrap_or(&self.json);
        match &self.name {
            Some(name) => format!("{name} = {value}"),
            None => value.clone(),
        }
    }
}

/// Selects nodes in the order of the query. Their texts together stay below
/// `max_bytes`.
pub(crate) fn select(bytes: &[u8], query: &str, max_bytes: u64) -> Result<Vec<Selected>, NoNodes> {
    let text = std::str::from_utf8(bytes).map_err(|_| NoNodes::NotJson)?;
    let read = Reading::of(text).ok_or(NoNodes::NotJson)?;
    let path = vetted(query, text.len() as u64)?;
    if path.query(&read.value).len() as u64 > max_bytes {
        return Err(NoNodes::TooLarge);
    }
    let located = path.query_located(&read.value);
    let top = read.spelled.root();
    let mut found: Vec<_> = located
        .iter()
        .filter_map(|one| Some((node_at(top, one.location().iter())?, one)))
        .collect();
    // RFC 9535 leaves the order of members open
    let plain = without_strings(query);
    if !(plain.contains([',', '-']) || plain.contains("..")) {
        found.sort_by(|((_, one), _), ((_, other), _)| one.cmp(other));
    }
    let mut room = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    let mut selected = Vec::new();
    for ((node, _), one) in found {
        let mut names = one.location().iter().rev().filter_map(PathElement::as_name);
        let json = compact(node);
        room = room.checked_sub(json.len()).ok_or(NoNodes::TooLarge)?;
        selected.push(Selected {
            name: names.next().map(str::to_owned),
            string: one.node().as_str().map(str::to_owned),
            json,
        });
    }
    Ok(selected)
}

/// The node at a path, and its place in the file: the position at each step.
fn node_at<'j, 'p>(
    root: Node<'j>,
    mut path: impl Iterator<Item = &'p PathElement<'p>>,
) -> Option<(Node<'j>, Vec<usize>)> {
    let mut place = Vec::new();
    let node = path.try_fold(root, |node, step| {
        let (at, next) = match step {
            PathElement::Index(at) => (*at, node.as_array()?.nth(*at)?),
            // the last value of a repeated key counts
            PathElement::Name(name) => {
                let members = node.as_object()?.enumerate();
                let (at, (_, value)) = members
                    .filter(|(_, (key, _))| key.as_str() == Some(*name))
                    .last()?;
                (at, value)
            }
        };
        place.push(at);
        Some(next)
    })?;
    Some((node, place))
}

/// Without white space, members in the order of the file.
fn compact(node: Node<'_>) -> String {
    let style = Style {
        keys: KeyOrder::Source,
        numbers: Numbers::Source,
    };
    canonical::text(node, &style)
}

/// A text without white space outside of its strings.
pub(crate) fn squeezed(text: &str) -> String {
    let mut is_string = false;
    let mut is_escaped = false;
    text.chars()
        .filter(|c| {
            if *c == '"' && !is_escaped {
                is_string = !is_string;
            }
            is_escaped = *c == '\\' && !is_escaped;
            is_string || !c.is_ascii_whitespace()
        })
        .collect()
}

/// One JSON value, or JSON Lines as an array of its values.
struct Reading {
    /// For queries.
    value: Value,
    /// With the digits of its numbers.
    spelled: Json,
}

impl Reading {
    fn of(text: &str) -> Option<Self> {
        Self::of_one(text).or_else(|| {
            let lines = text.split('\n').map(str::trim_ascii);
            let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            let is_json = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
            (!lines.is_empty() && lines.iter().all(is_json))
                .then(|| Self::of_one(&format!("[{}]", lines.join(","))))?
        })
    }

    fn of_one(text: &str) -> Option<Self> {
        Some(Self {
            value: serde_json::from_str(text).ok()?,
            spelled: Json::parse(text).ok()?,
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

#[cfg(test)]
#[path = "query/tests.rs"]
mod tests;
