//! What each conversation of a log records: the words of its models, the
//! executions of its tools, both, or one of them. What it does not record, it
//! says nothing about, and no other conversation does.

use std::collections::{HashMap, HashSet};

use crosscheck_ground::transcript::{Transcript, Witness};

use super::nameless::is_lookup;
use super::threads::Thread;

pub(super) struct Recorded {
    /// Conversations with executions of what a model may have asked for.
    executed: HashSet<usize>,
    /// Conversations with calls of a model, and whether all were kept whole.
    heard: HashMap<usize, bool>,
}

impl Recorded {
    pub(super) fn of(transcript: &Transcript, threads: &[Thread<'_>]) -> Self {
        let is_executed = |thread: &&Thread<'_>| {
            let execution = thread.call(Witness::Tool);
            execution.is_some_and(|(_, event, call)| !is_lookup(event, call))
        };
        let mut heard = HashMap::new();
        for entry in &transcript.entries {
            if let Some(is_heard) = entry.heard {
                *heard.entry(entry.conversation).or_insert(true) &= is_heard;
            }
        }
        Self {
            executed: threads
                .iter()
                .filter(is_executed)
                .map(|thread| thread.conversation)
                .collect(),
            heard,
        }
    }

    /// Whether an execution would be there to see.
    pub(super) fn executions(&self, conversation: usize) -> bool {
        self.executed.contains(&conversation)
    }

    /// Whether a request would be there to see.
    pub(super) fn requests(&self, conversation: usize) -> bool {
        self.heard.get(&conversation).copied().unwrap_or_default()
    }
}
