//! Counts and sums as numbers that can be compared.
//!
//! Servers hand over exact decimals as text, and what is expected may have
//! been rounded when it was read. Rounding keeps the order: of two decimals
//! whose doubles differ, the one with the larger double is larger. Only where
//! the doubles are the same and digits were lost, nothing can be said.
//!
//! Contract: check 6.4.

use crosscheck_core::canonical::number_text;

use super::SAFE;
use crate::compare::number::Decimal;
use crate::observe::Cell;

/// A count, sum or truth value as a number that can be compared exactly.
pub(super) fn usable(cell: &Cell) -> Option<f64> {
    let number = match cell {
        Cell::Bool(truth) => f64::from(u8::from(*truth)),
        Cell::Number(number) => *number,
        Cell::Text(text) => exact(text)?,
        Cell::Null | Cell::Moment(_) | Cell::Day(_) | Cell::Document(_) | Cell::Unreadable => {
            return None;
        }
    };
    number.is_finite().then_some(number)
}

/// The number to compare with an expected one.
#[expect(
    clippy::float_cmp,
    reason = "whether two doubles are the same is the question"
)]
pub(super) fn usable_beside(cell: &Cell, expected: f64) -> Option<f64> {
    match cell {
        Cell::Text(text) => nearest(text)
            .filter(|number| number.is_finite() && *number != expected)
            .or_else(|| usable(cell)),
        _ => usable(cell),
    }
}

/// The nearest double of a decimal.
fn nearest(text: &str) -> Option<f64> {
    let begins = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    begins.then(|| text.parse().ok()).flatten()
}

fn exact(text: &str) -> Option<f64> {
    let number = nearest(text)?;
    // only doubles are written with an exponent
    let is_double = text.contains('e');
    let kept = Decimal::parse(&number_text(number));
    let is_kept = number.abs() <= SAFE && kept.is_some() && Decimal::parse(text) == kept;
    (is_double || is_kept).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_double_keeps_are_unusable() {
        let table = [
            ("150", Some(150.0)),
            ("150.00", Some(150.0)),
            ("-1.50", Some(-1.5)),
            ("0.1", Some(0.1)),
            ("0.30000000000000004", Some(0.300_000_000_000_000_04)),
            ("0.0000001", Some(1e-7)),
            ("0.000", Some(0.0)),
            ("-0.00", Some(0.0)),
            ("9007199254740991", Some(SAFE)),
            ("1e+300", Some(1e300)),
            ("9007199254740992", None),
            ("9007199254740993", None),
            // its nearest double is written 100000000000000.02
            ("100000000000000.01", None),
            ("0.30000000000000000001", None),
            ("123456789012345678.5", None),
            ("NaN", None),
            ("Infinity", None),
            ("$1", None),
            ("", None),
            ("12x", None),
        ];
        for (text, expected) in table {
            assert_eq!(usable(&Cell::Text(text.into())), expected, "{text}");
        }
    }

    #[test]
    fn digits_that_were_lost_matter_only_beside_the_same_double() {
        let table = [
            ("123456789.123456789", 1.0, Some(123_456_789.123_456_79)),
            ("123456789.123456789", 123_456_789.123_456_79, None),
            ("9007199254740993", 9_007_199_254_740_992.0, None),
            ("9007199254740993", 5.0, Some(9_007_199_254_740_992.0)),
            ("-100.00000000000000001", -100.0, None),
            ("-100.00000000000000001", -99.0, Some(-100.0)),
            ("150.00", 150.0, Some(150.0)),
            ("-0.00", 0.0, Some(0.0)),
            ("-Infinity", 1.0, None),
            ("12x", 1.0, None),
        ];
        for (text, expected, number) in table {
            let cell = Cell::Text(text.into());
            assert_eq!(usable_beside(&cell, expected), number, "{text} {expected}");
        }
        assert_eq!(usable_beside(&Cell::Null, 1.0), None);
        assert_eq!(usable_beside(&Cell::Number(1.0), 1.0), Some(1.0));
    }

    #[test]
    fn doubles_and_truth_values_are_numbers_and_the_rest_is_not() {
        let table = [
            (Cell::Number(1e16), Some(1e16)),
            (Cell::Number(f64::INFINITY), None),
            (Cell::Number(f64::NAN), None),
            (Cell::Bool(true), Some(1.0)),
            (Cell::Bool(false), Some(0.0)),
            (Cell::Null, None),
            (Cell::Day("2024-01-01".to_owned()), None),
            (Cell::Unreadable, None),
        ];
        for (cell, expected) in table {
            assert_eq!(usable(&cell), expected, "{cell:?}");
        }
    }
}
