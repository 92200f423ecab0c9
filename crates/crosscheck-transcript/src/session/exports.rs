//! Sessions of further harnesses: exports of OpenCode and Gemini CLI, which are
//! one document, and the event log of Copilot CLI, which is JSONL.

use std::borrow::Cow;

use super::record::{Answer, Input, Item, MAX_OUTPUT, Place, Record, Step};
use super::{Span, State};
use crate::model::Role;
use crate::raw::{Broken, Raw};

/// Where the lines of a document begin, to say on which one a value stands.
struct Document<'d> {
    bytes: &'d [u8],
    base: u64,
    lines: Vec<usize>,
}

impl<'d> Document<'d> {
    fn new(place: Place, bytes: &'d [u8]) -> Self {
        Self {
            bytes,
            base: place.span.at,
            lines: memchr::memchr_iter(b'\n', bytes).collect(),
        }
    }

    fn place(&self, value: Raw<'_>) -> Place {
        let at = value.offset_in(self.bytes);
        Place {
            line: self.lines.partition_point(|end| *end < at) + 1,
            span: Span {
                at: self.base + at as u64,
                len: value.len(),
            },
        }
    }
}

fn text_at<'l>(value: Option<Raw<'l>>, keys: &[&str]) -> Option<Cow<'l, str>> {
    let mut value = value?;
    for key in keys {
        value = value.get(key)?;
    }
    value.text()
}

/// A time in milliseconds since 1970, as logs spell it.
fn time_at<'l>(info: Option<Raw<'l>>, key: &str) -> Option<Cow<'l, str>> {
    let time = info?.get("time")?.get(key)?.int()?;
    let time = jiff::Timestamp::from_millisecond(time).ok()?;
    Some(Cow::Owned(time.to_string()))
}

/// A call with its answer.
fn call<'l>([id, name, input]: [Option<Raw<'l>>; 3], answer: Option<Answer<'l>>) -> Vec<Item<'l>> {
    let id = id.and_then(Raw::text).unwrap_or_default();
    let called = Item::Called {
        id: id.clone(),
        name: name.and_then(Raw::text).unwrap_or_default(),
        input: Input::of(input),
        is_retold: false,
    };
    let answered = answer.map(|answer| Item::Answered { id, answer });
    [Some(called), answered].into_iter().flatten().collect()
}

/// Reads an export of OpenCode: `info` and `messages` with their `parts`.
pub(super) fn opencode<'l>(
    place: Place,
    bytes: &'l [u8],
    each: &mut dyn FnMut(Place, Record<'l>),
) -> Result<(), Broken> {
    let document = Document::new(place, bytes);
    let [info, messages] = Raw::record(bytes)?.pick(["info", "messages"])?;
    let head = Record {
        is_known: true,
        session: text_at(info, &["id"]),
        cwd: text_at(info, &["directory"]),
        time: time_at(info, "created"),
        ..Record::default()
    };
    each(place, head);
    for (step, message) in messages.ok_or(Broken)?.elements().enumerate() {
        let [info, parts] = message.pick(["info", "parts"])?;
        for part in parts.into_iter().flat_map(Raw::elements) {
            let mut record = opencode_part(part)?;
            record.step = Step::Number(step + 1);
            record.time = time_at(info, "completed");
            record.cwd = text_at(info, &["path", "cwd"]);
            record.model = text_at(info, &["modelID"]);
            if let Some(Item::Said(role, _)) = record.items.first_mut()
                && text_at(info, &["role"]).as_deref() == Some("user")
            {
                *role = Role::User;
            }
            each(document.place(part), record);
        }
    }
    Ok(())
}

pub(super) fn opencode_part(part: Raw<'_>) -> Result<Record<'_>, Broken> {
    let [kind, text, synthetic, id, tool, state] =
        part.pick(["type", "text", "synthetic", "callID", "tool", "state"])?;
    let kind = kind.and_then(Raw::text).unwrap_or_default();
    let member = |key: &str| state.and_then(|state| state.present(key));
    let items = match &*kind {
        "text" => vec![Item::Said(
            Role::Assistant,
            text.and_then(Raw::text).unwrap_or_default(),
        )],
        "tool" => {
            let status = member("status").and_then(Raw::text).unwrap_or_default();
            let exit = member("metadata").and_then(|data| data.get("exit"));
            let answer = matches!(&*status, "completed" | "error").then(|| Answer {
                content: member("output"),
                failed: status != "completed",
                status: exit.and_then(Raw::int),
                ..Answer::default()
            });
            call([id, tool, member("input")], answer)
        }
        _ => Vec::new(),
    };
    Ok(Record {
        is_known: true,
        is_inserted: synthetic.is_some_and(Raw::is_true),
        items,
        ..Record::default()
    })
}

/// Reads a session of Gemini CLI: `messages`, with calls and answers together.
pub(super) fn gemini<'l>(
    place: Place,
    bytes: &'l [u8],
    each: &mut dyn FnMut(Place, Record<'l>),
) -> Result<(), Broken> {
    let document = Document::new(place, bytes);
    let [session, started, last, messages] =
        Raw::record(bytes)?.pick(["sessionId", "startTime", "lastUpdated", "messages"])?;
    let timed = |time: Option<Raw<'l>>| Record {
        is_known: true,
        session: session.and_then(Raw::text),
        time: time.and_then(Raw::text),
        ..Record::default()
    };
    each(place, timed(started));
    for (step, message) in messages.ok_or(Broken)?.elements().enumerate() {
        let [kind, content, calls, model] =
            message.pick(["type", "content", "toolCalls", "model"])?;
        for call in calls.into_iter().flat_map(Raw::elements) {
            let mut record = gemini_call(call)?;
            record.step = Step::Number(step + 1);
            each(document.place(call), record);
        }
        let role = match kind.and_then(Raw::text).as_deref() {
            Some("user") => Role::User,
            Some("gemini") => Role::Assistant,
            _ => continue,
        };
        let words = content.map(Raw::readable).unwrap_or_default();
        let record = Record {
            is_known: true,
            model: model.and_then(Raw::text),
            step: Step::Number(step + 1),
            items: vec![Item::Said(role, words)],
            ..Record::default()
        };
        each(document.place(message), record);
    }
    each(place, timed(last));
    Ok(())
}

pub(super) fn gemini_call(whole: Raw<'_>) -> Result<Record<'_>, Broken> {
    let [id, name, input, status, result] =
        whole.pick(["id", "name", "args", "status", "result"])?;
    let is_done = status.is_some_and(|status| status.is("success"));
    let response = result
        .and_then(|result| result.elements().next())
        .and_then(|answer| answer.get("functionResponse")?.get("response"));
    let output = response.and_then(|response| response.get("output"));
    // the harness adds this line, last, when the status is not 0
    let printed = output.and_then(|output| output.text_ends(MAX_OUTPUT));
    let (printed, _) = printed.unwrap_or_default();
    let mut lines = printed.lines().rev();
    let code = lines.find_map(|line| line.strip_prefix("Exit Code: "));
    let answer = Answer {
        content: output,
        failed: !is_done,
        status: match code {
            Some(code) => code.trim().parse().ok(),
            None => is_done.then_some(0),
        },
        state: Some(State::Ended),
        ..Answer::default()
    };
    Ok(Record {
        is_known: true,
        items: call([id, name, input], Some(answer)),
        ..Record::default()
    })
}

/// Reads one event of Copilot CLI.
pub(super) fn copilot(line: &[u8]) -> Result<Record<'_>, Broken> {
    let [kind, data, time] = Raw::record(line)?.pick(["type", "data", "timestamp"])?;
    let kind = kind.and_then(Raw::text).unwrap_or_default();
    let member = |key: &str| data.and_then(|data| data.present(key));
    let text = |key: &str| member(key).and_then(Raw::text);
    let mut record = Record {
        is_known: true,
        is_aside: text("parentToolCallId").is_some(),
        time: time.and_then(Raw::text),
        step: Step::Follows,
        ..Record::default()
    };
    match &*kind {
        "session.start" => {
            record.session = text("sessionId");
            record.cwd = text_at(data, &["context", "cwd"]).or_else(|| text("cwd"));
        }
        "session.model_change" => record.model = text("newModel"),
        "user.message" | "assistant.message" => {
            let by_user = kind == "user.message";
            let role = if by_user { Role::User } else { Role::Assistant };
            let words = text("content").unwrap_or_default();
            record.items.push(Item::Said(role, words));
        }
        "tool.execution_start" => {
            let whole = [
                member("toolCallId"),
                member("toolName"),
                member("arguments"),
            ];
            record.items = call(whole, None);
        }
        "tool.execution_complete" => {
            let content = member("result").and_then(|result| result.get("content"));
            record.items.push(Item::Answered {
                id: text("toolCallId").unwrap_or_default(),
                answer: Answer {
                    content,
                    failed: !member("success").is_some_and(Raw::is_true),
                    status: content.and_then(exit_code),
                    ..Answer::default()
                },
            });
        }
        _ => record.is_known = false,
    }
    record.kind = kind;
    Ok(record)
}

/// `<exited with exit code 0>`, which the harness writes last.
fn exit_code(text: Raw<'_>) -> Option<i64> {
    let (text, _) = text.text_ends(256)?;
    let (_, code) = text.trim_end().rsplit_once("exited with exit code ")?;
    code.trim_end_matches('>').trim().parse().ok()
}
