//! The messages of a command, as events for the listener.

use crosscheck_core::listener::Stream;
use crosscheck_core::{Event, Listener};

use crate::status::WorkspaceStatus;

/// Speaks to a listener.
pub(crate) struct Voice<'l> {
    pub(crate) listener: &'l mut dyn Listener,
}

impl<'l> Voice<'l> {
    pub(crate) fn new(listener: &'l mut dyn Listener) -> Self {
        Self { listener }
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
