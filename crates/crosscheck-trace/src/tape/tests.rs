//! The reader beside the one of the house, which is slower and older.

use crosscheck_core::canonical::{Form, write_node};
use crosscheck_core::json::{Digits, Json, Members, Node, Rules};
use crosscheck_core::text::JsStr;
use proptest::prelude::*;

use super::{Document, Tape};
use crate::canonical;

/// The form of traces for the writer of the house.
struct TraceForm;

impl Form for TraceForm {
    fn number(&self, out: &mut String, digits: Digits<'_>) {
        if digits.is_integer() {
            canonical::write_integer(out, digits.text());
        } else {
            canonical::write_double(out, digits.to_f64());
        }
    }

    fn members<'j>(&self, members: Members<'j>) -> Vec<(JsStr<'j>, Node<'j>)> {
        members.sorted_by(|a, b| a.bytes().cmp(b.bytes()))
    }
}

fn agree(text: &str) {
    let ours = Document::parse(text);
    let theirs = Json::parse_with(text, &Rules::STRICT);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            let mut expected = String::new();
            write_node(&mut expected, theirs.root(), &TraceForm);
            let written = canonical::of_node(ours.root());
            assert_eq!(written, expected, "{text}");
            if let Some(as_it_stands) = ours.root().canonical() {
                assert_eq!(as_it_stands, expected, "{text}");
            }
            // what is canonical is known to be
            let again = Document::parse(&written).unwrap();
            assert_eq!(again.root().canonical(), Some(written.as_str()), "{text}");
        }
        (Err(_), Err(_)) => {}
        _ => panic!("{text}: {:?} beside {:?}", ours.err(), theirs.err()),
    }
}

const HARD: &[&str] = &[
    "",
    " ",
    "0",
    "-0",
    "-",
    "00",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "1e5",
    "1E-2",
    "-0.0",
    "0.0",
    "0.10",
    "0.0001",
    "0.00001",
    "1.0",
    "10.50",
    "100000.0",
    "1e400",
    "-1e400",
    "123456789012345678.0",
    "0.1234567890123456",
    "9999999999999998.0",
    "1e16",
    "1e+16",
    "1e-05",
    "5e-324",
    "123456789012345678901234567890",
    "\"\"",
    "\"a",
    "\"\\\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u+123\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ude00\"",
    "\"\\ud83dx\"",
    "\"\\ud83d\\u0041\"",
    "\"\\ud83d\\n\"",
    "\"\\u001f\\u001F\\u000a\"",
    "\"\\/\\b\\f\\n\\r\\t\\\\\"",
    "\"\t\"",
    "\"\u{7f}é\u{1F30A}\"",
    "\"1234567\t\"",
    "\"12345678\u{1f}\"",
    "\"é234567\\n\"",
    "[]",
    "[ ]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1]]",
    "{}",
    "{ }",
    "{\"a\":1}",
    "{\"a\" : 1 }",
    "{\"b\":1,\"a\":2}",
    "{\"a\":1,\"a\":2}",
    "{\"b\":1,\"a\":2,\"b\":3}",
    "{\"a\":1,\"\\u0061\":2}",
    "{\"a\":1,}",
    "{,}",
    "{a:1}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":[{\"b\":{\"c\":[]}}]}",
    "true",
    "tru",
    "nulll",
    "null ",
    "\u{feff}1",
    "[true,false,null]",
    "{\"é\":1,\"z\":2,\"\u{1F30A}\":3,\"\u{FFFF}\":4}",
    "[}",
    "{]",
    "]",
    "\"\\",
    "{\"a\":1]",
    "[\"a\":1]",
    "1 1",
    "NaN",
    "{\"\":0}",
];

#[test]
fn hard_texts_are_read_as_the_house_reads_them() {
    for text in HARD {
        agree(text);
    }
    for depth in [127, 128, 129] {
        agree(&("[".repeat(depth) + &"]".repeat(depth)));
        agree(&("{\"a\":".repeat(depth) + "0" + &"}".repeat(depth)));
    }
    let integer = "1".repeat(309);
    agree(&integer);
    agree(&format!("{integer}.5"));
    let many: Vec<String> = (0..40).rev().map(|n| format!("\"k{n:02}\":{n}")).collect();
    agree(&format!("{{{}}}", many.join(",")));
    agree(&format!("{{{},\"k07\":1}}", many.join(",")));
}

#[test]
fn a_tape_forgets_the_line_before() {
    let mut tape = Tape::default();
    let put = |tape: &mut Tape, text: &str| text.clone_into(&mut tape.text);
    put(&mut tape, "{\"a\":\"\\n\",\"b\":[1");
    assert!(tape.read().is_err());
    put(&mut tape, "[\"\\t\",2]");
    assert_eq!(canonical::of_node(tape.read().unwrap()), "[\"\\t\",2]");
    put(&mut tape, "");
    assert!(tape.read().is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_as_the_house_reads_it(text in r#"([\[\]{}":,0-9eE.+\- abtnu\\/]|\\u00[01][0-9aA]|\\ud83d|\\ude00|"[ab]":|true|null|é|\PC){0,24}"#) {
        agree(&text);
    }

    #[test]
    fn any_object_is_read_as_the_house_reads_it(
        members in proptest::collection::vec(("[a-cé]{0,2}", r#"(-?[0-9]{1,18}(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?|"(\\[bfnrt"/\\]|[a-z])*"| *\[(1,)*2\]|\{"x":0\.50\})"#), 0..20)
    ) {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        agree(&format!("{{{}}}", members.join(",")));
    }

    #[test]
    fn a_short_decimal_is_known_to_be_canonical(text in r"-?(0|[1-9][0-9]{0,9})\.[0-9]{1,9}") {
        agree(&text);
    }
}
