//! Counts and sums as numbers that can be compared.
//!
//! Servers hand over exact decimals as text. Two different decimals may be
//! the same double, so a decimal whose digits a double does not keep is not
//! compared at all.

use crosscheck_core::canonical::number_text;

use super::SAFE;
use crate::observe::Cell;

/// A count, sum or truth value as a number that can be compared exactly.
pub(super) fn usable(cell: &Cell) -> Option<f64> {
    let number = match cell {
        Cell::Bool(truth) => f64::from(u8::from(*truth)),
        Cell::Number(number) => *number,
        Cell::Text(text) => exact(text)?,
        Cell::Null | Cell::Moment(_) | Cell::Day(_) | Cell::Unreadable => return None,
    };
    number.is_finite().then_some(number)
}

fn exact(text: &str) -> Option<f64> {
    if !text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // only doubles are written with an exponent
    let is_double = text.contains('e');
    let is_kept = number.abs() <= SAFE && digits(text) == digits(&number_text(number));
    (is_double || is_kept).then_some(number)
}

/// Sign, digits without idle zeros, and where the point stands before them.
fn digits(text: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let all = format!("{whole}{fraction}");
    let led = all.trim_start_matches('0');
    let significant = led.trim_end_matches('0').to_owned();
    if significant.is_empty() {
        return (false, significant, 0);
    }
    let exponent: i64 = exponent.parse().unwrap_or_default();
    let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let point = count(whole.len()) - count(all.len() - led.len()) + exponent;
    (mantissa.starts_with('-'), significant, point)
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
