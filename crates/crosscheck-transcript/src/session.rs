//! Sessions of coding agents as the few things that can be evidence: what the
//! user typed, what the agent said, which commands ran, which files changed.
//!
//! The reader takes one line after the other and keeps none of them. Outputs
//! of commands and texts of edits stay in the file: an event says where its
//! lines are, and [`output`] and [`edits`] decode such a line when somebody
//! asks. Lines of unknown types are counted by name and never fail.
//! Field and block names are those of docs/agent-logs.md.

mod claude;
mod codex;
mod neutral;
mod skim;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use claude::is_typed;

/// The session logs that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Harness {
    /// Session JSONL of Claude Code.
    ClaudeCode,
    /// Rollout JSONL of Codex.
    Codex,
    /// `crosscheck.session/1`, for every other harness.
    Neutral,
}

/// One thing that happened.
#[derive(Debug, Clone)]
pub struct Event {
    /// The line that tells of it first, from 1: of a run the line of its call.
    pub line: usize,
    /// Which message of the model, by number. Calls of one message run side by
    /// side.
    pub step: usize,
    /// The working directory.
    pub cwd: Option<Arc<str>>,
    /// Who did it.
    pub by: By,
    /// What it was.
    pub body: Body,
}

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// The agent whose session it is.
    Agent,
    /// The person at the keyboard.
    User,
    /// An agent that the agent started.
    Subagent,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Body {
    /// The user typed something; its first [`MAX_TEXT`] bytes.
    Prompt(String),
    /// A Stop hook sent the agent back.
    Feedback,
    /// The agent said something; its first [`MAX_TEXT`] bytes.
    Text(String),
    /// A command ran, or was meant to.
    Run(Run),
    /// A file was changed, or was meant to be.
    Edit(Edit),
    /// An agent was started.
    Subagent(Subagent),
    /// Something that went on in the background has ended.
    Ended(Ended),
    /// A tool was called that is none of the above.
    Tool(Tool),
}

/// So much of a prompt or a message is kept.
pub const MAX_TEXT: usize = 256 * 1024;

/// A command of a shell.
#[derive(Debug, Clone)]
pub struct Run {
    /// The id of its call.
    pub id: Box<str>,
    /// The command line.
    pub command: String,
    /// Exit status, where the log has it.
    pub status: Option<i64>,
    /// How far the log tells of its end.
    pub state: State,
    /// The line that has its output.
    pub output: Option<Span>,
}

/// How far the log tells of the end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It ended.
    Ended,
    /// It went on in the background.
    Background,
    /// Somebody stopped it.
    Interrupted,
    /// Its time was up.
    TimedOut,
    /// The log has no answer.
    Unanswered,
}

/// A change of a file by a tool of the harness.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The id of its call.
    pub id: Box<str>,
    /// The file as the call names it.
    pub path: String,
    /// What was done to it.
    pub change: Change,
    /// Whether it was done; a call that failed changed nothing.
    pub done: bool,
    /// The lines of the call and of its answer.
    pub lines: [Option<Span>; 2],
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Its content is new as a whole.
    Write,
    /// A part of it was replaced.
    Modify,
    /// It was removed.
    Delete,
    /// It, or anything below it, may have changed.
    Tree,
}

/// An agent that the agent started.
#[derive(Debug, Clone)]
pub struct Subagent {
    /// The id of its call.
    pub id: Box<str>,
    /// Its type, as the call names it.
    pub kind: String,
    /// The name of its own log, where the answer says it.
    pub agent: Option<String>,
    /// Whether it was only launched: its end is told as [`Ended`].
    pub in_background: bool,
    /// The line of the answer, where there is one.
    pub answered: Option<usize>,
}

/// Something that went on in the background has ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The id of the call that began it.
    pub id: Box<str>,
    /// Exit status, where the log has it.
    pub status: Option<i64>,
    /// The line that has its output.
    pub output: Option<Span>,
}

/// A call of another tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Whether the log calls it a failure.
    pub failed: bool,
    /// What a subagent hands back as its last words.
    pub handback: Option<String>,
}

/// Where a line is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub at: u64,
    /// How many bytes.
    pub len: usize,
}

/// What can be said of the log as a whole.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Lines, blank ones left out.
    pub lines: usize,
    /// Lines that could not be read.
    pub broken: usize,
    /// Lines of known types.
    pub known: usize,
    /// How many lines of each other type; at most [`Facts::MAX_KINDS`] names.
    pub unknown: BTreeMap<String, usize>,
    /// The session's own id.
    pub session: Option<String>,
    /// The first working directory.
    pub cwd: Option<Arc<str>>,
    /// When the first record was written, as the log spells it.
    pub started: Option<String>,
    /// When the last record was written.
    pub last: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// Whether the log begins in the middle of a session.
    pub begins_midway: bool,
}

impl Facts {
    /// So many unknown types are counted by name.
    pub const MAX_KINDS: usize = 64;

    fn unknown(&mut self, kind: &str) {
        let kind: String = kind.chars().take(80).collect();
        let room = self.unknown.len() < Self::MAX_KINDS;
        if room || self.unknown.contains_key(&kind) {
            *self.unknown.entry(kind).or_default() += 1;
        }
    }
}

/// Reads the log of one session, line by line.
#[derive(Debug)]
pub struct SessionReader {
    format: Format,
    line: usize,
    sink: Sink,
}

#[derive(Debug)]
enum Format {
    Claude(Box<claude::Reader>),
    Codex(Box<codex::Reader>),
    Neutral,
}

/// Where the readers put what they find.
#[derive(Debug, Default)]
struct Sink {
    facts: Facts,
    events: Vec<Event>,
}

impl SessionReader {
    /// A reader that has seen no line. `own` says that the log is a subagent's
    /// own, in which every line is marked as one of a subagent.
    pub fn new(harness: Harness, own: bool) -> Self {
        let format = match harness {
            Harness::ClaudeCode => Format::Claude(Box::new(claude::Reader::new(own))),
            Harness::Codex => Format::Codex(Box::default()),
            Harness::Neutral => Format::Neutral,
        };
        Self {
            format,
            line: 0,
            sink: Sink::default(),
        }
    }

    /// Reads the next line, which begins at this byte of its file.
    pub fn line(&mut self, at: u64, line: &[u8]) {
        self.line += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        self.sink.facts.lines += 1;
        let place = Place {
            line: self.line,
            span: Span {
                at,
                len: line.len(),
            },
        };
        let read = match &mut self.format {
            Format::Claude(reader) => reader.line(place, line, &mut self.sink),
            Format::Codex(reader) => reader.line(place, line, &mut self.sink),
            Format::Neutral => neutral::line(place, line, &mut self.sink),
        };
        if read.is_err() {
            self.sink.facts.broken += 1;
        }
    }

    /// Passes over a line that is too long to be read.
    pub fn skip(&mut self) {
        self.line += 1;
        self.sink.facts.lines += 1;
        self.sink.facts.broken += 1;
    }

    /// Takes the events read since the last call. A command is told when its
    /// answer was read, so sort by [`Event::line`] where the order counts.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.sink.events)
    }

    /// Whether events were read since they were last taken.
    pub const fn has_events(&self) -> bool {
        !self.sink.events.is_empty()
    }

    /// Tells the calls that have no answer so far, and forgets them.
    pub fn flush(&mut self) {
        match &mut self.format {
            Format::Claude(reader) => reader.flush(&mut self.sink),
            Format::Codex(reader) => reader.flush(&mut self.sink),
            Format::Neutral => {}
        }
    }

    /// Whether a call has no answer so far.
    pub fn has_open_calls(&self) -> bool {
        match &self.format {
            Format::Claude(reader) => reader.has_open_calls(),
            Format::Codex(reader) => reader.has_open_calls(),
            Format::Neutral => false,
        }
    }

    /// What can be said of the log as a whole.
    pub const fn facts(&self) -> &Facts {
        &self.sink.facts
    }
}

/// Where the line is that is being read.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    span: Span,
}

/// The output of a command.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// Its text; of a long one the first and the last part.
    pub text: String,
    /// Whether something was left out, here or by the harness.
    pub is_cut: bool,
    /// The file in which the harness keeps all of it.
    pub file: Option<String>,
}

/// So much of each end of an output is decoded.
pub const MAX_OUTPUT: usize = 64 * 1024;

/// Decodes the output of a command from the line that has it.
pub fn output(harness: Harness, line: &[u8], id: &str) -> Option<Output> {
    match harness {
        Harness::ClaudeCode => claude::output(line, id),
        Harness::Codex => codex::output(line),
        Harness::Neutral => neutral::output(line),
    }
}

/// One replacement within an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// What was there; `None` when the log does not say.
    pub old: Option<String>,
    /// What is there now.
    pub new: String,
}

/// Decodes what an edit replaced from the lines of its call and its answer.
pub fn edits(
    harness: Harness,
    edit: &Edit,
    call: &[u8],
    answer: Option<&[u8]>,
) -> Vec<Replacement> {
    match harness {
        Harness::ClaudeCode => claude::edits(call, answer, &edit.id),
        Harness::Codex => codex::edits(call, &edit.path),
        Harness::Neutral => neutral::edits(call),
    }
}

/// Which harness wrote a log, by its first lines; `None` when none is known.
pub fn recognise(start: &[u8]) -> Option<Harness> {
    let lines = start.split(|byte| *byte == b'\n').take(50);
    lines
        .filter_map(|line| skim::Raw::line(line).ok())
        .find_map(|line| {
            let [kind, payload, uuid, session, t] = line
                .pick(["type", "payload", "uuid", "sessionId", "t"])
                .ok()?;
            let kind = kind.and_then(skim::Raw::text);
            match kind.as_deref() {
                Some("session_meta" | "turn_context" | "response_item" | "event_msg")
                    if payload.is_some() =>
                {
                    Some(Harness::Codex)
                }
                Some(_) if uuid.is_some() || session.is_some() => Some(Harness::ClaudeCode),
                _ => t.map(|_| Harness::Neutral),
            }
        })
}
