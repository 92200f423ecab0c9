//! Session JSONL of Claude Code, and the lines of its `stream-json` output.
//!
//! One message of the model spans lines that share `message.id`; each tool
//! call is answered by a `tool_result` block in a later `user` line. The layout
//! is internal to the harness and changes without notice. The stream of Cursor's
//! `agent` has the same form, with records of their own for calls.

use std::borrow::Cow;

use super::State;
use super::fold::begins;
use super::record::{Answer, Ending, Input, Item, Record, Step};
use crate::content::role;
use crate::model::Role;
use crate::raw::{Broken, Raw};

pub(super) fn record(line: &[u8]) -> Result<Record<'_>, Broken> {
    let mut record = Record::default();
    let [mut message, mut attachment, mut result, mut note] = [None; 4];
    let [mut subtype, mut mark, mut call] = [None; 3];
    let mut called = None;
    for member in Raw::record(line)?.members() {
        let (key, value) = member?;
        match key {
            b"type" => record.kind = value.text().unwrap_or_default(),
            b"message" => message = Some(value),
            b"attachment" => attachment = Some(value),
            b"toolUseResult" => result = Some(value),
            b"content" => note = Some(value),
            b"subtype" => subtype = Some(value),
            b"is_error" => mark = Some(value),
            b"call_id" => called = value.text(),
            b"tool_call" => call = Some(value),
            b"cwd" => record.cwd = value.text(),
            b"timestamp" => record.time = value.text(),
            b"sessionId" | b"session_id" => record.session = value.text(),
            b"uuid" => record.id = value.text(),
            b"parentUuid" => record.parent = value.text(),
            b"isSidechain" => record.is_aside |= value.is_true(),
            b"agentId" => record.agent = value.text(),
            // `stream-json` names the call that started the subagent
            b"parent_tool_use_id" if !value.is_null() => {
                record.is_aside = true;
                record.agent = record.agent.or_else(|| value.text());
            }
            _ => record.is_inserted |= is_insertion(key, value),
        }
    }
    record.is_known = matches!(
        &*record.kind,
        "user" | "assistant" | "attachment" | "system" | "tool_call"
    );
    let is = |word: &str| subtype.is_some_and(|subtype| subtype.is(word));
    match (&*record.kind, message, attachment) {
        ("user" | "assistant", Some(message), _) => said(&mut record, message, result)?,
        ("attachment", _, Some(attachment)) => attached(&mut record, attachment)?,
        ("system", ..) if note.is_some_and(Raw::is_string) => {
            record.is_inserted = true;
            let words = note.and_then(Raw::text).unwrap_or_default();
            record.items.push(Item::Said(Role::System, words));
        }
        // the last line of a run that was neither cut nor aborted
        ("result", ..) if is("success") => {
            let has_failed = mark.is_some_and(Raw::is_true);
            record.items.extend((!has_failed).then_some(Item::TurnEnd));
        }
        ("tool_call", ..) => {
            record.step = Step::Follows;
            let id = called.unwrap_or_default();
            let items = call.and_then(|call| streamed(call, id, is("completed")));
            record.items.extend(items.into_iter().flatten());
        }
        _ => record.items.push(Item::Other),
    }
    Ok(record)
}

/// A call of Cursor, `{"shellToolCall": {"args": …, "result": {"success": …}}}`
/// or `{"function": {"name": …, "arguments": …}}`, and its answer.
fn streamed<'l>(call: Raw<'l>, id: Cow<'l, str>, is_over: bool) -> Option<Vec<Item<'l>>> {
    let (key, inside) = call.members().next()?.ok()?;
    let name = std::str::from_utf8(key).ok()?;
    let name = match inside.get("name").and_then(Raw::text) {
        Some(own) if name == "function" => own,
        _ => Cow::Borrowed(name.strip_suffix("ToolCall").unwrap_or(name)),
    };
    let input = inside.get("args").or_else(|| inside.get("arguments"));
    let mut items = vec![Item::Called {
        id: id.clone(),
        name,
        input: Input::of(input),
        is_retold: true,
    }];
    if is_over {
        let result = inside.get("result").or_else(|| call.get("result"));
        let success = result.and_then(|result| result.present("success"));
        let status = success.and_then(|data| data.get("exitCode")?.int());
        let answer = Answer {
            content: success
                .and_then(|data| data.get("content"))
                .or(success)
                .or(result),
            data: success,
            failed: result.is_some() && success.is_none(),
            status,
            ..Answer::default()
        };
        items.push(Item::Answered { id, answer });
    }
    Some(items)
}

/// Whether a member marks what the harness wrote itself.
fn is_insertion(key: &[u8], value: Raw<'_>) -> bool {
    match key {
        // the last is an echo of a queued prompt
        b"isMeta" | b"isCompactSummary" | b"isApiErrorMessage" | b"isReplay" => value.is_true(),
        b"origin" => is_foreign(value.get("kind")),
        b"turnOrigin" => is_foreign(Some(value)),
        _ => false,
    }
}

fn is_foreign(who: Option<Raw<'_>>) -> bool {
    who.is_some_and(|who| who.is_string() && !who.is("human"))
}

fn said<'l>(
    record: &mut Record<'l>,
    message: Raw<'l>,
    result: Option<Raw<'l>>,
) -> Result<(), Broken> {
    let [id, role_word, content, model] = message.pick(["id", "role", "content", "model"])?;
    record.group = id.and_then(Raw::text);
    record.model = model.and_then(Raw::text);
    // text that the harness writes in place of an answer
    record.is_inserted |= record.model.as_deref() == Some("<synthetic>");
    if record.kind == "assistant" {
        record.step = Step::Message;
    }
    let word = role_word.and_then(Raw::text);
    let role = role(word.as_deref().unwrap_or(&record.kind));
    let Some(content) = content else {
        return Ok(());
    };
    if let Some(words) = content.text() {
        record.items.push(Item::Said(role, words));
        return Ok(());
    }
    let mut words: Vec<Cow<'_, str>> = Vec::new();
    let mut results = 0;
    for block in content.elements() {
        let [kind, text, id, name, input, answers, content, failed] = block.pick([
            "type",
            "text",
            "id",
            "name",
            "input",
            "tool_use_id",
            "content",
            "is_error",
        ])?;
        let kind = kind.and_then(Raw::text).unwrap_or_default();
        if kind == "text" {
            words.extend(text.and_then(Raw::text));
            continue;
        }
        flush(record, role, &mut words);
        record.items.push(match &*kind {
            "tool_use" => Item::Called {
                id: id.and_then(Raw::text).unwrap_or_default(),
                name: name.and_then(Raw::text).unwrap_or_default(),
                input: input.map_or(Input::Absent, Input::Value),
                is_retold: false,
            },
            "tool_result" => {
                results += 1;
                Item::Answered {
                    id: answers.and_then(Raw::text).unwrap_or_default(),
                    answer: Answer {
                        content,
                        data: result,
                        failed: failed.is_some_and(Raw::is_set),
                        ..Answer::default()
                    },
                }
            }
            _ => Item::Other,
        });
    }
    flush(record, role, &mut words);
    // the data beside the line belongs to its one result
    for item in &mut record.items {
        if let Item::Answered { answer, .. } = item
            && results > 1
        {
            answer.data = None;
        }
    }
    Ok(())
}

fn flush<'l>(record: &mut Record<'l>, role: Role, words: &mut Vec<Cow<'l, str>>) {
    let said = match words.len() {
        0 => return,
        1 => words.pop().unwrap_or_default(),
        _ => Cow::Owned(std::mem::take(words).join("\n")),
    };
    record.items.push(Item::Said(role, said));
}

/// A prompt typed while the agent was busy, or a notice about background work.
fn attached<'l>(record: &mut Record<'l>, attachment: Raw<'l>) -> Result<(), Broken> {
    let mut kind = Cow::default();
    let mut prompt = None;
    for member in attachment.members() {
        match member? {
            (b"type", value) => kind = value.text().unwrap_or_default(),
            (b"prompt", value) => prompt = Some(value),
            // what a task reports is queued like what a person types
            (b"commandMode", value) => record.is_inserted |= !value.is("prompt"),
            (key, value) => record.is_inserted |= is_insertion(key, value),
        }
    }
    let item = match prompt.filter(|_| kind == "queued_command") {
        Some(prompt) => Item::Said(Role::User, prompt.readable()),
        None => Item::Other,
    };
    record.items.push(item);
    Ok(())
}

/// How a command or a subagent ended.
pub(super) fn ending(answer: &Answer<'_>) -> Ending {
    let start = answer.content.map(start_of).unwrap_or_default();
    let is_refused = answer.failed && begins(&start, "refusals");
    let (status, state) = status(answer, &start);
    Ending {
        status,
        state,
        is_refused,
        ..answer.ending()
    }
}

fn start_of(content: Raw<'_>) -> String {
    let mut texts = content.elements().filter_map(|block| block.get("text"));
    let first = texts.next().unwrap_or(content);
    first.text_start(400).unwrap_or_default()
}

fn status(answer: &Answer<'_>, start: &str) -> (Option<i64>, State) {
    if answer.status.is_some() {
        return (answer.status, State::Ended);
    }
    let data = answer.data.filter(|data| data.is_object());
    let [interrupted, task] = data
        .and_then(|data| data.pick(["interrupted", "backgroundTaskId"]).ok())
        .unwrap_or_default();
    if interrupted.is_some_and(Raw::is_true) || start.starts_with("[Request interrupted by user") {
        return (None, State::Interrupted);
    }
    let moved = start.contains("Command running in background")
        || start.contains("moved to background")
        || start.contains("was moved to the background");
    if task.is_some_and(|task| !task.is_null()) || (moved && !answer.failed) {
        return (None, State::Background);
    }
    if !answer.failed {
        return (Some(0), State::Ended);
    }
    let code = start.strip_prefix("Exit code ");
    let status = code.and_then(|rest| rest.lines().next()?.trim().parse().ok());
    let is_limit = |line: &str| line.starts_with("Command timed out after");
    let timed_out = status == Some(143)
        && answer
            .content
            .and_then(|content| content.text_ends(4096))
            .is_some_and(|(text, _)| text.lines().skip(1).any(is_limit));
    let state = if timed_out {
        State::TimedOut
    } else {
        State::Ended
    };
    (status, state)
}
