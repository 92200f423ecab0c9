//! Two swapped figures (judge D5).

use std::ops::Range;

use super::Case;
use super::figures::Wanted;
use super::unit::UnitSeen;
use crate::builtin::claim::Ruler;
use crate::builtin::prepared::Mark;
use crosscheck_core::rules::Rule;
use crosscheck_language::phrase::Phrase as _;
use crosscheck_language::quantity::{QuantityKind, Unit};
use crosscheck_language::text::is_letter;

/// At most this many figures of a claim are compared in pairs.
const FIGURES_MAX: usize = 64;
/// At most this many units of each figure, those that share most with the
/// claim.
const UNITS_MAX: usize = 64;

const SWAPPED: Rule = Rule::new(
    "judge.swapped",
    "figures that change places leave the claim open",
);

impl Case<'_> {
    /// Whether two figures of the claim are in one sentence in the other order or with other
    /// partners.
    pub(super) fn is_swapped(&self, wanted: &[Wanted<'_>]) -> bool {
        if !SWAPPED.is_on() {
            return false;
        }
        let some: Vec<(&Wanted<'_>, Vec<u32>)> = wanted
            .iter()
            .take(FIGURES_MAX)
            .map(|one| (one, self.best_units(&one.units)))
            .collect();
        self.has_other_result(wanted)
            || some.iter().enumerate().any(|(at, first)| {
                let later = some.iter().skip(at + 1);
                later
                    .into_iter()
                    .any(|second| can_swap(first.0, second.0) && self.are_swapped(first, second))
            })
    }

    /// Whether a sentence has another result than the claim: `4-2` / `2-2`.
    fn has_other_result(&self, wanted: &[Wanted<'_>]) -> bool {
        let figures = self.text.figures();
        wanted.windows(2).any(|two| {
            let [a, b] = two else { return false };
            let (first, second) = (&a.quantity.range, &b.quantity.range);
            if !is_result(self.claim.text, first, second) {
                return false;
            }
            let units = a
                .units
                .iter()
                .filter(|unit| b.units.binary_search(unit).is_ok());
            let units: Vec<usize> = units.map(|unit| *unit as usize).collect();
            let mut results = Vec::new();
            for unit in units {
                let seen = self.unit(unit);
                let pairs = figures.marks(unit).windows(2).filter(|pair| {
                    matches!(pair, [x, y] if is_result(seen.source(), &x.range(), &y.range()))
                });
                let is_same = |one: &Wanted<'_>, mark: &Mark| {
                    figures
                        .value(mark)
                        .is_some_and(|kind| one.quantity.means(kind))
                };
                results.extend(
                    pairs.map(|pair| matches!(pair, [x, y] if is_same(a, x) && is_same(b, y))),
                );
            }
            !results.is_empty() && !results.contains(&true)
        })
    }

    /// The units that share most with the claim, in their order.
    fn best_units(&self, units: &[u32]) -> Vec<u32> {
        let mut best = units.to_vec();
        best.sort_by_key(|unit| std::cmp::Reverse(self.held.of_unit(*unit as usize).len()));
        best.truncate(UNITS_MAX);
        best
    }

    /// The first unit that has both figures, and where they are in it.
    fn places(
        &self,
        first: &(&Wanted<'_>, Vec<u32>),
        second: &(&Wanted<'_>, Vec<u32>),
    ) -> Option<(usize, Range<usize>, Range<usize>)> {
        let unit = *first.1.iter().find(|unit| second.1.contains(unit))? as usize;
        let place = |one: &Wanted<'_>| self.place_of(unit, one);
        Some((unit, place(first.0)?, place(second.0)?))
    }

    fn are_swapped(
        &self,
        first: &(&Wanted<'_>, Vec<u32>),
        second: &(&Wanted<'_>, Vec<u32>),
    ) -> bool {
        self.places(first, second).is_some_and(|(unit, a, b)| {
            let seen = self.unit(unit);
            let votes = || self.votes(&seen, [first.0, second.0], [a.start, b.start]);
            b.start < a.start
                && (self.prose() && votes() < 0
                    || is_pair(seen.source(), &b, &a)
                        && is_pair(
                            self.claim.text,
                            &first.0.quantity.range,
                            &second.0.quantity.range,
                        ))
        })
    }

    /// The position of the only matching figure of a unit.
    fn place_of(&self, unit: usize, wanted: &Wanted<'_>) -> Option<Range<usize>> {
        let figures = self.text.figures();
        let mut marks = figures.marks(unit).iter().filter(|mark| {
            let value = figures.value(mark);
            value.is_some_and(|value| wanted.quantity.means(value))
        });
        let place = marks.next().map(Mark::range);
        place.filter(|_| marks.next().is_none())
    }

    /// Words that are nearer to the same figure in both, minus those that are not.
    fn votes(&self, unit: &UnitSeen<'_>, wanted: [&Wanted<'_>; 2], found: [usize; 2]) -> i32 {
        let claimed = wanted.map(|one| self.claim.columns.get(one.number).copied().unwrap_or(0));
        let mut columns: Vec<usize> = Vec::new();
        for place in found {
            columns.push(Ruler::of(unit.source()).column(place));
        }
        let mut seen: Vec<Once> = vec![Once::default(); self.claim.stems.len()];
        for place in &self.claim.places {
            if let Some(once) = seen.get_mut(place.stem as usize) {
                once.claim.push(place.column);
            }
        }
        let mut ruler = Ruler::of(unit.source());
        for word in 0..unit.count() {
            if let Some(once) = unit.stem(word).and_then(|stem| seen.get_mut(stem as usize)) {
                once.unit.push(ruler.column(unit.range(word).start));
            }
        }
        let side = |at: usize, figures: &[usize]| match figures {
            [a, b] => {
                i32::try_from(at.abs_diff(*a)).unwrap_or(i32::MAX)
                    - i32::try_from(at.abs_diff(*b)).unwrap_or(i32::MAX)
            }
            _ => 0,
        };
        let vote = |once: &Once| {
            let (in_claim, in_unit) = once.both()?;
            Some(side(in_claim, &claimed).signum() * side(in_unit, &columns).signum())
        };
        seen.iter().filter_map(vote).sum()
    }
}

/// Places of a stem in the claim and in the unit.
#[derive(Clone, Default)]
struct Once {
    claim: Vec<usize>,
    unit: Vec<usize>,
}

impl Once {
    /// Its positions, if it occurs once in each.
    fn both(&self) -> Option<(usize, usize)> {
        match (self.claim.as_slice(), self.unit.as_slice()) {
            ([claim], [unit]) => Some((*claim, *unit)),
            _ => None,
        }
    }
}

/// Whether only marks are between two figures, or `to` and what they count: `3-1`, `2:0`, `57 votes
/// to 43`.
fn is_pair(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    let between = text.get(first.end..second.start).unwrap_or_default();
    let mut words = between.split_whitespace();
    let to = words.next_back() == Some("to") && words.count() <= 1;
    to || (1..=3).contains(&between.len()) && !between.contains(is_letter)
}

/// Whether two figures are a result: `3-1`.
fn is_result(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    let short = |range: &Range<usize>| range.len() <= 3;
    text.get(first.end..second.start) == Some("-") && short(first) && short(second)
}

/// Whether two figures of a claim can be confused: same kind and unit, different
/// value.
fn can_swap(a: &Wanted<'_>, b: &Wanted<'_>) -> bool {
    let (a, b) = (&a.quantity.kind, &b.quantity.kind);
    // `57 votes to 43`
    let counts = |unit: &Unit| matches!(unit, Unit::None | Unit::Count(_));
    let comparable = match (a, b) {
        (QuantityKind::Number { unit, .. }, QuantityKind::Number { unit: other, .. }) => {
            unit == other
                || counts(unit) && counts(other) && (*unit == Unit::None) != (*other == Unit::None)
        }
        _ => a.is_comparable(b, false),
    };
    comparable && !a.matches(b)
}
