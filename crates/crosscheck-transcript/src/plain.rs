//! Tool calls as custom programs log them: an object with the name of the tool,
//! its arguments and, if it was kept, its answer.

use crosscheck_core::Node;
use crosscheck_core::json::Value;

use super::content::{
    answered, arguments, asked, first_text, marks_failure, present, scalar_text, text,
};
use super::model::{Body, Hints};
use super::sink::Sink;

const NAMES: [&str; 4] = ["tool", "toolId", "tool_name", "name"];
const ARGUMENTS: [&str; 5] = ["params", "arguments", "args", "input", "parameters"];
const ANSWERS: [&str; 4] = ["result", "output", "response", "answer"];

pub(super) fn record(sink: &mut Sink, record: Node<'_>) {
    let Some(name) = name(record) else {
        sink.ignore();
        // a note has no parts, a message has an author
        let mut members = record.as_object().into_iter().flatten();
        let has_parts = |value: Node<'_>| value.as_object().is_some() || value.as_array().is_some();
        if record.get("role").is_none() && members.any(|(_, value)| has_parts(value)) {
            sink.unknown();
        }
        return;
    };
    let id = scalar_text(record, &["id", "call_id"]);
    if let Some(step) = record.get("step").and_then(whole) {
        sink.set_step(step);
    }
    let given = ARGUMENTS.iter().find_map(|key| record.get(key));
    let mut call = asked(id.clone(), Some(name), arguments(given));
    if let (Body::ToolCall(call), Some(notes)) = (&mut call, record.get("annotations")) {
        call.hints = Hints::of(notes);
    }
    sink.tell(call);
    let error = present(record, "error").filter(|error| !is_empty(*error));
    let failed =
        marks_failure(record, "is_error") || marks_failure(record, "isError") || error.is_some();
    let answer = ANSWERS.iter().find_map(|key| record.get(key)).or(error);
    if answer.is_some() || failed {
        sink.tell(answered(id, answer, failed));
    }
}

/// Whether a record looks like such a call: a name, and arguments or an answer.
pub(super) fn is_call(record: Node<'_>) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|key| record.get(key).is_some());
    let is_named_tool = first_text(record, &["tool", "toolId", "tool_name"]).is_some();
    is_named_tool || (text(record, "name").is_some() && (has(&ARGUMENTS) || has(&ANSWERS)))
}

fn name(record: Node<'_>) -> Option<String> {
    first_text(record, &NAMES).filter(|name| !name.is_empty())
}

fn whole(node: Node<'_>) -> Option<usize> {
    match node.value() {
        Value::Number(digits) => digits.text().parse().ok(),
        _ => None,
    }
}

/// Values that mean "no error".
fn is_empty(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(digits) => digits.to_f64() == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Array(mut items) => items.next().is_none(),
        Value::Object(members) => members.is_empty(),
    }
}
