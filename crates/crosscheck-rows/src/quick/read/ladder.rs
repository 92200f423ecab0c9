//! The ingest ladder: five ways to find tool calls in a log, tried in order.

use crosscheck_core::json::Json;
use crosscheck_core::text::ecma_trim;

use super::extract::Found;
use super::{Call, Ingest, patterns};
use crate::reasons::RowReason;

/// L0: a larger log is not examined.
pub const MAX_INPUT_BYTES: u64 = 8_388_608;

/// Climbs until a rung yields tool calls.
pub(super) fn climb(bytes: &[u8]) -> (Vec<Call>, Ingest) {
    let decoded = String::from_utf8_lossy(bytes);
    let text = decoded.strip_prefix('\u{FEFF}').unwrap_or(&decoded); // L1
    let text = patterns::strip(text); // L1b
    if ecma_trim(&text).is_empty() {
        return nothing(vec![RowReason::IngestNoActions]);
    }
    if let Some(found) = whole_text(&text) {
        return finish(found, 0);
    }
    let (found, malformed_lines) = lines(&text);
    if !found.calls.is_empty() {
        return finish(found, malformed_lines);
    }
    let found = embedded_objects(&text);
    if !found.calls.is_empty() {
        return finish(found, malformed_lines);
    }
    // L5
    let ingest = Ingest {
        malformed_codes: malformed_lines,
        codes: vec![RowReason::IngestNoStructuredToolActivity],
        malformed_lines,
        ..Ingest::default()
    };
    (Vec::new(), ingest)
}

fn nothing(codes: Vec<RowReason>) -> (Vec<Call>, Ingest) {
    let ingest = Ingest {
        codes,
        ..Ingest::default()
    };
    (Vec::new(), ingest)
}

/// Mixed stream: once a tool call was found, malformed lines are only counted.
fn finish(found: Found, malformed_lines: usize) -> (Vec<Call>, Ingest) {
    let codes = if found.capped {
        vec![RowReason::IngestActionCap]
    } else {
        Vec::new()
    };
    let ingest = Ingest {
        codes,
        malformed_lines,
        ..Ingest::default()
    };
    (found.calls, ingest)
}

/// L2: the whole text is one JSON value.
fn whole_text(text: &str) -> Option<Found> {
    let json = Json::parse(text).ok()?;
    let mut found = Found::default();
    found.extract(json.root());
    (!found.calls.is_empty()).then_some(found)
}

/// L3: each line is a JSON value, possibly behind a prefix.
fn lines(text: &str) -> (Found, usize) {
    let mut found = Found::default();
    let mut malformed = 0;
    for line in text
        .split('\n')
        .map(ecma_trim)
        .filter(|line| !line.is_empty())
    {
        match line_value(line) {
            Some(json) => found.extract(json.root()),
            None => malformed += 1,
        }
    }
    (found, malformed)
}

fn line_value(line: &str) -> Option<Json> {
    let bare = patterns::after_timestamp(line).map_or(line, ecma_trim);
    if let Ok(json) = Json::parse(bare) {
        return Some(json);
    }
    let rest = patterns::after_level(bare).or_else(|| patterns::after_bracket(bare))?;
    Json::parse(ecma_trim(rest)).ok()
}

/// L4: balanced objects anywhere in the text. All of them count.
fn embedded_objects(text: &str) -> Found {
    let mut found = Found::default();
    for candidate in balanced(text) {
        if let Ok(json) = Json::parse(candidate) {
            found.extract(json.root());
        }
        if found.capped {
            break;
        }
    }
    found
}

/// The outermost `{…}` of a text, from left to right. Both quote characters
/// open a string; an object that is never closed ends the scan.
fn balanced(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(b'{', bytes.get(at..)?)?;
        let end = closing_brace(bytes, start)?;
        at = end;
        text.get(start..end)
    })
}

fn closing_brace(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, &byte) in bytes.iter().enumerate().skip(start) {
        if let Some(open) = quote {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                _ if byte == open => quote = None,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' | b'\'' => quote = Some(byte),
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tools(text: &str) -> (Vec<String>, Ingest) {
        let (calls, ingest) = climb(text.as_bytes());
        (
            calls.iter().map(|call| call.tool.to_string()).collect(),
            ingest,
        )
    }

    #[test]
    fn a_blank_log_has_no_actions() {
        for text in ["", " \n\t", "\u{FEFF}\u{1b}[0m\u{2028}"] {
            let (calls, ingest) = tools(text);
            assert!(calls.is_empty());
            assert_eq!(ingest.codes, [RowReason::IngestNoActions], "{text:?}");
        }
    }

    #[test]
    fn prefixes_are_taken_off_once_and_not_both() {
        let line = r#"{"tool":"t","params":{}}"#;
        for before in [
            "",
            "2026-05-05T10:00:00Z ",
            "INFO ",
            "[x] ",
            "2026-05-05T10:00:00Z WARN ",
            "2026-05-05T10:00:00Z [x] ",
        ] {
            assert_eq!(tools(&format!("x\n{before}{line}")).0, ["t"], "{before}");
        }
        // level and bracket together are malformed for L3; L4 still finds the object
        let (found, ingest) = tools(&format!("INFO [x] {line}"));
        assert_eq!((found.len(), ingest.malformed_lines), (1, 1));
    }

    #[test]
    fn json_without_a_tool_call_is_not_malformed() {
        let (calls, ingest) = tools("1\n\"x\"\ntrue\nnull\n{}\n[]\nnope");
        assert!(calls.is_empty());
        assert_eq!((ingest.malformed_lines, ingest.malformed_codes), (1, 1));
        assert_eq!(ingest.codes, [RowReason::IngestNoStructuredToolActivity]);
    }

    #[test]
    fn malformed_lines_are_only_counted_when_a_call_was_found() {
        let (calls, ingest) = tools("garbage\n{\"tool\":\"t\"}\nmore");
        assert_eq!(calls, ["t"]);
        assert_eq!((ingest.malformed_lines, ingest.is_clean()), (2, true));
    }

    #[test]
    fn every_embedded_object_counts() {
        assert_eq!(
            tools(r#"a {"tool":"x"} b {"no":1} c {"tool":"y"} d { "#).0,
            ["x", "y"]
        );
        // an apostrophe opens a string, and an open brace ends the scan
        assert_eq!(tools(r#"{ don't {"tool":"x"}"#).0, Vec::<String>::new());
        assert_eq!(tools(r#"say {"tool":"x"} { {"tool":"y"}"#).0, ["x"]);
    }

    #[test]
    fn hostile_shapes_end_in_an_answer() {
        for text in [
            "{".repeat(1 << 20),
            "[".repeat(1 << 20),
            "\"\\".repeat(1 << 18),
            "\u{1b}[".repeat(1 << 18),
            "'{".repeat(1 << 18),
        ] {
            assert!(tools(&text).0.is_empty());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_climb_without_a_crash(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let (calls, ingest) = climb(&bytes);
            prop_assert_eq!(calls.is_empty(), ingest.has(RowReason::IngestNoActions) || ingest.has(RowReason::IngestNoStructuredToolActivity));
        }
    }
}
