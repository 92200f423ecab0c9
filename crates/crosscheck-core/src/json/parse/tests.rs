use proptest::prelude::*;

use super::*;
use crate::canonical;
use crate::text::JsString;

fn accepted(text: &str) -> bool {
    Json::parse(text).is_ok()
}

#[test]
fn the_grammar_is_that_of_rfc_8259() {
    for text in [
        "0",
        "-0",
        "1e999",
        " \t\r\n[1, 2]\n",
        "\"\"",
        "{}",
        "[]",
        "true",
        "\"\\u0041\\/\"",
        "1E+2",
        "0.5",
        "\"\u{7f}\u{2028}\"",
    ] {
        assert!(accepted(text), "{text}");
    }
    for text in [
        "",
        " ",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "1e+",
        "[1,]",
        "[,]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "tru",
        "nulll",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"",
        "\"\\",
        "\"\\u1",
        "1 2",
        "[1",
        "{",
        "]",
        "}",
        "[}",
        "{]",
        "'a'",
        "\u{FEFF}1",
        "\u{A0}1",
        "NaN",
        "Infinity",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "{\"a\" 1}",
        "{1:2}",
        "--1",
        "1-",
        ":",
        ",",
    ] {
        assert!(!accepted(text), "{text}");
    }
}

#[test]
fn an_escaped_half_joins_a_literal_one() {
    let mut source = JsString::from("\"\\ud83d");
    source.push(JsString::from_units([0xDE00]).as_js());
    source.push_str("\"");
    let json = Json::parse_js(source.as_js()).unwrap();
    assert_eq!(json.root().as_str(), Some("\u{1F600}"));
}

#[test]
fn a_string_with_escapes_leaves_its_neighbours_alone() {
    let text = r#"{"\u0061\n":"x\ty","b":["\ud83d\ude00z\ud800",-1.50,"\\"]}"#;
    let json = Json::parse(text).unwrap();
    let said = "{\"a\\n\":\"x\\ty\",\"b\":[\"\u{1F600}z\\ud800\",-1.5,\"\\\\\"]}";
    assert_eq!(canonical::of_node(json.root()), said);
    assert_eq!(canonical::of_node(json.root().to_json().root()), said);
}

#[test]
fn surrogates_of_neighbouring_strings_do_not_join() {
    let json = Json::parse(r#"["\ud83d","\ude00"]"#).unwrap();
    assert_eq!(canonical::of_node(json.root()), r#"["\ud83d","\ude00"]"#);
}

#[test]
fn strict_rules_name_what_they_refuse() {
    let strict = |text: &str| {
        Json::parse_with(text, &Rules::STRICT)
            .map(|_| ())
            .unwrap_err()
    };
    assert!(
        matches!(strict(r#"{"a":{"b":1,"b":2}}"#), ParseError::RepeatedKey { key } if key == "b")
    );
    assert!(matches!(
        strict(r#""\ud800""#),
        ParseError::LoneSurrogate { .. }
    ));
    assert!(matches!(strict("1e999"), ParseError::InfiniteNumber { .. }));
    assert!(matches!(
        strict(&"[".repeat(129)),
        ParseError::TooDeep { limit: 128, .. }
    ));
    assert!(Json::parse_with(&("[".repeat(128) + &"]".repeat(128)), &Rules::STRICT).is_ok());
}

proptest! {
    #[test]
    fn short_texts_begin_as_others_do(text in "[ab]{0,20}", start in "[ab]{0,12}", len in 0_usize..20) {
        for start in [start.as_str(), text.get(..len).unwrap_or_default()] {
            let expected = text.as_bytes().starts_with(start.as_bytes());
            prop_assert_eq!(begins_with(text.as_bytes(), start.as_bytes()), expected);
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused_and_agrees_with_serde_json(text in r#"[\[\]{}":,0-9eE.+\- a\\u]{0,24}"#) {
        let ours = Json::parse(&text).is_ok();
        let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
        // serde_json refuses lone surrogates and infinite numbers, we do not
        if theirs.is_ok() {
            prop_assert!(ours, "{}", text);
        }
        if ours && !text.contains('\\') && !text.contains(['e', 'E']) {
            prop_assert!(theirs.is_ok(), "{}", text);
        }
    }
}
