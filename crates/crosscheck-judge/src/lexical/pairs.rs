//! Which beginnings of words matter: most words of a page can be left out
//! after a look at their first two letters.

use std::collections::HashMap;
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;

use super::lexicon::LEXICON;
use super::text::{each_word, stem_into};

/// The words that say nothing but what a stem says, by that stem.
static SYNONYMS: LazyLock<HashMap<Box<str>, Pairs, FxBuildHasher>> = LazyLock::new(synonyms);
/// The words at the poles, by their axis.
static POLES: LazyLock<Vec<Pairs>> = LazyLock::new(poles);
/// The words with which a quantity may begin.
pub(super) static QUANTITIES: LazyLock<Pairs> = LazyLock::new(quantities);

/// A set of pairs of letters with which words begin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pairs([u32; 32]);

/// The second letter of a word that has none.
const NONE: u8 = b'`';

impl Pairs {
    /// Words that begin like this one, in lower case, matter. One that does not begin with ASCII
    /// letters is no word of a text that is looked through this way.
    pub(super) fn add(&mut self, word: &str) {
        let letter = |at: usize| word.as_bytes().get(at).copied();
        if let (Some(first @ b'a'..=b'z'), second @ NONE..=b'z') =
            (letter(0), letter(1).unwrap_or(NONE))
            && let Some(row) = self.0.get_mut(usize::from(first & 31))
        {
            *row |= 1 << (second & 31);
        }
    }

    /// What the other set holds matters too.
    pub(super) fn join(&mut self, other: &Self) {
        for (mine, its) in self.0.iter_mut().zip(other.0) {
            *mine |= its;
        }
    }

    /// Whether a word of these ASCII letters, in any case, may matter.
    pub(super) fn hold(&self, word: &[u8]) -> bool {
        let first = word.first().copied().unwrap_or(NONE);
        let second = word.get(1).copied().unwrap_or(NONE);
        let row = self.0.get(usize::from(first & 31)).copied();
        row.unwrap_or(u32::MAX) >> (second & 31) & 1 == 1
    }

    /// The same for a text that begins with the word.
    pub(super) fn hold_start(&self, text: &[u8]) -> bool {
        let word = text
            .get(..2)
            .filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
        self.hold(word.or_else(|| text.get(..1)).unwrap_or_default())
    }
}

/// The words that have one of these stems or stand on one of these axes, which are bits. A stem
/// begins with the same two letters as its word, or as the synonym of its word.
pub(super) fn of_claim<'s>(stems: impl Iterator<Item = &'s str>, axes: u32) -> Pairs {
    let mut pairs = Pairs::default();
    for stem in stems {
        pairs.add(stem);
        if let Some(others) = SYNONYMS.get(stem) {
            pairs.join(others);
        }
    }
    for (axis, others) in POLES.iter().enumerate() {
        if axes >> axis & 1 == 1 {
            pairs.join(others);
        }
    }
    pairs
}

fn synonyms() -> HashMap<Box<str>, Pairs, FxBuildHasher> {
    let mut all: HashMap<Box<str>, Pairs, FxBuildHasher> = HashMap::default();
    let mut stem = String::new();
    for (word, entry) in LEXICON.words() {
        if entry.synonym.is_some() {
            stem_into(word, Some(entry), &mut stem);
            let pairs = all.entry(stem.as_str().into()).or_default();
            pairs.add(word);
            pairs.add(&format!("{word}s"));
        }
    }
    all
}

fn poles() -> Vec<Pairs> {
    let mut all = vec![Pairs::default(); 32];
    for (word, entry) in LEXICON.words() {
        if let Some((axis, _)) = entry.pole
            && let Some(pairs) = all.get_mut(usize::from(axis))
        {
            pairs.add(word);
        }
    }
    all
}

fn quantities() -> Pairs {
    let mut all = Pairs::default();
    for (word, entry) in LEXICON.words() {
        if entry.month.is_some() || entry.number.is_some() {
            all.add(word);
        }
    }
    // `v` begins a version.
    all.add("v");
    for letter in 'a'..='z' {
        all.add(&format!("v{letter}"));
    }
    all
}

/// Calls `take` with every word of a normal text, lower-case, that begins like one of `pairs`, and
/// perhaps with others. Whether every token is a plain word: ASCII letters, small but for the first.
pub(super) fn each_likely_word(
    text: &str,
    pairs: &Pairs,
    take: &mut dyn FnMut(&str, usize),
) -> bool {
    if !text.is_ascii() {
        each_word(text, take);
        return false;
    }
    let mut all_simple = true;
    let bytes = text.as_bytes();
    let mut lower = String::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !byte.is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let tail = bytes.get(at + 1..).unwrap_or_default();
        let small = tail.iter().position(|byte| !byte.is_ascii_lowercase());
        let end = small.map_or(bytes.len(), |len| at + 1 + len);
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'');
        let is_simple =
            !bytes.get(end).is_some_and(goes_on) && (at == 0 || bytes.get(at - 1) != Some(&b'_'));
        all_simple &= is_simple;
        if !is_simple {
            at = each_word_of_token(text, at, take);
            continue;
        }
        if bytes.get(at..end).is_some_and(|word| pairs.hold(word)) {
            let word = text.get(at..end).unwrap_or_default();
            if byte.is_ascii_lowercase() {
                take(word, at);
            } else {
                lower.clear();
                lower.push_str(word);
                lower.make_ascii_lowercase();
                take(&lower, at);
            }
        }
        at = end;
    }
    all_simple
}

/// The words of a token with marks, digits or several capitals, of which `letter` is the first
/// letter; where the token ends.
fn each_word_of_token(text: &str, letter: usize, take: &mut dyn FnMut(&str, usize)) -> usize {
    let bytes = text.as_bytes();
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\'');
    let head = bytes.get(..letter).unwrap_or_default();
    let before = head.iter().rev().take_while(|byte| **byte == b'_').count();
    let tail = bytes.get(letter..).unwrap_or_default();
    let len = tail.iter().position(|byte| !belongs(byte));
    let (start, end) = (letter - before, len.map_or(bytes.len(), |len| letter + len));
    let token = text.get(start..end).unwrap_or_default();
    each_word(token, &mut |word, at| take(word, start + at));
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_word_that_matters_is_left_out(text in "[ a-cA-CnN't_0-9.é-]{0,30}") {
            let mut pairs = Pairs::default();
            for word in ["ab", "b", "ca"] {
                pairs.add(word);
            }
            let matters = |word: &str| match word.as_bytes() {
                [b'a', b'b', ..] | [b'c', b'a', ..] | [b'b'] => true,
                [first, ..] => !first.is_ascii_lowercase(),
                [] => false,
            };
            let (mut all, mut likely) = (Vec::new(), Vec::new());
            each_word(&text, &mut |word, at| all.push((word.to_owned(), at)));
            each_likely_word(&text, &pairs, &mut |word, at| likely.push((word.to_owned(), at)));
            proptest::prop_assert!(likely.iter().all(|one| all.contains(one)));
            all.retain(|(word, _)| matters(word));
            likely.retain(|(word, _)| matters(word));
            proptest::prop_assert_eq!(all, likely);
        }
    }

    #[test]
    fn letter_case_does_not_matter_and_a_missing_letter_does() {
        let mut pairs = Pairs::default();
        assert!(!pairs.hold(b"tree"));
        pairs.add("tr");
        assert!(pairs.hold(b"Tree") && pairs.hold(b"TREES") && !pairs.hold(b"t"));
        pairs.add("日志");
        assert!(!pairs.hold(b"log"));
    }

    proptest::proptest! {
        #[test]
        fn a_word_of_the_lists_is_likely_for_its_own_stem_and_pole(at in 0usize..4000, s in "s?(ing|ed|ly|es)?") {
            let Some((word, _)) = LEXICON.words().nth(at) else { return Ok(()) };
            let word = format!("{word}{s}");
            if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                let entry = LEXICON.word(&word);
                let mut stem = String::new();
                stem_into(&word, entry, &mut stem);
                let pairs = of_claim(std::iter::once(stem.as_str()), 0);
                proptest::prop_assert!(pairs.hold(word.as_bytes()), "{} {}", word, stem);
                if let Some((axis, _)) = entry.and_then(|entry| entry.pole) {
                    let pairs = of_claim(std::iter::empty(), 1 << axis);
                    proptest::prop_assert!(pairs.hold(word.as_bytes()), "{}", word);
                }
            }
        }
    }
}
