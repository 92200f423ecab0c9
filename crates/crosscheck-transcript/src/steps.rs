//! The message of the model that an event is part of.
//!
//! Only the messages show whether the model spoke again: a message that streams
//! over several lines is one message.

use std::collections::HashMap;

use super::Format;
use super::model::LogEntry;

/// The messages of a log, numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Steps {
    last: usize,
    /// By the id that the lines of one message share.
    named: HashMap<String, usize>,
    /// The current message of each conversation.
    of: HashMap<usize, usize>,
    /// The one that the record names.
    stated: Option<usize>,
}

impl Steps {
    /// The next events of this conversation belong to a new message.
    pub(super) fn begin(&mut self, conversation: usize) {
        self.last += 1;
        self.of.insert(conversation, self.last);
    }

    /// The next events name their message.
    pub(super) const fn set(&mut self, step: Option<usize>) {
        self.stated = step;
    }

    /// The message of a record; 0 if unknown.
    pub(super) fn current(&mut self, format: Format, entry: &LogEntry) -> usize {
        match format {
            Format::ClaudeCode => self.named(entry.group.as_deref()),
            Format::OpenAi | Format::Anthropic => {
                let step = self.of.get(&entry.conversation);
                step.copied().unwrap_or_default()
            }
            Format::Calls => self.stated.map_or(0, |step| step.saturating_add(1)),
            Format::Codex | Format::Otel | Format::LangSmith | Format::Mcp => 0,
        }
    }

    fn named(&mut self, id: Option<&str>) -> usize {
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return 0;
        };
        if let Some(step) = self.named.get(id) {
            return *step;
        }
        self.last += 1;
        self.named.insert(id.to_owned(), self.last);
        self.last
    }
}
