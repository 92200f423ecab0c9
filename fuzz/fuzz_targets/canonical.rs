//! Any JSON: its canonical form parses, is its own canonical form, and holds
//! no blank outside a string.
#![no_main]

use crosscheck_core::{Json, canonical};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(json) = Json::parse(text) else {
        return;
    };
    let once = canonical::of_node(json.root());
    let again = Json::parse(&once).unwrap_or_else(|error| panic!("{once:?}: {error}"));
    assert_eq!(canonical::of_node(again.root()), once);
    assert!(once.len() <= 30 * text.len().max(1), "{once:?}");
});
