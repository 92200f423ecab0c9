//! Compares the negations of one clause and one unit (judge P3 to P7).

use super::super::claim::{Clause, cuts, is_clause_word};
use super::super::lexicon::{LEXICON, List, WordEntry};
use super::super::phrase::{Phrase, is_soft, negations, qualifiers, reached};
use super::super::quantity::Hedge;
use super::Case;
use super::unit::UnitSeen;

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
            (0, 1..) if self.has_soft(clause, unit) => Comparison::Unsure,
            (1.., 0) if unit.turns && self.is_soft(unit) || ends(unit) => Comparison::Unsure,
            (0, 1..) | (1.., 0) if self.says_alike(clause, unit) => Comparison::Unsure,
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

    /// Whether the clause has a word of soft negation that the unit lacks.
    fn has_soft(&self, clause: &Clause, unit: &UnitSeen<'_>) -> bool {
        let stems = self.held.of_unit(unit.number);
        let its = soft_phrases(unit);
        let words = self.claim.words.iter().enumerate();
        let own = words.filter(|(_, word)| word.free && clause.range.contains(&word.range.start));
        let mut own = own.filter(|(number, _)| is_soft(self.claim, *number));
        own.any(|(number, word)| {
            if self.claim.is_on(number, List::SoftNegation) {
                let is_there = |stem: u32| stems.binary_search(&stem).is_ok();
                !word.stem.is_some_and(is_there)
            } else {
                !has_entry(&its, word.entry)
            }
        })
    }

    /// Whether the unit has a word of soft negation that the claim lacks.
    fn is_soft(&self, unit: &UnitSeen<'_>) -> bool {
        let own = soft_phrases(self.claim);
        let mut its = (0..unit.count()).filter(|word| is_soft(unit, *word));
        its.any(|word| {
            if unit.is_on(word, List::SoftNegation) {
                unit.stem(word).is_none()
            } else {
                !has_entry(&own, unit.entry(word))
            }
        })
    }

    /// Whether one side says that things are the same, and the other that they do not differ.
    fn says_alike(&self, clause: &Clause, unit: &UnitSeen<'_>) -> bool {
        const ALIKE: [&str; 8] = [
            "same",
            "equal",
            "equally",
            "identical",
            "unchanged",
            "alike",
            "constant",
            "similar",
        ];
        const DIFFER: [&str; 10] = [
            "differ",
            "differs",
            "differed",
            "different",
            "difference",
            "differences",
            "change",
            "changed",
            "changes",
            "vary",
        ];
        let has =
            |phrase: &dyn Fn(&str) -> bool, words: &[&str]| words.iter().any(|one| phrase(one));
        let its = |wanted: &str| (0..unit.count()).any(|word| unit.is_word(word, wanted));
        let own = |wanted: &str| {
            let words = self.claim.words.iter().enumerate();
            let mut words = words.filter(|(_, word)| clause.range.contains(&word.range.start));
            words.any(|(number, _)| self.claim.is_word(number, wanted))
        };
        has(&own, &ALIKE) && has(&its, &DIFFER) || has(&own, &DIFFER) && has(&its, &ALIKE)
    }

    /// Whether one side limits what it says or denies, and the other does not:
    /// `not until May`, `only`, `under 12`, `is false`. Then a difference in negations is not
    /// a contradiction.
    fn is_limited(
        &self,
        clause: &Clause,
        unit: &UnitSeen<'_>,
        strong: &[usize],
        prose: bool,
    ) -> bool {
        let unit_has = |entry: &WordEntry| {
            let same = |own: &WordEntry| std::ptr::eq(own, entry);
            (0..unit.count()).any(|word| unit.entry(word).is_some_and(same))
        };
        let own = clause.negations.iter();
        let mut own = own.flat_map(|negation| qualifiers(self.claim, *negation));
        let mut its = strong
            .iter()
            .flat_map(|negation| qualifiers(unit, *negation));
        own.any(|entry| !unit_has(entry))
            || its.any(|entry| !self.claim.has(entry))
            || prose && unit.turns && (0..unit.count()).any(|word| self.is_distant(unit, word))
            || self.is_exclusive(clause, unit)
            || self.bounds_differ(clause, unit)
    }

    /// Whether the side without a negation says `only`, and the other does not; a negated claim may
    /// say both: `most did not; only four did`.
    fn is_exclusive(&self, clause: &Clause, unit: &UnitSeen<'_>) -> bool {
        let group = LEXICON.word("only").and_then(|entry| entry.exclusive);
        let is_one =
            |entry: Option<&WordEntry>| entry.is_some_and(|entry| entry.exclusive == group);
        let its = (0..unit.count()).any(|word| is_one(unit.entry(word)));
        let own = self.claim.words.iter().any(|word| is_one(word.entry));
        if clause.negations.is_empty() {
            own && !its
        } else {
            its
        }
    }

    /// Whether a figure of the clause is in the unit with another bound: `under 12`, `12 and over`.
    fn bounds_differ(&self, clause: &Clause, unit: &UnitSeen<'_>) -> bool {
        let figures = self.text.figures();
        let own = self.claim.quantities.iter();
        let mut own = own.filter(|one| clause.range.contains(&one.range.start));
        own.any(|quantity| {
            let claimed = Hedge::of(self.claim.text, &quantity.range).bound;
            let marks = figures.marks(unit.number).iter();
            let found: Vec<_> = marks
                .filter_map(|mark| {
                    figures.value(mark).filter(|kind| quantity.means(kind))?;
                    Some(Hedge::of(unit.source(), &mark.range()).bound)
                })
                .collect();
            !found.is_empty() && !found.contains(&claimed)
        })
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

/// Whether a unit says that something ends, as the claim does in other words: `there will be no
/// ferry` / `the ferry will stop`.
fn ends(unit: &UnitSeen<'_>) -> bool {
    const ENDING: [&str; 14] = [
        "stop",
        "stops",
        "stopped",
        "end",
        "ends",
        "ended",
        "cease",
        "ceases",
        "ceased",
        "close",
        "closes",
        "closed",
        "discontinued",
        "removed",
    ];
    let is_one = |word: usize| ENDING.iter().any(|one| unit.is_word(word, one));
    (0..unit.count()).any(|word| unit.stem(word).is_none() && is_one(word))
}

/// The distinct words that negate with the next one: `yet to`, `rather than`. There are few.
fn soft_phrases(phrase: &impl Phrase) -> Vec<&'static WordEntry> {
    let mut found = Vec::new();
    for word in (0..phrase.count()).filter(|word| is_soft(phrase, *word)) {
        let entry = phrase.entry(word);
        if !phrase.is_on(word, List::SoftNegation) && !has_entry(&found, entry) {
            found.extend(entry);
        }
    }
    found
}

fn has_entry(entries: &[&WordEntry], wanted: Option<&WordEntry>) -> bool {
    let mut entries = entries.iter();
    wanted.is_some_and(|wanted| entries.any(|entry| std::ptr::eq(*entry, wanted)))
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
