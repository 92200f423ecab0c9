//! Units that a quantity takes from its surroundings: first the other end of
//! its range (judge Q5), then the name before it on its line (judge Q9).

use std::ops::Range;

use super::scan::Scanner;
use super::{Decimal, Quantity, QuantityKind, Unit};
use crate::lexicon::{Dimension, LEXICON, List};
use crate::text::{Style, each_word, is_letter, is_word_char};

/// Holds each quantity back until the next one is known.
pub(super) struct Around<'a> {
    scanner: &'a Scanner<'a>,
    take: &'a mut dyn FnMut(Quantity),
    pending: Option<Quantity>,
    /// The end of the last quantity that was passed on.
    earlier: Option<Range<usize>>,
    names: Names<'a>,
}

impl<'a> Around<'a> {
    pub(super) fn new(scanner: &'a Scanner<'a>, take: &'a mut dyn FnMut(Quantity)) -> Self {
        Self {
            scanner,
            take,
            pending: None,
            earlier: None,
            names: Names {
                text: scanner.text,
                read_to: 0,
                last: None,
            },
        }
    }

    /// Takes the next quantity of the text.
    pub(super) fn put(&mut self, mut quantity: Quantity) {
        if let Some(mut before) = self.pending.take() {
            if let Some(both) = compound(self.scanner.text, &before, &quantity) {
                self.pending = Some(both);
                return;
            }
            share(self.scanner.text, &mut before, &mut quantity);
            self.give(before);
        }
        self.pending = Some(quantity);
    }

    /// The text has ended.
    pub(super) fn end(mut self) {
        if let Some(last) = self.pending.take() {
            self.give(last);
        }
    }

    fn give(&mut self, mut quantity: Quantity) {
        if self.scanner.code {
            self.take_from_name(&mut quantity);
        }
        self.earlier = Some(quantity.range.clone());
        (self.take)(quantity);
    }

    /// In `TIMEOUT_MS = 30000` the name gives the unit.
    fn take_from_name(&mut self, quantity: &mut Quantity) {
        let start = quantity.range.start;
        let Some(name) = self.names.last_before(start, self.earlier.as_ref()) else {
            return;
        };
        match &mut quantity.kind {
            QuantityKind::Number { unit, .. } if *unit == Unit::None => {
                *unit = Unit::Dimension(name.unit);
            }
            QuantityKind::Year(year) if !counts(self.scanner, quantity.range.end) => {
                let other = self.earlier.as_ref().map_or(0, |range| range.end);
                if self.names.say_amount(&name, other, start) {
                    quantity.kind = QuantityKind::Number {
                        value: Decimal::whole(u32::from(*year)),
                        unit: Unit::Dimension(name.unit),
                    };
                }
            }
            _ => {}
        }
    }
}

/// In `A-B unit`, `A to B unit` and `between A and B unit` unit and scale belong to both.
fn share(text: &str, a: &mut Quantity, b: &mut Quantity) {
    let between = text.get(a.range.end..b.range.start).unwrap_or_default();
    let head = text.get(..a.range.start).unwrap_or_default();
    let is_range = match between {
        "-" | " - " | " to " => true,
        " and " => ["between ", "Between "]
            .iter()
            .any(|word| head.ends_with(word)),
        _ => false,
    };
    if is_range {
        share_scale(a, b, between.contains('-'));
        share_currency(text, a, b);
        share_unit(a, b);
    }
}

/// `$5.0-5.2 billion`; `from 2 to 3 million` can also begin at 2.
fn share_scale(a: &mut Quantity, b: &Quantity, sure: bool) {
    let (QuantityKind::Number { value, unit }, QuantityKind::Number { value: high, .. }) =
        (&a.kind, &b.kind)
    else {
        return;
    };
    let places = i32::try_from(b.shift).unwrap_or(0);
    let fits = value.compare(high.scaled(-places)) != std::cmp::Ordering::Greater;
    if a.shift > 0 || b.shift == 0 || !fits {
        return;
    }
    let scaled = QuantityKind::Number {
        value: value.shifted(b.shift),
        unit: unit.clone(),
    };
    let plain = std::mem::replace(&mut a.kind, scaled);
    a.others.extend(Some(plain).filter(|_| !sure));
}

/// `$40 to 55`; not `$4m to 12 people`
fn share_currency(text: &str, a: &Quantity, b: &mut Quantity) {
    if a.shift > 0 && b.shift == 0 {
        return;
    }
    let written = text.get(a.range.clone()).unwrap_or_default();
    let sign = written.trim_start_matches('-').chars().next();
    let currency = sign.and_then(|sign| LEXICON.currency(sign));
    if let (Some(currency), QuantityKind::Number { unit, .. }) = (currency, &mut b.kind)
        && !matches!(unit, Unit::Dimension(_))
    {
        *unit = Unit::Dimension(currency);
    }
}

fn share_unit(a: &mut Quantity, b: &Quantity) {
    let QuantityKind::Number { unit, .. } = &b.kind else {
        return;
    };
    if *unit == Unit::None {
        return;
    }
    match &mut a.kind {
        QuantityKind::Number { unit: own, .. } if *own == Unit::None => *own = unit.clone(),
        QuantityKind::Year(year) => {
            a.kind = QuantityKind::Number {
                value: Decimal::whole(u32::from(*year)),
                unit: unit.clone(),
            };
        }
        _ => {}
    }
}

/// An amount in two units: `1 h 25 min`, `1 hour and 25 minutes`, `2 kg 300 g`.
fn compound(text: &str, a: &Quantity, b: &Quantity) -> Option<Quantity> {
    let between = text.get(a.range.end..b.range.start)?;
    let QuantityKind::Number { value: whole, unit } = &a.kind else {
        return None;
    };
    let long = unit.measure()?;
    // A single letter behind a blank is not a part of the quantity.
    let between = match unit {
        Unit::Count(noun) => between.strip_prefix(' ')?.strip_prefix(&**noun)?,
        _ => between,
    };
    let is_time = LEXICON.word("hours").and_then(|entry| entry.unit);
    let is_time = is_time.is_some_and(|time| time.id == long.id);
    let joins = match between {
        " " | "" => true,
        " and " | ", " | ", and " => is_time,
        _ => false,
    };
    let mut readings = [&b.kind].into_iter().chain(&b.others);
    let (part, unit, short) = readings.find_map(|kind| match kind {
        QuantityKind::Number { value, unit } => {
            let short = unit.measure().filter(|short| short.id == long.id)?;
            Some((value, unit, short))
        }
        _ => None,
    })?;
    // All in parts of the smaller unit, which must be smaller than one of the larger.
    let (num, den) = (
        long.num.checked_mul(short.den)?,
        short.num.checked_mul(long.den)?,
    );
    let is_less =
        part.times(den, 1).compare(Decimal::one().times(num, 1)) == std::cmp::Ordering::Less;
    if !joins
        || den == 0
        || num % den != 0
        || !(2..=1000).contains(&(num / den))
        || !is_less
        || a.shift + b.shift > 0
    {
        return None;
    }
    let value = whole.times(num / den, 1).plus(*part)?;
    let words = a
        .unit_words
        .clone()
        .map_or(a.range.end, |words| words.start);
    let mut both = super::date::plain(
        a.range.start..b.range.end,
        QuantityKind::Number {
            value,
            unit: unit.clone(),
        },
    );
    both.unit_words = Some(words..b.range.end);
    both.parts = vec![a.kind.clone(), b.kind.clone()];
    Some(both)
}

/// Whether a count noun is behind a number that ends here.
fn counts(scanner: &Scanner<'_>, end: usize) -> bool {
    let tail = scanner.unit_tail(end, None);
    tail.is_some_and(|tail| tail.unit != Unit::None)
}

/// A name that gives a unit.
#[derive(Debug, Clone)]
struct Name {
    unit: Dimension,
    /// From the word for the unit to the end of the name.
    range: Range<usize>,
    /// It is the unit of an earlier quantity.
    taken: bool,
}

/// The names of a text that give units, read once from left to right.
struct Names<'t> {
    text: &'t str,
    read_to: usize,
    last: Option<Name>,
}

impl Names<'_> {
    /// The last one before this position, on its line.
    fn last_before(&mut self, start: usize, earlier: Option<&Range<usize>>) -> Option<Name> {
        let head = self.text.get(self.read_to..start).unwrap_or_default();
        for line in head.split_inclusive('\n') {
            each_word(line, Style::Text, &mut |word, place| {
                let entry = LEXICON.word(word);
                let entry = entry.filter(|entry| entry.is(List::ImpliedUnit));
                if let Some(unit) = entry.and_then(|entry| entry.unit) {
                    let from = self.read_to + place.start;
                    self.last = Some(Name {
                        unit,
                        range: from..end_of_name(self.text, from),
                        taken: earlier.is_some_and(|range| range.contains(&from)),
                    });
                }
            });
            self.read_to += line.len();
            if line.ends_with('\n') {
                self.last = None;
            }
        }
        self.last.clone()
    }

    /// Whether a number that could be a year is rather an amount in the unit of the name:
    /// `TIMEOUT_MS: u32 = 2000` is, `Timeout seconds grew in 2022` and `12 percent (2022)` are not.
    fn say_amount(&self, name: &Name, other: usize, start: usize) -> bool {
        if name.taken {
            return false;
        }
        let from = other.max(name.range.end);
        let between = self.text.get(from..start).unwrap_or_default();
        if !between.contains(is_letter) {
            return true;
        }
        let another_entry = other > name.range.end || between.contains([',', ';', '#', '|']);
        !another_entry && between.contains(['=', ':', '('])
    }
}

fn end_of_name(text: &str, from: usize) -> usize {
    let tail = text.get(from..).unwrap_or_default();
    let belongs = |c: char| is_word_char(c) || matches!(c, '-' | '.');
    from + tail.find(|c| !belongs(c)).unwrap_or(tail.len())
}
