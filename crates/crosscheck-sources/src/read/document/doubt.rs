//! Words of a sentence that may belong to its claim, or only say something of
//! its source: `signed in [Rome](u), 3 June 1961`. A sentence with such words has
//! two readings. The page must bear out both, and only what it refutes in both
//! speaks against the author.

use std::borrow::Cow;

use crate::read::sentence::GONE;

/// Such words are between these two while the text around them is read.
const OPEN: char = '\u{3}';
const CLOSE: char = '\u{4}';
/// The two, to look for them.
pub(super) const ENDS: [char; 2] = [OPEN, CLOSE];

/// Marks words as doubtful.
pub(super) fn wrapped(words: &str) -> String {
    format!("{OPEN}{words}{CLOSE}")
}

/// The text without doubtful words.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    if !text.contains(OPEN) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for piece in text.split_inclusive(ENDS) {
        let words = piece.trim_end_matches(ENDS);
        if depth == 0 {
            out.push_str(words);
        }
        if piece.ends_with(OPEN) {
            depth += 1;
        } else if piece.ends_with(CLOSE) {
            depth = depth.saturating_sub(1);
            out.push_str(if depth == 0 { GONE } else { "" });
        }
    }
    Cow::Owned(out)
}

/// The text with doubtful words as any others; none where it has no such words.
pub(super) fn with(text: &str) -> Option<String> {
    text.contains(OPEN).then(|| text.replace(ENDS, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_two_readings_where_words_are_doubtful() {
        let inner = wrapped("3 June 1961");
        let text = format!("Signed{}.", wrapped(&format!(" in Rome, {inner}")));
        assert_eq!(without(&text), format!("Signed{GONE}."));
        assert_eq!(with(&text).unwrap(), "Signed in Rome, 3 June 1961.");
        assert_eq!(with("Signed."), None);
    }
}
