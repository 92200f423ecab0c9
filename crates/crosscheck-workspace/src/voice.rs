//! The messages of a command: events for the listener, and in a run the journal
//! of all prompts and answers.

use crosscheck_core::listener::Stream;
use crosscheck_core::{Event, Listener};

use crate::journal::Journal;
use crate::status::WorkspaceStatus;

/// A listener, and the journal of a run.
pub(crate) struct Voice<'l> {
    pub(crate) listener: &'l mut dyn Listener,
    journal: Option<Journal>,
}

impl<'l> Voice<'l> {
    pub(crate) fn new(listener: &'l mut dyn Listener) -> Self {
        Self {
            listener,
            journal: None,
        }
    }

    /// From now on, prompts and answers are written to the journal.
    pub(crate) fn keep(&mut self, journal: Journal) {
        self.journal = Some(journal);
    }

    /// Writes to the journal, in a run.
    pub(crate) fn note(&mut self, heading: &str, text: impl FnOnce() -> String) {
        if let Some(journal) = &mut self.journal {
            journal.note(heading, &text());
        }
    }

    /// Text of the contract for standard output.
    pub(crate) fn say(&mut self, text: &str) {
        self.listener.hear(Event::Text(text));
    }

    /// A status line of the contract for standard output.
    pub(crate) fn status(&mut self, unit: &str, status: WorkspaceStatus, text: &str) {
        self.listener.hear(Event::Judged {
            unit,
            verdict: status.into(),
            text: &[text],
        });
    }

    pub(crate) fn warn(&mut self, text: &str) {
        self.listener.hear(Event::Warning(text));
    }

    /// A note for people at a terminal.
    pub(crate) fn remark(&mut self, text: &str) {
        self.listener.hear(Event::Note(text));
    }

    /// A note for verbose output.
    pub(crate) fn detail(&mut self, text: &str) {
        self.listener.hear(Event::Step(text));
    }

    /// The output of the LLM.
    pub(crate) fn llm(&mut self, stream: Stream, text: &str) {
        if !text.is_empty() {
            let bytes = text.as_bytes();
            self.listener.hear(Event::Output { stream, bytes });
        }
    }
}
