//! Sampling rates in exact decimal arithmetic: 25 × 0.28 is exactly 7
//! (claims 4).

use num_bigint::BigUint;

/// A rate from 0 to 1, taken from its decimal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    /// Its digits without the point.
    digits: BigUint,
    /// Ten to the number of digits behind the point.
    unit: BigUint,
    text: String,
}

/// Longer texts are refused.
const MAX_TEXT: usize = 1000;
/// With more places even the largest number of digits is next to nothing.
const MAX_PLACES: i64 = 2000;

impl Rate {
    /// A rate of so many hundredths.
    pub(crate) fn hundredths(value: u8) -> Self {
        Self {
            digits: value.into(),
            unit: 100_u8.into(),
            text: format!("0.{value:02}"),
        }
    }

    /// Parses `0.28`, `.5`, `1`, `2.8e-1`; `None` if it is not a number from 0 to
    /// 1.
    pub fn parse(text: &str) -> Option<Self> {
        // `-0` is accepted: it is not below zero.
        let unsigned = text.strip_prefix('-');
        let (number, exponent) = match unsigned.unwrap_or(text).split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (unsigned.unwrap_or(text), 0),
        };
        let (whole, behind) = number.split_once('.').unwrap_or((number, ""));
        let digits = [whole, behind].concat();
        if text.len() > MAX_TEXT || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: BigUint = digits.parse().ok()?;
        let is_zero = digits == BigUint::ZERO;
        let places = i64::try_from(behind.len()).ok()? - i64::from(exponent);
        let places = if is_zero { 0 } else { places };
        let unit = BigUint::from(10_u8).pow(u32::try_from(places.min(MAX_PLACES)).ok()?);
        let is_rate = is_zero || (unsigned.is_none() && digits <= unit);
        is_rate.then(|| Self {
            digits,
            unit,
            text: text.to_owned(),
        })
    }

    /// How many of `total` claims are checked: rounded up, at least one if there is one.
    pub fn of(&self, total: usize) -> usize {
        let wanted = (&self.digits * total + &self.unit - 1_u8) / &self.unit;
        usize::try_from(wanted).unwrap_or(total).max(1).min(total)
    }

    /// Whether this rate selects less than another one.
    pub fn is_below(&self, other: &Self) -> bool {
        &self.digits * &other.unit < &other.digits * &self.unit
    }

    /// The rate as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up_without_binary_errors() {
        let table = [
            ("0.28", 25, 7),
            ("0.30", 10, 3),
            ("0.15", 20, 3),
            ("0.15", 21, 4),
            ("0.05", 1, 1),
            ("0", 9, 1),
            ("-0.0", 9, 1),
            ("0.3", 0, 0),
            ("1", 9, 9),
            ("1.0", 9, 9),
            (".5", 3, 2),
            ("28e-2", 25, 7),
            ("1e-60", 1000, 1),
            ("0.07", 100, 7),
            ("0.070000000000000000000000000000000001", 100, 8),
            ("0.280000000000000000000000000000000001", 25, 8),
            ("0.999999999999999999999999999999999999999", 7, 7),
            ("1.0000000000000000000000000000000000000000", 7, 7),
            ("0.5e0", 7, 4),
            ("0e9", 7, 1),
            ("1e-2147483648", 7, 1),
            ("1", usize::MAX, usize::MAX),
            ("0.5", usize::MAX, usize::MAX / 2 + 1),
        ];
        for (rate, total, expected) in table {
            assert_eq!(
                Rate::parse(rate).unwrap().of(total),
                expected,
                "{rate} of {total}"
            );
        }
    }

    #[test]
    fn only_numbers_from_0_to_1_are_rates() {
        for text in [
            "",
            ".",
            "-0.1",
            "-1",
            "--0",
            "-",
            "1.01",
            "2",
            "1e1",
            "0,5",
            "NaN",
            "0x1",
            "half",
            "+0.5",
            "1.00000000000000000000000000000000000001",
            "0.5e1",
        ] {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
    }
}
