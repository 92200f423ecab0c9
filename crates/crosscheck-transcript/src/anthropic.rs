//! Anthropic messages: requests, responses, single messages, or records with a
//! request and its response.

use crosscheck_core::Node;

use super::content::{
    answered, arguments, asked, first_text, kind, list, marks_failure, present, readable, role,
    said, string, text,
};
use super::conversations::marks;
use super::mcp::describe;
use super::model::{LogEntry, Role};
use super::sink::{Sink, Telling};

pub(super) fn record(sink: &mut Sink, record: Node<'_>, telling: Telling) {
    let request = ["request", "body", "params"]
        .iter()
        .find_map(|key| present(record, key))
        .unwrap_or(record);
    let answer = response(record);
    sink.conversations.join(marks(record, request, answer));
    sink.enter(entry(record));
    describe(sink, request);
    let mut known = false;
    if request.get("messages").is_some() {
        known = true;
        conversation(sink, request);
    }
    if let Some(response) = answer {
        known = true;
        message(sink, response, Telling::New);
    } else if record.get("role").is_some() {
        known = true;
        // a response has a type, a message of a conversation does not
        if kind(record).is_empty() {
            begin_step(sink, record);
        }
        message(sink, record, telling);
    }
    if !known {
        let word = kind(record);
        sink.ignore(if word.is_empty() { "no message" } else { &word });
    }
}

fn entry(record: Node<'_>) -> LogEntry {
    let answer = response(record).unwrap_or(record);
    LogEntry {
        kind: kind(record),
        id: text(record, "id").or_else(|| text(record, "custom_id")),
        group: text(answer, "id"),
        started: first_text(record, &["timestamp", "created_at", "time"]),
        ..LogEntry::default()
    }
}

/// The response beside a request; in batch results it is `result.message`.
fn response(record: Node<'_>) -> Option<Node<'_>> {
    let response = present(record, "response").or_else(|| present(record, "result"))?;
    let response = present(response, "body").unwrap_or(response);
    let response = present(response, "message").unwrap_or(response);
    response.get("content").is_some().then_some(response)
}

/// Text of the model begins a new step. Calls of one message are sometimes
/// spread over several.
fn begin_step(sink: &mut Sink, message: Node<'_>) {
    let is_said = role(&text(message, "role").unwrap_or_default()) == Role::Assistant;
    if is_said
        && message
            .get("content")
            .is_some_and(|content| !readable(content).is_empty())
    {
        sink.begin_step();
    }
}

fn conversation(sink: &mut Sink, request: Node<'_>) {
    sink.begin_step();
    if let Some(system) = request.get("system")
        && let Some(body) = said(Role::System, readable(system))
    {
        sink.recall(body);
    }
    for item in list(request, "messages") {
        begin_step(sink, item);
        message(sink, item, Telling::History);
    }
}

fn message(sink: &mut Sink, message: Node<'_>, telling: Telling) {
    let role = role(text(message, "role").as_deref().unwrap_or("assistant"));
    let Some(content) = message.get("content") else {
        sink.ignore("message without content");
        return;
    };
    if let Some(words) = string(content) {
        if let Some(body) = said(role, words) {
            sink.put(telling, body);
        }
        return;
    }
    let mut words: Vec<String> = Vec::new();
    for item in list(message, "content") {
        if let Some(plain) =
            string(item).or_else(|| (kind(item) == "text").then(|| text(item, "text")).flatten())
        {
            words.push(plain);
            continue;
        }
        flush(sink, role, &mut words, telling);
        block(sink, item, role, telling);
    }
    flush(sink, role, &mut words, telling);
}

fn block(sink: &mut Sink, block: Node<'_>, role: Role, telling: Telling) {
    let kind = kind(block);
    match kind.as_str() {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let call = asked(
                text(block, "id"),
                text(block, "name"),
                arguments(block.get("input")),
            );
            sink.put_by(role, telling, call);
        }
        // `tool_result`, `mcp_tool_result`, `web_search_tool_result`, …
        result if result.ends_with("tool_result") => {
            let failed = marks_failure(block, "is_error")
                || block
                    .get("content")
                    .is_some_and(|content| super::content::kind(content).ends_with("_error"));
            let body = answered(text(block, "tool_use_id"), block.get("content"), failed);
            // tools that the vendor runs answer in the message of the model
            if result == "tool_result" {
                sink.put_by(role, telling, body);
            } else {
                sink.put(telling, body);
            }
        }
        "" => sink.ignore("block without type"),
        other => sink.ignore(other),
    }
}

fn flush(sink: &mut Sink, role: Role, words: &mut Vec<String>, telling: Telling) {
    if let Some(body) = said(role, std::mem::take(words).join("\n")) {
        sink.put(telling, body);
    }
}
