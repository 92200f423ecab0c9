//! Figures that follow from others: a share from two counts, a difference from two amounts, the depth
//! of rain from its volume on an area. A text that has the others does not lack them.

use super::super::lexicon::{Dimension, LEXICON};
use super::{Decimal, Quantity, QuantityKind, Unit};

/// Words between a part and its whole: three `out of` five.
const OF: [&str; 13] = [
    "of",
    "out of",
    "in",
    "in every",
    "out of every",
    "of all",
    "of the",
    "of its",
    "of his",
    "of her",
    "of their",
    "of these",
    "of those",
];
/// Words near a difference.
const BEHIND: [&str; 17] = [
    "more", "less", "fewer", "higher", "lower", "longer", "shorter", "larger", "smaller", "older",
    "younger", "later", "earlier", "cheaper", "above", "below", "ahead",
];
const BEFORE: [&str; 5] = ["by", "from", "for", "than", "with"];
/// The words of a comparison are searched for in at most this many characters.
const REACH: usize = 32;
/// With more figures than these nothing is calculated.
const FIGURES_MAX: usize = 8;

/// A figure of the claim, and what a text must have beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::builtin) struct Difference {
    pub(in crate::builtin) known: QuantityKind,
    /// One of these.
    pub(in crate::builtin) other: Vec<QuantityKind>,
}

/// The percentage that two neighbouring figures make: `three out of five`, `450 of her 600 games`.
pub(in crate::builtin) fn share(
    text: &str,
    part: &Quantity,
    whole: &Quantity,
) -> Vec<QuantityKind> {
    let between = text.get(part.range.end..whole.range.start);
    if !between.is_some_and(|between| OF.contains(&between.trim())) {
        return Vec::new();
    }
    let count = |quantity: &Quantity| match &quantity.kind {
        QuantityKind::Number {
            value,
            unit: Unit::None | Unit::Count(_),
        } => value.small().map(u32::from),
        _ => None,
    };
    let Some((part, whole)) = count(part).zip(count(whole)) else {
        return Vec::new();
    };
    if part == 0 || part >= whole {
        return Vec::new();
    }
    // Rounded to a whole and to a tenth of a percent.
    [(100, 0), (1000, -1)]
        .into_iter()
        .map(|(times, places)| QuantityKind::Number {
            value: Decimal::whole((part * times + whole / 2) / whole).scaled(places),
            unit: Unit::Dimension(LEXICON.percent),
        })
        .collect()
}

/// Millimetres of rain for litres per square metre.
pub(in crate::builtin) fn depth(text: &str, volume: &Quantity) -> Option<QuantityKind> {
    let tail: String = text.get(volume.range.end..)?.chars().take(REACH).collect();
    let area = ["per square met", "/m2", "/ m2", "per m2"];
    let unit_of = |word: &str| LEXICON.word(word).and_then(|entry| entry.unit);
    match &volume.kind {
        QuantityKind::Number { value, unit } if area.iter().any(|one| tail.contains(one)) => {
            let litre = unit
                .measure()
                .filter(|unit| Some(*unit) == unit_of("litre"));
            litre.and(unit_of("mm")).map(|unit| QuantityKind::Number {
                value: *value,
                unit: Unit::Dimension(unit),
            })
        }
        _ => None,
    }
}

/// How a figure that the text compares follows from others of it: `$420, $40 more than`, `for 43
/// years, from 1501 to 1544`.
pub(super) fn differences(text: &str, all: &[Quantity], at: usize) -> Vec<Difference> {
    let Some(own) = all
        .get(at)
        .filter(|_| (2..=FIGURES_MAX).contains(&all.len()))
    else {
        return Vec::new();
    };
    if !compares(text, own) {
        return Vec::new();
    }
    let others = all.iter().enumerate().filter(|(other, _)| *other != at);
    let found = others.map(|(_, other)| Difference {
        known: other.kind.clone(),
        other: apart(&own.kind, &other.kind),
    });
    found.filter(|one| !one.other.is_empty()).collect()
}

/// Whether words of a comparison are around a figure.
fn compares(text: &str, own: &Quantity) -> bool {
    let tail = text.get(own.range.end..).unwrap_or_default();
    let end = tail
        .char_indices()
        .nth(REACH)
        .map_or(tail.len(), |(at, _)| at);
    let tail = tail.get(..end).unwrap_or_default();
    let mut behind = tail.split(|c: char| !c.is_alphabetic());
    let head = text.get(..own.range.start).unwrap_or_default();
    let before = head.trim_end().rsplit(' ').next().unwrap_or_default();
    behind.any(|word| BEHIND.contains(&word)) || BEFORE.contains(&before)
}

/// What makes the second figure together with the first: their sum and their difference.
fn apart(own: &QuantityKind, other: &QuantityKind) -> Vec<QuantityKind> {
    let (QuantityKind::Number { value, unit }, Some((base, its))) = (own, base(other)) else {
        return Vec::new();
    };
    let is_year = |unit: &Unit| {
        let year = LEXICON.word("years").and_then(|entry| entry.unit);
        matches!(unit, Unit::Dimension(one) if Some(*one) == year)
    };
    let unit: Option<Option<Dimension>> = match (unit, &its) {
        // `43 years` from 1501
        (unit, Unit::None) if is_year(unit) => Some(None),
        (Unit::Dimension(a), Unit::Dimension(b)) => (a == b).then_some(Some(*b)),
        (Unit::Dimension(a), Unit::None) | (Unit::None, Unit::Dimension(a)) => Some(Some(*a)),
        (Unit::Dimension(_), _) | (_, Unit::Dimension(_)) => None,
        _ => Some(None),
    };
    let Some(unit) = unit else {
        return Vec::new();
    };
    let minus = |value: Decimal| value.times(-1, 1);
    let sums = [
        base.plus(*value),
        base.plus(minus(*value)),
        value.plus(minus(base)),
    ];
    let zero = Decimal::whole(0);
    let positive = sums.into_iter().flatten();
    positive
        .filter(|sum| sum.compare(zero) == std::cmp::Ordering::Greater)
        .map(|value| QuantityKind::Number {
            value,
            unit: unit.map_or(Unit::None, Unit::Dimension),
        })
        .collect()
}

/// The amount or the year of a figure.
fn base(kind: &QuantityKind) -> Option<(Decimal, Unit)> {
    match kind {
        QuantityKind::Number { value, unit } => Some((*value, unit.clone())),
        QuantityKind::Year(year) | QuantityKind::Date { year, .. } => {
            Some((Decimal::whole(u32::from(*year)), Unit::None))
        }
        _ => None,
    }
}
