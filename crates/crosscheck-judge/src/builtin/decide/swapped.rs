//! D5: two figures that have changed places.

use super::super::claim::Ruler;
use super::super::phrase::Phrase as _;
use super::super::quantity::Kind;
use super::Case;
use super::figures::Wanted;
use super::unit::UnitSeen;

/// So many figures of a claim are looked at in pairs.
const FIGURES_MAX: usize = 64;
/// So many units of each figure, those that share most with the claim.
const UNITS_MAX: usize = 64;

impl Case<'_> {
    /// Whether two figures of the claim are in one sentence, the other way round.
    pub(super) fn is_swapped(&self, wanted: &[Wanted<'_>]) -> bool {
        let some: Vec<(&Wanted<'_>, Vec<u32>)> = wanted
            .iter()
            .take(FIGURES_MAX)
            .map(|one| (one, self.best_units(&one.units)))
            .collect();
        some.iter().enumerate().any(|(at, first)| {
            let later = some.iter().skip(at + 1);
            later
                .filter(|second| can_swap(first.0, second.0))
                .any(|second| self.are_swapped(first, second))
        })
    }

    /// The units that share most with the claim, in their order.
    fn best_units(&self, units: &[u32]) -> Vec<u32> {
        let mut best = units.to_vec();
        best.sort_by_key(|unit| std::cmp::Reverse(self.held.of_unit(*unit as usize).len()));
        best.truncate(UNITS_MAX);
        best
    }

    fn are_swapped(
        &self,
        first: &(&Wanted<'_>, Vec<u32>),
        second: &(&Wanted<'_>, Vec<u32>),
    ) -> bool {
        let both = first.1.iter().find(|unit| second.1.contains(unit));
        let Some(unit) = both.map(|unit| *unit as usize) else {
            return false;
        };
        let places = self
            .place_of(unit, first.0)
            .zip(self.place_of(unit, second.0));
        places.is_some_and(|(a, b)| {
            b < a && self.votes(&self.unit(unit), [first.0, second.0], [a, b]) < 0
        })
    }

    /// Where the only figure of a unit is that matches.
    fn place_of(&self, unit: usize, wanted: &Wanted<'_>) -> Option<usize> {
        let figures = self.text.figures();
        let mut marks = figures.marks(unit).iter().filter(|mark| {
            let value = figures.value(mark);
            value.is_some_and(|value| wanted.quantity.kind.matches(value))
        });
        let place = marks.next().map(|mark| mark.range().start);
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
    /// Its places, if it is once in each.
    fn both(&self) -> Option<(usize, usize)> {
        match (self.claim.as_slice(), self.unit.as_slice()) {
            ([claim], [unit]) => Some((*claim, *unit)),
            _ => None,
        }
    }
}

/// Whether two figures of a claim can be confused: same kind and unit, other value.
fn can_swap(a: &Wanted<'_>, b: &Wanted<'_>) -> bool {
    let (a, b) = (&a.quantity.kind, &b.quantity.kind);
    let same_unit = match (a, b) {
        (Kind::Number { unit, .. }, Kind::Number { unit: other, .. }) => unit == other,
        _ => true,
    };
    same_unit && a.is_comparable(b, false) && !a.matches(b)
}
