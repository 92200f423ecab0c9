//! Where the readers put what they find.
//!
//! Logged requests carry the whole conversation each time. What such a record
//! repeats is counted, not told again: the n-th equal item of one record, span
//! or run is a repetition when n equal items were already told before it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crosscheck_core::canonical;
use crosscheck_core::digest::{Digest, Hasher};

use super::model::{Body, Entry, Event, Ignored, Malformed, Position, Transcript};
use super::{Arguments, Format};

/// Longest name of an ignored kind that is kept, in UTF-16 units.
const KIND_MAX: usize = 80;

/// How a record tells an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// For the first time.
    New,
    /// As part of a conversation that earlier records may have told.
    History,
}

#[derive(Debug)]
pub(super) struct Sink {
    pub(super) transcript: Transcript,
    record: usize,
    part: usize,
    entry: Option<Arc<Entry>>,
    /// How often each item was told, by digest.
    told: HashMap<Digest, usize>,
    /// How often each item came in this record, span or run.
    here: HashMap<Digest, usize>,
    /// Ids of calls that were announced before they ended.
    announced: HashSet<String>,
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
                ignored: Ignored::default(),
                malformed: Malformed::default(),
            },
            record: 0,
            part: 0,
            entry: None,
            told: HashMap::new(),
            here: HashMap::new(),
            announced: HashSet::new(),
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

    /// The record, or the span or run in it that follows, says this about itself.
    pub(super) fn enter(&mut self, entry: Entry) {
        self.here.clear();
        self.note(entry);
    }

    fn note(&mut self, entry: Entry) {
        let entry = Arc::new(Entry {
            record: self.record,
            ..entry
        });
        self.transcript.entries.push(Arc::clone(&entry));
        self.entry = Some(entry);
    }

    /// Something the log says, new or perhaps told before.
    pub(super) fn put(&mut self, telling: Telling, body: Body) {
        match telling {
            Telling::New => self.tell(body),
            Telling::History => self.recall(body),
        }
    }

    /// Something the log says for the first time.
    pub(super) fn tell(&mut self, body: Body) {
        if self.repeats_history() {
            let key = key(&body);
            *self.told.entry(key).or_default() += 1;
            // what a record tells itself must not count again as its history
            *self.here.entry(key).or_default() += 1;
        }
        self.push(body);
    }

    /// Something that may be the history of the conversation, told before.
    pub(super) fn recall(&mut self, body: Body) {
        let key = key(&body);
        let here = self.here.entry(key).or_default();
        *here += 1;
        let told = self.told.entry(key).or_default();
        if *here <= *told {
            self.transcript.repeated += 1;
        } else {
            *told = *here;
            self.push(body);
        }
    }

    /// Whether this id was not announced before.
    pub(super) fn announce(&mut self, id: &str) -> bool {
        self.announced.insert(id.to_owned())
    }

    /// Something without use for us; `kind` is the format's own word.
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

    /// This line is no JSON.
    pub(super) fn malformed(&mut self, line: usize) {
        self.transcript.records += 1;
        let malformed = &mut self.transcript.malformed;
        malformed.count += 1;
        if malformed.lines.len() < Malformed::MAX_LINES {
            malformed.lines.push(line);
        }
    }

    fn push(&mut self, body: Body) {
        if self.entry.is_none() {
            self.note(Entry::default());
        }
        if let Some(entry) = &self.entry {
            self.transcript.events.push(Event {
                position: Position {
                    record: self.record,
                    part: self.part,
                },
                entry: Arc::clone(entry),
                body,
            });
            self.part += 1;
        }
    }

    const fn repeats_history(&self) -> bool {
        match self.transcript.format {
            Format::ClaudeCode | Format::Codex => false,
            Format::OpenAi | Format::Anthropic | Format::Otel | Format::LangSmith => true,
        }
    }
}

/// Equal for items that say the same; a digest, so that nobody can hide a
/// call behind another one.
fn key(body: &Body) -> Digest {
    let mut hasher = Hasher::new();
    let mut field = |text: &str| {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text);
    };
    match body {
        Body::ToolCall(call) => {
            field("call");
            field(&format!("{:?}", call.witness));
            field(&format!("{:?}", call.id));
            field(&call.name);
            match &call.arguments {
                Arguments::Json(json) => field(&canonical::of_node(json.root())),
                Arguments::Text(text) => field(text),
                Arguments::Absent => {}
            }
        }
        Body::ToolResult(result) => {
            field("result");
            field(&format!("{:?}", result.witness));
            field(&format!("{:?}", result.call_id));
            field(&result.content);
            field(if result.is_error { "failed" } else { "" });
        }
        Body::Message(message) => {
            field("message");
            field(&format!("{:?}", message.role));
            field(&message.text);
        }
        Body::Exit(exit) => {
            field("exit");
            field(&format!("{exit:?}"));
        }
    }
    hasher.finish()
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
    fn history_is_told_once_and_a_true_repetition_twice() {
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
    fn what_a_record_says_is_no_history_of_the_same_record() {
        let mut sink = Sink::new(Format::OpenAi);
        sink.begin(1);
        sink.tell(said("ok"));
        sink.recall(said("ok"));
        assert_eq!(sink.transcript.events.len(), 2);
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
