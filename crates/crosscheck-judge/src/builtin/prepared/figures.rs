//! The quantities of a text, read unit by unit when they are first needed: each distinct one of a
//! unit once, and the positions of the first ones.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::Text;
use super::index::small;
use crosscheck_language::lexicon::{LEXICON, WordEntry};
use crosscheck_language::quantity::{
    Digits, Hedge, Origin, Quantity, QuantityKind, Role, Unit, begins_quantity, each_quantity,
    origin_of, spoken,
};
use crosscheck_language::text::Beginnings;

/// The beginnings of the words that a quantity can begin with, or that stand for one.
static NUMBER_WORDS: LazyLock<Beginnings> =
    LazyLock::new(|| Beginnings::of_words(LEXICON.words_that(is_number_word)));

fn is_number_word(entry: &WordEntry) -> bool {
    begins_quantity(Some(entry)) || !entry.spoken.is_empty()
}

fn may_have_number_words(piece: &str) -> bool {
    let mut is_one = |word: &str| LEXICON.word(word).is_some_and(is_number_word);
    NUMBER_WORDS.look(piece, &mut is_one) != Some(false)
}

/// The positions of at most this many quantities of a unit are kept. A sentence
/// with more is a table or worse; it confirms figures, but cannot contradict
/// any.
pub(in crate::builtin) const MARKS_MAX: usize = 256;

/// A figure can come from those of this many units in a row.
const WINDOW: usize = 3;

/// The quantities of a text.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Figures<'t> {
    pub(super) text: &'t Text<'t>,
}

/// The quantities of a unit.
#[derive(Debug, Default)]
pub(super) struct UnitFigures {
    /// The distinct quantities; one that is not of the unit is not missing, and confirms nothing.
    values: Vec<Value>,
    /// The kept positions, in the order of the text.
    marks: Vec<Mark>,
}

#[derive(Debug)]
struct Value {
    kind: QuantityKind,
    is_of_unit: bool,
}

/// A quantity at its position in a unit.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Mark {
    unit: u32,
    value: u32,
    start: u32,
    end: u32,
}

impl Mark {
    pub(in crate::builtin) const fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl<'t> Figures<'t> {
    pub(super) const fn of(text: &'t Text<'t>) -> Self {
        Self { text }
    }

    /// Whether a quantity, or one that it allows, occurs in the text.
    pub(super) fn has(self, wanted: &Quantity) -> bool {
        let kinds = |unit: u32| self.all(unit as usize).map(|value| &value.kind);
        let means = |unit: u32| kinds(unit).any(|kind| wanted.means(kind));
        self.units_with_digits(wanted).any(means)
            || self.units_that_may_have(wanted).any(means)
            || self
                .units()
                .any(|unit| kinds(unit).any(|kind| wanted.means(kind) || wanted.allows(kind)))
            || self.has_origin(wanted)
            || self.has_scaled(wanted)
    }

    /// Whether a figure is one of a sentence in another unit, or a share of two of its counts.
    fn has_origin(self, wanted: &Quantity) -> bool {
        self.units().any(|unit| {
            let values: Vec<&QuantityKind> = self.values(unit as usize).collect();
            let origin = origin_of(wanted, &values);
            matches!(origin, Some(Origin::Converted | Origin::Share))
        })
    }

    /// How a figure comes from figures of neighbouring units.
    pub(super) fn origin(self, wanted: &Quantity) -> Option<Origin> {
        self.units().find_map(|unit| {
            let units = unit as usize..unit as usize + WINDOW;
            let values: Vec<&QuantityKind> = units.flat_map(|unit| self.values(unit)).collect();
            origin_of(wanted, &values)
        })
    }

    /// Whether the text has the figure without its scale, and says `in millions`.
    fn has_scaled(self, wanted: &Quantity) -> bool {
        let QuantityKind::Number { unit, .. } = &wanted.kind else {
            return false;
        };
        let lower = || self.text.lower().text.as_bytes();
        let mut scales = LEXICON.table_scales.iter().filter(|(_, heads)| {
            let mut heads = heads.iter();
            heads.any(|head| memchr::memmem::find(lower(), head.as_bytes()).is_some())
        });
        scales.any(|(places, _)| {
            let enlarged = |kind: &QuantityKind| match kind {
                QuantityKind::Number { value, unit: its } if *its == Unit::None || its == unit => {
                    Some(QuantityKind::Number {
                        value: value.shifted(*places),
                        unit: unit.clone(),
                    })
                }
                _ => None,
            };
            let mut values = self.units().flat_map(|unit| self.values(unit as usize));
            values.any(|kind| {
                enlarged(kind).is_some_and(|kind| wanted.means(&kind) || wanted.allows(&kind))
            })
        })
    }

    /// The units with a quantity, in order.
    pub(in crate::builtin) fn units_with(self, wanted: &Quantity) -> Vec<u32> {
        let has = |unit: &u32| self.values(*unit as usize).any(|kind| wanted.means(kind));
        self.units_that_may_have(wanted).filter(has).collect()
    }

    /// The units with its digits, or with words for numbers; all where other digits can mean the same.
    fn units_that_may_have(self, wanted: &Quantity) -> impl Iterator<Item = u32> {
        let written = self.written(wanted);
        self.units().filter(move |number| {
            let number = *number as usize;
            let is_written = |written: &Vec<bool>| written.get(number) == Some(&true);
            written.as_ref().is_none_or(is_written) || self.may_have_number_words(number)
        })
    }

    /// The units with its digits; none where other digits can mean the same.
    fn units_with_digits(self, wanted: &Quantity) -> impl Iterator<Item = u32> {
        let written = self.written(wanted).unwrap_or_default();
        (0..)
            .zip(written)
            .filter(|(_, is_in)| *is_in)
            .map(|(unit, _)| unit)
    }

    fn written(self, wanted: &Quantity) -> Option<Vec<bool>> {
        let units = self.text.index().units.iter();
        Digits::of(wanted)
            .map(|digits| digits.may_be_in(self.text.flat(), &units.map(super::Unit::range)))
    }

    fn units(self) -> impl Iterator<Item = u32> {
        0..small(self.text.index().units.len())
    }

    /// The quantities of a unit.
    pub(in crate::builtin) fn values(self, unit: usize) -> impl Iterator<Item = &'t QuantityKind> {
        let own = self.all(unit).filter(|value| value.is_of_unit);
        own.map(|value| &value.kind)
    }

    fn all(self, unit: usize) -> impl Iterator<Item = &'t Value> {
        self.unit(unit).into_iter().flat_map(|unit| &unit.values)
    }

    /// The marks of a unit; none if there are too many.
    pub(in crate::builtin) fn marks(self, unit: usize) -> &'t [Mark] {
        self.unit(unit).map_or(&[], |unit| few(&unit.marks))
    }

    /// The quantity of a mark.
    pub(in crate::builtin) fn value(self, mark: &Mark) -> Option<&'t QuantityKind> {
        let values = &self.unit(mark.unit as usize)?.values;
        values.get(mark.value as usize).map(|value| &value.kind)
    }

    fn unit(self, unit: usize) -> Option<&'t UnitFigures> {
        let read = self.text.index().figures.get(unit)?;
        read.get_or_init(|| self.read(unit)).as_deref()
    }

    fn may_have_number_words(self, unit: usize) -> bool {
        let known = self.text.number_words.get_or_init(|| {
            let units = self.text.index().units.iter();
            let pieces = units.map(|unit| self.text.unit(unit));
            pieces.map(may_have_number_words).collect()
        });
        known.get(unit) == Some(&true)
    }

    fn read(self, number: usize) -> Option<Box<UnitFigures>> {
        let (text, index) = (self.text, self.text.index());
        let unit = index.units.get(number)?;
        let piece = text.unit(unit);
        let words = may_have_number_words(piece).then(|| text.words(number));
        let words = words.flatten();
        let words = || words.iter().flat_map(|words| &words.all);
        let begins = words().filter(|word| begins_quantity(word.entry));
        let places = begins.map(|word| word.range().start);
        let mut reader = Reader::of(small(number));
        each_quantity(piece, !index.prose, places, &mut |quantity| {
            let start = unit.range().start;
            let place = quantity.range.clone();
            if quantity.role == Role::Ordinal {
                reader.know(quantity.kind, false);
                return;
            }
            // `41 000` is no number where a column ends between
            let written = piece.get(place.clone()).unwrap_or_default();
            if written.contains(' ') && text.has_tab(start + place.start..start + place.end) {
                return;
            }
            let place = Some(place).filter(|_| quantity.role != Role::Vague);
            reader.put(quantity.kind, place);
            for part in quantity.parts {
                reader.know(part, false);
            }
            // `less than half` is not 50 %
            let is_bounded = Hedge::of(piece, &quantity.range).bound.is_some();
            let is_less = quantity.role == Role::Word && is_bounded;
            for other in quantity.others.into_iter().filter(|_| !is_less) {
                reader.put(other, None);
            }
        });
        for word in words() {
            let entry = word.entry.filter(|entry| !entry.spoken.is_empty());
            let values = entry.map(|entry| spoken(piece, &word.range(), entry));
            for value in values.into_iter().flatten() {
                reader.put(value, None);
            }
        }
        let figures = reader.figures;
        (!figures.values.is_empty()).then(|| Box::new(figures))
    }
}

/// Collects the quantities of a unit.
struct Reader {
    figures: UnitFigures,
    known: HashMap<QuantityKind, u32, RandomState>,
    unit: u32,
}

impl Reader {
    fn of(unit: u32) -> Self {
        Self {
            figures: UnitFigures::default(),
            known: HashMap::default(),
            unit,
        }
    }

    /// The number of a value.
    fn know(&mut self, kind: QuantityKind, is_of_unit: bool) -> u32 {
        let values = &mut self.figures.values;
        let next = small(values.len());
        let value = *self.known.entry(kind).or_insert_with_key(|kind| {
            let kind = kind.clone();
            values.push(Value { kind, is_of_unit });
            next
        });
        if let Some(value) = values.get_mut(value as usize) {
            value.is_of_unit |= is_of_unit;
        }
        value
    }

    /// Adds a quantity; one without a place confirms, but cannot contradict.
    fn put(&mut self, kind: QuantityKind, place: Option<Range<usize>>) {
        let value = self.know(kind, true);
        let marks = &mut self.figures.marks;
        // One more is kept as a sign that there are more.
        if let Some(place) = place
            && marks.len() <= MARKS_MAX
        {
            marks.push(Mark {
                unit: self.unit,
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

#[cfg(test)]
mod tests {
    use super::super::Text;
    use super::*;
    use crosscheck_language::quantity::quantities;

    #[test]
    fn a_value_is_kept_once_in_each_of_its_units() {
        let text =
            Text::new("It has 5 doors and 5 doors here. It has 7 now. Again 5 doors are in it.");
        let figures = text.figures();
        assert_eq!(figures.values(0).count(), 1);
        assert_eq!(figures.units_with(&quantities("5 doors")[0]), [0, 2]);
        let counts: Vec<usize> = (0..4).map(|unit| figures.marks(unit).len()).collect();
        assert_eq!(counts, [2, 1, 1, 0]);
    }

    #[test]
    fn a_text_has_figures_in_other_forms() {
        for (claim, text, expected) in [
            ("12-month", "A one-year study of cats ran here.", true),
            ("1/3", "A third of the homes here use gas.", false),
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
            (
                "12,300",
                "Boats and carts are there: 12\t300 in all.",
                false,
            ),
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
            let figures = quantities(claim);
            let has = figures.iter().all(|figure| text.has(figure));
            assert_eq!(has, expected, "{claim} / {}", text.source());
        }
    }

    #[test]
    fn a_line_of_endless_numbers_is_counted_and_not_kept() {
        let text = Text::new("1 2 ".repeat(10_000));
        let figures = text.figures();
        let kept = figures.unit(0).unwrap();
        assert_eq!((kept.values.len(), kept.marks.len()), (2, MARKS_MAX + 1));
        assert!(figures.marks(0).is_empty());
        assert_eq!(figures.units_with(&quantities("2")[0]), [0]);
    }

    proptest::proptest! {
        #[test]
        fn a_quick_look_at_the_digits_misses_no_unit(
            text in "([0-9]{1,4}|[0x,._ e/:-]|000|0x1|0\\.0|million |two |one |half |May |[a-z]{1,3} |v|k |% |€){1,12}",
            claim in "([0-9]{1,4}|[0x,._ e/:-]|000|million |two |May |[a-z]{1,3} |k |% ){1,4}",
        ) {
            let source = Text::new(text.clone());
            let figures = source.figures();
            for wanted in quantities(&claim).into_iter().chain(quantities(&text)) {
                let has = |unit: &u32| figures.values(*unit as usize).any(|kind| wanted.means(kind));
                let all: Vec<u32> = figures.units().filter(has).collect();
                proptest::prop_assert_eq!(figures.units_with(&wanted), all, "{:?}", wanted);
            }
        }
    }
}
