//! Passages that have all words of the claim and still do not support it
//! (judge R1).

use std::ops::Range;

use super::super::lexicon::List;
use super::super::phrase::{Phrase, is_soft};
use super::Case;
use super::overlap::Overlap;
use super::unit::UnitSeen;

/// `refused to resign`: the longest distance at which `refused` still counts.
const REACH: usize = 2;

/// In a longer claim a name can be in another sentence than the rest.
const NAMED_MAX: usize = 6;

/// Words for what may be.
const MODALS: [&str; 5] = ["may", "might", "could", "would", "should"];
/// Words of a claim that leaves it open.
const HEDGES: [&str; 8] = [
    "possibly",
    "perhaps",
    "likely",
    "expected",
    "potentially",
    "possible",
    "estimated",
    "can",
];
/// What depends on a condition is at most this many words beside the word for it.
const CONDITION_REACH: usize = 8;
/// Words for what something depends on.
const CONDITIONS: [&str; 3] = ["if", "unless", "provided"];
/// Words behind which `would` is the past of `will`.
const SAYING: [&str; 8] = [
    "said",
    "says",
    "told",
    "announced",
    "confirmed",
    "promised",
    "stated",
    "decided",
];

/// What is not there.
const GONE: [&str; 4] = ["missing", "absent", "unavailable", "lacking"];

impl Case<'_> {
    /// Whether the best sentence only almost says it, says it under a condition, or has a negation
    /// that the polarity rules do not know.
    pub(super) fn is_doubtful(&self, overlap: &Overlap) -> bool {
        let Some(unit) = self.best_unit(overlap).map(|unit| self.unit(unit)) else {
            return false;
        };
        let shared = |word: &usize| unit.stem(*word).is_some();
        let first = (0..unit.count()).find(shared);
        let last = (0..unit.count()).rev().find(shared);
        let (Some(first), Some(last)) = (first, last) else {
            return false;
        };
        unit.is_prose()
            && (first.saturating_sub(REACH)..unit.count().min(last + 2 + REACH))
                .any(|word| self.casts_doubt(&unit, word, first, last))
            || self.takes_the_other_side(&unit)
            || self.is_turned(overlap, &unit)
            || self.has_other_roles(overlap, &unit)
            || self.has_other_order(overlap, &unit)
            || self.is_done_by_another(overlap, &unit)
            || self.loses_a_negation(overlap)
            || self.names_another(&unit)
            || self.is_hedged(&unit)
    }

    fn casts_doubt(&self, unit: &UnitSeen<'_>, word: usize, first: usize, last: usize) -> bool {
        let Some(entry) = unit.entry(word).filter(|entry| !self.claim.has(entry)) else {
            return false;
        };
        let softens = entry.is(List::Almost) || is_soft(unit, word) && unit.stem(word).is_none();
        // `nearly 100 schools`: the word belongs to the figure.
        // `expected to be signed`
        let to = usize::from(word + 1 < unit.count() && unit.is_word(word + 1, "to"));
        let reach = word + 1..unit.count().min(word + 1 + REACH + to);
        let behind = unit.tail(word).trim_start();
        let counts =
            behind.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£'));
        let reaches = || !counts && reach.clone().any(|next| unit.stem(next).is_some());
        // `the former minister`; a name behind it is not what someone was.
        let behind_it = behind.trim_start_matches('-');
        let next = || {
            behind_it.starts_with(char::is_lowercase)
                && word + 1 < unit.count()
                && unit.stem(word + 1).is_some()
        };
        // `Tours have been suspended`
        let happens = || {
            let be = ["is", "are", "was", "were", "been", "be", "being"];
            let before = word.checked_sub(1);
            before.is_some_and(|before| be.iter().any(|one| unit.is_word(before, one)))
        };
        // `A card reader is missing`
        if GONE.iter().any(|one| unit.is_word(word, one)) && happens() {
            return true;
        }
        // `Entry without a ticket is free`
        let mut behind_without = word + 1..unit.count().min(word + 1 + REACH);
        if unit.is_word(word, "without")
            && (first..last).contains(&word)
            && behind_without.any(|next| unit.is_content(next) && unit.stem(next).is_none())
        {
            return true;
        }
        if word > last {
            return softens && entry.is(List::SoftNegation) && happens();
        }
        softens && (reaches() || entry.is(List::SoftNegation) && word > first && happens())
            || entry.is(List::Former) && next()
            || self.is_denied_idiom(unit, word)
            || entry.is(List::Supposing) && word < first
            || entry.is(List::ForeignNegation)
    }

    /// Whether the sentence says it as possible, wanted or depending on something, and the claim as a
    /// fact: `could begin`, `if the bill passes`.
    fn is_hedged(&self, unit: &UnitSeen<'_>) -> bool {
        let hedges = [&MODALS[..], &HEDGES, &CONDITIONS].concat();
        if unit.count() > self.thresholds.unit_words
            || !unit.is_prose()
            || has_any(self.claim, 0..self.claim.count(), &hedges)
        {
            return false;
        }
        let shares = |words: Range<usize>| words.into_iter().any(|word| unit.stem(word).is_some());
        let end = |word: usize, reach: usize| unit.count().min(word + 1 + reach);
        let depends = |word: usize| {
            has_any(unit, word..word + 1, &CONDITIONS)
                && !has_any(unit, word.saturating_sub(1)..word, &["even"])
                && shares(word.saturating_sub(CONDITION_REACH)..end(word, CONDITION_REACH))
        };
        // `May` is a month, `said it would close` is said of `it will close`
        let is_modal = |word: usize| {
            let text = unit.text().get(unit.range(word)).unwrap_or_default();
            let is_past = text == "would"
                && has_any(unit, 0..word, &SAYING)
                && !has_any(unit, 0..unit.count(), &["without", "otherwise"]);
            MODALS.contains(&text)
                && !is_past
                && !(word + 1..end(word, 1)).any(|next| unit.negates(next))
                && shares(word + 1..end(word, REACH + 1))
        };
        (0..unit.count()).any(|word| depends(word) || is_modal(word))
    }

    /// Whether the sentence has another name where a name of the claim is only in the sentence
    /// beside it: `by Charlotte Bronte. Her sister Emily …`.
    fn names_another(&self, unit: &UnitSeen<'_>) -> bool {
        let is_name = |text: &str, range: Range<usize>| {
            text.get(range).is_some_and(|word| {
                word.chars().count() > 3 && word.starts_with(char::is_uppercase)
            })
        };
        let held = self.held.of_unit(unit.number);
        let is_there = |stem: &u32| {
            held.binary_search(stem).is_ok() || self.held.header.binary_search(stem).is_ok()
        };
        let plain = u32::try_from(self.claim.plain).unwrap_or(u32::MAX);
        let mut lost = (0..plain).filter(|stem| !is_there(stem));
        let (Some(stem), None) = (lost.next(), lost.next()) else {
            return false;
        };
        let mut own = self.claim.words.iter().skip(1).filter(|word| word.free);
        let is_lost = self.claim.plain <= NAMED_MAX
            && own.any(|word| {
                word.stem == Some(stem) && is_name(self.claim.text, word.range.clone())
            });
        let is_other =
            |word: usize| unit.stem(word).is_none() && is_name(unit.source(), unit.range(word));
        is_lost && unit.is_prose() && (1..unit.count()).any(is_other)
    }

    /// `voted for the bill` / `voted against the bill`; `because of the rain` / `despite the rain`
    fn takes_the_other_side(&self, unit: &UnitSeen<'_>) -> bool {
        let sides = [
            ("for", "against"),
            ("because", "despite"),
            ("due", "despite"),
            ("thanks", "despite"),
        ];
        let turned = sides.map(|(own, other)| (other, own));
        sides.into_iter().chain(turned).any(|(own, other)| {
            let wanted = behind(self.claim, own);
            let found = behind(unit, other);
            !wanted.is_empty()
                && behind(unit, own).is_empty()
                && wanted.iter().any(|stem| found.contains(stem))
        })
    }
}

/// Whether one of these places has one of these words.
fn has_any(phrase: &impl Phrase, places: Range<usize>, words: &[&str]) -> bool {
    let mut places = places;
    places.any(|place| words.iter().any(|one| phrase.is_word(place, one)))
}

/// The first words of the claim behind a word.
fn behind(phrase: &impl Phrase, wanted: &str) -> Vec<u32> {
    let places = (0..phrase.count()).filter(|word| phrase.is_word(*word, wanted));
    let next = places.filter_map(|word| {
        let reach = word + 1..phrase.count().min(word + 2 + REACH);
        reach.into_iter().find_map(|next| phrase.stem(next))
    });
    next.collect()
}
