//! `crosscheck rows`: what an agent logged against the database it wrote to.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use crosscheck::config::RowsSettings;
use crosscheck::rows::InputFormat;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::talk::PresentArgs;

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
pub(crate) struct RowsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RowsCommand>,
    #[command(flatten)]
    pub(crate) input: RowsInput,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
    /// Show for every call which rows and columns it was compared with, and why
    #[arg(long)]
    pub(crate) explain: bool,
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
    #[command(flatten)]
    pub(crate) chosen: Chosen<RowsSettings>,
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
#[command(mut_arg("claims", |claims| claims.hide(true)), mut_arg("redact", |redact| redact.hide(true)))]
pub(crate) struct RowsLearnArgs {
    #[command(flatten)]
    pub(crate) input: RowsInput,
}

/// The format of a name that is listed.
pub(crate) fn format_named(name: &str) -> InputFormat {
    name.parse().map_or(InputFormat::Auto, InputFormat::Is)
}
