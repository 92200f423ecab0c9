//! Recognises a log format by the shape of its records.
//!
//! Only keys and type words count, never the text of a message: the words of an
//! agent must not decide how its log is read.

use crosscheck_core::{Json, Node};

use super::Format;
use super::content::{kind, list, present, text};
use super::reader::whole;
use super::{mcp, message, plain, vendor};

/// This many records are examined.
const LOOK: usize = 200;

/// The format of a log, or `None` when nothing in it is typical of one.
pub fn detect(log: &str) -> Option<Format> {
    let log = log.strip_prefix('\u{FEFF}').unwrap_or(log);
    let mut seen = FormatSeen::default();
    if let Some(document) = whole(log.as_bytes()) {
        seen.value(document.root());
    } else {
        let lines = log.lines().filter(|line| !line.trim().is_empty());
        for json in lines.take(LOOK).filter_map(|line| Json::parse(line).ok()) {
            seen.value(json.root());
            if seen.format.is_some() {
                break;
            }
        }
    }
    // a bare conversation without tools reads the same either way
    let talk = seen.talk.then_some(Format::OpenAi);
    // objects with a name are common, so plain calls come last
    seen.format.or(talk).or(seen.calls.then_some(Format::Calls))
}

#[derive(Default)]
struct FormatSeen {
    format: Option<Format>,
    talk: bool,
    calls: bool,
}

impl FormatSeen {
    fn value(&mut self, value: Node<'_>) {
        match value.as_array() {
            Some(items) => items.take(LOOK).for_each(|item| self.record(item)),
            None => self.record(value),
        }
    }

    fn record(&mut self, record: Node<'_>) {
        if self.format.is_some() {
            return;
        }
        self.format = harness(record).or_else(|| vendor_of(record));
        self.calls |= plain::is_call(record);
        self.talk |= record.get("role").is_some() || record.get("messages").is_some();
    }
}

/// Formats that mark every record.
fn harness(record: Node<'_>) -> Option<Format> {
    let has = |key: &str| record.get(key).is_some();
    let word = kind(record);
    if mcp::rpc(record).is_some() {
        return Some(Format::Mcp);
    }
    if has("resourceSpans") || has("resource_spans") || has("scopeSpans") {
        return Some(Format::Otel);
    }
    let is_span = has("spanId") || has("span_id") || has("context") || has("trace_id");
    if has("attributes") && is_span {
        return Some(Format::Otel);
    }
    let has_runs = list(record, "runs").any(|run| run.get("run_type").is_some());
    if has_runs || has("run_type") {
        return Some(Format::LangSmith);
    }
    let is_rollout = matches!(
        word.as_str(),
        "session_meta" | "response_item" | "event_msg" | "turn_context" | "world_state"
    );
    let is_exec = ["thread.", "turn.", "item."]
        .iter()
        .any(|start| word.starts_with(start));
    if (is_rollout && has("payload")) || is_exec {
        return Some(Format::Codex);
    }
    let is_session = has("sessionId") || has("session_id") || has("uuid") || has("isSidechain");
    (is_session && !word.is_empty()).then_some(Format::ClaudeCode)
}

/// The APIs of the two vendors, distinguished by their tool blocks.
fn vendor_of(record: Node<'_>) -> Option<Format> {
    let word = kind(record);
    let request = ["request", "body", "params"]
        .iter()
        .find_map(|key| present(record, key));
    let answer = ["response", "result", "completion"]
        .iter()
        .find_map(|key| present(record, key));
    let answer = answer.map(|answer| present(answer, "body").unwrap_or(answer));
    for part in [Some(record), request, answer].into_iter().flatten() {
        let runs = list(part, "simulations").chain([part]);
        let messages = runs.flat_map(|run| {
            let lists = vendor::MESSAGES.into_iter();
            lists.flat_map(move |name| list(run, name))
        });
        let found = spoken(part).or_else(|| messages.into_iter().find_map(spoken));
        if found.is_some() {
            return found;
        }
        let items = list(part, "output").chain(list(part, "input"));
        let is_responses = text(part, "object").as_deref() == Some("response")
            || items.into_iter().any(|item| item.get("type").is_some());
        if part.get("choices").is_some() || is_responses {
            return Some(Format::OpenAi);
        }
    }
    let is_item = word.ends_with("_call") || word.ends_with("_call_output");
    (is_item || word.starts_with("response.")).then_some(Format::OpenAi)
}

fn spoken(message: Node<'_>) -> Option<Format> {
    let role = text(message, "role");
    let openai = message::is_framework(message)
        || message.get("tool_calls").is_some()
        || message.get("tool_call_id").is_some()
        || message.get("function_call").is_some()
        || matches!(role.as_deref(), Some("tool" | "function" | "developer"));
    if openai {
        return Some(Format::OpenAi);
    }
    let anthropic = list(message, "content").any(|block| {
        let word = kind(block);
        word.ends_with("tool_use") || word.ends_with("tool_result") || word == "thinking"
    }) || (role.is_some() && message.get("stop_reason").is_some());
    anthropic.then_some(Format::Anthropic)
}
