//! `quick`: any tool-call log against a database, nothing configured.

use std::collections::HashSet;

use crosscheck_core::Listener;
pub use crosscheck_rows::RowsError;
pub use crosscheck_rows::quick::QuickReport;
pub use crosscheck_rows::quick::read::MAX_INPUT_BYTES;
use crosscheck_rows::quick::read::{self, Call, Log};
pub use crosscheck_rows::quick::report::{Documents, Targets, publish};
use crosscheck_rows::reasons::RowReason;
pub use crosscheck_transcript::Format;
use crosscheck_transcript::{self as transcript, Arguments, Body};

pub use crate::Database;

/// What one run is asked to do.
#[derive(Debug)]
pub struct QuickTask {
    /// The log; `None` when it is larger than [`MAX_INPUT_BYTES`].
    pub log: Option<Vec<u8>>,
    /// How the log is read.
    pub ingest: Ingest,
    /// Where to look.
    pub database: Database,
}

/// How a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ingest {
    /// By the seed's ladder alone.
    Ladder,
    /// By the ladder, and as a transcript when that found no tool call.
    Auto,
    /// As a transcript of this format.
    Transcript(Format),
}

/// Runs it. The database is not touched when the log is too large.
pub fn run(task: &QuickTask, listener: &mut dyn Listener) -> Result<QuickReport, RowsError> {
    let log = read_log(task)?;
    if task.log.is_none() {
        return Ok(QuickReport::unexamined(&log));
    }
    let mut source = task.database.open(1)?;
    crosscheck_rows::quick::run(&log, source.as_mut(), listener)
}

fn read_log(task: &QuickTask) -> Result<Log, RowsError> {
    let bytes = task.log.as_deref();
    match (task.ingest, bytes) {
        (Ingest::Ladder, _) | (_, None) => read::log(bytes),
        (Ingest::Transcript(format), Some(bytes)) => {
            of_transcript(format, &String::from_utf8_lossy(bytes))
        }
        (Ingest::Auto, Some(bytes)) => {
            let log = read::log(Some(bytes))?;
            let text = String::from_utf8_lossy(bytes);
            match transcript::detect(&text) {
                Some(format) if log.actions.is_empty() => {
                    let transcript = of_transcript(format, &text)?;
                    Ok(if transcript.actions.is_empty() {
                        log
                    } else {
                        transcript
                    })
                }
                _ => Ok(log),
            }
        }
    }
}

/// The tool calls of a transcript whose arguments are an object. A call that
/// the log itself reports as failed claims nothing.
fn of_transcript(format: Format, text: &str) -> Result<Log, RowsError> {
    let mut transcript = transcript::read(format, text);
    transcript.events.retain(|event| !event.repeats);
    let failed: HashSet<String> = transcript
        .events
        .iter()
        .filter_map(|event| match &event.body {
            Body::ToolResult(result) if result.is_error => result.call_id.clone(),
            Body::Exit(exit) if exit.fault().is_some() => exit.call_id.clone(),
            _ => None,
        })
        .collect();
    let calls = transcript
        .events
        .into_iter()
        .filter_map(|event| match event.body {
            Body::ToolCall(call) if call.id.as_ref().is_some_and(|id| failed.contains(id)) => None,
            Body::ToolCall(call) => match call.arguments {
                Arguments::Json(json)
                    if json.root().as_object().is_some() && !call.name.is_empty() =>
                {
                    Some(Call {
                        tool: call.name.into(),
                        params: json,
                    })
                }
                _ => None,
            },
            _ => None,
        });
    let mut log = read::log_of_calls(calls)?;
    log.ingest.malformed_lines = transcript.malformed.count;
    if log.actions.is_empty() {
        log.ingest
            .codes
            .push(RowReason::IngestNoStructuredToolActivity);
    }
    Ok(log)
}
