//! Reads `lexicon.json`.

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;
use serde::Deserialize;

use super::{Dimension, Lexicon, List, Phrases, Thresholds, WordEntry};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    version: String,
    thresholds: BTreeMap<String, f64>,
    stop_words: Vec<String>,
    negations: Vec<String>,
    negation_idioms: BTreeMap<String, Vec<Box<str>>>,
    soft_negations: Vec<String>,
    soft_before: BTreeMap<String, Vec<Box<str>>>,
    qualifiers: Vec<String>,
    almost: Vec<String>,
    supposing: Vec<String>,
    foreign_negations: Vec<String>,
    distancing: Vec<String>,
    opinions: Vec<String>,
    falling: Vec<String>,
    former: Vec<String>,
    light: Vec<String>,
    denied_idioms: BTreeMap<String, Vec<Box<str>>>,
    clause_borders: Vec<String>,
    clause_words: Vec<String>,
    decade_before: Vec<String>,
    axes: Vec<[Vec<String>; 2]>,
    exclusives: Vec<Vec<String>>,
    opposites: Vec<[String; 2]>,
    number_words: BTreeMap<String, u32>,
    fractions: BTreeMap<String, u32>,
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
    implied_units: Vec<String>,
    months: BTreeMap<String, u8>,
    abbreviations: Vec<String>,
    synonyms: BTreeMap<String, Box<str>>,
    bound_up: Vec<Box<str>>,
    bound_down: Vec<Box<str>>,
    bound_behind: Vec<Box<str>>,
    bound_behind_down: Vec<Box<str>>,
    approx: Vec<Box<str>>,
    approx_behind: Vec<Box<str>>,
    year_before: Vec<Box<str>>,
    year_after: Vec<Box<str>>,
    time_until: Vec<Box<str>>,
    time_from: Vec<Box<str>>,
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
        thresholds: thresholds(&raw.thresholds),
        currencies: raw
            .currency_signs
            .iter()
            .map(|(sign, unit)| (*sign, dimension(unit)))
            .collect(),
        scale_suffixes: suffixes(&raw.scale_suffixes),
        money_suffixes: suffixes(&raw.money_suffixes),
        ordinals: in_order(raw.ordinal_words),
        percent: dimension("%"),
        percentage_point: dimension("pp"),
        version: raw.version,
        abbreviations: raw.abbreviations.into_iter().map(Into::into).collect(),
        phrases: Phrases {
            up: longest_first(raw.bound_up),
            down: longest_first(raw.bound_down),
            up_behind: longest_first(raw.bound_behind),
            down_behind: longest_first(raw.bound_behind_down),
            about: longest_first(raw.approx),
            about_behind: longest_first(raw.approx_behind),
            before: longest_first(raw.year_before),
            after: longest_first(raw.year_after),
            until: longest_first(raw.time_until),
            from: longest_first(raw.time_from),
        },
    }
}

type Words = HashMap<Box<str>, WordEntry, FxBuildHasher>;

fn words(raw: &Raw, dimension: &impl Fn(&str) -> Dimension) -> Words {
    let mut words = Words::default();
    let mut at = |word: &str, put: &mut dyn FnMut(&mut WordEntry)| {
        put(words.entry(word.into()).or_default());
    };
    for (list, members) in [
        (List::Stop, &raw.stop_words),
        (List::Negation, &raw.negations),
        (List::ImpliedUnit, &raw.implied_units),
        (List::Distancing, &raw.distancing),
        (List::SoftNegation, &raw.soft_negations),
        (List::Qualifier, &raw.qualifiers),
        (List::Almost, &raw.almost),
        (List::Supposing, &raw.supposing),
        (List::ForeignNegation, &raw.foreign_negations),
        (List::Former, &raw.former),
        (List::Light, &raw.light),
        (List::ClauseBorder, &raw.clause_borders),
        (List::ClauseWord, &raw.clause_words),
        (List::DecadeBefore, &raw.decade_before),
        (List::Opinion, &raw.opinions),
        (List::Falling, &raw.falling),
    ] {
        for word in members {
            at(word, &mut |entry| entry.lists |= 1 << list as u16);
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
        let (before, word) = phrase.rsplit_once(' ').unwrap_or(("", phrase));
        at(word, &mut |entry| {
            entry.spoken.push((before.into(), figures.clone()));
        });
    }
    for (word, value) in &raw.number_words {
        at(word, &mut |entry| entry.number = Some(*value));
    }
    for (word, parts) in &raw.fractions {
        at(word, &mut |entry| entry.fraction = Some(*parts));
    }
    for (word, value) in &raw.scale_words {
        at(word, &mut |entry| entry.scale = Some(value.ilog10()));
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

fn suffixes(raw: &BTreeMap<String, u64>) -> Vec<(Box<str>, u32)> {
    let places = |(suffix, value): (&String, &u64)| (suffix.as_str().into(), value.ilog10());
    raw.iter().map(places).collect()
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

fn longest_first(mut phrases: Vec<Box<str>>) -> Vec<Box<str>> {
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
}

fn in_order(ordinals: BTreeMap<Box<str>, usize>) -> Vec<Box<str>> {
    let mut pairs: Vec<(usize, Box<str>)> = ordinals.into_iter().map(|(w, n)| (n, w)).collect();
    pairs.sort();
    pairs.into_iter().map(|(_, word)| word).collect()
}

fn thresholds(raw: &BTreeMap<String, f64>) -> Thresholds {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the values are small and not negative, and a test reads them"
    )]
    let whole = |key: &str, factor: f64| {
        (raw.get(key).copied().unwrap_or_default() * factor).round() as u32
    };
    let count = |key: &str| whole(key, 1.0) as usize;
    let share = |key: &str| whole(key, 100.0) as usize;
    Thresholds {
        supports: share("supports_overlap"),
        supports_code: share("supports_overlap_code"),
        partial: share("partial_overlap"),
        unrelated: share("unrelated_overlap"),
        context: share("context_ratio"),
        rival: share("rival_claim_ratio"),
        conflict: share("claim_ratio_for_conflict"),
        polarity: share("polarity_prose"),
        axis_prose: share("axis_prose"),
        axis_code: share("axis_code_snippet"),
        about: i128::from(whole("approx_percent", 1.0)),
        verbatim_chars: count("verbatim_min_chars"),
        window: count("window_units"),
        window_over_units: count("window_when_units_over"),
        window_over_chars: count("window_when_chars_over"),
        context_stems: count("context_stems"),
        neighbours_prose: count("neighbours_prose"),
        neighbours_code: count("neighbours_code"),
        unit_words: count("unit_words_max"),
        bound_chars: count("bound_reach_chars"),
        negation_lead: count("negation_lead"),
        negation_reach: count("negation_reach"),
        negation_words: count("negation_reach_words"),
    }
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
    fn scales_are_powers_of_ten_and_no_threshold_is_left_out() {
        let raw = raw();
        let suffixes = raw
            .scale_suffixes
            .values()
            .chain(raw.money_suffixes.values());
        for value in raw.scale_words.values().chain(suffixes) {
            assert_eq!(10u64.pow(value.ilog10()), *value);
        }
        let known = format!("{:?}", thresholds(&raw.thresholds));
        assert!(!known.contains(": 0"), "{known}");
        assert_eq!(known.matches(": ").count(), raw.thresholds.len());
    }
}
