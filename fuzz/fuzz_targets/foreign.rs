//! Any text in any format: nothing of it steers a terminal, and JSON stays JSON.
#![no_main]

use crosscheck_core::foreign;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let written = [
        foreign::terminal(text).into_owned(),
        foreign::line(text).into_owned(),
        foreign::markdown_code(text),
        foreign::markdown_prose(text),
        foreign::markdown_cell(text),
        foreign::html(text),
        foreign::csv_cell(&foreign::line(text)).into_owned(),
        foreign::toml_string(text),
        foreign::json_compact(text),
    ];
    let steers = |c: char| {
        let is_bidi = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        is_bidi || c.is_control() && !matches!(c, '\n' | '\t')
    };
    for one in &written {
        assert!(!one.contains(steers), "{text:?} {one:?}");
    }
    assert!(!foreign::html(text).contains(['<', '>']), "{text:?}");
    assert!(!foreign::markdown_cell(text).contains('<'), "{text:?}");
    let again: String = serde_json::from_str(&foreign::json_compact(text)).unwrap();
    assert_eq!(again, text);
});
