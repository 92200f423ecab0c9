//! What the model was shown of an answer, held against the answer.

use crosscheck_core::Json;
use crosscheck_ground::transcript::ToolResult;

use crate::canonical;
use crate::reasons::TraceReason;

/// How an answer and its telling part.
pub(super) struct Breach {
    pub(super) reason: TraceReason,
    pub(super) expected: String,
    pub(super) found: String,
}

/// Holds what the model was told against the tool's own record and against
/// the end of the process behind the call, as far as the log has them.
pub(super) fn breach(
    returned: Option<&ToolResult>,
    told: &ToolResult,
    exit: Option<i64>,
) -> Option<Breach> {
    if let Some(code) = exit.filter(|code| *code != 0 && told.says_success) {
        return Some(Breach {
            reason: TraceReason::ErrorShownAsSuccess,
            expected: format!("a failure: the process ended with {code}"),
            found: "a success".to_owned(),
        });
    }
    let returned = returned?;
    let reason = if returned.is_error && !told.is_error {
        hidden_failure(returned, told)?
    } else {
        let both_failed = returned.is_error; // in words of their own
        let same = || plain(&returned.content) == plain(&told.content);
        if both_failed || !returned.recorded || !told.recorded || same() {
            return None;
        }
        TraceReason::ResultAltered
    };
    Some(Breach {
        reason,
        expected: beginning(&returned.content),
        found: beginning(&told.content),
    })
}

/// The tool failed, and what the model was told is not marked as a failure:
/// then it must at least be the tool's words, or speak of a failure.
fn hidden_failure(returned: &ToolResult, told: &ToolResult) -> Option<TraceReason> {
    if told.says_success {
        return Some(TraceReason::ErrorShownAsSuccess);
    }
    let words = returned.content.trim();
    let repeats = (!words.is_empty() && told.content.contains(words))
        || (returned.recorded && plain(&returned.content) == plain(&told.content));
    if !told.recorded || repeats {
        return None;
    }
    match (speaks_of_failure(&told.content), returned.recorded) {
        (true, false) => None,
        (true, true) => Some(TraceReason::ResultAltered),
        (false, _) => Some(TraceReason::ErrorShownAsSuccess),
    }
}

/// Words by which tools and harnesses tell of failures. Whoever tells of one
/// otherwise has a flag for it in most formats.
fn speaks_of_failure(text: &str) -> bool {
    const WORDS: [&str; 20] = [
        "error",
        "fail",
        "exception",
        "traceback",
        "timed out",
        "timeout",
        "denied",
        "refused",
        "rejected",
        "not found",
        "no such",
        "unable",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "invalid",
        "abort",
        "cancel",
        "unavailable",
    ];
    let text = text.to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

/// The same answer, whether as text, as JSON, or as JSON inside a string.
fn plain(content: &str) -> String {
    let content = content.trim();
    match Json::parse(content) {
        Err(_) => content.to_owned(),
        Ok(json) => match json.root().as_str() {
            Some(text) => match Json::parse(text.trim()) {
                Ok(inner) => canonical::of_lenient(inner.root()),
                Err(_) => text.trim().to_owned(),
            },
            None => canonical::of_lenient(json.root()),
        },
    }
}

fn beginning(text: &str) -> String {
    let line = crosscheck_core::text::one_line(text);
    crosscheck_core::text::cut_units(&line, 200).to_owned()
}
