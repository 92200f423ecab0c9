//! Sessions of further harnesses: exports of OpenCode and Gemini CLI, which are
//! one document, and the event log of Copilot CLI, which is JSONL.
//!
//! The three name their tools and fields differently and mean the same, so one
//! table of names serves all.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::codex::patch;
use super::skim::{Broken, Raw};
use super::{
    Body, By, Change, Edit, Event, Harness, MAX_OUTPUT, Output, Place, Replacement, Run, Sink,
    Span, State, Subagent, Tool,
};

const SHELLS: [&str; 5] = [
    "bash",
    "shell",
    "run_shell_command",
    "powershell",
    "run_in_terminal",
];
const WRITERS: [&str; 4] = ["write", "create", "write_file", "create_file"];
const EDITORS: [&str; 6] = [
    "edit",
    "multiedit",
    "replace",
    "str_replace",
    "str_replace_editor",
    "insert",
];
const PATHS: [&str; 5] = ["filePath", "file_path", "path", "absolute_path", "fileName"];
const OLD: [&str; 3] = ["oldString", "old_string", "old_str"];
const NEW: [&str; 5] = ["newString", "new_string", "new_str", "content", "file_text"];
/// So much of the arguments of a tool is kept.
const MAX_INPUT: usize = 1024;

/// A call with its answer, as far as the log has one.
struct Called<'l> {
    id: Box<str>,
    name: Cow<'l, str>,
    input: Option<Raw<'l>>,
    status: Option<i64>,
    state: State,
    failed: bool,
    lines: [Option<Span>; 2],
}

impl Called<'_> {
    fn bodies(self) -> Vec<Body> {
        let name = self.name.to_lowercase();
        let is = |list: &[&str]| list.contains(&name.as_str());
        let span = self.lines[1].or(self.lines[0]);
        if is(&SHELLS) {
            return vec![Body::Run(Run {
                command: first(self.input, &["command", "cmd"]).unwrap_or_default(),
                id: self.id,
                status: self.status,
                state: self.state,
                output: span,
            })];
        }
        if let Some(text) = first(self.input, &["patchText"]) {
            let mut bodies = Vec::new();
            let line = self.lines[0].unwrap_or(Span { at: 0, len: 0 });
            let mut tell = |body: Body| bodies.push(body);
            patch::patched(&text, &self.id, !self.failed, line, &mut tell);
            return bodies;
        }
        if is(&WRITERS) || is(&EDITORS) {
            return vec![Body::Edit(Edit {
                id: self.id,
                path: first(self.input, &PATHS).unwrap_or_default(),
                change: if is(&WRITERS) {
                    Change::Write
                } else {
                    Change::Modify
                },
                done: !self.failed,
                lines: self.lines,
            })];
        }
        if name == "task" {
            return vec![Body::Subagent(Subagent {
                kind: first(self.input, &["subagent_type", "agent_type"]).unwrap_or_default(),
                id: self.id,
                agent: None,
                in_background: false,
                answered: None,
            })];
        }
        vec![Body::Tool(Tool {
            name: self.name.into_owned(),
            input: self.input.map(|input| input.beginning(MAX_INPUT)),
            failed: self.failed,
            handback: None,
        })]
    }
}

fn first(input: Option<Raw<'_>>, keys: &[&str]) -> Option<String> {
    let found = keys.iter().find_map(|key| input?.get(key)?.text());
    found.map(Cow::into_owned)
}

fn owned(value: Option<Raw<'_>>) -> Option<String> {
    value.and_then(Raw::text).map(Cow::into_owned)
}

/// Where the lines of a document begin, to say on which one a value stands.
struct Document<'d> {
    bytes: &'d [u8],
    lines: Vec<usize>,
}

impl<'d> Document<'d> {
    fn new(bytes: &'d [u8]) -> Self {
        let lines = memchr::memchr_iter(b'\n', bytes).collect();
        Self { bytes, lines }
    }

    fn place(&self, value: Raw<'_>, base: u64) -> Place {
        let at = value.offset_in(self.bytes);
        Place {
            line: self.lines.partition_point(|end| *end < at) + 1,
            span: Span {
                at: base + at as u64,
                len: value.len(),
            },
        }
    }
}

/// Reads an export of OpenCode: `info` and `messages` with their `parts`.
pub(super) fn opencode(base: u64, bytes: &[u8], sink: &mut Sink) -> Result<(), Broken> {
    let document = Document::new(bytes);
    let [info, messages] = Raw::record(bytes)?.pick(["info", "messages"])?;
    if let Some(info) = info {
        sink.facts.session = owned(info.get("id"));
        sink.facts.cwd = owned(info.get("directory")).map(Arc::from);
        let created = info.get("time").and_then(|time| time.get("created"));
        sink.facts.started = created.and_then(Raw::int).map(utc);
    }
    let messages = messages.ok_or(Broken)?;
    for (step, message) in messages.elements().enumerate() {
        let [info, parts] = message.pick(["info", "parts"])?;
        let (Some(info), Some(parts)) = (info, parts) else {
            continue;
        };
        sink.facts.known += 1;
        let by_user = info.get("role").is_some_and(|role| role.is("user"));
        if let Some(model) = owned(info.get("modelID")) {
            sink.facts.model = Some(model);
        }
        let ended = info.get("time").and_then(|time| time.get("completed"));
        if let Some(time) = ended.and_then(Raw::int) {
            sink.facts.last = Some(utc(time));
        }
        let cwd = info.get("path").and_then(|path| owned(path.get("cwd")));
        let cwd = cwd.map(Arc::from).or_else(|| sink.facts.cwd.clone());
        for part in parts.elements() {
            let [kind, text, synthetic] = part.pick(["type", "text", "synthetic"])?;
            let place = document.place(part, base);
            let bodies = match (kind.and_then(Raw::text).as_deref(), by_user) {
                (Some("text"), _) if synthetic.is_some_and(Raw::is_true) => Vec::new(),
                (Some("text"), true) => vec![Body::Prompt(owned(text).unwrap_or_default())],
                (Some("text"), false) => vec![Body::Text(owned(text).unwrap_or_default())],
                (Some("tool"), _) => opencode_call(part, place.span)?.bodies(),
                _ => Vec::new(),
            };
            tell(bodies, place.line, step + 1, cwd.as_ref(), sink);
        }
    }
    Ok(())
}

fn opencode_call(part: Raw<'_>, span: Span) -> Result<Called<'_>, Broken> {
    let [id, tool, state] = part.pick(["callID", "tool", "state"])?;
    let member = |key: &str| state.and_then(|state| state.get(key));
    let status = member("status").and_then(Raw::text).unwrap_or_default();
    let exit = member("metadata").and_then(|data| data.get("exit"));
    Ok(Called {
        id: owned(id).unwrap_or_default().into(),
        name: tool.and_then(Raw::text).unwrap_or_default(),
        input: member("input"),
        status: exit.and_then(Raw::int),
        state: match &*status {
            "completed" | "error" => State::Ended,
            _ => State::Unanswered,
        },
        failed: status != "completed",
        lines: [Some(span), None],
    })
}

/// Reads a session of Gemini CLI: `messages`, with calls and answers together.
pub(super) fn gemini(base: u64, bytes: &[u8], sink: &mut Sink) -> Result<(), Broken> {
    let document = Document::new(bytes);
    let [session, started, last, messages] =
        Raw::record(bytes)?.pick(["sessionId", "startTime", "lastUpdated", "messages"])?;
    sink.facts.session = owned(session);
    sink.facts.started = owned(started);
    sink.facts.last = owned(last);
    for (step, message) in messages.ok_or(Broken)?.elements().enumerate() {
        let [kind, content, calls, model] =
            message.pick(["type", "content", "toolCalls", "model"])?;
        sink.facts.known += 1;
        if let Some(model) = owned(model) {
            sink.facts.model = Some(model);
        }
        let by_user = kind.is_some_and(|kind| kind.is("user"));
        let by_agent = kind.is_some_and(|kind| kind.is("gemini"));
        let place = document.place(message, base);
        for call in calls.into_iter().flat_map(Raw::elements) {
            let place = document.place(call, base);
            let bodies = gemini_call(call, place.span)?.bodies();
            tell(bodies, place.line, step + 1, None, sink);
        }
        let words = content.map(readable).unwrap_or_default();
        let body = match (by_user, by_agent) {
            (true, _) => Body::Prompt(words),
            (_, true) if !words.trim().is_empty() => Body::Text(words),
            _ => continue,
        };
        tell(vec![body], place.line, step + 1, None, sink);
    }
    Ok(())
}

fn gemini_call(call: Raw<'_>, span: Span) -> Result<Called<'_>, Broken> {
    let [id, name, input, status] = call.pick(["id", "name", "args", "status"])?;
    let is_done = status.is_some_and(|status| status.is("success"));
    let printed = gemini_output(call).unwrap_or_default();
    // the harness adds this line, last, when the status is not 0
    let code = printed
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Exit Code: "));
    Ok(Called {
        id: owned(id).unwrap_or_default().into(),
        name: name.and_then(Raw::text).unwrap_or_default(),
        input,
        status: match code {
            Some(code) => code.trim().parse().ok(),
            None => is_done.then_some(0),
        },
        state: State::Ended,
        failed: !is_done,
        lines: [Some(span), None],
    })
}

fn gemini_output(call: Raw<'_>) -> Option<String> {
    let answer = call.get("result")?.elements().next()?;
    let response = answer.get("functionResponse")?.get("response")?;
    Some(response.get("output")?.text_ends(MAX_OUTPUT)?.0)
}

/// The text of a message that is a string or a list of parts.
fn readable(value: Raw<'_>) -> String {
    if let Some(text) = value.text() {
        return text.into_owned();
    }
    let texts = value.elements().filter_map(|part| part.get("text")?.text());
    texts.collect::<Vec<_>>().join("\n")
}

fn tell(bodies: Vec<Body>, line: usize, step: usize, cwd: Option<&Arc<str>>, sink: &mut Sink) {
    for body in bodies {
        let by = match body {
            Body::Prompt(_) => By::User,
            _ => By::Agent,
        };
        sink.events.push(Event {
            line,
            step,
            cwd: cwd.cloned(),
            by,
            body,
        });
    }
}

/// Reads the event log of Copilot CLI.
#[derive(Debug, Clone, Default)]
pub(super) struct Copilot {
    step: usize,
    open: HashMap<Box<str>, Open>,
}

/// A call that waits for its end.
#[derive(Debug, Clone)]
struct Open {
    line: usize,
    step: usize,
    by: By,
    name: String,
    /// Its arguments, as they stand in the log.
    input: String,
    span: Span,
}

impl Open {
    fn bodies(&self, id: &str, ended: Option<(Option<i64>, bool, Span)>) -> Vec<Body> {
        let input = Raw::line(self.input.as_bytes()).ok();
        let (status, failed, answer) = match ended {
            Some((status, failed, span)) => (status, failed, Some(span)),
            None => (None, false, None),
        };
        let called = Called {
            id: id.into(),
            name: Cow::Borrowed(&self.name),
            input,
            status,
            state: if answer.is_some() {
                State::Ended
            } else {
                State::Unanswered
            },
            failed,
            lines: [Some(self.span), answer],
        };
        called.bodies()
    }

    fn tell(self, bodies: Vec<Body>, sink: &mut Sink) {
        let cwd = sink.facts.cwd.clone();
        for body in bodies {
            sink.events.push(Event {
                line: self.line,
                step: self.step,
                cwd: cwd.clone(),
                by: self.by,
                body,
            });
        }
    }
}

impl Copilot {
    pub(super) fn has_open_calls(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn line(
        &mut self,
        place: Place,
        line: &[u8],
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let [kind, data, time] = Raw::record(line)?.pick(["type", "data", "timestamp"])?;
        let kind = kind.and_then(Raw::text).unwrap_or_default();
        if let Some(time) = owned(time) {
            sink.facts.at(time);
        }
        let member = |key: &str| data.and_then(|data| data.get(key));
        let parent = member("parentToolCallId").is_some_and(Raw::is_string);
        let by = if parent { By::Subagent } else { By::Agent };
        sink.facts.known += 1;
        match &*kind {
            "session.start" => {
                sink.facts.session = owned(member("sessionId"));
                let cwd = member("context").and_then(|context| context.get("cwd"));
                sink.facts.cwd = owned(cwd.or_else(|| member("cwd"))).map(Arc::from);
            }
            "session.model_change" => sink.facts.model = owned(member("newModel")),
            "user.message" if !parent => {
                let words = owned(member("content")).unwrap_or_default();
                let cwd = sink.facts.cwd.clone();
                tell(
                    vec![Body::Prompt(words)],
                    place.line,
                    self.step,
                    cwd.as_ref(),
                    sink,
                );
            }
            "assistant.message" => {
                self.step += 1;
                let words = owned(member("content")).unwrap_or_default();
                if !words.trim().is_empty() {
                    sink.events.push(Event {
                        line: place.line,
                        step: self.step,
                        cwd: sink.facts.cwd.clone(),
                        by,
                        body: Body::Text(words),
                    });
                }
            }
            "tool.execution_start" => {
                let open = Open {
                    line: place.line,
                    step: self.step,
                    by,
                    name: owned(member("toolName")).unwrap_or_default(),
                    input: member("arguments").map(Raw::whole).unwrap_or_default(),
                    span: place.span,
                };
                let id = owned(member("toolCallId")).unwrap_or_default();
                self.open.insert(id.into(), open);
            }
            "tool.execution_complete" => {
                let id = owned(member("toolCallId")).unwrap_or_default();
                let Some(open) = self.open.remove(id.as_str()) else {
                    return Ok(());
                };
                let succeeded = member("success").is_some_and(Raw::is_true);
                let text = member("result").and_then(|result| result.get("content"));
                let status = text.and_then(exit_code);
                let bodies = open.bodies(&id, Some((status, !succeeded, place.span)));
                open.tell(bodies, sink);
            }
            other => {
                sink.facts.known -= 1;
                sink.facts.unknown(other);
            }
        }
        Ok(())
    }

    pub(super) fn flush(&mut self, sink: &mut Sink) {
        let mut left: Vec<_> = self.open.drain().collect();
        left.sort_by_key(|(_, open)| open.line);
        for (id, open) in left {
            let bodies = open.bodies(&id, None);
            open.tell(bodies, sink);
        }
    }
}

/// `<exited with exit code 0>`, which the harness writes last.
fn exit_code(text: Raw<'_>) -> Option<i64> {
    let (text, _) = text.text_ends(256)?;
    let (_, code) = text.trim_end().rsplit_once("exited with exit code ")?;
    code.trim_end_matches('>').trim().parse().ok()
}

/// The output of a command.
pub(super) fn output(harness: Harness, bytes: &[u8]) -> Option<Output> {
    let value = Raw::record(bytes).ok()?;
    let (text, is_cut) = match harness {
        Harness::OpenCode => value.get("state")?.get("output")?.text_ends(MAX_OUTPUT)?,
        Harness::Gemini => (gemini_output(value)?, false),
        _ => value
            .get("data")?
            .get("result")?
            .get("content")?
            .text_ends(MAX_OUTPUT)?,
    };
    Some(Output {
        text,
        is_cut,
        file: None,
    })
}

/// What an edit replaced.
pub(super) fn edits(harness: Harness, call: &[u8], path: &str) -> Vec<Replacement> {
    let input = Raw::record(call).ok().and_then(|value| match harness {
        Harness::OpenCode => value.get("state")?.get("input"),
        Harness::Gemini => value.get("args"),
        _ => value.get("data")?.get("arguments"),
    });
    if let Some(text) = first(input, &["patchText"]) {
        return patch::replacements(&text, path);
    }
    let new = first(input, &NEW);
    let old = first(input, &OLD);
    new.map(|new| vec![Replacement { old, new }])
        .unwrap_or_default()
}

/// A time in milliseconds since 1970 as logs spell it.
fn utc(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // days since 0000-03-01, in eras of 400 years
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spelt_as_other_logs_spell_them() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(1_772_924_668_472), "2026-03-07T23:04:28Z");
        assert_eq!(utc(1_709_164_800_000), "2024-02-29T00:00:00Z");
    }
}
