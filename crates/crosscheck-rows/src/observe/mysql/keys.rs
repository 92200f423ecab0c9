//! The keys of a batch on their way to the server.
//!
//! They become the columns of a derived table, and the server would compare a
//! derived column by its own type and collation, not by those of the table. So
//! every key column gets the type and collation of the column it is compared
//! with. Values go out as text that the server can only read in one way; what
//! is no value of its column is refused here. What the columns cannot hold
//! together is asked for one by one.

use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::Pieces;
use mysql_async::Value;
use smol_str::SmolStr;

use super::survey::{KnownColumn, MysqlType};
use crate::compare::number::Decimal;
use crate::observe::source::{BatchError, Key};

/// A key column is never declared shorter, so that statements look alike.
const SHORTEST_TEXT: usize = 64;
/// The protocol counts the values of a statement with 16 bits.
const MAX_VALUES: usize = 65_000;
/// Digits of a `DECIMAL`, and those behind its point, on every server.
const DECIMAL_DIGITS: usize = 65;
const DECIMAL_SCALE: usize = 30;

/// How the keys are written in a statement.
#[derive(Debug)]
pub(super) struct BoundKeys {
    /// What stands for the value of each column, in every row.
    pub(super) casts: Vec<String>,
    /// The values, row by row.
    pub(super) values: Vec<Value>,
    /// A log names bytes in some spelling (hex, UUID, Base64); that they were
    /// not found as written does not mean that they are not there.
    pub(super) over_bytes: bool,
}

/// Binds the keys for the columns they are compared with. A failure names the
/// value where there is one key only; otherwise the batch is to be split.
pub(super) fn bind(
    columns: &[&KnownColumn],
    keys: &[Key],
    max_bytes: usize,
) -> Result<BoundKeys, BatchError> {
    let wrong = |message: String| BatchError::Values(message);
    if keys.len() > 1 && keys.len() * columns.len() > MAX_VALUES {
        return Err(wrong("too many values for one statement".to_owned()));
    }
    let bytes: usize = keys.iter().flatten().map(SmolStr::len).sum();
    if bytes > max_bytes {
        return Err(wrong(
            "the key is longer than the server accepts".to_owned(),
        ));
    }
    let mut casts = Vec::with_capacity(columns.len());
    let mut written: Vec<Vec<String>> = Vec::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        let of_key = |key: &Key| {
            let text = key.get(at).map_or("", SmolStr::as_str);
            self::written(column.kind, text).map_err(|what| {
                let shown: String = text.chars().take(80).collect();
                wrong(format!("column {}: `{shown}` is not {what}", column.name))
            })
        };
        let texts: Vec<String> = keys.iter().map(of_key).collect::<Result<_, _>>()?;
        casts.push(cast(column, &texts)?);
        written.push(texts);
    }
    let rows = 0..keys.len();
    let values = rows.flat_map(|row| written.iter().filter_map(move |texts| texts.get(row)));
    Ok(BoundKeys {
        casts,
        values: values
            .map(|text| Value::Bytes(text.as_str().into()))
            .collect(),
        over_bytes: columns.iter().any(|column| column.kind == MysqlType::Bytes),
    })
}

/// The text of a value, as the server reads it; else what it is not.
fn written(kind: MysqlType, text: &str) -> Result<String, &'static str> {
    let trimmed = text.trim();
    let (value, what) = match kind {
        MysqlType::Integer | MysqlType::Bits => (integer(trimmed), "a 64-bit integer"),
        MysqlType::Year => (year(trimmed), "a year"),
        MysqlType::Decimal => (decimal(trimmed), "a decimal number"),
        MysqlType::Float => {
            let number: Option<f32> = trimmed.parse().ok();
            (number.and_then(|number| float(number.into())), "a number")
        }
        MysqlType::Double => (trimmed.parse().ok().and_then(float), "a number"),
        MysqlType::Date => (date_time(trimmed).map(|at| at.date().to_string()), "a day"),
        MysqlType::DateTime => {
            let at = date_time(trimmed).map(|at| at.to_string().replace('T', " "));
            (at, "a moment without offset or in UTC")
        }
        MysqlType::Time => (span(trimmed), "a time of day"),
        MysqlType::Text | MysqlType::Json | MysqlType::Bytes | MysqlType::Other => {
            (Some(text.to_owned()), "text")
        }
    };
    value.ok_or(what)
}

fn integer(text: &str) -> Option<String> {
    let number: i128 = text.parse().ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX))
        .contains(&number)
        .then(|| number.to_string())
}

/// Years of two digits would be read as years of this or the last century.
fn year(text: &str) -> Option<String> {
    let year: i64 = text.parse().ok()?;
    (year == 0 || (1901..=2155).contains(&year)).then(|| year.to_string())
}

fn float(number: f64) -> Option<String> {
    number.is_finite().then(|| format!("{number:e}"))
}

/// A decimal number of any spelling, as plain digits and exactly as long as
/// it is, so that the server neither rounds nor converts.
fn decimal(text: &str) -> Option<String> {
    let (mantissa, exponent) = Decimal::parse(text)?.parts();
    let sign = if mantissa < 0 { "-" } else { "" };
    let digits = mantissa.unsigned_abs().to_string();
    let zeros = usize::try_from(exponent.max(0)).ok()?;
    let scale = usize::try_from((-exponent).max(0)).ok()?;
    if scale > DECIMAL_SCALE || digits.len() + zeros > DECIMAL_DIGITS {
        return None;
    }
    let digits = format!("{digits:0>width$}{}", "0".repeat(zeros), width = scale + 1);
    let (whole, fraction) = digits.split_at_checked(digits.len() - scale)?;
    let point = if scale > 0 { "." } else { "" };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

/// `2024-02-03`, `2024-02-03 04:05:06`, `2024-02-03T04:05:06.789Z`: without an
/// offset or in UTC, and no finer than the server keeps.
fn date_time(text: &str) -> Option<DateTime> {
    let pieces = Pieces::parse(text).ok()?;
    let is_utc = pieces
        .to_numeric_offset()
        .is_none_or(|offset| offset.seconds() == 0);
    let time = pieces.time().unwrap_or(Time::midnight());
    let is_kept = is_utc && text.starts_with(|c: char| c.is_ascii_digit()) && is_kept(time);
    is_kept.then(|| pieces.date().to_datetime(time))
}

/// `[-]HHH:MM[:SS[.ffffff]]`, up to 838 hours.
fn span(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix('-').unwrap_or(text).split_once(':')?;
    let only_digits = hours.bytes().all(|byte| byte.is_ascii_digit());
    let hours: u32 = hours.parse().ok()?;
    let time: Time = format!("00:{rest}").parse().ok()?;
    (only_digits && hours <= 838 && is_kept(time)).then(|| text.to_owned())
}

/// Whether it is a time in microseconds, which is what servers keep.
fn is_kept(time: Time) -> bool {
    time.subsec_nanosecond() % 1000 == 0
}

/// The type in which all values of a column fit, exactly.
fn cast(column: &KnownColumn, texts: &[String]) -> Result<String, BatchError> {
    Ok(match column.kind {
        MysqlType::Integer | MysqlType::Bits | MysqlType::Year => integer_cast(texts).to_owned(),
        MysqlType::Decimal => decimal_cast(texts)?,
        // adding zero is a conversion every version knows
        MysqlType::Float | MysqlType::Double => "(? + 0e0)".to_owned(),
        MysqlType::Date => "CAST(? AS DATE)".to_owned(),
        MysqlType::DateTime => "CAST(? AS DATETIME(6))".to_owned(),
        MysqlType::Time => "CAST(? AS TIME(6))".to_owned(),
        MysqlType::Bytes => "CAST(? AS BINARY)".to_owned(),
        MysqlType::Text | MysqlType::Json | MysqlType::Other => text_cast(column, texts)?,
    })
}

fn integer_cast(texts: &[String]) -> &'static str {
    let has_large = texts.iter().any(|text| text.parse::<i64>().is_err());
    let has_negative = texts.iter().any(|text| text.starts_with('-'));
    match (has_large, has_negative) {
        (false, _) => "CAST(? AS SIGNED)",
        (true, false) => "CAST(? AS UNSIGNED)",
        (true, true) => "CAST(? AS DECIMAL(20,0))",
    }
}

fn decimal_cast(texts: &[String]) -> Result<String, BatchError> {
    let (mut whole, mut scale) = (1, 0);
    for text in texts {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
        whole = whole.max(before.len());
        scale = scale.max(behind.len());
    }
    if whole + scale > DECIMAL_DIGITS {
        let message = "the decimals of one batch differ too much in size";
        return Err(BatchError::Values(message.to_owned()));
    }
    Ok(format!("CAST(? AS DECIMAL({DECIMAL_DIGITS},{scale}))"))
}

/// Text in the character set and collation of its column. Text that the set
/// may not hold goes out as Unicode, alone: then the server converts the
/// column, as it does for a plain value.
fn text_cast(column: &KnownColumn, texts: &[String]) -> Result<String, BatchError> {
    let lengths = texts.iter().map(|text| text.chars().count());
    let longest = lengths.max().unwrap_or_default();
    let length = longest.next_power_of_two().max(SHORTEST_TEXT);
    match &column.collation {
        Some((set, collation)) if texts.iter().all(|text| holds(set, text)) => Ok(format!(
            "CAST(? AS CHAR({length}) CHARACTER SET {set}) COLLATE {collation}"
        )),
        Some((set, _)) if texts.len() > 1 => Err(BatchError::Values(format!(
            "not every text fits the character set {set}"
        ))),
        _ => Ok(format!("CAST(? AS CHAR({length}) CHARACTER SET utf8mb4)")),
    }
}

/// Whether a character set surely holds a text.
fn holds(set: &str, text: &str) -> bool {
    match set {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" => true,
        // everything but the outer planes
        "utf8mb3" | "utf8" | "ucs2" => !text.bytes().any(|byte| byte >= 0xf0),
        _ => text.is_ascii(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: MysqlType, collation: Option<(&str, &str)>) -> KnownColumn {
        KnownColumn {
            name: "c".to_owned(),
            kind,
            holds: crate::observe::catalog::Holds::Other,
            collation: collation.map(|(set, name)| (set.to_owned(), name.to_owned())),
            may_be_read: true,
        }
    }

    fn casts(
        kind: MysqlType,
        collation: Option<(&str, &str)>,
        texts: &[&str],
    ) -> Result<String, String> {
        let column = column(kind, collation);
        let keys: Vec<Key> = texts.iter().map(|text| [(*text).into()].into()).collect();
        match bind(&[&column], &keys, 1000) {
            Ok(bound) => Ok(bound.casts.concat()),
            Err(BatchError::Values(message)) => Err(message),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Kind and collation of a column, its keys, and how they are cast.
    type Case<'a> = (
        MysqlType,
        Option<(&'a str, &'a str)>,
        &'a [&'a str],
        &'a str,
    );

    #[test]
    fn every_kind_of_key_has_a_type_that_holds_all_of_its_values() {
        let swedish = Some(("latin1", "latin1_swedish_ci"));
        let table: [Case<'_>; 12] = [
            (MysqlType::Integer, None, &["-7", "7"], "CAST(? AS SIGNED)"),
            (
                MysqlType::Integer,
                None,
                &["7", "18446744073709551615"],
                "CAST(? AS UNSIGNED)",
            ),
            (
                MysqlType::Bits,
                None,
                &["-7", "18446744073709551615"],
                "CAST(? AS DECIMAL(20,0))",
            ),
            (
                MysqlType::Decimal,
                None,
                &["1.5", "-20.125"],
                "CAST(? AS DECIMAL(65,3))",
            ),
            (MysqlType::Decimal, None, &["7"], "CAST(? AS DECIMAL(65,0))"),
            (MysqlType::Float, None, &["0.1"], "(? + 0e0)"),
            (MysqlType::Date, None, &["2024-01-02"], "CAST(? AS DATE)"),
            (
                MysqlType::DateTime,
                None,
                &["2024-01-02 03:04:05"],
                "CAST(? AS DATETIME(6))",
            ),
            (MysqlType::Time, None, &["03:04:05"], "CAST(? AS TIME(6))"),
            (MysqlType::Bytes, None, &["x"], "CAST(? AS BINARY)"),
            (
                MysqlType::Other,
                None,
                &["x"],
                "CAST(? AS CHAR(64) CHARACTER SET utf8mb4)",
            ),
            (
                MysqlType::Text,
                swedish,
                &["x"],
                "CAST(? AS CHAR(64) CHARACTER SET latin1) COLLATE latin1_swedish_ci",
            ),
        ];
        for (kind, collation, texts, wanted) in table {
            assert_eq!(
                casts(kind, collation, texts).as_deref(),
                Ok(wanted),
                "{kind:?} {texts:?}"
            );
        }
    }

    #[test]
    fn no_text_is_cut() {
        let general = Some(("utf8mb4", "utf8mb4_general_ci"));
        let long = "é".repeat(65);
        assert_eq!(
            casts(MysqlType::Text, general, &["a", &long]).as_deref(),
            Ok("CAST(? AS CHAR(128) CHARACTER SET utf8mb4) COLLATE utf8mb4_general_ci")
        );
    }

    #[test]
    fn text_that_the_character_set_may_not_hold_goes_alone() {
        let unicode = Ok("CAST(? AS CHAR(64) CHARACTER SET utf8mb4)");
        for (set, text) in [
            ("latin1", "é"),
            ("utf8mb3", "😀"),
            ("utf8", "😀"),
            ("ucs2", "😀"),
            ("gbk", "é"),
        ] {
            let collation = Some((set, "x"));
            assert!(
                casts(MysqlType::Text, collation, &["a", text]).is_err(),
                "{set}"
            );
            assert_eq!(
                casts(MysqlType::Text, collation, &[text]).as_deref(),
                unicode,
                "{set}"
            );
        }
        assert!(casts(MysqlType::Text, Some(("utf8mb3", "x")), &["a", "é"]).is_ok());
    }

    #[test]
    fn what_does_not_fit_together_is_refused_and_fits_alone() {
        let (large, small) = (format!("{}5e30", "1".repeat(30)), "0.000000001");
        assert!(casts(MysqlType::Decimal, None, &[&large, small]).is_err());
        assert!(casts(MysqlType::Decimal, None, &[&large]).is_ok());
        assert!(casts(MysqlType::Decimal, None, &[small]).is_ok());
        assert!(casts(MysqlType::Integer, None, &["1", "x"]).is_err());
        assert!(casts(MysqlType::Text, None, &[&"x".repeat(1001)]).is_err());
    }

    #[test]
    fn values_go_out_row_by_row() {
        let (number, text) = (
            column(MysqlType::Integer, None),
            column(MysqlType::Text, None),
        );
        let keys = [
            Key::from_vec(vec!["1".into(), "a".into()]),
            Key::from_vec(vec!["2".into(), "b".into()]),
        ];
        let bound = bind(&[&number, &text], &keys, 1000).unwrap();
        let expected = ["1", "a", "2", "b"].map(|text| Value::Bytes(text.into()));
        assert_eq!(bound.values, expected);
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
                assert!(written(kind, text).is_err(), "{kind:?} {text:?}");
            }
        }
    }

    #[test]
    fn values_are_written_so_that_they_are_read_in_one_way() {
        use MysqlType::{Date, DateTime, Decimal, Double, Float, Integer, Text, Time, Year};
        let table = [
            (Integer, "007", Some("7")),
            (Integer, " -7 ", Some("-7")),
            (
                Integer,
                "-9223372036854775808",
                Some("-9223372036854775808"),
            ),
            (
                Integer,
                "18446744073709551615",
                Some("18446744073709551615"),
            ),
            (Integer, "18446744073709551616", None),
            (Integer, "7.0", None),
            (Decimal, "19.90", Some("19.9")),
            (Decimal, "-0.001", Some("-0.001")),
            (Decimal, "1e2", Some("100")),
            (Decimal, "1.5e-3", Some("0.0015")),
            (Decimal, "12.5e1", Some("125")),
            (Decimal, "000", Some("0")),
            (Decimal, ".5", Some("0.5")),
            (Decimal, "1e+21", Some("1000000000000000000000")),
            (Decimal, "1e-30", Some("0.000000000000000000000000000001")),
            (Decimal, "1e-31", None),
            (Decimal, "1e66", None),
            (Decimal, "1e999999999", None),
            (Decimal, "1e-999999999", None),
            (Float, "0.1", Some("1.0000000149011612e-1")),
            (Double, "0.1", Some("1e-1")),
            (Date, "2024-02-29T04:05:06.789Z", Some("2024-02-29")),
            (
                DateTime,
                "2024-02-03T04:05:06.789Z",
                Some("2024-02-03 04:05:06.789"),
            ),
            (DateTime, "2024-02-03 04:05", Some("2024-02-03 04:05:00")),
            (Time, "-26:05:06.5", Some("-26:05:06.5")),
            (Time, "soon", None),
            (Year, "24", None),
            (Year, "2024", Some("2024")),
            (Text, " 7 ", Some(" 7 ")),
        ];
        for (kind, text, expected) in table {
            let value = written(kind, text).ok();
            assert_eq!(value.as_deref(), expected, "{kind:?} {text:?}");
        }
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
            assert!(written(DateTime, text).is_err(), "{text}");
            assert!(written(Date, text).is_err(), "{text}");
        }
    }
}
