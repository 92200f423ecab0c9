//! Events that are made of the calls of an agent's log. They are kept in a
//! nameless file of events, each with what the tool answered behind its
//! parameters, so that everything else reads them as it reads an events file.
//!
//! Contract: check 5.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use crosscheck_core::canonical;
use crosscheck_core::json::Node;

use super::event::{Body, Event, ID_MAX};
use super::log::{Index, Log};
use crate::read::Answer;

/// The text between the parameters and the result of such an event.
pub(super) const RESULT: &[u8] = b",\"result\":";

/// What became of the calls of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallCounts {
    /// All calls.
    pub total: usize,
    /// Calls that failed and claim nothing.
    pub failed: usize,
    /// Calls that cannot be read.
    pub unreadable: usize,
    /// Calls of tools whose entry says that they read.
    pub reads: usize,
    /// Calls that later ones replaced.
    pub superseded: usize,
}

/// Writes the events, call by call.
pub(crate) struct CallEvents<'a> {
    index: Index<'a>,
    file: BufWriter<File>,
    offset: u64,
    pub(crate) counts: CallCounts,
}

impl<'a> CallEvents<'a> {
    pub(crate) fn new(workflow_id: &'a str) -> io::Result<Self> {
        Ok(Self {
            index: Index::new(workflow_id),
            file: BufWriter::new(tempfile::tempfile()?),
            offset: 0,
            counts: CallCounts::default(),
        })
    }

    /// Adds a call; its number becomes the `seq` of the event.
    pub(crate) fn push(
        &mut self,
        seq: u64,
        tool: &str,
        params: Node<'_>,
        answer: Option<&Answer>,
    ) -> io::Result<()> {
        let quoted = |text: &str| canonical::quoted(text.into());
        let workflow_id = self.index.workflow_id;
        let mut line = format!(
            "{{\"schemaVersion\":1,\"seq\":{seq},\"toolId\":{},\"type\":\"tool_observed\",\"workflowId\":{},\"params\":",
            quoted(tool),
            quoted(workflow_id)
        );
        let at = line.len();
        line.push_str(&canonical::of_node(params));
        let result = match answer {
            Some(Answer::Json(json)) => Some(canonical::of_node(json.root())),
            Some(Answer::Text(text)) => Some(quoted(text)),
            Some(Answer::Nothing) | None => None,
        };
        if let Some(result) = result {
            line.push_str(&String::from_utf8_lossy(RESULT));
            line.push_str(&result);
        }
        line.push_str("}\n");
        let event = Event {
            version: 1,
            workflow_id: workflow_id.into(),
            run_event_id: None,
            body: Body::ToolObserved {
                seq,
                tool_id: tool.into(),
                timestamp: None,
                params: at,
            },
        };
        self.index.counts.lines += 1;
        self.index.event(&event, line.as_bytes(), self.offset);
        self.offset += line.len() as u64;
        self.file.write_all(line.as_bytes())
    }

    /// Something in the log cannot be read; the run cannot be complete.
    pub(crate) fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.index.refuse_record(why);
    }

    pub(crate) fn finish(self) -> io::Result<Log> {
        let file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        Ok(self.index.finish(file).with_results(self.counts))
    }
}

/// Whether a tool can be named in an event.
pub(crate) fn is_tool_id(name: &str) -> bool {
    !name.is_empty() && crosscheck_core::text::unit_len(name) <= ID_MAX
}
