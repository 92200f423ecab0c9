//! Reads `lexicon.json`.

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;
use serde::Deserialize;

use super::{Dimension, Lexicon, List, Phrases, Spoken, Thresholds, WordEntry};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    version: String,
    thresholds: Thresholds,
    phrases: Phrases,
    lists: BTreeMap<List, Vec<String>>,
    negation_idioms: BTreeMap<String, Vec<Box<str>>>,
    soft_before: BTreeMap<String, Vec<Box<str>>>,
    denied_idioms: BTreeMap<String, Vec<Box<str>>>,
    axes: Vec<[Vec<String>; 2]>,
    exclusives: Vec<Vec<String>>,
    opposites: Vec<[String; 2]>,
    number_words: BTreeMap<String, u32>,
    digit_zeros: String,
    table_scales: BTreeMap<i32, Vec<Box<str>>>,
    /// Figures by phrases; the word that a phrase is found by is in brackets.
    fractions: BTreeMap<String, Box<str>>,
    ordinal_words: BTreeMap<Box<str>, usize>,
    scale_words: BTreeMap<String, u64>,
    scale_suffixes: BTreeMap<String, u64>,
    money_suffixes: BTreeMap<String, u64>,
    readings: BTreeMap<String, Vec<Box<str>>>,
    spoken_figures: BTreeMap<String, Box<str>>,
    soft_dimensions: Vec<String>,
    /// Dimension and factor.
    units: BTreeMap<String, (String, String)>,
    currency_signs: BTreeMap<char, String>,
    months: BTreeMap<String, u8>,
    abbreviations: Vec<String>,
    synonyms: BTreeMap<String, Box<str>>,
}

#[expect(
    clippy::expect_used,
    reason = "the file is part of the program, and a test reads it"
)]
pub(super) fn lexicon() -> Lexicon {
    let raw: Raw =
        serde_json::from_str(include_str!("../lexicon.json")).expect("lexicon.json is in order");
    let dimension = dimensions(&raw.units, &raw.soft_dimensions);
    Lexicon {
        words: words(&raw, &dimension),
        thresholds: raw.thresholds,
        currencies: raw
            .currency_signs
            .iter()
            .map(|(sign, unit)| (*sign, dimension(unit)))
            .collect(),
        scale_suffixes: suffixes(&raw.scale_suffixes),
        money_suffixes: suffixes(&raw.money_suffixes),
        ordinals: in_order(raw.ordinal_words),
        zeros: raw.digit_zeros.chars().collect(),
        table_scales: raw.table_scales,
        percent: dimension("%"),
        percentage_point: dimension("pp"),
        version: raw.version,
        abbreviations: raw.abbreviations.into_iter().map(Into::into).collect(),
        phrases: raw.phrases,
    }
}

type Words = HashMap<Box<str>, WordEntry, FxBuildHasher>;

fn words(raw: &Raw, dimension: &impl Fn(&str) -> Dimension) -> Words {
    let mut words = Words::default();
    let mut at = |word: &str, put: &mut dyn FnMut(&mut WordEntry)| {
        put(words.entry(word.into()).or_default());
    };
    for (list, members) in &raw.lists {
        for word in members {
            at(word, &mut |entry| entry.lists |= 1 << *list as u64);
        }
    }
    for (axis, poles) in (0u8..).zip(&raw.axes) {
        for (second, pole) in [false, true].into_iter().zip(poles) {
            for word in pole {
                at(word, &mut |entry| entry.pole = Some((axis, second)));
            }
        }
    }
    for (group, members) in (0u8..).zip(&raw.exclusives) {
        for word in members {
            at(word, &mut |entry| entry.exclusive = Some(group));
        }
    }
    for [a, b] in &raw.opposites {
        at(a, &mut |entry| entry.opposites.push(b.as_str().into()));
        at(b, &mut |entry| entry.opposites.push(a.as_str().into()));
    }
    for (word, others) in &raw.negation_idioms {
        at(word, &mut |entry| entry.idiom.clone_from(others));
    }
    for (word, others) in &raw.soft_before {
        at(word, &mut |entry| entry.soft_before.clone_from(others));
    }
    for (word, others) in &raw.denied_idioms {
        at(word, &mut |entry| {
            entry.denied_behind = Some(others.clone());
        });
    }
    for (word, others) in &raw.readings {
        at(word, &mut |entry| entry.readings.clone_from(others));
    }
    for (phrase, figures) in &raw.spoken_figures {
        let (word, mut one) = spoken(phrase, figures);
        at(word, &mut |entry| entry.spoken.extend(one.take()));
    }
    for (phrase, figures) in &raw.fractions {
        let (word, mut one) = spoken(phrase, figures);
        at(word, &mut |entry| entry.fractions.extend(one.take()));
    }
    for (word, value) in &raw.number_words {
        at(word, &mut |entry| entry.number = Some(*value));
    }
    for (word, value) in &raw.scale_words {
        at(word, &mut |entry| entry.scale = Some(places(*value)));
    }
    for (word, month) in &raw.months {
        at(word, &mut |entry| entry.month = Some(*month));
    }
    for (word, synonym) in &raw.synonyms {
        at(word, &mut |entry| entry.synonym = Some(synonym.clone()));
    }
    for word in raw.units.keys() {
        at(word, &mut |entry| entry.unit = Some(dimension(word)));
    }
    words
}

/// The word of a phrase, and what is around it.
fn spoken<'p>(phrase: &'p str, figures: &str) -> (&'p str, Option<Spoken>) {
    let (before, rest) = phrase.split_once('[').unwrap_or(("", phrase));
    let (word, behind) = rest.split_once(']').unwrap_or((rest, ""));
    let spoken = Spoken {
        before: before.into(),
        behind: behind.into(),
        figures: figures.into(),
    };
    (word, Some(spoken))
}

fn places(value: u64) -> i32 {
    i32::try_from(value.ilog10()).unwrap_or(0)
}

fn suffixes(raw: &BTreeMap<String, u64>) -> Vec<(Box<str>, i32)> {
    let all = raw.iter();
    all.map(|(suffix, value)| (suffix.as_str().into(), places(*value)))
        .collect()
}

fn dimensions(
    units: &BTreeMap<String, (String, String)>,
    soft: &[String],
) -> impl Fn(&str) -> Dimension {
    let mut names: Vec<&str> = units.values().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let table: BTreeMap<String, Dimension> = units
        .iter()
        .map(|(word, (name, factor))| {
            let (num, den) = factor.split_once('/').unwrap_or((factor, "1"));
            let id = names.binary_search(&name.as_str()).unwrap_or_default();
            let dimension = Dimension {
                id: u16::try_from(id).unwrap_or(u16::MAX),
                num: num.parse().unwrap_or(1),
                den: den.parse().unwrap_or(1),
                soft: soft.contains(name),
            };
            (word.clone(), dimension)
        })
        .collect();
    move |word| {
        table.get(word).copied().unwrap_or(Dimension {
            id: u16::MAX,
            num: 1,
            den: 1,
            soft: false,
        })
    }
}

fn in_order(ordinals: BTreeMap<Box<str>, usize>) -> Vec<Box<str>> {
    let mut pairs: Vec<(usize, Box<str>)> = ordinals.into_iter().map(|(w, n)| (n, w)).collect();
    pairs.sort();
    pairs.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::LEXICON;
    use super::*;

    fn raw() -> Raw {
        serde_json::from_str(include_str!("../lexicon.json")).unwrap()
    }

    #[test]
    fn every_word_of_the_axes_has_one_pole_and_every_unit_a_dimension() {
        let raw = raw();
        let mut seen = HashSet::new();
        for word in raw.axes.iter().flatten().flatten() {
            assert!(seen.insert(word.clone()), "{word} is at two poles");
        }
        assert!(raw.axes.len() <= 32, "poles are kept as bits");
        assert!(raw.exclusives.len() <= 8, "so are groups");
        for (word, (_, factor)) in &raw.units {
            let known = LEXICON.word(word).unwrap().unit.unwrap();
            assert_ne!(known.id, u16::MAX, "{word}");
            let written = format!("{}/{}", known.num, known.den);
            assert_eq!(written.strip_suffix("/1").unwrap_or(&written), factor);
        }
        for unit in raw.currency_signs.values() {
            assert!(raw.units.contains_key(unit), "{unit}");
        }
    }

    #[test]
    fn scales_are_powers_of_ten() {
        let raw = raw();
        let suffixes = raw
            .scale_suffixes
            .values()
            .chain(raw.money_suffixes.values());
        for value in raw.scale_words.values().chain(suffixes) {
            assert_eq!(10u64.pow(value.ilog10()), *value);
        }
        let is_sorted =
            |phrases: &[Box<str>]| phrases.is_sorted_by_key(|one| std::cmp::Reverse(one.len()));
        assert!(
            is_sorted(&raw.phrases.up)
                && is_sorted(&raw.phrases.down)
                && is_sorted(&raw.phrases.about)
        );
    }
}
