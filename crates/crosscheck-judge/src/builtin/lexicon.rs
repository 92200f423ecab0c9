//! The word lists, units and thresholds of the built-in judge.
//!
//! They are data (`lexicon.json`), merged here into one table, so that each
//! word of a text is looked up once.

mod read;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;

/// The one lexicon.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(read::lexicon);

/// A list of plain words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Stop,
    Negation,
    /// Units that the name of a value can imply: `TIMEOUT_MS`.
    ImpliedUnit,
    /// Words that retract what follows: `denied`, `whether`.
    Distancing,
    /// Words that negate without being a negation word: `failed`, `rarely`.
    SoftNegation,
    /// Words that limit what a negation says: not `all`, not `until`.
    Qualifier,
    /// Words at which the scope of a negation ends.
    ClauseBorder,
    /// Words that begin a new clause behind a comma.
    ClauseWord,
    /// Words for something that did not quite happen: `almost`.
    Almost,
    /// Words before what is only supposed: `if`.
    Supposing,
    /// Negations of other languages, which no other rule covers.
    ForeignNegation,
    /// Words before what someone is not, or no longer: `former`.
    Former,
    /// Verbs that add little to what their sentence says: `costs`, `includes`.
    Light,
    /// Words before a decade: in the `1980s`.
    DecadeBefore,
    /// Words before an opinion: `believe`.
    Opinion,
    /// Words that make the amount behind them negative: `fell` by 14 %.
    Falling,
}

/// The entries of all lists for one word.
#[derive(Debug, Default)]
pub(super) struct WordEntry {
    /// One bit for each [`List`].
    lists: u16,
    pub(super) number: Option<u32>,
    /// In how many parts the whole is: 3 for `third` and `thirds`.
    pub(super) fraction: Option<u32>,
    /// How many decimal places the word shifts a number.
    pub(super) scale: Option<u32>,
    pub(super) month: Option<u8>,
    /// Axis, and whether the word is at its second pole.
    pub(super) pole: Option<(u8, bool)>,
    pub(super) unit: Option<Dimension>,
    pub(super) synonym: Option<Box<str>>,
    /// The index of its group of words such as `all`, `only`, `both`.
    pub(super) exclusive: Option<u8>,
    /// `before` and `after`.
    pub(super) opposites: Vec<Box<str>>,
    /// Words that form an idiom with a negation before them.
    pub(super) idiom: Vec<Box<str>>,
    /// Words before which it negates: declined `to`, rather `than`.
    pub(super) soft_before: Vec<Box<str>>,
    /// Words before a negation behind which it does not affirm: `can` not simply; empty for any.
    pub(super) denied_behind: Option<Vec<Box<str>>>,
    /// What it can also mean behind a number: `7B`, `2.8m`.
    pub(super) readings: Vec<Box<str>>,
    /// The figures it stands for, each behind a certain word or any.
    pub(super) spoken: Vec<(Box<str>, Box<str>)>,
}

impl WordEntry {
    /// Whether the word is on this list.
    pub(super) const fn is(&self, list: List) -> bool {
        self.lists & (1 << list as u16) != 0
    }
}

/// A dimension and the factor to its base unit, as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Dimension {
    /// Number of the dimension; equal for units that convert into each other.
    pub(super) id: u16,
    pub(super) num: i128,
    pub(super) den: i128,
    /// Its words count as words of the claim, and its figures match those of a count.
    pub(super) soft: bool,
}

impl Dimension {
    /// Whether it is a part of a whole, in words: `third`.
    pub(super) fn is_share(&self) -> bool {
        self.id == LEXICON.percent.id && self.num != LEXICON.percent.num
    }
}

/// Lists of phrases, the longest first.
#[derive(Debug)]
pub(super) struct Phrases {
    pub(super) up: Vec<Box<str>>,
    pub(super) down: Vec<Box<str>>,
    pub(super) up_behind: Vec<Box<str>>,
    pub(super) down_behind: Vec<Box<str>>,
    pub(super) about: Vec<Box<str>>,
    pub(super) about_behind: Vec<Box<str>>,
    pub(super) before: Vec<Box<str>>,
    pub(super) after: Vec<Box<str>>,
    pub(super) until: Vec<Box<str>>,
    pub(super) from: Vec<Box<str>>,
}

pub(super) struct Lexicon {
    pub(super) version: String,
    pub(super) thresholds: Thresholds,
    pub(super) phrases: Phrases,
    pub(super) percent: Dimension,
    pub(super) percentage_point: Dimension,
    words: HashMap<Box<str>, WordEntry, FxBuildHasher>,
    abbreviations: HashSet<Box<str>, FxBuildHasher>,
    currencies: Vec<(char, Dimension)>,
    scale_suffixes: Vec<(Box<str>, u32)>,
    /// Those of amounts of money.
    money_suffixes: Vec<(Box<str>, u32)>,
    ordinals: Vec<Box<str>>,
}

/// Shares are percentages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thresholds {
    pub(super) supports: usize,
    pub(super) supports_code: usize,
    pub(super) partial: usize,
    pub(super) unrelated: usize,
    pub(super) context: usize,
    pub(super) rival: usize,
    pub(super) conflict: usize,
    pub(super) polarity: usize,
    pub(super) axis_prose: usize,
    pub(super) axis_code: usize,
    pub(super) about: i128,
    pub(super) verbatim_chars: usize,
    pub(super) window: usize,
    pub(super) window_over_units: usize,
    pub(super) window_over_chars: usize,
    pub(super) context_stems: usize,
    pub(super) neighbours_prose: usize,
    pub(super) neighbours_code: usize,
    pub(super) unit_words: usize,
    pub(super) bound_chars: usize,
    pub(super) negation_lead: usize,
    pub(super) negation_reach: usize,
    pub(super) negation_words: usize,
}

impl Lexicon {
    /// What the lists say about a lower-case word.
    pub(super) fn word(&self, word: &str) -> Option<&WordEntry> {
        self.words.get(word)
    }

    /// The words whose entry is such a one.
    pub(super) fn words_that(&self, is_one: fn(&WordEntry) -> bool) -> impl Iterator<Item = &str> {
        let words = self.words.iter().filter(move |(_, entry)| is_one(entry));
        words.map(|(word, _)| word.as_ref())
    }

    /// The entries of all lists for an ASCII word in any letter case.
    pub(super) fn word_in_any_case(&self, word: &str) -> Option<&WordEntry> {
        in_lower_case(word, |lower| self.word(lower))?
    }

    /// Whether this is an abbreviation, in any letter case.
    pub(super) fn is_abbreviation(&self, word: &str) -> bool {
        in_lower_case(word, |lower| self.abbreviations.contains(lower)).unwrap_or(false)
    }

    /// The unit of a currency sign.
    pub(super) fn currency(&self, sign: char) -> Option<Dimension> {
        self.currencies
            .iter()
            .find(|(known, _)| *known == sign)
            .map(|(_, dimension)| *dimension)
    }

    /// How many decimal places an attached suffix such as `k` shifts a number.
    pub(super) fn suffix(&self, suffix: &str, money: bool) -> Option<u32> {
        let more = self.money_suffixes.iter().filter(|_| money);
        self.scale_suffixes
            .iter()
            .chain(more)
            .find(|(known, _)| known.as_ref() == suffix)
            .map(|(_, places)| *places)
    }

    /// The word for an ordinal: `third` for 3.
    pub(super) fn ordinal(&self, number: usize) -> Option<&str> {
        self.ordinals.get(number.checked_sub(1)?).map(AsRef::as_ref)
    }
}

/// The length of the longest word of the lists.
const LONGEST: usize = 32;

/// Looks an ASCII word up in lower case without allocating.
pub(super) fn in_lower_case<T>(word: &str, look: impl FnOnce(&str) -> T) -> Option<T> {
    let mut space = [0; LONGEST];
    let lower = space.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    std::str::from_utf8(lower).ok().map(look)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_letter_case() {
        assert!(LEXICON.words.keys().all(|word| word.len() <= LONGEST));
        assert_eq!(
            LEXICON.word_in_any_case("SevenTeen").unwrap().number,
            Some(17)
        );
        assert!(LEXICON.word_in_any_case(&"x".repeat(33)).is_none());
        assert!(LEXICON.is_abbreviation("Fig") && !LEXICON.is_abbreviation("Figure"));
    }

    #[test]
    fn ordinals_have_words_up_to_twenty() {
        assert_eq!(LEXICON.ordinal(1), Some("first"));
        assert_eq!(LEXICON.ordinal(20), Some("twentieth"));
        assert_eq!(LEXICON.ordinal(0).or(LEXICON.ordinal(21)), None);
    }

    #[test]
    fn a_word_can_be_on_several_lists() {
        let deny = LEXICON.word("deny").unwrap();
        assert!(deny.is(List::Distancing) && deny.is(List::SoftNegation));
        assert!(!deny.is(List::Negation) && deny.pole.is_some());
        let opposites = &LEXICON.word("above").unwrap().opposites;
        assert_eq!(*opposites, ["below".into()]);
    }
}
