//! Figures that a text does not have, but that follow from those it has: `$1,299` and `$200 more`,
//! `12 rooms` at `$80 each`, `40 percent` of `250`. They confirm nothing, and are not invented.

use super::super::lexicon::LEXICON;
use super::super::quantity::{Decimal, Quantity, QuantityKind, Unit};
use super::figures::{Figures, Mark, SUM_FIGURES, SUM_UNITS};

/// Words beside a figure that is added to another one, or taken from it.
const ADDED: [&str; 27] = [
    "more",
    "less",
    "fewer",
    "plus",
    "minus",
    "extra",
    "additional",
    "another",
    "off",
    "save",
    "saves",
    "saving",
    "savings",
    "discount",
    "surcharge",
    "cheaper",
    "dearer",
    "higher",
    "lower",
    "later",
    "earlier",
    "longer",
    "shorter",
    "further",
    "added",
    "lost",
    "gained",
];
/// Words beside a figure that is multiplied.
const TIMES: [&str; 5] = ["each", "per", "every", "apiece", "times"];
/// A time that a figure is said for, and how often it is in longer ones.
const PERIODS: [(&str, &[u32]); 7] = [
    ("minute", &[60]),
    ("hour", &[24]),
    ("day", &[7, 30, 365]),
    ("daily", &[7, 30, 365]),
    ("week", &[4, 52]),
    ("month", &[12]),
    ("quarter", &[4]),
];
/// The words are searched for in at most this many bytes before and behind the figure.
const REACH: usize = 24;
/// A product that is this many percent off is a rounded one.
const ROUNDED: i128 = 1;

/// A figure of the text.
struct Factor<'t> {
    value: Decimal,
    kind: &'t QuantityKind,
    unit: usize,
    /// It is an amount of what is looked for.
    is_amount: bool,
    /// The words around it.
    near: String,
    /// One of them adds it to another figure.
    is_added: bool,
    /// One of them multiplies it.
    is_times: bool,
}

impl<'t> Figures<'t> {
    /// Whether figures of neighbouring units make a quantity.
    pub(super) fn make(self, wanted: &Quantity) -> bool {
        let Some(sum) = wanted.kind.addend(&wanted.kind) else {
            return false;
        };
        let is_percent = is_percent(&wanted.kind);
        (0..self.text.index().units.len()).any(|unit| {
            let units = unit..unit + SUM_UNITS;
            let marks =
                units.flat_map(|unit| self.marks(unit).iter().map(move |mark| (unit, mark)));
            let factors = marks.filter_map(|(unit, mark)| self.factor(&wanted.kind, unit, mark));
            let factors: Vec<Factor<'_>> = factors.take(SUM_FIGURES).collect();
            factors.iter().enumerate().any(|(at, a)| {
                let mut others = factors.iter().enumerate().filter(|(other, _)| *other != at);
                a.makes_alone(sum)
                    || others
                        .any(|(_, b)| a.makes_with(b, sum) || is_percent && a.is_share_of(b, sum))
                    || a.begins_list(factors.get(at..).unwrap_or_default(), sum)
            })
        })
    }

    fn factor(self, wanted: &QuantityKind, unit: usize, mark: &Mark) -> Option<Factor<'t>> {
        let kind = self.value(mark)?;
        let QuantityKind::Number { value, .. } = kind else {
            return None;
        };
        let amount = wanted.addend(kind);
        let text = self.text.unit(self.text.index().units.get(unit)?);
        let place = mark.range();
        let is_cut = |at: &usize| text.is_char_boundary(*at);
        let start = (place.start.saturating_sub(REACH)..=place.start).find(is_cut)?;
        let end = (place.end..=place.end + REACH).rev().find(is_cut)?;
        let near = text.get(start..end)?.to_lowercase();
        let has = |words: &[&str]| {
            let mut near = near.split(|c: char| !c.is_alphabetic());
            near.any(|word| words.contains(&word))
        };
        Some(Factor {
            is_added: has(&ADDED),
            is_times: has(&TIMES),
            value: amount.unwrap_or(*value),
            kind,
            unit,
            is_amount: amount.is_some() || is_count(wanted) && is_count(kind),
            near,
        })
    }
}

impl Factor<'_> {
    /// `$30 monthly` in a year.
    fn makes_alone(&self, wanted: Decimal) -> bool {
        let periods = PERIODS
            .iter()
            .filter(|(period, _)| self.near.contains(period));
        let periods =
            periods.flat_map(|(_, times)| times.iter().map(|times| Decimal::whole(*times)));
        let mut products = periods.map(|times| self.value.product(times));
        self.is_amount && products.any(|product| product == Some(wanted))
    }

    fn makes_with(&self, other: &Self, wanted: Decimal) -> bool {
        let minus = other.value.times(-1, 1);
        let sums = [self.value.plus(other.value), self.value.plus(minus)];
        let is_added = self.is_amount && other.is_amount && (self.is_added || other.is_added);
        let is_times = self.is_amount && (self.is_times || other.is_times);
        let is_part = self.is_amount && is_percent(other.kind);
        let product = self
            .value
            .product(other.value)
            .map(|product| if is_part { product.scaled(-2) } else { product });
        is_added && sums.contains(&Some(wanted))
            || (is_times || is_part) && product.is_some_and(|one| wanted.is_within(ROUNDED, one))
    }

    /// Whether two counts of one sentence make a percentage.
    fn is_share_of(&self, whole: &Self, wanted: Decimal) -> bool {
        let share = wanted.product(whole.value);
        self.unit == whole.unit
            && is_count(self.kind)
            && is_count(whole.kind)
            && share.is_some_and(|share| share.is_within(ROUNDED, self.value.scaled(2)))
    }

    /// Whether it is the first of some amounts of one sentence that add up: `5 nurses and 7 doctors`.
    fn begins_list(&self, list: &[Self], wanted: Decimal) -> bool {
        let list = list
            .iter()
            .take_while(|one| one.unit == self.unit && one.is_amount);
        let mut sum = Some(Decimal::whole(0));
        let mut sums = list.map(|one| {
            sum = sum?.plus(one.value);
            sum
        });
        sums.next(); // one alone is not a list
        sums.any(|sum| sum == Some(wanted))
    }
}

fn is_percent(kind: &QuantityKind) -> bool {
    matches!(kind, QuantityKind::Number { unit: Unit::Dimension(unit), .. } if unit.id == LEXICON.percent.id)
}

const fn is_count(kind: &QuantityKind) -> bool {
    matches!(
        kind,
        QuantityKind::Number {
            unit: Unit::None | Unit::Count(_),
            ..
        }
    )
}
