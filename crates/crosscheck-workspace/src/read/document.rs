//! A JSON file that is changed in one place and otherwise left unchanged:
//! unknown keys, their order and the digits of numbers are kept (workspace 4).

use std::fmt::Write as _;

use crosscheck_core::canonical;
use crosscheck_core::json::{Json, Node, ParseError, Rules, Value};

/// Files of this kind are small; a deeper one is an attack.
const RULES: Rules = Rules {
    max_depth: Some(64),
    ..Rules::ECMASCRIPT
};

/// An ordered JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderedJson {
    /// A scalar, as JSON text.
    Scalar(String),
    /// An array.
    Array(Vec<Self>),
    /// An object in the order of the file; a repeated key keeps its first
    /// place and its last value.
    Object(Vec<(String, Self)>),
}

/// Parses with the depth limit of these files; a byte-order mark is tolerated.
pub(crate) fn parse(text: &str) -> Result<Json, ParseError> {
    Json::parse_with(text.strip_prefix('\u{FEFF}').unwrap_or(text), &RULES)
}

impl OrderedJson {
    /// An empty object.
    pub const fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// A string.
    pub fn text(text: &str) -> Self {
        Self::Scalar(serde_json::Value::from(text).to_string())
    }

    /// A number.
    pub fn number(number: u64) -> Self {
        Self::Scalar(number.to_string())
    }

    /// `true` or `false`.
    pub fn truth(truth: bool) -> Self {
        Self::Scalar(truth.to_string())
    }

    /// Copies a parsed value; its depth was limited when it was parsed.
    pub(crate) fn of(node: Node<'_>) -> Self {
        match node.value() {
            Value::Array(elements) => Self::Array(elements.map(Self::of).collect()),
            Value::Object(members) => {
                let mut copy = Self::object();
                for (key, value) in members {
                    copy.set(&key.to_str_lossy(), Self::of(value));
                }
                copy
            }
            Value::Number(digits) => Self::Scalar(digits.text().to_owned()),
            Value::Null | Value::Bool(_) | Value::String(_) => {
                Self::Scalar(canonical::of_node(node))
            }
        }
    }

    /// Sets a member; a value that is not an object becomes one.
    pub fn set(&mut self, key: &str, value: Self) {
        if !matches!(self, Self::Object(_)) {
            *self = Self::object();
        }
        if let Self::Object(members) = self {
            match members.iter_mut().find(|(name, _)| name == key) {
                Some((_, old)) => *old = value,
                None => members.push((key.to_owned(), value)),
            }
        }
    }

    /// Removes a member.
    pub fn remove(&mut self, key: &str) {
        if let Self::Object(members) = self {
            members.retain(|(name, _)| name != key);
        }
    }

    /// A member.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            Self::Scalar(_) | Self::Array(_) => None,
        }
    }

    /// Indented by two spaces, with a final newline.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 1);
        text.push('\n');
        text
    }

    fn write(&self, text: &mut String, level: usize) {
        match self {
            Self::Scalar(scalar) => text.push_str(scalar),
            Self::Array(elements) => {
                write_all(text, level, ['[', ']'], elements, |text, element| {
                    element.write(text, level + 1);
                });
            }
            Self::Object(members) => {
                write_all(text, level, ['{', '}'], members, |text, (key, value)| {
                    let _ = write!(text, "{}: ", serde_json::Value::from(key.as_str()));
                    value.write(text, level + 1);
                });
            }
        }
    }
}

fn write_all<T>(
    text: &mut String,
    level: usize,
    [open, close]: [char; 2],
    parts: &[T],
    write: impl Fn(&mut String, &T),
) {
    text.push(open);
    for (at, part) in parts.iter().enumerate() {
        text.push_str(if at == 0 { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(level));
        write(text, part);
    }
    if !parts.is_empty() {
        text.push('\n');
        text.push_str(&"  ".repeat(level - 1));
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_stays_as_it_was() {
        let json = parse("\u{FEFF}{\"z\":1.50,\"a\":[],\"o\":{},\"n\":[1,{\"k\":\"\\u00e4\\n\"}],\"z\":12345678901234567890}").unwrap();
        let mut document = OrderedJson::of(json.root());
        document.set("new", OrderedJson::text("x\"y"));
        assert_eq!(
            document.pretty(),
            "{\n  \"z\": 12345678901234567890,\n  \"a\": [],\n  \"o\": {},\n  \"n\": [\n    1,\n    {\n      \"k\": \"ä\\n\"\n    }\n  ],\n  \"new\": \"x\\\"y\"\n}\n"
        );
    }

    #[test]
    fn deep_nesting_is_refused_and_never_overflows() {
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
