//! Attributes of a span: a map, or OTLP's list of keys with wrapped values.

use crosscheck_core::canonical;
use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::super::content::{arguments, present, string, structured};
use super::super::model::Arguments;

/// Wrapped values nest; deeper values are read as `null`.
const MAX_DEPTH: usize = 64;

/// Attributes as a plain object.
pub(super) struct Attributes(Option<Json>);

impl Attributes {
    pub(super) fn of(span: Node<'_>) -> Self {
        let holder = span.get("attributes");
        Self(match holder.map(Node::value) {
            Some(Value::Object(_)) => holder.map(Node::to_json),
            Some(Value::Array(pairs)) => {
                let mut text = String::new();
                object(pairs, MAX_DEPTH, &mut text);
                Json::parse(&text).ok()
            }
            _ => None,
        })
    }

    fn get(&self, key: &str) -> Option<Node<'_>> {
        self.0.as_ref()?.root().get(key)
    }

    /// The attribute as text, if it is text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        string(self.get(key)?)
    }

    /// The attribute as data, if it is more than text.
    pub(super) fn json(&self, key: &str) -> Option<Json> {
        structured(self.get(key)?)
    }

    /// The attribute as data, also when it is JSON in a text.
    pub(super) fn parsed(&self, key: &str) -> Option<Json> {
        self.json(key)
            .or_else(|| Json::parse(&self.text(key)?).ok())
    }

    pub(super) fn arguments(&self, key: &str) -> Arguments {
        arguments(self.get(key))
    }
}

/// Writes a list of keys and values as a plain object.
fn object<'j>(pairs: impl Iterator<Item = Node<'j>>, depth: usize, out: &mut String) {
    out.push('{');
    let mut separator = "";
    for pair in pairs {
        let key = pair.get("key").and_then(Node::as_js);
        if let (Some(key), Some(value)) = (key, pair.get("value")) {
            out.push_str(separator);
            canonical::write_string(out, key);
            out.push(':');
            unwrap(value, depth - 1, out);
            separator = ",";
        }
    }
    out.push('}');
}

/// Writes an OTLP value as plain JSON.
fn unwrap(value: Node<'_>, depth: usize, out: &mut String) {
    let member = |names: [&str; 2]| names.iter().find_map(|name| present(value, name));
    if depth == 0 {
        out.push_str("null");
    } else if let Some(list) = member(["arrayValue", "array_value"]) {
        out.push('[');
        let items = list.get("values").and_then(Node::as_array);
        for (at, item) in items.into_iter().flatten().enumerate() {
            if at > 0 {
                out.push(',');
            }
            unwrap(item, depth - 1, out);
        }
        out.push(']');
    } else if let Some(map) = member(["kvlistValue", "kvlist_value"]) {
        let pairs = map.get("values").and_then(Node::as_array);
        object(pairs.into_iter().flatten(), depth, out);
    } else {
        out.push_str(&scalar(value));
    }
}

/// 64-bit integers come as text, because JSON numbers are doubles.
fn scalar(value: Node<'_>) -> String {
    let int = present(value, "intValue").or_else(|| present(value, "int_value"));
    if let Some(digits) = int.and_then(Node::as_str)
        && digits.parse::<i64>().is_ok_and(|n| n.to_string() == digits)
    {
        return digits.to_owned();
    }
    value
        .as_object()
        .into_iter()
        .flatten()
        .next()
        .map_or_else(|| "null".to_owned(), |(_, inner)| canonical::of_node(inner))
}
