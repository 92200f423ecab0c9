//! Any bytes as a log of any format: every line is an event, or is counted as one that is none.
#![no_main]

use crosscheck_transcript::{Format, read_bytes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for format in Format::ALL {
        let log = read_bytes(format, bytes);
        let lines = bytes.split(|byte| *byte == b'\n').count();
        assert!(log.malformed.count <= lines, "{format:?}");
        assert!(log.unknown.count <= log.ignored, "{format:?}");
    }
});
