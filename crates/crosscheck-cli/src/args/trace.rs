//! `crosscheck trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use crosscheck::render::Format;

use super::ledger::LedgerOption;
use super::report_format;
use super::talk::TalkArgs;

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
    /// Minimum number of citations per derived claim; can only raise the
    /// minimum of the trace itself
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_supports: u64,
    /// How derived claims are treated if the run declares insufficient
    /// evidence
    #[arg(long, value_enum, default_value_t = InsufficientArg::Marked)]
    pub(crate) insufficient: InsufficientArg,
    /// Reject a run without `manifest.json` or `fingerprint.txt`
    #[arg(long)]
    pub(crate) require_seal: bool,
    /// Reject a trace file with another SHA-256; anyone can recompute ids and
    /// seals, but this hash comes from you
    #[arg(long, value_name = "HEX")]
    pub(crate) expect_trace_sha256: Option<String>,
    /// Which metrics the report contains; never changes the verdict
    #[arg(long, value_enum, default_value_t = PolicyArg::Strict)]
    pub(crate) policy: PolicyArg,
    /// Maximum number of failures listed per check; all are counted
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = at_least_one)]
    pub(crate) max_failures: usize,
    /// Print the report as JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write the report as JSON to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PresentArgs {
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_parser = report_format())]
    pub(crate) format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InsufficientArg {
    /// They pass when each is clearly marked as insufficient
    Marked,
    /// They fail
    Forbid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// The metrics of the contract
    Strict,
    /// Additional metrics
    Audit,
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

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}
