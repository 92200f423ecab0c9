//! The word lists, units and thresholds of the built-in judge.
//!
//! They are data (`lexicon.json`), merged here into one table, so that each
//! word of a text is looked up once.

mod read;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;
use serde::Deserialize;

/// The one lexicon.
pub static LEXICON: LazyLock<Lexicon> = LazyLock::new(read::lexicon);

/// A list of plain words; the file names them in small letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum List {
    /// Words without content.
    Stop,
    /// `not`, `never`, `without`.
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
    /// Words for what may be: `might`.
    Modal,
    /// Other words that leave something open: `perhaps`.
    Hedge,
    /// Words for what something depends on: `unless`.
    Condition,
    /// Words behind which `would` is the past of `will`: `announced`.
    Saying,
    /// Words for what is not there: `missing`.
    Gone,
    /// Verbs of those who deny something: `disputes`.
    Denying,
    /// Words for what is not so: `untrue`.
    Wrong,
    /// Words behind an amount that make it a difference: 40 litres `more`.
    Comparing,
    /// `she`, `it`.
    Pronoun,
    /// `from`, `by`, `than`.
    Preposition,
    /// Words between two statements or two members of a list: `and`, `whereas`.
    Joining,
    /// Words that begin a subject: `the`, `their`.
    Determiner,
    /// Verbs that do not end in `ed`.
    Verb,
    /// Words for a bound, of which a figure says where it is: the `limit` is 10.
    LimitNoun,
    /// Words that limit what a sentence says or denies: `only`, `until`, `same`.
    Limit,
    /// Words of a sentence that is about another case: `once` enabled.
    Elsewhere,
}

/// The entries of all lists for one word.
#[derive(Debug, Default)]
pub struct WordEntry {
    /// One bit for each [`List`].
    lists: u64,
    /// The number it is.
    pub number: Option<u32>,
    /// How many decimal places the word shifts a number.
    pub scale: Option<i32>,
    /// The month it names.
    pub month: Option<u8>,
    /// Axis, and whether the word is at its second pole.
    pub pole: Option<(u8, bool)>,
    /// The unit it names.
    pub unit: Option<Dimension>,
    /// The word it stands for.
    pub synonym: Option<Box<str>>,
    /// The index of its group of words such as `all`, `only`, `both`.
    pub exclusive: Option<u8>,
    /// `before` and `after`.
    pub opposites: Vec<Box<str>>,
    /// Words that form an idiom with a negation before them.
    pub idiom: Vec<Box<str>>,
    /// Words before which it negates: declined `to`, rather `than`.
    pub soft_before: Vec<Box<str>>,
    /// Words before a negation behind which it does not affirm: `can` not simply; empty for any.
    pub denied_behind: Option<Vec<Box<str>>>,
    /// What it can also mean behind a number: `7B`, `2.8m`.
    pub readings: Vec<Box<str>>,
    /// The figures it stands for in a text.
    pub spoken: Vec<Spoken>,
    /// The same of what is a figure by itself, in a claim as well: `half`, `two thirds of`.
    pub fractions: Vec<Spoken>,
}

impl WordEntry {
    /// Whether the word is on this list.
    pub const fn is(&self, list: List) -> bool {
        self.lists & (1 << list as u64) != 0
    }
}

/// What a word stands for between others.
#[derive(Debug)]
pub struct Spoken {
    /// The text before it.
    pub before: Box<str>,
    /// The text behind it.
    pub behind: Box<str>,
    /// The figures.
    pub figures: Box<str>,
}

/// A dimension and the factor to its base unit, as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Number of the dimension; equal for units that convert into each other.
    pub id: u16,
    /// Numerator of the factor.
    pub num: i128,
    /// Its denominator.
    pub den: i128,
    /// Its words count as words of the claim, and its figures match those of a count.
    pub soft: bool,
}

impl Dimension {
    /// The factor to the base unit.
    #[expect(clippy::cast_precision_loss, reason = "factors have few digits")]
    pub const fn factor(&self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

/// Lists of phrases, the longest first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrases {
    /// `more than` 5
    pub up: Vec<Box<str>>,
    /// `less than` 5
    pub down: Vec<Box<str>>,
    /// 5 `or more`
    pub up_behind: Vec<Box<str>>,
    /// 5 `or less`
    pub down_behind: Vec<Box<str>>,
    /// `about` 5
    pub about: Vec<Box<str>>,
    /// 5 `or so`
    pub about_behind: Vec<Box<str>>,
    /// `before` 1990
    pub before: Vec<Box<str>>,
    /// `after` 1990
    pub after: Vec<Box<str>>,
}

/// All lists, units and thresholds.
#[derive(Debug)]
pub struct Lexicon {
    /// The version of the rules and lists.
    pub version: String,
    /// Shares and counts that decide.
    pub thresholds: Thresholds,
    /// Phrases around figures.
    pub phrases: Phrases,
    /// `%`
    pub percent: Dimension,
    /// `percentage points`
    pub percentage_point: Dimension,
    /// What the head of a table says of its figures, in lower case, by the places of the scale.
    pub table_scales: BTreeMap<i32, Vec<Box<str>>>,
    /// The zeros of the scripts that have digits of their own; nine more follow each of them.
    pub zeros: Vec<char>,
    words: HashMap<Box<str>, WordEntry, FxBuildHasher>,
    abbreviations: HashSet<Box<str>, FxBuildHasher>,
    currencies: Vec<(char, Dimension)>,
    scale_suffixes: Vec<(Box<str>, i32)>,
    /// Those of amounts of money.
    money_suffixes: Vec<(Box<str>, i32)>,
    ordinals: Vec<Box<str>>,
}

/// Shares are percentages.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Words of the claim that a passage needs to support it.
    pub supports: usize,
    /// The same in code that has a name or figure of the claim.
    pub supports_code: usize,
    /// Fewer words are few.
    pub partial: usize,
    /// Still fewer have nothing to do with the claim.
    pub unrelated: usize,
    /// Words near a figure that its sentence must have.
    pub context: usize,
    /// Words of the claim that a sentence with another figure needs to count.
    pub rival: usize,
    /// The same to contradict.
    pub conflict: usize,
    /// Words of a clause that a sentence needs to contradict it.
    pub polarity: usize,
    /// The same where it has an opposite word.
    pub axis_prose: usize,
    /// The same in code.
    pub axis_code: usize,
    /// How far a figure with `about` can be off.
    pub about: u8,
    /// A shorter claim is not looked for word for word.
    pub verbatim_chars: usize,
    /// Units that are read together.
    pub window: usize,
    /// Longer code is read in windows.
    pub window_over_units: usize,
    /// The same in characters.
    pub window_over_chars: usize,
    /// Words near a figure that are compared.
    pub context_stems: usize,
    /// Units beside a figure that count, in prose.
    pub neighbours_prose: usize,
    /// The same in code.
    pub neighbours_code: usize,
    /// A longer sentence proves nothing against a claim.
    pub unit_words: usize,
    /// How far before a figure its bound can be.
    pub bound_chars: usize,
    /// How far before the shared words a negation can be.
    pub negation_lead: usize,
    /// Content words behind a negation that it reaches.
    pub negation_reach: usize,
    /// Words behind a negation that it can reach.
    pub negation_words: usize,
}

impl Lexicon {
    /// What the lists say about a lower-case word.
    pub fn word(&self, word: &str) -> Option<&WordEntry> {
        self.words.get(word)
    }

    /// The words whose entry is such a one.
    pub fn words_that(&self, is_one: fn(&WordEntry) -> bool) -> impl Iterator<Item = &str> {
        let words = self.words.iter().filter(move |(_, entry)| is_one(entry));
        words.map(|(word, _)| word.as_ref())
    }

    /// The entries of all lists for an ASCII word in any letter case.
    pub fn word_in_any_case(&self, word: &str) -> Option<&WordEntry> {
        in_lower_case(word, |lower| self.word(lower))?
    }

    /// Whether this is an abbreviation, in any letter case.
    pub fn is_abbreviation(&self, word: &str) -> bool {
        in_lower_case(word, |lower| self.abbreviations.contains(lower)).unwrap_or(false)
    }

    /// The unit of a currency sign.
    pub fn currency(&self, sign: char) -> Option<Dimension> {
        self.currencies
            .iter()
            .find(|(known, _)| *known == sign)
            .map(|(_, dimension)| *dimension)
    }

    /// How many decimal places an attached suffix such as `k` shifts a number.
    pub fn suffix(&self, suffix: &str, money: bool) -> Option<i32> {
        let more = self.money_suffixes.iter().filter(|_| money);
        self.scale_suffixes
            .iter()
            .chain(more)
            .find(|(known, _)| known.as_ref() == suffix)
            .map(|(_, places)| *places)
    }

    /// The word for an ordinal: `third` for 3.
    pub fn ordinal(&self, number: usize) -> Option<&str> {
        self.ordinals.get(number.checked_sub(1)?).map(AsRef::as_ref)
    }
}

/// The length of the longest word of the lists.
const LONGEST: usize = 32;

/// Looks an ASCII word up in lower case without allocating.
pub fn in_lower_case<T>(word: &str, look: impl FnOnce(&str) -> T) -> Option<T> {
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
