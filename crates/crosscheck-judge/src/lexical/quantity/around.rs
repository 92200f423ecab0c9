//! Units that a quantity takes from what stands around it: the other end of
//! its range first, then the name before it on its line.

use std::ops::Range;

use super::super::lexicon::{Dimension, LEXICON};
use super::super::text::{each_word, is_letter, is_word_char};
use super::{Decimal, Kind, Quantity, Scanner, Unit};

/// In `A-B unit` and `A to B unit` the unit belongs to both.
pub(super) fn spread_over_ranges(text: &str, found: &mut [Quantity]) {
    for at in 1..found.len() {
        let (head, tail) = found.split_at_mut(at);
        let (Some(a), Some(b)) = (head.last_mut(), tail.first()) else {
            continue;
        };
        let between = text.get(a.range.end..b.range.start).unwrap_or_default();
        let Kind::Number { unit, .. } = &b.kind else {
            continue;
        };
        if !matches!(between, "-" | " - " | " to ") || *unit == Unit::None {
            continue;
        }
        match &mut a.kind {
            Kind::Number { unit: own, .. } if *own == Unit::None => *own = unit.clone(),
            Kind::Year(year) => {
                a.kind = Kind::Number {
                    value: Decimal::whole(i128::from(*year)),
                    unit: unit.clone(),
                };
            }
            _ => {}
        }
    }
}

/// In `TIMEOUT_MS = 30000` the name says the unit.
pub(super) fn take_from_names(scanner: &Scanner<'_>, found: &mut [Quantity]) {
    let mut names = Names {
        text: scanner.text,
        read_to: 0,
        last: None,
    };
    for at in 0..found.len() {
        let (earlier, rest) = found.split_at_mut(at);
        let Some(quantity) = rest.first_mut() else {
            continue;
        };
        let start = quantity.range.start;
        match &mut quantity.kind {
            Kind::Number { unit, .. } if *unit == Unit::None => {
                if let Some(name) = names.last_before(start) {
                    *unit = Unit::Dimension(name.unit);
                }
            }
            Kind::Year(year) if !counts(scanner, quantity.range.end) => {
                let name = names.last_before(start);
                if let Some(name) = name.filter(|name| names.say_amount(name, earlier, start)) {
                    quantity.kind = Kind::Number {
                        value: Decimal::whole(i128::from(*year)),
                        unit: Unit::Dimension(name.unit),
                    };
                }
            }
            _ => {}
        }
    }
}

/// Whether a count noun stands behind a number that ends here.
fn counts(scanner: &Scanner<'_>, end: usize) -> bool {
    let tail = scanner.unit_tail(end, None);
    tail.is_some_and(|tail| tail.unit != Unit::None)
}

/// A name that says a unit.
#[derive(Debug, Clone)]
struct Name {
    unit: Dimension,
    /// From the word for the unit to the end of the name.
    range: Range<usize>,
}

/// The names of a text that say units, read once from left to right.
struct Names<'t> {
    text: &'t str,
    read_to: usize,
    last: Option<Name>,
}

impl Names<'_> {
    /// The last one before this place, on its line.
    fn last_before(&mut self, start: usize) -> Option<Name> {
        let head = self.text.get(self.read_to..start).unwrap_or_default();
        for line in head.split_inclusive('\n') {
            each_word(line, &mut |word, at| {
                let entry = LEXICON.word(word).filter(|entry| entry.implied_unit);
                if let Some(unit) = entry.and_then(|entry| entry.unit) {
                    let from = self.read_to + at;
                    let range = from..end_of_name(self.text, from);
                    self.last = Some(Name { unit, range });
                }
            });
            self.read_to += line.len();
            if line.ends_with('\n') {
                self.last = None;
            }
        }
        self.last.clone()
    }

    /// Whether a number here that could be a year is rather an amount of what the name says:
    /// `TIMEOUT_MS: u32 = 2000` is, `Timeout seconds grew in 2022` and `12 percent (2022)` are not.
    fn say_amount(&self, name: &Name, earlier: &[Quantity], start: usize) -> bool {
        let holder = earlier.partition_point(|one| one.range.start <= name.range.start);
        let holder = earlier.get(..holder).and_then(<[Quantity]>::last);
        if holder.is_some_and(|one| one.range.contains(&name.range.start)) {
            return false;
        }
        let other = earlier.last().map_or(0, |one| one.range.end);
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
