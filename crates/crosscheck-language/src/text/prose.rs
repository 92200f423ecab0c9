//! Distinguishes prose from code (judge T6).

use super::chars::{char_at, char_before, is_letter, is_word_char};
use super::plain::next_of;

/// Whether a text reads like sentences, not like code or data: at least five
/// runs of letters, and few marks of code in proportion.
pub fn is_prose(text: &str) -> bool {
    let runs = if text.is_ascii() {
        ascii_runs(text.as_bytes())
    } else {
        letter_runs(text)
    };
    runs >= 5 && (certain_marks(text.as_bytes()) + code_marks(text)) * 4 <= runs
}

/// Whether a text has no sign of code or data: no mark of code, no `key: value`.
pub fn is_plain(text: &str) -> bool {
    !text.contains([':', '`']) && certain_marks(text.as_bytes()) + code_marks(text) == 0
}

/// A sum of so few ones fits into a byte, and many bytes into a vector.
const BLOCK: usize = 240;

fn ascii_runs(bytes: &[u8]) -> usize {
    let letter = |byte: u8| u8::from((byte | 0x20).wrapping_sub(b'a') < 26);
    let first = bytes.first().map_or(0, |byte| letter(*byte));
    let next = bytes.get(1..).unwrap_or_default();
    let begun = bytes
        .chunks(BLOCK)
        .zip(next.chunks(BLOCK))
        .map(|(before, here)| {
            let pairs = before.iter().zip(here);
            usize::from(pairs.fold(0u8, |sum, (a, b)| sum + (letter(*b) & (letter(*a) ^ 1))))
        });
    usize::from(first) + begun.sum::<usize>()
}

fn letter_runs(text: &str) -> usize {
    let mut inside = false;
    let starts = text.chars().filter(|c| {
        let letter = is_letter(*c);
        let starts = letter && !inside;
        inside = letter;
        starts
    });
    starts.count()
}

/// Marks that are code wherever they are.
fn certain_marks(bytes: &[u8]) -> usize {
    let is_mark = |byte: u8| {
        let marks = b"{}=<>|*#\\_@";
        marks
            .iter()
            .fold(0, |seen, mark| seen | u8::from(byte == *mark))
    };
    let blocks = bytes.chunks(BLOCK);
    blocks
        .map(|block| usize::from(block.iter().fold(0u8, |sum, byte| sum + is_mark(*byte))))
        .sum()
}

/// Marks that are code in some places only.
fn code_marks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_one = |byte: u8| matches!(byte, b'(' | b';' | b'/' | b'$' | b'&');
    let (mut marks, mut at) = (0, 0);
    while let Some(place) = next_of(bytes, at, is_one) {
        let len = code_mark(text, place);
        marks += usize::from(len > 0);
        at = place + len.max(1);
    }
    marks
}

/// How many characters a mark of code has here; `None` if there is none.
fn code_mark(text: &str, at: usize) -> usize {
    let next = char_at(text, at + 1);
    let last = char_before(text, at);
    match text.as_bytes().get(at) {
        Some(b'(') => usize::from(last.is_some_and(is_word_char)),
        Some(b';') => usize::from(ends_line(text, at + 1)),
        Some(b'/') if next == Some('/') && last != Some(':') => 2,
        Some(b'$' | b'&') => {
            usize::from(next.is_some_and(|c| c == '_' || c == '{' || is_letter(c)))
        }
        _ => 0,
    }
}

/// Whether only blanks follow on the line.
fn ends_line(text: &str, from: usize) -> bool {
    let rest = text.get(from..).unwrap_or_default().trim_start_matches(' ');
    rest.is_empty() || rest.starts_with('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_needs_words_and_few_marks_of_code() {
        for (text, expected) in [
            ("The service retries failed requests.", true),
            ("four words are few", false),
            ("Mice (n = 6) were weighed (see [4]; $5)", true),
            ("set_delay(7); // s", false),
            ("const MAX_RETRIES: u32 = foo(bar, baz);", false),
            ("See https://a.example/x and/or 3/4 of it; then go", true),
            ("Prices rose to $5 & £6 (about 7 %) in the north", true),
            ("a b c $x &y", false),
            ("one two three four five six seven eight f(x) g(y)", true),
            ("one two three f(x) g(y)", false),
            ("Der Wert größer als fünf = x", true),
        ] {
            assert_eq!(is_prose(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn both_ways_of_counting_runs_of_letters_agree(text in "[ -~]{0,600}") {
            proptest::prop_assert_eq!(ascii_runs(text.as_bytes()), letter_runs(&text));
        }
    }

    #[test]
    fn many_semicolons_and_blanks_are_counted_in_linear_time() {
        let text = "a ;   b ;   ".repeat(50_000);
        assert!(is_prose(&text));
        let text = format!("a b c d e ;{}x", " ".repeat(100_000));
        assert!(is_prose(&text));
    }
}
