//! Rollout JSONL of Codex, and the stream of `codex exec --json`.
//!
//! Rollouts record the end of a call in three ways; docs/agent-logs.md lists
//! which version writes which.

use crosscheck_core::Node;

use super::content::{
    arguments, asked, first_text, kind, marks_failure, picked, present, readable, role, said, text,
};
use super::model::{Body, Exit, LogEntry, Role};
use super::responses;
use super::sink::{News, Sink, Telling};

pub(super) fn record(sink: &mut Sink, line: Node<'_>) {
    let kind = kind(line);
    match line.get("payload") {
        Some(payload) => rollout(sink, line, &kind, payload),
        None if kind.starts_with("item.") => exec(sink, line, &kind),
        None if kind.starts_with("thread.") || kind.starts_with("turn.") || kind == "error" => {
            if kind == "thread.started" {
                // each run numbers its items from the start
                sink.conversations.begin();
            }
            sink.enter(LogEntry {
                session: text(line, "thread_id"),
                ..entry(line, &kind, line)
            });
            if kind == "turn.completed" {
                sink.tell(Body::TurnEnd);
            } else {
                sink.ignore(&kind);
            }
        }
        None => {
            // rollouts of early versions contain bare items
            sink.enter(entry(line, &kind, line));
            responses::item(sink, line, Telling::New);
        }
    }
}

fn entry(line: Node<'_>, kind: &str, payload: Node<'_>) -> LogEntry {
    LogEntry {
        kind: kind.to_owned(),
        id: text(payload, "id"),
        group: first_text(payload, &["turn_id"]),
        session: first_text(payload, &["session_id"]),
        started: text(line, "timestamp"),
        cwd: text(payload, "cwd"),
        ..LogEntry::default()
    }
}

fn rollout(sink: &mut Sink, line: Node<'_>, kind: &str, payload: Node<'_>) {
    let inner = super::content::kind(payload);
    match kind {
        "response_item" => {
            sink.enter(entry(line, &inner, payload));
            responses::item(sink, payload, Telling::New);
        }
        "event_msg" if inner == "exec_command_end" => {
            sink.enter(entry(line, &inner, payload));
            sink.tell(exit(text(payload, "call_id"), payload));
        }
        "event_msg" if matches!(inner.as_str(), "mcp_tool_call_end" | "patch_apply_end") => {
            sink.enter(entry(line, &inner, payload));
            sink.tell(Body::Exit(Exit {
                call_id: text(payload, "call_id"),
                failure: failure(payload),
                ..Exit::default()
            }));
        }
        "event_msg" if inner == "item_completed" => item_completed(sink, line, payload),
        "event_msg" if matches!(inner.as_str(), "task_complete" | "turn_complete") => {
            sink.enter(entry(line, &inner, payload));
            sink.tell(Body::TurnEnd);
        }
        // the text of other events is also in a response item
        "event_msg" => sink.ignore(&format!("event_msg/{inner}")),
        "session_meta" | "turn_context" => {
            let entry = entry(line, kind, payload);
            let session = entry.session.clone().or_else(|| entry.id.clone());
            sink.enter(LogEntry { session, ..entry });
            sink.ignore(kind);
        }
        other => sink.ignore(other),
    }
}

/// Newer rollouts report the end of any item with one event, under the id of
/// its call; older ones had separate events for commands, MCP calls and
/// patches.
fn item_completed(sink: &mut Sink, line: Node<'_>, payload: Node<'_>) {
    let Some(item) = payload.get("item") else {
        sink.ignore("event_msg/item_completed");
        return;
    };
    let what = kind(item);
    let id = text(item, "id");
    let body = match what.as_str() {
        "CommandExecution" => exit(id, item),
        "McpToolCall" | "FileChange" => Body::Exit(Exit {
            call_id: id,
            failure: item_failure(item),
            ..Exit::default()
        }),
        // the text of messages is also in a response item
        other => {
            sink.ignore(&format!("event_msg/item_completed/{other}"));
            return;
        }
    };
    sink.enter(entry(line, &what, payload));
    sink.tell(body);
}

fn item_failure(item: Node<'_>) -> Option<String> {
    let status = text(item, "status").unwrap_or_default();
    let answer = present(item, "result");
    let called_error = answer.is_some_and(|answer| {
        marks_failure(answer, "isError") || marks_failure(answer, "is_error")
    });
    let failed = matches!(status.as_str(), "failed" | "declined") || called_error;
    failed.then(|| match present(item, "error") {
        Some(error) => readable(error),
        None if called_error => "the server called it an error".to_owned(),
        None => format!("its status is {status}"),
    })
}

fn exit(call_id: Option<String>, from: Node<'_>) -> Body {
    let code = match from.get("exit_code").map(Node::value) {
        // negative: Codex itself ended a process that was still running
        Some(crosscheck_core::json::Value::Number(digits)) => {
            digits.text().parse().ok().filter(|code: &i64| *code >= 0)
        }
        _ => None,
    };
    Body::Exit(Exit {
        call_id,
        code,
        process: text(from, "process_id"),
        failure: None,
    })
}

/// The failure that the end of an MCP call or a patch reports: `{"Err": …}`,
/// `{"Ok": {"isError": true}}`, or `success`.
fn failure(end: Node<'_>) -> Option<String> {
    if end.get("success").and_then(Node::as_bool) == Some(false) {
        return Some("the patch was not applied".to_owned());
    }
    let result = end.get("result")?;
    if let Some(error) = present(result, "Err") {
        return Some(readable(error));
    }
    let answer = result.get("Ok")?;
    let failed = marks_failure(answer, "isError") || marks_failure(answer, "is_error");
    failed.then(|| "the server called it an error".to_owned())
}

/// `item.started`, `item.updated`, `item.completed`: a call is reported when it
/// first appears, its answer when it is completed.
fn exec(sink: &mut Sink, line: Node<'_>, kind: &str) {
    let Some(item) = line.get("item") else {
        sink.ignore(kind);
        return;
    };
    let completed = kind == "item.completed";
    let id = text(item, "id");
    let what = first_text(item, &["type", "item_type"]).unwrap_or_default();
    sink.enter(entry(line, &what, item));
    match what.as_str() {
        "agent_message" | "assistant_message" if completed => {
            let words = text(item, "text").unwrap_or_default();
            if let Some(body) = said(Role::Assistant, words) {
                sink.tell(body);
            }
        }
        "user_message" if completed => {
            let words = text(item, "text").unwrap_or_default();
            if let Some(body) = said(role("user"), words) {
                sink.tell(body);
            }
        }
        "command_execution" | "file_change" | "mcp_tool_call" | "web_search" => {
            let news = id.as_deref().map_or(News::First, |id| sink.announce(id));
            if news != News::Known {
                sink.tell_news(news, exec_call(item, id.clone(), &what));
            }
            if completed {
                exec_end(sink, item, id, &what);
            }
        }
        "agent_message" | "assistant_message" | "user_message" => {}
        other => sink.ignore(&format!("item/{other}")),
    }
}

fn exec_call(item: Node<'_>, id: Option<String>, what: &str) -> Body {
    match what {
        "mcp_tool_call" => asked(id, text(item, "tool"), arguments(item.get("arguments"))),
        "command_execution" => asked(id, Some(what.to_owned()), picked(item, &["command"])),
        "file_change" => asked(id, Some(what.to_owned()), picked(item, &["changes"])),
        _ => asked(
            id,
            Some(what.to_owned()),
            picked(item, &["query", "action"]),
        ),
    }
}

fn exec_end(sink: &mut Sink, item: Node<'_>, id: Option<String>, what: &str) {
    let error = present(item, "error");
    let failed =
        error.is_some() || matches!(text(item, "status").as_deref(), Some("failed" | "declined"));
    let answer = match what {
        "command_execution" => item.get("aggregated_output"),
        _ => error.or_else(|| present(item, "result")),
    };
    sink.tell(responses::output(id.clone(), answer, failed));
    if item.get("exit_code").is_some() {
        sink.tell(exit(id, item));
    }
}
