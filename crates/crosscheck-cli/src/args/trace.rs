//! `crosscheck trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use crosscheck::config::TraceSettings;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::talk::{PresentArgs, TalkArgs};

/// Check a reasoning run: plan, trace and evidence
///
/// Recomputes every id and hash, checks order, linkage and grounding, and
/// accepts a run only if everything holds. It proves where claims come from,
/// not that they are true. The run directory is never written to.
///
/// Exit codes: 0 accepted, 1 rejected, 3 could not run.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TraceCommand>,

    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Directory with `trace.jsonl`, `plan.json` and the evidence
    #[arg(value_name = "RUN_DIR", required_unless_present = "trace", conflicts_with_all = ["trace", "plan"])]
    pub(crate) run_dir: Option<PathBuf>,
    /// Trace file; `-` reads standard input
    #[arg(long, value_name = "FILE", requires = "plan")]
    pub(crate) trace: Option<PathBuf>,
    /// Plan file
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub(crate) plan: Option<PathBuf>,
    /// Root of evidence and sealed files; by default the run directory, or
    /// the directory of the trace file
    #[arg(long, value_name = "DIR", conflicts_with = "no_artifacts")]
    pub(crate) artifacts: Option<PathBuf>,
    /// Declare that there are no artifacts; a run with evidence is rejected
    #[arg(long)]
    pub(crate) no_artifacts: bool,
    /// Reject a trace file with another SHA-256; anyone can recompute ids and
    /// seals, but this hash comes from you
    #[arg(long, value_name = "HEX")]
    pub(crate) expect_trace_sha256: Option<String>,
    #[command(flatten)]
    pub(crate) chosen: Chosen<TraceSettings>,
    /// Print the report as JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write the report as JSON to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    Diff(DiffArgs),
    Seal(SealArgs),
}

/// Find the first difference between two traces
///
/// Compares events in normalised form and names the first one that differs.
/// Exit codes: 0 identical, 1 different, 3 could not run.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Run directory or trace file
    pub(crate) a: PathBuf,
    /// Run directory or trace file
    pub(crate) b: PathBuf,
    /// Print the difference as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Seal a run: write `manifest.json` and `fingerprint.txt`
///
/// Only a run that is accepted and has no other seal is sealed. The files of
/// the run are not touched. If sealing was interrupted, run it again.
#[derive(Debug, Args)]
pub(crate) struct SealArgs {
    /// Run directory
    #[arg(value_name = "RUN_DIR")]
    pub(crate) run_dir: PathBuf,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}
