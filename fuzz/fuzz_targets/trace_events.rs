//! Any bytes as a trace: a report, never a crash, and never accepted, since
//! without artifacts nothing is grounded and this plan has no run.
#![no_main]

use libfuzzer_sys::fuzz_target;

const PLAN: &[u8] = include_bytes!("../../vectors/trace/valid-insufficient-no-retrieval/plan.json");

fuzz_target!(|bytes: &[u8]| {
    if let Ok(report) = crosscheck_trace::verify_bytes(bytes, PLAN) {
        assert_eq!(report.is_accepted(), report.failure_count() == 0);
        let _ = (report.human(), report.neutral());
    }
});
