//! The quantities of a text: each distinct one once, with the units that
//! contain it, and the positions of the first ones of a unit.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::super::lexicon::{Entry, LEXICON};
use super::super::quantity::{Kind, begins_quantity, each_quantity, parts, scan, spoken};
use super::super::text::Beginnings;
use super::Text;

/// The beginnings of the words that a quantity can begin with, or that stand for one.
static NUMBER_WORDS: LazyLock<Beginnings> = LazyLock::new(|| {
    let is_one = |entry: &Entry| begins_quantity(Some(entry)) || !entry.spoken.is_empty();
    Beginnings::of_words(LEXICON.words_that(is_one))
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
        let mut reader = Reader::default();
        for (number, unit) in (0u32..).zip(&index.units) {
            let piece = text.unit(unit);
            reader.begin(number);
            let words = if NUMBER_WORDS.may_be_in(piece) {
                text.words(number as usize)
            } else {
                None
            };
            let words = || words.iter().flat_map(|words| &words.all);
            let begins = words().filter(|word| begins_quantity(word.entry));
            let places = begins.map(|word| word.range().start);
            each_quantity(piece, !index.prose, places, &mut |quantity| {
                let start = unit.range().start;
                let place = quantity.range.clone();
                let parts = parts(piece, &quantity);
                let cells =
                    !parts.is_empty() && text.has_tab(start + place.start..start + place.end);
                if !cells {
                    reader.put(quantity.kind, Some(place));
                }
                for other in quantity.others {
                    reader.put(other, None);
                }
                for part in parts {
                    let written = piece.get(part.clone()).unwrap_or_default();
                    for one in scan(written, false) {
                        if cells {
                            reader.put(one.kind, Some(part.clone()));
                        } else {
                            reader.know(one.kind);
                        }
                    }
                }
            });
            for word in words() {
                let entry = word.entry.filter(|entry| !entry.spoken.is_empty());
                let values = entry.map(|entry| spoken(piece, &word.range(), entry));
                for value in values.into_iter().flatten() {
                    reader.put(value, None);
                }
            }
            reader.end();
        }
        reader.figures
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

/// Collects the quantities of one unit after the other.
#[derive(Default)]
struct Reader {
    figures: Figures,
    known: HashMap<Kind, u32, RandomState>,
    unit: u32,
    /// Where the marks of the unit begin.
    from: usize,
}

impl Reader {
    fn begin(&mut self, unit: u32) {
        self.unit = unit;
        self.from = self.figures.marks.len();
    }

    fn end(&mut self) {
        if self.figures.marks.len() > self.from {
            self.figures.holders.push((self.unit, small(self.from)));
        }
    }

    /// The number of a value. A value that is in no unit is not missing, and confirms nothing.
    fn know(&mut self, kind: Kind) -> u32 {
        let figures = &mut self.figures;
        let next = small(figures.values.len());
        *self.known.entry(kind).or_insert_with_key(|kind| {
            figures.values.push(kind.clone());
            figures.units.push(Vec::new());
            next
        })
    }

    /// Adds a quantity; one without a place confirms, but cannot contradict.
    fn put(&mut self, kind: Kind, place: Option<Range<usize>>) {
        let value = self.know(kind);
        let figures = &mut self.figures;
        if let Some(units) = figures.units.get_mut(value as usize)
            && units.last() != Some(&self.unit)
        {
            units.push(self.unit);
        }
        // One more is kept as a sign that there are more.
        if let Some(place) = place
            && figures.marks.len() - self.from <= MARKS_MAX
        {
            figures.marks.push(Mark {
                value,
                start: small(place.start),
                end: small(place.end),
            });
        }
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
    fn a_text_has_figures_in_other_forms() {
        for (claim, text, expected) in [
            ("12-month", "A one-year study of cats ran here.", true),
            ("1/3", "A third of the homes here use gas.", true),
            ("33%", "One-third of the homes here use gas.", true),
            ("50%", "Half of the homes here use gas.", true),
            ("50%", "A third of the homes here use gas.", false),
            ("33%", "The third of the homes here uses gas.", false),
            ("1 dog", "There is only one dog in the yard.", true),
            ("£1m", "It was sold for one million pounds.", true),
            ("12 eggs", "There are a dozen eggs in the box.", true),
            ("24 eggs", "There are a dozen eggs in the box.", false),
            ("World War 2", "The end of World War II came late.", true),
            ("3 per 1,000", "The rate was 3 per thousand here.", true),
            (
                "1,000,000 people",
                "More than a million people live here.",
                true,
            ),
            ("41,000", "Here in the city grow 41 000 trees.", true),
            ("41", "Here in the city grow 41 000 trees.", true),
            (
                "12,300",
                "Boats and carts are there: 12\t300 in all.",
                false,
            ),
            ("300", "Boats and carts are there: 12\t300 in all.", true),
            ("more than 40", "There are 43 countries in the union.", true),
            ("40", "There are 43 countries in the union.", false),
            (
                "$2.9 billion",
                "It made $2.923 billion in all the world.",
                true,
            ),
            ("16 GW", "They added 16.2 GW of it in the year.", true),
            ("17 GW", "They added 16.2 GW of it in the year.", false),
            ("15-17 GW", "They added 16.2 GW of it in the year.", true),
            ("17-19 GW", "They added 16.2 GW of it in the year.", false),
            (
                "10 %",
                "Es waren zehn Prozent mehr als im Jahr davor.",
                true,
            ),
        ] {
            let text = Text::new(text);
            let figures = crate::builtin::quantities(claim);
            let has = figures.iter().all(|figure| text.has(figure));
            assert_eq!(has, expected, "{claim} / {}", text.source());
        }
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
