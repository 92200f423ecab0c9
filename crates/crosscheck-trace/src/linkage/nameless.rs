//! Executions that do not name their call.

use std::collections::HashMap;

use crosscheck_transcript::{Event, ToolCall, Transcript, Witness};

use super::names::Names;
use super::threads::named;

/// Whether the id of an execution is only that of its own record, because the
/// log did not keep the id of the call.
pub(super) fn is_nameless(event: &Event, call: &ToolCall) -> bool {
    call.id.is_some() && call.id == event.entry.id
}

/// Whether this is a run of a retriever. Chains call those themselves, so it
/// never counts as the execution of a request.
pub(super) fn is_lookup(event: &Event, call: &ToolCall) -> bool {
    event.entry.kind == "retriever" && is_nameless(event, call)
}

/// Executions that do not name their call, by trace. Each may belong to one
/// request, and to no more.
#[derive(Default)]
pub(super) struct Excuses<'t> {
    /// Runs, which may also be the missing answer.
    runs: HashMap<Option<&'t str>, usize>,
    /// Spans.
    spans: HashMap<Option<&'t str>, usize>,
}

impl<'t> Excuses<'t> {
    pub(super) fn of(transcript: &'t Transcript, names: &Names<'t>) -> Self {
        let mut excuses = Self::default();
        for (event, call) in transcript.calls() {
            let pool = if call.witness == Witness::Model || is_lookup(event, call) {
                continue;
            } else if named(call.id.as_ref()).is_none() {
                &mut excuses.spans
            } else if !is_nameless(event, call) || names.knows(call) {
                continue;
            } else if event.entry.kind == "tool" {
                &mut excuses.runs
            } else {
                &mut excuses.spans
            };
            *pool.entry(event.entry.group.as_deref()).or_default() += 1;
        }
        excuses
    }

    /// Uses up one execution that may have answered this request.
    pub(super) fn answer(&mut self, asked: &'t Event) -> bool {
        take(&mut self.runs, asked)
    }

    /// Uses up one execution that may be that of this request.
    pub(super) fn execution(&mut self, asked: &'t Event) -> bool {
        take(&mut self.runs, asked) || take(&mut self.spans, asked)
    }
}

fn take<'t>(pool: &mut HashMap<Option<&'t str>, usize>, asked: &'t Event) -> bool {
    match pool.get_mut(&asked.entry.group.as_deref()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}
