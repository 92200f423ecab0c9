//! Units that a quantity takes from what stands around it: the other end of
//! its range first, then the name before it on its line.

use super::super::lexicon::{Dimension, LEXICON};
use super::super::text::each_word;
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
    for quantity in found {
        let start = quantity.range.start;
        match &mut quantity.kind {
            Kind::Number { unit, .. } if *unit == Unit::None => {
                if let Some(dimension) = names.unit_before(start) {
                    *unit = Unit::Dimension(dimension);
                }
            }
            Kind::Year(year) if !counts(scanner, quantity.range.end) => {
                if let Some(dimension) = names.unit_before(start) {
                    quantity.kind = Kind::Number {
                        value: Decimal::whole(i128::from(*year)),
                        unit: Unit::Dimension(dimension),
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

/// The words of a text that name units, read once from left to right.
struct Names<'t> {
    text: &'t str,
    read_to: usize,
    last: Option<Dimension>,
}

impl Names<'_> {
    /// What the last word says that names a unit before this place, on its line.
    fn unit_before(&mut self, start: usize) -> Option<Dimension> {
        let head = self.text.get(self.read_to..start).unwrap_or_default();
        for (number, line) in head.split('\n').enumerate() {
            if number > 0 {
                self.last = None;
            }
            each_word(line, &mut |word, _| {
                if let Some(entry) = LEXICON.word(word).filter(|entry| entry.implied_unit) {
                    self.last = entry.unit;
                }
            });
        }
        self.read_to = self.read_to.max(start);
        self.last
    }
}
