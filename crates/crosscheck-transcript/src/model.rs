//! The event model between readers and verifiers.

use std::collections::BTreeMap;

use crosscheck_core::{Json, Node};

use super::Format;

/// The content of one log, in its order.
#[derive(Debug, Default)]
pub struct Transcript {
    /// How it was read.
    pub format: Format,
    /// Calls, results, messages and exits, in the order of the log.
    pub events: Vec<Event>,
    /// How many records and items the reader does not know or use.
    pub ignored: usize,
    /// Lines that are not JSON.
    pub malformed: Malformed,
    /// Lines of a log of plain calls that may be calls of an unknown form.
    pub unknown: Malformed,
    /// The annotations of tools in the log, by name.
    pub tools: BTreeMap<String, Hints>,
}

/// One event of the log.
#[derive(Debug, Clone)]
pub struct Event {
    /// Line of a JSONL text, or element of a JSON array, from 1.
    pub record: usize,
    /// The number of its conversation. Call ids are valid only in their
    /// conversation.
    pub conversation: usize,
    /// The number of the model's message it is part of, where the log names
    /// its messages; else 0.
    pub step: usize,
    /// Whether another conversation of the log already reported it. Callers
    /// that do not distinguish conversations skip it.
    pub repeats: bool,
    /// Its kind.
    pub body: Body,
}

/// The kind of an event.
#[derive(Debug, Clone)]
pub enum Body {
    /// A tool was called.
    ToolCall(ToolCall),
    /// A tool answered.
    ToolResult(ToolResult),
    /// A message.
    Message(Message),
    /// The harness reports how the process of a call ended.
    Exit(Exit),
    /// The harness reports a completed turn: nothing more will come.
    TurnEnd,
}

/// The origin of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Witness {
    /// The conversation: what the model requested or was shown.
    Model,
    /// The tool's own record: a span or run of the execution.
    Tool,
}

/// A tool was called.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The id that results refer to; some old formats have none.
    pub id: Option<String>,
    /// The tool; empty when the log does not name it.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
    /// Its origin.
    pub witness: Witness,
    /// What the record itself says about the tool.
    pub hints: Hints,
}

/// The annotations of a tool, in the words of the Model Context Protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`
    pub read_only: Option<bool>,
    /// `destructiveHint`
    pub destructive: Option<bool>,
}

impl Hints {
    pub(crate) fn of(annotations: Node<'_>) -> Self {
        let hint = |key| annotations.get(key).and_then(Node::as_bool);
        Self {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
        }
    }
}

/// The arguments of a tool call.
#[derive(Debug, Clone)]
pub enum Arguments {
    /// A JSON value, also one that the log carries as text.
    Json(Json),
    /// Text that is not JSON.
    Text(String),
    /// They are not recorded.
    Absent,
}

/// A tool answered.
#[derive(Debug, Clone)]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: Option<String>,
    /// The tool, where only its name says which call is answered.
    pub tool: Option<String>,
    /// The answer as text; JSON is written canonically.
    pub content: String,
    /// The answer as data, where the log has more than text.
    pub structured: Option<Json>,
    /// Whether the log has an answer that can be compared. An empty text
    /// counts; a missing text or only an image does not.
    pub recorded: bool,
    /// Whether the log calls it a failure.
    pub is_error: bool,
    /// Its origin.
    pub witness: Witness,
}

/// A message. Hidden reasoning is never read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its author.
    pub role: Role,
    /// Its text; several text blocks are joined with a newline.
    pub text: String,
    /// Whether the log marks it as inserted by the harness (a summary, a
    /// notice), not typed by a person nor written by the model.
    pub synthetic: bool,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Instructions to the model.
    System,
    /// The person, or a program in its place.
    User,
    /// The model.
    Assistant,
    /// A tool, outside of a result.
    Tool,
    /// An unknown role.
    Other,
}

/// The harness reports how the process or the server of a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// The id of the call.
    pub call_id: Option<String>,
    /// Exit status of the process.
    pub code: Option<i64>,
    /// Whether it reports a failure without an exit status.
    pub has_failed: bool,
}

/// Lines that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Malformed {
    /// The total number.
    pub count: usize,
    /// Their numbers from 1; only the first [`Malformed::MAX_LINES`].
    pub lines: Vec<usize>,
}

impl Malformed {
    /// One more of them.
    pub(super) fn add(&mut self, line: usize) {
        self.count += 1;
        if self.lines.len() < Self::MAX_LINES {
            self.lines.push(line);
        }
    }

    /// At most this many line numbers are kept.
    pub const MAX_LINES: usize = 1000;
}
