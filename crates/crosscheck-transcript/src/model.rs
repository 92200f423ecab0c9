//! The event model all readers write and all verifiers read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crosscheck_core::{Json, Node};

use super::Format;

/// What one log says, in the order of the log.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// How it was read.
    pub format: Format,
    /// Calls, results, messages and exits, in the order of the log.
    pub events: Vec<Event>,
    /// The records the events stand in, and records that only have an id:
    /// what is needed to follow parents and times.
    pub entries: Vec<Arc<Entry>>,
    /// Records looked at, malformed ones included; blank lines are none.
    pub records: usize,
    /// Events left out because the log repeats its own history, as logged
    /// requests do that carry the whole conversation each time.
    pub repeated: usize,
    /// Which of the left out events are calls and results, for records that
    /// have times: each of them says what was known then.
    pub retold: Vec<Retold>,
    /// What the reader does not know or has no use for.
    pub ignored: Ignored,
    /// Lines that are no JSON.
    pub malformed: Malformed,
    /// What lists of tools in the log say about them, by their names.
    pub tools: BTreeMap<String, Hints>,
}

/// One thing the log says.
#[derive(Debug, Clone)]
pub struct Event {
    /// Where it stands.
    pub position: Position,
    /// The record around it: time, place, parents.
    pub entry: Arc<Entry>,
    /// What it is.
    pub body: Body,
    /// Whether another conversation of the log has told the same before. Who
    /// asks what was said at all, and not where, passes over it.
    pub repeats: bool,
    /// How the record tells it.
    pub telling: Telling,
    /// Which message of the model it is part of, by number; 0 when the log
    /// does not tell. Another number is another message, the same one need
    /// not be the same message unless the log names its messages.
    pub step: usize,
    /// Who wrote the message it stands in, where only one side may write it.
    pub writer: Option<Role>,
}

/// How a record tells something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Telling {
    /// It happened in this record.
    New,
    /// It is part of the conversation that led to this record, which earlier
    /// records may have told.
    History,
    /// This record sums up others, as the span of an agent does.
    Summary,
}

/// A call or a result that a record repeats.
#[derive(Debug, Clone)]
pub struct Retold {
    /// The record.
    pub entry: Arc<Entry>,
    /// The id of the call.
    pub id: String,
    /// Whether it is the result.
    pub is_result: bool,
}

/// Where an event stands in its log. Positions grow with the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line of a JSONL text, or element of a JSON array, from 1.
    pub record: usize,
    /// Event within the record, from 0.
    pub part: usize,
}

/// What a record says about itself. A field of the wrong type counts as missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
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
    /// Of a call of a model: whether the record holds both what the model was
    /// told and what it said. `None` for every other record.
    pub heard: Option<bool>,
    /// Which conversation of the log, by number. Ids of calls mean something
    /// in their conversation only.
    pub conversation: usize,
    /// The conversation that this one branched off from.
    pub fork_of: Option<usize>,
    /// Whether the record names what it follows, and the log has all of that:
    /// then no other conversation can be meant.
    pub chained: bool,
}

/// What an event is.
#[derive(Debug, Clone)]
pub enum Body {
    /// A tool was called.
    ToolCall(ToolCall),
    /// A tool answered.
    ToolResult(ToolResult),
    /// Somebody said something.
    Message(Message),
    /// The harness says how the process behind a call ended.
    Exit(Exit),
    /// The harness says that it completed a turn: nothing is left to come.
    TurnEnd,
}

/// Whose word an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Witness {
    /// The conversation: what the model asked for, or was told.
    Model,
    /// The tool's own record: a span or run of the execution.
    Tool,
}

/// A tool was called.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// What results refer to; some old formats have none.
    pub id: Option<String>,
    /// The tool; empty when the log does not name it.
    pub name: String,
    /// What it was called with.
    pub arguments: Arguments,
    /// Whose word this is.
    pub witness: Witness,
    /// What the record itself says about the tool.
    pub hints: Hints,
}

/// What a tool says of itself, in the words of the Model Context Protocol.
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

/// What a tool was called with.
#[derive(Debug, Clone)]
pub enum Arguments {
    /// A JSON value, also one that the log carries as text.
    Json(Json),
    /// Text that is no JSON.
    Text(String),
    /// Nothing is recorded.
    Absent,
}

/// A tool answered.
#[derive(Debug, Clone)]
pub struct ToolResult {
    /// The id of the call.
    pub call_id: Option<String>,
    /// The tool, where its name is all that tells which call is answered.
    pub tool: Option<String>,
    /// The answer as text; JSON is written canonically.
    pub content: String,
    /// The answer as data, where the log has more than text.
    pub structured: Option<Json>,
    /// Whether the log holds an answer that can be compared. An empty text is
    /// one; no text at all, or only a picture, is none.
    pub recorded: bool,
    /// Whether the log calls it a failure.
    pub is_error: bool,
    /// Whether the log calls it a success in so many words; most say nothing.
    pub says_success: bool,
    /// Whose word this is.
    pub witness: Witness,
}

/// Somebody said something. Hidden reasoning is never read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who.
    pub role: Role,
    /// What; several text blocks are joined with a newline.
    pub text: String,
    /// Whether the log marks it as inserted by the harness (a summary, a
    /// notice), not typed by a person nor written by the model.
    pub synthetic: bool,
    /// Sources the text names by position.
    pub citations: Vec<Citation>,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Instructions to the model.
    System,
    /// The person, or the program in its place.
    User,
    /// The model.
    Assistant,
    /// A tool, outside of a proper result.
    Tool,
    /// A role we do not know.
    Other,
}

/// A source named for a range of a message. Offsets count characters of the
/// block the citation stands in, as the vendor defines them.
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
    /// Whether the log gives a place that is no natural number.
    pub is_unreadable: bool,
    /// How many characters the block has.
    pub block_chars: u64,
}

/// The harness says how the process or the server behind a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// The id of the call.
    pub call_id: Option<String>,
    /// Exit status of the process.
    pub code: Option<i64>,
    /// The harness's number for a process that later calls may ask about.
    pub process: Option<String>,
    /// What went wrong, where there is no exit status.
    pub failure: Option<String>,
}

impl Exit {
    /// What went wrong, if the harness says that something did.
    pub fn fault(&self) -> Option<String> {
        let code = self.code.filter(|code| *code != 0);
        let of_code = code.map(|code| format!("the process ended with {code}"));
        of_code.or_else(|| self.failure.clone())
    }
}

/// What was left aside, by the format's own word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignored {
    /// How many in all.
    pub count: usize,
    /// How many of each kind; only the first [`Ignored::MAX_KINDS`] kinds are named.
    pub kinds: BTreeMap<String, usize>,
}

/// Lines that are no JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Malformed {
    /// How many in all.
    pub count: usize,
    /// Their numbers from 1; only the first [`Malformed::MAX_LINES`].
    pub lines: Vec<usize>,
}

impl Ignored {
    /// So many kinds are counted by name.
    pub const MAX_KINDS: usize = 64;
}

impl Malformed {
    /// So many line numbers are kept.
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
