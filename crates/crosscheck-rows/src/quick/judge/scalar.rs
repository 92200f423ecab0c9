//! When a value of the log equals a value of the database.
//!
//! Contract: check 6.3.

use crosscheck_core::canonical::{number_text, quoted};
use crosscheck_core::json::{Json, Node, Scalar};
use crosscheck_core::text::ecma_trim;

use crate::observe::Cell;

/// The seed's `verificationScalarsEqual`.
pub fn scalars_equal(expected: &Scalar, actual: &Cell) -> bool {
    match (expected, actual) {
        // the same text in every byte is the same text, whatever is trimmed
        (Scalar::String(expected), Cell::Text(actual))
            if expected.as_js().bytes() == actual.as_bytes() =>
        {
            true
        }
        (Scalar::Null, Cell::Null) => true,
        (Scalar::Null, _) | (_, Cell::Null | Cell::Document(_) | Cell::Unreadable) => false,
        (Scalar::Bool(expected), actual) => bool_equal(*expected, actual),
        (Scalar::Number(expected), actual) => number_equal(*expected, actual),
        (Scalar::String(expected), actual) => expected
            .as_str()
            .is_some_and(|text| text_equal(ecma_trim(text), actual)),
    }
}

fn bool_equal(expected: bool, actual: &Cell) -> bool {
    match actual {
        Cell::Bool(actual) => expected == *actual,
        Cell::Number(actual) => same(*actual, if expected { 1.0 } else { 0.0 }),
        _ => false,
    }
}

fn number_equal(expected: f64, actual: &Cell) -> bool {
    match actual {
        Cell::Number(actual) => same(*actual, expected),
        Cell::Text(actual) => {
            json_number(ecma_trim(actual)).is_some_and(|actual| same(actual, expected))
        }
        _ => false,
    }
}

fn text_equal(expected: &str, actual: &Cell) -> bool {
    match actual {
        Cell::Text(actual) => ecma_trim(actual) == expected,
        Cell::Number(actual) => actual.is_finite() && number_text(*actual) == expected,
        Cell::Bool(actual) => expected == if *actual { "true" } else { "false" },
        Cell::Moment(iso) => iso == expected,
        Cell::Day(day) => day == expected || expected.strip_suffix("T00:00:00.000Z") == Some(day),
        Cell::Null | Cell::Document(_) | Cell::Unreadable => false,
    }
}

/// Equal as ECMAScript `===` sees it: both zeros are one, NaN is none.
#[expect(clippy::float_cmp, reason = "the contract compares doubles exactly")]
fn same(a: f64, b: f64) -> bool {
    a == b
}

/// The double of a text that is a JSON number and nothing else.
fn json_number(text: &str) -> Option<f64> {
    let starts_like_one = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    if !starts_like_one {
        return None;
    }
    Json::parse(text)
        .ok()
        .and_then(|json| Node::as_f64(json.root()))
}

/// An expected value as a literal.
pub fn display_scalar(value: &Scalar) -> String {
    match value {
        Scalar::String(text) => quoted(text.as_js()),
        Scalar::Null | Scalar::Bool(_) | Scalar::Number(_) => value.text().to_string(),
    }
}

/// A value of the database as a literal.
pub fn display_cell(cell: &Cell) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        Cell::Bool(truth) => truth.to_string(),
        Cell::Number(number) => Scalar::Number(*number).text().to_string(),
        Cell::Text(text) => quoted(text.as_str().into()),
        Cell::Moment(iso) => quoted(iso.as_str().into()),
        Cell::Day(day) => quoted(format!("{day}T00:00:00.000Z").as_str().into()),
        Cell::Document(_) | Cell::Unreadable => "unreadable".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Cell {
        Cell::Text(value.into())
    }

    fn said(json: &str) -> Scalar {
        Scalar::of(Json::parse(json).unwrap().root()).unwrap()
    }

    #[test]
    fn pairs_that_are_equal() {
        let table = [
            ("null", Cell::Null),
            ("true", Cell::Bool(true)),
            ("true", Cell::Number(1.0)),
            ("false", Cell::Number(0.0)),
            ("5", Cell::Number(5.0)),
            ("-0", Cell::Number(0.0)),
            ("5", text(" 5.0 ")),
            ("100", text("1e2")),
            ("19.9", text("19.90")),
            ("3.1", text("3.10")),
            ("\" a \"", text("a")),
            ("\"7\"", Cell::Number(7.0)),
            ("\"true\"", Cell::Bool(true)),
            (
                "\"2024-02-03T00:00:00.000Z\"",
                Cell::Moment("2024-02-03T00:00:00.000Z".into()),
            ),
            ("\"2024-02-03\"", Cell::Day("2024-02-03".into())),
            (
                "\"2024-02-03T00:00:00.000Z\"",
                Cell::Day("2024-02-03".into()),
            ),
            ("9007199254740993", text("9007199254740993")),
            ("9007199254740993", text("9007199254740992")),
            ("\"\\ufeffx\"", text("x\u{3000}")),
        ];
        for (expected, actual) in table {
            assert!(
                scalars_equal(&said(expected), &actual),
                "{expected} / {actual:?}"
            );
        }
    }

    #[test]
    fn pairs_that_differ() {
        let table = [
            ("null", text("null")),
            ("null", Cell::Number(0.0)),
            ("0", Cell::Null),
            ("\"\"", Cell::Null),
            ("true", text("true")),
            ("true", Cell::Number(2.0)),
            ("1", Cell::Bool(true)),
            ("5", text("05")),
            ("5", text("0x5")),
            ("5", text("5 EUR")),
            ("5", text("")),
            ("\"7.0\"", Cell::Number(7.0)),
            ("\"3.1\"", text("3.10")),
            ("\"A\"", text("a")),
            (
                "\"2024-02-03\"",
                Cell::Moment("2024-02-03T00:00:00.000Z".into()),
            ),
            ("\"Infinity\"", Cell::Number(f64::INFINITY)),
            ("\"x\"", Cell::Unreadable),
            ("null", Cell::Unreadable),
            ("\"true \\u0085\"", text("true")),
            ("20240203", Cell::Day("2024-02-03".into())),
            ("\"e\\u0301\"", text("\u{e9}")),
            ("\"\\ud800\"", text("\u{fffd}")),
        ];
        for (expected, actual) in table {
            assert!(
                !scalars_equal(&said(expected), &actual),
                "{expected} / {actual:?}"
            );
        }
    }

    #[test]
    fn a_day_equals_its_own_text_and_its_midnight() {
        let cell = Cell::Day("2024-02-03".to_owned());
        for text in ["2024-02-03", "2024-02-03T00:00:00.000Z"] {
            let expected = Scalar::String(text.into());
            assert!(scalars_equal(&expected, &cell), "{text}");
        }
        let other = Scalar::String("2024-02-04".into());
        assert!(!scalars_equal(&other, &cell));
    }
}
