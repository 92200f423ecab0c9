//! Passages that have all words of the claim and still do not support it
//! (judge R1).

use super::super::lexicon::List;
use super::super::phrase::{Phrase, is_soft};
use super::Case;
use super::overlap::Overlap;
use super::unit::UnitSeen;

/// `refused to resign`: the longest distance at which `refused` still counts.
const REACH: usize = 2;

/// In a longer claim a name can be in another sentence than the rest.
const NAMED_MAX: usize = 6;

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
            || self.is_conditional(&unit)
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

    /// `If the bill passes, taxes will rise` does not say that they will.
    fn is_conditional(&self, unit: &UnitSeen<'_>) -> bool {
        let own = |wanted: &[&str]| {
            let is_one = |word| wanted.iter().any(|one| self.claim.is_word(word, one));
            (0..self.claim.count()).any(is_one)
        };
        unit.count() > 0 && unit.is_word(0, "if") && own(&["will", "would"]) && !own(&["if"])
    }

    /// Whether the sentence has another name where a name of the claim is only in the sentence
    /// beside it: `by Charlotte Bronte. Her sister Emily …`.
    fn names_another(&self, unit: &UnitSeen<'_>) -> bool {
        let is_name = |text: &str, range: std::ops::Range<usize>| {
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

/// The first words of the claim behind a word.
fn behind(phrase: &impl Phrase, wanted: &str) -> Vec<u32> {
    let places = (0..phrase.count()).filter(|word| phrase.is_word(*word, wanted));
    let next = places.filter_map(|word| {
        let reach = word + 1..phrase.count().min(word + 2 + REACH);
        reach.into_iter().find_map(|next| phrase.stem(next))
    });
    next.collect()
}
