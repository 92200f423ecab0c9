//! Sessions of coding agents as events that can be evidence: what the user
//! typed, what the agent said, which commands ran, which files changed.
//!
//! The reader takes one line after the other and keeps none of them. Outputs of
//! commands and texts of edits stay in the file: an event has the positions of
//! its lines, and [`output`] and [`edits`] decode such a line on demand. Lines
//! of unknown types are counted by name and never fail. Field and block names
//! are those of docs/agent-logs.md.

pub(crate) mod calls;
mod claude;
mod codex;
mod deed;
mod exports;
mod fold;
mod frame;
mod neutral;
mod patch;
mod record;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::raw::Raw;
use deed::{Deed, replacements};
use fold::{Fold, tagged};
pub use record::MAX_OUTPUT;
use record::{Answer, Item, Place, Record, piece, records};

/// The session logs that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Harness {
    /// Session JSONL of Claude Code.
    ClaudeCode,
    /// Rollout JSONL of Codex.
    Codex,
    /// An export of OpenCode.
    OpenCode,
    /// A session of Gemini CLI.
    Gemini,
    /// The event log of Copilot CLI.
    Copilot,
    /// `crosscheck.session/1`, for every other harness.
    #[default]
    Neutral,
}

impl Harness {
    /// The name in receipts and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini-cli",
            Self::Copilot => "copilot-cli",
            Self::Neutral => "other",
        }
    }

    /// Whether its log is one document, which is read as one line.
    pub const fn is_document(self) -> bool {
        matches!(self, Self::OpenCode | Self::Gemini)
    }
}

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its first line, from 1; for a command the line of its call.
    pub line: usize,
    /// The number of the model's message. Calls of one message run in parallel.
    pub step: usize,
    /// The working directory.
    pub cwd: Option<Arc<str>>,
    /// Who caused it.
    pub by: By,
    /// Its kind.
    pub body: Body,
}

/// Who caused an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// The agent whose session it is.
    Agent,
    /// The user.
    User,
    /// An agent that the agent started.
    Subagent,
}

/// The kind of an event.
#[derive(Debug, Clone)]
pub enum Body {
    /// The user typed something; its first [`MAX_TEXT`] bytes.
    Prompt(String),
    /// A Stop hook sent the agent back.
    Feedback,
    /// The agent said something; its first [`MAX_TEXT`] bytes.
    Text(String),
    /// A command ran or was requested.
    Run(Run),
    /// A file was changed, or a change was requested.
    Edit(Edit),
    /// An agent was started.
    Subagent(Subagent),
    /// A background task has ended.
    Ended(Ended),
    /// Another tool was called.
    Tool(Tool),
}

/// At most this many bytes of a prompt or a message are kept.
pub const MAX_TEXT: usize = 256 * 1024;

/// A shell command.
#[derive(Debug, Clone)]
pub struct Run {
    /// The id of its call.
    pub id: Box<str>,
    /// The command line.
    pub command: String,
    /// Exit status, if the log has it.
    pub status: Option<i64>,
    /// What the log says about its end.
    pub state: State,
    /// The line that has its output.
    pub output: Option<Span>,
}

/// What the log says about the end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It ended.
    Ended,
    /// It continued in the background.
    Background,
    /// It was stopped.
    Interrupted,
    /// It timed out.
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
    /// The kind of change.
    pub change: Change,
    /// Whether it was done; a failed call changed nothing.
    pub done: bool,
    /// The lines of the call and of its answer.
    pub lines: [Option<Span>; 2],
}

/// The kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The whole content is new.
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
    /// Its type, from the call.
    pub kind: String,
    /// The name of its own log, if the answer has it.
    pub agent: Option<String>,
    /// Whether it was only launched: its end is an [`Ended`].
    pub in_background: bool,
    /// The line of the answer, if there is one.
    pub answered: Option<usize>,
}

/// A background task has ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The id of the call that began it.
    pub id: Box<str>,
    /// Exit status, if the log has it.
    pub status: Option<i64>,
    /// The line that has its output.
    pub output: Option<Span>,
}

/// A call of another tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its arguments as the log has them, cut; `None` where they are not read.
    pub input: Option<String>,
    /// Whether the log calls it a failure.
    pub failed: bool,
    /// The last message of a subagent.
    pub handback: Option<String>,
}

/// The position of a line in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub at: u64,
    /// How many bytes.
    pub len: usize,
}

/// Facts about the log as a whole.
#[derive(Debug, Clone, Default)]
pub struct LogFacts {
    /// Lines, without blank ones.
    pub lines: usize,
    /// Lines that could not be read.
    pub broken: usize,
    /// Lines of known types.
    pub known: usize,
    /// The number of lines of each other type; at most [`LogFacts::MAX_KINDS`]
    /// names.
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
    /// The first line that the harness cannot have written: it breaks the
    /// chain of the lines, or lacks what they all have.
    pub unchained: Option<usize>,
}

impl LogFacts {
    /// At most this many unknown types are counted by name.
    pub const MAX_KINDS: usize = 64;

    /// A record was written at this time.
    fn at(&mut self, time: &str) {
        self.started.get_or_insert_with(|| time.to_owned());
        let last = self.last.get_or_insert_default();
        last.clear();
        last.push_str(time);
    }

    fn unknown(&mut self, kind: &str) {
        let kind: String = kind.chars().take(80).collect();
        let room = self.unknown.len() < Self::MAX_KINDS;
        if room || self.unknown.contains_key(&kind) {
            *self.unknown.entry(kind).or_default() += 1;
        }
    }
}

/// Reads the log of one session, line by line.
#[derive(Debug, Clone)]
pub struct SessionReader {
    harness: Harness,
    line: usize,
    fold: Fold,
}

impl SessionReader {
    /// A reader without any line yet. `own` means that the log belongs to a
    /// subagent, where every line is marked as one of a subagent.
    pub fn new(harness: Harness, own: bool) -> Self {
        Self {
            harness,
            line: 0,
            fold: Fold::new(harness, own),
        }
    }

    /// Reads the next line, which begins at this byte of its file.
    pub fn line(&mut self, at: u64, line: &[u8]) {
        self.line += 1;
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        self.fold.facts.lines += 1;
        let len = line.len();
        let place = Place {
            line: self.line,
            span: Span { at, len },
        };
        let fold = &mut self.fold;
        let mut take = |place, record| fold.take(place, record);
        if records(self.harness, place, line, &mut take).is_err() {
            let facts = &mut self.fold.facts;
            facts.broken += 1;
            // one line may be torn; the harness writes no others
            if facts.broken > 1 && self.harness == Harness::ClaudeCode {
                facts.unchained.get_or_insert(self.line);
            }
        }
    }

    /// Skips a line that is too long to be read.
    pub const fn skip(&mut self) {
        self.line += 1;
        self.fold.facts.lines += 1;
        self.fold.facts.broken += 1;
    }

    /// Takes the events since the last call. A command is reported when its
    /// answer was read, so sort by [`Event::line`] if the order matters.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.fold.events)
    }

    /// Whether events were read since they were last taken.
    pub const fn has_events(&self) -> bool {
        !self.fold.events.is_empty()
    }

    /// Reports the calls that have no answer so far, and drops them.
    pub fn flush(&mut self) {
        self.fold.flush();
    }

    /// Facts about the log as a whole.
    pub const fn facts(&self) -> &LogFacts {
        &self.fold.facts
    }
}

/// The output of a command.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// Its text; only the first and the last part of a long one.
    pub text: String,
    /// Whether something was left out, here or by the harness.
    pub is_cut: bool,
    /// The file in which the harness keeps the full output.
    pub file: Option<String>,
}

/// Decodes the output of a command from the piece of the log that has it.
pub fn output(harness: Harness, text: &[u8], id: &str) -> Option<Output> {
    let record = piece(harness, text)?;
    for item in record.items {
        let answer = match item {
            Item::Answered { id: own, answer } if own == id => answer,
            Item::Exited(_, Some(output)) => Answer::wrapped(Some(output), false),
            Item::Said(_, words) if id.is_empty() => {
                let parts = ["bash-stdout", "bash-stderr"].map(|tag| tagged(&words, tag));
                let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
                return Some(Output {
                    text,
                    ..Output::default()
                });
            }
            _ => continue,
        };
        let output = answer.output()?;
        return Some(match harness {
            Harness::Codex => codex::unframed(output),
            _ => output,
        });
    }
    None
}

/// One replacement within an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The old text; `None` if the log does not have it.
    pub old: Option<String>,
    /// The new text.
    pub new: String,
}

/// Decodes the replacements of an edit from the pieces of the log that have its
/// call and its answer.
pub fn edits(
    harness: Harness,
    edit: &Edit,
    call: &[u8],
    answer: Option<&[u8]>,
) -> Vec<Replacement> {
    let answer = answer.and_then(|text| piece(harness, text));
    let answer = answer.and_then(|record| {
        record.items.into_iter().find_map(|item| match item {
            Item::Answered { id, answer } if *id == *edit.id => Some(answer),
            _ => None,
        })
    });
    let items = piece(harness, call).map(|record: Record<'_>| record.items);
    let found = items
        .unwrap_or_default()
        .into_iter()
        .find_map(|item| match item {
            Item::Called {
                id, name, input, ..
            } if *id == *edit.id => {
                replacements(&Deed::of(&name, &input), &input, &edit.path, answer)
            }
            _ => None,
        });
    found.unwrap_or_default()
}

/// The harness that wrote a log, from its first lines; `None` if unknown.
pub fn recognise(start: &[u8]) -> Option<Harness> {
    if let Some(harness) = recognise_document(start) {
        return Some(harness);
    }
    let lines = start.split(|byte| *byte == b'\n').take(50);
    lines
        .filter_map(|line| Raw::line(line).ok())
        .find_map(|line| {
            let keys = ["type", "payload", "uuid", "sessionId", "session_id", "t"];
            let [kind, payload, uuid, session, stream, t] = line.pick(keys).ok()?;
            let session = session.or(stream);
            let kind = kind.and_then(Raw::text);
            match kind.as_deref() {
                Some("session_meta" | "turn_context" | "response_item" | "event_msg")
                    if payload.is_some() =>
                {
                    Some(Harness::Codex)
                }
                Some("session.start") => Some(Harness::Copilot),
                Some(_) if uuid.is_some() || session.is_some() => Some(Harness::ClaudeCode),
                _ => t.map(|_| Harness::Neutral),
            }
        })
}

/// An export is known by its first members: no line of it is a record.
fn recognise_document(start: &[u8]) -> Option<Harness> {
    let start = start.get(..start.len().min(4096)).unwrap_or_default();
    let text = String::from_utf8_lossy(start);
    let inside = text.trim_start().strip_prefix('{')?.trim_start();
    let has = |key: &str| text.contains(key);
    if inside.starts_with("\"info\"") && has("\"directory\"") {
        return Some(Harness::OpenCode);
    }
    let is_gemini = has("\"projectHash\"") && has("\"messages\"") && !has("\"parentUuid\"");
    is_gemini.then_some(Harness::Gemini)
}
