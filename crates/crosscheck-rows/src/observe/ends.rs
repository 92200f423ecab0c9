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
            RowsSeen::Many(rows) => {
                RowsSeen::Many(rows.into_iter().map(|row| self.row(row)).collect())
            }
            other => other,
        }
    }

    fn row(self, mut row: Row) -> Row {
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
        if self.has_json && is_json() {
            return;
        }
        let digest = Digest::of(text.as_str()).hex();
        let middle = format!("\u{2026} {} bytes, SHA-256 {digest} \u{2026}", text.len());
        let short = [
            text.get(..head).unwrap_or_default(),
            &middle,
            text.get(tail..).unwrap_or_default(),
        ];
        *text = short.concat().into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
