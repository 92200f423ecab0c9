//! Any text: parsed or refused, never a crash; what parses, serde_json parses
//! too (but for depth and numbers beyond a double), and the other way round.
#![no_main]

use crosscheck_core::Json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let ours = Json::parse(text).is_ok();
    let Err(theirs) = serde_json::from_str::<serde_json::Value>(text) else {
        assert!(ours, "refused: {text:?}");
        return;
    };
    let message = theirs.to_string();
    let known = ["recursion limit", "number out of range", "lone", "surrogate", "hex escape"];
    if !known.iter().any(|part| message.contains(part)) {
        assert!(!ours, "accepted: {text:?}, but {message}");
    }
});
