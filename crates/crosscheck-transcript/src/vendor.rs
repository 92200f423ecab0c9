//! Logs of the vendors' APIs, OpenAI and Anthropic: requests, responses, single
//! messages or items, batch lines, or records with a request and its response.

use crosscheck_core::Node;

use super::content::{kind, list, present, readable, said, string};
use super::conversations::{Marks, marks};
use super::mcp::describe;
use super::message::{either, message};
use super::model::Role;
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
        sink.enter(Marks::default());
        message(sink, record, telling);
        return;
    }
    // runs of a benchmark, each with its messages
    let mut runs = list(record, "simulations").peekable();
    if runs.peek().is_some() {
        runs.for_each(|run| self::record(sink, run, telling));
        return;
    }
    let answer = answer_of(record);
    let request = ["request", "body", "params"]
        .iter()
        .find_map(|key| present(record, key))
        .unwrap_or(record);
    sink.enter(marks(record, request, answer));
    describe(sink, request);
    let mut known = asks(sink, request);
    // `response.completed` repeats the items of its stream
    let again = if kind(record).starts_with("response.") {
        Telling::History
    } else {
        Telling::New
    };
    known |= match answer {
        Some(answer) => answers(sink, answer, again) || is_message(sink, answer),
        None => answers(sink, record, Telling::New),
    };
    if known {
        return;
    }
    match record.get("item") {
        Some(item) if kind(record) == "response.output_item.done" => either(sink, item, telling),
        _ => either(sink, record, telling),
    }
}

/// The response beside a request; in batch results it is `result.message`.
fn answer_of(record: Node<'_>) -> Option<Node<'_>> {
    let batched = || present(present(record, "result")?, "message");
    let answer = ["response", "completion"];
    let answer = answer.iter().find_map(|key| present(record, key));
    let answer = answer.or_else(batched)?;
    Some(present(answer, "body").unwrap_or(answer))
}

/// The contents of a request: the conversation so far.
fn asks(sink: &mut Sink, request: Node<'_>) -> bool {
    let is_list = |node: &Node<'_>| node.as_array().is_some();
    let mut lists = MESSAGES.iter().filter_map(|name| request.get(name));
    let messages = lists.find(is_list);
    let input = request.get("input").filter(|_| kind(request).is_empty());
    if messages.is_none() && input.is_none() {
        return false;
    }
    let system = request
        .get("instructions")
        .or_else(|| request.get("system"));
    let words = input.and_then(string);
    let spoken = [(Role::System, system.map(readable)), (Role::User, words)];
    for (role, words) in spoken {
        if let Some(body) = words.and_then(|words| said(role, words)) {
            sink.recall(body);
        }
    }
    let items = messages.into_iter().chain(input);
    for item in items.filter_map(Node::as_array).flatten() {
        either(sink, item, Telling::History);
    }
    true
}

/// The contents of a response: choices, or output items.
fn answers(sink: &mut Sink, answer: Node<'_>, telling: Telling) -> bool {
    let mut known = false;
    for message in list(answer, "choices").filter_map(|choice| choice.get("message")) {
        known = true;
        self::message(sink, message, Telling::New);
    }
    // a single item has a type, and its `output` is a tool's answer
    let word = kind(answer);
    let is_item = word.ends_with("_output") || word.ends_with("_call");
    let output = answer.get("output").and_then(Node::as_array);
    if let Some(items) = output.filter(|_| !is_item) {
        known = true;
        items.for_each(|item| either(sink, item, telling));
    }
    known
}

/// A response that is itself a message, as Anthropic's are.
fn is_message(sink: &mut Sink, answer: Node<'_>) -> bool {
    let has_content = answer.get("content").is_some();
    if has_content {
        message(sink, answer, Telling::New);
    }
    has_content
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
