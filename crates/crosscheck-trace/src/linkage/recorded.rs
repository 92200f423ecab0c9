//! What each conversation of a log records: the messages of its models, the
//! executions of its tools, or both. What it does not record is not judged.

use std::collections::{HashMap, HashSet};

use crosscheck_transcript::{LogEntry, Transcript, Witness};

use super::nameless::is_lookup;
use super::threads::Thread;
use super::times::{Clock, Moment};

pub(super) struct Recorded {
    /// Conversations with executions that a model may have requested.
    executed: HashSet<usize>,
    /// Conversations with calls of a model, and whether all were kept whole.
    heard: HashMap<usize, bool>,
    /// When the first of those calls began, by each clock.
    begun: HashMap<(usize, Clock), i128>,
}

impl Recorded {
    pub(super) fn of(transcript: &Transcript, threads: &[Thread<'_>]) -> Self {
        let is_executed = |thread: &&Thread<'_>| {
            let execution = thread.call(Witness::Tool);
            execution.is_some_and(|(_, event, call)| !is_lookup(event, call))
        };
        let mut heard = HashMap::new();
        let mut begun = HashMap::new();
        for entry in &transcript.entries {
            if let Some(is_heard) = entry.heard {
                *heard.entry(entry.conversation).or_insert(true) &= is_heard;
                if let Some(moment) = began(entry) {
                    let first = begun.entry((entry.conversation, moment.clock));
                    let first = first.or_insert(moment.at);
                    *first = moment.at.min(*first);
                }
            }
        }
        Self {
            executed: threads
                .iter()
                .filter(is_executed)
                .map(|thread| thread.conversation)
                .collect(),
            heard,
            begun,
        }
    }

    /// Whether an execution would be recorded.
    pub(super) fn executions(&self, conversation: usize) -> bool {
        self.executed.contains(&conversation)
    }

    /// Whether the request of an execution would be recorded. What was executed
    /// before all recorded model calls was requested before the log began.
    pub(super) fn requests(&self, conversation: usize, executed: &LogEntry) -> bool {
        let is_heard = self.heard.get(&conversation).copied().unwrap_or_default();
        let is_behind = began(executed).is_some_and(|moment| {
            let first = self.begun.get(&(conversation, moment.clock));
            first.is_some_and(|first| *first <= moment.at)
        });
        is_heard && is_behind
    }
}

fn began(entry: &LogEntry) -> Option<Moment> {
    Moment::of(entry.started.as_deref()?)
}
