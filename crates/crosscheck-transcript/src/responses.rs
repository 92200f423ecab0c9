//! Items of the OpenAI Responses API, which Codex rollouts also contain.

use crosscheck_core::Node;

use super::content::{
    answered, arguments, asked, first_text, is_recorded, kind, list, marks_failure, picked,
    present, readable, role, text,
};
use super::model::{Arguments, Body, Citation, Message, Role};
use super::sink::{News, Sink, Telling};

/// Reports one item; an unknown type is counted.
pub(super) fn item(sink: &mut Sink, item: Node<'_>, telling: Telling) {
    let kind = kind(item);
    if kind == "message" {
        let role = role(text(item, "role").as_deref().unwrap_or("assistant"));
        let words = item.get("content").map(readable).unwrap_or_default();
        if let Some(body) = quoted(role, words, item) {
            sink.put(telling, body);
        }
    } else if kind.ends_with("_output") {
        let id = first_text(item, &["call_id", "id"]);
        let body = output(id, item.get("output"), failed(item));
        sink.put(telling, body);
    } else if kind.ends_with("_call") {
        call(sink, item, &kind, telling);
    } else {
        sink.ignore(&kind);
    }
}

/// A message with the sources it cites by position.
pub(super) fn quoted(role: Role, text: String, message: Node<'_>) -> Option<Body> {
    (!text.is_empty()).then(|| {
        let mut citations = Vec::new();
        for block in list(message, "content") {
            cite(block, text_length(block), &mut citations);
        }
        cite(message, chars(&text), &mut citations);
        Body::Message(Message {
            role,
            text,
            synthetic: false,
            citations,
        })
    })
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
    let ended = is_vendor_run(kind) && has_ended(item);
    // requests repeat such an item without its answer, which is not a second call
    let is_known = |id: &str| sink.announce(id) == News::Known;
    let is_first = !ended || !id.as_deref().is_some_and(is_known);
    if answer.is_some() || error.is_some() || (ended && is_first) {
        let failed = error.is_some() || failed(item);
        sink.put(telling, output(id, error.or(answer), failed));
    }
}

/// Tools that the vendor runs itself. No output item follows them: the item is
/// complete, with the answer only if it was requested.
fn is_vendor_run(kind: &str) -> bool {
    matches!(
        kind,
        "web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "image_generation_call"
            | "mcp_call"
    )
}

fn has_ended(item: Node<'_>) -> bool {
    !matches!(
        text(item, "status").as_deref(),
        Some("in_progress" | "queued" | "searching" | "interpreting" | "generating" | "calling")
    )
}

fn call_arguments(item: Node<'_>) -> Arguments {
    for key in ["arguments", "input", "action", "operation"] {
        if let Some(value) = present(item, key) {
            return arguments(Some(value));
        }
    }
    picked(
        item,
        &["code", "queries", "query", "command", "server_label"],
    )
}

/// Codex also writes `{content, success}`, and tools over MCP `{content, …}`,
/// where the API has text.
pub(super) fn output(id: Option<String>, output: Option<Node<'_>>, is_error: bool) -> Body {
    let wrapped = output.filter(|node| node.get("content").is_some());
    let success = wrapped.and_then(|node| node.get("success").and_then(Node::as_bool));
    let body = answered(id, output, is_error || success == Some(false));
    match (body, wrapped.and_then(|node| node.get("content"))) {
        (Body::ToolResult(mut result), Some(content)) => {
            result.content = readable(content);
            result.recorded = is_recorded(content);
            result.says_success = success == Some(true);
            Body::ToolResult(result)
        }
        (body, _) => body,
    }
}

fn failed(item: Node<'_>) -> bool {
    matches!(
        text(item, "status").as_deref(),
        Some("failed" | "incomplete")
    ) || marks_failure(item, "is_error")
}

fn cite(holder: Node<'_>, block_chars: u64, citations: &mut Vec<Citation>) {
    for annotation in list(holder, "annotations") {
        let kind = kind(annotation);
        // chat completions nest what the Responses API has flat
        let from = present(annotation, &kind).unwrap_or(annotation);
        let Some(target) = first_text(from, &["url", "file_id"]) else {
            continue;
        };
        let place = |key| present(from, key).or_else(|| present(annotation, key));
        let places = [place("start_index"), place("end_index"), place("index")];
        let [start, end, index] = places.map(|place| place.and_then(natural));
        citations.push(Citation {
            target,
            title: first_text(from, &["title", "filename"]),
            start: start.or(index),
            // an index is a point of the text: it ends where it begins
            end: end.or(index),
            is_unreadable: places
                .into_iter()
                .flatten()
                .any(|place| natural(place).is_none()),
            block_chars,
            kind,
        });
    }
}

fn natural(node: Node<'_>) -> Option<u64> {
    match node.value() {
        crosscheck_core::json::Value::Number(digits) => digits.text().parse().ok(),
        _ => None,
    }
}

fn text_length(block: Node<'_>) -> u64 {
    text(block, "text").map_or(0, |text| chars(&text))
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
