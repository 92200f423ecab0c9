//! The figures of the claim in the text (judge D3, D4).

use crosscheck_language::quantity::{Origin, Quantity, origin_of};

use super::conflict::{Conflict, is_operand};
use super::spared::{Figure, is_scaled, is_spared};
use super::unit::UnitSeen;
use super::{Case, reaches};
use crate::builtin::prepared::Mark;

/// The parent of a line is searched for at most this many lines up.
const PARENT_LINES: usize = 64;

/// Which figures of the claim are in the text.
#[derive(Default)]
pub(super) struct FiguresSeen {
    pub(super) matched: usize,
    /// The missing ones by number, and whether they occur anywhere in the text.
    pub(super) missing: Vec<(usize, bool)>,
    pub(super) conflict: Option<Conflict>,
    /// Two figures that seem to be swapped.
    pub(super) swapped: bool,
}

/// One figure of the claim.
pub(super) struct Wanted<'q> {
    pub(super) number: usize,
    pub(super) quantity: &'q Quantity,
    /// The units with a matching figure, in order.
    pub(super) units: Vec<u32>,
    /// The stems of the claim nearest to it.
    pub(super) context: Vec<u32>,
    /// The stem of what it counts.
    counted: Option<u32>,
}

impl Case<'_> {
    pub(super) fn figures(&self) -> FiguresSeen {
        let mut seen = FiguresSeen::default();
        if self.claim.quantities.is_empty() {
            return seen;
        }
        let wanted: Vec<Wanted<'_>> = (0..self.claim.quantities.len())
            .filter_map(|number| self.wanted(number))
            .collect();
        let there: Vec<bool> = wanted.iter().map(|one| self.is_there(one)).collect();
        for (at, one) in wanted.iter().enumerate() {
            if there.get(at) == Some(&true) || is_beside(&wanted, &there, at) {
                seen.matched += 1;
                continue;
            }
            let anywhere = !one.units.is_empty();
            seen.missing.push((one.number, anywhere));
            if !anywhere && seen.conflict.is_none() {
                seen.conflict = self.conflict(one);
            }
        }
        seen.swapped = seen.conflict.is_none() && self.is_swapped(&wanted);
        seen
    }

    /// Searches for a figure.
    fn wanted(&self, number: usize) -> Option<Wanted<'_>> {
        let quantity = self.claim.quantities.get(number)?;
        let mut units = self.text.figures().units_with(quantity);
        let index = self.text.index();
        let speaks = |unit: &u32| {
            let unit = index.units.get(*unit as usize);
            unit.is_some_and(|unit| self.claim.question || !unit.question)
        };
        units.retain(speaks);
        let counted = match quantity.count_noun() {
            Some(noun) => {
                let mut stems = (0u32..).zip(&self.claim.stems);
                let found = stems.find(|(_, stem)| &*stem.text == noun);
                found.map(|(stem, _)| stem)
            }
            None => self.unit_stems(quantity).next(),
        };
        Some(Wanted {
            number,
            quantity,
            units,
            context: self.context(number, counted),
            counted,
        })
    }

    /// The stems of the words of a unit that count as words of the claim.
    pub(super) fn unit_stems(&self, quantity: &Quantity) -> impl Iterator<Item = u32> {
        let place = quantity.unit_words.as_ref();
        let place = place.filter(|_| quantity.kind.is_soft());
        let is_inside = move |at: usize| place.is_some_and(|place| place.contains(&at));
        let words = self.claim.words.iter();
        let inside = words.filter(move |word| is_inside(word.range.start));
        inside.filter_map(|word| word.stem)
    }

    /// The distinct stems nearest to a figure of the claim.
    fn context(&self, number: usize, counted: Option<u32>) -> Vec<u32> {
        let here = self.claim.columns.get(number).copied().unwrap_or(0);
        let mut near: Vec<(usize, u32)> = self
            .claim
            .places
            .iter()
            .filter(|place| Some(place.stem) != counted)
            .map(|place| (place.column.abs_diff(here), place.stem))
            .collect();
        near.sort_by_key(|(distance, _)| *distance);
        let mut context = Vec::new();
        for (_, stem) in near {
            if context.len() == self.thresholds.context_stems {
                break;
            }
            if !context.contains(&stem) {
                context.push(stem);
            }
        }
        context
    }

    /// Judge D3, D4: whether the figure is in the text about the same words.
    fn is_there(&self, wanted: &Wanted<'_>) -> bool {
        if wanted.units.is_empty() || wanted.context.is_empty() {
            return !wanted.units.is_empty();
        }
        let good = wanted.units.iter().map(|unit| *unit as usize);
        let good = good.filter(|unit| self.is_about(wanted, *unit));
        let good = good.filter(|unit| !self.is_calculated(wanted, *unit));
        let most = good
            .map(|unit| self.shared_with_parents(wanted, unit))
            .max();
        most.is_some_and(|most| !self.has_rival(wanted, most))
    }

    /// Whether a unit and its neighbours are about the words near the claim's
    /// figure.
    fn is_about(&self, wanted: &Wanted<'_>, unit: usize) -> bool {
        let reach = if self.prose() {
            self.thresholds.neighbours_prose
        } else {
            self.thresholds.neighbours_code
        };
        let around = unit.saturating_sub(reach)..=unit + reach;
        let is_near = |stem: &&u32| {
            self.held.header.binary_search(stem).is_ok()
                || around.clone().any(|unit| self.holds(unit, **stem))
        };
        let near = wanted.context.iter().filter(is_near).count();
        reaches(near, wanted.context.len(), self.thresholds.context)
            || self.counts_the_same(wanted, unit)
    }

    /// Judge D4: a sentence or a line with another such figure that shares more with the claim.
    fn has_rival(&self, wanted: &Wanted<'_>, most: usize) -> bool {
        self.held.units().any(|(unit, stems)| {
            let own = stems
                .iter()
                .filter(|stem| (**stem as usize) < self.claim.plain)
                .count();
            self.shared_with_parents(wanted, unit) > most
                && (reaches(own, self.claim.plain, self.thresholds.rival) || !self.prose())
                && !is_in(&wanted.units, unit)
                && self.strays(wanted, unit, !self.prose()).any(|mark| {
                    let seen = self.unit(unit);
                    self.figure(&seen, &mark).is_none_or(|found| {
                        !is_operand(&found) && !self.spares(&self.claimed(wanted), &found)
                    })
                })
        })
    }

    /// In code: whether the unit has the word that the figure counts.
    pub(super) fn counts_the_same(&self, wanted: &Wanted<'_>, unit: usize) -> bool {
        let counted = wanted.counted.filter(|_| !self.prose());
        counted.is_some_and(|stem| self.holds(unit, stem))
    }

    /// How many stems of the context a unit has.
    pub(super) fn shared(&self, wanted: &Wanted<'_>, unit: usize) -> usize {
        let context = wanted.context.iter();
        context.filter(|stem| self.holds(unit, **stem)).count()
    }

    /// The same, in data with the stems of the lines that a line belongs to: `server:` above `port: 80`.
    fn shared_with_parents(&self, wanted: &Wanted<'_>, unit: usize) -> usize {
        if self.prose() {
            return self.shared(wanted, unit);
        }
        let lines: Vec<usize> = self.parents(unit).into_iter().chain([unit]).collect();
        let has = |stem: &&u32| lines.iter().any(|line| self.holds(*line, **stem));
        wanted.context.iter().filter(has).count()
    }

    /// The less indented lines above a line, and its `[section]`.
    fn parents(&self, unit: usize) -> Vec<usize> {
        let indent = |unit: usize| {
            let unit = self.text.index().units.get(unit)?;
            let start = self.text.source_range(unit.range()).start;
            let head = self.text.source().get(..start)?;
            Some(head.len() - head.trim_end_matches([' ', '\t']).len())
        };
        let mut least = indent(unit).unwrap_or(0);
        let mut found = Vec::new();
        for above in (unit.saturating_sub(PARENT_LINES)..unit).rev() {
            let its = indent(above).unwrap_or(0);
            if its < least {
                found.push(above);
                least = its;
            } else if least == 0 && self.unit(above).source().starts_with('[') {
                found.push(above);
                break;
            }
        }
        found
    }

    pub(super) fn holds(&self, unit: usize, stem: u32) -> bool {
        self.held.of_unit(unit).binary_search(&stem).is_ok()
    }

    /// Whether the claim's figure matches only a part of a calculation: `4 * 1024` is not 4 KB.
    fn is_calculated(&self, wanted: &Wanted<'_>, unit: usize) -> bool {
        let seen = self.unit(unit);
        let marks = self.text.figures().marks(unit).iter();
        let mut own = marks
            .filter_map(|mark| self.figure(&seen, mark))
            .filter(|found| wanted.quantity.means(found.kind))
            .peekable();
        !self.prose()
            && wanted.quantity.kind.has_dimension()
            && own.peek().is_some()
            && own.all(|found| is_operand(&found))
    }

    /// The comparable figures of a unit that match no figure of the claim.
    pub(super) fn strays<'s>(
        &'s self,
        wanted: &'s Wanted<'_>,
        unit: usize,
        code: bool,
    ) -> impl Iterator<Item = Mark> + 's {
        let figures = self.text.figures();
        let marks = figures.marks(unit).iter().copied();
        marks.filter(move |mark| {
            figures.value(mark).is_some_and(|value| {
                wanted.quantity.kind.is_comparable(value, code)
                    && !self.claim.quantities.iter().any(|own| own.means(value))
            })
        })
    }

    /// Whether two figures can both be true; a table may be `in millions`.
    pub(super) fn spares(&self, claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
        let scales = ["thousand", "million", "billion"];
        is_spared(claimed, found)
            || is_scaled(claimed, found) && scales.iter().any(|scale| self.text.has_stem(scale))
    }

    pub(super) fn claimed<'f>(&'f self, wanted: &'f Wanted<'_>) -> Figure<'f> {
        Figure {
            text: self.claim.text,
            range: wanted.quantity.range.clone(),
            kind: &wanted.quantity.kind,
        }
    }

    pub(super) fn figure<'f>(&'f self, unit: &'f UnitSeen<'_>, mark: &Mark) -> Option<Figure<'f>> {
        Some(Figure {
            text: unit.source(),
            range: mark.range(),
            kind: self.text.figures().value(mark)?,
        })
    }
}

/// Whether the same amount in another unit is there: `26 miles (42 km)`.
fn is_beside(wanted: &[Wanted<'_>], there: &[bool], at: usize) -> bool {
    let Some(own) = wanted.get(at) else {
        return false;
    };
    let mut beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    beside.any(|other| {
        let is_one = |one: &Wanted<'_>| {
            let near = [&one.quantity.kind];
            origin_of(own.quantity, &near) == Some(Origin::Converted)
        };
        there.get(other) == Some(&true) && wanted.get(other).is_some_and(is_one)
    })
}

fn is_in(units: &[u32], unit: usize) -> bool {
    u32::try_from(unit).is_ok_and(|unit| units.binary_search(&unit).is_ok())
}
