//! `[rows]`

use std::path::PathBuf;

use super::why;
use crate::Direction::{StarterOnly, Up, UpTo};
use crate::Preset::{self, Unset};
use crate::Typed::All;
use crate::ValueKind::{Flag, Seconds, Text, Texts, Word};
use crate::key::table;

/// The formats of logs, by the names that `--input-format` takes.
pub const LOGS: &[&str] = &[
    "auto",
    "claude-code",
    "codex",
    "openai",
    "anthropic",
    "otel",
    "langsmith",
    "mcp",
    "ndjson",
];

table! {
    /// What `crosscheck rows` reads.
    ROWS, RowsSettings = "rows", "How `crosscheck rows` checks logs against a database";
    "Checking" {
        contract: Option<PathBuf>, Text, Unset, StarterOnly(why::CHECKED), All("--contract FILE"),
            "Contract: what each tool does to which table; `rows learn` proposes one";
        input_format: String, Word(LOGS), Preset::Text("auto"), StarterOnly(why::READ), All("--input-format FORMAT"),
            "Format of the logs; `auto` detects it from their content";
        claims: bool, Flag, Preset::Flag(false), Up, All("--claims"),
            "Hold what the agent says in its last message against its calls, too";
        redact: bool, Flag, Preset::Flag(false), Up, All("--redact"),
            "Show names and codes only, no values and no keys";
    }
    "Database (exactly one)" {
        schema: Vec<String>, Texts, Preset::Texts(&[]), StarterOnly(why::DATABASE), All("--schema NAME"),
            "PostgreSQL schemas to look in, with their views; without any, the search path";
        timeout: f64, Seconds(86_400), Preset::Number(60.0), UpTo(600), All("--timeout SECONDS"),
            "Seconds after which a silent database is given up";
    }
}
