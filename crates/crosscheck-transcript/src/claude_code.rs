//! Session JSONL of Claude Code, and the lines of its `stream-json` output.
//!
//! The layout is internal to the harness and changes without notice. One API
//! message spans several lines that share `message.id` (here: `group`). Resumed
//! sessions may contain a line twice; both are reported, with the same
//! `LogEntry::id`, and the caller decides.

use crosscheck_core::Node;

use super::content::{
    answered, arguments, asked, first_text, flag, kind, list, marks_failure, present, readable,
    role, string, text,
};
use super::model::{Body, LogEntry, Message, Role};
use super::sink::Sink;

pub(super) fn record(sink: &mut Sink, line: Node<'_>) {
    let kind = kind(line);
    let known = matches!(
        kind.as_str(),
        "user" | "assistant" | "system" | "attachment" | "result"
    );
    if known || line.get("uuid").is_some() {
        sink.enter(entry(line, &kind));
    }
    match kind.as_str() {
        "user" | "assistant" => message(sink, line, &kind),
        "attachment" => attachment(sink, line),
        "system" => match text(line, "content") {
            Some(words) => note(sink, Role::System, words, true),
            None => sink.ignore("system"),
        },
        // the last line of a run that was neither cut nor aborted
        "result" if text(line, "subtype").as_deref() == Some("success") => {
            if !flag(line, "is_error") {
                sink.tell(Body::TurnEnd);
            }
        }
        "" => sink.ignore("no type"),
        other => sink.ignore(other),
    }
}

fn entry(line: Node<'_>, kind: &str) -> LogEntry {
    let message = line.get("message");
    LogEntry {
        kind: kind.to_owned(),
        id: text(line, "uuid"),
        parent: text(line, "parentUuid"),
        group: message.and_then(|message| text(message, "id")),
        session: text(line, "sessionId").or_else(|| text(line, "session_id")),
        started: text(line, "timestamp"),
        cwd: text(line, "cwd"),
        // `stream-json` names the call that started the subagent instead
        sidechain: flag(line, "isSidechain") || present(line, "parent_tool_use_id").is_some(),
        agent: first_text(line, &["agentId", "parent_tool_use_id"]),
        ..LogEntry::default()
    }
}

fn message(sink: &mut Sink, line: Node<'_>, kind: &str) {
    let Some(message) = line.get("message") else {
        sink.ignore(&format!("{kind} without message"));
        return;
    };
    let role = role(text(message, "role").as_deref().unwrap_or(kind));
    let synthetic = inserted(line);
    let Some(content) = message.get("content") else {
        return;
    };
    if let Some(words) = string(content) {
        note(sink, role, words, synthetic);
        return;
    }
    let results = list(message, "content")
        .filter(|block| text(*block, "type").as_deref() == Some("tool_result"))
        .count();
    // the data beside the line belongs to its one result
    let data = line.get("toolUseResult").filter(|_| results == 1);
    let mut words: Vec<String> = Vec::new();
    for block in list(message, "content") {
        match super::content::kind(block).as_str() {
            "text" => words.extend(text(block, "text")),
            "tool_use" => {
                flush(sink, role, &mut words, synthetic);
                sink.tell(asked(
                    text(block, "id"),
                    text(block, "name"),
                    arguments(block.get("input")),
                ));
            }
            "tool_result" => {
                flush(sink, role, &mut words, synthetic);
                sink.tell(result(block, data));
            }
            other => sink.ignore(&format!("{kind}/{other}")),
        }
    }
    flush(sink, role, &mut words, synthetic);
}

fn result(block: Node<'_>, data: Option<Node<'_>>) -> Body {
    let mut body = answered(
        text(block, "tool_use_id"),
        block.get("content"),
        marks_failure(block, "is_error"),
    );
    if let (Body::ToolResult(result), Some(data)) = (&mut body, data) {
        result.structured = Some(data.to_json());
    }
    body
}

/// A prompt typed while the agent was busy, or a notice about background work.
fn attachment(sink: &mut Sink, line: Node<'_>) {
    let Some(attachment) = line.get("attachment") else {
        sink.ignore("attachment");
        return;
    };
    let kind = kind(attachment);
    match attachment.get("prompt") {
        Some(prompt) if kind == "queued_command" => {
            let by_harness = inserted(line) || inserted(attachment);
            note(sink, Role::User, readable(prompt), by_harness);
        }
        _ => sink.ignore(&format!("attachment/{kind}")),
    }
}

/// Whether the line is marked as written by the harness.
fn inserted(line: Node<'_>) -> bool {
    let foreign = |word: Option<String>| word.is_some_and(|word| word != "human");
    let origin = line.get("origin").and_then(|origin| text(origin, "kind"));
    let model = line
        .get("message")
        .and_then(|message| text(message, "model"));
    flag(line, "isMeta")
        || flag(line, "isCompactSummary")
        || flag(line, "isApiErrorMessage")
        || flag(line, "isReplay") // an echo of a queued prompt
        || model.as_deref() == Some("<synthetic>")
        || foreign(origin)
        || foreign(text(line, "turnOrigin"))
}

fn flush(sink: &mut Sink, role: Role, words: &mut Vec<String>, synthetic: bool) {
    let text = std::mem::take(words).join("\n");
    note(sink, role, text, synthetic);
}

fn note(sink: &mut Sink, role: Role, text: String, synthetic: bool) {
    if !text.is_empty() {
        sink.tell(Body::Message(Message {
            role,
            text,
            synthetic,
            citations: Vec::new(),
        }));
    }
}
