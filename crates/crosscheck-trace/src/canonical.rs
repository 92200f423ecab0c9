//! Canonical JSON of traces.
//!
//! Not the ECMAScript form of the rest of the house: keys sort by code point,
//! integers keep all their digits, and `1` and `1.0` are different numbers
//! with different texts. Ids of traces, plans and claims are hashes of these
//! bytes, made by other programs, so every digit counts.

use std::fmt::Write as _;

use crosscheck_core::canonical;
use crosscheck_core::digest::Digest;
use crosscheck_core::json::ParseError;

use crate::tape::{Digits, Value};
pub use crate::tape::{Document, Node};

/// Reads a text under the strict rules. What is no JSON at all is refused as
/// such, even if a key came twice before it broke.
pub fn parse(text: &str) -> Result<Document, ParseError> {
    Document::parse(text)
}

/// The canonical text of a parsed value.
pub fn of_node(node: Node<'_>) -> String {
    let mut out = String::new();
    write_node(&mut out, node);
    out
}

/// Appends the canonical text of a parsed value. The reader bounds how deep
/// values nest.
pub fn write_node(out: &mut String, node: Node<'_>) {
    if let Some(text) = node.canonical() {
        out.push_str(text);
        return;
    }
    match node.value() {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if truth { "true" } else { "false" }),
        Value::Number(digits) => write_number(out, digits),
        Value::String(text) => write_str(out, text),
        Value::Array(elements) => {
            out.push('[');
            for (nth, element) in elements.enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                write_node(out, element);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (nth, (key, value)) in members.sorted().into_iter().enumerate() {
                if nth > 0 {
                    out.push(',');
                }
                write_str(out, key);
                out.push(':');
                write_node(out, value);
            }
            out.push('}');
        }
    }
}

/// Appends a string literal.
pub fn write_str(out: &mut String, text: &str) {
    canonical::write_string(out, text.into());
}

/// SHA-256 of the canonical text of a parsed value.
pub fn fingerprint(node: Node<'_>) -> Digest {
    match node.canonical() {
        Some(text) => Digest::of(text),
        None => Digest::of(of_node(node)),
    }
}

fn write_number(out: &mut String, digits: Digits<'_>) {
    if digits.is_integer() {
        write_integer(out, digits.text());
    } else {
        write_double(out, digits.to_f64());
    }
}

/// Whether a number with a point or an exponent is written as
/// [`write_double`] writes it.
pub(crate) fn is_canonical_double(text: &str) -> bool {
    let mut out = String::new();
    write_double(&mut out, text.parse().unwrap_or(f64::NAN));
    out == text
}

/// Whether digits before and behind a point are at most 15 without spare
/// zeros: no two such numbers are the same double, so each is the shortest
/// text of its own. Said of most numbers without any arithmetic.
pub(crate) fn is_short_decimal(whole: &[u8], fraction: &[u8]) -> bool {
    if whole.len() + fraction.len() > 15 {
        return false;
    }
    if whole == b"0" {
        let zeros = fraction.iter().take_while(|digit| **digit == b'0').count();
        zeros <= 3 && zeros < fraction.len() && !fraction.ends_with(b"0")
    } else {
        fraction == b"0" || !fraction.ends_with(b"0")
    }
}

/// Appends an integer; minus nothing is nothing.
pub(crate) fn write_integer(out: &mut String, digits: &str) {
    out.push_str(if digits == "-0" { "0" } else { digits });
}

/// Appends a double: the shortest digits that read back the same, of two that
/// are equally near the even ones, positional from 0.0001 up to 16 digits
/// before the point, else with an exponent of at least two digits.
pub fn write_double(out: &mut String, number: f64) {
    let mut buffer = ryu_js::Buffer::new();
    // ECMAScript asks for the same digits and only places the point otherwise
    let shortest = buffer.format(if number == 0.0 { 0.0 } else { number });
    let unsigned = shortest.strip_prefix('-').unwrap_or(shortest);
    if unsigned.len() < shortest.len() {
        out.push('-');
    }
    let (digits, exponent) = scientific(unsigned);
    if (-4..16).contains(&exponent) {
        write_positional(out, &digits, exponent);
        return;
    }
    let (first, rest) = digits.split_at(digits.len().min(1));
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "e{sign}{:02}", exponent.unsigned_abs());
}

/// The digits that count, and the exponent of the first of them.
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

/// `digits` is d.ddd without its point; `exponent` tells where the point goes.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(input: &str) -> String {
        of_node(parse(input).unwrap().root())
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
            assert_eq!(text(input), expected, "{input}");
        }
    }

    #[test]
    fn of_two_shortest_texts_that_are_equally_near_the_even_one_is_written() {
        let table = [
            ("1763190000123456.25", "1763190000123456.2"),
            ("2.98023223876953125e-08", "2.9802322387695312e-08"),
            ("1125899906842624.75", "1125899906842624.8"),
            ("-1763190000123456.25", "-1763190000123456.2"),
        ];
        for (input, expected) in table {
            assert_eq!(text(input), expected, "{input}");
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
            assert_eq!(text(digits), digits);
        }
        assert_eq!(text("-0"), "0");
    }

    #[test]
    fn keys_sort_by_code_point() {
        assert_eq!(
            text("{\"\u{1F30A}\":1,\"\u{FFFF}\":2,\"é\":3,\"z\":4,\"Z\":5,\"\":6}"),
            "{\"\":6,\"Z\":5,\"z\":4,\"é\":3,\"\u{FFFF}\":2,\"\u{1F30A}\":1}"
        );
    }

    #[test]
    fn only_quotes_backslashes_and_controls_are_escaped() {
        assert_eq!(
            text(r#""\u0000\u000b\u001F\/\u007f\u2028\ufeff\"\\\b\f\n\r\t""#),
            "\"\\u0000\\u000b\\u001f/\u{7f}\u{2028}\u{feff}\\\"\\\\\\b\\f\\n\\r\\t\""
        );
    }

    #[test]
    fn a_broken_text_is_broken_even_if_a_key_came_twice_before() {
        assert!(matches!(
            parse(r#"[{"a":1,"a":2}"#),
            Err(ParseError::Unfinished)
        ));
        assert!(matches!(
            parse(r#"{"a":1,"a":2}"#),
            Err(ParseError::RepeatedKey { .. })
        ));
    }

    proptest! {
        #[test]
        fn a_double_reads_back_the_same(bits in any::<u64>()) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                let mut out = String::new();
                write_double(&mut out, number);
                prop_assert!(out.contains(['.', 'e']), "{}", out);
                let back: f64 = out.parse().unwrap();
                prop_assert!(back == 0.0 && number == 0.0 || back.to_bits() == bits, "{}", out);
            }
        }
    }
}
