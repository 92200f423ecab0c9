//! Whether a conversation continued after a call (trace 14), where the order of
//! the log is the order of events.
//!
//! Conversations, and subagents within one, run in parallel and are judged
//! separately.

use std::collections::{HashMap, HashSet};

use crosscheck_transcript::{Body, Event, Format, LogEntry, Role, ToolResult, Transcript};

/// When each side of the log continued.
pub(super) struct Turns {
    sides: Vec<Side>,
    /// The side of each event.
    side_of: Vec<usize>,
    /// Whether one message may be on several lines, which share its id.
    streams: bool,
}

#[derive(Default)]
struct Side {
    /// Positions of results and words of the user, ascending.
    returns: Vec<usize>,
    /// The last words that begin a turn.
    prompt: Option<usize>,
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

impl Turns {
    pub(super) fn of(transcript: &Transcript) -> Self {
        let agents = Agents::of(transcript);
        let mut sessions = Sessions::default();
        let prompts = Prompts::of(transcript);
        let mut numbers = HashMap::new();
        let mut turns = Self {
            sides: Vec::new(),
            side_of: Vec::new(),
            streams: transcript.format == Format::ClaudeCode,
        };
        for (at, event) in transcript.events.iter().enumerate() {
            let next = numbers.len();
            let entry = &event.entry;
            let session = sessions.of_entry(transcript.format, entry);
            let key = (entry.conversation, session, agents.of_entry(entry));
            let number = *numbers.entry(key).or_insert(next);
            if number == next {
                turns.sides.push(Side::default());
            }
            turns.side_of.push(number);
            if let Some(side) = turns.sides.get_mut(number) {
                side.note(at, event, &prompts);
            }
        }
        turns
    }

    /// Whether the turn of this event is over: it was completed, another one
    /// began, or the assistant spoke again. Then an open call stays unanswered.
    pub(super) fn went_on_after(&self, at: usize, event: &Event) -> bool {
        let side = self.side_of.get(at).and_then(|side| self.sides.get(*side));
        side.is_some_and(|side| {
            let is_over = side.end.max(side.prompt) > Some(at);
            is_over || side.said_another(event.step) > Some(at) || {
                // the rest of a message that streams is the same message
                let is_known = self.streams && event.step != 0;
                let last = if is_known { side.unnamed } else { side.spoken };
                side.spoke_again(at, last)
            }
        })
    }
}

impl Side {
    fn note(&mut self, at: usize, event: &Event, prompts: &Prompts) {
        match &event.body {
            Body::ToolCall(_) => self.speak(at, event.step),
            Body::ToolResult(_) => self.returns.push(at),
            Body::TurnEnd => self.end = Some(at),
            Body::Message(message) if !message.synthetic => match message.role {
                Role::Assistant => self.speak(at, event.step),
                Role::User => {
                    self.returns.push(at);
                    if prompts.has(event, &message.text) {
                        self.prompt = Some(at);
                    }
                }
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

/// Which words of the user begin a turn. Harnesses write their own notices
/// under the user's name, and pass on what was typed during a turn.
struct Prompts {
    format: Format,
    /// Records of the harness that bring results.
    answers: HashSet<usize>,
}

impl Prompts {
    fn of(transcript: &Transcript) -> Self {
        let answers = match transcript.format {
            Format::ClaudeCode => transcript.results().collect(),
            _ => Vec::new(),
        };
        let record = |(event, _): &(&Event, &ToolResult)| event.position.record;
        Self {
            format: transcript.format,
            answers: answers.iter().map(record).collect(),
        }
    }

    fn has(&self, event: &Event, words: &str) -> bool {
        let words = words.trim_start();
        let is_notice = words.starts_with('<') || words.starts_with("[Request interrupted");
        match self.format {
            Format::ClaudeCode => {
                let beside_answer = self.answers.contains(&event.position.record);
                event.entry.kind == "user" && !beside_answer && !is_notice
            }
            Format::Codex => !is_notice,
            Format::OpenAi
            | Format::Anthropic
            | Format::Otel
            | Format::LangSmith
            | Format::Mcp
            | Format::Calls => true,
        }
    }
}

/// The session of a record: files of Claude Code may contain several, and a cut
/// one does not continue in the next.
#[derive(Default)]
struct Sessions<'t> {
    last: Option<&'t str>,
}

impl<'t> Sessions<'t> {
    fn of_entry(&mut self, format: Format, entry: &'t LogEntry) -> Option<&'t str> {
        if format != Format::ClaudeCode {
            return None;
        }
        self.last = entry.session.as_deref().or(self.last);
        self.last
    }
}

/// The subagent of a record: the one it names, or that of the record it
/// follows. A record without a known predecessor is the first of its own.
struct Agents<'t> {
    known: HashMap<&'t str, &'t str>,
}

impl<'t> Agents<'t> {
    fn of(transcript: &'t Transcript) -> Self {
        let mut agents = Self {
            known: HashMap::new(),
        };
        for entry in &transcript.entries {
            if let (Some(agent), Some(id)) = (agents.of_entry(entry), entry.id.as_deref()) {
                agents.known.entry(id).or_insert(agent);
            }
        }
        agents
    }

    /// `None` for the main conversation.
    fn of_entry(&self, entry: &'t LogEntry) -> Option<&'t str> {
        if !entry.sidechain {
            return None;
        }
        let known = |id: &Option<String>| self.known.get(id.as_deref()?).copied();
        let named = entry.agent.as_deref();
        let agent = named.or_else(|| known(&entry.id));
        let agent = agent.or_else(|| known(&entry.parent));
        agent.or(entry.id.as_deref()).or(Some(""))
    }
}
