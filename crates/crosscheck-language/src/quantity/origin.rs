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
    /// It is one of them in thousands, millions or billions.
    Scaled,
    /// It is what they make together.
    Sum,
    /// It is how far two of them are apart.
    Difference,
    /// It is the share that one is of another, such a share of an amount, or that amount after a
    /// change by the share.
    Share,
    /// It is what a share leaves of the whole.
    Rest,
    /// It is one of them times or divided by a count.
    Rate,
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
    /// Nothing is said.
    Bare,
    /// What is counted, by its stem.
    Count(Box<str>),
    /// A part of a whole.
    Share,
    /// A time.
    Time,
    /// A measure, by its number.
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
    own.iter()
        .find_map(|own| own.made_from(&its, wanted.is_rounded()))
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
        let (factor, of) = match unit.measure() {
            Some(measure) => {
                let is_of = |word| LEXICON.word(word).and_then(|entry| entry.unit);
                let factor = ratio(measure.num, measure.den)?;
                let day = is_of("day").filter(|day| day.id == measure.id);
                if measure.id == LEXICON.percent.id {
                    (factor / 100.0, AmountOf::Share)
                } else if is_of("month").is_some_and(|month| month.id == measure.id) {
                    (factor * DAYS_OF_MONTH, AmountOf::Time)
                } else if let Some(day) = day {
                    (factor / ratio(day.num, day.den)?, AmountOf::Time)
                } else {
                    (factor, AmountOf::Measure(measure.id))
                }
            }
            None => match unit {
                Unit::Count(noun) => (1.0, AmountOf::Count(noun.clone())),
                _ => (1.0, AmountOf::Bare),
            },
        };
        Some(Amount {
            value: value.float()? * factor,
            unit: factor,
            of,
        })
    }
}

impl Amount {
    const fn is_count(&self) -> bool {
        matches!(self.of, AmountOf::Count(_) | AmountOf::Bare)
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

    /// How it comes from amounts that are close together.
    fn made_from(&self, its: &[Self], is_rounded: bool) -> Option<Origin> {
        let alike = || its.iter().filter(|one| self.is_like(one));
        let is_scaled = |one: &Self| {
            let ratio = (self.value / one.value).abs().log10();
            one.value != 0.0
                && [3.0, 6.0, 9.0]
                    .iter()
                    .any(|places| (ratio.abs() - places).abs() < 1e-9)
        };
        if alike().any(is_scaled) {
            return Some(Origin::Scaled);
        }
        if self.of == AmountOf::Share {
            return self.share_from(its);
        }
        let shares = || its.iter().filter(|one| one.of == AmountOf::Share);
        if alike()
            .any(|whole| shares().any(|share| is_share_of(self.value, share.value, whole.value)))
        {
            return Some(Origin::Share);
        }
        // a small number comes from others by chance, unless they count the same
        let is_small = self.value <= SMALL && self.value.fract() == 0.0;
        let part = if is_rounded { ROUNDED } else { EXACT };
        let is = |value: f64| is_near(self.value, value, part);
        let all: f64 = alike().map(|one| one.value).sum();
        if !is_small && alike().count() > 2 && is(all) {
            return Some(Origin::Sum);
        }
        let pairs = || {
            its.iter()
                .enumerate()
                .flat_map(|(at, a)| its.iter().skip(at + 1).map(move |b| (a, b)))
        };
        pairs().find_map(|(a, b)| {
            let both = self.is_like(a) && self.is_like(b);
            let is_counted =
                matches!(self.of, AmountOf::Count(_)) && a.of == self.of && b.of == self.of;
            let rate = |one: &Self, by: &Self| {
                self.is_like(one)
                    && by.is_count()
                    && by.value > 1.0
                    && (is(one.value / by.value) || is(one.value * by.value))
            };
            match () {
                () if both && (!is_small || is_counted) && is(a.value + b.value) => {
                    Some(Origin::Sum)
                }
                () if is_small => None,
                () if both && is((a.value - b.value).abs()) => Some(Origin::Difference),
                () if rate(a, b) || rate(b, a) => Some(Origin::Rate),
                () => None,
            }
        })
    }

    /// How a share comes from two counts, or from the share of the others.
    fn share_from(&self, its: &[Self]) -> Option<Origin> {
        let mut shares = its.iter().filter(|one| one.of == AmountOf::Share);
        if shares.any(|share| (1.0 - share.value - self.value).abs() <= PERCENT / 2.0) {
            return Some(Origin::Rest);
        }
        let counts = || its.iter().filter(|one| one.is_count() && one.value > 0.0);
        let is_part = |part: &Self, whole: &Self| {
            part.value < whole.value
                && (part.value / whole.value - self.value).abs() <= PERCENT / 2.0
        };
        let found = counts().any(|part| counts().any(|whole| is_part(part, whole)));
        found.then_some(Origin::Share)
    }
}

fn is_share_of(own: f64, share: f64, whole: f64) -> bool {
    let (more, less) = (1.0 + share, 1.0 - share);
    let made = [
        whole * share,
        whole * more,
        whole * less,
        whole / more,
        whole / less,
    ];
    made.into_iter().any(|value| is_near(own, value, PERCENT))
}

fn is_near(value: f64, other: f64, part: f64) -> bool {
    (value - other).abs() <= value.abs() * part
}

fn ratio(num: i128, den: i128) -> Option<f64> {
    let float = |number: i128| number.to_string().parse::<f64>().ok();
    Some(float(num)? / float(den)?)
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
            ("$4,200,000", "$4,200", Some(Origin::Scaled)),
            (
                "42 people",
                "12 people here and 30 people there",
                Some(Origin::Sum),
            ),
            ("43 people", "12 people here and 30 people there", None),
            (
                "300 jobs",
                "500 jobs, 200 of them here",
                Some(Origin::Difference),
            ),
            ("60 %", "three out of five", Some(Origin::Share)),
            ("100 towns", "40 percent of 250 towns", Some(Origin::Share)),
            ("36 %", "64 % of the members", Some(Origin::Rest)),
            ("$960", "12 rooms at $80 each", Some(Origin::Rate)),
            ("5 people", "2 people and 3 people", Some(Origin::Sum)),
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
