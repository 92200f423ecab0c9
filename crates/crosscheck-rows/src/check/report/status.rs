//! How a workflow ended.

use crosscheck_core::Verdict;

/// The word of the contract.
pub(crate) const fn status_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "complete",
        Verdict::Refuted => "inconsistent",
        Verdict::Undecided => "incomplete",
    }
}

/// The line that begins standard error.
pub(crate) fn verdict_line(verdict: Verdict) -> String {
    let trust = match verdict {
        Verdict::Confirmed => "trusted",
        Verdict::Refuted => "not_trusted",
        Verdict::Undecided => "unknown",
    };
    format!("truth_check_verdict: {trust}\n")
}
