//! Canonical JSON.
//!
//! Keys sort by UTF-16 code unit, not by `str` order: the two differ as soon
//! as a key holds a character outside the basic plane, and the bytes written
//! here are hashed and compared by other programs. The writer keeps its own
//! stack, so depth is bounded by memory only.

use std::fmt::Write as _;

use serde::Serialize;

use crate::json::{Digits, Json, Members, Node, Value};
use crate::text::{JsStr, JsString, decode_wtf8, first_special, is_one_line};

/// The choices in which canonical forms differ.
pub trait Form {
    /// Writes a number.
    fn number(&self, out: &mut String, digits: Digits<'_>);
    /// The members of an object in the order they are written.
    fn members<'j>(&self, members: Members<'j>) -> Vec<(JsStr<'j>, Node<'j>)>;
}

/// UTF-16 key order and ECMAScript numbers: what `JSON.stringify` writes for
/// an object with sorted keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ecma;

impl Form for Ecma {
    fn number(&self, out: &mut String, digits: Digits<'_>) {
        write_number(out, digits.to_f64());
    }

    fn members<'j>(&self, members: Members<'j>) -> Vec<(JsStr<'j>, Node<'j>)> {
        members.sorted()
    }
}

/// The canonical text of a parsed value.
pub fn of_node(node: Node<'_>) -> String {
    let mut out = String::new();
    write_node(&mut out, node, &Ecma);
    out
}

/// The canonical text of a wire struct.
pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<String, CanonicalError> {
    let text = serde_json::to_string(value).map_err(CanonicalError::Serialize)?;
    let json = Json::parse(&text).map_err(CanonicalError::Parse)?;
    Ok(of_node(json.root()))
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

/// Writes a parsed value in the given form.
pub fn write_node(out: &mut String, node: Node<'_>, form: &impl Form) {
    let mut open: Vec<Frame<'_>> = Vec::new();
    let mut next = Some(node);
    loop {
        if let Some(node) = next.take() {
            match node.value() {
                Value::Null => out.push_str("null"),
                Value::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
                Value::Number(digits) => form.number(out, digits),
                Value::String(text) => write_string(out, text),
                Value::Array(elements) => {
                    out.push('[');
                    open.push(Frame::Array {
                        elements,
                        first: true,
                    });
                }
                Value::Object(members) => {
                    out.push('{');
                    open.push(Frame::Object {
                        members: form.members(members).into_iter(),
                        first: true,
                    });
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

enum Frame<'j> {
    Array {
        elements: crate::json::Elements<'j>,
        first: bool,
    },
    Object {
        members: std::vec::IntoIter<(JsStr<'j>, Node<'j>)>,
        first: bool,
    },
}

impl<'j> Frame<'j> {
    /// Writes what stands before the next value, or the closing bracket.
    fn step(&mut self, out: &mut String) -> Option<Node<'j>> {
        match self {
            Self::Array { elements, first } => {
                let Some(node) = elements.next() else {
                    out.push(']');
                    return None;
                };
                if !std::mem::take(first) {
                    out.push(',');
                }
                Some(node)
            }
            Self::Object { members, first } => {
                let Some((key, node)) = members.next() else {
                    out.push('}');
                    return None;
                };
                if !std::mem::take(first) {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                Some(node)
            }
        }
    }
}

/// ECMAScript `Number::toString`, with `null` for what is not finite.
pub fn number_text(number: f64) -> String {
    let mut out = String::new();
    write_number(&mut out, number);
    out
}

/// As [`number_text`], behind what is already there.
pub fn write_number(out: &mut String, number: f64) {
    if number.is_finite() {
        out.push_str(ryu_js::Buffer::new().format(number));
    } else {
        out.push_str("null");
    }
}

/// A string as `JSON.stringify` writes it.
pub fn write_string(out: &mut String, text: JsStr<'_>) {
    if let Some(plain) = text.as_str() {
        return write_text(out, plain);
    }
    out.push('"');
    write_with_surrogates(out, text);
    out.push('"');
}

/// The same for ordinary text.
pub fn write_text(out: &mut String, text: &str) {
    out.push('"');
    write_escaped(out, text);
    out.push('"');
}

/// A string literal as `JSON.stringify` writes it.
pub fn quoted(text: JsStr<'_>) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

/// The same behind a text that may hold halves of pairs.
pub fn append_string(out: &mut JsString, text: JsStr<'_>) {
    if first_special(text.bytes()).is_none() && !may_hold_halves(text) {
        out.push_str("\"");
        out.push(text);
        out.push_str("\"");
    } else {
        out.push_str(&quoted(text));
    }
}

/// The bytes of a text that stands in JSON and on one line as it is.
pub fn plain_one_line(text: JsStr<'_>) -> Option<&[u8]> {
    let bytes = text.bytes();
    let is_plain = first_special(bytes).is_none() && !may_hold_halves(text);
    (is_plain && is_one_line(bytes)).then_some(bytes)
}

/// Every half of a pair begins so, and few characters.
fn may_hold_halves(text: JsStr<'_>) -> bool {
    text.bytes().contains(&0xED)
}

fn write_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = first_special(rest.as_bytes()) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = tail.chars();
        if let Some(c) = chars.next() {
            write_escape(out, c);
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}

fn write_escape(out: &mut String, c: char) {
    if let Some(letter) = u8::try_from(c).ok().and_then(escape_letter) {
        out.push('\\');
        out.push(char::from(letter));
    } else {
        let _ = write!(out, "\\u{:04x}", u32::from(c));
    }
}

/// What stands behind the backslash, where that is one letter.
const fn escape_letter(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' => byte,
        0x8 => b'b',
        0xC => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => return None,
    })
}

/// As [`write_string`], where the text need not be known to be UTF-8.
pub fn push_string(out: &mut Vec<u8>, text: JsStr<'_>) {
    if may_hold_halves(text) {
        out.extend_from_slice(quoted(text).as_bytes());
        return;
    }
    let mut rest = text.bytes();
    out.push(b'"');
    while let Some(at) = first_special(rest) {
        let Some((plain, [special, after @ ..])) = rest.split_at_checked(at) else {
            break;
        };
        out.extend_from_slice(plain);
        match escape_letter(*special) {
            Some(letter) => out.extend_from_slice(&[b'\\', letter]),
            None => out.extend_from_slice(format!("\\u{special:04x}").as_bytes()),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn write_with_surrogates(out: &mut String, text: JsStr<'_>) {
    let mut bytes = text.bytes();
    while let Some((code, width)) = decode_wtf8(bytes) {
        match char::from_u32(code) {
            Some(c) => write_escaped(out, c.encode_utf8(&mut [0; 4])),
            None => {
                let _ = write!(out, "\\u{code:04x}");
            }
        }
        bytes = bytes.get(width..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn wire_structs_keep_lone_surrogates() {
        #[derive(Serialize)]
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
        fn all_ways_to_write_a_string_say_the_same(units in prop::collection::vec(
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
