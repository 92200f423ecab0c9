//! Numbers.

use super::{Kind, Reader};
use crate::canonical;
use crate::read::forms::leading_natural;

/// Integers up to this length fit a double.
const FEW_DIGITS: usize = 300;

impl Reader<'_, '_> {
    pub(super) fn number(&mut self, start: usize) -> Option<usize> {
        // most numbers are whole and not negative
        if let Some((_, length)) = leading_natural(self.bytes.get(start..)?) {
            let end = start + length;
            if !matches!(self.bytes.get(end), Some(b'.' | b'e' | b'E')) {
                self.push(Kind::Integer, (start, end), 0, true);
                return Some(end);
            }
        }
        self.any_number(start)
    }

    fn any_number(&mut self, start: usize) -> Option<usize> {
        let first = start + usize::from(self.is(b'-', start));
        let whole = match self.bytes.get(first)? {
            b'0' => first + 1,
            b'1'..=b'9' => self.digits(first)?,
            _ => return None,
        };
        let (mut kind, mut at) = (Kind::Integer, whole);
        if self.is(b'.', at) {
            kind = Kind::Double;
            at = self.digits(at + 1)?;
        }
        let fraction = at;
        if self.is(b'e', at) || self.is(b'E', at) {
            kind = Kind::Double;
            let signed = self.is(b'+', at + 1) || self.is(b'-', at + 1);
            at = self.digits(at + 1 + usize::from(signed))?;
        }
        let is_short = kind == Kind::Double
            && at == fraction
            && canonical::is_short_decimal(
                self.bytes.get(first..whole)?,
                self.bytes.get(whole + 1..fraction)?,
            );
        let canonical = is_short || is_canonical(self.source.get(start..at)?, kind)?;
        self.open.canonical &= canonical;
        self.push(kind, (start, at), 0, canonical);
        Some(at)
    }

    /// The end of at least one digit.
    fn digits(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        (at > start).then_some(at)
    }
}

/// Whether a number is written canonically; nothing if it is infinite.
#[inline(never)]
fn is_canonical(text: &str, kind: Kind) -> Option<bool> {
    let is_finite = text.len() <= FEW_DIGITS && !text.contains(['e', 'E'])
        || text.parse::<f64>().is_ok_and(f64::is_finite);
    is_finite.then(|| match kind {
        Kind::Integer => text != "-0",
        _ => canonical::is_canonical_double(text),
    })
}
