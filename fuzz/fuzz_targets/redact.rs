//! Any text with a secret in it: the secret is not shown, and masking again changes nothing.
#![no_main]

use crosscheck_core::redact::redacted;
use libfuzzer_sys::fuzz_target;

/// Ways to write a secret down, each a line of its own.
const FORMS: &str = include_str!("../../crates/crosscheck-core/src/redact/forms.txt");
const SECRET: &str = "Zq7Hunter9";

fuzz_target!(|input: (&str, usize)| {
    let (text, at) = input;
    let shown = redacted(text);
    assert_eq!(redacted(&shown), shown, "{text:?}");
    if text.contains(SECRET) {
        return;
    }
    let forms = FORMS.lines().filter(|line| !line.starts_with('#'));
    let forms: Vec<&str> = forms.collect();
    let form = forms[at % forms.len()].trim_start_matches("~ ");
    let line = form.replace("@@", SECRET);
    // what stands in other lines hides nothing
    let shown = redacted(&format!("{}\n{line}", text.replace(['"', '\'', '`'], " ")));
    assert!(!shown.contains(SECRET), "{shown:?}");
});
