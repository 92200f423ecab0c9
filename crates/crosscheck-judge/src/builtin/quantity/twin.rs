//! Figures of a claim that a text need not repeat: the same amount in brackets in another unit,
//! and the total of others.

use super::super::lexicon::{Dimension, LEXICON};
use super::super::text::is_letter;
use super::derived::{Difference, depth, differences};
use super::{Decimal, Quantity, QuantityKind, Unit};

/// The same amount in another unit: `26 miles (42 km)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::builtin) struct Twin {
    pub(in crate::builtin) kind: QuantityKind,
    /// The conversion is known, and right.
    pub(in crate::builtin) sure: bool,
}

/// A unit or a bracket is searched for in at most this many bytes.
const REACH: usize = 24;
/// A converted amount is at most this many percent off, and a rounded one this many.
const OFF: i128 = 1;
const ROUNDED_OFF: i128 = 5;
/// More figures are not added up.
const ADDENDS_MAX: usize = 8;

/// Units whose conversion is not known here.
const OTHER_UNITS: [&str; 14] = [
    "hp", "bhp", "ps", "gallon", "gal", "psi", "bar", "kpa", "pint", "franc", "yuan", "rupe",
    "peso", "calory",
];
/// Words that announce a total.
const TOTALS: [&str; 12] = [
    "total", "combined", "together", " in all", "In all", "overall", "Overall", "both", "Both",
    " sum ", "jointly", "add up",
];

/// What a figure has to do with the other figures of its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::builtin) struct Related {
    /// The same amount in another unit.
    pub(in crate::builtin) twin: Option<Twin>,
    /// The text speaks of a total.
    pub(in crate::builtin) total: bool,
    /// The other figures, if it is their sum.
    pub(in crate::builtin) addends: Vec<QuantityKind>,
    /// What it follows from, if it is a difference.
    pub(in crate::builtin) differences: Vec<Difference>,
}

/// Adds what depends on the other figures of the claim.
pub(in crate::builtin) fn relate(text: &str, all: &mut [Quantity]) {
    let total = !all.is_empty() && TOTALS.iter().any(|word| text.contains(word));
    let mut before = None;
    for at in 0..all.len() {
        let pair = all.get(at).zip(all.get(at + 1));
        let pair = pair.and_then(|(a, b)| Some((is_converted(text, a, b)?, a, b)));
        let behind = pair.map(|(sure, _, b)| Twin::of(b, sure));
        let next = pair.map(|(sure, a, _)| Twin::of(a, sure));
        let related = Related {
            twin: std::mem::replace(&mut before, next)
                .or(behind)
                .or_else(|| Twin::rain(text, all.get(at)?)),
            total,
            addends: if total { addends(all, at) } else { Vec::new() },
            differences: differences(text, all, at),
        };
        let some = related != Related::default();
        if let Some(one) = all.get_mut(at).filter(|_| some) {
            one.related = Some(Box::new(related));
        }
    }
}

impl Twin {
    fn of(other: &Quantity, sure: bool) -> Self {
        let kind = other.kind.clone();
        Self { kind, sure }
    }

    /// Millimetres for litres per square metre.
    fn rain(text: &str, volume: &Quantity) -> Option<Self> {
        let kind = depth(text, volume)?;
        Some(Self { kind, sure: false })
    }
}

/// The other figures of the claim, if this one is their sum.
fn addends(all: &[Quantity], at: usize) -> Vec<QuantityKind> {
    let others = all.iter().enumerate().filter(|(other, _)| *other != at);
    let others: Vec<&QuantityKind> = others.map(|(_, one)| &one.kind).collect();
    let own = all.get(at).map(|one| &one.kind);
    let sum = own.is_some_and(|own| {
        let values: Vec<Decimal> = others.iter().filter_map(|kind| own.addend(kind)).collect();
        (2..=ADDENDS_MAX).contains(&values.len()) && own.is_sum(values.iter().copied())
    });
    others.into_iter().filter(|_| sum).cloned().collect()
}

impl QuantityKind {
    /// The value of a figure that can be added to make this one.
    pub(in crate::builtin) fn addend(&self, other: &Self) -> Option<Decimal> {
        let (Self::Number { unit, .. }, Self::Number { value, unit: its }) = (self, other) else {
            return None;
        };
        match (unit, its) {
            (Unit::Dimension(a), Unit::Dimension(b)) if a.id == b.id && b.den == 1 => {
                Some(value.times(b.num, 1))
            }
            (Unit::Count(a), Unit::Count(b)) => (a == b).then_some(*value),
            (Unit::None, Unit::Count(_)) | (Unit::Count(_) | Unit::None, Unit::None) => {
                Some(*value)
            }
            _ => None,
        }
    }

    /// Whether these add up to it.
    pub(in crate::builtin) fn is_sum(&self, values: impl IntoIterator<Item = Decimal>) -> bool {
        let mut values = values.into_iter();
        let first = values.next();
        let sum = values.fold(first, |sum, value| sum?.plus(value));
        sum.is_some() && sum == self.addend(self)
    }
}

/// Whether the second figure is in brackets behind the first and in another unit; then, whether the
/// conversion is known. None for a wrong one.
fn is_converted(text: &str, a: &Quantity, b: &Quantity) -> Option<bool> {
    let between = text.get(a.range.end..b.range.start)?;
    let (unit, hedge) = between
        .split_once('(')
        .filter(|_| between.len() <= 2 * REACH)?;
    let is_word = |c: char| is_letter(c) || matches!(c, ' ' | '-' | '°' | '/' | '.');
    let hedges = [
        "",
        "about",
        "around",
        "approximately",
        "approx.",
        "roughly",
        "or",
        "~",
        "nearly",
        "US",
    ];
    let tail = text.get(b.range.end..)?;
    let (rest, _) = tail
        .split_once(')')
        .filter(|(rest, _)| rest.len() <= REACH)?;
    if unit.len() > REACH
        || !unit.chars().all(is_word)
        || !hedges.contains(&hedge.trim())
        || !rest.chars().all(is_word)
    {
        return None;
    }
    if let Some(right) = is_same_temperature(a, unit, b, rest) {
        return right.then_some(true);
    }
    let (
        QuantityKind::Number { value, unit: own },
        QuantityKind::Number {
            value: other,
            unit: its,
        },
    ) = (&a.kind, &b.kind)
    else {
        return None;
    };
    match (own.measure(), its.measure()) {
        (Some(from), Some(to)) if from.id == to.id && from != to => {
            is_right((*value, from), (*other, to)).then_some(true)
        }
        _ => (is_unit(own) && is_unit(its) && own != its).then_some(false),
    }
}

fn is_right((a, from): (Decimal, Dimension), (b, to): (Decimal, Dimension)) -> bool {
    let (num, den) = (from.num * to.den, to.num * from.den);
    let (own, other) = (a.times(num, 1), b.times(den, 1));
    let rounded = a.is_rounded(b, den, num) || b.is_rounded(a, num, den);
    own.is_within(OFF, other) || rounded && own.is_within(ROUNDED_OFF, other)
}

/// Whether this is an amount that can be converted; a share, a time or a count is not.
fn is_unit(unit: &Unit) -> bool {
    let fixed = ["%", "pp", "hours", "months", "bytes", "ppm"];
    match unit {
        Unit::Dimension(dimension) => !fixed.iter().any(|word| {
            let known = LEXICON.word(word).and_then(|entry| entry.unit);
            known.is_some_and(|known| known.id == dimension.id)
        }),
        Unit::Count(noun) => OTHER_UNITS.contains(&&**noun),
        Unit::None => false,
    }
}

/// Whether two temperatures in Celsius and Fahrenheit are the same; none if they are not two such.
fn is_same_temperature(a: &Quantity, unit: &str, b: &Quantity, its: &str) -> Option<bool> {
    let (QuantityKind::Number { value: x, .. }, QuantityKind::Number { value: y, .. }) =
        (&a.kind, &b.kind)
    else {
        return None;
    };
    let (celsius, fahrenheit) = match (unit.trim(), its.trim()) {
        ("°C", "°F") => (x, y),
        ("°F", "°C") => (y, x),
        _ => return None,
    };
    // in tenths of a degree Fahrenheit
    let wanted = celsius.times(18, 1).plus(Decimal::whole(320))?;
    let off = fahrenheit.times(10, 1).plus(wanted.times(-1, 1))?;
    let most = Decimal::whole(10);
    let is_less = |a: Decimal, b: Decimal| a.compare(b) != std::cmp::Ordering::Greater;
    Some(is_less(off, most) && is_less(most.times(-1, 1), off))
}
