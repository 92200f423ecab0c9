//! Any bytes as a plan: a report, never a crash.
#![no_main]

use libfuzzer_sys::fuzz_target;

const TRACE: &[u8] =
    include_bytes!("../../vectors/trace/valid-insufficient-no-retrieval/trace.jsonl");

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = crosscheck_trace::verify_bytes(TRACE, bytes) {
        assert_eq!(report.is_accepted(), report.failure_count() == 0);
    }
});
