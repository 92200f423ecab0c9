//! Whether a conversation continued after a call (trace 14), where the order of
//! the log is the order of events.
//!
//! Conversations, and subagents within one, run in parallel and are judged
//! separately. Words of the user alone end no turn: harnesses write notices
//! under the user's name.

use std::collections::HashMap;

use crosscheck_transcript::{Body, Event, Format, LogEntry, Role, Transcript};

/// When each side of the log continued.
pub(super) struct Turns {
    sides: Vec<Side>,
    /// The side of each event, if it is known.
    side_of: Vec<Option<usize>>,
    /// Whether one message may be on several lines, which share its id.
    streams: bool,
}

#[derive(Default)]
struct Side {
    /// Positions of results and words of the user, ascending.
    returns: Vec<usize>,
    /// The last turn that was completed.
    end: Option<usize>,
    /// The last words of the assistant.
    spoken: Option<usize>,
    /// The last words outside a known message.
    unnamed: Option<usize>,
    /// The last words in a known message, and the last ones in another.
    named: [Option<Said>; 2],
}

/// Something said, and the message it is part of.
#[derive(Clone, Copy)]
struct Said {
    step: usize,
    at: usize,
}

#[expect(
    clippy::indexing_slicing,
    reason = "every event has a side, and every side was made when it was named"
)]
impl Turns {
    pub(super) fn from_log(transcript: &Transcript) -> Self {
        let mut numbers = HashMap::new();
        let mut turns = Self {
            sides: Vec::new(),
            side_of: Vec::new(),
            streams: transcript.format == Format::ClaudeCode,
        };
        for (at, event) in transcript.events.iter().enumerate() {
            let side = side_of(transcript.format, &event.entry).map(|key| {
                let next = turns.sides.len();
                let number = *numbers.entry(key).or_insert(next);
                if number == next {
                    turns.sides.push(Side::default());
                }
                turns.sides[number].note(at, event);
                number
            });
            turns.side_of.push(side);
        }
        turns
    }

    /// Whether the turn of this event is over: it was completed, or the
    /// assistant spoke again. Then an open call stays unanswered.
    pub(super) fn went_on_after(&self, at: usize, event: &Event) -> bool {
        let side = self.side_of[at].map(|side| &self.sides[side]);
        side.is_some_and(|side| {
            // the rest of a message that streams is the same message
            let is_known = self.streams && event.step != 0;
            let last = if is_known { side.unnamed } else { side.spoken };
            side.end > Some(at)
                || side.said_another(event.step) > Some(at)
                || side.spoke_again(at, last)
        })
    }
}

/// Conversation, session and subagent of a record. A file of Claude Code may
/// contain several sessions, and a cut one does not continue in the next. A
/// subagent without a name cannot be told from others.
fn side_of(format: Format, entry: &LogEntry) -> Option<(usize, Option<&str>, Option<&str>)> {
    let session = entry.session.as_deref();
    let session = session.filter(|_| format == Format::ClaudeCode);
    let agent = entry.agent.as_deref().filter(|_| entry.sidechain);
    let is_known = !entry.sidechain || agent.is_some();
    is_known.then_some((entry.conversation, session, agent))
}

impl Side {
    fn note(&mut self, at: usize, event: &Event) {
        match &event.body {
            Body::ToolCall(_) => self.speak(at, event.step),
            Body::ToolResult(_) => self.returns.push(at),
            Body::TurnEnd => self.end = Some(at),
            Body::Message(message) if !message.synthetic => match message.role {
                Role::Assistant => self.speak(at, event.step),
                Role::User => self.returns.push(at),
                Role::System | Role::Tool | Role::Other => {}
            },
            Body::Message(_) | Body::Exit(_) => {}
        }
    }

    fn speak(&mut self, at: usize, step: usize) {
        self.spoken = Some(at);
        if step == 0 {
            self.unnamed = Some(at);
            return;
        }
        let [last, _] = self.named;
        if last.is_some_and(|last| last.step != step) {
            self.named[1] = last;
        }
        self.named[0] = Some(Said { step, at });
    }

    /// When the assistant last spoke in another message than this one.
    fn said_another(&self, step: usize) -> Option<usize> {
        let mut said = self.named.iter().flatten();
        let other = said.find(|said| step != 0 && said.step != step);
        other.map(|said| said.at)
    }

    /// Whether something came back between, and was followed by this.
    fn spoke_again(&self, at: usize, last: Option<usize>) -> bool {
        let next = self.returns.partition_point(|position| *position <= at);
        let back = self.returns.get(next);
        back.is_some_and(|back| Some(*back) < last)
    }
}
