//! Units that a quantity takes from its surroundings: first the other end of
//! its range (judge Q5), then the name before it on its line (judge Q9).

use super::scan::Scanner;
use super::{Decimal, Quantity, QuantityKind, Unit};
use crate::lexicon::{Dimension, LEXICON, List};
use crate::text::{Style, each_word};

/// Holds each quantity back until the next one is known.
pub(super) struct Around<'a> {
    scanner: &'a Scanner<'a>,
    take: &'a mut dyn FnMut(Quantity),
    pending: Option<Quantity>,
    /// The text before was read for names, and the unit of the last one on its line.
    read_to: usize,
    unit: Option<Dimension>,
}

impl<'a> Around<'a> {
    pub(super) fn new(scanner: &'a Scanner<'a>, take: &'a mut dyn FnMut(Quantity)) -> Self {
        Self {
            scanner,
            take,
            pending: None,
            read_to: 0,
            unit: None,
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
            self.read_names(quantity.range.start);
            if let QuantityKind::Number { unit, .. } = &mut quantity.kind
                && *unit == Unit::None
            {
                *unit = self.unit.map_or(Unit::None, Unit::Dimension);
            }
        }
        (self.take)(quantity);
    }

    /// In `TIMEOUT_MS = 30000` the name gives the unit: the last one before the number, on its line.
    fn read_names(&mut self, start: usize) {
        let head = self.scanner.text.get(self.read_to..start);
        for line in head.unwrap_or_default().split_inclusive('\n') {
            each_word(line, Style::Text, &mut |word, _| {
                let entry = LEXICON.word(word);
                let entry = entry.filter(|entry| entry.is(List::ImpliedUnit));
                self.unit = entry.and_then(|entry| entry.unit).or(self.unit);
            });
            if line.ends_with('\n') {
                self.unit = None;
            }
        }
        self.read_to = self.read_to.max(start);
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
    let fits = value.compare(high.shifted(-b.shift)) != std::cmp::Ordering::Greater;
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
        part.times(den, 1).compare(Decimal::whole(1).times(num, 1)) == std::cmp::Ordering::Less;
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
