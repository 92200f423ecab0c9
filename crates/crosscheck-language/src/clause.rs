//! Where the clauses of a sentence end (judge P8).

use crate::lexicon::{LEXICON, List, WordEntry};
use crate::text::chars::{char_at, char_before};
use crate::text::is_word_char;

/// Where clauses end: behind `: `, `; `, ` - ` and ` -- `, and behind a comma
/// before a word such as `but`.
pub fn cuts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        let blank_at = |at: usize| bytes.get(at) == Some(&b' ');
        match byte {
            b':' | b';' if blank_at(at + 1) => found.push(at + 2),
            b' ' => found.extend(behind_dash(text, at)),
            b',' if begins_clause(text, at + 1) => found.push(at + 1),
            _ => {}
        }
    }
    found
}

/// Where a dash between blanks ends, unless a digit is beside it.
fn behind_dash(text: &str, blank: usize) -> Option<usize> {
    let tail = text.get(blank..)?;
    let mark = [" - ", " -- "]
        .into_iter()
        .find(|mark| tail.starts_with(mark))?;
    let end = blank + mark.len();
    let is_digit = |c: char| c.is_numeric();
    let beside = [char_before(text, blank), char_at(text, end)];
    (!beside.into_iter().flatten().any(is_digit)).then_some(end)
}

fn begins_clause(text: &str, at: usize) -> bool {
    let tail = text.get(at..).unwrap_or_default();
    tail.strip_prefix(char::is_whitespace)
        .is_some_and(is_clause_word)
}

/// Whether a text begins with a word such as `although`.
pub fn is_clause_word(tail: &str) -> bool {
    let len = tail.find(|c| !is_word_char(c)).unwrap_or(tail.len());
    let word = tail.get(..len).unwrap_or_default();
    let is_listed = |entry: &WordEntry| entry.is(List::ClauseWord);
    LEXICON.word_in_any_case(word).is_some_and(is_listed)
}
