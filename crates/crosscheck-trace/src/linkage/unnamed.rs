//! Calls and results without an id, as in old logs: only the order, and the
//! tool name if given, says which belong together.

use std::collections::{HashMap, VecDeque};

use crosscheck_transcript::{Body, Event, Telling, ToolResult, Transcript, Witness};

use super::threads::{Asked, is_misplaced, named};

/// The rest after each result has taken the first call that it can answer, in
/// its own conversation if there is one.
#[derive(Default)]
pub(super) struct Unnamed<'t> {
    calls: Vec<(Asked<'t>, bool)>,
    /// Waiting calls by conversation and by tool, and without either.
    waiting: HashMap<Queue<'t>, VecDeque<usize>>,
    /// Results without a call.
    pub(super) orphans: Vec<&'t Event>,
}

type Queue<'t> = (Option<usize>, Option<&'t str>);

impl<'t> Unnamed<'t> {
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let mut unnamed = Self::default();
        for (at, event) in transcript.events.iter().enumerate() {
            if is_misplaced(transcript.format, event) || event.telling == Telling::Summary {
                continue;
            }
            match &event.body {
                Body::ToolCall(call) if named(call.id.as_ref()).is_none() => {
                    unnamed.wait((at, event, call));
                }
                Body::ToolResult(result) if named(result.call_id.as_ref()).is_none() => {
                    unnamed.answer(event, result);
                }
                _ => {}
            }
        }
        unnamed
    }

    /// Calls of the model that no result has answered.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = Asked<'t>> {
        let open = self.calls.iter().filter(|(_, is_answered)| !is_answered);
        let calls = open.map(|(placed, _)| *placed);
        calls.filter(|(_, _, call)| call.witness == Witness::Model)
    }

    fn wait(&mut self, placed: Asked<'t>) {
        let (_, event, call) = placed;
        let here = Some(event.entry.conversation);
        for conversation in [here, None] {
            for tool in [Some(call.name.as_str()), None] {
                let queue = self.waiting.entry((conversation, tool)).or_default();
                queue.push_back(self.calls.len());
            }
        }
        self.calls.push((placed, false));
    }

    fn answer(&mut self, event: &'t Event, result: &'t ToolResult) {
        let tool = result.tool.as_deref();
        let here = Some(event.entry.conversation);
        if !self.take((here, tool)) && !self.take((None, tool)) {
            self.orphans.push(event);
        }
    }

    /// Takes the first waiting call of a queue.
    fn take(&mut self, queue: Queue<'t>) -> bool {
        let Some(queue) = self.waiting.get_mut(&queue) else {
            return false;
        };
        while let Some(nth) = queue.pop_front() {
            if let Some((_, is_answered)) = self.calls.get_mut(nth)
                && !*is_answered
            {
                *is_answered = true;
                return true;
            }
        }
        false
    }
}
