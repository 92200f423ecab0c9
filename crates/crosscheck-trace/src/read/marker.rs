//! Citation markers in the text of claims and answers (trace 2.10).
//!
//! `[evidence:<id>:<start>-<end>:<sha256>]`; every other text after the opener
//! is a malformed marker.

use crate::forms::{is_hash, leading_natural};

/// What follows the bracket of a marker.
const OPENER: &str = "evidence:";

/// A well-formed citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marker<'t> {
    /// The evidence.
    pub id: &'t str,
    /// First cited byte.
    pub start: u64,
    /// The byte after the last cited one.
    pub end: u64,
    /// Hash of the cited bytes, 64 lower-case hex digits.
    pub hash: &'t str,
}

/// All markers of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Markers<'t> {
    /// The well-formed ones, in order.
    pub good: Vec<Marker<'t>>,
    /// The malformed ones, shortened.
    pub malformed: Vec<&'t str>,
}

/// Scans a text from left to right.
pub fn markers(text: &str) -> Markers<'_> {
    let mut found = Markers::default();
    let mut rest = text;
    while let Some(tail) = after_bracket(rest) {
        let Some(tail) = tail.strip_prefix(OPENER) else {
            rest = tail;
            continue;
        };
        rest = if let Some((marker, after)) = marker(tail) {
            found.good.push(marker);
            after
        } else {
            found.malformed.push(beginning(tail));
            tail
        };
    }
    found
}

/// The text after the next opening bracket.
fn after_bracket(text: &str) -> Option<&str> {
    let at = memchr::memchr(b'[', text.as_bytes())?;
    text.get(at + 1..)
}

fn marker(text: &str) -> Option<(Marker<'_>, &str)> {
    let stop = memchr::memchr2(b':', b']', text.as_bytes())?;
    let (id, text) = text.split_at_checked(stop)?;
    let text = text.strip_prefix(':').filter(|_| !id.is_empty())?;
    let (start, text) = number(text)?;
    let (end, text) = number(text.strip_prefix('-')?)?;
    let (hash, after) = text.strip_prefix(':')?.split_at_checked(64)?;
    let after = after.strip_prefix(']')?;
    is_hash(hash).then_some((
        Marker {
            id,
            start,
            end,
            hash,
        },
        after,
    ))
}

/// Digits without a leading zero, below 2^63.
fn number(text: &str) -> Option<(u64, &str)> {
    let (number, length) = leading_natural(text.as_bytes())?;
    Some((number, text.get(length..)?))
}

/// The beginning of a malformed marker, enough to find it.
fn beginning(text: &str) -> &str {
    let stop = text
        .char_indices()
        .take(48)
        .find(|(_, c)| *c == ']')
        .map(|(at, _)| at + 1)
        .or_else(|| text.char_indices().nth(48).map(|(at, _)| at))
        .unwrap_or(text.len());
    text.split_at(stop).0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hash() -> String {
        "0123456789abcdef".repeat(4)
    }

    #[test]
    fn a_marker_is_taken_whole() {
        let hash = hash();
        let text = format!("Gale. [evidence:ev é 1:0-56:{hash}] and [evidence:b:7-7:{hash}]");
        let found = markers(&text);
        assert_eq!(found.malformed, [""; 0]);
        assert_eq!(found.good.len(), 2);
        assert_eq!(
            found.good[0],
            Marker {
                id: "ev é 1",
                start: 0,
                end: 56,
                hash: &hash
            }
        );
    }

    #[test]
    fn every_other_text_after_the_opener_is_malformed() {
        let hash = hash();
        for tail in [
            String::new(),
            "]".to_owned(),
            "a]".to_owned(),
            format!(":0-1:{hash}]"),
            format!("a:00-1:{hash}]"),
            format!("a:0-01:{hash}]"),
            format!("a:+0-1:{hash}]"),
            format!("a:0-1:{hash}"),
            format!("a:0-1:{hash}a]"),
            format!("a:0-1:{}]", hash.to_uppercase()),
            format!("a:0-1:{}]", hash.trim_start_matches('0')),
            format!("a:٠-1:{hash}]"),
            format!("a:0-9223372036854775808:{hash}]"),
            format!("a:0–1:{hash}]"),
            format!("a:0-1 :{hash}]"),
            format!("a:-1:{hash}]"),
            format!("a:1-:{hash}]"),
        ] {
            let text = format!("x [evidence:{tail}");
            let found = markers(&text);
            assert!(found.good.is_empty(), "{text}");
            assert_eq!(found.malformed.len(), 1, "{text}");
        }
        assert_eq!(markers("[Evidence:a] [ evidence:a]"), Markers::default());
    }

    #[test]
    fn the_scan_continues_after_a_malformed_opener() {
        let hash = hash();
        let text = format!("[evidence:[evidence:a:0-1:{hash}]");
        let found = markers(&text);
        assert_eq!((found.good.len(), found.malformed.len()), (1, 1));
        let doubled = "[evidence:[evidence:";
        assert_eq!(markers(doubled).malformed.len(), 2);
    }

    proptest! {
        #[test]
        fn any_text_is_scanned_and_openers_are_all_accounted_for(text in r"(\[evidence:|[a-z0-9:\-\]é]|\PC){0,40}") {
            let found = markers(&text);
            prop_assert_eq!(found.good.len() + found.malformed.len(), text.matches("[evidence:").count());
        }
    }
}
