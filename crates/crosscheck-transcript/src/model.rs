//! The event model between readers and verifiers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crosscheck_core::{Json, Node};

use super::Format;

/// The content of one log, in its order.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// How it was read.
    pub format: Format,
    /// Calls, results, messages and exits, in the order of the log.
    pub events: Vec<Event>,
    /// The records of the events, and records that only have an id, for parents
    /// and times.
    pub entries: Vec<Arc<LogEntry>>,
    /// Records that were read, including malformed ones; blank lines do not
    /// count.
    pub records: usize,
    /// Events left out because the log repeats its own history, as requests do
    /// that carry the whole conversation each time.
    pub repeated: usize,
    /// The calls and results among them, for records with times: each shows
    /// what was known then.
    pub echoed: Vec<Echoed>,
    /// Records that the reader does not know or use.
    pub ignored: Ignored,
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
    /// Its position.
    pub position: Position,
    /// Its record: time, place, parents.
    pub entry: Arc<LogEntry>,
    /// Its kind.
    pub body: Body,
    /// Whether another conversation of the log already reported it. Callers
    /// that do not distinguish conversations skip it.
    pub repeats: bool,
    /// How the record reports it.
    pub telling: Telling,
    /// The number of the model's message it is part of; 0 if unknown. A
    /// different number is a different message; equal numbers are the same
    /// message only if the log names its messages.
    pub step: usize,
    /// The author of its message, where only one side may write it.
    pub writer: Option<Role>,
}

/// How a record reports an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Telling {
    /// It happened in this record.
    New,
    /// It is part of the conversation before this record; earlier records may
    /// have reported it.
    History,
    /// This record summarises others, as the span of an agent does.
    Summary,
}

/// A call or a result that a record repeats.
#[derive(Debug, Clone)]
pub struct Echoed {
    /// The record.
    pub entry: Arc<LogEntry>,
    /// The id of the call.
    pub id: String,
    /// Whether it is the result.
    pub is_result: bool,
}

/// The position of an event in its log. Positions increase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line of a JSONL text, or element of a JSON array, from 1.
    pub record: usize,
    /// Event within the record, from 0.
    pub part: usize,
}

/// The fields of a record. A field of the wrong type counts as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogEntry {
    /// Line of a JSONL text, or element of a JSON array, from 1.
    pub record: usize,
    /// The format's own word for the kind of record.
    pub kind: String,
    /// Its id: `uuid`, span id, run id, item id.
    pub id: Option<String>,
    /// The id of the record it follows or belongs to.
    pub parent: Option<String>,
    /// What it shares with others: API message id, trace id, response id.
    pub group: Option<String>,
    /// The session, conversation or thread.
    pub session: Option<String>,
    /// When it was written or began, as the log spells it.
    pub started: Option<String>,
    /// When it ended, for formats that say so.
    pub ended: Option<String>,
    /// A sort key of the format's own (`dotted_order` of LangSmith).
    pub order: Option<String>,
    /// The working directory at that moment.
    pub cwd: Option<String>,
    /// Whether it belongs to a subagent and not to the main conversation.
    pub sidechain: bool,
    /// Which subagent, for formats that name it.
    pub agent: Option<String>,
    /// For a model call: whether the record has both the input and the output
    /// of the model. `None` for every other record.
    pub heard: Option<bool>,
    /// The number of its conversation in the log. Call ids are valid only in
    /// their conversation.
    pub conversation: usize,
    /// The conversation that this one branched off from.
    pub fork_of: Option<usize>,
    /// Whether the record names its predecessor, and the log contains all of
    /// its chain: then no other conversation is possible.
    pub chained: bool,
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
    /// Whether the log explicitly calls it a success; most logs do not say.
    pub says_success: bool,
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
    /// Sources that the text cites by position.
    pub citations: Vec<Citation>,
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

/// A source cited for a range of a message. Offsets count characters of the
/// block with the citation, as the vendor defines them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The vendor's word, for example `url_citation`.
    pub kind: String,
    /// URL or file id.
    pub target: String,
    /// Title or file name.
    pub title: Option<String>,
    /// First character.
    pub start: Option<u64>,
    /// After the last character.
    pub end: Option<u64>,
    /// Whether the log gives a position that is not a natural number.
    pub is_unreadable: bool,
    /// The length of the block in characters.
    pub block_chars: u64,
}

/// The harness reports how the process or the server of a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// The id of the call.
    pub call_id: Option<String>,
    /// Exit status of the process.
    pub code: Option<i64>,
    /// The harness's number for a process that later calls may ask about.
    pub process: Option<String>,
    /// The failure, if there is no exit status.
    pub failure: Option<String>,
}

impl Exit {
    /// The failure, if the harness reports one.
    pub fn fault(&self) -> Option<String> {
        let code = self.code.filter(|code| *code != 0);
        let of_code = code.map(|code| format!("the process ended with {code}"));
        of_code.or_else(|| self.failure.clone())
    }
}

/// What was skipped, by the format's own word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignored {
    /// The total number.
    pub count: usize,
    /// How many of each kind; only the first [`Ignored::MAX_KINDS`] kinds are named.
    pub kinds: BTreeMap<String, usize>,
}

/// Lines that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Malformed {
    /// The total number.
    pub count: usize,
    /// Their numbers from 1; only the first [`Malformed::MAX_LINES`].
    pub lines: Vec<usize>,
}

impl Ignored {
    /// At most this many kinds are counted by name.
    pub const MAX_KINDS: usize = 64;
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

impl Transcript {
    /// The calls, with their events.
    pub fn calls(&self) -> impl Iterator<Item = (&Event, &ToolCall)> {
        self.events.iter().filter_map(|event| match &event.body {
            Body::ToolCall(call) => Some((event, call)),
            _ => None,
        })
    }

    /// The results, with their events.
    pub fn results(&self) -> impl Iterator<Item = (&Event, &ToolResult)> {
        self.events.iter().filter_map(|event| match &event.body {
            Body::ToolResult(result) => Some((event, result)),
            _ => None,
        })
    }

    /// The messages, with their events.
    pub fn messages(&self) -> impl Iterator<Item = (&Event, &Message)> {
        self.events.iter().filter_map(|event| match &event.body {
            Body::Message(message) => Some((event, message)),
            _ => None,
        })
    }
}
