//! Units that a quantity takes from its surroundings: first the other end of
//! its range (judge Q5), then the name before it on its line (judge Q9).

use std::ops::Range;

use super::super::lexicon::{Dimension, LEXICON, List};
use super::super::text::{Style, each_word, is_letter, is_word_char};
use super::scan::Scanner;
use super::{Decimal, Kind, Quantity, Unit};

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
    pub(super) fn put(&mut self, quantity: Quantity) {
        if let Some(mut before) = self.pending.take() {
            share_unit(self.scanner.text, &mut before, &quantity);
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
            Kind::Number { unit, .. } if *unit == Unit::None => {
                *unit = Unit::Dimension(name.unit);
            }
            Kind::Year(year) if !counts(self.scanner, quantity.range.end) => {
                let other = self.earlier.as_ref().map_or(0, |range| range.end);
                if self.names.say_amount(&name, other, start) {
                    quantity.kind = Kind::Number {
                        value: Decimal::whole(u32::from(*year)),
                        unit: Unit::Dimension(name.unit),
                    };
                }
            }
            _ => {}
        }
    }
}

/// In `A-B unit` and `A to B unit` the unit belongs to both.
fn share_unit(text: &str, a: &mut Quantity, b: &Quantity) {
    let between = text.get(a.range.end..b.range.start).unwrap_or_default();
    let Kind::Number { unit, .. } = &b.kind else {
        return;
    };
    if !matches!(between, "-" | " - " | " to ") || *unit == Unit::None {
        return;
    }
    match &mut a.kind {
        Kind::Number { unit: own, .. } if *own == Unit::None => *own = unit.clone(),
        Kind::Year(year) => {
            a.kind = Kind::Number {
                value: Decimal::whole(u32::from(*year)),
                unit: unit.clone(),
            };
        }
        _ => {}
    }
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
