//! `crosscheck ledger`, and the option of the commands that record their runs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::PlainFormat;
use super::talk::PresentArgs;

/// The option of every command that can record its runs.
#[derive(Debug, Args)]
pub(crate) struct LedgerOption {
    /// Record the run in this ledger: a file, the URL of a PostgreSQL database, or `env:NAME` of a
    /// variable that holds one; default: the ledger configured in `[ledger]`, if any
    #[arg(long, value_name = "PLACE", value_hint = ValueHint::DirPath)]
    pub(crate) ledger: Option<PathBuf>,
}

/// Show and verify the history of runs
///
/// Runs are recorded with `--ledger PLACE`, or with `[ledger] enabled = true`.
/// Each record has the hash of the one before, so that an edit or a removal
/// shows.
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    pub(crate) command: LedgerCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    Show(ShowArgs),
    Verify(VerifyArgs),
    Trend(TrendArgs),
    Export(ExportArgs),
    VerifyExport(VerifyExportArgs),
}

/// Print records, the oldest first
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Only the last N records
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) last: u64,
    /// Only runs of this command, for example `done`
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Option<String>,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
}

/// Show how the runs of each check went over time
///
/// One line for each check of `ci` and for each other command: how many runs
/// had which verdict, and the runs in their order: `.` confirmed, `?`
/// undecided, `x` refuted.
#[derive(Debug, Args)]
pub(crate) struct TrendArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Only the last N records
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) last: u64,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: PlainFormat,
}

/// Verify that the chain of records is whole
///
/// Finds records that were edited, removed from the middle or reordered.
/// Records removed from the end leave a whole chain: keep the head that this
/// prints in another place, and pass it with --expect-head the next time.
///
/// Exit codes: 0 the chain is whole, 1 it is broken, 2 there is no record, 3
/// could not run.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Hash of a record that must still be in the chain
    #[arg(long, value_name = "HASH")]
    pub(crate) expect_head: Option<String>,
    /// Minimum number of records
    #[arg(long, value_name = "N")]
    pub(crate) expect_count: Option<u64>,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
}

/// Export records as signed statements
///
/// Prints one DSSE envelope per line, with an in-toto statement that holds the
/// record. Anyone with the public key can verify it without the ledger.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Ed25519 private key in PKCS#8 PEM form
    #[arg(long, value_name = "KEY")]
    pub(crate) sign: PathBuf,
    /// Only the last N records
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) last: u64,
    /// Only runs of this command, for example `done`
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Option<String>,
    /// Write the envelopes to this file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// Verify the signatures of an export
///
/// Exit codes: 0 every line is signed by this key, 1 one is not, 2 there is no
/// line, 3 could not run.
#[derive(Debug, Args)]
pub(crate) struct VerifyExportArgs {
    /// Export; `-` reads standard input
    #[arg(value_name = "EXPORT")]
    pub(crate) export: PathBuf,
    /// Ed25519 public key in SPKI PEM form
    #[arg(long, value_name = "KEY")]
    pub(crate) public_key: PathBuf,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FileArg {
    /// Ledger: a file, the URL of a PostgreSQL database, or `env:NAME` of a variable that holds one;
    /// default the configured one, else `.crosscheck/ledger.db` in the project
    #[arg(value_name = "PLACE")]
    pub(crate) file: Option<PathBuf>,
}
