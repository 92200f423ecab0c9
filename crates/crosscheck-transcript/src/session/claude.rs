//! Session JSONL of Claude Code.
//!
//! One message of the model spans lines that share `message.id`; each tool
//! call is answered by a `tool_result` block in a later `user` line.

mod decode;
mod record;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::skim::{Broken, Raw};
use super::{
    Body, By, Change, Edit, Ended, Event, MAX_TEXT, Place, Run, Sink, Span, State, Subagent, Tool,
};
pub(super) use decode::{edits, output};
use record::{Answer, Record, RecordKind, is_foreign};

/// So much of the arguments of a tool is kept.
const MAX_INPUT: usize = 1024;
/// At most this many calls can be waiting for an answer.
const MAX_OPEN: usize = 4096;

#[derive(Debug, Clone)]
pub(super) struct Reader {
    own: bool,
    cwd: Option<Arc<str>>,
    step: usize,
    message: Option<String>,
    open: HashMap<Box<str>, Open>,
    /// A command that the user typed, whose output is on the next line.
    typed: Option<(usize, String)>,
    /// Hashes of the ids of all lines.
    seen: HashSet<u64>,
    /// Whether the lines of this log have ids.
    is_chained: bool,
    /// Whether a line has named the one before it.
    has_links: bool,
}

/// A call that waits for its answer.
#[derive(Debug, Clone)]
struct Open {
    line: usize,
    step: usize,
    cwd: Option<Arc<str>>,
    by: By,
    span: Span,
    call: Call,
}

#[derive(Debug, Clone)]
enum Call {
    Run {
        command: String,
    },
    Edit {
        path: String,
        change: Change,
    },
    Subagent {
        kind: String,
    },
    Tool {
        name: String,
        input: String,
        handback: Option<String>,
    },
}

impl Reader {
    pub(super) fn new(own: bool) -> Self {
        Self {
            own,
            cwd: None,
            step: 0,
            message: None,
            open: HashMap::new(),
            typed: None,
            seen: HashSet::new(),
            is_chained: false,
            has_links: false,
        }
    }

    pub(super) fn has_open_calls(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn line(
        &mut self,
        place: Place,
        line: &[u8],
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let record = Record::read(Raw::record(line)?, sink)?;
        if !matches!(record.kind, RecordKind::Other) {
            sink.facts.known += 1;
            self.note(&record, sink);
            self.follow(place, &record, sink);
        }
        self.seen
            .extend(record.uuid.and_then(Raw::text).map(|id| hashed(&id)));
        match record.kind {
            RecordKind::Assistant => self.assistant(place, &record, sink),
            RecordKind::User => self.user(place, &record, sink),
            RecordKind::Attachment => self.attachment(place, &record, sink),
            RecordKind::System | RecordKind::Other => Ok(()),
        }
    }

    /// Keeps what later lines and the caller need from a record.
    fn note(&mut self, record: &Record<'_>, sink: &mut Sink) {
        let facts = &mut sink.facts;
        if let Some(cwd) = record.cwd.and_then(Raw::text)
            && self.cwd.as_deref() != Some(&*cwd)
        {
            self.cwd = Some(Arc::from(&*cwd));
        }
        if facts.cwd.is_none() {
            facts.cwd.clone_from(&self.cwd);
        }
        if let Some(time) = record.time.and_then(Raw::text) {
            facts.at(time.into_owned());
        }
        if facts.session.is_none() {
            facts.session = record.session.and_then(Raw::text).map(Cow::into_owned);
        }
    }

    /// Each line names the one before it. A log whose first line has an id, a
    /// session and a time has them on all lines; one without is not the
    /// harness's.
    fn follow(&mut self, place: Place, record: &Record<'_>, sink: &mut Sink) {
        let facts = &mut sink.facts;
        let parent = record.parent.and_then(Raw::text);
        let is_said = matches!(record.kind, RecordKind::User | RecordKind::Assistant);
        let is_aside = record.sidechain.is_some_and(Raw::is_true) || record.is_inserted();
        let is_linked = match &parent {
            Some(parent) => self.seen.contains(&hashed(parent)),
            // once lines follow each other, none begins anew
            None => !self.has_links || !is_said || is_aside,
        };
        self.has_links |= parent.is_some();
        let is_whole = [record.uuid, record.session, record.time]
            .iter()
            .all(|member| member.is_some_and(Raw::is_string));
        if facts.known == 1 {
            facts.begins_midway = !is_linked;
            self.is_chained = is_whole;
        } else if self.is_chained && !(is_linked && is_whole) {
            facts.unchained.get_or_insert(place.line);
        }
    }

    fn by(&self, record: &Record<'_>) -> By {
        let aside = record.sidechain.is_some_and(Raw::is_true) && !self.own;
        if aside { By::Subagent } else { By::Agent }
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

    fn assistant(
        &mut self,
        place: Place,
        record: &Record<'_>,
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let Some(message) = record.message else {
            return Ok(());
        };
        let [id, content, model] = message.pick(["id", "content", "model"])?;
        let id = id.and_then(Raw::text);
        if id.is_none() || id.as_deref() != self.message.as_deref() {
            self.step += 1;
            self.message = id.map(Cow::into_owned);
        }
        let model = model.and_then(Raw::text);
        // text that the harness writes in place of an answer
        if model.as_deref() == Some("<synthetic>") {
            return Ok(());
        }
        if let Some(model) = model {
            sink.facts.model = Some(model.into_owned());
        }
        let by = self.by(record);
        let Some(content) = content else {
            return Ok(());
        };
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        words.extend(content.text());
        for block in content.elements() {
            let [kind, text] = block.pick(["type", "text"])?;
            match kind {
                Some(kind) if kind.is("text") => words.extend(text.and_then(Raw::text)),
                Some(kind) if kind.is("tool_use") => self.call(place, by, block, sink)?,
                _ => {}
            }
        }
        let words = limited(&words.join("\n"));
        if !words.trim().is_empty() {
            self.tell(place.line, by, Body::Text(words), sink);
        }
        Ok(())
    }

    fn call(
        &mut self,
        place: Place,
        by: By,
        block: Raw<'_>,
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let [id, name, input] = block.pick(["id", "name", "input"])?;
        let (Some(id), Some(name)) = (id.and_then(Raw::text), name.and_then(Raw::text)) else {
            return Ok(());
        };
        let field = |key: &str| {
            let value = input.and_then(|input| input.get(key)).and_then(Raw::text);
            value.map(Cow::into_owned).unwrap_or_default()
        };
        let call = match &*name {
            "Bash" => Call::Run {
                command: field("command"),
            },
            "Edit" | "MultiEdit" => Call::Edit {
                path: field("file_path"),
                change: Change::Modify,
            },
            "Write" => Call::Edit {
                path: field("file_path"),
                change: Change::Write,
            },
            "NotebookEdit" => Call::Edit {
                path: field("notebook_path"),
                change: Change::Modify,
            },
            "Agent" | "Task" => Call::Subagent {
                kind: field("subagent_type"),
            },
            other => Call::Tool {
                name: other.to_owned(),
                input: input
                    .map(|input| input.beginning(MAX_INPUT))
                    .unwrap_or_default(),
                handback: (other == "SubagentHandback").then(|| field("message")),
            },
        };
        if self.open.len() >= MAX_OPEN {
            self.flush(sink);
        }
        let open = Open {
            line: place.line,
            step: self.step,
            cwd: self.cwd.clone(),
            by,
            span: place.span,
            call,
        };
        self.open.insert(id.into_owned().into_boxed_str(), open);
        Ok(())
    }

    pub(super) fn flush(&mut self, sink: &mut Sink) {
        let mut left: Vec<_> = self.open.drain().collect();
        left.sort_by_key(|(_, open)| open.line);
        for (id, open) in left {
            let body = match open.call {
                Call::Run { command } => Body::Run(Run {
                    id,
                    command,
                    status: None,
                    state: State::Unanswered,
                    output: None,
                }),
                Call::Edit { path, change } => Body::Edit(Edit {
                    id,
                    path,
                    change,
                    done: true,
                    lines: [Some(open.span), None],
                }),
                Call::Subagent { kind } => Body::Subagent(Subagent {
                    id,
                    kind,
                    agent: None,
                    in_background: true,
                    answered: None,
                }),
                Call::Tool {
                    name,
                    input,
                    handback,
                } => Body::Tool(Tool {
                    input: Some(input),
                    name,
                    failed: false,
                    handback,
                }),
            };
            sink.events.push(Event {
                line: open.line,
                step: open.step,
                cwd: open.cwd,
                by: open.by,
                body,
            });
        }
    }

    fn user(&mut self, place: Place, record: &Record<'_>, sink: &mut Sink) -> Result<(), Broken> {
        let content = match record.message {
            Some(message) => message.get("content"),
            None => None,
        };
        let Some(content) = content else {
            return Ok(());
        };
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        words.extend(content.text());
        let mut answers = false;
        for block in content.elements() {
            let [kind, text, id] = block.pick(["type", "text", "tool_use_id"])?;
            match kind {
                Some(kind) if kind.is("tool_result") => {
                    answers = true;
                    let id = id.and_then(Raw::text).unwrap_or_default();
                    if let Some((id, open)) = self.open.remove_entry(&*id) {
                        answer(id, open, &Answer::of(block, record.result)?, place, sink);
                    }
                }
                Some(kind) if kind.is("text") => words.extend(text.and_then(Raw::text)),
                _ => {}
            }
        }
        let words = words.join("\n");
        if !answers && !words.is_empty() {
            self.said(place, record, &words, sink);
        }
        Ok(())
    }

    /// A prompt of the user, or a notice that looks like one.
    fn said(&mut self, place: Place, record: &Record<'_>, words: &str, sink: &mut Sink) {
        let by_user = self.by(record) == By::Agent && !record.is_inserted();
        if let Some(ended) = notice(words) {
            self.tell(place.line, By::Agent, Body::Ended(ended), sink);
        } else if words.starts_with("Stop hook feedback")
            || words.starts_with("SubagentStop hook feedback")
        {
            self.tell(place.line, By::Agent, Body::Feedback, sink);
        } else if let Some(command) = tagged(words, "bash-input").filter(|_| by_user) {
            self.typed = Some((place.line, command.to_owned()));
        } else if words.starts_with("<bash-std")
            && by_user
            && let Some((line, command)) = self.typed.take()
        {
            let run = Run {
                id: Box::default(),
                command,
                status: None,
                state: State::Ended,
                output: Some(place.span),
            };
            self.tell(line, By::User, Body::Run(run), sink);
        } else if by_user && is_typed(words) {
            self.tell(place.line, By::User, Body::Prompt(limited(words)), sink);
        }
    }

    /// A prompt typed while the agent was busy, or a notice about background work.
    fn attachment(
        &mut self,
        place: Place,
        record: &Record<'_>,
        sink: &mut Sink,
    ) -> Result<(), Broken> {
        let Some(attachment) = record.attachment else {
            return Ok(());
        };
        let [kind, prompt, origin] = attachment.pick(["type", "prompt", "origin"])?;
        if !kind.is_some_and(|kind| kind.is("queued_command")) {
            return Ok(());
        }
        let words = prompt.map(readable).unwrap_or_default();
        if let Some(ended) = notice(&words) {
            self.tell(place.line, By::Agent, Body::Ended(ended), sink);
        } else if self.by(record) == By::Agent
            && !record.is_inserted()
            && !origin.is_some_and(is_foreign)
            && is_typed(&words)
        {
            self.tell(place.line, By::User, Body::Prompt(limited(&words)), sink);
        }
        Ok(())
    }
}

/// Whether text under the user's name was typed by the user and is not a notice
/// of the harness, as far as the text shows.
pub fn is_typed(words: &str) -> bool {
    const NOTICES: [&str; 11] = [
        "<task-notification>",
        "<local-command-",
        "<bash-input>",
        "<bash-stdout>",
        "<bash-stderr>",
        "Caveat:",
        "Stop hook feedback",
        "SubagentStop hook feedback",
        "[Request interrupted",
        "This session is being continued",
        "<system-reminder>",
    ];
    let words = words.trim_start();
    !words.is_empty() && !NOTICES.iter().any(|notice| words.starts_with(notice))
}

fn answer(id: Box<str>, open: Open, answer: &Answer<'_>, place: Place, sink: &mut Sink) {
    let span = place.span;
    let refused = answer.is_refusal();
    let body = match open.call {
        Call::Run { .. } | Call::Subagent { .. } if refused => return,
        Call::Run { command } => {
            let (status, state) = ending(answer);
            Body::Run(Run {
                id,
                command,
                status,
                state,
                output: Some(span),
            })
        }
        Call::Edit { path, change } => Body::Edit(Edit {
            id,
            path,
            change,
            done: !answer.failed,
            lines: [Some(open.span), Some(span)],
        }),
        Call::Subagent { kind } => {
            let agent = answer.has("agentId").and_then(Raw::text);
            let in_background = answer.has("isAsync").is_some_and(Raw::is_true)
                || answer
                    .has("status")
                    .is_some_and(|word| word.is("async_launched"));
            Body::Subagent(Subagent {
                id,
                kind,
                agent: agent.map(Cow::into_owned),
                in_background,
                answered: Some(place.line),
            })
        }
        Call::Tool {
            name,
            input,
            handback,
        } => Body::Tool(Tool {
            input: Some(input),
            name,
            failed: answer.failed,
            handback,
        }),
    };
    sink.events.push(Event {
        line: open.line,
        step: open.step,
        cwd: open.cwd,
        by: open.by,
        body,
    });
}

/// How a command ended.
fn ending(answer: &Answer<'_>) -> (Option<i64>, State) {
    let start = &*answer.start;
    let interrupted = answer.has("interrupted").is_some_and(Raw::is_true)
        || start.starts_with("[Request interrupted by user");
    if interrupted {
        return (None, State::Interrupted);
    }
    let moved = start.contains("Command running in background")
        || start.contains("moved to background")
        || start.contains("was moved to the background");
    if answer.has("backgroundTaskId").is_some() || (moved && !answer.failed) {
        return (None, State::Background);
    }
    if !answer.failed {
        return (Some(0), State::Ended);
    }
    let status = start
        .strip_prefix("Exit code ")
        .and_then(|rest| rest.lines().next()?.trim().parse().ok());
    let timed_out = status == Some(143)
        && answer
            .content
            .and_then(|content| content.text_ends(4096))
            .is_some_and(|(text, _)| text.lines().skip(1).any(is_time_limit));
    if timed_out {
        return (status, State::TimedOut);
    }
    (status, State::Ended)
}

fn is_time_limit(line: &str) -> bool {
    line.starts_with("Command timed out after")
}

/// The text of a prompt that is a string or a list of blocks.
fn readable(value: Raw<'_>) -> String {
    if let Some(text) = value.text() {
        return text.into_owned();
    }
    let texts = value
        .elements()
        .filter_map(|block| block.get("text")?.text());
    texts.collect::<Vec<_>>().join("\n")
}

/// The end of a background task, from a notice.
fn notice(words: &str) -> Option<Ended> {
    let inside = words.trim_start().strip_prefix("<task-notification>")?;
    let id = tagged(inside, "tool-use-id")?;
    let over = ["completed", "failed", "killed", "stopped"];
    if !tagged(inside, "status").is_some_and(|status| over.contains(&status)) {
        return None;
    }
    let summary = tagged(inside, "summary").unwrap_or_default();
    let (_, code) = summary.split_once("exit code ").unwrap_or_default();
    let digits: String = code.chars().take_while(char::is_ascii_digit).collect();
    Some(Ended {
        id: id.into(),
        status: digits.parse().ok(),
        output: None,
    })
}

/// The text between a tag and its end.
fn tagged<'w>(words: &'w str, tag: &str) -> Option<&'w str> {
    let (_, rest) = words.split_once(&format!("<{tag}>"))?;
    let (inside, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inside.trim())
}

fn hashed(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

fn limited(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
