//! The number formats of the contracts.

use std::fmt::Write as _;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// As ECMAScript writes the nearest double; infinity and NaN are `null`.
    Ecma,
    /// Integers keep all their digits; `1` and `1.0` are different numbers.
    Exact,
    /// One text for equal values: digits and a power of ten. Not JSON.
    Value,
    /// As in the text.
    Source,
}

impl Numbers {
    /// Appends a number given by its digits.
    pub(crate) fn push(self, out: &mut Vec<u8>, text: &str) {
        let number = || text.parse().unwrap_or(f64::NAN);
        let is_integer = || !text.contains(['.', 'e', 'E']);
        match self {
            // a short integer is its own text
            Self::Ecma if text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                out.extend_from_slice(text.as_bytes());
            }
            Self::Ecma => match number() {
                number if number.is_finite() => {
                    out.extend_from_slice(ryu_js::Buffer::new().format(number).as_bytes());
                }
                _ => out.extend_from_slice(b"null"),
            },
            Self::Exact if is_integer() => {
                out.extend_from_slice(if text == "-0" { b"0" } else { text.as_bytes() });
            }
            Self::Exact if is_short_decimal(text) => out.extend_from_slice(text.as_bytes()),
            Self::Exact => out.extend_from_slice(double_text(number()).as_bytes()),
            Self::Source => out.extend_from_slice(text.as_bytes()),
            Self::Value => {
                let value = decimal(text);
                out.extend_from_slice(value.as_deref().unwrap_or(text).as_bytes());
            }
        }
    }
}

/// Whether a number is a decimal of at most 15 digits without redundant zeros.
/// No two such texts are the same double, so each is the shortest for its
/// double, and [`double_text`] would return the same.
pub fn is_short_decimal(text: &str) -> bool {
    let Some((whole, fraction)) = text.split_once('.') else {
        return false;
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || whole.len() + fraction.len() > 15 {
        return false;
    }
    match (whole.as_bytes(), fraction) {
        (b"0", _) if fraction.starts_with("0000") => false,
        ([b'0', _, ..], _) => false,
        (_, "0") => true,
        _ => !fraction.ends_with('0'),
    }
}

/// ECMAScript `Number::toString`, with `null` for infinity and NaN.
pub fn number_text(number: f64) -> String {
    let mut out = String::new();
    write_number(&mut out, number);
    out
}

/// As [`number_text`], appended.
pub fn write_number(out: &mut String, number: f64) {
    if number.is_finite() {
        out.push_str(ryu_js::Buffer::new().format(number));
    } else {
        out.push_str("null");
    }
}

/// A double as Python writes it: the shortest digits that read back the same,
/// positional from 0.0001 up to 16 digits before the point, otherwise with an
/// exponent of at least two digits.
pub fn double_text(number: f64) -> String {
    let mut out = String::new();
    let mut buffer = ryu_js::Buffer::new();
    // ECMAScript has the same shortest digits but places the point differently
    let shortest = buffer.format(if number == 0.0 { 0.0 } else { number });
    let unsigned = shortest.strip_prefix('-').unwrap_or(shortest);
    if unsigned.len() < shortest.len() {
        out.push('-');
    }
    let (digits, exponent) = scientific(unsigned);
    if (-4..16).contains(&exponent) {
        write_positional(&mut out, &digits, exponent);
        return out;
    }
    let (first, rest) = digits.split_at(digits.len().min(1));
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    out
}

/// The significant digits, and the exponent of the first of them.
fn scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return ("0".to_owned(), 0);
    }
    let zeros = all.len() - digits.len();
    let place = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let exponent = exponent + place(whole.len()) - 1 - place(zeros);
    (digits.trim_end_matches('0').to_owned(), exponent)
}

/// `digits` is d.ddd without its point; `exponent` says where the point goes.
fn write_positional(out: &mut String, digits: &str, exponent: i32) {
    let Ok(exponent) = usize::try_from(exponent) else {
        out.push_str("0.");
        let zeros = exponent.unsigned_abs() as usize - 1;
        out.extend(std::iter::repeat_n('0', zeros));
        out.push_str(digits);
        return;
    };
    let (whole, fraction) = digits.split_at(digits.len().min(exponent + 1));
    out.push_str(whole);
    out.extend(std::iter::repeat_n('0', exponent + 1 - whole.len()));
    out.push('.');
    out.push_str(if fraction.is_empty() { "0" } else { fraction });
}

/// A number as its significant digits and a power of ten; `None` when the
/// exponent does not fit.
fn decimal(number: &str) -> Option<String> {
    let (sign, number) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i64 = exponent.trim_start_matches('+').parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let zeros = i64::try_from(all.len() - digits.len()).ok()?;
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let decimals = i64::try_from(fraction.len()).ok()?;
    let power = exponent.checked_sub(decimals)?.checked_add(zeros)?;
    Some(format!("{sign}{digits}e{power}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::canonical::{Style, text};
    use crate::json::{Json, Rules};

    fn trace(input: &str) -> String {
        let json = Json::parse_with(input, &Rules::STRICT).unwrap();
        text(json.root(), &Style::TRACE)
    }

    #[test]
    fn doubles_have_a_point_or_a_two_digit_exponent() {
        let table = [
            ("1.0", "1.0"),
            ("1e0", "1.0"),
            ("-0.0", "0.0"),
            ("-0e5", "0.0"),
            ("-1.5", "-1.5"),
            ("1E5", "100000.0"),
            ("0.0001", "0.0001"),
            ("-0.00012", "-0.00012"),
            ("0.00001", "1e-05"),
            ("1e-9", "1e-09"),
            ("1e15", "1000000000000000.0"),
            ("1e16", "1e+16"),
            ("9999999999999998.0", "9999999999999998.0"),
            ("123456789012345680.0", "1.2345678901234568e+17"),
            ("-1e100", "-1e+100"),
            ("5e-324", "5e-324"),
            ("1e-400", "0.0"),
            ("150E-2", "1.5"),
            ("0.1", "0.1"),
            ("1230.0", "1230.0"),
            ("1e21", "1e+21"),
            ("1.5e-7", "1.5e-07"),
            ("-1.2345e30", "-1.2345e+30"),
        ];
        for (input, expected) in table {
            assert_eq!(trace(input), expected, "{input}");
        }
    }

    #[test]
    fn of_two_equally_near_shortest_texts_the_even_one_is_written() {
        let table = [
            ("1763190000123456.25", "1763190000123456.2"),
            ("2.98023223876953125e-08", "2.9802322387695312e-08"),
            ("1125899906842624.75", "1125899906842624.8"),
            ("-1763190000123456.25", "-1763190000123456.2"),
        ];
        for (input, expected) in table {
            assert_eq!(trace(input), expected, "{input}");
        }
    }

    #[test]
    fn integers_keep_all_their_digits() {
        for digits in [
            "0",
            "-1",
            "9007199254740993",
            "-170141183460469231731687303715884105728",
        ] {
            assert_eq!(trace(digits), digits);
        }
        assert_eq!(trace("-0"), "0");
    }

    #[test]
    fn numbers_are_equal_by_value_and_never_by_rounding() {
        for (same, other) in [
            ("21.0", "21"),
            ("2.1e1", "21"),
            ("0.050", "5E-2"),
            ("-0.0", "0"),
            ("1e+3", "1000"),
        ] {
            assert_eq!(decimal(same), decimal(other), "{same} and {other}");
        }
        for (one, other) in [
            ("12345678901234567890", "12345678901234567891"),
            ("0.1", "0.10000000000000000001"),
            ("1", "-1"),
            ("1", "10"),
        ] {
            assert_ne!(decimal(one), decimal(other), "{one} and {other}");
        }
        assert_eq!(decimal("1e99999999999999999999"), None);
    }

    proptest! {
        #[test]
        fn a_double_reads_back_the_same(bits in any::<u64>()) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                let out = double_text(number);
                prop_assert!(out.contains(['.', 'e']), "{}", out);
                let back: f64 = out.parse().unwrap();
                prop_assert!(back == 0.0 && number == 0.0 || back.to_bits() == bits, "{}", out);
            }
        }

        #[test]
        fn a_short_decimal_is_written_as_it_is(text in r"-?(0|[1-9][0-9]{0,9}|0[0-9])\.[0-9]{0,9}") {
            if is_short_decimal(&text) {
                prop_assert_eq!(double_text(text.parse().unwrap()), text);
            }
        }
    }
}
