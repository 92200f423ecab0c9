//! Collects the results of the readers.
//!
//! Logged requests carry the whole conversation each time. Repeated parts are
//! counted, not reported again: the n-th equal item of one record, span or run
//! is a repetition if n equal items were already reported before it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use crosscheck_core::canonical::{self, Style};

use super::conversations::{Conversations, Marks, Name};
use super::mcp::Requests;
pub(super) use super::model::Telling;
use super::model::{Body, Echoed, Event, Ignored, LogEntry, Malformed, Position, Role, Transcript};
use super::steps::Steps;
use super::{Arguments, Format};

/// Longest name of an ignored kind that is kept, in UTF-16 units.
const KIND_MAX: usize = 80;

/// Whether a call was announced before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// It was not.
    First,
    /// In another conversation, where the same id is another call.
    FirstHere,
    /// In this conversation.
    Known,
}

#[derive(Debug)]
pub(super) struct Sink {
    pub(super) transcript: Transcript,
    record: usize,
    part: usize,
    entry: Option<Arc<LogEntry>>,
    prints: Prints,
    /// How often each item was reported.
    counted: HashMap<Print, u32, foldhash::fast::RandomState>,
    /// How often each conversation reported it.
    counted_in: HashMap<(usize, Print), u32, foldhash::fast::RandomState>,
    /// How often each item occurred in this record, span or run.
    here: HashMap<Print, u32, foldhash::fast::RandomState>,
    /// Ids of calls that were announced before they ended, by conversation.
    announced: HashMap<String, HashSet<usize>>,
    pub(super) conversations: Conversations,
    /// Requests of a protocol that wait for their answer.
    pub(super) requests: Requests,
    steps: Steps,
    /// Whether records are kept, for parents and times.
    pub(super) keeps_entries: bool,
    /// The author of what follows, where only one side may write it.
    writer: Option<Role>,
}

impl Sink {
    pub(super) fn new(format: Format) -> Self {
        Self {
            transcript: Transcript {
                format,
                events: Vec::new(),
                entries: Vec::new(),
                records: 0,
                repeated: 0,
                echoed: Vec::new(),
                ignored: Ignored::default(),
                malformed: Malformed::default(),
                unknown: Malformed::default(),
                tools: BTreeMap::new(),
            },
            record: 0,
            part: 0,
            entry: None,
            prints: Prints::default(),
            counted: HashMap::default(),
            counted_in: HashMap::default(),
            here: HashMap::default(),
            announced: HashMap::new(),
            conversations: Conversations::default(),
            requests: Requests::default(),
            steps: Steps::default(),
            writer: None,
            keeps_entries: true,
        }
    }

    /// A new record begins here.
    pub(super) fn begin(&mut self, record: usize) {
        self.record = record;
        self.part = 0;
        self.entry = None;
        self.here.clear();
        self.transcript.records += 1;
    }

    /// The fields of the record, or of the next span or run in it.
    pub(super) fn enter(&mut self, entry: LogEntry) {
        self.here.clear();
        self.note(entry);
    }

    /// The next span or run, which belongs to the conversation of its trace.
    pub(super) fn enter_trace(&mut self, entry: LogEntry) {
        let trace = entry.group.clone().map(Name::Trace);
        self.conversations.join(Marks {
            // spans without a trace id share one trace
            names: vec![trace.unwrap_or(Name::Trace(String::new()))],
            ..Marks::default()
        });
        self.enter(entry);
    }

    fn note(&mut self, entry: LogEntry) {
        let entry = Arc::new(LogEntry {
            record: self.record,
            conversation: self.conversations.current(),
            fork_of: self.conversations.fork_of(),
            chained: self.conversations.is_chained(),
            ..entry
        });
        if self.keeps_entries {
            self.transcript.entries.push(Arc::clone(&entry));
        }
        self.entry = Some(entry);
    }

    /// An event, new or possibly reported before.
    pub(super) fn put(&mut self, telling: Telling, body: Body) {
        match telling {
            Telling::New => self.tell(body),
            Telling::History => self.recall(body),
            Telling::Summary => self.sum_up(body),
        }
    }

    /// An event that is reported for the first time.
    pub(super) fn tell(&mut self, body: Body) {
        if self.repeats_history() {
            let print = self.prints.of(&body);
            let (count, in_it) = self.counted(print);
            *count += 1;
            *in_it += 1;
            // an event of this record must not count again as its history
            *self.here.entry(print).or_default() += 1;
        }
        self.push(body, Telling::New, false);
    }

    /// The next events are not part of the same message as the previous ones of
    /// this conversation.
    pub(super) fn begin_step(&mut self) {
        self.steps.begin(self.conversations.current());
    }

    /// The record names its message.
    pub(super) const fn set_step(&mut self, step: Option<usize>) {
        self.steps.set(step);
    }

    /// An event that only one side of the conversation may write, and its
    /// author.
    pub(super) fn put_by(&mut self, writer: Role, telling: Telling, body: Body) {
        self.writer = Some(writer);
        self.put(telling, body);
        self.writer = None;
    }

    /// Something that was announced.
    pub(super) fn tell_news(&mut self, news: News, body: Body) {
        self.push(body, Telling::New, news == News::FirstHere);
    }

    /// An event that may be repeated history of the conversation.
    pub(super) fn recall(&mut self, body: Body) {
        let is_of_an_earlier_trace = self.is_of_an_earlier_trace(&body);
        let print = self.prints.of(&body);
        let here = self.here.entry(print).or_default();
        *here += 1;
        let here = *here;
        let (count, in_it) = self.counted(print);
        let is_known = here <= *count;
        if here <= *in_it || (is_known && is_of_an_earlier_trace) {
            self.transcript.repeated += 1;
            self.retell(&body);
            return;
        }
        *in_it = here;
        *count = here.max(*count);
        self.push(body, Telling::History, is_known);
    }

    /// How often an item was reported at all, and in this conversation.
    fn counted(&mut self, print: Print) -> (&mut u32, &mut u32) {
        let here = (self.conversations.current(), print);
        (
            self.counted.entry(print).or_default(),
            self.counted_in.entry(here).or_default(),
        )
    }

    /// An event in a summary: other records may report it, before or after, and
    /// it does not affect them.
    fn sum_up(&mut self, body: Body) {
        let is_known = self.counted.contains_key(&self.prints.of(&body));
        self.push(body, Telling::Summary, is_known);
    }

    /// Records which call or result a record repeats.
    fn retell(&mut self, body: &Body) {
        let (id, is_result) = match body {
            Body::ToolCall(call) => (&call.id, false),
            Body::ToolResult(result) => (&result.call_id, true),
            _ => return,
        };
        if self.has_traces()
            && let (Some(id), Some(entry)) = (id, &self.entry)
        {
            self.transcript.echoed.push(Echoed {
                entry: Arc::clone(entry),
                id: id.clone(),
                is_result,
            });
        }
    }

    /// Whether a history that another conversation reported can only belong to
    /// that one. Requests carry their whole history, and the answers in a trace
    /// may be its own, because its call ids may equal others.
    const fn is_of_an_earlier_trace(&self, body: &Body) -> bool {
        self.has_traces() && !matches!(body, Body::ToolResult(_))
    }

    /// Whether this id was announced before.
    pub(super) fn announce(&mut self, id: &str) -> News {
        let places = self.announced.entry(id.to_owned()).or_default();
        let is_elsewhere = !places.is_empty();
        match (places.insert(self.conversations.current()), is_elsewhere) {
            (true, false) => News::First,
            (true, true) => News::FirstHere,
            (false, _) => News::Known,
        }
    }

    /// An item that is not used; `kind` is the format's own word.
    pub(super) fn ignore(&mut self, kind: &str) {
        let ignored = &mut self.transcript.ignored;
        ignored.count += 1;
        let kind = crosscheck_core::text::cut_units(kind, KIND_MAX);
        if let Some(count) = ignored.kinds.get_mut(kind) {
            *count += 1;
        } else if ignored.kinds.len() < Ignored::MAX_KINDS {
            ignored.kinds.insert(kind.to_owned(), 1);
        }
    }

    /// This line is not JSON.
    pub(super) fn malformed(&mut self, line: usize) {
        self.transcript.records += 1;
        self.transcript.malformed.add(line);
    }

    /// This record may be a call, and nobody can say which.
    pub(super) fn unknown(&mut self) {
        self.transcript.unknown.add(self.record);
    }

    fn push(&mut self, body: Body, telling: Telling, repeats: bool) {
        if self.entry.is_none() {
            self.note(LogEntry::default());
        }
        if let Some(entry) = &self.entry {
            self.transcript.events.push(Event {
                position: Position {
                    record: self.record,
                    part: self.part,
                },
                entry: Arc::clone(entry),
                body,
                repeats,
                telling,
                step: self.steps.current(self.transcript.format, entry),
                writer: self.writer,
            });
            self.part += 1;
        }
    }

    const fn has_traces(&self) -> bool {
        matches!(self.transcript.format, Format::Otel | Format::LangSmith)
    }

    const fn repeats_history(&self) -> bool {
        match self.transcript.format {
            Format::ClaudeCode | Format::Codex | Format::Mcp | Format::Calls => false,
            Format::OpenAi | Format::Anthropic | Format::Otel | Format::LangSmith => true,
        }
    }
}

/// Equal for equal items.
type Print = [u64; 2];

/// Tells items apart by 128 bits. The keys are new for each run, so that no
/// call can be prepared to be hidden behind another one: the first half sees to
/// that, the second one only makes chance less likely.
#[derive(Debug, Default)]
struct Prints {
    keys: (RandomState, foldhash::quality::RandomState),
    /// Where the item is written.
    text: Vec<u8>,
}

impl Prints {
    fn of(&mut self, body: &Body) -> Print {
        self.text.clear();
        match body {
            Body::ToolCall(call) => {
                self.text.push(call.witness as u8);
                self.add(&[&call.name]);
                self.add_id(call.id.as_deref());
                match &call.arguments {
                    Arguments::Json(json) => {
                        canonical::push_node(&mut self.text, json.root(), &Style::ECMA);
                    }
                    Arguments::Text(said) => self.add(&[said]),
                    Arguments::Absent => {}
                }
            }
            Body::ToolResult(result) => {
                let marks = [result.witness as u8, u8::from(result.is_error)];
                self.text.extend_from_slice(&marks);
                self.add(&[&result.content]);
                self.add_id(result.call_id.as_deref());
            }
            Body::Message(message) => {
                self.text.push(message.role as u8);
                self.add(&[&message.text]);
            }
            Body::Exit(exit) => self.add(&[&format!("{exit:?}")]),
            Body::TurnEnd => {}
        }
        let kind = std::mem::discriminant(body);
        let text = self.text.as_slice();
        [
            self.keys.0.hash_one((kind, text)),
            self.keys.1.hash_one((kind, text)),
        ]
    }

    /// Each with its length, so that no two lists of texts look alike.
    fn add(&mut self, texts: &[&str]) {
        for text in texts {
            self.text.extend_from_slice(&text.len().to_le_bytes());
            self.text.extend_from_slice(text.as_bytes());
        }
    }

    fn add_id(&mut self, id: Option<&str>) {
        self.text.push(u8::from(id.is_some()));
        self.add(&[id.unwrap_or_default()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{Message, Role};
    use super::*;

    fn said(text: &str) -> Body {
        Body::Message(Message {
            role: Role::User,
            text: text.to_owned(),
            synthetic: false,
            citations: Vec::new(),
        })
    }

    #[test]
    fn history_is_reported_once_and_a_true_repetition_twice() {
        let mut sink = Sink::new(Format::OpenAi);
        sink.begin(1);
        sink.recall(said("go on"));
        sink.tell(said("done"));
        sink.begin(2);
        for text in ["go on", "done", "go on"] {
            sink.recall(said(text));
        }
        assert_eq!(sink.transcript.events.len(), 3);
        assert_eq!(sink.transcript.repeated, 2);
    }

    #[test]
    fn an_event_of_a_record_is_not_history_of_the_same_record() {
        let mut sink = Sink::new(Format::OpenAi);
        sink.begin(1);
        sink.tell(said("ok"));
        sink.recall(said("ok"));
        assert_eq!(sink.transcript.events.len(), 2);
    }

    #[test]
    fn events_of_another_conversation_are_reported_again_and_marked() {
        let mut sink = Sink::new(Format::OpenAi);
        sink.begin(1);
        sink.recall(said("go on"));
        sink.conversations.begin();
        sink.begin(2);
        sink.recall(said("go on"));
        sink.recall(said("and on"));
        sink.begin(3);
        sink.recall(said("go on"));
        let counted: Vec<_> = sink.transcript.events.iter().map(|e| e.repeats).collect();
        assert_eq!(counted, [false, true, false]);
        assert_eq!(sink.transcript.repeated, 1);
    }

    #[test]
    fn endless_new_kinds_and_broken_lines_need_little_memory() {
        let mut sink = Sink::new(Format::Codex);
        for n in 0..5000 {
            sink.ignore(&format!("kind{n}"));
            sink.malformed(n);
        }
        assert_eq!(sink.transcript.ignored.count, 5000);
        assert_eq!(sink.transcript.ignored.kinds.len(), Ignored::MAX_KINDS);
        assert_eq!(sink.transcript.malformed.lines.len(), Malformed::MAX_LINES);
    }
}
