//! Claims on a certificate travel far: keys that look like credentials are
//! taken out and the rest is kept short.
//!
//! The three shapes are `\bsk_(live|test)_[a-zA-Z0-9]{8,}\b` and
//! `\bBearer\s+[a-zA-Z0-9._\-+/=]{20,}\b`, ignoring case, and
//! `\bAKIA[0-9A-Z]{16}\b`. They are matched by hand because compiling a
//! regular expression costs more than the whole rest of a small run.

use crosscheck_core::text::{is_ecma_space, one_line_js};
use crosscheck_core::{JsStr, JsString};

/// At most `max` UTF-16 units, without credentials, on one line.
pub(crate) fn redact(text: JsStr<'_>, max: usize) -> JsString {
    let flat: String = text
        .to_str_lossy()
        .chars()
        .map(|c| if matches!(c, '\r' | '\n') { ' ' } else { c })
        .collect();
    let clean = with_halves(&without_credentials(&flat), text);
    let clean = clean.as_js();
    if clean.unit_len() <= max {
        return one_line_js(clean);
    }
    let mut cut = JsString::from_units(clean.units().take(max - 1));
    cut.push_str("\u{2026}");
    one_line_js(cut.as_js())
}

/// Puts halves of surrogate pairs back where U+FFFD stands for them. No
/// credential holds one, so that they are all there, in their order.
fn with_halves(clean: &str, original: JsStr<'_>) -> JsString {
    if original.as_str().is_some() {
        return clean.into();
    }
    let mut halves = char::decode_utf16(original.units()).filter_map(|c| match c {
        Ok('\u{fffd}') => Some(0xFFFD),
        Ok(_) => None,
        Err(half) => Some(half.unpaired_surrogate()),
    });
    let units = clean.encode_utf16().map(|unit| match unit {
        0xFFFD => halves.next().unwrap_or(unit),
        _ => unit,
    });
    JsString::from_units(units)
}

fn without_credentials(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at_border = before.is_none_or(|c| !is_word(c)) && is_word(c);
        if let Some(len) = at_border.then(|| credential_len(rest)).flatten() {
            clean.push_str("[redacted]");
            let (taken, left) = rest.split_at(len);
            before = taken.chars().next_back();
            rest = left;
        } else {
            clean.push(c);
            before = Some(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    clean
}

fn credential_len(text: &str) -> Option<usize> {
    secret_key(text)
        .or_else(|| access_key(text))
        .or_else(|| bearer(text))
}

fn secret_key(text: &str) -> Option<usize> {
    let head = text.get(..8)?;
    if !["sk_live_", "sk_test_"]
        .iter()
        .any(|key| head.eq_ignore_ascii_case(key))
    {
        return None;
    }
    let body = text.get(8..)?;
    let run = body
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(body.len());
    (run >= 8 && border_after(text, 8 + run)).then_some(8 + run)
}

fn access_key(text: &str) -> Option<usize> {
    let body = text.strip_prefix("AKIA")?.get(..16)?;
    let fits = body
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    (fits && border_after(text, 20)).then_some(20)
}

fn bearer(text: &str) -> Option<usize> {
    if !text.get(..6)?.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let after = text.get(6..)?;
    let token = after.trim_start_matches(is_ecma_space);
    if token.len() == after.len() {
        return None;
    }
    let start = text.len() - token.len();
    let run = token
        .find(|c: char| !(c.is_ascii_alphanumeric() || "._-+/=".contains(c)))
        .unwrap_or(token.len());
    // the longest part that ends at a word border; everything in it is ASCII
    (20..=run)
        .rev()
        .map(|len| start + len)
        .find(|end| border_after(text, *end))
}

/// Whether a word begins or ends at this place.
fn border_after(text: &str, at: usize) -> bool {
    let left = text
        .get(..at)
        .and_then(|left| left.chars().next_back())
        .is_some_and(is_word);
    let right = text
        .get(at..)
        .and_then(|right| right.chars().next())
        .is_some_and(is_word);
    left != right
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        redact(text.into(), 400).to_string()
    }

    #[test]
    fn credentials_are_taken_out() {
        let table = [
            ("key sk_live_abcdefgh1 end", "key [redacted] end"),
            ("SK_TEST_ABCDEFGH", "[redacted]"),
            ("sk_live_short", "sk_live_short"),
            ("xsk_live_abcdefgh", "xsk_live_abcdefgh"),
            ("sk_live_abcdefgh_", "sk_live_abcdefgh_"),
            ("AKIA0123456789ABCDEF", "[redacted]"),
            ("AKIA0123456789ABCDEFG", "AKIA0123456789ABCDEFG"),
            ("akia0123456789abcdef", "akia0123456789abcdef"),
            (
                "Authorization: Bearer abcdefghijklmnopqrstuvwxyz==",
                "Authorization: [redacted]==",
            ),
            ("bearer  aaaaaaaaaaaaaaaaaaaa", "[redacted]"),
            ("Bearer short", "Bearer short"),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_survives() {
        let half = |unit: u16| JsString::from_units([unit]);
        let mut text = JsString::from("\u{fffd} AKIA0123456789ABCDEF ");
        text.push(half(0xD800).as_js());
        text.push_str(" \u{fffd}");
        text.push(half(0xDC00).as_js());
        let mut expected = JsString::from("\u{fffd} [redacted] ");
        expected.push(half(0xD800).as_js());
        expected.push_str(" \u{fffd}");
        expected.push(half(0xDC00).as_js());
        assert_eq!(redact(text.as_js(), 400), expected);
    }

    #[test]
    fn long_claims_are_cut_with_an_ellipsis() {
        let cut = redact("x".repeat(200).as_str().into(), 160);
        assert_eq!(cut.as_js().unit_len(), 160);
        assert!(cut.to_string().ends_with("x\u{2026}"));
    }
}
