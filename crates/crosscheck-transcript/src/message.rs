//! Messages and items of a conversation, as the vendors' APIs and the
//! frameworks around them write them: chat completions, Responses API items,
//! Anthropic messages, `LangChain` messages, messages of OpenTelemetry spans.
//!
//! They differ in names, and mean the same: words of a role, calls with
//! arguments, answers to calls.

use crosscheck_core::Node;

use super::content::{
    answered, arguments, asked, block_text, first_text, is_recorded, kind, list, marks_failure,
    picked, present, readable, role, said, string, text,
};
use super::model::{Arguments, Body, Role};
use super::sink::{News, Sink, Telling};

/// Reports a message, an item, or counts what is neither.
pub(super) fn either(sink: &mut Sink, node: Node<'_>, telling: Telling) {
    let word = kind(node);
    let is_spoken = node.get("role").is_some() && (word.is_empty() || word == "message");
    if is_spoken || is_framework(node) {
        message(sink, node, telling);
    } else if word.is_empty() {
        sink.ignore();
    } else {
        item(sink, node, &word, telling);
    }
}

/// Whether a message is written as `LangChain` writes it: with a type instead
/// of a role, flat or inside `data` or `kwargs`.
pub(super) fn is_framework(message: Node<'_>) -> bool {
    let word = kind(message);
    let is_typed = matches!(
        word.as_str(),
        "human" | "ai" | "tool" | "system" | "function" | "AIMessageChunk"
    );
    let is_dumped = word == "constructor" && present(message, "kwargs").is_some();
    message.get("role").is_none() && (is_typed || is_dumped)
}

/// Serialised messages wrap their fields in `kwargs` or `data`.
pub(super) fn inner(message: Node<'_>) -> Node<'_> {
    ["kwargs", "data"]
        .iter()
        .find_map(|key| present(message, key))
        .filter(|fields| fields.as_object().is_some())
        .unwrap_or(message)
}

/// The word for its author: `role`, `type`, or the class name at the end of a
/// constructor's `id`.
fn speaker(message: Node<'_>, fields: Node<'_>) -> String {
    if let Some(word) = text(fields, "role").or_else(|| text(message, "role")) {
        return word;
    }
    let class = list(message, "id").last().and_then(string);
    let word = match kind(message).as_str() {
        "" | "constructor" | "message" => class.unwrap_or_else(|| kind(fields)),
        word => word.to_owned(),
    };
    let word = word.trim_end_matches("Chunk").trim_end_matches("Message");
    word.to_ascii_lowercase()
}

/// Reports one message.
pub(super) fn message(sink: &mut Sink, message: Node<'_>, telling: Telling) {
    let fields = inner(message);
    let word = speaker(message, fields);
    let role = if word.is_empty() || word == "message" {
        Role::Assistant
    } else {
        role(&word)
    };
    let content = fields.get("content");
    // a span has the answers of a tool in the parts of its message
    if role == Role::Tool && fields.get("parts").is_none() {
        sink.put(telling, returned(fields, &word));
        return;
    }
    let blocks = content.filter(|content| {
        let mut items = content.as_array().into_iter().flatten();
        items.any(|item| item.get("type").is_some() || string(item).is_some())
    });
    let words = content.map(readable).filter(|words| !words.is_empty());
    let blocks = blocks.and_then(Node::as_array).into_iter().flatten();
    let mut blocks = blocks.chain(list(fields, "parts")).peekable();
    if blocks.peek().is_none() {
        let words = words
            .or_else(|| text(fields, "refusal"))
            .unwrap_or_default();
        if let Some(body) = said(role, words) {
            sink.put(telling, body);
        }
    }
    let mut calls = list(fields, "tool_calls").peekable();
    let mut spoken: Vec<String> = Vec::new();
    for part in blocks {
        if let Some(text) = block_text(part) {
            spoken.push(text);
            continue;
        }
        // frameworks repeat the calls of the content beside it
        if calls.peek().is_some() && kind(part).ends_with("tool_use") {
            continue;
        }
        flush(sink, role, &mut spoken, telling);
        block(sink, part, telling);
    }
    flush(sink, role, &mut spoken, telling);
    let extra = present(fields, "additional_kwargs").filter(|_| calls.peek().is_none());
    for call in calls.chain(
        extra
            .into_iter()
            .flat_map(|extra| list(extra, "tool_calls")),
    ) {
        sink.put(telling, requested(call));
    }
    if let Some(call) = present(fields, "function_call") {
        // the form before tool ids existed
        let body = asked(None, text(call, "name"), arguments(call.get("arguments")));
        sink.put(telling, body);
    }
}

/// The answer in a message of a tool.
fn returned(fields: Node<'_>, word: &str) -> Body {
    // frameworks add a status next to the answer
    let status = text(fields, "status");
    let failed = marks_failure(fields, "is_error")
        || marks_failure(fields, "error")
        || status.as_deref() == Some("error");
    let id = first_text(fields, &["tool_call_id", "id"]);
    let mut body = answered(id, fields.get("content"), failed);
    if let Body::ToolResult(result) = &mut body
        && word == "function"
    {
        result.tool = text(fields, "name"); // from before tool ids existed
    }
    body
}

/// Blocks of text that follow each other are one message.
fn flush(sink: &mut Sink, role: Role, texts: &mut Vec<String>, telling: Telling) {
    if let Some(body) = said(role, std::mem::take(texts).join("\n")) {
        sink.put(telling, body);
    }
}

/// A block that is not text.
fn block(sink: &mut Sink, block: Node<'_>, telling: Telling) {
    let body = match kind(block).as_str() {
        "tool_use" | "server_tool_use" | "mcp_tool_use" | "tool_call" | "tool_call_request" => {
            requested(block)
        }
        // `tool_result`, `mcp_tool_result`, `web_search_tool_result`, …
        result if result.ends_with("tool_result") || result == "tool_call_response" => {
            let answer = ["content", "response", "result"];
            let answer = answer.iter().find_map(|key| present(block, key));
            let is_error = |content| kind(content).ends_with("_error");
            let failed = marks_failure(block, "is_error") || answer.is_some_and(is_error);
            answered(first_text(block, &["tool_use_id", "id"]), answer, failed)
        }
        _ => return sink.ignore(),
    };
    sink.put(telling, body);
}

/// A call: `function`, `custom`, or the flat forms of blocks and frameworks.
fn requested(call: Node<'_>) -> Body {
    let id = first_text(call, &["id", "call_id"]);
    let from = ["function", "custom"];
    let from = from
        .iter()
        .find_map(|key| present(call, key))
        .unwrap_or(call);
    let given = ["arguments", "input", "args"];
    let given = given.iter().find_map(|key| from.get(key));
    asked(id, text(from, "name"), arguments(given))
}

/// Reports one item of the Responses API; an unknown type is counted.
fn item(sink: &mut Sink, item: Node<'_>, kind: &str, telling: Telling) {
    if kind == "message" {
        message(sink, item, telling);
    } else if kind.ends_with("_output") {
        let id = first_text(item, &["call_id", "id"]);
        sink.put(telling, output(id, item.get("output"), failed(item)));
    } else if kind.ends_with("_call") {
        call(sink, item, kind, telling);
    } else {
        sink.ignore();
    }
}

/// Function, shell and patch calls need an output item; calls that the vendor
/// runs itself include their answer.
fn call(sink: &mut Sink, item: Node<'_>, kind: &str, telling: Telling) {
    let id = first_text(item, &["call_id", "id"]);
    let tool = text(item, "name").unwrap_or_else(|| kind.trim_end_matches("_call").to_owned());
    sink.put(telling, asked(id.clone(), Some(tool), call_arguments(item)));
    let answer = ["output", "outputs", "results", "result"]
        .iter()
        .find_map(|key| present(item, key));
    let error = present(item, "error");
    let ended = is_over(kind, text(item, "status").as_deref());
    // requests repeat such an item without its answer, which is not a second call
    let is_known = |id: &str| sink.announce(id) == News::Known;
    let is_first = !ended || !id.as_deref().is_some_and(is_known);
    if answer.is_some() || error.is_some() || (ended && is_first) {
        let failed = error.is_some() || failed(item);
        sink.put(telling, output(id, error.or(answer), failed));
    }
}

/// Whether this is a finished call of a tool that the vendor runs itself. No
/// output item follows it: the item is complete, with the answer only if it
/// was requested.
pub(super) fn is_over(kind: &str, status: Option<&str>) -> bool {
    let is_vendor_run = matches!(
        kind,
        "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "image_generation_call"
            | "mcp_call"
    );
    let has_begun = matches!(
        status,
        Some("in_progress" | "queued" | "searching" | "interpreting" | "generating" | "calling")
    );
    is_vendor_run && !has_begun
}

fn call_arguments(item: Node<'_>) -> Arguments {
    let keys = ["arguments", "input", "action", "operation"];
    match keys.iter().find_map(|key| present(item, key)) {
        Some(value) => arguments(Some(value)),
        None => picked(
            item,
            &["code", "queries", "query", "command", "server_label"],
        ),
    }
}

/// Tools over MCP write `{content, …}` where the API has text.
fn output(id: Option<String>, output: Option<Node<'_>>, is_error: bool) -> Body {
    let mut body = answered(id, output, is_error);
    if let Body::ToolResult(result) = &mut body
        && let Some(content) = output.and_then(|node| node.get("content"))
    {
        result.content = readable(content);
        result.recorded = is_recorded(content);
    }
    body
}

fn failed(item: Node<'_>) -> bool {
    matches!(
        text(item, "status").as_deref(),
        Some("failed" | "incomplete")
    ) || marks_failure(item, "is_error")
}
