//! Logs of known agents, read as `rows` reads them. What is ours here is
//! stricter than the ladder: a call that failed claims nothing, and one that
//! cannot be read is counted and keeps the run from passing.

use crosscheck_transcript::Format;

use super::read::{self, Call, Log};
use crate::error::RowsError;
use crate::plan::Vocabulary;
use crate::plan::classify::has_failed;
use crate::read::{InputFormat, Logs};
use crate::reasons::RowReason;

/// The tool calls of a transcript.
pub fn log(format: Format, mut bytes: &[u8]) -> Result<Log, RowsError> {
    let mut calls: Vec<Call> = Vec::new();
    let mut unreadable = 0;
    let mut names = Vocabulary::default();
    let mut logs = Logs::default();
    let read = logs.read("log", InputFormat::Is(format), &mut bytes, &mut |some| {
        let done = some
            .into_iter()
            .filter(|call| !has_failed(&mut names, call));
        for call in done {
            match call.arguments {
                Ok(params) if !call.tool.is_empty() => calls.push(Call {
                    tool: call.tool.into(),
                    params,
                }),
                _ => unreadable += 1,
            }
        }
    });
    let mut log = read::log_of_calls(calls)?;
    log.ingest.malformed_lines = logs.malformed_count;
    log.ingest.unreadable_calls = unreadable;
    if unreadable > 0 || read.is_err() {
        log.ingest.codes.push(RowReason::IngestUnreadableArguments);
    } else if log.actions.is_empty() {
        log.ingest
            .codes
            .push(RowReason::IngestNoStructuredToolActivity);
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openai(calls: &[(&str, &str, &str)]) -> Log {
        let lines: Vec<String> = calls
            .iter()
            .enumerate()
            .map(|(id, (tool, arguments, answer))| {
                let call = serde_json::json!({"role": "assistant", "tool_calls": [{"id": id.to_string(), "type": "function",
                    "function": {"name": tool, "arguments": arguments}}]});
                let answer = serde_json::json!({"role": "tool", "tool_call_id": id.to_string(), "name": tool, "content": answer});
                format!("{call}\n{answer}\n")
            })
            .collect();
        log(Format::OpenAi, lines.concat().as_bytes()).unwrap()
    }

    #[test]
    fn a_call_whose_arguments_cannot_be_read_is_counted() {
        let log = openai(&[
            ("update_order", r#"{"id":1}"#, "ok"),
            ("update_order", r#"{"id":"#, "ok"),
        ]);
        assert_eq!(log.actions.len(), 1);
        assert_eq!(log.ingest.unreadable_calls, 1);
        assert!(log.ingest.has(RowReason::IngestUnreadableArguments));
    }

    #[test]
    fn results_are_no_calls_and_refused_calls_claim_nothing() {
        let log = openai(&[
            ("update_order", r#"{"id":1}"#, r#"{"id":1,"status":"new"}"#),
            ("update_order", r#"{"id":2}"#, "Error: not found"),
        ]);
        assert_eq!(log.actions.len(), 1);
        assert!(log.ingest.is_clean());
    }

    #[test]
    fn calls_that_differ_in_an_array_are_two() {
        let log = openai(&[
            ("add_items", r#"{"id":1,"items":[1]}"#, "ok"),
            ("add_items", r#"{"id":1,"items":[2]}"#, "ok"),
            ("add_items", r#"{"items":[2],"id":1}"#, "ok"),
        ]);
        assert_eq!((log.actions.len(), log.repeated.len()), (2, 1));
    }
}
