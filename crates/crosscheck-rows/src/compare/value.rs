//! Values as calls and answers carry them.

use std::hash::BuildHasher as _;
use std::num::NonZeroU64;
use std::sync::Arc;

use crosscheck_core::canonical;
use crosscheck_core::json::{Json, Node, Value as Kind};
use smol_str::SmolStr;

/// One value that somebody claims.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A number as its digits.
    Number(SmolStr),
    Text(SmolStr),
    /// An object or array; also a text that holds half of a surrogate pair,
    /// which no database can hold.
    Json(Arc<Json>),
}

impl Value {
    pub(crate) fn of(node: Node<'_>) -> Self {
        match node.value() {
            Kind::Null => Self::Null,
            Kind::Bool(truth) => Self::Bool(truth),
            Kind::Number(digits) => Self::Number(digits.text().into()),
            Kind::String(text) => match text.as_str() {
                Some(text) => Self::Text(text.into()),
                None => Self::Json(Arc::new(node.to_json())),
            },
            Kind::Array(_) | Kind::Object(_) => Self::Json(Arc::new(node.to_json())),
        }
    }

    /// The value as JSON text, equal for equal values.
    pub(crate) fn canonical(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(truth) => truth.to_string(),
            Self::Number(digits) => canonical_number(digits),
            Self::Text(text) => {
                let mut quoted = String::with_capacity(text.len() + 2);
                canonical::write_string(&mut quoted, text.as_str().into());
                quoted
            }
            Self::Json(json) => canonical::of_node(json.root()),
        }
    }

    /// The value as people write it: texts without quotes.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            other => other.canonical(),
        }
    }

    /// Whether it is too small to tell anything: nothing, a truth value, 0, 1
    /// or a single character.
    pub(crate) fn is_trivial(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) => true,
            Self::Number(digits) => is_zero_or_one(digits),
            Self::Text(text) => text.chars().nth(1).is_none(),
            Self::Json(_) => false,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        crate::compare::number::Decimal::of_value(self).is_some()
    }
}

fn is_zero_or_one(digits: &str) -> bool {
    digits
        .parse::<f64>()
        .is_ok_and(|number| number == 0.0 || (number - 1.0).abs() < f64::EPSILON)
}

/// Numbers that a double holds are written as ECMAScript writes them, so that
/// `1.0` and `1` are equal; longer ones keep their digits.
fn canonical_number(digits: &str) -> String {
    let significant = digits.bytes().filter(u8::is_ascii_digit).count();
    match digits.parse::<f64>() {
        Ok(number) if significant <= 15 && number.is_finite() => canonical::number_text(number),
        _ => digits.to_owned(),
    }
}

/// Whether a node is one value and neither nothing nor several.
pub(crate) fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.value(), Kind::Null | Kind::Array(_) | Kind::Object(_))
}

/// Calls for every scalar inside a value, `null` included. The order is that
/// of the text; depth costs no stack.
pub(crate) fn each_leaf<'j>(node: Node<'j>, mut found: impl FnMut(Node<'j>)) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match node.value() {
            Kind::Array(items) => {
                let start = open.len();
                open.extend(items);
                if let Some(added) = open.get_mut(start..) {
                    added.reverse();
                }
            }
            Kind::Object(members) => {
                let start = open.len();
                open.extend(members.map(|(_, value)| value));
                if let Some(added) = open.get_mut(start..) {
                    added.reverse();
                }
            }
            _ => found(node),
        }
    }
}

/// Tells values apart by their canonical text. The key is new for each run, so
/// that nobody can prepare two values that look the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prints(std::hash::RandomState);

/// The fingerprint of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Print(NonZeroU64);

impl Prints {
    pub(crate) fn of(&self, value: &Value) -> Print {
        self.of_text(&value.canonical())
    }

    pub(crate) fn of_text(&self, text: &str) -> Print {
        Print(NonZeroU64::new(self.0.hash_one(text)).unwrap_or(NonZeroU64::MIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::of(Json::parse(text).unwrap().root())
    }

    #[test]
    fn equal_values_have_equal_texts() {
        for (one, other) in [
            ("1", "1.0"),
            ("1e2", "100"),
            (r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#),
        ] {
            assert_eq!(value(one).canonical(), value(other).canonical(), "{one}");
        }
        let (one, other) = ("12345678901234567890", "12345678901234567891");
        assert_ne!(value(one).canonical(), value(other).canonical());
        assert_ne!(value("1").canonical(), value("\"1\"").canonical());
    }

    #[test]
    fn trivial_values_tell_nothing() {
        for text in ["null", "true", "0", "1", "1.0", "\"\"", "\"x\"", "\"0\""] {
            assert!(value(text).is_trivial(), "{text}");
        }
        for text in ["2", "10", "\"ab\"", "[1]", "{}"] {
            assert!(!value(text).is_trivial(), "{text}");
        }
    }

    #[test]
    fn leaves_come_in_order_and_from_any_depth() {
        let deep = "[".repeat(100_000) + "7" + &"]".repeat(100_000);
        let mut count = 0;
        each_leaf(Json::parse(&deep).unwrap().root(), |_| count += 1);
        assert_eq!(count, 1);
        let json = Json::parse(r#"{"a":[1,{"b":2}],"c":3}"#).unwrap();
        let mut seen = String::new();
        each_leaf(json.root(), |node| seen += &Value::of(node).canonical());
        assert_eq!(seen, "123");
    }
}
