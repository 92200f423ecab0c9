//! Identity values on their way to the server, converted by the type of the
//! column they are compared with. What cannot be converted exactly is refused.

use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::Pieces;
use mysql_async::Value;

use super::survey::MysqlType;

/// Digits of a `DECIMAL`, and those behind its point, on every server.
pub(super) const DECIMAL_DIGITS: usize = 65;
const DECIMAL_SCALE: usize = 30;

/// Converts the text of an identity; the error is for people.
pub(super) fn bind(kind: MysqlType, text: &str) -> Result<Value, String> {
    let trimmed = text.trim();
    let (value, what) = match kind {
        MysqlType::Integer | MysqlType::Bits => (integer(trimmed), "a 64-bit integer"),
        MysqlType::Year => (year(trimmed), "a year"),
        MysqlType::Decimal => (decimal(trimmed), "a decimal number"),
        MysqlType::Float => {
            let number = trimmed
                .parse()
                .ok()
                .filter(|number: &f32| number.is_finite());
            (number.map(Value::Float), "a number")
        }
        MysqlType::Double => {
            let number = trimmed
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite());
            (number.map(Value::Double), "a number")
        }
        MysqlType::Date => {
            let day = date_time(trimmed).map(|at| at.date().at(0, 0, 0, 0));
            (day.and_then(date_value), "a day")
        }
        MysqlType::DateTime => {
            let what = "a moment without offset or in UTC";
            (date_time(trimmed).and_then(date_value), what)
        }
        MysqlType::Time => (span(trimmed), "a time of day"),
        MysqlType::Text | MysqlType::Json | MysqlType::Bytes | MysqlType::Other => {
            (Some(Value::Bytes(text.into())), "text")
        }
    };
    value.ok_or_else(|| format!("`{}` is not {what}", shortened(text)))
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

fn integer(text: &str) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(Value::Int(number));
    }
    text.parse::<u64>().ok().map(Value::UInt)
}

/// Years of two digits would be read as years of this or the last century.
fn year(text: &str) -> Option<Value> {
    let year: i64 = text.parse().ok()?;
    (year == 0 || (1901..=2155).contains(&year)).then_some(Value::Int(year))
}

/// A decimal number of any spelling, as plain digits and exactly as long as
/// it is, so that the server neither rounds nor converts.
fn decimal(text: &str) -> Option<Value> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = whole
        .bytes()
        .chain(fraction.bytes())
        .all(|byte| byte.is_ascii_digit());
    if !all_digits || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let point = i64::try_from(whole.len()).ok()? + i64::from(exponent);
    let (whole, fraction) = placed(digits.trim_end_matches('0'), point)?;
    if whole.len() + fraction.len() > DECIMAL_DIGITS || fraction.len() > DECIMAL_SCALE {
        return None;
    }
    let digits = format!("{sign}{whole}.{fraction}0");
    Some(Value::Bytes(digits.into_bytes()))
}

/// Digits around a point that may lie outside them, without idle zeros.
fn placed(digits: &str, point: i64) -> Option<(String, String)> {
    let stripped = digits.trim_start_matches('0');
    let point = point - i64::try_from(digits.len() - stripped.len()).ok()?;
    if stripped.is_empty() {
        return Some(("0".to_owned(), String::new()));
    }
    let limit = i64::try_from(DECIMAL_DIGITS).ok()?;
    if !(-limit..=limit).contains(&point) || stripped.len() > 2 * DECIMAL_DIGITS {
        return None;
    }
    let at = usize::try_from(point.max(0)).ok()?;
    if point <= 0 {
        let zeros = "0".repeat(usize::try_from(-point).ok()?);
        return Some(("0".to_owned(), format!("{zeros}{stripped}")));
    }
    match stripped.split_at_checked(at) {
        Some((whole, fraction)) => Some((whole.to_owned(), fraction.to_owned())),
        None => Some((format!("{stripped:0<at$}"), String::new())),
    }
}

/// `2024-02-03`, `2024-02-03 04:05:06`, `2024-02-03T04:05:06.789Z`: without an
/// offset or in UTC, and no finer than the server keeps.
fn date_time(text: &str) -> Option<DateTime> {
    let pieces = Pieces::parse(text).ok()?;
    let is_utc = pieces
        .to_numeric_offset()
        .is_none_or(|offset| offset.seconds() == 0);
    let time = pieces.time().unwrap_or(Time::midnight());
    let fits = is_utc && text.starts_with(|c: char| c.is_ascii_digit()) && micros(time).is_some();
    fits.then(|| pieces.date().to_datetime(time))
}

/// A day, with the time of day or without.
fn date_value(at: DateTime) -> Option<Value> {
    let small = |number: i8| u8::try_from(number).ok();
    Some(Value::Date(
        u16::try_from(at.year()).ok()?,
        small(at.month())?,
        small(at.day())?,
        small(at.hour())?,
        small(at.minute())?,
        small(at.second())?,
        micros(at.time())?,
    ))
}

/// `[-]HHH:MM[:SS[.ffffff]]`, up to 838 hours.
fn span(text: &str) -> Option<Value> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let (hours, rest) = text.split_once(':')?;
    let hours: u32 = digits(hours).filter(|hours| *hours <= 838)?;
    let time: Time = format!("00:{rest}").parse().ok()?;
    Some(Value::Time(
        is_negative,
        hours / 24,
        u8::try_from(hours % 24).ok()?,
        u8::try_from(time.minute()).ok()?,
        u8::try_from(time.second()).ok()?,
        micros(time)?,
    ))
}

fn micros(time: Time) -> Option<u32> {
    let nanos = u32::try_from(time.subsec_nanosecond()).ok()?;
    nanos.is_multiple_of(1000).then_some(nanos / 1000)
}

fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    let only_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    only_digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(kind: MysqlType, text: &str) -> Option<Value> {
        bind(kind, text).ok()
    }

    #[test]
    fn text_that_is_no_number_never_meets_a_numeric_column() {
        for kind in [
            MysqlType::Integer,
            MysqlType::Bits,
            MysqlType::Year,
            MysqlType::Decimal,
            MysqlType::Float,
            MysqlType::Double,
        ] {
            for text in [
                "", "c_1", "7x", "0x7", "1 2", "NaN", "inf", "--1", "true", "e5", ".", "1e",
            ] {
                assert_eq!(value(kind, text), None, "{kind:?} {text:?}");
            }
        }
        assert_eq!(value(MysqlType::Integer, "7.0"), None);
    }

    #[test]
    fn integers_are_exact_over_both_ranges() {
        let table = [
            ("007", Value::Int(7)),
            (" -7 ", Value::Int(-7)),
            ("9223372036854775807", Value::Int(i64::MAX)),
            ("-9223372036854775808", Value::Int(i64::MIN)),
            ("18446744073709551615", Value::UInt(u64::MAX)),
        ];
        for (text, wanted) in table {
            assert_eq!(value(MysqlType::Integer, text), Some(wanted), "{text}");
        }
        assert_eq!(value(MysqlType::Integer, "18446744073709551616"), None);
    }

    #[test]
    fn decimals_are_written_out_and_neither_rounded_nor_cut() {
        let table = [
            ("19.90", "19.90"),
            ("-0.001", "-0.0010"),
            ("1e2", "100.0"),
            ("1.5e-3", "0.00150"),
            ("12.5e1", "125.0"),
            ("000", "0.0"),
            (".5", "0.50"),
            ("1e+21", "1000000000000000000000.0"),
            (
                "0.000000000000000000000000000001",
                "0.0000000000000000000000000000010",
            ),
        ];
        for (text, digits) in table {
            let bound = value(MysqlType::Decimal, text);
            assert_eq!(bound, Some(Value::Bytes(digits.into())), "{text}");
        }
        for text in [
            "1e-31",
            "1e66",
            "1e999999999",
            "1e-999999999",
            "1e99999999999",
        ] {
            assert_eq!(value(MysqlType::Decimal, text), None, "{text}");
        }
        let long = format!("1{}", "2".repeat(65));
        assert_eq!(value(MysqlType::Decimal, &long), None);
    }

    #[test]
    fn days_and_moments_are_checked_before_they_are_sent() {
        assert_eq!(
            value(MysqlType::Date, "2024-02-29T04:05:06.789Z"),
            Some(Value::Date(2024, 2, 29, 0, 0, 0, 0))
        );
        assert_eq!(
            value(MysqlType::DateTime, "2024-02-03T04:05:06.789Z"),
            Some(Value::Date(2024, 2, 3, 4, 5, 6, 789_000))
        );
        assert_eq!(
            value(MysqlType::DateTime, "2024-02-03 04:05"),
            Some(Value::Date(2024, 2, 3, 4, 5, 0, 0))
        );
        for text in [
            "c_1",
            "2023-02-29",
            "2024-13-01",
            "24-01-01",
            "0000-00-00",
            "2024-02-03T25:00:00",
            "2024-02-03T04:05:06+02:00",
            "2024-02-03T04:05:06.1234567",
            "2024-02-03-04",
            "2024-02-03T",
        ] {
            assert_eq!(value(MysqlType::DateTime, text), None, "{text}");
            assert_eq!(value(MysqlType::Date, text), None, "{text}");
        }
        assert_eq!(
            value(MysqlType::Time, "-26:05:06.5"),
            Some(Value::Time(true, 1, 2, 5, 6, 500_000))
        );
        assert_eq!(value(MysqlType::Time, "soon"), None);
        assert_eq!(value(MysqlType::Year, "24"), None);
        assert_eq!(value(MysqlType::Year, "2024"), Some(Value::Int(2024)));
    }

    #[test]
    fn text_goes_out_as_it_is() {
        assert_eq!(
            value(MysqlType::Text, " 7 "),
            Some(Value::Bytes(b" 7 ".to_vec()))
        );
    }
}
