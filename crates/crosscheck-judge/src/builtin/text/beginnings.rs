//! Where a text may have certain words, by their first three letters: one look
//! at each beginning of a word, without reading the words.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::lexicon::LEXICON;
use super::stem::stem_into;

/// Letters, and one sign for everything else.
const SIGNS: usize = 27;

/// Groups of 64 bits for all beginnings.
const BITS: usize = (SIGNS * SIGNS * SIGNS).div_ceil(64);

/// A set of beginnings of three letters.
#[derive(Debug)]
pub(in crate::builtin) struct Beginnings([u64; BITS]);

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
        Self([0; BITS])
    }

    /// Those of these words.
    pub(in crate::builtin) fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut set = Self::none();
        for word in words {
            set.add(signs(word.as_bytes()));
        }
        set
    }

    /// Those of all words that have one of these stems.
    pub(in crate::builtin) fn of_stems<'s>(stems: impl IntoIterator<Item = &'s str>) -> Self {
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
        if let Some(bits) = self.0.get_mut(at / 64) {
            *bits |= 1 << (at % 64);
        }
    }

    fn has(&self, signs: [usize; 3]) -> bool {
        let at = number(signs);
        self.0
            .get(at / 64)
            .is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    /// Whether a text may have such a word. Where it is not plain where a word begins (other letters
    /// than those of English, capitals inside, ordinals), it may.
    pub(in crate::builtin) fn may_be_in(&self, text: &str) -> bool {
        if !text.is_ascii() {
            return true;
        }
        let mut before = b' ';
        let mut rest = text.as_bytes();
        while let [byte, tail @ ..] = rest {
            let is_first = byte.is_ascii_alphabetic()
                && (byte.is_ascii_uppercase() || !before.is_ascii_alphabetic());
            if is_first {
                let inner = tail.get(..2).unwrap_or(tail);
                let is_ordinal =
                    before.is_ascii_digit() && matches!(byte, b's' | b'n' | b'r' | b't');
                if is_ordinal || inner.iter().any(u8::is_ascii_uppercase) || self.has(signs(rest)) {
                    return true;
                }
            }
            before = *byte;
            rest = tail;
        }
        false
    }
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
                assert!(
                    Beginnings::of_stems([stem.as_str()]).may_be_in(text),
                    "{text}: {stem}"
                );
            }
        }
        let plain = Beginnings::of_stems(["tre"]);
        assert!(!plain.may_be_in("The street is 5 m wide. A stone, they said."));
    }

    #[test]
    fn every_word_of_the_lists_is_found_by_its_stem() {
        for word in LEXICON.words_that(|_| true) {
            for text in [word.to_owned(), format!("{word}s"), format!("x {word}ed")] {
                for stem in stems(&text) {
                    assert!(
                        Beginnings::of_stems([stem.as_str()]).may_be_in(&text),
                        "{text}: {stem}"
                    );
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_stem_is_missed(text in "[a-zA-Z0-9_' .,+#é-]{0,40}|([a-z]{1,7}(ies|ied|s|es|ed|ing|ly|e|y)? ?){1,4}") {
            for stem in stems(&text) {
                proptest::prop_assert!(Beginnings::of_stems([stem.as_str()]).may_be_in(&text), "{}", stem);
            }
        }
    }
}
