//! JSON string literals.

use std::io::Write as _;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::{JsStr, JsString, decode_wtf8, first_special, is_one_line};

/// Appends a string literal as `JSON.stringify` writes it. A lone surrogate is
/// written as an escape, so the result is always UTF-8.
pub fn push_string(out: &mut Vec<u8>, text: JsStr<'_>) {
    out.push(b'"');
    if may_have_surrogates(text) {
        let mut rest = text.bytes();
        while let Some((code, width)) = decode_wtf8(rest) {
            let (character, after) = rest.split_at(width.min(rest.len()));
            if char::from_u32(code).is_some() {
                push_escaped(out, character);
            } else {
                let _ = write!(out, "\\u{code:04x}");
            }
            rest = after;
        }
    } else {
        push_escaped(out, text.bytes());
    }
    out.push(b'"');
}

/// As [`push_string`], to a `String`.
pub fn write_string(out: &mut String, text: JsStr<'_>) {
    match text.as_str() {
        Some(plain) => write_text(out, plain),
        None => out.push_str(&quoted(text)),
    }
}

/// As [`write_string`], for ordinary text.
pub fn write_text(out: &mut String, text: &str) {
    if first_special(text.as_bytes()).is_some() {
        out.push_str(&quoted(text.into()));
        return;
    }
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// A string literal as `JSON.stringify` writes it, on its own.
pub fn quoted(text: JsStr<'_>) -> String {
    let mut out = Vec::new();
    push_string(&mut out, text);
    String::from_utf8(out).unwrap_or_default() // no surrogate is left
}

/// As [`write_string`], appended to a text that may have lone surrogates.
pub fn append_string(out: &mut JsString, text: JsStr<'_>) {
    if first_special(text.bytes()).is_none() && !may_have_surrogates(text) {
        out.push_str("\"");
        out.push(text);
        out.push_str("\"");
    } else {
        out.push_str(&quoted(text));
    }
}

/// The bytes of a text that needs no change in a JSON string and on one line.
pub fn plain_one_line(text: JsStr<'_>) -> Option<&[u8]> {
    let bytes = text.bytes();
    let is_plain = first_special(bytes).is_none() && !may_have_surrogates(text);
    (is_plain && is_one_line(bytes)).then_some(bytes)
}

/// Every lone surrogate begins with this byte, and few characters do.
fn may_have_surrogates(text: JsStr<'_>) -> bool {
    text.bytes().contains(&0xED)
}

fn push_escaped(out: &mut Vec<u8>, mut rest: &[u8]) {
    while let Some(at) = first_special(rest) {
        let Some((plain, [special, after @ ..])) = rest.split_at_checked(at) else {
            break;
        };
        out.extend_from_slice(plain);
        match escape_letter(*special) {
            Some(letter) => out.extend_from_slice(&[b'\\', letter]),
            None => {
                let _ = write!(out, "\\u{special:04x}");
            }
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

/// The letter after the backslash, if the escape has one letter.
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

/// Ordinary text as a string; text with a lone surrogate as a raw JSON value,
/// which keeps the `\ud800` escape (only `serde_json` understands that).
impl Serialize for JsString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_js().serialize(serializer)
    }
}

impl Serialize for JsStr<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.as_str() {
            return serializer.serialize_str(text);
        }
        RawValue::from_string(quoted(*self))
            .map_err(S::Error::custom)?
            .serialize(serializer)
    }
}
