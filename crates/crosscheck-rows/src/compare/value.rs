//! Values as calls and answers carry them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::BuildHasher as _;
use std::num::NonZeroU64;
use std::sync::Arc;

use crosscheck_core::canonical;
use crosscheck_core::json::{Json, Node, Value as Kind};
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};
use smol_str::{SmolStr, StrExt as _};

/// One claimed value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A number as its digits.
    Number(SmolStr),
    Text(SmolStr),
    /// An object or array; also a text that holds half of a surrogate pair,
    /// which no database can hold.
    Json(#[serde(with = "as_text")] Arc<Json>),
}

/// JSON as its text: numbers mean the same, and members keep their order.
pub(crate) mod as_text {
    use std::sync::Arc;

    use crosscheck_core::Json;
    use crosscheck_core::canonical::{self, KeyOrder, Numbers, Style};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        json: &Arc<Json>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let style = Style {
            keys: KeyOrder::Source,
            numbers: Numbers::Exact,
        };
        serializer.serialize_str(&canonical::text(json.root(), &style))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<Json>, D::Error> {
        let json = Json::parse(<&str>::deserialize(deserializer)?);
        json.map(Arc::new).map_err(D::Error::custom)
    }
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
        let mut text = String::new();
        self.write_canonical(&mut text);
        text
    }

    /// Appends the value as JSON text.
    pub(crate) fn write_canonical(&self, out: &mut String) {
        match self {
            Self::Text(text) => canonical::write_text(out, text),
            other => out.push_str(&other.plain()),
        }
    }

    /// The value as people write it: texts without quotes.
    pub(crate) fn plain(&self) -> Cow<'_, str> {
        match self {
            Self::Null => "null".into(),
            Self::Bool(true) => "true".into(),
            Self::Bool(false) => "false".into(),
            Self::Number(digits) => canonical_number(digits),
            Self::Text(text) => text.as_str().into(),
            Self::Json(json) => canonical::of_node(json.root()).into(),
        }
    }

    /// How many bytes the value is, as people write it.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 0,
            Self::Number(text) | Self::Text(text) => text.len(),
            Self::Json(_) => self.plain().len(),
        }
    }

    /// Whether two values have the same canonical text.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => one == other,
            // only a text is in quotes, or holds half of a pair
            (Self::Text(_), Self::Number(_)) | (Self::Number(_), Self::Text(_)) => false,
            (Self::Number(one), Self::Number(other)) => {
                one == other || canonical_number(one) == canonical_number(other)
            }
            _ => self.canonical() == other.canonical(),
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

    /// A number of cents in the large unit.
    pub(crate) fn hundredth(&self) -> Option<Self> {
        let Self::Number(digits) = self else {
            return None;
        };
        let number: f64 = digits.parse().ok()?;
        Some(Self::Number(canonical::number_text(number / 100.0).into()))
    }

    pub(crate) fn is_number(&self) -> bool {
        // most texts begin like no number
        let may_be = match self {
            Self::Number(_) => true,
            Self::Text(text) => text
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')),
            Self::Null | Self::Bool(_) | Self::Json(_) => false,
        };
        may_be && crate::compare::number::Decimal::of_value(self).is_some()
    }
}

fn is_zero_or_one(digits: &str) -> bool {
    digits
        .parse::<f64>()
        .is_ok_and(|number| number == 0.0 || (number - 1.0).abs() < f64::EPSILON)
}

/// Numbers that a double holds are written as ECMAScript writes them, so that
/// `1.0` and `1` are equal; longer ones keep their digits.
fn canonical_number(digits: &str) -> Cow<'_, str> {
    if is_canonical(digits) {
        return digits.into();
    }
    let significant = digits.bytes().filter(u8::is_ascii_digit).count();
    match digits.parse::<f64>() {
        Ok(number) if significant <= 15 && number.is_finite() => {
            canonical::number_text(number).into()
        }
        _ => digits.into(),
    }
}

/// Whether a number is written just as ECMAScript writes it: a whole number or
/// decimal of at most 15 digits without redundant zeros.
fn is_canonical(digits: &str) -> bool {
    match digits.as_bytes() {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] if rest.len() < 15 && rest.iter().all(u8::is_ascii_digit) => true,
        _ => canonical::is_short_decimal(digits) && !digits.ends_with('0'),
    }
}

/// Whether a node is one value and neither nothing nor several.
pub(crate) fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.value(), Kind::Null | Kind::Array(_) | Kind::Object(_))
}

/// Calls for every scalar inside a value, `null` included. The order is that
/// of the text; depth costs no stack.
pub(crate) fn each_leaf<'j>(node: Node<'j>, mut found: impl FnMut(Node<'j>)) {
    let mut open: SmallVec<[Node<'j>; 16]> = smallvec![node];
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

/// Values, to ask whether one is among them.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// A few are compared one by one.
    few: SmallVec<[Value; FEW]>,
    /// Many by their canonical texts.
    many: HashSet<String, foldhash::fast::RandomState>,
}

const FEW: usize = 12;

impl Values {
    pub(crate) fn add(&mut self, value: Value) {
        if self.few.len() < FEW {
            self.few.push(value);
        } else {
            self.many.insert(value.canonical());
        }
    }

    pub(crate) fn has(&self, value: &Value) -> bool {
        self.few.iter().any(|known| known.is_same(value))
            || (!self.many.is_empty() && self.many.contains(&value.canonical()))
    }
}

/// Tells values apart by their canonical text. The key is new for each run, so
/// that no one can prepare two values that look the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prints(std::hash::RandomState);

/// The fingerprint of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Print(NonZeroU64);

impl Prints {
    pub(crate) fn of(&self, value: &Value) -> Print {
        self.of_text(&value.canonical())
    }

    pub(crate) fn of_text(&self, text: &str) -> Print {
        Print(NonZeroU64::new(self.0.hash_one(text)).unwrap_or(NonZeroU64::MIN))
    }

    /// The same for texts that differ in case only.
    pub(crate) fn of_any_case(&self, text: &str) -> Print {
        let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
        if text.bytes().all(is_lower) {
            self.of_text(text)
        } else if text.is_ascii() {
            self.of_text(&text.to_ascii_lowercase_smolstr())
        } else {
            self.of_text(&text.to_lowercase())
        }
    }

    pub(crate) fn of_pair(&self, number: u32, text: &str) -> Print {
        Print(NonZeroU64::new(self.0.hash_one((number, text))).unwrap_or(NonZeroU64::MIN))
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
    fn numbers_that_are_kept_are_those_that_would_be_written() {
        for digits in [
            "0",
            "7",
            "10",
            "999999999999999",
            "1000000000000000",
            "1.5",
            "0.5",
            "0.05",
            "0.0001",
            "0.00001",
            "0.000001",
            "0.0000001",
            "12.50",
            "1.0",
            "0.0",
            "10.0",
            "00",
            "-1",
            "-0",
            "1e2",
            "123456789012.345",
            "1234567890123.456",
        ] {
            let number: f64 = digits.parse().unwrap();
            let written = canonical::number_text(number);
            if is_canonical(digits) {
                assert_eq!(digits, written);
            }
        }
        assert!(
            ["0", "7", "10", "1.5", "0.05", "999999999999999"]
                .into_iter()
                .all(is_canonical)
        );
    }

    #[test]
    fn same_values_are_those_with_the_same_canonical_text() {
        let all = [
            "null",
            "1",
            "1.0",
            "\"1\"",
            "\"a\"",
            "true",
            "[1]",
            "\"\\ud800\"",
            "1e20",
            "100000000000000000000",
        ];
        for (one, other) in all
            .iter()
            .flat_map(|one| all.iter().map(move |other| (one, other)))
        {
            let (one, other) = (value(one), value(other));
            assert_eq!(
                one.is_same(&other),
                one.canonical() == other.canonical(),
                "{one:?} {other:?}"
            );
        }
    }

    #[test]
    fn few_and_many_values_are_found_alike() {
        let all: Vec<Value> = (0..3 * FEW)
            .map(|at| value(&format!("\"x{at}\"")))
            .chain([value("7.0"), value("[1]")])
            .collect();
        let mut values = Values::default();
        for (at, one) in all.iter().enumerate() {
            assert!(!values.has(one), "{one:?}");
            values.add(one.clone());
            assert!(all.iter().take(at + 1).all(|known| values.has(known)));
        }
        assert!(values.has(&value("7")));
        assert!(!values.has(&value("\"7\"")));
    }

    #[test]
    fn texts_that_differ_in_case_only_have_one_print() {
        let prints = Prints::default();
        for (one, other) in [("L-1", "l-1"), ("Ä", "ä"), ("x", "x"), ("İ", "i̇")] {
            assert_eq!(prints.of_any_case(one), prints.of_text(other), "{one}");
        }
        assert_ne!(prints.of_any_case("a"), prints.of_any_case("b"));
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
