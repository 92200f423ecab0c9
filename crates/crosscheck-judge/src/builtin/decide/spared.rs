//! Figures that differ without a conflict: bounds, approximations, rounding
//! (judge D7 to D9).

use std::cmp::Ordering;
use std::ops::Range;

use crosscheck_language::lexicon::LEXICON;
use crosscheck_language::quantity::{Bound, Hedge, QuantityKind, Unit, time_bound};

/// A figure in its text.
pub(super) struct Figure<'f> {
    pub(super) text: &'f str,
    pub(super) range: Range<usize>,
    pub(super) kind: &'f QuantityKind,
}

impl Figure<'_> {
    pub(super) fn hedge(&self) -> Hedge {
        Hedge::of(self.text, &self.range)
    }
}

/// Whether the claim's figure and another one can both be true.
pub(super) fn is_spared(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    let hedges = (claimed.hedge(), found.hedge());
    let about = hedges.0.about || hedges.1.about;
    match (claimed.kind, found.kind) {
        (QuantityKind::Year(a), QuantityKind::Year(b)) => {
            let percent = LEXICON.thresholds.about;
            let near = u32::from(a.abs_diff(*b)) * 100 <= u32::from(*a) * u32::from(percent);
            about && near || is_in_time(claimed, a.cmp(b))
        }
        (
            QuantityKind::Date { year, month, day },
            QuantityKind::Date {
                year: y,
                month: m,
                day: d,
            },
        ) => {
            let day = day.and(*day);
            let order = (year, month).cmp(&(y, m)).then(day.cmp(&day.and(*d)));
            about || is_in_time(claimed, order)
        }
        (QuantityKind::Number { .. }, QuantityKind::Number { .. }) => {
            is_amount_spared(claimed, found, hedges).unwrap_or(false)
        }
        _ => false,
    }
}

/// Whether two amounts have the same digits and differ by a power of a
/// thousand.
pub(super) fn is_scaled(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    match (claimed.kind, found.kind) {
        (
            QuantityKind::Number { value: a, unit },
            QuantityKind::Number {
                value: b,
                unit: its,
            },
        ) => (unit == its || *its == Unit::None) && a.is_scaled(*b),
        _ => false,
    }
}

/// Judge D7 for years and dates, in the claim only: `before 1990`.
fn is_in_time(claimed: &Figure<'_>, order: Ordering) -> bool {
    match time_bound(claimed.text, &claimed.range) {
        Some(Bound::Down) => order != Ordering::Less,
        Some(Bound::Up) => order != Ordering::Greater,
        None => false,
    }
}

fn is_amount_spared(
    claimed: &Figure<'_>,
    found: &Figure<'_>,
    (hedge, other_hedge): (Hedge, Hedge),
) -> Option<bool> {
    let (
        QuantityKind::Number { value: a, unit },
        QuantityKind::Number {
            value: b,
            unit: its,
        },
    ) = (claimed.kind, found.kind)
    else {
        return None;
    };
    let factor = |unit: &Unit| unit.measure().map_or((1, 1), |unit| (unit.num, unit.den));
    let ((a_num, a_den), (b_num, b_den)) = (factor(unit), factor(its));
    let (own, other) = (a.times(a_num, b_den), b.times(b_num, a_den));
    let order = own.compare(other);
    let allows = |bound: Option<Bound>, order: Ordering| match bound {
        Some(Bound::Up) => order != Ordering::Greater,
        Some(Bound::Down) => order != Ordering::Less,
        None => false,
    };
    Some(
        allows(hedge.bound, order)
            || allows(other_hedge.bound, order.reverse())
            || (hedge.about || other_hedge.about) && own.is_within(LEXICON.thresholds.about, other)
            || a.is_rounded(*b, b_num * a_den, b_den * a_num)
            || b.is_rounded(*a, a_num * b_den, a_den * b_num),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosscheck_language::quantity::scan;

    fn spared(claim: &str, text: &str) -> bool {
        let (a, b) = (&scan(claim, false)[0], &scan(text, false)[0]);
        let figure = |text, quantity: &crosscheck_language::quantity::Quantity| {
            (text, quantity.range.clone(), quantity.kind.clone())
        };
        let (a, b) = (figure(claim, a), figure(text, b));
        let (claim, text) = (
            Figure {
                text: a.0,
                range: a.1,
                kind: &a.2,
            },
            Figure {
                text: b.0,
                range: b.1,
                kind: &b.2,
            },
        );
        assert!(
            claim.kind.is_comparable(text.kind, false),
            "{} / {}",
            a.0,
            b.0
        );
        is_spared(&claim, &text)
    }

    #[test]
    fn a_bound_allows_what_is_beyond_it() {
        for (claim, text, expected) in [
            ("more than 111 tickets", "116 tickets", true),
            ("more than 111 tickets", "87 tickets", false),
            ("at most 22 jobs", "15 jobs", true),
            ("at most 22 jobs", "25 jobs", false),
            ("no more than 111 tickets", "87 tickets", true),
            ("no more than 111 tickets", "116 tickets", false),
            ("not less than 111 tickets", "116 tickets", true),
            ("over $111", "$150", true),
            ("just over the 111 tickets", "150 tickets", true),
            ("111 tickets or more", "150 tickets", true),
            ("18 or older", "21", true),
            ("18 or younger", "21", false),
            ("116 tickets", "more than 111 tickets", true),
            ("87 tickets", "more than 111 tickets", false),
            ("moreover 111 tickets", "116 tickets", false),
            ("more than 2 hours", "190 minutes", true),
            ("more than 2 hours", "80 minutes", false),
        ] {
            assert_eq!(spared(claim, text), expected, "{claim} / {text}");
        }
    }

    #[test]
    fn about_allows_fifteen_percent() {
        for (claim, text, expected) in [
            ("about 20%", "22%", true),
            ("about 20%", "61%", false),
            ("20%", "roughly 22%", true),
            ("20 dogs or so", "22 dogs", true),
            ("circa 1990", "1992", true),
            ("1990", "1992", false),
            ("around 4 May 1990", "6 May 1990", true),
        ] {
            assert_eq!(spared(claim, text), expected, "{claim} / {text}");
        }
    }

    #[test]
    fn rounding_is_not_a_conflict_in_either_direction() {
        for (claim, text, expected) in [
            ("164 years", "164.8 years", true),
            ("165 years", "164.8 years", true),
            ("164.8 years", "165 years", true),
            ("29 years", "164.8 years", false),
            ("1.7 hours", "100 minutes", true),
            ("5 million dogs", "5,123,000 dogs", true),
        ] {
            assert_eq!(spared(claim, text), expected, "{claim} / {text}");
        }
    }

    #[test]
    fn a_time_before_or_after_is_not_a_conflict() {
        for (claim, text, expected) in [
            ("before 1990", "1985", true),
            ("before 1990", "1995", false),
            ("since 2010", "2014", true),
            ("after 2010", "2008", false),
            ("by 2010", "2008", true),
            ("2010", "since 2008", false),
            ("before May 1990", "3 April 1990", true),
            ("before May 1990", "3 June 1990", false),
        ] {
            assert_eq!(spared(claim, text), expected, "{claim} / {text}");
        }
    }
}
