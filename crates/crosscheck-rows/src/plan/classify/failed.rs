//! Whether a call failed: then it claims nothing.

use crosscheck_core::json::{Node, Value};

use crate::plan::field::Vocabulary;
use crate::plan::words::words;
use crate::read::{Answer, Call};

/// Longer texts speak of many things, not only of a failure.
const SHORT: usize = 200;

/// Why a call counts as failed, if it does.
pub(super) fn why(vocabulary: &mut Vocabulary, call: &Call) -> Option<String> {
    if call.failed {
        return Some("the log marks it as failed".to_owned());
    }
    match call.answer.as_ref()? {
        Answer::Text(text) => of_text(text),
        Answer::Json(json) => of_object(vocabulary, json.root()),
        Answer::Nothing => None,
    }
}

fn of_text(text: &str) -> Option<String> {
    let lower = text.get(..floor(text, 1000)).unwrap_or(text).to_lowercase();
    let start = lower.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let first: String = start
        .chars()
        .take_while(|c| c.is_ascii_alphabetic() || *c == '\'')
        .collect();
    // "Error: none. Saved.": nobody can say which of the two is meant
    let mut sentences = lower.split(['.', '!', ';', '\n']).skip(1);
    let begins_well = |sentence: &str| {
        let mut words_of = sentence.split(|c: char| !c.is_alphanumeric());
        let first = words_of.find(|word| !word.is_empty());
        first.is_some_and(|word| words().outcome_words.has(word))
    };
    if sentences.any(begins_well) {
        return None;
    }
    let tells = words().failed_text.has(&first)
        && match first.as_str() {
            "could" => start.starts_with("could not"),
            "unknown" => {
                let kinds = ["tool", "function", "action", "method"];
                let rest = start.strip_prefix("unknown ").unwrap_or_default();
                kinds.iter().any(|kind| rest.starts_with(kind))
            }
            _ => true,
        };
    if tells {
        return Some(format!("the answer begins with \"{first}\""));
    }
    if let Some(what) = thrown(start) {
        return Some(format!("the answer begins with \"{what}\""));
    }
    if text.chars().count() > SHORT {
        return None;
    }
    let mut phrases = words().failed_phrases.iter();
    let phrase = phrases.find(|phrase| lower.contains(phrase.as_str()))?;
    Some(format!("the answer says \"{phrase}\""))
}

/// What programs put in front of an error: the name of an exception
/// (`sqlite3.IntegrityError:`), the status of a protocol (`HTTP 409`), the
/// words of an MCP server.
fn thrown(start: &str) -> Option<&str> {
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_'));
    let (name, rest) = start.split_at(start.find(ends).unwrap_or(start.len()));
    let is_exception = ["error", "exception"].iter().any(|end| name.ends_with(end));
    if is_exception && rest.starts_with([':', '(']) {
        return Some(name);
    }
    if start.starts_with("mcp error") {
        return Some("mcp error");
    }
    let http = start.strip_prefix("http")?;
    let code = http.trim_start_matches(['/', '.', '1', '2', ' ']);
    let code = code.strip_prefix("status ").unwrap_or(code);
    let code = code.strip_prefix("error ").unwrap_or(code);
    let is_failure =
        code.starts_with(['4', '5']) && code.bytes().take_while(u8::is_ascii_digit).count() == 3;
    is_failure.then(|| start.split_at(start.len() - code.len() + 3).0)
}

/// The last place up to `at` where a character ends.
fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

fn of_object(vocabulary: &mut Vocabulary, node: Node<'_>) -> Option<String> {
    let members = node.as_object()?;
    if node.get("isError").and_then(Node::as_bool) == Some(true) {
        return Some("isError".to_owned());
    }
    let lists = words();
    let mut is_row = false;
    // `{"ok": true, "errors": ["minor"]}` contradicts itself: the row decides
    let is_good = ["success", "ok", "succeeded"]
        .iter()
        .any(|name| node.get(name).and_then(Node::as_bool) == Some(true));
    for (name, value) in members {
        let field = vocabulary.member(name);
        let (name, lower) = (&field.name.text, &field.lower);
        is_row |= field.name.ends_in_id;
        if field.tells_failure && !is_empty(value) && !is_good {
            return Some(format!("the answer has {name}"));
        }
        let truth = value.as_bool();
        if matches!(lower.as_str(), "success" | "ok" | "succeeded") && truth == Some(false) {
            return Some(format!("{name} is false"));
        }
        if truth == Some(true) && lists.not_done.has(lower) {
            return Some(format!("{name}: it was not carried out"));
        }
        let number = value.as_f64();
        if number == Some(0.0) && lists.affected.has(lower) {
            return Some(format!("{name} is 0"));
        }
        let is_code = matches!(lower.as_str(), "status_code" | "statuscode" | "http_status");
        if let Some(code) = number.filter(|code| is_code && *code >= 400.0) {
            return Some(format!("{name} {code}"));
        }
    }
    // the row of something may hold any state
    if is_row { None } else { of_status(node) }
}

/// A state that is a failure.
fn of_status(node: Node<'_>) -> Option<String> {
    match node.get("status")?.value() {
        Value::String(text) => {
            let text = text.to_str_lossy();
            let fails = words().failed_words.has(&text.to_lowercase());
            fails.then(|| format!("status {text}"))
        }
        Value::Number(digits) => {
            let code = digits.to_f64();
            let fails = digits.is_integer() && (400.0..600.0).contains(&code);
            fails.then(|| format!("status {code}"))
        }
        _ => None,
    }
}

/// What is written where there was no error.
pub(super) fn is_empty(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(digits) => digits.to_f64() == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Array(mut items) => items.next().is_none(),
        Value::Object(members) => members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::{call, vocabulary};

    fn fails(answer: &str) -> bool {
        let answer = serde_json::to_string(answer).unwrap();
        let line = format!(r#"{{"tool":"t","params":{{}},"result":{answer}}}"#);
        why(&mut vocabulary(&[]), &call(&line)).is_some()
    }

    #[test]
    fn texts_that_begin_with_a_failure_or_speak_of_one_are_failures() {
        for text in [
            "Error: loan not found",
            "  [error] x",
            "Failed to save",
            "can't do that",
            "Could not connect",
            "Unknown tool: x",
            "The order does not exist.",
            "Permission denied for user",
            "ValidationError: amount",
            "sqlite3.IntegrityError: UNIQUE constraint",
            "java.lang.IllegalStateException: x",
            "HTTP 409 Conflict",
            "HTTP/1.1 500 Internal Server Error",
            "MCP error -32602: Invalid params",
        ] {
            assert!(fails(text), "{text}");
        }
        let long = format!("saved. {} not found", "x".repeat(250));
        for text in [
            "ok",
            "done",
            "could be better",
            "Unknown sender blocked",
            "No errors",
            "http://shop.example/orders/500",
            "HTTP 201 Created",
            "ErrorReport filed",
            "Error: none. Saved.",
            &long,
        ] {
            assert!(!fails(text), "{text}");
        }
    }

    #[test]
    fn objects_say_in_many_ways_that_nothing_was_done() {
        for object in [
            r#"{"isError":true}"#,
            r#"{"error":"x"}"#,
            r#"{"errors":[1]}"#,
            r#"{"success":false}"#,
            r#"{"ok":false}"#,
            r#"{"requires_confirmation":true}"#,
            r#"{"rows_affected":0}"#,
            r#"{"status_code":404}"#,
            r#"{"status":"failed"}"#,
            r#"{"status":500}"#,
        ] {
            assert!(fails(object), "{object}");
        }
        for object in [
            r#"{"error":null}"#,
            r#"{"error":""}"#,
            r#"{"errors":[]}"#,
            r#"{"success":true}"#,
            r#"{"ok":true,"errors":["minor"]}"#,
            r#"{"success":true,"error":"late"}"#,
            r#"{"rows_affected":2}"#,
            r#"{"status_code":201}"#,
            r#"{"id":7,"status":"failed"}"#,
            r#"{"order_id":7,"status":404}"#,
            r#"{"status":"done"}"#,
        ] {
            assert!(!fails(object), "{object}");
        }
    }
}
