//! Reads agent logs of all formats into one list of events.
//!
//! Each harness and vendor has its own log format and changes it often. So the
//! readers are lenient: unknown records are counted and named, a line that is
//! not JSON is counted with its number, and neither is ever a failure. The
//! verifier decides what a gap means.
//!
//! Nothing here opens a file; the caller limits the size of the input.
#![warn(missing_docs)]

mod content;
mod conversations;
mod detect;
mod langsmith;
mod mcp;
mod message;
mod model;
mod otel;
mod plain;
mod raw;
mod reader;
pub mod session;
mod sink;
mod vendor;

use std::fmt;
use std::str::FromStr;

pub use detect::detect;
pub use model::{
    Arguments, Body, Event, Exit, Hints, Malformed, Message, Role, ToolCall, ToolResult,
    Transcript, Witness,
};
pub use reader::{Reader, read, read_bytes};

/// The log formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Format {
    /// Session JSONL of Claude Code, and its `stream-json` output.
    ClaudeCode,
    /// Rollout JSONL of Codex, and the stream of `codex exec --json`.
    Codex,
    /// OpenAI chat completions messages and Responses API items.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// OpenTelemetry spans that follow the GenAI conventions.
    Otel,
    /// LangSmith runs.
    LangSmith,
    /// JSON-RPC messages of the Model Context Protocol.
    Mcp,
    /// Tool calls as objects, one for each call.
    #[default]
    Calls,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::OpenAi,
        Self::Anthropic,
        Self::Otel,
        Self::LangSmith,
        Self::Mcp,
        Self::Calls,
    ];

    /// The name used on command lines and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Otel => "otel",
            Self::LangSmith => "langsmith",
            Self::Mcp => "mcp",
            Self::Calls => "ndjson",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is not a log format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a log format; known are claude-code, codex, openai, anthropic, otel, langsmith, mcp, ndjson"
)]
pub struct UnknownFormat(pub String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_named_in_the_error() {
        let refused = "yaml".parse::<Format>().unwrap_err().to_string();
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(refused.contains(format.name()), "{refused}");
        }
    }
}
