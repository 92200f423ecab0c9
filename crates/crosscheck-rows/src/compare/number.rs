//! Numbers, compared as the decimals they were written as.

use std::cmp::Ordering;

use crate::compare::value::Value;
use crate::observe::Cell;

/// Exponents beyond this are not an amount.
const EXPONENT: i64 = 400;
/// Floats whose digits are as many as these carry an error of calculation.
const FLOAT_DIGITS: u128 = 1_000_000_000_000;
/// They are rounded to so many places.
const FLOAT_PLACES: i64 = 6;

/// More digits are no amount, but the name of something.
const DIGITS: usize = 38;

/// A decimal number: a whole number, without zeros at its end, times a power of ten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    mantissa: i128,
    exponent: i64,
}

impl Decimal {
    /// A number as text, with blanks around it at most.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let kept = digits.trim_end_matches('0');
        let places = i64::try_from(fraction.len()).ok()?;
        let dropped = i64::try_from(digits.len() - kept.len()).ok()?;
        let kept = kept.trim_start_matches('0');
        let mantissa: i128 = match kept.len() {
            0 => 0,
            1..=DIGITS => kept.parse().ok()?,
            _ => return None,
        };
        Some(Self::made(sign * mantissa, exponent - places + dropped))
    }

    fn made(mut mantissa: i128, mut exponent: i64) -> Self {
        while mantissa != 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        Self {
            mantissa,
            exponent: if mantissa == 0 { 0 } else { exponent },
        }
    }

    pub(crate) fn of_whole(number: i64) -> Self {
        Self::made(number.into(), 0)
    }

    /// A double by its shortest digits. `13.750000000000028` is 13.75.
    pub(crate) fn of_float(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        let decimal = Self::parse(&format!("{number:e}"))?;
        let is_noisy = decimal.mantissa.unsigned_abs() >= FLOAT_DIGITS && number.abs() < 1e9;
        Some(if is_noisy {
            decimal.rounded(FLOAT_PLACES)
        } else {
            decimal
        })
    }

    /// The number of a claimed value, or of its text.
    pub(crate) fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(digits) if digits.contains(['.', 'e', 'E']) => {
                Self::of_float(digits.parse().ok()?)
            }
            Value::Number(text) | Value::Text(text) => Self::parse(text),
            Value::Null | Value::Bool(_) | Value::Json(_) => None,
        }
    }

    /// The number in a column, or that of its text.
    pub(crate) fn of_cell(cell: &Cell) -> Option<Self> {
        match cell {
            Cell::Number(number) => Self::of_float(*number),
            Cell::Text(text) => Self::parse(text),
            Cell::Null
            | Cell::Bool(_)
            | Cell::Moment(_)
            | Cell::Day(_)
            | Cell::Document(_)
            | Cell::Unreadable => None,
        }
    }

    /// Its digits as a whole number, and the power of ten that they are times.
    pub(crate) const fn parts(&self) -> (i128, i64) {
        (self.mantissa, self.exponent)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.exponent >= 0
    }

    pub(crate) fn to_f64(&self) -> f64 {
        let text = format!("{}e{}", self.mantissa, self.exponent);
        text.parse().unwrap_or(f64::NAN)
    }

    /// A hundred times as much.
    pub(crate) fn hundredfold(&self) -> Self {
        Self::made(self.mantissa, self.exponent + 2)
    }

    /// Whether one may be the other in a unit that people use: seconds for
    /// minutes, grams for kilograms.
    pub(crate) fn is_of_another_unit(&self, other: &Self) -> bool {
        let (one, other) = (self.to_f64(), other.to_f64());
        let is_so = |unit: f64| {
            let near = |a: f64, b: f64| (a * unit - b).abs() <= b.abs() * 1e-12;
            near(one, other) || near(other, one)
        };
        !self.is_zero() && other != 0.0 && [60.0, 1000.0, 3600.0].into_iter().any(is_so)
    }

    /// Whether it rounds to another number at so many places behind the
    /// point. Most databases round halves away from zero, some to even.
    pub(crate) fn rounds_to(&self, other: &Self, places: i64) -> bool {
        self.rounded(places) == *other || self.round(places, true) == *other
    }

    /// Rounded to so many places behind the point, half to even.
    fn rounded(&self, places: i64) -> Self {
        self.round(places, false)
    }

    fn round(&self, places: i64, halves_go_up: bool) -> Self {
        let Some(surplus) = u32::try_from(-places - self.exponent).ok() else {
            return self.clone();
        };
        let Some(unit) = 10_i128.checked_pow(surplus) else {
            return Self::made(0, 0);
        };
        let (kept, rest) = (self.mantissa / unit, (self.mantissa % unit).abs());
        let up = match rest.cmp(&(unit / 2)) {
            _ if surplus == 0 => false,
            Ordering::Greater => true,
            Ordering::Equal => halves_go_up || kept % 2 != 0,
            Ordering::Less => false,
        };
        let kept = kept + if up { self.mantissa.signum() } else { 0 };
        Self::made(kept, -places)
    }

    /// Equal, or so close that a calculation may have made the difference.
    /// Whole numbers count something and are compared exactly.
    pub(crate) fn is_about(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        if (self.is_whole() && other.is_whole()) || self.is_zero() {
            return false;
        }
        let (a, b) = (self.to_f64(), other.to_f64());
        (a - b).abs() <= a.abs() * 1e-9
    }
}

fn exponent_of(text: &str) -> Option<i64> {
    let exponent: i64 = text.parse().ok()?;
    (exponent.abs() <= EXPONENT).then_some(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn spellings_of_one_number_are_equal() {
        for (one, other) in [
            ("1.50", "1.5"),
            ("+7", "7"),
            ("1e2", "100"),
            (".5", "0.5"),
            ("-0", "0"),
            (" 12 ", "12."),
        ] {
            assert_eq!(decimal(one), decimal(other), "{one}");
        }
        for text in ["", ".", "1e", "1.2.3", "0x1", "1,5", "NaN", "--1", "1e9999"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn noise_of_floats_is_rounded_away() {
        assert_eq!(
            Decimal::of_float(13.750_000_000_000_028),
            Some(decimal("13.75"))
        );
        assert_eq!(Decimal::of_float(0.1 + 0.2), Some(decimal("0.3")));
        assert_eq!(
            Decimal::of_float(1_234_567.891),
            Some(decimal("1234567.891"))
        );
        assert_eq!(Decimal::of_float(f64::NAN), None);
    }

    #[test]
    fn rounding_goes_to_the_even_neighbour() {
        for (text, places, expected) in [
            ("1.005", 2, "1"),
            ("1.015", 2, "1.02"),
            ("9.999", 2, "10"),
            ("0.4", 0, "0"),
            ("-2.5", 0, "-2"),
            ("12", 2, "12"),
        ] {
            assert_eq!(decimal(text).rounded(places), decimal(expected), "{text}");
        }
        for (text, stored, is_so) in [
            ("10.125", "10.13", true),
            ("10.125", "10.12", true),
            ("-10.125", "-10.13", true),
            ("10.124", "10.13", false),
            ("0.005", "0.01", true),
            ("10.125", "10.14", false),
        ] {
            assert_eq!(
                decimal(text).rounds_to(&decimal(stored), 2),
                is_so,
                "{text}"
            );
        }
    }

    #[test]
    fn fractions_may_differ_a_little_and_whole_numbers_not_at_all() {
        assert!(decimal("19.9000000001").is_about(&decimal("19.9")));
        assert!(!decimal("19.91").is_about(&decimal("19.9")));
        assert!(!decimal("4155550123").is_about(&decimal("4155550124")));
        assert!(decimal("12345678901234567890").is_about(&decimal("12345678901234567890")));
    }
}
