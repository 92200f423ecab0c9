//! Any lines as a report: it is refused, or its run says what its units say, without a secret.
#![no_main]

use crosscheck::batch::reports;
use crosscheck::core::Verdict;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for report in reports(text).into_iter().flatten() {
        let is_good = report.verdict == Verdict::Confirmed;
        assert!(!is_good || report.count(Verdict::Refuted) == 0, "{text:?}");
    }
});
