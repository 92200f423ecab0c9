//! Whether the model was shown what the tool returned (trace 14).

use crosscheck_core::canonical::{self, Numbers, Style};
use crosscheck_core::rules::Rule;
use crosscheck_core::{Json, Node};
use crosscheck_transcript::ToolResult;

use super::threads::Thread;
use crate::reasons::TraceReason;

/// How a result differs from what the model was shown.
pub(super) struct Breach {
    pub(super) reason: TraceReason,
    pub(super) expected: String,
    pub(super) found: String,
}

/// Compares what the model was shown with the tool's own record and with how
/// the process of the call ended, as far as the log has them.
pub(super) fn breach(
    returned: Option<&ToolResult>,
    reported: &ToolResult,
    thread: &Thread<'_>,
) -> Option<Breach> {
    let reported_code = reported_exit_code(&reported.content);
    let is_success = reported.says_success || reported_code == Some(0);
    if let Some(fault) = thread.fault().filter(|_| is_success) {
        return Some(Breach {
            reason: TraceReason::ErrorShownAsSuccess,
            expected: beginning(&format!("a failure: {fault}")),
            found: "a success".to_owned(),
        });
    }
    let codes: Vec<i64> = thread.ends.iter().filter_map(|end| end.code).collect();
    if let (Some(reported), Some(code)) = (reported_code, codes.last())
        && !codes.contains(&reported)
    {
        return Some(Breach {
            reason: TraceReason::ResultAltered,
            expected: format!("exit code {code}"),
            found: format!("exit code {reported}"),
        });
    }
    let returned = returned?;
    let is_same = || plain(returned) == plain(reported);
    let reason = match (returned.is_error, reported.is_error) {
        // both failed, each in words of its own
        (true, true) => return None,
        (true, false) if reported.says_success => TraceReason::ErrorShownAsSuccess,
        (true, false) if !reported.recorded || repeats(returned, reported) => return None,
        (true, false) if !mentions_failure(&reported.content) => TraceReason::ErrorShownAsSuccess,
        _ if !returned.recorded || !reported.recorded || is_same() => return None,
        _ => TraceReason::ResultAltered,
    };
    Some(Breach {
        reason,
        expected: beginning(&returned.content),
        found: beginning(&reported.content),
    })
}

/// Whether the model was shown the words of the tool.
fn repeats(returned: &ToolResult, reported: &ToolResult) -> bool {
    let words = returned.content.trim();
    (!words.is_empty() && reported.content.contains(words))
        || (returned.recorded && plain(returned) == plain(reported))
}

static FAILURE_WORDS: Rule = Rule::new(
    "trace.failure_words",
    "a result that is not flagged as a failure is one if it has a word such as `error` or `denied`",
);

/// Most formats flag failures; for the others the words of the result decide.
fn mentions_failure(text: &str) -> bool {
    const WORDS: &str = "error fail exception traceback timeout timed_out denied refused rejected \
        not_found no_such unable cannot can't could_not couldn't invalid abort cancel unavailable";
    let text = text.to_lowercase().replace(' ', "_");
    FAILURE_WORDS.is_on() && WORDS.split_whitespace().any(|word| text.contains(word))
}

/// The exit code that the harness put before the output of a command: as data
/// around it, or in header lines that also contain the time.
fn reported_exit_code(content: &str) -> Option<i64> {
    const CODE: [&str; 2] = ["Exit code: ", "Process exited with code "];
    const OTHERS: [&str; 3] = ["Wall time: ", "Total output lines: ", "Chunk ID: "];
    let content = content.trim_start();
    if content.starts_with('{') {
        let json = Json::parse(content).ok()?;
        json.root().get("output")?;
        let code = json.root().get("metadata")?.get("exit_code")?;
        return match canonical::of_node(code).parse() {
            Ok(code) => Some(code),
            Err(_) => (code.as_f64() == Some(0.0)).then_some(0),
        };
    }
    let is_header = |line: &&str| {
        let mut beginnings = CODE.iter().chain(&OTHERS);
        beginnings.any(|begin| line.starts_with(begin))
    };
    let header = || content.lines().take_while(is_header);
    header().find(|line| line.starts_with("Wall time: "))?;
    header().find_map(|line| {
        let code = CODE.iter().find_map(|begin| line.strip_prefix(begin))?;
        code.trim_end().parse().ok()
    })
}

/// The same answer, whether as text, as JSON, or as JSON inside a string.
fn plain(result: &ToolResult) -> String {
    // numbers in a text are spelled by some language; data is compared by value
    let data = result.structured.as_ref().map(Json::root);
    if let Some(data) = data.filter(|data| canonical::of_node(*data) == result.content) {
        return value(data);
    }
    let content = result.content.trim();
    match Json::parse(content) {
        Err(_) => content.to_owned(),
        Ok(json) => match json.root().as_str() {
            Some(text) => match Json::parse(text.trim()) {
                Ok(inner) => value(inner.root()),
                Err(_) => text.trim().to_owned(),
            },
            None => value(json.root()),
        },
    }
}

/// One text for equal values: order of members and spelling of numbers do
/// not count, each digit of a number does.
fn value(node: Node<'_>) -> String {
    let style = Style {
        numbers: Numbers::Value,
        ..Style::TRACE
    };
    canonical::text(node, &style)
}

fn beginning(text: &str) -> String {
    let line = crosscheck_core::text::one_line(text);
    crosscheck_core::text::cut_units(&line, 200).to_owned()
}
