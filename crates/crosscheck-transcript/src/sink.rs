//! Collects the results of the readers.
//!
//! Logged requests carry the whole conversation each time. Repeated parts are
//! counted, not reported again: the n-th equal item of one record, span or run
//! is a repetition if n equal items were already reported before it.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use crosscheck_core::canonical::{self, Style};

use super::Format;
use super::conversations::{Conversations, Marks, Name};
use super::mcp::Requests;
use super::model::{Arguments, Body, Event, Transcript};

/// How a record reports an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// It happened in this record.
    New,
    /// It is part of the conversation before this record; earlier records may
    /// have reported it.
    History,
    /// This record summarises others, as the span of an agent does.
    Summary,
}

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

#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) transcript: Transcript,
    record: usize,
    /// The message of the model that the record names; else 0.
    step: usize,
    /// The messages that records named, numbered from 1.
    messages: HashMap<String, usize>,
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
}

impl Sink {
    pub(super) fn new(format: Format) -> Self {
        Self {
            transcript: Transcript {
                format,
                ..Transcript::default()
            },
            ..Self::default()
        }
    }

    /// A new record begins here.
    pub(super) fn begin(&mut self, record: usize) {
        self.record = record;
        self.step = 0;
        self.here.clear();
    }

    /// The next span or run of a record, which belongs to the conversation of
    /// its trace; those without a trace id share one trace.
    pub(super) fn enter_trace(&mut self, trace: Option<String>) {
        self.conversations.join(Marks {
            names: vec![Name::Trace(trace.unwrap_or_default())],
            ..Marks::default()
        });
        self.here.clear();
    }

    /// A request or response, whose items repeat none of each other.
    pub(super) fn enter(&mut self, marks: Marks) {
        self.conversations.join(marks);
        self.here.clear();
    }

    /// The record numbers its message.
    pub(super) const fn set_step(&mut self, step: usize) {
        self.step = step.saturating_add(1);
    }

    /// The record is part of the message of this name.
    pub(super) fn set_message(&mut self, id: &str) {
        let next = self.messages.len() + 1;
        self.step = match self.messages.get(id) {
            Some(known) => *known,
            None => *self.messages.entry(id.to_owned()).or_insert(next),
        };
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
        self.push(body, false);
    }

    /// Something that was announced.
    pub(super) fn tell_news(&mut self, news: News, body: Body) {
        self.push(body, news == News::FirstHere);
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
            return;
        }
        *in_it = here;
        *count = here.max(*count);
        self.push(body, is_known);
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
        self.push(body, is_known);
    }

    /// Whether a history that another conversation reported can only belong to
    /// that one. Requests carry their whole history, and the answers in a trace
    /// may be its own, because its call ids may equal others.
    const fn is_of_an_earlier_trace(&self, body: &Body) -> bool {
        matches!(self.transcript.format, Format::Otel | Format::LangSmith)
            && !matches!(body, Body::ToolResult(_))
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

    /// An item that is not used.
    pub(super) const fn ignore(&mut self) {
        self.transcript.ignored += 1;
    }

    /// This record may be a call, and nobody can say which.
    pub(super) fn unknown(&mut self) {
        self.transcript.unknown.add(self.record);
    }

    fn push(&mut self, body: Body, repeats: bool) {
        self.transcript.events.push(Event {
            record: self.record,
            conversation: self.conversations.current(),
            step: self.step,
            repeats,
            body,
        });
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
            // only sessions of harnesses have these, and repeat nothing
            Body::Exit(_) | Body::TurnEnd => {}
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
    use super::super::model::{Malformed, Message, Role};
    use super::*;

    fn said(text: &str) -> Body {
        Body::Message(Message {
            role: Role::User,
            text: text.to_owned(),
            synthetic: false,
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
    }

    #[test]
    fn endless_broken_lines_need_little_memory() {
        let mut lines = Malformed::default();
        for n in 0..5000 {
            lines.add(n);
        }
        assert_eq!(
            (lines.count, lines.lines.len()),
            (5000, Malformed::MAX_LINES)
        );
    }
}
