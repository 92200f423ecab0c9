//! Sampling rates in exact decimal arithmetic: 25 × 0.28 is exactly 7
//! (claims 4).

/// A rate from 0 to 1, taken from its decimal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    /// Decimal digits without leading zeros; empty for zero.
    digits: Vec<u8>,
    /// How many of the digits are behind the point.
    places: usize,
    text: String,
}

/// Longer texts are refused.
const MAX_TEXT: usize = 1000;

impl Rate {
    /// A rate of so many hundredths.
    pub(crate) fn hundredths(value: u8) -> Self {
        let text = format!("0.{value:02}");
        Self {
            digits: value
                .to_string()
                .bytes()
                .map(|digit| digit - b'0')
                .collect(),
            places: 2,
            text,
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
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + behind.len() == 0
            || text.len() > MAX_TEXT
            || !is_digits(whole)
            || !is_digits(behind)
        {
            return None;
        }
        let digits: Vec<u8> = (whole.bytes().chain(behind.bytes()))
            .map(|digit| digit - b'0')
            .skip_while(|digit| *digit == 0)
            .collect();
        let places = i64::try_from(behind.len()).ok()? - i64::from(exponent);
        let rate = Self {
            digits,
            // With an exponent that moves the point to the right, only zero stays below
            // one.
            places: usize::try_from(places.max(0)).ok()?,
            text: text.to_owned(),
        };
        let is_positive = unsigned.is_none() && places >= 0 && rate.is_at_most_one();
        (rate.digits.is_empty() || is_positive).then_some(rate)
    }

    fn is_at_most_one(&self) -> bool {
        match self.digits.len().checked_sub(self.places + 1) {
            None => true,
            Some(0) => {
                self.digits.first() == Some(&1) && self.digits.iter().skip(1).all(|d| *d == 0)
            }
            Some(_) => false,
        }
    }

    /// How many of `total` claims are checked: rounded up, at least one if there is one.
    pub fn of(&self, total: usize) -> usize {
        // Long multiplication from the last digit, so that every place counts.
        let (mut carry, mut rest, mut whole, mut unit) = (0u128, false, 0u128, 1u128);
        let mut place = 0;
        let mut digits = self.digits.iter().rev();
        loop {
            let digit = digits.next();
            if digit.is_none() && carry == 0 {
                break;
            }
            let sum = carry + u128::from(digit.copied().unwrap_or(0)) * total as u128;
            carry = sum / 10;
            if place < self.places {
                rest |= !sum.is_multiple_of(10);
            } else {
                whole = whole.saturating_add((sum % 10).saturating_mul(unit));
                unit = unit.saturating_mul(10);
            }
            place += 1;
        }
        let wanted = whole.saturating_add(u128::from(rest));
        usize::try_from(wanted).unwrap_or(total).max(1).min(total)
    }

    /// Whether this rate selects less than another one.
    pub fn is_below(&self, other: &Self) -> bool {
        const MANY: usize = 1_000_000_000;
        self.of(MANY) < other.of(MANY)
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
