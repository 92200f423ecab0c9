//! Rollout JSONL of Codex.
//!
//! The end of a command is recorded in up to three places, depending on the
//! version: a separate event, data around the output, or a frame of text before
//! it. The frame ends at the first line `Output:`; what a program prints after
//! it never counts as a statement of the harness.

mod frame;
pub(super) mod patch;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::skim::{Broken, Raw};
use super::{Body, By, Ended, Event, MAX_OUTPUT, Output, Place, Run, Sink, Span, State, Tool};
use frame::{Frame, frame};
pub(super) use patch::edits;
use patch::patched;

#[derive(Debug, Clone, Default)]
pub(super) struct Reader {
    cwd: Option<Arc<str>>,
    step: usize,
    /// Whether an answer arrived since the last call: then the next call is
    /// made by another message of the model.
    answered: bool,
    open: HashMap<Box<str>, Open>,
    /// Exit codes that were reported before the answer.
    exits: HashMap<Box<str>, i64>,
    /// Commands that continued, by the session under which Codex keeps them.
    sessions: HashMap<i64, Box<str>>,
}

#[derive(Debug, Clone)]
struct Open {
    line: usize,
    step: usize,
    cwd: Option<Arc<str>>,
    span: Span,
    call: Call,
}

#[derive(Debug, Clone)]
enum Call {
    Run(String),
    Patch(String),
    /// More input for a command that continued.
    Poll(i64),
    Tool(String),
}

impl Reader {
    pub(super) fn has_open_calls(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn line(
        &mut self,
        place: Place,
        line: &[u8],
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let record = Raw::record(line)?;
        if !record.is_object() {
            return Err(Broken);
        }
        let [kind, payload, time] = record.pick(["type", "payload", "timestamp"])?;
        let (Some(kind), Some(payload)) = (kind.and_then(Raw::text), payload) else {
            sink.facts.unknown("no type");
            return Ok(());
        };
        if let Some(time) = time.and_then(Raw::text) {
            sink.facts.at(time.into_owned());
        }
        match &*kind {
            "session_meta" => {
                let [id, session, cwd] = payload.pick(["id", "session_id", "cwd"])?;
                let name = session.or(id).and_then(Raw::text);
                if sink.facts.session.is_none() {
                    sink.facts.session = name.map(Cow::into_owned);
                }
                self.enter(cwd, sink);
            }
            "turn_context" => {
                let [cwd, model] = payload.pick(["cwd", "model"])?;
                self.enter(cwd, sink);
                let model = model.and_then(Raw::text);
                sink.facts.model = model.map(Cow::into_owned).or(sink.facts.model.take());
            }
            "response_item" => self.item(place, payload, sink)?,
            "event_msg" => self.event(place, payload, sink)?,
            other => {
                sink.facts.unknown(other);
                return Ok(());
            }
        }
        sink.facts.known += 1;
        Ok(())
    }

    fn enter(&mut self, cwd: Option<Raw<'_>>, sink: &mut Sink) {
        if let Some(cwd) = cwd.and_then(Raw::text) {
            self.cwd = Some(Arc::from(&*cwd));
        }
        if sink.facts.cwd.is_none() {
            sink.facts.cwd.clone_from(&self.cwd);
        }
    }

    fn tell(&self, line: usize, by: By, body: Body, sink: &mut Sink) {
        sink.events.push(Event {
            line,
            step: self.step,
            cwd: self.cwd.clone(),
            by,
            body,
        });
    }

    fn item(&mut self, place: Place, item: Raw<'_>, sink: &mut Sink) -> Result<(), Broken> {
        let [kind, id] = item.pick(["type", "call_id"])?;
        let kind = kind.and_then(Raw::text).unwrap_or_default();
        let id = id.and_then(Raw::text).unwrap_or_default();
        match &*kind {
            "message" => self.message(place, item, sink)?,
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                if self.answered {
                    self.answered = false;
                    self.step += 1;
                }
                let (call, workdir) = call(&kind, item)?;
                let cwd = match (workdir, &self.cwd) {
                    (Some(dir), Some(cwd)) if !dir.starts_with('/') => {
                        Some(Arc::from(format!("{cwd}/{dir}")))
                    }
                    (Some(dir), _) => Some(Arc::from(dir)),
                    (None, cwd) => cwd.clone(),
                };
                let open = Open {
                    line: place.line,
                    step: self.step,
                    cwd,
                    span: place.span,
                    call,
                };
                self.open.insert(id.into_owned().into_boxed_str(), open);
            }
            kind if kind.ends_with("_output") => {
                self.answered = true;
                if let Some((id, open)) = self.open.remove_entry(&*id) {
                    self.answer(id, open, item.get("output"), place.span, sink);
                }
            }
            other => sink.facts.unknown(&format!("response_item/{other}")),
        }
        Ok(())
    }

    fn message(&mut self, place: Place, item: Raw<'_>, sink: &mut Sink) -> Result<(), Broken> {
        let [role, content] = item.pick(["role", "content"])?;
        let words = content.map(readable).unwrap_or_default();
        let Some(role) = role else {
            return Ok(());
        };
        if words.trim().is_empty() {
            return Ok(());
        }
        if role.is("assistant") {
            self.step += 1;
            self.answered = false;
            self.tell(place.line, By::Agent, Body::Text(words), sink);
        } else if role.is("user") && is_feedback(&words) {
            self.tell(place.line, By::Agent, Body::Feedback, sink);
        } else if role.is("user") && is_typed(&words) {
            self.tell(place.line, By::User, Body::Prompt(words), sink);
        }
        Ok(())
    }

    fn answer(
        &mut self,
        id: Box<str>,
        open: Open,
        output: Option<Raw<'_>>,
        span: Span,
        sink: &mut Sink,
    ) {
        let start = output.map(start_of).unwrap_or_default();
        if start.starts_with("unsupported ") && start.contains("call") {
            return; // the call did not happen
        }
        let frame = match self.exits.remove(&id) {
            Some(code) => Frame::Exited(code),
            None => frame(&start),
        };
        let Open {
            line,
            step,
            cwd,
            span: called,
            call,
        } = open;
        let mut tell = |body: Body| {
            sink.events.push(Event {
                line,
                step,
                cwd: cwd.clone(),
                by: By::Agent,
                body,
            });
        };
        match call {
            Call::Run(command) => {
                if let Some(at) = command.find("*** Begin Patch") {
                    let patch = command.get(at..).unwrap_or_default();
                    let done = !matches!(frame, Frame::Exited(code) if code != 0);
                    patched(patch, &id, done, called, &mut tell);
                }
                let (status, state) = match frame {
                    Frame::Exited(code) => (Some(code), State::Ended),
                    Frame::Running(session) => {
                        self.sessions.insert(session, id.clone());
                        (None, State::Background)
                    }
                    Frame::Silent => (None, State::Ended),
                };
                tell(Body::Run(Run {
                    id,
                    command,
                    status,
                    state,
                    output: Some(span),
                }));
            }
            Call::Patch(patch) => {
                let failed = matches!(frame, Frame::Exited(code) if code != 0)
                    || start.contains("verification failed")
                    || start.starts_with("patch rejected");
                patched(&patch, &id, !failed, called, &mut tell);
            }
            Call::Poll(session) => {
                if let Frame::Exited(code) = frame
                    && let Some(id) = self.sessions.remove(&session)
                {
                    tell(Body::Ended(Ended {
                        id,
                        status: Some(code),
                        output: Some(span),
                    }));
                }
            }
            Call::Tool(name) => tell(Body::Tool(Tool {
                name,
                input: None,
                failed: matches!(frame, Frame::Exited(code) if code != 0),
                handback: None,
            })),
        }
    }

    /// The harness reports how a call ended: before its answer, or after it if
    /// the command continued.
    fn event(&mut self, place: Place, payload: Raw<'_>, sink: &mut Sink) -> Result<(), Broken> {
        let [kind, item] = payload.pick(["type", "item"])?;
        let kind = kind.and_then(Raw::text).unwrap_or_default();
        let ended = match (&*kind, item) {
            ("exec_command_end", _) => payload,
            ("item_completed", Some(item))
                if item
                    .get("type")
                    .is_some_and(|kind| kind.is("CommandExecution")) =>
            {
                item
            }
            _ => return Ok(()),
        };
        let [call, id, code] = ended.pick(["call_id", "id", "exit_code"])?;
        let id = call.or(id).and_then(Raw::text);
        let code = code.and_then(Raw::int).filter(|code| *code >= 0);
        let (Some(id), Some(code)) = (id, code) else {
            return Ok(());
        };
        if self.open.contains_key(&*id) {
            self.exits.insert(id.into_owned().into_boxed_str(), code);
        } else {
            let ended = Ended {
                id: id.into_owned().into_boxed_str(),
                status: Some(code),
                output: Some(place.span),
            };
            self.tell(place.line, By::Agent, Body::Ended(ended), sink);
        }
        Ok(())
    }

    pub(super) fn flush(&mut self, sink: &mut Sink) {
        let mut left: Vec<_> = self.open.drain().collect();
        left.sort_by_key(|(_, open)| open.line);
        for (id, open) in left {
            let mut tell = |body: Body| {
                sink.events.push(Event {
                    line: open.line,
                    step: open.step,
                    cwd: open.cwd.clone(),
                    by: By::Agent,
                    body,
                });
            };
            match open.call {
                Call::Run(command) => tell(Body::Run(Run {
                    id,
                    command,
                    status: None,
                    state: State::Unanswered,
                    output: None,
                })),
                Call::Patch(patch) => patched(&patch, &id, true, open.span, &mut tell),
                Call::Poll(_) | Call::Tool(_) => {}
            }
        }
    }
}

/// The call of an item, and its folder.
fn call(kind: &str, item: Raw<'_>) -> Result<(Call, Option<String>), Broken> {
    let [name, arguments, input, action] = item.pick(["name", "arguments", "input", "action"])?;
    let name = name.and_then(Raw::text).unwrap_or_default().into_owned();
    let text = |value: Option<Raw<'_>>| value.and_then(Raw::text).map(Cow::into_owned);
    if kind == "custom_tool_call" {
        let input = text(input).unwrap_or_default();
        let is_patch = name == "apply_patch";
        return Ok((
            if is_patch {
                Call::Patch(input)
            } else {
                Call::Tool(name)
            },
            None,
        ));
    }
    if let Some(action) = action.filter(|_| kind == "local_shell_call") {
        let [command, dir] = action.pick(["command", "working_directory"])?;
        let command = command.map(command_line).unwrap_or_default();
        return Ok((Call::Run(command), text(dir)));
    }
    // the arguments are JSON inside a string
    let inner = text(arguments).unwrap_or_default();
    let Ok(arguments) = Raw::line(inner.as_bytes()) else {
        return Ok((Call::Tool(name), None));
    };
    let [cmd, command, workdir, session, patch] =
        arguments.pick(["cmd", "command", "workdir", "session_id", "input"])?;
    let call = match name.as_str() {
        "exec_command" => Call::Run(cmd.map(command_line).unwrap_or_default()),
        "shell" | "container.exec" | "shell_command" | "local_shell" => {
            let line = command.map(command_line).unwrap_or_default();
            match line.strip_prefix("apply_patch\n") {
                Some(patch) => Call::Patch(patch.to_owned()),
                None => Call::Run(line),
            }
        }
        "apply_patch" => Call::Patch(text(patch).unwrap_or_default()),
        "write_stdin" => Call::Poll(session.and_then(Raw::int).unwrap_or(-1)),
        _ => Call::Tool(name),
    };
    Ok((call, text(workdir)))
}

/// A command line from a string or a list of words, without the shell around
/// it.
fn command_line(value: Raw<'_>) -> String {
    if let Some(line) = value.text() {
        return line.into_owned();
    }
    let words: Vec<String> = value
        .elements()
        .filter_map(|word| word.text().map(Cow::into_owned))
        .collect();
    match words.as_slice() {
        [shell, flag, line] if is_shell(shell) && matches!(flag.as_str(), "-lc" | "-c") => {
            line.clone()
        }
        [program, patch] if program == "apply_patch" => format!("apply_patch\n{patch}"),
        words => {
            let quoted = words.iter().map(|word| quoted(word));
            quoted.collect::<Vec<_>>().join(" ")
        }
    }
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    matches!(name, "bash" | "sh" | "zsh")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn is_typed(words: &str) -> bool {
    const NOTICES: [&str; 8] = [
        "<environment_context>",
        "<user_instructions>",
        "<permissions instructions>",
        "<skills_instructions>",
        "<turn_aborted>",
        "<subagent_notification>",
        "<user_shell_command>",
        "# AGENTS.md instructions",
    ];
    let words = words.trim_start();
    !NOTICES.iter().any(|notice| words.starts_with(notice))
}

fn is_feedback(words: &str) -> bool {
    let words = words.trim_start();
    words.starts_with("<hook_prompt") || words.starts_with("Stop hook feedback")
}

fn readable(content: Raw<'_>) -> String {
    if let Some(text) = content.text() {
        return text.into_owned();
    }
    let texts = content
        .elements()
        .filter_map(|block| block.get("text")?.text());
    texts.collect::<Vec<_>>().join("\n")
}

/// The part of an answer's text that shows how a command ended.
fn start_of(output: Raw<'_>) -> Cow<'_, str> {
    if output.is_string() {
        let (text, is_cut) = output.text_ends(2048).unwrap_or_default();
        if !is_cut || text.trim_start().starts_with('{') {
            return Cow::Owned(text);
        }
        return output.text_start(4096).unwrap_or_default();
    }
    if let Some(content) = output.get("content") {
        return Cow::Owned(readable(content));
    }
    Cow::Owned(readable(output))
}

pub(super) fn output(line: &[u8]) -> Option<Output> {
    let payload = Raw::record(line).ok()?.get("payload")?;
    let [item, answer, aggregated] = payload.pick(["item", "output", "aggregated_output"]).ok()?;
    let whole = item
        .and_then(|item| item.get("aggregated_output"))
        .or(aggregated);
    if let Some(text) = whole {
        let (text, is_cut) = text.text_ends(MAX_OUTPUT)?;
        return Some(Output {
            text,
            is_cut,
            file: None,
        });
    }
    let answer = answer?;
    let (text, is_cut) = match answer.text_ends(MAX_OUTPUT) {
        Some(text) => text,
        None => (readable(answer.get("content").unwrap_or(answer)), false),
    };
    let inner = match Raw::line(text.trim().as_bytes()) {
        Ok(data) => data.get("output").and_then(Raw::text).map(Cow::into_owned),
        Err(_) => None,
    };
    let unframed = || {
        text.split_once("\nOutput:\n")
            .map(|(_, rest)| rest.to_owned())
    };
    let text = inner.or_else(unframed).unwrap_or(text);
    let is_cut = is_cut || text.starts_with("Warning: truncated output");
    Some(Output {
        text,
        is_cut,
        file: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_around_a_command_is_removed() {
        for (words, expected) in [
            (r#"["bash","-lc","cargo test"]"#, "cargo test"),
            (r#"["/bin/zsh","-c","a && b"]"#, "a && b"),
            (r#"["ls","-l","a b"]"#, "ls -l 'a b'"),
            (r#""make""#, "make"),
        ] {
            let value = Raw::line(words.as_bytes()).unwrap();
            assert_eq!(command_line(value), expected);
        }
    }
}
