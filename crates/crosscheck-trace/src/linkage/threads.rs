//! What a log says of each call, gathered by conversation and id of the call.

use std::collections::{HashMap, HashSet};

use crosscheck_ground::transcript::{
    Body, Event, Format, Role, ToolCall, ToolResult, Transcript, Witness,
};

use super::names::Names;

/// Everything the log says about one call.
pub(super) struct Thread<'t> {
    pub(super) id: &'t str,
    /// The conversation it belongs to.
    pub(super) conversation: usize,
    /// Each with its place among the events.
    pub(super) calls: Vec<(usize, &'t Event, &'t ToolCall)>,
    pub(super) results: Vec<(usize, &'t Event, &'t ToolResult)>,
    /// What went wrong behind the call. A sandbox may refuse the first try, so
    /// there may be several ends; one without a fault is enough.
    pub(super) fault: Option<String>,
    ended: bool,
}

impl<'t> Thread<'t> {
    const fn new(id: &'t str, conversation: usize) -> Self {
        Self {
            id,
            conversation,
            calls: Vec::new(),
            results: Vec::new(),
            fault: None,
            ended: false,
        }
    }

    pub(super) fn call(&self, witness: Witness) -> Option<&(usize, &'t Event, &'t ToolCall)> {
        self.calls
            .iter()
            .find(|(_, _, call)| call.witness == witness)
    }

    pub(super) fn result(&self, witness: Witness) -> Option<&(usize, &'t Event, &'t ToolResult)> {
        self.results
            .iter()
            .find(|(_, _, result)| result.witness == witness)
    }

    fn end(&mut self, fault: Option<String>) {
        let is_again = std::mem::replace(&mut self.ended, true);
        let before = self.fault.take();
        self.fault = if is_again { before.and(fault) } else { fault };
    }
}

/// The calls of a log in order of their first appearance.
pub(super) fn threads<'t>(transcript: &'t Transcript, names: &Names<'t>) -> Vec<Thread<'t>> {
    let mut gathered = Gathered {
        homes: Homes::of(transcript),
        ..Gathered::default()
    };
    for (at, event) in transcript.events.iter().enumerate() {
        gathered.note(transcript.format, at, event, names);
    }
    // an end may be written before the call it belongs to
    for event in &transcript.events {
        if let Body::Exit(exit) = &event.body {
            let id = named(exit.call_id.as_ref());
            let key = id.map(|id| (event.entry.conversation, id));
            let place = key.and_then(|key| gathered.of.get(&key));
            if let Some(thread) = place.and_then(|place| gathered.threads.get_mut(*place)) {
                thread.end(exit.fault());
            }
        }
    }
    gathered.threads
}

#[derive(Default)]
struct Gathered<'t> {
    threads: Vec<Thread<'t>>,
    /// Where the thread of an id in a conversation is.
    of: HashMap<(usize, &'t str), usize>,
    homes: Homes<'t>,
    /// The line that first told something of a call, by the id of its record.
    told: HashMap<(usize, &'t str, bool), usize>,
}

impl<'t> Gathered<'t> {
    fn note(&mut self, format: Format, at: usize, event: &'t Event, names: &Names<'t>) {
        let (id, is_result) = match &event.body {
            Body::ToolCall(call) => (named(call.id.as_ref()), false),
            Body::ToolResult(result) => (named(result.call_id.as_ref()), true),
            _ => return,
        };
        let Some(id) = id.filter(|_| !is_misplaced(format, event)) else {
            return;
        };
        let id = names.meant(id);
        let next = self.threads.len();
        let conversation = self.homes.find(event, id);
        let place = *self.of.entry((conversation, id)).or_insert(next);
        if place == next {
            self.threads.push(Thread::new(id, conversation));
        }
        if format == Format::ClaudeCode && self.is_again(place, is_result, event) {
            return;
        }
        if let Some(thread) = self.threads.get_mut(place) {
            match &event.body {
                Body::ToolCall(call) => thread.calls.push((at, event, call)),
                Body::ToolResult(result) => thread.results.push((at, event, result)),
                _ => {}
            }
        }
    }

    /// Whether this stands in a record that was written twice, as happens
    /// while a message is streamed.
    fn is_again(&mut self, place: usize, is_result: bool, event: &'t Event) -> bool {
        event.entry.id.as_deref().is_some_and(|record| {
            let first = *self
                .told
                .entry((place, record, is_result))
                .or_insert(event.entry.record);
            first != event.entry.record
        })
    }
}

/// Where the model asked for each id. What has no request in its own
/// conversation belongs to the one that has: turns of one conversation may be
/// traces of their own, and executions are sometimes traced apart.
#[derive(Default)]
struct Homes<'t> {
    asked: HashSet<(usize, &'t str)>,
    /// The last one so far, at first the first.
    any: HashMap<&'t str, usize>,
}

impl<'t> Homes<'t> {
    fn of(transcript: &'t Transcript) -> Self {
        let mut homes = Self::default();
        for (event, call) in transcript.calls() {
            if call.witness == Witness::Model
                && let Some(id) = named(call.id.as_ref())
            {
                homes.asked.insert((event.entry.conversation, id));
                homes.any.entry(id).or_insert(event.entry.conversation);
            }
        }
        homes
    }

    fn find(&mut self, event: &Event, id: &'t str) -> usize {
        let own = event.entry.conversation;
        if self.asked.contains(&(own, id)) {
            self.any.insert(id, own);
            return own;
        }
        self.any.get(id).copied().unwrap_or(own)
    }
}

/// An id that names something; an empty one is none.
pub(super) fn named(id: Option<&String>) -> Option<&str> {
    id.map(String::as_str).filter(|id| !id.is_empty())
}

/// Whether a call stands where only the user writes, or a result where only
/// the model does: then it is neither.
pub(super) fn is_misplaced(format: Format, event: &Event) -> bool {
    let (writer, other) = match &event.body {
        Body::ToolCall(_) => ("assistant", Role::User),
        Body::ToolResult(_) => ("user", Role::Assistant),
        _ => return false,
    };
    match format {
        Format::ClaudeCode => event.entry.kind != writer,
        _ => event.writer == Some(other),
    }
}
