//! The clauses of a claim: polarity is compared for each separately (judge P8).

use std::ops::Range;

use crosscheck_language::clause::cuts;
use crosscheck_language::phrase::{Phrase as _, is_bounded, negations};

use super::Claim;

/// A part of a claim.
#[derive(Debug)]
pub(in crate::builtin) struct Clause {
    pub(in crate::builtin) range: Range<usize>,
    /// Its distinct stems.
    pub(in crate::builtin) stems: Vec<u32>,
    /// Those that are not at a pole of an axis (W), sorted.
    pub(in crate::builtin) weighing: Vec<u32>,
    pub(in crate::builtin) poles: Poles,
    /// Its negations outside names, by the numbers of the words.
    pub(in crate::builtin) negations: Vec<usize>,
}

impl Clause {
    /// Whether a stem counts in this clause.
    pub(in crate::builtin) fn weighs(&self, stem: u32) -> bool {
        self.weighing.binary_search(&stem).is_ok()
    }

    /// How many of these stems count in this clause.
    pub(in crate::builtin) fn held(&self, stems: &[u32]) -> usize {
        stems.iter().filter(|stem| self.weighs(**stem)).count()
    }
}

/// Which poles of which axes the words of a text name, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::builtin) struct Poles {
    pub(in crate::builtin) first: u32,
    pub(in crate::builtin) second: u32,
}

impl Poles {
    pub(in crate::builtin) fn add(&mut self, axis: u8, second: bool) {
        let bit = 1u32.checked_shl(axis.into()).unwrap_or(0);
        if second {
            self.second |= bit;
        } else {
            self.first |= bit;
        }
    }

    /// Only this pole of an axis.
    pub(in crate::builtin) fn set(&mut self, axis: u8, second: bool) {
        let bit = 1u32.checked_shl(axis.into()).unwrap_or(0);
        self.first &= !bit;
        self.second &= !bit;
        self.add(axis, second);
    }

    /// The axes of which exactly one pole is named.
    pub(in crate::builtin) const fn decided(self) -> u32 {
        self.first ^ self.second
    }
}

/// At most this many clauses are distinguished; the rest belongs to the last.
const CLAUSES_MAX: usize = 64;

/// The clauses of a claim; one with fewer than two stems joins the next, the rest the last.
pub(super) fn clauses(claim: &Claim<'_>) -> Vec<Clause> {
    let mut places: Vec<(usize, u32)> = claim.places.iter().map(|one| (one.at, one.stem)).collect();
    places.sort_unstable();
    let all: Vec<usize> = negations(claim).collect();
    let clause = |range| clause(claim, &places, &all, range);
    borders(claim.text, &places)
        .into_iter()
        .map(clause)
        .collect()
}

fn borders(text: &str, places: &[(usize, u32)]) -> Vec<Range<usize>> {
    let end = text.len() + 1;
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut rest = places.iter().peekable();
    let (mut start, mut first, mut several) = (0, None, false);
    for cut in cuts(text).into_iter().chain([end]) {
        while let Some((_, stem)) = rest.next_if(|(at, _)| *at < cut) {
            several |= *first.get_or_insert(stem) != stem;
        }
        if several && found.len() < CLAUSES_MAX {
            found.push(start..cut);
            (start, first, several) = (cut, None, false);
        }
    }
    match found.last_mut() {
        Some(last) => last.end = end,
        None => found.push(0..end),
    }
    found
}

fn clause(
    claim: &Claim<'_>,
    places: &[(usize, u32)],
    negations: &[usize],
    range: Range<usize>,
) -> Clause {
    let place = |at: usize| places.partition_point(|(place, _)| *place < at);
    let own = places.get(place(range.start)..place(range.end));
    let mut stems: Vec<u32> = own
        .unwrap_or_default()
        .iter()
        .map(|(_, stem)| *stem)
        .collect();
    stems.sort_unstable();
    stems.dedup();
    let word = |at: usize| claim.words.partition_point(|word| word.range.start < at);
    let words = word(range.start)..word(range.end);
    let mut poles = Poles::default();
    for number in words.clone() {
        let pole = claim.entry(number).and_then(|entry| entry.pole);
        if let Some((axis, second)) = pole.filter(|_| !is_bounded(claim, number)) {
            poles.add(axis, second);
        }
    }
    let number = |word: usize| negations.partition_point(|negation| *negation < word);
    let own = negations.get(number(words.start)..number(words.end));
    let is_free = |word: &usize| claim.words.get(*word).is_some_and(|word| word.free);
    Clause {
        weighing: stems
            .iter()
            .copied()
            .filter(|stem| claim.weighs(*stem))
            .collect(),
        negations: own
            .unwrap_or_default()
            .iter()
            .copied()
            .filter(is_free)
            .collect(),
        stems,
        poles,
        range,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_cut_at_marks_and_words_and_need_two_stems() {
        let table: &[(&str, &[&str])] = &[
            (
                "Cooling is not free: planting one tree costs 4 euros",
                &["Cooling is not free: ", "planting one tree costs 4 euros"],
            ),
            (
                "The pump is not new, but it runs quietly at night",
                &["The pump is not new,", " but it runs quietly at night"],
            ),
            ("Yes: the pump runs", &["Yes: the pump runs"]),
            ("The pump runs; ok", &["The pump runs; ok"]),
            (
                "The pump runs - the light shines -- so they say",
                &["The pump runs - ", "the light shines -- so they say"],
            ),
            (
                "The pump costs 5 - 6 euros more",
                &["The pump costs 5 - 6 euros more"],
            ),
            (
                "The pump runs, the light shines",
                &["The pump runs, the light shines"],
            ),
            ("", &[""]),
        ];
        for (text, expected) in table {
            let claim = Claim::of(text);
            let seen: Vec<_> = claim
                .clauses
                .iter()
                .map(|clause| text.get(clause.range.start..clause.range.end.min(text.len())))
                .collect();
            assert_eq!(
                seen,
                expected.iter().map(|one| Some(*one)).collect::<Vec<_>>(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_clause_knows_its_negations_and_poles() {
        let claim = Claim::of("The `not` gate is never enabled; no doubt guests are denied access");
        let [first, second] = claim.clauses.as_slice() else {
            panic!("{:?}", claim.clauses);
        };
        assert_eq!((first.negations.len(), second.negations.len()), (1, 0));
        assert_eq!((first.poles.first, first.poles.second), (1, 0));
        assert_eq!((second.poles.first, second.poles.second), (0, 4));
        assert_eq!(first.weighing.len() + 1, first.stems.len());
    }
}
