//! Whether a text says the opposite: which unit is compared with each clause,
//! and the result (judge P1, P2, P8, P9).

use super::compare::Comparison;
use super::unit::UnitSeen;
use super::{Case, reaches};
use crate::builtin::claim::{Clause, Poles};
use crosscheck_language::lexicon::{List, WordEntry};
use crosscheck_language::phrase::Phrase as _;

/// The result of comparing polarity.
pub(super) struct PolaritySeen {
    pub(super) unsure: bool,
    /// This unit says the opposite.
    pub(super) opposed: Option<Opposed>,
    /// Axes on which claim and text agree.
    pub(super) settled: u32,
}

/// A unit that says the opposite of a clause.
pub(super) struct Opposed {
    pub(super) unit: usize,
    /// Number of the clause.
    pub(super) clause: usize,
    /// The axes on which they differ.
    pub(super) axes: u32,
}

/// The result for a clause.
enum Outcome {
    /// This unit agrees, and decides these axes.
    Agrees(usize, u32),
    Unsure,
    /// This unit says the opposite on these axes.
    Opposed(usize, u32),
}

impl Case<'_> {
    /// Compares each clause; `complete` means that no figure is missing.
    pub(super) fn polarity(&self, complete: bool) -> PolaritySeen {
        let mut seen = PolaritySeen {
            unsure: false,
            opposed: None,
            settled: 0,
        };
        let clauses = &self.claim.clauses;
        for (number, clause) in clauses.iter().enumerate() {
            match self.clause(clause, complete, &mut seen.settled) {
                Outcome::Agrees(..) => {}
                Outcome::Unsure => seen.unsure = true,
                // Judge P8: a small part of a claim cannot contradict.
                Outcome::Opposed(..)
                    if clauses.len() > 1 && 2 * clause.stems.len() < self.claim.stems.len() =>
                {
                    seen.unsure = true;
                }
                Outcome::Opposed(unit, axes) => {
                    let clause = number;
                    seen.opposed = Some(Opposed { unit, clause, axes });
                    break;
                }
            }
        }
        seen
    }

    fn clause(&self, clause: &Clause, complete: bool, settled: &mut u32) -> Outcome {
        let outcome = match self.best_on_axis(clause) {
            Some((unit, poles)) => self.on_axis(clause, &unit, poles, complete),
            None => self.by_negation(clause, complete),
        };
        let Outcome::Agrees(unit, axes) = outcome else {
            return outcome;
        };
        *settled |= axes;
        if self.is_mixed(clause, unit) {
            return Outcome::Unsure;
        }
        outcome
    }

    /// The unit that shares most with the clause, among those with a common axis.
    fn best_on_axis(&self, clause: &Clause) -> Option<(UnitSeen<'_>, Poles)> {
        let claimed = clause.poles.decided();
        if claimed == 0 {
            return None;
        }
        let mut best: Option<(UnitSeen<'_>, Poles)> = None;
        let mut most = (0, 0);
        for (number, stems) in self.held.units() {
            // Of two that share as much, the one with the claim's own word of the pair.
            let held = (clause.held(stems), stems.len());
            if held.0 == 0 || held <= most {
                continue;
            }
            let unit = self.unit(number);
            let poles = unit.poles();
            if poles.decided() & claimed != 0 {
                best = Some((unit, poles));
                most = held;
            }
        }
        best
    }

    /// Whether another unit that shares as much with the clause agrees on an axis.
    fn is_disputed(&self, clause: &Clause, opposed: &UnitSeen<'_>) -> bool {
        let most = clause.held(self.held.of_unit(opposed.number));
        self.held.units().any(|(number, stems)| {
            number != opposed.number
                && clause.held(stems) >= most
                && self.stance(clause, &self.unit(number)) == Some(Comparison::Agrees)
        })
    }

    /// The result for a clause on an axis shared with a unit, if there is one.
    fn stance(&self, clause: &Clause, unit: &UnitSeen<'_>) -> Option<Comparison> {
        let poles = unit.poles();
        let shared = poles.decided() & clause.poles.decided();
        let different = (poles.first ^ clause.poles.first) & shared;
        let comparison = self.compare(clause, unit, shared, unit.is_prose());
        let turned = different.count_ones() % 2 == 1;
        (shared != 0).then_some(match comparison {
            Comparison::Unsure => Comparison::Unsure,
            Comparison::Opposed if turned => Comparison::Agrees,
            Comparison::Agrees if turned => Comparison::Opposed,
            comparison => comparison,
        })
    }

    /// Judge P1.
    fn on_axis(
        &self,
        clause: &Clause,
        unit: &UnitSeen<'_>,
        poles: Poles,
        complete: bool,
    ) -> Outcome {
        let shared = poles.decided() & clause.poles.decided();
        let different = (poles.first ^ clause.poles.first) & shared;
        let prose = unit.is_prose();
        let comparison = self.compare(clause, unit, shared, prose);
        if comparison == Comparison::Unsure {
            return Outcome::Unsure;
        }
        let odd = different.count_ones() % 2 == 1;
        if (comparison == Comparison::Opposed) == odd {
            return Outcome::Agrees(unit.number, shared);
        }
        let whole = clause.weighing.len();
        let enough = if prose {
            let held = clause.held(self.held.of_unit(unit.number));
            reaches(held, whole, self.thresholds.axis_prose)
        } else {
            reaches(self.held_anywhere(clause), whole, self.thresholds.axis_code)
        };
        let clear = enough
            && self.may_accuse(clause, unit, complete)
            && (odd || self.has_tail(clause, unit, prose))
            && !self.is_elsewhere(unit)
            && !self.is_disputed(clause, unit);
        if clear {
            Outcome::Opposed(unit.number, different)
        } else {
            Outcome::Unsure
        }
    }

    /// Judge P2.
    fn by_negation(&self, clause: &Clause, complete: bool) -> Outcome {
        if self.text.index().units.is_empty() {
            return Outcome::Agrees(0, 0);
        }
        let mut best = (0, 0);
        for (number, stems) in self.held.units() {
            let held = clause.held(stems);
            if held > best.1 {
                best = (number, held);
            }
        }
        let (number, held) = best;
        let unit = self.unit(number);
        let prose = unit.is_prose();
        match self.compare(clause, &unit, 0, prose) {
            Comparison::Agrees => Outcome::Agrees(number, 0),
            Comparison::Unsure => Outcome::Unsure,
            Comparison::Opposed => {
                let clear = prose
                    && held > 0
                    && reaches(held, clause.weighing.len(), self.thresholds.polarity)
                    && self.may_accuse(clause, &unit, complete)
                    && !self.is_elsewhere(&unit)
                    && self.has_tail(clause, &unit, prose);
                if clear {
                    Outcome::Opposed(number, 0)
                } else {
                    Outcome::Unsure
                }
            }
        }
    }

    /// Whether a unit is about another case than the claim: `once enabled`, the `lower` limit for
    /// the upper one, what `some believe`.
    fn is_elsewhere(&self, unit: &UnitSeen<'_>) -> bool {
        let all = || 0..unit.count();
        let is_case = |word: usize| {
            (unit.is_on(word, List::Elsewhere) || unit.is_on(word, List::Opinion))
                && unit.entry(word).is_none_or(|entry| !self.claim.has(entry))
        };
        let is_turned = |entry: &WordEntry| {
            let has = |wanted: &str| all().any(|word| unit.is_word(word, wanted));
            let same = |word: usize| unit.entry(word).is_some_and(|own| std::ptr::eq(own, entry));
            entry.pole.is_none()
                && !entry.is(List::Negation)
                && entry.opposites.iter().any(|opposite| has(opposite))
                && !all().any(same)
        };
        let mut own = self.claim.words.iter().filter(|word| word.free);
        all().any(is_case) || own.any(|word| word.entry.is_some_and(is_turned))
    }

    /// Judge P9: whether another sentence about the same words disagrees.
    fn is_mixed(&self, clause: &Clause, agreeing: usize) -> bool {
        let whole = clause.weighing.len();
        whole > 0
            && self.held.units().any(|(number, stems)| {
                let held = clause.held(stems);
                if number == agreeing || !reaches(held, whole, self.thresholds.polarity) {
                    return false;
                }
                let unit = self.unit(number);
                let stance = || match self.stance(clause, &unit) {
                    Some(stance) => stance,
                    None => self.compare(clause, &unit, 0, true),
                };
                unit.is_prose() && stance() != Comparison::Agrees
            })
    }

    /// Judge D10, D11: a negated clause with a missing figure is only unsure; so is a unit
    /// that is too long.
    fn may_accuse(&self, clause: &Clause, unit: &UnitSeen<'_>, complete: bool) -> bool {
        unit.count() <= self.thresholds.unit_words && (complete || clause.negations.is_empty())
    }

    fn held_anywhere(&self, clause: &Clause) -> usize {
        let mut seen = vec![false; self.claim.stems.len()];
        for (_, stems) in self.held.units() {
            for stem in stems.iter().filter(|stem| clause.weighs(**stem)) {
                if let Some(seen) = seen.get_mut(*stem as usize) {
                    *seen = true;
                }
            }
        }
        seen.into_iter().filter(|one| *one).count()
    }
}
