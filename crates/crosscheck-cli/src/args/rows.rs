//! `crosscheck rows`: what an agent logged against the database it wrote to.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};
use crosscheck::render::Format;
use crosscheck::rows::{Format as LogFormat, InputFormat};

use super::ledger::LedgerOption;
use super::report_format;
use super::time;

/// Check that the writes of an agent's log really happened
///
/// Reads tool calls and their answers from logs of any known format, finds the
/// row that each write is about, and compares what was said with what the
/// database holds. Nothing has to be configured; a contract states exactly what
/// is compared. The database is opened read-only.
///
/// Exit codes: 0 every write is proven, 1 a write is refuted, 2 a write is
/// unproven or there is none, 3 could not run.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct RowsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RowsCommand>,
    #[command(flatten)]
    pub(crate) input: RowsInput,
    /// How the result is presented
    #[arg(long, visible_alias = "report-format", value_name = "FORMAT", default_value = "human", value_parser = report_format())]
    pub(crate) format: Format,
    /// Write the result into this file instead of printing it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Show for every call which rows and columns it was compared with, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Hold what the agent says in its last message against its calls, too
    #[arg(long)]
    pub(crate) claims: bool,
    /// Show names and codes only, no values and no keys
    #[arg(long)]
    pub(crate) redact: bool,
    /// Print nothing; the exit code is the answer
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RowsInput {
    /// Logs in the order the calls were made; `-` reads standard input
    #[arg(value_name = "LOG", required = true)]
    pub(crate) logs: Vec<PathBuf>,
    /// SQLite file, or the URL of a database server; default the variable
    /// `DATABASE_URL`. `rows learn` takes several, each as `LOG=FILE|URL`: the
    /// database that this log left
    #[arg(long, value_name = "FILE|URL", help_heading = "Database (exactly one)", value_hint = ValueHint::AnyPath)]
    pub(crate) db: Vec<OsString>,
    /// PostgreSQL connection URL; the password may come from `PGPASSWORD` or
    /// the password file
    #[arg(long, value_name = "URL", help_heading = "Database (exactly one)")]
    pub(crate) postgres_url: Option<OsString>,
    /// MySQL or MariaDB connection URL; the password may come from `MYSQL_PWD`
    #[arg(long, value_name = "URL", help_heading = "Database (exactly one)")]
    pub(crate) mysql_url: Option<OsString>,
    /// PostgreSQL schema to look in, with its views; may be repeated; default
    /// the search path
    #[arg(long, value_name = "NAME", help_heading = "Database (exactly one)")]
    pub(crate) schema: Vec<OsString>,
    /// Seconds after which a silent database is given up; default 60
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// Contract: what each tool does to which table; `rows learn` proposes one
    #[arg(long, value_name = "FILE")]
    pub(crate) contract: Option<PathBuf>,
    /// Format of the logs; detected from their content by default
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = input_format())]
    pub(crate) input_format: InputFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RowsCommand {
    Learn(RowsLearnArgs),
}

/// Propose a contract from logs whose run you trust
///
/// Maps the calls as `rows` does, with the database as they left it, and
/// prints one entry for each tool: class, table, key, and the columns that
/// agreed, each with its counts. Every entry says `confirmed = false`: read
/// it, delete what is wrong, and set it to true.
#[derive(Debug, Args)]
pub(crate) struct RowsLearnArgs {
    #[command(flatten)]
    pub(crate) input: RowsInput,
}

fn input_formats() -> Vec<&'static str> {
    let known = LogFormat::ALL.into_iter().map(LogFormat::name);
    std::iter::once("auto").chain(known).collect()
}

/// Formats of logs, by their names.
pub(super) fn input_format() -> impl TypedValueParser<Value = InputFormat> {
    let format = |name: String| name.parse().map_or(InputFormat::Auto, InputFormat::Is);
    PossibleValuesParser::new(input_formats()).map(format)
}
