//! Splits a text into records and passes each one to its reader.

use crosscheck_core::{Json, Node, canonical, json};

use super::model::{Event, Hints, Transcript};
use super::session::{Harness, calls};
use super::sink::{Sink, Telling};
use super::{Format, langsmith, mcp, otel, plain, vendor};

/// Reads a log: one JSON text, or one on each line.
pub fn read(format: Format, text: &str) -> Transcript {
    read_bytes(format, text.as_bytes())
}

/// Reads a log whose bytes may not all be UTF-8; a line that is not counts as malformed.
pub fn read_bytes(format: Format, bytes: &[u8]) -> Transcript {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = Reader::new(format);
    let text = std::str::from_utf8(bytes).ok();
    let document = text.and_then(|text| Json::parse_with(text, &rules(format)).ok());
    if let Some(document) = document {
        reader.document(&document);
    } else {
        for line in bytes.split(|byte| *byte == b'\n') {
            reader.line(line);
        }
    }
    reader.finish()
}

/// Nobody can tell which of two tools or answers of a call another reader takes.
fn rules(format: Format) -> json::Rules {
    json::Rules {
        repeated_keys: format != Format::Calls,
        ..json::Rules::ECMASCRIPT
    }
}

/// The text as one JSON value; `None` for JSONL, which the second line shows.
pub(super) fn whole(bytes: &[u8]) -> Option<Json> {
    Json::parse(std::str::from_utf8(bytes).ok()?).ok()
}

/// Reads a JSONL log line by line, for callers that do not want to keep all of it in
/// memory.
#[derive(Debug)]
pub struct Reader {
    sink: Sink,
    line: usize,
    json: json::Reader,
}

impl Reader {
    /// A reader that has seen no line.
    pub fn new(format: Format) -> Self {
        Self {
            sink: Sink::new(format),
            line: 0,
            json: json::Reader::new(rules(format)),
        }
    }

    /// Reads the next line. Blank lines count as lines but not as records.
    pub fn line(&mut self, line: &[u8]) {
        self.line += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match self.json.read(line) {
            Ok(json) => {
                self.sink.begin(self.line);
                match json.root().as_array() {
                    Some(items) => {
                        for item in items {
                            record(&mut self.sink, item, Telling::History);
                        }
                    }
                    None => match harness(self.sink.transcript.format) {
                        Some(harness) if json.root().as_object().is_some() => {
                            calls::line(&mut self.sink, harness, line);
                        }
                        _ => record(&mut self.sink, json.root(), Telling::New),
                    },
                }
            }
            Err(_) => self.sink.transcript.malformed.add(self.line),
        }
    }

    /// Takes the events read since the last call.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> {
        self.sink.transcript.events.drain(..)
    }

    /// The result, without the events already taken.
    pub fn finish(self) -> Transcript {
        self.sink.transcript
    }

    /// Lines so far, blank ones included.
    pub const fn lines(&self) -> usize {
        self.line
    }

    /// The annotations of a tool so far.
    pub fn hints(&self, tool: &str) -> Option<Hints> {
        self.sink.transcript.tools.get(tool).copied()
    }

    /// Reads a log that is one JSON value.
    pub fn document(&mut self, json: &Json) {
        if let Some(items) = json.root().as_array() {
            for (at, item) in items.enumerate() {
                self.sink.begin(at + 1);
                record(&mut self.sink, item, Telling::New);
            }
        } else {
            self.sink.begin(1);
            record(&mut self.sink, json.root(), Telling::New);
        }
    }
}

fn record(sink: &mut Sink, node: Node<'_>, telling: Telling) {
    if node.as_object().is_none() {
        sink.ignore();
        if sink.transcript.format == Format::Calls {
            sink.unknown();
        }
        return;
    }
    match sink.transcript.format {
        Format::ClaudeCode | Format::Codex => {
            if let Some(harness) = harness(sink.transcript.format) {
                calls::line(sink, harness, canonical::of_node(node).as_bytes());
            }
        }
        Format::OpenAi | Format::Anthropic => vendor::record(sink, node, telling),
        Format::Otel => otel::record(sink, node),
        Format::LangSmith => langsmith::record(sink, node),
        Format::Mcp => mcp::record(sink, node),
        Format::Calls => plain::record(sink, node),
    }
}

/// The harness whose records a format has.
const fn harness(format: Format) -> Option<Harness> {
    match format {
        Format::ClaudeCode => Some(Harness::ClaudeCode),
        Format::Codex => Some(Harness::Codex),
        _ => None,
    }
}
