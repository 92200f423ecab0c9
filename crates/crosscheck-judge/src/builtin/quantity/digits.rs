//! A quick look for the digits of a value: a text without them need not be read.

use super::{Decimal, Kind, Quantity};

/// The digits of the values that a quantity can mean, without zeros at the ends.
pub(in crate::builtin) struct Digits(Vec<String>);

impl Digits {
    /// None where other digits can mean the same: `2 h` and `120 min`, the years of a decade.
    pub(in crate::builtin) fn of(quantity: &Quantity) -> Option<Self> {
        let readings = || quantity.others.iter().chain([&quantity.kind]);
        let mut all: Vec<String> = readings().map(digits).collect::<Option<_>>()?;
        // `1971-75`
        let ends = readings().filter_map(Kind::year);
        let ends = ends.filter(|year| year % 100 > 0);
        // Zero has no digits to look for.
        let is_zero = all.iter().any(String::is_empty);
        all.extend(ends.map(|year| Decimal::whole(u32::from(year % 100)).digits()));
        (!is_zero).then_some(Self(all))
    }

    /// Whether a text may have one of the values in digits.
    pub(in crate::builtin) fn may_be_in(&self, text: &str) -> bool {
        let mut values = self.0.iter();
        values.any(|digits| is_written(text.as_bytes(), digits))
    }
}

/// Whether a number that begins with these digits, or with zeros before them, is in a text.
fn is_written(text: &[u8], digits: &str) -> bool {
    let first = digits.bytes().next().unwrap_or(b'0');
    memchr::memchr2_iter(first, b'0', text).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let run = text.get(at..).unwrap_or_default();
        !before.is_some_and(u8::is_ascii_digit)
            && (run.starts_with(b"0x") || begins_with(run, digits))
    })
}

fn digits(kind: &Kind) -> Option<String> {
    match kind {
        Kind::Number { value, unit } if unit.measure().is_none() => Some(value.digits()),
        Kind::Year(year) | Kind::Date { year, .. } => {
            Some(Decimal::whole(u32::from(*year)).digits())
        }
        Kind::Day { day, .. } => Some(Decimal::whole(u32::from(*day)).digits()),
        _ => None,
    }
}

/// Whether a number with these digits begins a text, whatever marks are between them.
fn begins_with(text: &[u8], digits: &str) -> bool {
    let is_mark = |byte: &&u8| matches!(byte, b',' | b'.' | b'_' | b' ' | b'\'');
    let mut rest = text
        .iter()
        .skip_while(|byte| **byte == b'0' || is_mark(byte))
        .peekable();
    digits.bytes().all(|digit| {
        while rest.next_if(is_mark).is_some() {}
        rest.next_if(|byte| **byte == digit).is_some()
    }) && !rest
        .find(|byte| **byte != b'0')
        .is_some_and(u8::is_ascii_digit)
}
