//! A quick look for the digits of a value: a text without them need not be read.

use std::ops::Range;

use super::{Decimal, Quantity, QuantityKind};

/// The digits of the values that a quantity can mean, without zeros at the ends.
pub struct Digits(Vec<String>);

impl Digits {
    /// None where other digits can mean the same: `2 h` and `120 min`, the years of a decade, `about
    /// 40`.
    pub fn of(quantity: &Quantity) -> Option<Self> {
        if quantity.is_rounded() {
            return None;
        }
        let readings = || quantity.others.iter().chain([&quantity.kind]);
        let all: Vec<String> = readings().map(digits).collect::<Option<_>>()?;
        // Zero has no digits to look for.
        let is_zero = all.iter().any(String::is_empty);
        (!is_zero).then_some(Self(all))
    }

    /// Which of these parts of a text may have one of the values in digits; they are in order and
    /// do not overlap.
    pub fn may_be_in(
        &self,
        text: &str,
        parts: &(impl Iterator<Item = Range<usize>> + Clone),
    ) -> Vec<bool> {
        let mut found = vec![false; parts.clone().count()];
        for digits in &self.0 {
            let first = digits.bytes().next().unwrap_or(b'0');
            let mut left = parts.clone().zip(&mut found);
            let mut part = left.next();
            for at in memchr::memchr2_iter(first, b'0', text.as_bytes()) {
                while part.as_ref().is_some_and(|(range, _)| range.end <= at) {
                    part = left.next();
                }
                let Some((range, seen)) = &mut part else {
                    break;
                };
                let piece = text.get(range.clone()).unwrap_or_default().as_bytes();
                **seen |= at >= range.start && begins_at(piece, at - range.start, digits);
            }
        }
        found
    }
}

/// Whether a number begins here that has these digits, or zeros before them.
fn begins_at(text: &[u8], at: usize, digits: &str) -> bool {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let run = text.get(at..).unwrap_or_default();
    !before.is_some_and(u8::is_ascii_digit) && (run.starts_with(b"0x") || begins_with(run, digits))
}

fn digits(kind: &QuantityKind) -> Option<String> {
    match kind {
        QuantityKind::Number { value, unit } if unit.measure().is_none() => Some(value.digits()),
        QuantityKind::Year(year) | QuantityKind::Date { year, .. } => {
            Some(Decimal::whole(u32::from(*year)).digits())
        }
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
