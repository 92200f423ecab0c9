//! Kinds of characters.

use unicode_normalization::char::is_combining_mark;

use crate::lexicon::LEXICON;

/// The letters that a text ends with.
pub fn last_word(text: &str) -> &str {
    let rest = text.trim_end_matches(is_letter);
    text.get(rest.len()..).unwrap_or_default()
}

/// The word before one that begins behind this text, after one blank or hyphen.
pub fn word_before(text: &str) -> &str {
    last_word(text.strip_suffix([' ', '-']).unwrap_or_default())
}

/// A Unicode letter.
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphabetic()
    } else {
        c.is_alphabetic() && !c.is_numeric() && !is_combining_mark(c)
    }
}

/// A letter, a digit or `_`.
pub fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        c.is_numeric() || is_letter(c)
    }
}

/// The ASCII digit for a decimal digit of another script.
pub fn ascii_digit(c: char) -> Option<char> {
    let zeros = &LEXICON.zeros;
    let at = zeros.partition_point(|zero| *zero <= c).checked_sub(1)?;
    let value = u32::from(c) - u32::from(*zeros.get(at)?);
    char::from_digit(value, 10)
}

/// Han, Kana or Hangul: scripts that put no blanks between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}' | '\u{3005}' | '\u{3040}'..='\u{30FF}' | '\u{3130}'..='\u{318F}'
        | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// The character that begins here.
pub fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// The character that ends here.
pub fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// Whether a range neither begins nor ends inside a word or a number: port 80
/// is not found in port 8080.
pub fn is_whole(head: &str, wanted: &str, tail: &str) -> bool {
    let mut before = head.chars().rev();
    let mut behind = tail.chars();
    let (Some(first), Some(last)) = (wanted.chars().next(), wanted.chars().next_back()) else {
        return false;
    };
    !is_one(last, &mut behind) && !is_one(first, &mut before)
}

/// Whether a word or number continues from `edge` into the following text.
fn is_one(edge: char, beyond: &mut impl Iterator<Item = char>) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    match beyond.next() {
        Some('.' | ',') => is_digit(edge) && beyond.next().is_some_and(is_digit),
        // C, C++ and C# are three words.
        Some('+' | '#') => edge.is_ascii_alphabetic(),
        Some(next) => {
            let is_word = |c: char| is_letter(c) || c.is_numeric();
            is_word(edge)
                && is_word(next)
                // Next to Han, Kana and Hangul any text begins and ends,
                // because they have no blanks.
                && !is_unspaced(edge)
                && !is_unspaced(next)
        }
        None => false,
    }
}
