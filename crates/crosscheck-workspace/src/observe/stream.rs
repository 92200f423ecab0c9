//! The events of an LLM CLI, shown as they arrive (workspace 7).

use std::fmt::Write as _;

use serde_json::Value;

use crate::config::Stream;

/// Longer lines are shown unchanged.
const MAX_LINE: usize = 16 << 20;

/// Turns output that arrives in pieces into text to show.
#[derive(Debug)]
pub(super) struct Renderer {
    stream: Stream,
    pending: Vec<u8>,
    shown: Shown,
    /// Text was shown whose last line has not ended.
    is_open: bool,
    outcome: Option<Outcome>,
}

/// The event at the end of a stream.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The final answer.
    pub(super) text: Option<String>,
    /// The tools that were denied, each once.
    pub(super) denied: Vec<String>,
    /// How many such events there were.
    pub(super) results: usize,
}

impl Outcome {
    fn of(event: &Value) -> Self {
        let denials = event.get("permission_denials").and_then(Value::as_array);
        let mut denied: Vec<String> = denials
            .into_iter()
            .flatten()
            .filter_map(|denial| denial.get("tool_name")?.as_str())
            .map(str::to_owned)
            .collect();
        denied.sort();
        denied.dedup();
        let text = event.get("result").and_then(Value::as_str);
        Self {
            text: text.map(str::to_owned),
            denied,
            ..Self::default()
        }
    }
}

/// What was shown last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    Block,
    Line,
}

impl Renderer {
    pub(super) const fn new(stream: Stream) -> Self {
        Self {
            stream,
            pending: Vec::new(),
            shown: Shown::Nothing,
            is_open: false,
            outcome: None,
        }
    }

    /// What the last result event said.
    pub(super) fn into_outcome(self) -> Outcome {
        self.outcome.unwrap_or_default()
    }

    /// Takes more bytes; returns what can be shown now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        match self.stream {
            Stream::Text => self.whole_characters(),
            Stream::ClaudeStreamJson | Stream::Jsonl => self.whole_lines(),
        }
    }

    /// The rest at the end.
    pub(super) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        match self.stream {
            Stream::Text => {
                let mut text = String::from_utf8_lossy(&rest).into_owned();
                let is_open = match text.chars().last() {
                    Some(last) => last != '\n',
                    None => self.is_open,
                };
                if is_open {
                    text.push('\n'); // the next text begins on a new line
                }
                text
            }
            _ if rest.is_empty() => String::new(),
            _ => self.line(&rest),
        }
    }

    /// A character that is cut at the end of a piece waits for the rest, and so
    /// does the first half of a Windows line end.
    fn whole_characters(&mut self) -> String {
        let cut = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ if self.pending.ends_with(b"\r") => self.pending.len() - 1,
            _ => self.pending.len(),
        };
        let rest = self.pending.split_off(cut);
        let whole = std::mem::replace(&mut self.pending, rest);
        if let Some(last) = whole.last() {
            self.is_open = *last != b'\n';
        }
        String::from_utf8_lossy(&whole).into_owned()
    }

    fn whole_lines(&mut self) -> String {
        let cut = match self.pending.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => at + 1,
            None if self.pending.len() > MAX_LINE => self.pending.len(),
            None => return String::new(),
        };
        let rest = self.pending.split_off(cut);
        let whole = std::mem::replace(&mut self.pending, rest);
        whole
            .split_inclusive(|byte| *byte == b'\n')
            .map(|line| self.line(line.strip_suffix(b"\n").unwrap_or(line)))
            .collect()
    }

    fn line(&mut self, line: &[u8]) -> String {
        let text = String::from_utf8_lossy(line);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        if self.stream == Stream::Jsonl {
            return format!("{text}\n");
        }
        match serde_json::from_str::<Value>(text) {
            Ok(event) if event.is_object() => {
                let blocks = self.event(&event);
                self.join(&blocks)
            }
            _ => self.plain_line(text),
        }
    }

    /// A line that is not an event is shown unchanged.
    fn plain_line(&mut self, text: &str) -> String {
        let gap = match self.shown {
            Shown::Block if text.trim().is_empty() => return String::new(),
            Shown::Block => "\n",
            Shown::Nothing | Shown::Line => "",
        };
        self.shown = Shown::Line;
        format!("{gap}{text}\n")
    }

    /// One blank line between blocks.
    fn join(&mut self, blocks: &[String]) -> String {
        let mut text = String::new();
        for block in blocks {
            if self.shown != Shown::Nothing {
                text.push('\n');
            }
            self.shown = Shown::Block;
            text.push_str(block);
            text.push('\n');
        }
        text
    }

    fn event(&mut self, event: &Value) -> Vec<String> {
        let kind = event.get("type").and_then(Value::as_str);
        if kind == Some("result") {
            let results = self.outcome.as_ref().map_or(0, |outcome| outcome.results);
            self.outcome = Some(Outcome {
                results: results + 1,
                ..Outcome::of(event)
            });
            return Vec::new();
        }
        let items = event
            .pointer("/message/content")
            .or_else(|| event.get("content"))
            .and_then(Value::as_array);
        let items = items.map(Vec::as_slice).unwrap_or_default();
        items
            .iter()
            .filter_map(|item| {
                let item_kind = item.get("type").and_then(Value::as_str)?;
                match (kind?, item_kind) {
                    ("assistant", "tool_use") => Some(tool_use(item)),
                    ("assistant", "text") => item
                        .get("text")
                        .and_then(Value::as_str)
                        .map(|text| format!("📝 {}", text.trim())),
                    ("user", "tool_result") => Some(tool_result(item)),
                    _ => None,
                }
            })
            .collect()
    }
}

fn tool_use(item: &Value) -> String {
    let name = item
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or("unknown");
    let input = item.get("input").unwrap_or(&Value::Null);
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let mut block = format!("🔧 {name} tool");
    if let Some(path) = text("file_path") {
        let _ = write!(block, "\n   File: {path}");
    }
    match text("command") {
        Some(command) if command.contains('\n') => {
            block.push_str("\n   Command:");
            for line in command.lines() {
                let _ = write!(block, "\n     {line}");
            }
        }
        Some(command) => {
            let _ = write!(block, "\n   Command: {command}");
        }
        None => {}
    }
    if let Some(pattern) = text("pattern") {
        let _ = write!(block, "\n   Pattern: {pattern}");
    }
    if let Some(path) = text("path").filter(|_| text("file_path").is_none()) {
        let _ = write!(block, "\n   Path: {path}");
    }
    block.push_str(&details(name, input));
    block
}

fn details(name: &str, input: &Value) -> String {
    let number = |key: &str| input.get(key).and_then(Value::as_u64);
    match (name, number("offset"), number("limit")) {
        ("Read", None, None) => String::new(),
        ("Read", offset, limit) => {
            let from = offset.unwrap_or(0);
            let to = limit.map_or_else(
                || "end".to_owned(),
                |limit| from.saturating_add(limit).to_string(),
            );
            format!("\n   Range: Lines {from}-{to}")
        }
        ("Write", ..) => {
            input
                .get("content")
                .and_then(Value::as_str)
                .map_or_else(String::new, |content| {
                    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
                    let kilobytes = content.len() as f64 / 1024.0;
                    format!(
                        "\n   Content size: {kilobytes:.1} KB ({} lines)",
                        content.split('\n').count()
                    )
                })
        }
        _ => String::new(),
    }
}

fn tool_result(item: &Value) -> String {
    let is_error = item.get("is_error").and_then(Value::as_bool) == Some(true);
    let text = match item.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    };
    format!("{} {text}", if is_error { "❌" } else { "✓" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_split_across_reads_is_joined_and_text_passes_through() {
        let mut renderer = Renderer::new(Stream::ClaudeStreamJson);
        let event = r#"{"type":"assistant","message":{"content":[{"type":"text","text":" hi "},{"type":"tool_use","name":"Bash","input":{"command":"a\nb"}}]}}"#;
        let (first, second) = event.split_at(40);
        assert_eq!(renderer.push(first.as_bytes()), "");
        assert_eq!(
            renderer.push(format!("{second}\nplain text\n").as_bytes()),
            "📝 hi\n\n🔧 Bash tool\n   Command:\n     a\n     b\n\nplain text\n"
        );
    }

    #[test]
    fn tools_are_shown_with_what_they_touch() {
        let table = [
            (
                r#"{"name":"Read","input":{"file_path":"/a","offset":5,"limit":10}}"#,
                "🔧 Read tool\n   File: /a\n   Range: Lines 5-15",
            ),
            (
                r#"{"name":"Read","input":{"file_path":"/a","offset":5}}"#,
                "🔧 Read tool\n   File: /a\n   Range: Lines 5-end",
            ),
            (
                r#"{"name":"Write","input":{"file_path":"/a","content":"x\ny"}}"#,
                "🔧 Write tool\n   File: /a\n   Content size: 0.0 KB (2 lines)",
            ),
            (
                r#"{"name":"Grep","input":{"pattern":"p","path":"/d"}}"#,
                "🔧 Grep tool\n   Pattern: p\n   Path: /d",
            ),
        ];
        for (item, block) in table {
            assert_eq!(tool_use(&serde_json::from_str(item).unwrap()), block);
        }
    }

    #[test]
    fn results_are_full_and_only_is_error_makes_an_error() {
        let long = "error line\\n".repeat(40);
        let line = |flag: &str| {
            format!(
                r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","content":"{long}"{flag}}}]}}}}"#
            ) + "\n"
        };
        let shown = Renderer::new(Stream::ClaudeStreamJson).push(line("").as_bytes());
        assert!(shown.starts_with("✓ error line\n") && shown.matches("error line").count() == 40);
        assert!(
            Renderer::new(Stream::ClaudeStreamJson)
                .push(line(",\"is_error\":true").as_bytes())
                .starts_with("❌ ")
        );
    }

    #[test]
    fn the_result_is_kept_and_other_events_are_silent() {
        let mut renderer = Renderer::new(Stream::ClaudeStreamJson);
        assert_eq!(
            renderer.push(b"{\"type\":\"system\"}\n{\"type\":\"result\",\"result\":\"done\",\"permission_denials\":[{\"tool_name\":\"Write\"},{\"tool_name\":\"Write\"}]}"),
            ""
        );
        assert_eq!(renderer.finish(), "");
        let outcome = renderer.into_outcome();
        assert_eq!(outcome.results, 1);
        assert_eq!(outcome.text.as_deref(), Some("done"));
        assert_eq!(outcome.denied, ["Write"]);
    }

    #[test]
    fn text_is_never_cut_inside_a_character() {
        let mut renderer = Renderer::new(Stream::Text);
        let bytes = "aä".as_bytes();
        assert_eq!(renderer.push(&bytes[..2]), "a");
        assert_eq!(renderer.push(&bytes[2..]), "ä");
        assert_eq!(renderer.push(b"\xff"), "\u{FFFD}");
    }
}
