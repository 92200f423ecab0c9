//! What is kept of long texts until they are judged.
//!
//! A run may see many values of many megabytes, and reports show the beginning
//! of each. So of a text that equals nothing that was claimed, only the ends are
//! kept, as soon as its batch has come: the beginning and the end, with which a
//! claim may agree, and the size and the digest of the whole.

use crosscheck_core::digest::Digest;
use crosscheck_core::json::Scalar;

use super::{Cell, Row, RowsSeen};

/// The least that is kept of each end, in bytes.
const END: usize = 16 * 1024;
/// Signs that a text was masked, wherever they are.
const MASKS: [&str; 2] = ["***", "\u{2022}\u{2022}\u{2022}"];

/// How many bytes of text an expected value is.
pub(crate) fn length(value: &Scalar) -> usize {
    match value {
        Scalar::String(text) => text.as_js().bytes().len(),
        Scalar::Null | Scalar::Bool(_) | Scalar::Number(_) => 0,
    }
}

/// What texts of the database may have to equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Claimed {
    /// The longest text, in bytes.
    pub(crate) longest: usize,
    /// Whether documents are compared member by member.
    pub(crate) has_json: bool,
}

impl Claimed {
    /// Nothing is shortened.
    #[cfg(test)]
    pub(crate) const ANYTHING: Self = Self {
        longest: usize::MAX,
        has_json: true,
    };

    /// One more claim of so many bytes.
    pub(crate) fn add(&mut self, length: usize) {
        self.longest = self.longest.max(length);
    }

    pub(super) fn seen(self, seen: RowsSeen) -> RowsSeen {
        match seen {
            RowsSeen::One(row) => RowsSeen::One(self.row(row)),
            other => other,
        }
    }

    pub(super) fn row(self, mut row: Row) -> Row {
        row.cells.iter_mut().for_each(|cell| self.shorten(cell));
        row
    }

    /// Leaves out the middle of a text or document.
    pub(crate) fn shorten(self, cell: &mut Cell) {
        let (Cell::Text(text) | Cell::Document(text)) = cell else {
            return;
        };
        let end = self.longest.max(END);
        if text.len() <= end.saturating_mul(8) {
            return;
        }
        let is_json = || text.trim_start().starts_with(['{', '[', '"']);
        let (head, tail) = (
            text.floor_char_boundary(end),
            text.ceil_char_boundary(text.len() - end),
        );
        let middle = text.get(head..tail).unwrap_or_default();
        if self.has_json && is_json() {
            return;
        }
        let mask = MASKS.into_iter().find(|mask| middle.contains(mask));
        // With so many letters it equals no claim, however tolerantly; a number or
        // blanks might.
        let middle = if equals_nothing(middle, 3 * end) {
            let digest = Digest::of(text.as_str()).hex();
            format!("\u{2026} {} bytes, SHA-256 {digest} \u{2026}", text.len())
        } else {
            thinned(middle, end + MAX_EXPONENT)
        };
        let short = [
            text.get(..head).unwrap_or_default(),
            &middle,
            mask.filter(|mask| !middle.contains(mask))
                .unwrap_or_default(),
            text.get(tail..).unwrap_or_default(),
        ];
        *text = short.concat().into();
    }
}

/// Whether a text has more letters and digits than any claim, and is not a number.
fn equals_nothing(middle: &str, most: usize) -> bool {
    let is_number = || middle.chars().all(|c| matches!(c, '0'..='9' | '.' | ','));
    let counted = middle.chars().filter(|c| c.is_alphanumeric());
    counted.take(most + 1).count() > most && !is_number()
}

/// Numbers of a claim have so many digits more than are written.
const MAX_EXPONENT: usize = 1024;

/// A text with as many characters of each sort as tell it from every claim.
/// Words that were apart stay apart.
fn thinned(middle: &str, most: usize) -> String {
    let is_number = middle.chars().all(|c| matches!(c, '0'..='9' | '.' | ','));
    let mut counts = [0; 6];
    let mut thin = String::new();
    let mut is_apart = false;
    for c in middle.chars() {
        let sort = match c {
            '0' => 0,
            '1'..='9' => 1,
            _ if c.is_whitespace() => 2,
            '+' | '#' | '*' | '%' | '<' | '>' | '=' | '@' | '&' | '$' | '€' | '/' | '\\' | '|'
            | '~' | '^' => 3,
            _ if c.is_alphanumeric() => 4,
            _ => 5,
        };
        let is_word = c.is_alphanumeric();
        let parts = !is_word && !is_apart;
        is_apart = !is_word;
        let Some(count) = counts.get_mut(sort) else {
            continue;
        };
        *count += 1;
        let is_kept = if is_number {
            *count <= most
        } else {
            is_word || parts || *count <= most
        };
        if is_kept {
            thin.push(c);
        }
    }
    thin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::compare::value::Value;

    fn kept(claimed: Claimed, text: &str) -> String {
        let mut cell = Cell::Text(text.into());
        claimed.shorten(&mut cell);
        match cell {
            Cell::Text(text) => text.to_string(),
            _ => String::new(),
        }
    }

    #[test]
    fn of_a_long_text_the_ends_are_kept() {
        let long = format!("begin {} end", "ä".repeat(1 << 20));
        let short = kept(Claimed::default(), &long);
        assert!(short.len() < 3 * END, "{}", short.len());
        assert!(short.starts_with("begin ä") && short.ends_with("ä end"));
        let other = kept(Claimed::default(), &long.replacen("ää", "äöä", 1));
        assert_ne!(short, other);
        let hidden = format!("{long}***{long}");
        assert!(kept(Claimed::default(), &hidden).contains("***"));
    }

    #[test]
    fn of_a_long_text_without_letters_no_more_is_kept() {
        for piece in [
            "1 ", "1", "0", "1,", "12.", " ", "\n", ".", ". ", "- + ", "*", "\u{2022}", "\u{00a0}",
            "/a ",
        ] {
            let long = piece.repeat((1 << 18) / piece.len());
            for text in [long.clone(), format!("1.{long}"), format!("{long}x")] {
                let short = kept(Claimed::default(), &text);
                assert!(short.len() < 9 * END, "{piece:?}: {}", short.len());
            }
        }
    }

    #[test]
    fn what_a_claim_may_equal_is_still_equal_to_it() {
        let (zeros, blanks) = ("0".repeat(1 << 18), " ".repeat(1 << 18));
        let signs = ". , - ".repeat(1 << 16);
        let sides = crate::compare::Sides::default();
        for (claim, held) in [
            ("1", format!("1.{zeros}")),
            ("7", format!("{zeros}7")),
            ("1.5", format!("EUR 1.5{zeros}")),
            ("x", format!("{blanks}x")),
            ("5", format!("5{blanks}")),
            ("a b", format!("a{signs}b")),
            ("ab", format!("a{signs}b")),
            ("a b c", format!("a{signs}bc")),
            ("1", format!("1{zeros}")),
            ("1", format!("0.{zeros}1")),
            ("1+", format!("1{}", "+".repeat(1 << 18))),
            ("ab", format!("a{}b", "-*** ".repeat(1 << 16))),
        ] {
            for claim in [Value::Text(claim.into()), Value::Number(claim.into())] {
                let whole = Cell::Text(held.as_str().into());
                let mut short = whole.clone();
                Claimed::default().shorten(&mut short);
                assert_ne!(short, whole);
                let said = compare(&claim, &whole, sides);
                assert_eq!(compare(&claim, &short, sides), said, "{claim:?}");
            }
        }
    }

    #[test]
    fn what_may_equal_a_claim_stays_whole() {
        let long = "x".repeat(1 << 20);
        let mut claimed = Claimed::default();
        claimed.add(1 << 20);
        assert_eq!(kept(claimed, &long), long);
        for text in ["x".repeat(4 * END), "1 ".repeat(4 * END)] {
            assert_eq!(kept(Claimed::default(), &text), text);
        }
        let json = format!("[\"{long}\"]");
        let claimed = Claimed {
            has_json: true,
            ..Claimed::default()
        };
        assert_eq!(kept(claimed, &json), json);
        assert_ne!(kept(Claimed::default(), &json), json);
    }
}
