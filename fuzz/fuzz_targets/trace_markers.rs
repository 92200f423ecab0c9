//! Any text: every opener is either a marker or a malformed one, and a marker
//! is spelled exactly as it stands in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;

use crosscheck_trace::read::marker::markers;

fuzz_target!(|text: &str| {
    let found = markers(text);
    let openers = text.matches("[evidence:").count();
    assert_eq!(found.good.len() + found.malformed.len(), openers);
    for marker in found.good {
        let (id, start, end, hash) = (marker.id, marker.start, marker.end, marker.hash);
        assert!(text.contains(&format!("[evidence:{id}:{start}-{end}:{hash}]")));
    }
});
