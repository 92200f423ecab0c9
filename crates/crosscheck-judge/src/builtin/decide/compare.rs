//! Compares the negations of one clause and one unit (judge P3 to P7).

use crosscheck_language::clause::{cuts, is_clause_word};

use super::Case;
use super::unit::UnitSeen;
use crate::builtin::claim::Clause;
use crosscheck_language::lexicon::{LEXICON, List, WordEntry};
use crosscheck_language::phrase::{Phrase, is_soft, negations, qualifiers, reached};

/// The result of comparing one clause with one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Agrees,
    Opposed,
    Unsure,
}

/// How much a negation says about a clause.
enum Force {
    Strong,
    Weak,
    /// It belongs to another clause of the claim.
    None,
}

/// The negations of a unit that affect a clause.
#[derive(Default)]
struct Negations {
    /// Those that reach a word of the clause.
    strong: Vec<usize>,
    weak: usize,
    /// A word that retracts what the unit says.
    distant: bool,
}

impl Case<'_> {
    /// Judge P5, P6: by negations alone. `axes` are the pairs of opposites that both have a
    /// word of.
    pub(super) fn compare(
        &self,
        clause: &Clause,
        unit: &UnitSeen<'_>,
        axes: u32,
        prose: bool,
    ) -> Comparison {
        let its = self.negations(clause, unit, axes, prose);
        let own = clause.negations.len();
        if its.distant {
            return Comparison::Unsure;
        }
        match (own, its.strong.len()) {
            (0, 1..) | (1.., 0) if self.is_limited(clause, unit, &its.strong, prose) => {
                Comparison::Unsure
            }
            (0, 1..) | (1.., 0) => Comparison::Opposed,
            (0, 0) if its.weak > 0 => Comparison::Unsure,
            (own, strong) if own != strong => Comparison::Unsure,
            _ if self.negates_else(clause, unit, &its.strong) => Comparison::Unsure,
            _ => Comparison::Agrees,
        }
    }

    /// Judge P3: the negations between and shortly before the shared words.
    fn negations(&self, clause: &Clause, unit: &UnitSeen<'_>, axes: u32, prose: bool) -> Negations {
        let mut seen = Negations::default();
        if !prose || !unit.turns {
            return seen;
        }
        let Some((first, last)) = stretch(&unit.weighing(clause), self.claim.stems.len()) else {
            return seen;
        };
        let (first, last) = unit.with_pole(axes, first, last);
        let first = first.saturating_sub(self.thresholds.negation_lead);
        for negation in negations(unit).filter(|word| (first..=last).contains(word)) {
            match self.force(clause, unit, negation) {
                Force::Strong => seen.strong.push(negation),
                Force::Weak => seen.weak += 1,
                Force::None => {}
            }
        }
        seen.distant = (first..=last).any(|word| self.is_distant(unit, word));
        seen
    }

    /// How much a negation of a unit says about a clause: it counts for the clause that has the
    /// words behind it, and in the part of the unit that is about the clause.
    fn force(&self, clause: &Clause, unit: &UnitSeen<'_>, negation: usize) -> Force {
        let reached = reached(unit, negation);
        let held = |clause: &Clause| {
            let reached = reached.iter().flatten();
            reached.filter(|stem| clause.stems.contains(stem)).count()
        };
        let own = held(clause);
        let others = || {
            let clauses = self.claim.clauses.iter();
            clauses.filter(|other| !std::ptr::eq(*other, clause))
        };
        let is_theirs = || others().any(|one| held(one) > own && !one.negations.is_empty());
        let is_shared = || own == 0 || others().any(|other| held(other) >= own);
        let is_apart = || clause.negations.is_empty() && is_apart(clause, unit, negation);
        if is_theirs() && is_apart() {
            Force::None
        } else if is_shared() || is_apart() {
            Force::Weak
        } else {
            Force::Strong
        }
    }

    /// Whether clause and unit negate different words: `steel, not wood`, `wood, not steel`.
    fn negates_else(&self, clause: &Clause, unit: &UnitSeen<'_>, strong: &[usize]) -> bool {
        let own = clause.negations.iter();
        let own: Vec<u32> = own
            .flat_map(|negation| reached(self.claim, *negation))
            .flatten()
            .collect();
        let mut its = strong
            .iter()
            .flat_map(|negation| reached(unit, *negation))
            .flatten();
        !own.is_empty() && !strong.is_empty() && !its.any(|stem| own.contains(&stem))
    }

    /// Whether the unit has a word that retracts what it says, and the claim does not
    /// have it.
    fn is_distant(&self, unit: &UnitSeen<'_>, word: usize) -> bool {
        let entry = unit.entry(word).filter(|entry| entry.is(List::Distancing));
        entry.is_some_and(|entry| !self.claim.has(entry)) && !(word > 0 && unit.negates(word - 1))
    }

    /// Judge P6: whether one side has a word that limits what it says or denies, and the other has it
    /// not: `not until May`, `failed to land`, `only`, `the same`. Then a difference in negations proves
    /// nothing.
    fn is_limited(&self, clause: &Clause, unit: &UnitSeen<'_>, its: &[usize], prose: bool) -> bool {
        let is_free = |word: &usize| {
            let word = self.claim.words.get(*word);
            word.is_some_and(|word| word.free && clause.range.contains(&word.range.start))
        };
        let own: Vec<usize> = (0..self.claim.count()).filter(is_free).collect();
        let all: Vec<usize> = (0..unit.count()).collect();
        let held = self.held.of_unit(unit.number);
        let is_held = |word: usize| {
            let stem = self.claim.stem(word);
            stem.is_some_and(|stem| held.binary_search(&stem).is_ok())
        };
        let only = LEXICON.word("only").and_then(|entry| entry.exclusive);
        let is_only = |word: &usize| {
            unit.entry(*word)
                .is_some_and(|entry| entry.exclusive == only)
        };
        let own_alone = |word: &usize| {
            limits(self.claim, *word)
                && (is_phrase(self.claim, *word) || !is_held(*word))
                && !has_like(unit, &all, self.claim, *word)
        };
        let its_alone = |word: &usize| {
            limits(unit, *word)
                && (is_phrase(unit, *word) || unit.stem(*word).is_none())
                && !has_like(self.claim, &own, unit, *word)
        };
        own.iter().any(own_alone)
            || all.iter().any(its_alone)
            || prose && all.iter().any(|word| self.is_distant(unit, *word))
            || !clause.negations.is_empty() && all.iter().any(is_only)
            || clause
                .negations
                .iter()
                .flat_map(|word| qualifiers(self.claim, *word))
                .any(|entry| {
                    let same = |own: &WordEntry| std::ptr::eq(own, entry);
                    !all.iter().any(|word| unit.entry(*word).is_some_and(same))
                })
            || its
                .iter()
                .flat_map(|word| qualifiers(unit, *word))
                .any(|entry| !self.claim.has(entry))
    }

    /// Judge P4: a negated clause is opposed only by a unit that has the words
    /// behind the negation, no negation anywhere, and all of them in one clause.
    pub(super) fn has_tail(&self, clause: &Clause, unit: &UnitSeen<'_>, prose: bool) -> bool {
        if clause.negations.is_empty() {
            return true;
        }
        if prose && unit.turns && negations(unit).next().is_some() {
            return false;
        }
        let shared = stretch(&unit.weighing(clause), self.claim.stems.len());
        if shared.is_some_and(|(first, last)| has_border(unit, first + 1, last)) {
            return false;
        }
        let stems = self.held.of_unit(unit.number);
        clause.negations.iter().any(|negation| {
            let words = reached(self.claim, *negation);
            let is_there = |stem: &u32| stems.binary_search(stem).is_ok();
            !words.is_empty() && words.iter().flatten().all(is_there)
        })
    }
}

/// Whether a word limits what its sentence says or denies.
fn limits(phrase: &impl Phrase, word: usize) -> bool {
    phrase.is_on(word, List::Limit) || is_soft(phrase, word)
}

/// Whether a word limits only with the next one: `yet to`.
fn is_phrase(phrase: &impl Phrase, word: usize) -> bool {
    !phrase.is_on(word, List::Limit) && !phrase.is_on(word, List::SoftNegation)
}

/// Whether one of these words is a limiting word of another phrase.
fn has_like(phrase: &impl Phrase, words: &[usize], other: &impl Phrase, wanted: usize) -> bool {
    let Some(entry) = other.entry(wanted) else {
        return false;
    };
    let same = |own: &WordEntry| std::ptr::eq(own, entry);
    let mut words = words.iter();
    words.any(|word| phrase.entry(*word).is_some_and(same) && limits(phrase, *word))
}

/// Whether a word such as `which` or `although` is among these.
fn has_border(unit: &UnitSeen<'_>, first: usize, last: usize) -> bool {
    let is_border = |word| unit.is_on(word, List::ClauseBorder) && !unit.is_word(word, "and");
    (first..=last).any(is_border)
}

/// Whether a negation is in a part of the unit with fewer words of the clause than another part
/// has: `It does not cure, but …`.
fn is_apart(clause: &Clause, unit: &UnitSeen<'_>, negation: usize) -> bool {
    let borders = borders(unit.source());
    if borders.is_empty() {
        return false;
    }
    let part = |word: usize| {
        let start = unit.range(word).start;
        borders.partition_point(|border| *border <= start)
    };
    let mut words: Vec<(usize, u32)> = unit
        .weighing(clause)
        .into_iter()
        .map(|(word, stem)| (part(word), stem))
        .collect();
    words.sort_unstable();
    words.dedup();
    let held = |part: usize| words.iter().filter(|(own, _)| *own == part).count();
    let own = held(part(negation));
    (0..=borders.len()).any(|part| held(part) > own)
}

/// Where the clauses of a unit end; one that begins with `although` ends at its comma.
fn borders(text: &str) -> Vec<usize> {
    let mut found = cuts(text);
    let start = text.find(char::is_alphanumeric).unwrap_or(0);
    if text.get(start..).is_some_and(is_clause_word) {
        found.extend(text.find(", "));
        found.sort_unstable();
    }
    found
}

/// The shortest run of words that contains every shared stem, the first on
/// ties.
fn stretch(words: &[(usize, u32)], stems: usize) -> Option<(usize, usize)> {
    let mut counts = vec![0u32; stems];
    let mut change = |stem: u32, by: i32| {
        let count = counts.get_mut(stem as usize)?;
        *count = count.saturating_add_signed(by);
        Some(*count)
    };
    let mut different = 0;
    for (_, stem) in words {
        different += usize::from(change(*stem, 1) == Some(1));
    }
    for (_, stem) in words {
        change(*stem, -1);
    }
    let mut best: Option<(usize, usize, usize)> = None;
    let (mut left, mut held) = (0, 0);
    for (last, stem) in words {
        held += usize::from(change(*stem, 1) == Some(1));
        while held == different {
            let Some((first, stem)) = words.get(left) else {
                break;
            };
            let span = (last - first, *first, *last);
            if best.is_none_or(|best| span < best) {
                best = Some(span);
            }
            held -= usize::from(change(*stem, -1) == Some(0));
            left += 1;
        }
    }
    best.map(|(_, first, last)| (first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_run_contains_every_stem() {
        for (words, expected) in [
            (vec![], None),
            (vec![(3, 0)], Some((3, 3))),
            (vec![(0, 0), (5, 1), (6, 0)], Some((5, 6))),
            (vec![(0, 0), (2, 1), (9, 0), (11, 1)], Some((0, 2))),
            (vec![(0, 0), (1, 0), (2, 0)], Some((0, 0))),
            (vec![(0, 2), (4, 1), (5, 0), (9, 2)], Some((0, 5))),
        ] {
            assert_eq!(stretch(&words, 3), expected, "{words:?}");
        }
    }
}
