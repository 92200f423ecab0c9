//! Whether a conversation went on after a call: by the order of the log, where
//! that is the order of what happened, else by the times of its records.
//!
//! Conversations, and subagents within one, work side by side: what one of them
//! hears and says is nothing to the others, nor to the one that started it.

use std::collections::HashMap;

use crosscheck_ground::transcript::{Body, Entry, Event, Role, Transcript, Witness};

use super::times::{Clock, Moment};

/// When each speaker went on after something came back to it.
pub(super) struct Turns {
    sides: Vec<Side>,
    /// The side of each event.
    side_of: Vec<usize>,
}

#[derive(Default)]
struct Side {
    /// Positions of results and words of the user, ascending.
    returns: Vec<usize>,
    last_assistant: usize,
}

impl Turns {
    pub(super) fn of(transcript: &Transcript) -> Self {
        let agents = Agents::of(transcript);
        let mut numbers: HashMap<(usize, Option<&str>), usize> = HashMap::new();
        let mut turns = Self {
            sides: Vec::new(),
            side_of: Vec::new(),
        };
        for (at, event) in transcript.events.iter().enumerate() {
            let next = numbers.len();
            let key = (event.entry.conversation, agents.of_entry(&event.entry));
            let number = *numbers.entry(key).or_insert(next);
            if number == next {
                turns.sides.push(Side::default());
            }
            turns.side_of.push(number);
            if let Some(side) = turns.sides.get_mut(number) {
                side.note(at, &event.body);
            }
        }
        turns
    }

    /// Whether, after this event, something came back and the assistant spoke
    /// again: then the turn is over, and an open call stays unanswered.
    pub(super) fn went_on_after(&self, at: usize) -> bool {
        let side = self.side_of.get(at).and_then(|side| self.sides.get(*side));
        side.is_some_and(|side| {
            let next = side.returns.partition_point(|position| *position <= at);
            side.returns
                .get(next)
                .is_some_and(|back| *back < side.last_assistant)
        })
    }
}

impl Side {
    fn note(&mut self, at: usize, body: &Body) {
        match body {
            Body::ToolCall(_) => self.last_assistant = at,
            Body::ToolResult(_) => self.returns.push(at),
            Body::Message(message) if !message.synthetic => match message.role {
                Role::Assistant => self.last_assistant = at,
                Role::User => self.returns.push(at),
                Role::System | Role::Tool | Role::Other => {}
            },
            Body::Message(_) | Body::Exit(_) => {}
        }
    }
}

/// Which subagent a record belongs to: the one it names, or that of the record
/// it follows. A record that follows nothing known is the first of its own.
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
    fn of_entry(&self, entry: &'t Entry) -> Option<&'t str> {
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

/// When the model was last told a result, in each part of each trace. Records
/// that are written when they end have no order but their times.
pub(super) struct Beside<'t> {
    told: HashMap<Part<'t>, i128>,
}

/// What lies below one record of one trace, by one clock.
type Part<'t> = (Option<&'t str>, &'t str, Clock);

impl<'t> Beside<'t> {
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let mut told = HashMap::new();
        for (event, result) in transcript.results() {
            if result.witness == Witness::Model
                && let Some((part, at)) = part(event)
            {
                let last = told.entry(part).or_insert(at);
                *last = at.max(*last);
            }
        }
        Self { told }
    }

    /// Whether the model was told other results later, in the conversation
    /// that this request belongs to.
    pub(super) fn went_on_after(&self, asked: &'t Event) -> bool {
        part(asked).is_some_and(|(part, at)| self.told.get(&part).is_some_and(|last| *last > at))
    }
}

fn part(event: &Event) -> Option<(Part<'_>, i128)> {
    let entry = &event.entry;
    let moment = Moment::of(entry.started.as_deref()?)?;
    let part = (
        entry.group.as_deref(),
        entry.parent.as_deref()?,
        moment.clock,
    );
    Some((part, moment.at))
}
