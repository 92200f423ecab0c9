//! How a figure comes from others: rounded, converted, added up, a share of something. A text that
//! has the others does not lack it. The one place for this question, for the judge and for all who
//! accuse because of a figure.

use crate::lexicon::LEXICON;

use super::{Quantity, QuantityKind, Role, Unit};

/// How a figure comes from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is one of them.
    Same,
    /// It is one of them with fewer digits, or one that its words allow: `about 40`, `15-17`.
    Rounded,
    /// It is one of them in another unit.
    Converted,
    /// It is the share that one is of another, such a share of an amount, or that amount after a
    /// change by the share.
    Share,
    /// It is made of them otherwise: one in thousands or millions, their sum or difference, what a share
    /// leaves of the whole, one of them times or divided by a count.
    Made,
}

/// A converted figure and a share of a count are rounded by at most this part.
const ROUNDED: f64 = 0.02;
/// Shares are rounded to whole percents.
const PERCENT: f64 = 0.01;
/// A calculated figure that nothing says is rounded is off by at most this part.
const EXACT: f64 = 0.001;
/// Whole numbers up to this come from others by chance.
const SMALL: f64 = 12.0;
/// More figures of one passage are not combined.
const FIGURES_MAX: usize = 24;
const DAYS_OF_MONTH: f64 = 30.4375;

/// An amount in the base unit of what it is an amount of.
#[derive(Debug, Clone, PartialEq)]
struct Amount {
    /// How much; days of a time, and the part of one of a share.
    value: f64,
    /// How much one of its units is.
    unit: f64,
    /// Of what.
    of: AmountOf,
}

/// What an amount is an amount of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AmountOf {
    /// What is counted, by its stem, if that is said.
    Count(Option<Box<str>>),
    /// A part of a whole.
    Share,
    /// A measure, by its number; that of times is the one of days.
    Measure(u16),
}

/// How a figure comes from values that are close together in a text, if it can.
pub fn origin_of(wanted: &Quantity, near: &[&QuantityKind]) -> Option<Origin> {
    if near.iter().any(|kind| wanted.means(kind)) {
        return Some(Origin::Same);
    }
    let its = near.iter().take(FIGURES_MAX);
    let its: Vec<Amount> = its.filter_map(|kind| kind.amount()).collect();
    let own = wanted.amounts();
    if own.iter().any(|own| own.is_converted(&its)) {
        return Some(Origin::Converted);
    }
    if near.iter().any(|kind| wanted.allows(kind)) {
        return Some(Origin::Rounded);
    }
    let part = if wanted.is_rounded() { ROUNDED } else { EXACT };
    own.iter().find_map(|own| own.made_from(&its, part))
}

impl Quantity {
    /// Whether it is an amount, and no date, version or name.
    pub fn is_amount(&self) -> bool {
        !self.amounts().is_empty()
    }

    /// The amounts it can mean.
    fn amounts(&self) -> Vec<Amount> {
        let is_name = matches!(self.role, Role::Name | Role::Ordinal);
        let kinds = [&self.kind].into_iter().chain(&self.others);
        let amounts = kinds.filter(|_| !is_name).filter_map(QuantityKind::amount);
        // `-14 %` is also said as a fall by 14 %
        amounts.filter(|one| one.value >= 0.0).collect()
    }
}

impl QuantityKind {
    fn amount(&self) -> Option<Amount> {
        let Self::Number { value, unit } = self else {
            return None;
        };
        let is_of = |word| LEXICON.word(word).and_then(|entry| entry.unit);
        let (factor, of) = match (unit.measure(), unit) {
            (Some(measure), _) => {
                let factor = measure.factor();
                let (day, month) = (is_of("day")?, is_of("month")?);
                if measure.id == LEXICON.percent.id {
                    (factor / 100.0, AmountOf::Share)
                } else if month.id == measure.id {
                    (
                        factor * DAYS_OF_MONTH * day.factor(),
                        AmountOf::Measure(day.id),
                    )
                } else {
                    (factor, AmountOf::Measure(measure.id))
                }
            }
            (None, Unit::Count(noun)) => (1.0, AmountOf::Count(Some(noun.clone()))),
            (None, _) => (1.0, AmountOf::Count(None)),
        };
        Some(Amount {
            value: value.float() * factor,
            unit: factor,
            of,
        })
    }
}

impl Amount {
    const fn is_count(&self) -> bool {
        matches!(self.of, AmountOf::Count(_))
    }

    fn is_like(&self, other: &Self) -> bool {
        self.of == other.of || self.is_count() && other.is_count()
    }

    /// Whether it is one of these in another unit.
    fn is_converted(&self, its: &[Self]) -> bool {
        its.iter().any(|one| {
            self.of == one.of
                && !is_near(self.unit, one.unit, f64::EPSILON)
                && is_near(self.value, one.value, ROUNDED)
        })
    }

    /// How it comes from amounts that are close together, at most this part off.
    fn made_from(&self, its: &[Self], part: f64) -> Option<Origin> {
        let pairs = || its.iter().flat_map(|a| its.iter().map(move |b| (a, b)));
        let mut pairs = pairs().filter(|(a, b)| !std::ptr::eq(*a, *b));
        if self.of == AmountOf::Share {
            let is_percent = |share: f64| (share - self.value).abs() <= PERCENT / 2.0;
            let leaves = |one: &Self| one.of == AmountOf::Share && is_percent(1.0 - one.value);
            if its.iter().any(leaves) {
                return Some(Origin::Made);
            }
            let is_part = |(part, whole): (&Self, &Self)| {
                part.is_count()
                    && whole.is_count()
                    && (f64::MIN_POSITIVE..whole.value).contains(&part.value)
                    && is_percent(part.value / whole.value)
            };
            return pairs.any(is_part).then_some(Origin::Share);
        }
        let alike = || its.iter().filter(|one| self.is_like(one));
        if alike().any(|one| is_scaled(self.value, one.value)) {
            return Some(Origin::Made);
        }
        let shares = || its.iter().filter(|one| one.of == AmountOf::Share);
        let is_of =
            |whole: &Self| shares().any(|one| is_share_of(self.value, one.value, whole.value));
        if alike().any(is_of) {
            return Some(Origin::Share);
        }
        // a small number comes from others by chance, unless they count the same
        let is_small = self.value <= SMALL && self.value.fract() == 0.0;
        let is = |value: f64| is_near(self.value, value, part);
        let is_made = |(a, b): (&Self, &Self)| {
            let both = self.is_like(a) && self.is_like(b);
            let counts = matches!(self.of, AmountOf::Count(Some(_)));
            let is_counted = counts && a.of == self.of && b.of == self.of;
            let is_rate = || is(a.value / b.value) || is(a.value * b.value);
            both && (!is_small || is_counted) && is(a.value + b.value)
                || !is_small && both && is((a.value - b.value).abs())
                || !is_small && self.is_like(a) && b.is_count() && b.value > 1.0 && is_rate()
        };
        let all: f64 = alike().map(|one| one.value).sum();
        let is_sum = !is_small && alike().count() > 2 && is(all);
        (is_sum || pairs.any(is_made)).then_some(Origin::Made)
    }
}

/// Whether one is the other in thousands, millions or billions.
fn is_scaled(own: f64, other: f64) -> bool {
    let places = (own / other).abs().log10().abs();
    let scales = [3.0, 6.0, 9.0];
    other != 0.0 && scales.iter().any(|scale| (places - scale).abs() < 1e-9)
}

fn is_share_of(own: f64, share: f64, whole: f64) -> bool {
    let (more, less) = (1.0 + share, 1.0 - share);
    let shares = [share, more, less, 1.0 / more, 1.0 / less];
    let mut made = shares.into_iter().map(|share| whole * share);
    made.any(|value| is_near(own, value, PERCENT))
}

fn is_near(value: f64, other: f64, part: f64) -> bool {
    (value - other).abs() <= value.abs() * part
}

#[cfg(test)]
mod tests {
    use super::super::quantities;
    use super::*;

    #[test]
    fn a_figure_comes_from_others_in_one_of_these_ways() {
        for (claim, text, expected) in [
            ("41,000", "41,000 trees", Some(Origin::Same)),
            ("about 41,000 trees", "41,237 trees", Some(Origin::Same)),
            ("53 pounds", "24 kg", Some(Origin::Converted)),
            ("$4,200,000", "$4,200", Some(Origin::Made)),
            (
                "42 people",
                "12 people here and 30 people there",
                Some(Origin::Made),
            ),
            ("43 people", "12 people here and 30 people there", None),
            ("300 jobs", "500 jobs, 200 of them here", Some(Origin::Made)),
            ("60 %", "three out of five", Some(Origin::Share)),
            ("100 towns", "40 percent of 250 towns", Some(Origin::Share)),
            ("36 %", "64 % of the members", Some(Origin::Made)),
            ("$960", "12 rooms at $80 each", Some(Origin::Made)),
            ("5 people", "2 people and 3 people", Some(Origin::Made)),
            ("5 people", "2 dogs and 3 cats", None),
        ] {
            let wanted = quantities(claim).remove(0);
            let near = quantities(text);
            let near = near
                .iter()
                .flat_map(|one| one.others.iter().chain([&one.kind]));
            let near: Vec<&QuantityKind> = near.collect();
            assert_eq!(origin_of(&wanted, &near), expected, "{claim} / {text}");
        }
    }
}
