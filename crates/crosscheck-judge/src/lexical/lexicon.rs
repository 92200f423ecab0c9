//! The word lists, units and thresholds of the built-in judge.
//!
//! They are data (`lexicon.json`), merged here into one table, so that each
//! word of a text is looked up once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;
use serde::Deserialize;

/// The one lexicon.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

/// What the lists say about one word.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) stop: bool,
    pub(super) negation: bool,
    pub(super) implied_unit: bool,
    pub(super) number: Option<u32>,
    /// How many decimal places the word shifts a number.
    pub(super) scale: Option<u32>,
    pub(super) month: Option<u8>,
    /// Axis, and whether the word stands at its second pole.
    pub(super) pole: Option<(u8, bool)>,
    pub(super) unit: Option<Dimension>,
    pub(super) synonym: Option<Box<str>>,
}

/// A dimension and the factor to its base unit, as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension {
    /// Number of the dimension; equal for units that convert into each other.
    pub(super) id: u16,
    pub(super) num: i128,
    pub(super) den: i128,
}

pub(super) struct Lexicon {
    pub(super) version: String,
    pub(super) thresholds: Thresholds,
    words: HashMap<Box<str>, Entry, FxBuildHasher>,
    abbreviations: HashSet<Box<str>, FxBuildHasher>,
    currencies: Vec<(char, Dimension)>,
    scale_suffixes: Vec<(Box<str>, u32)>,
    pub(super) percent: Dimension,
    pub(super) percentage_point: Dimension,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Thresholds {
    pub(super) supports_overlap: f64,
    pub(super) unrelated_overlap: f64,
    pub(super) context_ratio: f64,
    pub(super) polarity_prose: f64,
    pub(super) axis_prose: f64,
    pub(super) axis_code_snippet: f64,
    pub(super) verbatim_min_chars: usize,
    pub(super) window_units: usize,
    pub(super) window_when_units_over: usize,
    pub(super) window_when_chars_over: usize,
    pub(super) context_stems: usize,
}

#[derive(Deserialize)]
struct Raw {
    version: String,
    thresholds: Thresholds,
    stop_words: Vec<String>,
    negations: Vec<String>,
    axes: Vec<[Vec<String>; 2]>,
    number_words: BTreeMap<String, u32>,
    scale_words: BTreeMap<String, u64>,
    scale_suffixes: BTreeMap<String, u64>,
    units: BTreeMap<String, RawUnit>,
    currency_signs: BTreeMap<char, String>,
    implied_units: Vec<String>,
    months: BTreeMap<String, u8>,
    abbreviations: Vec<String>,
    synonyms: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct RawUnit {
    dimension: String,
    factor: String,
}

impl Lexicon {
    #[expect(
        clippy::expect_used,
        reason = "the file is part of the program, and a test reads it"
    )]
    fn read() -> Self {
        let raw: Raw =
            serde_json::from_str(include_str!("lexicon.json")).expect("lexicon.json is in order");
        Self::from_raw(raw)
    }

    fn from_raw(raw: Raw) -> Self {
        let mut words: HashMap<Box<str>, Entry, FxBuildHasher> = HashMap::default();
        let mut at = |word: &str, put: &mut dyn FnMut(&mut Entry)| {
            put(words.entry(word.into()).or_default());
        };
        for word in &raw.stop_words {
            at(word, &mut |entry| entry.stop = true);
        }
        for word in &raw.negations {
            at(word, &mut |entry| entry.negation = true);
        }
        for word in &raw.implied_units {
            at(word, &mut |entry| entry.implied_unit = true);
        }
        for (axis, poles) in (0u8..).zip(&raw.axes) {
            for (second, pole) in [false, true].into_iter().zip(poles) {
                for word in pole {
                    at(word, &mut |entry| entry.pole = Some((axis, second)));
                }
            }
        }
        for (word, value) in &raw.number_words {
            at(word, &mut |entry| entry.number = Some(*value));
        }
        for (word, value) in &raw.scale_words {
            at(word, &mut |entry| entry.scale = Some(value.ilog10()));
        }
        for (word, month) in &raw.months {
            at(word, &mut |entry| entry.month = Some(*month));
        }
        for (word, synonym) in &raw.synonyms {
            at(word, &mut |entry| {
                entry.synonym = Some(synonym.as_str().into());
            });
        }
        let dimension = dimensions(&raw.units);
        for word in raw.units.keys() {
            at(word, &mut |entry| entry.unit = Some(dimension(word)));
        }
        Self {
            version: raw.version,
            thresholds: raw.thresholds,
            abbreviations: raw.abbreviations.into_iter().map(Into::into).collect(),
            currencies: raw
                .currency_signs
                .iter()
                .map(|(sign, unit)| (*sign, dimension(unit)))
                .collect(),
            scale_suffixes: raw
                .scale_suffixes
                .iter()
                .map(|(suffix, value)| (suffix.as_str().into(), value.ilog10()))
                .collect(),
            percent: dimension("%"),
            percentage_point: dimension("pp"),
            words,
        }
    }

    /// What the lists say about a lower-case word.
    pub(super) fn word(&self, word: &str) -> Option<&Entry> {
        self.words.get(word)
    }

    /// Every word of the lists.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.words
            .iter()
            .map(|(word, entry)| (word.as_ref(), entry))
    }

    /// What the lists say about an ASCII word in any letter case.
    pub(super) fn word_in_any_case(&self, word: &str) -> Option<&Entry> {
        let mut space = [0; 32];
        // No word of the lists is longer.
        let lower = space.get_mut(..word.len())?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        self.word(std::str::from_utf8(lower).ok()?)
    }

    /// Whether this is an abbreviation, in any letter case.
    pub(super) fn is_abbreviation(&self, word: &str) -> bool {
        if !word.is_ascii() {
            return self.abbreviations.contains(word.to_lowercase().as_str());
        }
        let mut space = [0; 32];
        // Nor is any abbreviation longer.
        space.get_mut(..word.len()).is_some_and(|lower| {
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            std::str::from_utf8(lower).is_ok_and(|word| self.abbreviations.contains(word))
        })
    }

    pub(super) fn currency(&self, sign: char) -> Option<Dimension> {
        self.currencies
            .iter()
            .find(|(known, _)| *known == sign)
            .map(|(_, dimension)| *dimension)
    }

    /// How many decimal places an attached suffix such as `k` shifts a number.
    pub(super) fn suffix(&self, suffix: &str) -> Option<u32> {
        self.scale_suffixes
            .iter()
            .find(|(known, _)| known.as_ref() == suffix)
            .map(|(_, places)| *places)
    }
}

fn dimensions(units: &BTreeMap<String, RawUnit>) -> impl Fn(&str) -> Dimension {
    let mut names: Vec<&str> = units.values().map(|unit| unit.dimension.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let table: BTreeMap<String, Dimension> = units
        .iter()
        .map(|(word, unit)| {
            let (num, den) = unit.factor.split_once('/').unwrap_or((&unit.factor, "1"));
            let id = names
                .binary_search(&unit.dimension.as_str())
                .unwrap_or_default();
            let dimension = Dimension {
                id: u16::try_from(id).unwrap_or(u16::MAX),
                num: num.parse().unwrap_or(1),
                den: den.parse().unwrap_or(1),
            };
            (word.clone(), dimension)
        })
        .collect();
    move |word| {
        table.get(word).copied().unwrap_or(Dimension {
            id: u16::MAX,
            num: 1,
            den: 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_axes_has_one_pole_and_every_unit_a_dimension() {
        let raw: Raw = serde_json::from_str(include_str!("lexicon.json")).unwrap();
        let mut seen = HashSet::new();
        for word in raw.axes.iter().flatten().flatten() {
            assert!(seen.insert(word.clone()), "{word} stands on two poles");
        }
        assert!(raw.axes.len() <= 32, "poles are kept as bits");
        for (word, unit) in &raw.units {
            let known = LEXICON.word(word).unwrap().unit.unwrap();
            assert_ne!(known.id, u16::MAX, "{word}");
            assert_eq!(
                format!("{}/{}", known.num, known.den),
                if unit.factor.contains('/') {
                    unit.factor.clone()
                } else {
                    format!("{}/1", unit.factor)
                }
            );
        }
        for unit in raw.currency_signs.values() {
            assert!(raw.units.contains_key(unit), "{unit}");
        }
    }

    #[test]
    fn words_are_found_in_any_letter_case() {
        assert!(LEXICON.words.keys().all(|word| word.len() <= 32));
        assert_eq!(
            LEXICON.word_in_any_case("SevenTeen").unwrap().number,
            Some(17)
        );
        assert!(LEXICON.word_in_any_case(&"x".repeat(33)).is_none());
    }

    #[test]
    fn scales_are_powers_of_ten() {
        let raw: Raw = serde_json::from_str(include_str!("lexicon.json")).unwrap();
        for value in raw.scale_words.values().chain(raw.scale_suffixes.values()) {
            assert_eq!(10u64.pow(value.ilog10()), *value);
        }
    }
}
