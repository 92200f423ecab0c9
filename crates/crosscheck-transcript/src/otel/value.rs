//! Attributes of a span: a map, or OTLP's list of keys with wrapped values.

use crosscheck_core::canonical;
use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::super::content::{present, string};
use super::super::model::Arguments;

/// Wrapped values nest; deeper values are read as `null`.
const MAX_DEPTH: usize = 64;

pub(super) struct Attributes<'j> {
    holder: Option<Node<'j>>,
}

impl<'j> Attributes<'j> {
    pub(super) fn of(span: Node<'j>) -> Self {
        Self {
            holder: span.get("attributes"),
        }
    }

    /// The attribute as text, if it is text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let (value, wrapped) = self.get(key)?;
        if wrapped {
            string(
                value
                    .get("stringValue")
                    .or_else(|| value.get("string_value"))?,
            )
        } else {
            string(value)
        }
    }

    /// The attribute as data, if it is more than text.
    pub(super) fn json(&self, key: &str) -> Option<Json> {
        let (value, wrapped) = self.get(key)?;
        if self.text(key).is_some() || value.is_null() {
            return None;
        }
        if !wrapped {
            return Some(value.to_json());
        }
        let mut text = String::new();
        unwrap(value, MAX_DEPTH, &mut text);
        Json::parse(&text).ok()
    }

    /// The attribute as data, also when it is JSON in a text.
    pub(super) fn parsed(&self, key: &str) -> Option<Json> {
        self.json(key)
            .or_else(|| Json::parse(&self.text(key)?).ok())
    }

    pub(super) fn arguments(&self, key: &str) -> Arguments {
        super::json_or_text(self.json(key), self.text(key))
    }

    /// The value, and whether it is wrapped in the OTLP way.
    fn get(&self, key: &str) -> Option<(Node<'j>, bool)> {
        let holder = self.holder?;
        match holder.value() {
            Value::Object(_) => holder.get(key).map(|value| (value, false)),
            Value::Array(pairs) => {
                let pair = pairs
                    .into_iter()
                    .find(|pair| pair.get("key").and_then(Node::as_str) == Some(key))?;
                pair.get("value").map(|value| (value, true))
            }
            _ => None,
        }
    }
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
        out.push('{');
        let pairs = map.get("values").and_then(Node::as_array);
        let mut first = true;
        for pair in pairs.into_iter().flatten() {
            let (Some(key), Some(value)) = (pair.get("key"), pair.get("value")) else {
                continue;
            };
            if let Some(name) = key.as_js() {
                if !std::mem::take(&mut first) {
                    out.push(',');
                }
                canonical::write_string(out, name);
                out.push(':');
                unwrap(value, depth - 1, out);
            }
        }
        out.push('}');
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
