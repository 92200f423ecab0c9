//! The quantities of a text: each distinct one once, with the units that
//! contain it, and the positions of the first ones of a unit.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::super::lexicon::LEXICON;
use super::super::quantity::{Kind, begins_quantity, each_quantity};
use super::super::text::Beginnings;
use super::Text;

/// The beginnings of the words that a quantity can begin with.
static NUMBER_WORDS: LazyLock<Beginnings> = LazyLock::new(|| {
    Beginnings::of_words(LEXICON.words_that(|entry| begins_quantity(Some(entry))))
});

/// The positions of at most this many quantities of a unit are kept. A sentence
/// with more is a table or worse; it confirms figures, but cannot contradict
/// any.
pub(in crate::builtin) const MARKS_MAX: usize = 256;

#[derive(Debug, Default)]
pub(in crate::builtin) struct Figures {
    /// The distinct quantities.
    pub(in crate::builtin) values: Vec<Kind>,
    /// For each of them its units, in order.
    units: Vec<Vec<u32>>,
    /// The kept positions, in the order of the text.
    marks: Vec<Mark>,
    /// The units with any quantity: number, and where its marks begin.
    holders: Vec<(u32, u32)>,
}

/// A quantity at its position in a unit.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Mark {
    pub(in crate::builtin) value: u32,
    start: u32,
    end: u32,
}

impl Mark {
    pub(in crate::builtin) const fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Figures {
    pub(super) fn of(text: &Text<'_>) -> Self {
        let index = text.index();
        let mut figures = Self::default();
        let mut known: HashMap<Kind, u32, RandomState> = HashMap::default();
        for (number, unit) in (0u32..).zip(&index.units) {
            let piece = text.unit(unit);
            let from = figures.marks.len();
            let words = if NUMBER_WORDS.may_be_in(piece) {
                text.words(number as usize)
            } else {
                None
            };
            let words = words.iter().flat_map(|words| &words.all);
            let words = words.filter(|word| begins_quantity(word.entry));
            let places = words.map(|word| word.range().start);
            each_quantity(piece, !index.prose, places, &mut |quantity| {
                let next = small(figures.values.len());
                let value = *known.entry(quantity.kind).or_insert_with_key(|kind| {
                    figures.values.push(kind.clone());
                    figures.units.push(Vec::new());
                    next
                });
                figures.put(value, number, from, &quantity.range);
            });
            if figures.marks.len() > from {
                figures.holders.push((number, small(from)));
            }
        }
        figures
    }

    fn put(&mut self, value: u32, unit: u32, from: usize, range: &Range<usize>) {
        if let Some(units) = self.units.get_mut(value as usize)
            && units.last() != Some(&unit)
        {
            units.push(unit);
        }
        // One more is kept as a sign that there are more.
        if self.marks.len() - from <= MARKS_MAX {
            self.marks.push(Mark {
                value,
                start: small(range.start),
                end: small(range.end),
            });
        }
    }

    /// The units that contain a value.
    pub(in crate::builtin) fn units_of(&self, value: usize) -> &[u32] {
        self.units.get(value).map_or(&[], Vec::as_slice)
    }

    /// The marks of a unit; none if there are too many.
    pub(in crate::builtin) fn marks(&self, unit: usize) -> &[Mark] {
        let Ok(at) = self
            .holders
            .binary_search_by_key(&unit, |(unit, _)| *unit as usize)
        else {
            return &[];
        };
        let start = |at: usize| self.holders.get(at).map(|(_, start)| *start as usize);
        let range = start(at).unwrap_or(0)..start(at + 1).unwrap_or(self.marks.len());
        few(self.marks.get(range).unwrap_or_default())
    }

    /// The quantity of a mark.
    pub(in crate::builtin) fn value(&self, mark: &Mark) -> Option<&Kind> {
        self.values.get(mark.value as usize)
    }
}

const fn few(marks: &[Mark]) -> &[Mark] {
    if marks.len() > MARKS_MAX { &[] } else { marks }
}

fn small(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Text;
    use super::*;

    #[test]
    fn a_value_is_kept_once_with_its_units() {
        let text =
            Text::new("It has 5 doors and 5 doors here. It has 7 now. Again 5 doors are in it.");
        let figures = text.figures();
        assert_eq!(figures.values.len(), 2);
        assert_eq!(figures.units_of(0), [0, 2]);
        let counts: Vec<usize> = (0..4).map(|unit| figures.marks(unit).len()).collect();
        assert_eq!(counts, [2, 1, 1, 0]);
    }

    #[test]
    fn a_line_of_endless_numbers_is_counted_and_not_kept() {
        let text = Text::new("1 2 ".repeat(10_000));
        let figures = text.figures();
        assert_eq!(
            (figures.values.len(), figures.marks.len()),
            (2, MARKS_MAX + 1)
        );
        assert!(figures.marks(0).is_empty());
        assert_eq!(figures.units_of(1), [0]);
    }
}
