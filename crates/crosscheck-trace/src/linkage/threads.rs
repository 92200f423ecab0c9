//! What a log says of each call, gathered by the id of the call.

use std::collections::HashMap;

use crosscheck_ground::transcript::{
    Body, Event, Format, ToolCall, ToolResult, Transcript, Witness,
};

/// Everything the log says about one call.
pub(super) struct Thread<'t> {
    pub(super) id: &'t str,
    /// Each with its place among the events.
    pub(super) calls: Vec<(usize, &'t Event, &'t ToolCall)>,
    pub(super) results: Vec<(usize, &'t Event, &'t ToolResult)>,
    /// What went wrong behind the call. A sandbox may refuse the first try, so
    /// there may be several ends; one without a fault is enough.
    pub(super) fault: Option<String>,
    ended: bool,
}

impl<'t> Thread<'t> {
    const fn new(id: &'t str) -> Self {
        Self {
            id,
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
pub(super) fn threads(transcript: &Transcript) -> Vec<Thread<'_>> {
    let mut gathered = Gathered::default();
    for (at, event) in transcript.events.iter().enumerate() {
        gathered.note(transcript.format, at, event);
    }
    // an end may be written before the call it belongs to
    for event in &transcript.events {
        if let Body::Exit(exit) = &event.body {
            let place = exit.call_id.as_deref().and_then(|id| gathered.of.get(id));
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
    /// Where the thread of an id is.
    of: HashMap<&'t str, usize>,
    /// The line that first told something of a call, by the id of its record.
    told: HashMap<(usize, &'t str, bool), usize>,
}

impl<'t> Gathered<'t> {
    fn note(&mut self, format: Format, at: usize, event: &'t Event) {
        let (id, is_result) = match &event.body {
            Body::ToolCall(call) => (call.id.as_deref(), false),
            Body::ToolResult(result) => (result.call_id.as_deref(), true),
            Body::Message(_) | Body::Exit(_) => return,
        };
        let Some(id) = id.filter(|_| !is_misplaced(format, event)) else {
            return;
        };
        let next = self.threads.len();
        let place = *self.of.entry(id).or_insert(next);
        if place == next {
            self.threads.push(Thread::new(id));
        }
        if format == Format::ClaudeCode && self.is_again(place, is_result, event) {
            return;
        }
        if let Some(thread) = self.threads.get_mut(place) {
            match &event.body {
                Body::ToolCall(call) => thread.calls.push((at, event, call)),
                Body::ToolResult(result) => thread.results.push((at, event, result)),
                Body::Message(_) | Body::Exit(_) => {}
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

/// Whether a call stands where only the user writes, or a result where only
/// the model does: then it is neither.
pub(super) fn is_misplaced(format: Format, event: &Event) -> bool {
    let writer = match &event.body {
        Body::ToolCall(_) => "assistant",
        Body::ToolResult(_) => "user",
        Body::Message(_) | Body::Exit(_) => return false,
    };
    format == Format::ClaudeCode && event.entry.kind != writer
}
