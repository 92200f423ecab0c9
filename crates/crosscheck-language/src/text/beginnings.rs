//! Where a text may have certain words, by their first three letters: one look
//! at each beginning of a word, and only words that begin like a wanted one are read.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::stem::stem_into;
use crate::lexicon::{LEXICON, in_lower_case};

/// Letters, and one sign for everything else.
const SIGNS: usize = 27;

/// Groups of 64 bits for all beginnings.
const BITS: usize = (SIGNS * SIGNS * SIGNS).div_ceil(64);

/// A set of beginnings of three letters.
#[derive(Debug)]
pub struct Beginnings {
    all: [u64; BITS],
    /// One bit for each first letter.
    firsts: u32,
}

/// For each stem the words of the lists that have it in place of their own.
static SYNONYMS: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut synonyms: HashMap<String, Vec<&str>> = HashMap::new();
    let mut stem = String::new();
    for word in LEXICON.words_that(|entry| entry.synonym.is_some()) {
        stem_into(word, LEXICON.word(word), &mut stem);
        synonyms.entry(stem.clone()).or_default().push(word);
    }
    synonyms
});

impl Beginnings {
    const fn none() -> Self {
        Self {
            all: [0; BITS],
            firsts: 0,
        }
    }

    /// Those of these words.
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut set = Self::none();
        for word in words {
            set.add(signs(word.as_bytes()));
        }
        set
    }

    /// Those of all words that have one of these stems.
    pub fn of_stems<'s>(stems: impl IntoIterator<Item = &'s str>) -> Self {
        let mut set = Self::none();
        for stem in stems {
            // A word begins with its stem, but `dry` is also the stem of `dried`.
            let [first, second, third] = signs(stem.as_bytes());
            set.add([first, second, third]);
            match stem.len() {
                2 => (0..SIGNS).for_each(|any| set.add([first, second, any])),
                3 if stem.ends_with('y') => set.add([first, second, sign(b'i')]),
                _ => {}
            }
            for word in SYNONYMS.get(stem).into_iter().flatten() {
                set.add(signs(word.as_bytes()));
                set.add(signs(format!("{word}s").as_bytes()));
            }
        }
        set
    }

    fn add(&mut self, signs: [usize; 3]) {
        let at = number(signs);
        if let Some(bits) = self.all.get_mut(at / 64) {
            *bits |= 1 << (at % 64);
            self.firsts |= 1 << signs[0];
        }
    }

    fn has(&self, signs: [usize; 3]) -> bool {
        let at = number(signs);
        self.all
            .get(at / 64)
            .is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    /// Calls `is_wanted` with each word of the text that has such a beginning, until it says yes; whether it did.
    /// None where it is not plain what the words are: other letters than those of English, capitals
    /// inside a word, ordinals, marks inside a word that begins so.
    pub fn look(&self, text: &str, is_wanted: &mut dyn FnMut(&str) -> bool) -> Option<bool> {
        if !text.is_ascii() {
            return None;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if !byte.is_ascii_alphabetic() {
                at += 1;
                continue;
            }
            if self.firsts >> sign(*byte) & 1 == 1 && self.has(signs(bytes.get(at..)?)) {
                let word = plain_word(text, at)?;
                if in_lower_case(word, &mut *is_wanted)? {
                    return Some(true);
                }
            }
            let is_ordinal = matches!(byte, b's' | b'n' | b'r' | b't')
                && before(bytes, at).is_some_and(|byte| byte.is_ascii_digit());
            at = end_of_lower(bytes, at + 1);
            if is_ordinal || bytes.get(at).is_some_and(u8::is_ascii_uppercase) {
                return None;
            }
        }
        Some(false)
    }
}

/// The word that begins here; none if it has a single letter or is part of something else.
fn plain_word(text: &str, from: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let tail = bytes.get(from..)?;
    let len = tail
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'_' | b'\'');
    let is_bound =
        before(bytes, from).is_some_and(is_part) || tail.get(len).copied().is_some_and(is_part);
    text.get(from..from + len).filter(|_| len > 1 && !is_bound)
}

/// Where the small letters from here end, in a text of ASCII: eight at a time.
fn end_of_lower(bytes: &[u8], mut at: usize) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const ONES: u64 = 0x0101_0101_0101_0101;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*chunk);
        // the high bit of each byte that is at least `a`, and of each that is above `z`
        let from_a = eight.wrapping_add(ONES * u64::from(0x80 - b'a'));
        let above_z = eight.wrapping_add(ONES * u64::from(0x7f - b'z'));
        let others = !(from_a & !above_z) & HIGH;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|b| b.is_ascii_lowercase()).count()
}

fn before(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at.checked_sub(1)?).copied()
}

/// The first three letters; what follows something else does not count.
fn signs(word: &[u8]) -> [usize; 3] {
    let at = |place: usize| word.get(place).map_or(0, |byte| sign(*byte));
    let (first, second) = (at(0), at(1));
    [first, second, if second == 0 { 0 } else { at(2) }]
}

fn sign(byte: u8) -> usize {
    match byte | 0x20 {
        letter @ b'a'..=b'z' => usize::from(letter - b'a') + 1,
        _ => 0,
    }
}

const fn number([first, second, third]: [usize; 3]) -> usize {
    (first * SIGNS + second) * SIGNS + third
}

#[cfg(test)]
mod tests {
    use super::super::stems;
    use super::*;

    fn may_be_in(stem: &str, text: &str) -> bool {
        let mut own = String::new();
        let seen = Beginnings::of_stems([stem]).look(text, &mut |word| {
            stem_into(word, LEXICON.word(word), &mut own);
            own == stem
        });
        seen != Some(false)
    }

    #[test]
    fn every_stem_of_a_text_has_a_beginning_there() {
        for text in [
            "dried ponies added classes running applied",
            "HTTPServer parseJSONText IDs inBox C++ F# x U.S.",
            "3rd 21st don't user's o'clock ab1cd_EF __init__",
            "dbs max db config configs repos env",
            "Été größer 日志显示x错",
        ] {
            for stem in stems(text) {
                assert!(may_be_in(&stem, text), "{text}: {stem}");
            }
        }
        for (stem, text) in [
            ("tre", "The street is 5 m wide. A stone, they said."),
            ("tre", "A treaty, the trend and Treason. tremors"),
        ] {
            assert!(!may_be_in(stem, text), "{text}: {stem}");
        }
    }

    #[test]
    fn every_word_of_the_lists_is_found_by_its_stem() {
        for word in LEXICON.words_that(|_| true) {
            for text in [word.to_owned(), format!("{word}s"), format!("x {word}ed")] {
                for stem in stems(&text) {
                    assert!(may_be_in(&stem, &text), "{text}: {stem}");
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn small_letters_end_where_the_first_other_byte_is(text in "[a-zA-Z`{ ~\\x00\\x7f]{0,30}|[a-z]{0,30}[^a-z]?") {
            proptest::prop_assume!(text.is_ascii());
            let plain = text.bytes().take_while(u8::is_ascii_lowercase).count();
            proptest::prop_assert_eq!(end_of_lower(text.as_bytes(), 0), plain);
        }

        #[test]
        fn no_stem_is_missed(text in "[a-zA-Z0-9_' .,+#é-]{0,40}|([a-z]{1,7}(ies|ied|s|es|ed|ing|ly|e|y)? ?){1,4}") {
            for stem in stems(&text) {
                proptest::prop_assert!(may_be_in(&stem, &text), "{}", stem);
            }
        }
    }
}
