//! JSON with ECMAScript semantics, without a recursion limit.
//!
//! A parsed text is a flat row of slots in document order, so that neither
//! parsing, walking, copying nor dropping can overflow the stack, however deep
//! the text nests. Numbers keep their digits and become doubles on demand;
//! strings keep lone surrogates; the last value of a repeated key counts.

mod form;
mod parse;
mod reader;

use std::cmp::Ordering;

pub use form::FormId;
pub use parse::{ParseError, Rules};
pub use reader::Reader;

use crate::canonical::{self, KeyOrder, Numbers, Style};
use crate::text::{JsStr, JsString};

/// Every member and digit as in the text.
const AS_READ: Style = Style {
    keys: KeyOrder::Source,
    numbers: Numbers::Source,
};

/// One parsed JSON text.
#[derive(Debug, Clone, Default)]
pub struct Json {
    /// The text. A string with escapes is replaced by its value, which is never
    /// longer; the rest of its space is unused.
    text: Vec<u8>,
    slots: Vec<Slot>,
    form: Option<FormId>,
}

#[derive(Debug, Clone, Copy)]
enum Slot {
    Null,
    Bool(bool),
    Number {
        start: u32,
        len: u32,
    },
    String {
        start: u32,
        len: u32,
    },
    /// `start` is the place of its bracket in the text, `end` the slot after
    /// the last one inside.
    Array {
        start: u32,
        end: u32,
    },
    /// Inside, keys (as strings) and values alternate.
    Object {
        start: u32,
        end: u32,
    },
}

/// Where parsing stops.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// Only white space may follow the value.
    OfText,
    /// Everything after the value is ignored.
    OfValue,
}

/// One value inside a [`Json`].
#[derive(Debug, Clone, Copy)]
pub struct Node<'j> {
    json: &'j Json,
    at: usize,
}

/// The position of a value among the values of its text. It is the same in all
/// texts of the same form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(u32);

/// What a node is.
#[derive(Debug, Clone, Copy)]
pub enum Value<'j> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// a number, as its digits
    Number(Digits<'j>),
    /// a string
    String(JsStr<'j>),
    /// an array
    Array(Elements<'j>),
    /// an object
    Object(Members<'j>),
}

/// The digits of a number as in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits<'j>(&'j [u8]);

/// The elements of an array.
#[derive(Debug, Clone, Copy)]
pub struct Elements<'j> {
    json: &'j Json,
    at: usize,
    end: usize,
}

/// The members of an object.
#[derive(Debug, Clone, Copy)]
pub struct Members<'j> {
    json: &'j Json,
    at: usize,
    end: usize,
}

impl Json {
    /// Parses as ECMAScript `JSON.parse` does.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse::parse(text.as_bytes(), &Rules::ECMASCRIPT)
    }

    /// Parses text that may hold lone surrogates, as `JSON.parse` does.
    pub fn parse_js(text: JsStr<'_>) -> Result<Self, ParseError> {
        parse::parse(text.bytes(), &Rules::ECMASCRIPT)
    }

    /// Parses under stricter rules.
    pub fn parse_with(text: &str, rules: &Rules) -> Result<Self, ParseError> {
        parse::parse(text.as_bytes(), rules)
    }

    /// About how many bytes of memory it takes.
    pub const fn weight(&self) -> usize {
        self.text.len() + self.slots.len() * size_of::<Slot>()
    }

    /// The outermost value.
    pub const fn root(&self) -> Node<'_> {
        Node { json: self, at: 0 }
    }

    /// An object of these members, copied.
    pub fn object<'a>(members: impl IntoIterator<Item = (JsStr<'a>, Node<'a>)>) -> Self {
        let mut text = vec![b'{'];
        for (key, value) in members {
            if text.len() > 1 {
                text.push(b',');
            }
            canonical::push_string(&mut text, key);
            text.push(b':');
            canonical::push_node(&mut text, value, &AS_READ);
        }
        text.push(b'}');
        Self::written(&text)
    }

    /// Reads what was written from parsed values.
    #[expect(clippy::expect_used, reason = "see the message")]
    fn written(text: &[u8]) -> Self {
        parse::parse(text, &Rules::ECMASCRIPT).expect("the writer writes JSON")
    }

    #[inline]
    fn slot(&self, at: usize) -> Slot {
        self.slots.get(at).copied().unwrap_or(Slot::Null)
    }

    #[inline]
    fn piece(&self, start: u32, len: u32) -> &[u8] {
        let start = start as usize;
        self.text
            .get(start..start + len as usize)
            .unwrap_or_default()
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        match self.slot(at) {
            Slot::Array { end, .. } | Slot::Object { end, .. } => end as usize,
            _ => at + 1,
        }
    }
}

impl<'j> Node<'j> {
    /// The kind of this node.
    #[inline]
    pub fn value(self) -> Value<'j> {
        let json = self.json;
        let at = self.at + 1;
        match json.slot(self.at) {
            Slot::Null => Value::Null,
            Slot::Bool(truth) => Value::Bool(truth),
            Slot::Number { start, len } => Value::Number(Digits(json.piece(start, len))),
            Slot::String { start, len } => Value::String(JsStr::from_wtf8(json.piece(start, len))),
            Slot::Array { end, .. } => Value::Array(Elements {
                json,
                at,
                end: end as usize,
            }),
            Slot::Object { end, .. } => Value::Object(Members {
                json,
                at,
                end: end as usize,
            }),
        }
    }

    /// The text, if this is a string.
    #[inline]
    pub fn as_js(self) -> Option<JsStr<'j>> {
        match self.value() {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text, if this is a string without lone surrogates.
    pub fn as_str(self) -> Option<&'j str> {
        self.as_js().and_then(JsStr::as_str)
    }

    /// The double, if this is a number.
    pub fn as_f64(self) -> Option<f64> {
        match self.value() {
            Value::Number(digits) => Some(digits.to_f64()),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.value() {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The members, if this is an object.
    pub fn as_object(self) -> Option<Members<'j>> {
        match self.value() {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn as_array(self) -> Option<Elements<'j>> {
        match self.value() {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        matches!(self.value(), Value::Null)
    }

    /// Its position among the values of its text.
    #[inline]
    pub fn place(self) -> Place {
        Place(index32(self.at))
    }

    /// The form of its text, if a [`Reader`] recognised it.
    #[inline]
    pub const fn form(self) -> Option<FormId> {
        self.json.form
    }

    /// Another value of the same text. If the place is from a text of another
    /// form, this may be any value.
    #[must_use]
    #[inline]
    pub const fn at(self, place: Place) -> Self {
        Self {
            json: self.json,
            at: place.0 as usize,
        }
    }

    /// Where an array or object begins in the parsed text.
    pub fn start(self) -> Option<usize> {
        match self.json.slot(self.at) {
            Slot::Array { start, .. } | Slot::Object { start, .. } => Some(start as usize),
            _ => None,
        }
    }

    /// Where the words of a string begin in the parsed text, behind its quote.
    pub fn text_start(self) -> Option<usize> {
        match self.json.slot(self.at) {
            Slot::String { start, .. } => Some(start as usize),
            _ => None,
        }
    }

    /// The member `key`, if this is an object that has it.
    pub fn get(self, key: &str) -> Option<Self> {
        self.as_object()?.get(key.into())
    }

    /// A copy of this value as a text of its own.
    pub fn to_json(self) -> Json {
        let mut text = Vec::new();
        canonical::push_node(&mut text, self, &AS_READ);
        Json::written(&text)
    }
}

impl<'j> Digits<'j> {
    /// The digits as in the text.
    pub fn text(self) -> &'j str {
        std::str::from_utf8(self.0).unwrap_or("0") // the parser accepted only ASCII
    }

    /// The nearest double; too large numbers are infinite.
    pub fn to_f64(self) -> f64 {
        // most numbers are small integers
        if (1..=9).contains(&self.0.len()) {
            let add = |sum: u32, byte: &u8| {
                let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
                Some(sum * 10 + digit)
            };
            if let Some(whole) = self.0.iter().try_fold(0, add) {
                return f64::from(whole);
            }
        }
        self.text().parse().unwrap_or(f64::NAN)
    }

    /// Whether the number was written without fraction and exponent.
    pub fn is_integer(self) -> bool {
        !self.0.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }
}

#[expect(
    clippy::copy_iterator,
    reason = "a cursor: copying one starts the walk again from there"
)]
impl<'j> Iterator for Elements<'j> {
    type Item = Node<'j>;

    fn next(&mut self) -> Option<Node<'j>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node {
            json: self.json,
            at: self.at,
        };
        self.at = self.json.after(self.at);
        Some(node)
    }
}

/// Members in the order of the text, with all values of a repeated key.
#[expect(
    clippy::copy_iterator,
    reason = "a cursor: copying one starts the walk again from there"
)]
impl<'j> Iterator for Members<'j> {
    type Item = (JsStr<'j>, Node<'j>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let key = match self.json.slot(self.at) {
            Slot::String { start, len } => JsStr::from_wtf8(self.json.piece(start, len)),
            _ => JsStr::from_wtf8(b""),
        };
        let node = Node {
            json: self.json,
            at: self.at + 1,
        };
        self.at = self.json.after(self.at + 1);
        Some((key, node))
    }
}

impl<'j> Members<'j> {
    /// The effective value of this key: the last one.
    #[inline]
    pub fn get(self, key: JsStr<'_>) -> Option<Node<'j>> {
        self.get_bytes(key.bytes())
    }

    /// The same for a key given as WTF-8 bytes.
    #[inline]
    pub fn get_bytes(self, key: &[u8]) -> Option<Node<'j>> {
        let json = self.json;
        let mut found = None;
        let mut at = self.at;
        while at < self.end {
            // most keys have another length
            if let Slot::String { start, len } = json.slot(at)
                && len as usize == key.len()
                && json.piece(start, len) == key
            {
                found = Some(Node { json, at: at + 1 });
            }
            at = json.after(at + 1);
        }
        found
    }

    /// The effective members, in UTF-16 order of their keys.
    pub fn sorted(self) -> Vec<(JsStr<'j>, Node<'j>)> {
        self.sorted_by(JsStr::order)
    }

    /// The effective members, in the given order of their keys.
    pub fn sorted_by(
        self,
        order: impl Fn(JsStr<'j>, JsStr<'j>) -> Ordering,
    ) -> Vec<(JsStr<'j>, Node<'j>)> {
        let mut members: Vec<_> = self.collect();
        members.sort_by(|a, b| order(a.0, b.0)); // stable: the last of equal keys stays last
        let mut kept: Vec<(JsStr<'j>, Node<'j>)> = Vec::with_capacity(members.len());
        for member in members {
            match kept.last_mut() {
                Some(last) if last.0 == member.0 => *last = member,
                _ => kept.push(member),
            }
        }
        kept
    }

    /// Whether the object is empty.
    pub const fn is_empty(self) -> bool {
        self.at >= self.end
    }
}

/// Positions fit into 32 bits: the parser refuses larger texts.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "see above")]
const fn index32(index: usize) -> u32 {
    index as u32
}

/// A single value that is neither array nor object.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// a double, possibly infinite
    Number(f64),
    /// a string
    String(JsString),
}

impl Scalar {
    /// The scalar of a node, unless it is an array or object.
    pub fn of(node: Node<'_>) -> Option<Self> {
        match node.value() {
            Value::Null => Some(Self::Null),
            Value::Bool(truth) => Some(Self::Bool(truth)),
            Value::Number(digits) => Some(Self::Number(digits.to_f64())),
            Value::String(text) => Some(Self::String(text.to_owned())),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// ECMAScript `String(value)`.
    pub fn text(&self) -> JsString {
        match self {
            Self::Null => "null".into(),
            Self::Bool(true) => "true".into(),
            Self::Bool(false) => "false".into(),
            Self::Number(number) if number.is_nan() => "NaN".into(),
            Self::Number(number) if number.is_infinite() => if *number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }
            .into(),
            Self::Number(number) => crate::literal::number_text(*number).into(),
            Self::String(text) => text.clone(),
        }
    }
}

impl serde::Serialize for Scalar {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::String(text) => text.serialize(serializer),
        }
    }
}

impl schemars::JsonSchema for Scalar {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scalar".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["null", "boolean", "number", "string"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_repeated_keys_counts() {
        let json = Json::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(json.root().get("a").and_then(Node::as_f64), Some(3.0));
        let keys: Vec<_> = json
            .root()
            .as_object()
            .unwrap()
            .sorted()
            .iter()
            .map(|(k, v)| (k.to_string(), v.as_f64()))
            .collect();
        assert_eq!(
            keys,
            [("a".to_owned(), Some(3.0)), ("b".to_owned(), Some(2.0))]
        );
    }

    #[test]
    fn small_whole_numbers_are_the_doubles_that_parsing_gives() {
        for text in [
            "0",
            "-0",
            "7",
            "-7",
            "10",
            "999999999",
            "1000000000",
            "99999999999999999999",
            "1.0",
            "1e2",
            "-1e2",
        ] {
            let double = Digits(text.as_bytes()).to_f64();
            assert_eq!(
                double.to_bits(),
                text.parse::<f64>().unwrap().to_bits(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_copied_part_is_the_same_value() {
        let json = Json::parse(r#"[0,{"x":[1,"two",{"y":null}],"z":true},"end"]"#).unwrap();
        let part = json.root().as_array().unwrap().nth(1).unwrap();
        assert_eq!(
            canonical::of_node(part.to_json().root()),
            canonical::of_node(part)
        );
    }

    #[test]
    fn depth_is_bounded_by_memory_only() {
        let depth = 2_000_000;
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let json = Json::parse(&text).unwrap();
        assert_eq!(canonical::of_node(json.root()), text);
        drop(json.root().to_json());
    }

    #[test]
    fn an_object_is_made_of_copied_members() {
        let json = Json::parse(r#"{"a":[1,{"b":"x"}],"c":"y","d":1e999}"#).unwrap();
        let kept = json
            .root()
            .as_object()
            .unwrap()
            .filter(|(key, _)| *key != "c");
        let made = Json::object(kept);
        assert_eq!(
            canonical::of_node(made.root()),
            r#"{"a":[1,{"b":"x"}],"d":null}"#
        );
        assert_eq!(
            made.root().get("d").and_then(Node::as_f64),
            Some(f64::INFINITY)
        );
    }
}
