//! `crosscheck quick`: the seed's grammar, and a few flags of our own.

use std::ffi::OsString;

use clap::{Args, ValueHint};
use crosscheck::render::Format;

/// Check any tool-call log against a database, with nothing configured
///
/// Works out which rows each tool call should have left behind and looks them
/// up. The database is opened read-only. Standard output gets one line: the
/// outcome certificate as canonical JSON. The human report goes to standard
/// error.
///
/// Exit codes: 0 pass, 1 fail, 2 uncertain, 3 could not run.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct QuickArgs {
    /// Tool-call log to check; `-` reads standard input
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, value_hint = ValueHint::AnyPath)]
    pub(crate) input: Option<OsString>,
    /// SQLite database file
    #[arg(
        long,
        value_name = "PATH",
        allow_hyphen_values = true,
        help_heading = "Database (exactly one)", value_hint = ValueHint::AnyPath)]
    pub(crate) db: Option<OsString>,
    /// PostgreSQL connection URL
    #[arg(
        long,
        value_name = "URL",
        allow_hyphen_values = true,
        help_heading = "Database (exactly one)"
    )]
    pub(crate) postgres_url: Option<OsString>,
    /// MySQL or MariaDB connection URL
    #[arg(
        long,
        value_name = "URL",
        allow_hyphen_values = true,
        help_heading = "Database (exactly one)"
    )]
    pub(crate) mysql_url: Option<OsString>,
    /// File for the registry entries that `crosscheck check` can replay
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) export_registry: Option<OsString>,
    /// File for the events that belong to the exported registry
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) emit_events: Option<OsString>,
    /// Name of the workflow on the certificate; default `quick-verify`
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) workflow_id: Option<OsString>,
    /// Keep the human report off standard error
    #[arg(long)]
    pub(crate) no_human_report: bool,
    /// File for the full report with every fact of every unit
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) write_report: Option<OsString>,
    /// Show for every parameter which table and column it went to, and why
    #[arg(long)]
    pub(crate) explain_mapping: bool,
    /// Read the log as a transcript: claude-code, codex, openai, anthropic, otel, langsmith, mcp, ndjson; `auto` tries that only when no tool call is found otherwise
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true)]
    pub(crate) input_format: Option<OsString>,
    /// The older name of `--input-format`
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true)]
    pub(crate) format: Option<OsString>,
    #[arg(long, value_name = "FORMAT", allow_hyphen_values = true, help = report_help())]
    pub(crate) report_format: Option<OsString>,
    /// PostgreSQL schema to look in, with its views and partitioned tables; may be repeated; default `public`, ordinary tables only
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) schema: Vec<OsString>,
    /// Seconds after which a silent database is given up; default 60
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub(crate) timeout: Option<OsString>,
    /// Show names and codes only, no values and no keys; the registry and the
    /// events, which a replay needs, keep them
    #[arg(long)]
    pub(crate) redact: bool,
    /// Print help
    #[arg(long, short, action = clap::ArgAction::Help)]
    pub(crate) help: Option<bool>,
}

fn report_help() -> String {
    let names = Format::NAMES.join(", ");
    format!("Print the result in this format instead of the certificate: {names}")
}
