//! Canonical JSON: one writer, and the styles of the contracts as data.
//!
//! The bytes written here are hashed and compared by other programs, so key
//! order and numbers follow each contract exactly. The writer keeps its own
//! stack, so the depth of a value is limited by memory only.

use std::collections::HashMap;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use smallvec::SmallVec;

use crate::json::{Elements, Json, Members, Node, Value};
pub use crate::literal::{
    Numbers, append_string, double_text, is_short_decimal, number_text, plain_one_line,
    push_string, quoted, write_number, write_string, write_text,
};
use crate::text::JsStr;

/// What distinguishes one way of writing JSON from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The order of the members of an object.
    pub keys: KeyOrder,
    /// How numbers are written.
    pub numbers: Numbers,
}

/// The order of the members of an object. The last value of a repeated key
/// counts, except in [`KeyOrder::Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrder {
    /// By UTF-16 code unit. Differs from `str` order as soon as a key has a
    /// character outside the basic plane.
    Utf16,
    /// By code point, which is byte order.
    CodePoint,
    /// As ECMAScript enumerates properties: array indexes first, ascending,
    /// then the others in the order of the text.
    Ecma,
    /// As in the text.
    Source,
}

impl Style {
    /// What `JSON.stringify` writes for an object with sorted keys: the
    /// canonical form of the rows contracts.
    pub const ECMA: Self = Self {
        keys: KeyOrder::Utf16,
        numbers: Numbers::Ecma,
    };
    /// The canonical form of reasoning traces (trace 3.1).
    pub const TRACE: Self = Self {
        keys: KeyOrder::CodePoint,
        numbers: Numbers::Exact,
    };
}

/// The canonical text of a parsed value in the ECMAScript style.
pub fn of_node(node: Node<'_>) -> String {
    text(node, &Style::ECMA)
}

/// The text of a parsed value in a style.
pub fn text(node: Node<'_>, style: &Style) -> String {
    let mut out = Vec::new();
    push_node(&mut out, node, style);
    String::from_utf8(out).unwrap_or_default() // only UTF-8 is written
}

/// Appends a parsed value in a style.
pub fn write_node(out: &mut String, node: Node<'_>, style: &Style) {
    out.push_str(&text(node, style));
}

/// The canonical text of a wire struct in the ECMAScript style.
pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<String, CanonicalError> {
    let text = serde_json::to_string(value).map_err(CanonicalError::Serialize)?;
    let json = Json::parse(&text).map_err(CanonicalError::Parse)?;
    Ok(of_node(json.root()))
}

/// Writes a parsed text as canonical JSON, so that wire structs can contain it.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(of_node(self.root()))
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}

/// A wire struct that has no canonical form.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    /// The struct cannot be written as JSON.
    #[error("the document cannot be written as JSON")]
    Serialize(#[source] serde_json::Error),
    /// What was written cannot be read back.
    #[error("the document cannot be read back as JSON")]
    Parse(#[source] crate::json::ParseError),
}

/// Appends the bytes of a parsed value in a style.
pub fn push_node(out: &mut Vec<u8>, node: Node<'_>, style: &Style) {
    let mut open: SmallVec<[Frame<'_>; 4]> = SmallVec::new();
    let mut next = Some(node);
    loop {
        if let Some(node) = next.take() {
            match node.value() {
                Value::Null => out.extend_from_slice(b"null"),
                Value::Bool(true) => out.extend_from_slice(b"true"),
                Value::Bool(false) => out.extend_from_slice(b"false"),
                Value::Number(digits) => style.numbers.push(out, digits.text()),
                Value::String(text) => push_string(out, text),
                Value::Array(elements) => {
                    out.push(b'[');
                    open.push(Frame::new(Inside::Array(elements)));
                }
                Value::Object(members) => {
                    out.push(b'{');
                    open.push(Frame::new(Inside::Object(style.keys.sort(members))));
                }
            }
        }
        let Some(frame) = open.last_mut() else {
            return;
        };
        next = frame.step(out);
        if next.is_none() {
            open.pop();
        }
    }
}

/// An array or object that is being written.
struct Frame<'j> {
    is_first: bool,
    inside: Inside<'j>,
}

enum Inside<'j> {
    Array(Elements<'j>),
    Object(Ordered<'j>),
}

impl<'j> Frame<'j> {
    const fn new(inside: Inside<'j>) -> Self {
        Self {
            is_first: true,
            inside,
        }
    }

    /// Writes what comes before the next value, or the closing bracket.
    fn step(&mut self, out: &mut Vec<u8>) -> Option<Node<'j>> {
        let (key, node, closing) = match &mut self.inside {
            Inside::Array(elements) => (None, elements.next(), b']'),
            Inside::Object(members) => match members.next() {
                Some((key, node)) => (Some(key), Some(node), b'}'),
                None => (None, None, b'}'),
            },
        };
        let is_first = std::mem::take(&mut self.is_first);
        if node.is_none() {
            out.push(closing);
            return None;
        }
        if !is_first {
            out.push(b',');
        }
        if let Some(key) = key {
            push_string(out, key);
            out.push(b':');
        }
        node
    }
}

type Member<'j> = (JsStr<'j>, Node<'j>);

/// The members of an object in the order they are written. Most texts have
/// them in order already, and then nothing is copied.
enum Ordered<'j> {
    AsRead(Members<'j>),
    Sorted(std::vec::IntoIter<Member<'j>>),
}

impl<'j> Iterator for Ordered<'j> {
    type Item = Member<'j>;

    fn next(&mut self) -> Option<Member<'j>> {
        match self {
            Self::AsRead(members) => members.next(),
            Self::Sorted(members) => members.next(),
        }
    }
}

impl KeyOrder {
    fn sort(self, members: Members<'_>) -> Ordered<'_> {
        let sorted = match self {
            Self::Source => return Ordered::AsRead(members),
            Self::Ecma => property_order(members),
            Self::CodePoint if is_ascending(members, |a, b| a.bytes() < b.bytes()) => {
                return Ordered::AsRead(members);
            }
            Self::CodePoint => members.sorted_by(|a, b| a.bytes().cmp(b.bytes())),
            Self::Utf16 if is_ascending(members, |a, b| a < b) => {
                return Ordered::AsRead(members);
            }
            Self::Utf16 => members.sorted(),
        };
        Ordered::Sorted(sorted.into_iter())
    }
}

fn is_ascending<'j>(members: Members<'j>, is_less: impl Fn(JsStr<'j>, JsStr<'j>) -> bool) -> bool {
    members
        .map(|(key, _)| key)
        .is_sorted_by(|a, b| is_less(*a, *b))
}

fn property_order(members: Members<'_>) -> Vec<Member<'_>> {
    let mut kept: Vec<Member<'_>> = Vec::new();
    let mut places = HashMap::new();
    for (key, value) in members {
        let place = *places.entry(key).or_insert(kept.len());
        match kept.get_mut(place) {
            Some(slot) => *slot = (key, value),
            None => kept.push((key, value)),
        }
    }
    // stable: the others keep their order
    kept.sort_by_key(|(key, _)| array_index(*key).unwrap_or(u32::MAX));
    kept
}

/// The value of a key that is an array index.
fn array_index(key: JsStr<'_>) -> Option<u32> {
    let text = key.as_str()?;
    let is_plain = text == "0" || text.starts_with(|first: char| matches!(first, '1'..='9'));
    text.parse()
        .ok()
        .filter(|index| is_plain && *index < u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::JsString;

    fn canonical(text: &str) -> String {
        of_node(Json::parse(text).unwrap().root())
    }

    #[test]
    fn keys_sort_by_utf16_unit() {
        assert_eq!(
            canonical("{\"\u{FF5E}\":1,\"\u{1F600}\":2,\"b\":3,\"B\":4,\"\":5}"),
            "{\"\":5,\"B\":4,\"b\":3,\"\u{1F600}\":2,\"\u{FF5E}\":1}"
        );
    }

    #[test]
    fn a_text_is_appended_just_as_it_is_quoted() {
        for text in [
            "",
            "plain",
            "a\"b",
            "\\",
            "\u{1}\n\r\t\u{8}\u{c}",
            "é\"\u{1F600}\u{7f}\u{2028}",
        ] {
            let mut out = "x".to_owned();
            write_text(&mut out, text);
            assert_eq!(out, format!("x{}", quoted(text.into())));
        }
    }

    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        let table = [
            ("1.0", "1"),
            ("-0", "0"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("1e-7", "1e-7"),
            ("1e-6", "0.000001"),
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.1"),
            ("1e999", "null"),
            ("5e-324", "5e-324"),
            ("123456789.5", "123456789.5"),
        ];
        for (text, expected) in table {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }

    #[test]
    fn strings_are_escaped_as_json_stringify_does() {
        assert_eq!(
            canonical(r#""\u0000\u001F\/\u007f\u2028\ud800x\ude00\ud83d\ude00\"\\\b\f\n\r\t""#),
            "\"\\u0000\\u001f/\u{7f}\u{2028}\\ud800x\\ude00\u{1F600}\\\"\\\\\\b\\f\\n\\r\\t\""
        );
    }

    #[test]
    fn each_key_order_sorts_as_stated() {
        let json = Json::parse(
            "{\"\u{1F30A}\":1,\"\u{FFFF}\":2,\"z\":3,\"10\":4,\"9\":5,\"z\":6,\"01\":7}",
        )
        .unwrap();
        let keys = |keys| {
            text(
                json.root(),
                &Style {
                    keys,
                    ..Style::ECMA
                },
            )
        };
        assert_eq!(
            keys(KeyOrder::CodePoint),
            "{\"01\":7,\"10\":4,\"9\":5,\"z\":6,\"\u{FFFF}\":2,\"\u{1F30A}\":1}"
        );
        assert_eq!(
            keys(KeyOrder::Utf16),
            "{\"01\":7,\"10\":4,\"9\":5,\"z\":6,\"\u{1F30A}\":1,\"\u{FFFF}\":2}"
        );
        assert_eq!(
            keys(KeyOrder::Ecma),
            "{\"9\":5,\"10\":4,\"\u{1F30A}\":1,\"\u{FFFF}\":2,\"z\":6,\"01\":7}"
        );
        assert_eq!(
            keys(KeyOrder::Source),
            "{\"\u{1F30A}\":1,\"\u{FFFF}\":2,\"z\":3,\"10\":4,\"9\":5,\"z\":6,\"01\":7}"
        );
    }

    #[test]
    fn wire_structs_keep_lone_surrogates() {
        #[derive(serde::Serialize)]
        struct Wire {
            z: JsString,
            a: f64,
        }
        let wire = Wire {
            z: JsString::from_units([0xD800]),
            a: 2.0,
        };
        assert_eq!(of(&wire).unwrap(), r#"{"a":2,"z":"\ud800"}"#);
    }

    proptest! {
        #[test]
        fn all_ways_to_write_a_string_agree(units in prop::collection::vec(
            prop_oneof![any::<u16>(), 0u16..0x80, 0xD7F0u16..0xE010], 0..24,
        )) {
            let text = JsString::from_units(units);
            let mut bytes = b"x".to_vec();
            push_string(&mut bytes, text.as_js());
            let expected = format!("x{}", quoted(text.as_js()));
            prop_assert_eq!(bytes, expected.as_bytes());
            let mut behind = JsString::from("x");
            append_string(&mut behind, text.as_js());
            prop_assert_eq!(behind.as_str(), Some(expected.as_str()));
        }

        #[test]
        fn canonical_text_is_a_fixed_point(text in r#"(\{"[a-c]":(-?[0-9]{1,3}(\.[0-9]{1,3})?|"(\\u[0-9a-f]{4}|[a-z\u{1F600}])*"|\[null,true\])\}|\[[0-9]{1,20}\])"#) {
            if let Ok(json) = Json::parse(&text) {
                let once = of_node(json.root());
                prop_assert_eq!(canonical(&once), once);
            }
        }
    }
}
