//! Sampling rates in exact decimal arithmetic: 25 × 0.28 is exactly 7.

/// A rate from 0 to 1, taken from its decimal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    digits: u128,
    /// How many of the digits stand behind the point.
    places: u32,
    text: String,
}

impl Rate {
    /// A rate of so many hundredths.
    pub(crate) fn hundredths(value: u8) -> Self {
        Self {
            digits: value.into(),
            places: 2,
            text: format!("0.{value:02}"),
        }
    }

    /// Parses `0.28`, `.5`, `1`, `2.8e-1`; `None` when it is no number from 0 to 1.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, behind) = number.split_once('.').unwrap_or((number, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + behind.len() == 0 || !is_digits(whole) || !is_digits(behind) {
            return None;
        }
        let all = format!("{whole}{behind}");
        let mut digits: u128 = all.trim_start_matches('0').parse().unwrap_or(0);
        if all.trim_start_matches('0').len() > 30 {
            return None;
        }
        let places = i64::try_from(behind.len()).ok()? - i64::from(exponent);
        if places < 0 {
            digits = digits.checked_mul(10u128.checked_pow(u32::try_from(-places).ok()?)?)?;
        }
        let places = u32::try_from(places.max(0)).ok()?;
        let at_most_one = 10u128.checked_pow(places).is_none_or(|one| digits <= one);
        at_most_one.then(|| Self {
            digits,
            places,
            text: text.to_owned(),
        })
    }

    /// How many of `total` claims are checked: rounded up, at least one if there is one.
    pub fn of(&self, total: usize) -> usize {
        let wanted = match 10u128.checked_pow(self.places) {
            Some(one) => (self.digits * total as u128).div_ceil(one),
            None => u128::from(self.digits > 0),
        };
        usize::try_from(wanted).unwrap_or(total).max(1).min(total)
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
            ("0.3", 0, 0),
            ("1", 9, 9),
            ("1.0", 9, 9),
            (".5", 3, 2),
            ("28e-2", 25, 7),
            ("1e-60", 1000, 1),
            ("0.07", 100, 7),
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
            "", ".", "-0.1", "1.01", "2", "1e1", "0,5", "NaN", "0x1", "half", "+0.5",
        ] {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
    }
}
