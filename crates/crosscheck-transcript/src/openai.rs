//! OpenAI logs: chat completions messages and Responses API items, as requests,
//! responses, single items, batch lines, or records with a request and its
//! response.

use crosscheck_core::Node;
use crosscheck_core::text::JsStr;

use super::content::{
    answered, arguments, asked, first_text, kind, list, marks_failure, present, readable, role,
    said, scalar_text, string, text,
};
use super::conversations::{Marks, marks};
use super::langsmith;
use super::mcp::describe;
use super::model::{Body, LogEntry, Role};
use super::responses;
use super::sink::{Sink, Telling};

/// The members that hold the messages of a conversation; runs of benchmarks
/// call them `traj`.
pub(super) const MESSAGES: [&str; 2] = ["messages", "traj"];

/// The members of a message that stands for itself.
const MESSAGE: [&[u8]; 7] = [
    b"role",
    b"content",
    b"tool_calls",
    b"tool_call_id",
    b"name",
    b"refusal",
    b"function_call",
];

pub(super) fn record(sink: &mut Sink, record: Node<'_>, telling: Telling) {
    // most lines are one message, and have nothing that else may be looked for
    let mut members = record.as_object().into_iter().flatten();
    if record.get("role").is_some() && members.all(|(name, _)| MESSAGE.contains(&name.bytes())) {
        sink.conversations.join(Marks::default());
        sink.enter(LogEntry {
            kind: text(record, "role").unwrap_or_default(),
            ..LogEntry::default()
        });
        chat(sink, record, telling, Place::Conversation);
        return;
    }
    // runs of a benchmark, each with its messages
    let mut runs = list(record, "simulations").peekable();
    if runs.peek().is_some() {
        runs.for_each(|run| self::record(sink, run, telling));
        return;
    }
    let answer = ["response", "completion"]
        .iter()
        .find_map(|key| present(record, key))
        .map(|answer| present(answer, "body").unwrap_or(answer));
    let request = ["request", "body"]
        .iter()
        .find_map(|key| present(record, key))
        .unwrap_or(record);
    sink.conversations.join(marks(record, request, answer));
    sink.enter(entry(record, answer));
    describe(sink, request);
    let mut known = asks(sink, request);
    if let Some(answer) = answer {
        known |= answers(sink, answer, stream_telling(record));
    } else {
        known |= answers(sink, record, Telling::New);
    }
    if !known {
        single(sink, record, telling);
    }
}

fn entry(record: Node<'_>, answer: Option<Node<'_>>) -> LogEntry {
    let answer = answer.unwrap_or(record);
    let kind = first_text(record, &["type", "object", "role"]).unwrap_or_default();
    LogEntry {
        kind,
        id: first_text(record, &["id", "custom_id"]),
        parent: text(answer, "previous_response_id"),
        group: text(answer, "id"),
        started: scalar_text(record, &["timestamp", "created_at", "created", "time"]),
        ..LogEntry::default()
    }
}

/// `response.completed` repeats the items of its stream.
fn stream_telling(record: Node<'_>) -> Telling {
    if kind(record).starts_with("response.") {
        Telling::History
    } else {
        Telling::New
    }
}

/// The contents of a request: the conversation so far.
fn asks(sink: &mut Sink, request: Node<'_>) -> bool {
    let messages = MESSAGES.into_iter().find(|name| {
        let list = request.get(name);
        list.is_some_and(|list| list.as_array().is_some())
    });
    let has_messages = messages.is_some();
    let input = request.get("input").filter(|_| kind(request).is_empty());
    if !has_messages && input.is_none() {
        return false;
    }
    sink.begin_step();
    if let Some(words) = text(request, "instructions")
        && let Some(body) = said(Role::System, words)
    {
        sink.recall(body);
    }
    for message in list(request, messages.unwrap_or_default()) {
        if langsmith::is_message(message) {
            langsmith::message(sink, message, Telling::History);
        } else {
            chat(sink, message, Telling::History, Place::Conversation);
        }
    }
    let Some(input) = input else { return true };
    if let Some(words) = string(input) {
        if let Some(body) = said(Role::User, words) {
            sink.recall(body);
        }
        return true;
    }
    for item in list(request, "input") {
        either(sink, item, Telling::History);
    }
    true
}

/// The contents of a response: choices, or output items.
fn answers(sink: &mut Sink, answer: Node<'_>, telling: Telling) -> bool {
    let mut known = false;
    for choice in list(answer, "choices") {
        if let Some(message) = choice.get("message") {
            known = true;
            chat(sink, message, Telling::New, Place::Response);
        }
    }
    // a single item has a type, and its `output` is a tool's answer
    let is_item = kind(answer).ends_with("_output") || kind(answer).ends_with("_call");
    if !is_item
        && answer
            .get("output")
            .is_some_and(|list| list.as_array().is_some())
    {
        known = true;
        for item in list(answer, "output") {
            either(sink, item, telling);
        }
    }
    known
}

/// A line that is one message, one item, or one event of a stream.
fn single(sink: &mut Sink, record: Node<'_>, telling: Telling) {
    if kind(record) == "response.output_item.done"
        && let Some(item) = record.get("item")
    {
        responses::item(sink, item, telling);
    } else {
        either(sink, record, telling);
    }
}

fn either(sink: &mut Sink, item: Node<'_>, telling: Telling) {
    let word = kind(item);
    if langsmith::is_message(item) {
        langsmith::message(sink, item, telling);
    } else if !word.is_empty() && word != "message" {
        responses::item(sink, item, telling);
    } else if item.get("role").is_some() {
        // items of one response belong together, messages do not
        let place = if word.is_empty() {
            Place::Conversation
        } else {
            Place::Response
        };
        chat(sink, item, telling, place);
    } else {
        sink.ignore(if word.is_empty() { "no type" } else { &word });
    }
}

/// The context of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Among messages in sequence.
    Conversation,
    /// Among parts or variants of one message.
    Response,
}

/// One message of a chat.
fn chat(sink: &mut Sink, message: Node<'_>, telling: Telling, place: Place) {
    let word = message.get("role").and_then(Node::as_js);
    let word = word.map(JsStr::to_str_lossy).unwrap_or_default();
    let role = role(&word);
    let content = message.get("content");
    if role == Role::Tool {
        // frameworks add a status next to the answer
        let failed = marks_failure(message, "is_error")
            || marks_failure(message, "error")
            || text(message, "status").as_deref() == Some("error");
        let id = first_text(message, &["tool_call_id", "id"]);
        let mut body = answered(id, content, failed);
        if let Body::ToolResult(result) = &mut body
            && word == "function"
        {
            result.tool = text(message, "name"); // from before tool ids existed
        }
        sink.put(telling, body);
        return;
    }
    let refusal = text(message, "refusal");
    let words = content
        .map(readable)
        .filter(|words| !words.is_empty())
        .or(refusal);
    // calls of one message are sometimes spread over several
    if place == Place::Conversation && role == Role::Assistant && words.is_some() {
        sink.begin_step();
    }
    if let Some(words) = words
        && let Some(body) = responses::quoted(role, words, message)
    {
        sink.put(telling, body);
    }
    for call in list(message, "tool_calls") {
        sink.put(telling, chat_call(call));
    }
    if let Some(call) = present(message, "function_call") {
        // the form before tool ids existed
        let body = asked(None, text(call, "name"), arguments(call.get("arguments")));
        sink.put(telling, body);
    }
}

/// `function`, `custom`, or the flat form `{id, name, args}` of frameworks.
pub(super) fn chat_call(call: Node<'_>) -> Body {
    let id = first_text(call, &["id", "call_id"]);
    let (from, key) = if let Some(function) = present(call, "function") {
        (function, "arguments")
    } else if let Some(custom) = present(call, "custom") {
        (custom, "input")
    } else if call.get("args").is_some() {
        (call, "args")
    } else {
        (call, "arguments")
    };
    asked(id, text(from, "name"), arguments(from.get(key)))
}

#[cfg(test)]
mod tests {
    use crate::{Format, read};

    #[test]
    fn a_message_on_its_own_is_read_like_any_record() {
        let messages = [
            r#""role":"system","content":"be brief""#,
            r#""role":"user","content":"close it","name":"Ada""#,
            r#""role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"close","arguments":"{\"id\":1}"}}]"#,
            r#""role":"tool","tool_call_id":"c1","name":"close","content":"ok""#,
            r#""role":"assistant","content":"","refusal":"no""#,
            r#""role":"assistant","content":"x","function_call":{"name":"f","arguments":"{}"}"#,
            r#""role":"function","name":"f","content":"{\"a\":1}""#,
            r#""role":null,"content":"x""#,
            r#""role":7,"content":["y"]"#,
        ];
        // a member that no message has: such a record is looked at closely
        let log = |more: &str| {
            messages
                .map(|message| format!("{{{message}{more}}}"))
                .join("\n")
        };
        let shown = |log: &str| format!("{:?}", read(Format::OpenAi, log));
        assert_eq!(shown(&log("")), shown(&log(r#","x":1"#)));
    }
}
