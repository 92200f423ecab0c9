//! `crosscheck check`: a written contract against a database.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use crosscheck::render::Format;

use super::ledger::LedgerOption;
use super::report_format;
use super::time;

/// Check a registry and an events file against a database
///
/// The registry says which row or relation each tool call must leave behind.
/// The events file says which calls were made; for the log of an agent see
/// `rows`. The database is opened read-only.
/// Standard output gets one line: the outcome certificate as canonical JSON.
/// The verdict lines and the human report go to standard error.
///
/// Exit codes: 0 complete, 1 inconsistent, 2 incomplete, 3 could not run.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) run: CheckRunArgs,
    /// Print the result in this format instead of the certificate
    #[arg(long, value_name = "FORMAT", value_parser = report_format())]
    pub(crate) report_format: Option<Format>,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
}

/// What a run is made of; `enforce` makes the same one.
#[derive(Debug, Args)]
pub(crate) struct CheckRunArgs {
    /// Workflow whose events are checked
    #[arg(long, value_name = "ID")]
    pub(crate) workflow_id: Option<OsString>,
    /// Events file, one JSON object per line
    #[arg(long, value_name = "PATH")]
    pub(crate) events: Option<PathBuf>,
    /// Registry, a JSON array of entries
    #[arg(long, value_name = "PATH")]
    pub(crate) registry: Option<PathBuf>,
    /// Project folder that supplies events, registry and coverage budget
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// SQLite file, or the URL of a database server
    #[arg(long, value_name = "PATH|URL", help_heading = "Database (exactly one)", value_hint = ValueHint::AnyPath)]
    pub(crate) db: Option<OsString>,
    /// PostgreSQL connection URL
    #[arg(long, value_name = "URL", help_heading = "Database (exactly one)")]
    pub(crate) postgres_url: Option<OsString>,
    /// MySQL or MariaDB connection URL
    #[arg(long, value_name = "URL", help_heading = "Database (exactly one)")]
    pub(crate) mysql_url: Option<OsString>,
    /// Seconds after which a silent database is given up; default 60
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// `strong` reads once, `eventual` until the window closes; default `strong`
    #[arg(long, value_name = "MODE")]
    pub(crate) consistency: Option<String>,
    /// Milliseconds that rows may take to appear, with `--consistency eventual`
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) verification_window_ms: Option<String>,
    /// Milliseconds between two reads, with `--consistency eventual`
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) poll_interval_ms: Option<String>,
    /// Keep the human report off standard error; the verdict lines stay
    #[arg(long)]
    pub(crate) no_human_report: bool,
    /// Folder for the run bundle: the events and the full result
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) write_run_bundle: Option<PathBuf>,
    /// Folder for the decision bundle: the certificate and its evidence
    #[arg(long, value_name = "DIR", visible_alias = "proof", value_hint = ValueHint::DirPath)]
    pub(crate) write_decision_bundle: Option<PathBuf>,
    /// JSON file that goes into the decision bundle as attestation
    #[arg(long, value_name = "PATH")]
    pub(crate) decision_attestation: Option<PathBuf>,
    /// JSON file that goes into the decision bundle as next action
    #[arg(long, value_name = "PATH")]
    pub(crate) decision_next_action: Option<PathBuf>,
    /// Ed25519 key (PKCS#8 PEM) that signs the bundles
    #[arg(long, value_name = "PATH")]
    pub(crate) sign_ed25519_private_key: Option<PathBuf>,
    /// Coverage budget; with `--project` its `coverage-budget.json` if there is one
    #[arg(long, value_name = "PATH")]
    pub(crate) coverage_budget: Option<PathBuf>,
    /// Exit with 1 when the budget is missed
    #[arg(long)]
    pub(crate) enforce_coverage_budget: bool,
}
