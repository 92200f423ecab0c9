//! Rollout JSONL of Codex, and the stream of `codex exec --json`.
//!
//! The end of a command is recorded in up to three places, depending on the
//! version (docs/agent-logs.md): a separate event, data around the output, or a
//! frame of text before it. The frame ends at the first line `Output:`; what a
//! program prints after it never counts as a statement of the harness.

use std::borrow::Cow;

use super::frame::{Frame, frame};
use super::record::{Answer, Ending, Input, Item, Record, Step};
use super::{Output, State};
use crate::content::role;
use crate::message::is_over;
use crate::model::{Exit, Role};
use crate::raw::{Broken, Raw};

pub(super) fn record(line: &[u8]) -> Result<Record<'_>, Broken> {
    let whole = Raw::record(line)?;
    let [kind, payload, item, time] = whole.pick(["type", "payload", "item", "timestamp"])?;
    let kind = kind.and_then(Raw::text).unwrap_or_default();
    let mut record = Record {
        time: time.and_then(Raw::text),
        step: Step::Follows,
        ..Record::default()
    };
    match (&*kind, payload, item) {
        (_, Some(payload), _) => rollout(&mut record, &kind, payload)?,
        (word, _, Some(item)) if word.starts_with("item.") => {
            exec(&mut record, word == "item.completed", item)?;
        }
        // each run numbers its items from the start
        ("thread.started", ..) => record.items.extend([Item::Begins, Item::Other]),
        ("turn.completed", ..) => record.items.push(Item::TurnEnd),
        (word, ..) if word.starts_with("thread.") || word.starts_with("turn.") => {
            record.items.push(Item::Other);
        }
        // rollouts of early versions contain bare items
        _ => response(&mut record, whole)?,
    }
    record.kind = kind;
    Ok(record)
}

fn rollout<'l>(record: &mut Record<'l>, kind: &str, payload: Raw<'l>) -> Result<(), Broken> {
    let [inner, item] = payload.pick(["type", "item"])?;
    let inner = inner.and_then(Raw::text).unwrap_or_default();
    record.is_known = matches!(
        kind,
        "session_meta" | "turn_context" | "response_item" | "event_msg"
    );
    let found = match (kind, &*inner, item) {
        ("response_item", ..) => return response(record, payload),
        ("session_meta" | "turn_context", ..) => {
            let [id, session, cwd, model] = payload.pick(["id", "session_id", "cwd", "model"])?;
            record.session = session.or(id).and_then(Raw::text);
            record.cwd = cwd.and_then(Raw::text);
            record.model = model.and_then(Raw::text);
            Item::Other
        }
        ("event_msg", "exec_command_end", _) => exit(payload),
        ("event_msg", "mcp_tool_call_end" | "patch_apply_end", _) => server_exit(payload),
        ("event_msg", "task_complete" | "turn_complete", _) => Item::TurnEnd,
        ("event_msg", "item_completed", Some(item)) => {
            match item.get("type").and_then(Raw::text).as_deref() {
                Some("CommandExecution") => exit(item),
                Some("McpToolCall" | "FileChange") => server_exit(item),
                // the text of messages is also in a response item
                _ => Item::Other,
            }
        }
        _ => Item::Other,
    };
    record.items.push(found);
    Ok(())
}

/// An item of the Responses API.
fn response<'l>(record: &mut Record<'l>, item: Raw<'l>) -> Result<(), Broken> {
    let [kind, call, id, status, mark] =
        item.pick(["type", "call_id", "id", "status", "is_error"])?;
    let kind = kind.and_then(Raw::text).unwrap_or_default();
    let id = call.or(id).and_then(Raw::text).unwrap_or_default();
    let status = status.and_then(Raw::text).unwrap_or_default();
    let failed = matches!(&*status, "failed" | "incomplete") || mark.is_some_and(Raw::is_set);
    if kind == "message" {
        let [who, content] = item.pick(["role", "content"])?;
        let who = who.and_then(Raw::text);
        let role = role(who.as_deref().unwrap_or("assistant"));
        let words = content.map(Raw::readable).unwrap_or_default();
        record.items.push(Item::Said(role, words));
    } else if kind.ends_with("_output") {
        let answer = Answer::wrapped(item.present("output"), failed);
        record.items.push(Item::Answered { id, answer });
    } else if let Some(own) = kind.strip_suffix("_call") {
        let [name, arguments, input, action] =
            item.pick(["name", "arguments", "input", "action"])?;
        let name = name.and_then(Raw::text);
        record.items.push(Item::Called {
            id: id.clone(),
            name: name.unwrap_or_else(|| Cow::Owned(own.to_owned())),
            input: Input::of(arguments.or(input).or(action)),
            is_retold: false,
        });
        // a tool that the vendor runs is complete, and no other item follows
        let result = ["output", "result", "error"];
        let answer = result.iter().find_map(|key| item.present(key));
        if answer.is_some() || is_over(&kind, Some(&status)) {
            let answer = Answer::wrapped(answer, failed || item.present("error").is_some());
            record.items.push(Item::Answered { id, answer });
        }
    } else {
        record.items.push(Item::Other);
    }
    Ok(())
}

/// `item.started`, `item.updated`, `item.completed`: a call is told when it
/// first appears, its answer when it is completed.
fn exec<'l>(record: &mut Record<'l>, has_ended: bool, item: Raw<'l>) -> Result<(), Broken> {
    let [kind, id, words, status] = item.pick(["type", "id", "text", "status"])?;
    let kind = kind.or_else(|| item.get("item_type"));
    let kind = kind.and_then(Raw::text).unwrap_or_default();
    let id = id.and_then(Raw::text).unwrap_or_default();
    let (name, input) = match &*kind {
        "agent_message" | "assistant_message" | "user_message" => {
            let by_user = kind == "user_message";
            let role = if by_user { Role::User } else { Role::Assistant };
            let words = words.and_then(Raw::text).unwrap_or_default();
            record
                .items
                .extend(has_ended.then_some(Item::Said(role, words)));
            return Ok(());
        }
        "mcp_tool_call" => (
            item.get("tool").and_then(Raw::text).unwrap_or_default(),
            Input::of(item.get("arguments")),
        ),
        "command_execution" => (kind.clone(), Input::picked(item, &["command"])),
        "file_change" => (kind.clone(), Input::picked(item, &["changes"])),
        "web_search" => (kind.clone(), Input::picked(item, &["query", "action"])),
        _ => {
            record.items.push(Item::Other);
            return Ok(());
        }
    };
    record.items.push(Item::Called {
        id: id.clone(),
        name,
        input,
        is_retold: true,
    });
    if has_ended {
        let error = item.present("error");
        let failed = error.is_some()
            || status.is_some_and(|status| status.is("failed") || status.is("declined"));
        let answer = item.get("aggregated_output").or(error);
        let answer = Answer::wrapped(answer.or_else(|| item.present("result")), failed);
        record.items.push(Item::Answered { id, answer });
        if item.get("exit_code").is_some() {
            record.items.push(exit(item));
        }
    }
    Ok(())
}

fn exit(end: Raw<'_>) -> Item<'_> {
    let code = end.get("exit_code").and_then(Raw::int);
    let exit = Exit {
        call_id: called(end),
        // negative: Codex itself ended a process that was still running
        code: code.filter(|code| *code >= 0),
        has_failed: false,
    };
    Item::Exited(exit, end.get("aggregated_output"))
}

/// The end of an MCP call or a patch, which reports a failure as its status,
/// as `success`, as `{"Err": …}` or as `{"Ok": {"isError": true}}`.
fn server_exit(end: Raw<'_>) -> Item<'_> {
    let result = end.present("result");
    let marks = result.into_iter().flat_map(|result| {
        let answer = result.get("Ok").unwrap_or(result);
        [answer.get("isError"), answer.get("is_error")]
    });
    let status = end.get("status");
    let exit = Exit {
        call_id: called(end),
        code: None,
        has_failed: end.get("success").is_some_and(Raw::is_unset)
            || status.is_some_and(|status| status.is("failed") || status.is("declined"))
            || result.is_some_and(|result| result.present("Err").is_some())
            || marks.flatten().any(Raw::is_set),
    };
    Item::Exited(exit, None)
}

fn called(end: Raw<'_>) -> Option<String> {
    let id = end.get("call_id").or_else(|| end.get("id"));
    id.and_then(Raw::text).map(Cow::into_owned)
}

/// How a call ended, as far as its answer says.
pub(super) fn ending(answer: &Answer<'_>, exit: Option<i64>) -> Ending {
    let start = answer.content.map(start_of).unwrap_or_default();
    let frame = exit.map_or_else(|| frame(&start), Frame::Exited);
    let (status, state, process) = match frame {
        Frame::Exited(code) => (Some(code), State::Ended, None),
        Frame::Running(process) => (None, State::Background, Some(process)),
        Frame::Silent => (None, State::Ended, None),
    };
    Ending {
        status,
        state,
        failed: answer.failed
            || status.is_some_and(|code| code != 0)
            || start.contains("verification failed")
            || start.starts_with("patch rejected"),
        is_refused: start.starts_with("unsupported ") && start.contains("call"),
        process,
    }
}

/// The part of an answer's text that shows how a command ended.
fn start_of(output: Raw<'_>) -> String {
    let Some((text, is_cut)) = output.text_ends(2048) else {
        return output.readable().into_owned();
    };
    if !is_cut || text.trim_start().starts_with('{') {
        return text;
    }
    output.text_start(4096).unwrap_or_default()
}

/// What the program printed, without what the harness writes around it.
pub(super) fn unframed(output: Output) -> Output {
    let inner = Raw::line(output.text.trim().as_bytes()).ok();
    let inner = inner.and_then(|data| data.get("output")?.text());
    let inner = inner.map(Cow::into_owned);
    let behind = || {
        let (_, rest) = output.text.split_once("\nOutput:\n")?;
        Some(rest.to_owned())
    };
    let text = inner.or_else(behind).unwrap_or(output.text);
    Output {
        is_cut: output.is_cut || text.starts_with("Warning: truncated output"),
        text,
        file: None,
    }
}
