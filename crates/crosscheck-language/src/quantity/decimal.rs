//! Exact values of quantities.

use std::cmp::Ordering;

/// `mantissa * 10^exponent`, without trailing zeros in the mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i128,
    exponent: i32,
}

/// A number with more digits has no value.
const DIGITS: usize = 18;

impl Decimal {
    /// A whole number.
    pub fn whole(value: u32) -> Self {
        Self {
            mantissa: i128::from(value),
            exponent: 0,
        }
        .tidy()
    }

    fn tidy(mut self) -> Self {
        if self.mantissa == 0 {
            self.exponent = 0;
        }
        // Division is quick where 64 bits suffice, and they nearly always do.
        if let Ok(mut small) = i64::try_from(self.mantissa) {
            while small != 0 && small % 10 == 0 {
                small /= 10;
                self.exponent += 1;
            }
            self.mantissa = i128::from(small);
            return self;
        }
        while self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.exponent += 1;
        }
        self
    }

    /// From digits and the number of digits behind the point; at most 18 digits count.
    pub(super) fn parse(digits: &str, behind: usize, negative: bool) -> Option<Self> {
        let significant = digits.trim_start_matches('0');
        let cut = significant.trim_end_matches('0');
        let dropped = significant.len() - cut.len();
        if cut.len() > DIGITS {
            return None;
        }
        // at most 18 digits fit into 64 bits
        let mantissa: i64 = if cut.is_empty() { 0 } else { cut.parse().ok()? };
        let mantissa = i128::from(mantissa);
        let exponent = i32::try_from(dropped).ok()? - i32::try_from(behind).ok()?;
        Some(
            Self {
                mantissa: if negative { -mantissa } else { mantissa },
                exponent,
            }
            .tidy(),
        )
    }

    /// The value times a power of ten.
    #[must_use]
    pub fn shifted(mut self, places: i32) -> Self {
        if self.mantissa != 0 {
            self.exponent = self.exponent.saturating_add(places);
        }
        self
    }

    /// Mantissas have at most 18 digits and factors together less than 20, so nothing is lost.
    #[must_use]
    pub fn times(self, a: i128, b: i128) -> Self {
        Self {
            mantissa: self.mantissa.saturating_mul(a).saturating_mul(b),
            exponent: self.exponent,
        }
        .tidy()
    }

    /// The value, if it is a small integer.
    pub(super) fn small(self) -> Option<u16> {
        let exponent = u32::try_from(self.exponent).ok().filter(|e| *e <= 4)?;
        u16::try_from(self.mantissa.checked_mul(10i128.pow(exponent))?).ok()
    }

    /// The digits without zeros at the ends.
    pub(super) fn digits(self) -> String {
        let digits = self.mantissa.unsigned_abs().to_string();
        digits.trim_matches('0').to_owned()
    }

    /// The nearest value to calculate with.
    #[expect(clippy::cast_precision_loss, reason = "15 digits are enough")]
    pub(super) fn float(self) -> f64 {
        self.mantissa as f64 * 10f64.powi(self.exponent)
    }

    /// A spelling for tests.
    #[cfg(test)]
    pub(super) fn shown(self) -> String {
        format!("{}e{}", self.mantissa, self.exponent)
    }

    /// Which one is larger.
    pub fn compare(self, other: Self) -> Ordering {
        self.float().total_cmp(&other.float())
    }

    /// The sum, if it fits.
    pub fn plus(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let raised = |one: Self| {
            let places = u32::try_from(one.exponent.checked_sub(exponent)?).ok()?;
            one.mantissa.checked_mul(10i128.checked_pow(places)?)
        };
        let mantissa = raised(self)?.checked_add(raised(other)?)?;
        Some(Self { mantissa, exponent }.tidy())
    }

    /// Whether both have the same digits, shifted by a multiple of three
    /// places.
    pub const fn is_scaled(self, other: Self) -> bool {
        let places = self.exponent.saturating_sub(other.exponent);
        self.mantissa == other.mantissa && places % 3 == 0
    }

    /// Whether the two differ by at most this percentage of `self`.
    pub fn is_within(self, percent: u8, other: Self) -> bool {
        let (own, its) = (self.float(), other.float());
        // what is just so many percent off still counts
        let limit = own.abs() * f64::from(percent) * (1.0 + 1e-12);
        (own - its).abs() * 100.0 <= limit
    }

    /// Judge D9: whether `longer` times `num / den` has more significant digits
    /// than this and, cut or rounded to as many, equals this.
    pub fn is_rounded(self, longer: Self, num: i128, den: i128) -> bool {
        let keep = self.digits().len();
        let text = format!(
            "{:.14e}",
            longer.times(num, 1).float() / Self::whole(1).times(den, 1).float()
        );
        let Some((digits, exponent)) = text.split_once('e') else {
            return false;
        };
        let is_negative = digits.starts_with('-');
        let digits = digits.trim_start_matches('-').replace('.', "");
        let digits = digits.trim_end_matches('0');
        let (Some((kept, rest)), Ok(exponent)) =
            (digits.split_at_checked(keep), exponent.parse::<i32>())
        else {
            return false;
        };
        let Some(cut) = Self::parse(kept, keep - usize::from(keep > 0), is_negative) else {
            return false;
        };
        let one = Self::parse("1", keep - usize::from(keep > 0), is_negative);
        let up = one
            .filter(|_| rest.starts_with(['5', '6', '7', '8', '9']))
            .and_then(|one| cut.plus(one));
        keep > 0
            && !rest.is_empty()
            && [Some(cut), up]
                .into_iter()
                .flatten()
                .any(|value| value.shifted(exponent) == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        let negative = text.starts_with('-');
        let text = text.trim_start_matches('-');
        let behind = text.find('.').map_or(0, |at| text.len() - at - 1);
        Decimal::parse(&text.replace('.', ""), behind, negative).unwrap()
    }

    #[test]
    fn values_are_ordered_as_numbers_are() {
        let sorted = [
            "-120", "-12.5", "-0.3", "0", "0.02", "0.3", "7", "12.5", "120", "99000000",
        ];
        for (at, a) in sorted.iter().enumerate() {
            for (other, b) in sorted.iter().enumerate() {
                assert_eq!(decimal(a).compare(decimal(b)), at.cmp(&other), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_rounded_value_is_the_longer_one_cut_or_rounded_half_up() {
        for (short, long, num, den, expected) in [
            ("164", "164.8", 1, 1, true),
            ("165", "164.8", 1, 1, true),
            ("166", "164.8", 1, 1, false),
            ("164.8", "164", 1, 1, false),
            ("10", "9.97", 1, 1, true),
            ("20", "25", 1, 1, true),
            ("20", "31", 1, 1, false),
            ("1000", "999.9", 1, 1, true),
            ("1.7", "100", 1, 60, true),
            ("1.6", "100", 1, 60, true),
            ("1.5", "100", 1, 60, false),
            ("-3", "-3.2", 1, 1, true),
            ("3", "-3.2", 1, 1, false),
            ("0.3", "0.312", 1, 1, true),
            ("0", "0.3", 1, 1, false),
            ("5000000", "5123456", 1, 1, true),
        ] {
            let seen = decimal(short).is_rounded(decimal(long), num, den);
            assert_eq!(seen, expected, "{short} of {long}");
        }
    }

    #[test]
    fn nearness_is_relative_to_the_first_value() {
        assert!(decimal("20").is_within(15, decimal("22")));
        assert!(decimal("20").is_within(15, decimal("23")));
        assert!(!decimal("20").is_within(15, decimal("23.1")));
        assert!(!decimal("20").is_within(15, decimal("61")));
    }

    proptest::proptest! {
        #[test]
        fn no_value_overflows(a in "[0-9]{1,30}", b in "[0-9]{1,30}", up in 0i32..40, num in 1i128..2_000_000_000_000, den in 1i128..2_000_000_000_000) {
            if let (Some(a), Some(b)) = (Decimal::parse(&a, 0, false), Decimal::parse(&b, 20, true)) {
                let _ = (a.shifted(up).compare(b), a.is_within(15, b.shifted(up)), a.is_rounded(b, num, den), a.times(num, den).small());
            }
        }
    }
}
