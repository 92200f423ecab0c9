//! `crosscheck verify` and `crosscheck workspace …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use crosscheck::config::WorkspaceSettings;

use super::chosen::Chosen;
use super::ledger::LedgerOption;

/// Verify that the work of a workspace is really complete
///
/// An LLM CLI examines the deliverables against the instructions and writes a
/// report; the report is parsed, and declared acceptance criteria and the
/// files it names are checked as well. Typical duration: 5-15 s for quick,
/// 15-30 s for standard, 30-60 s for deep.
///
/// Exit codes: 0 passed, 1 failed, needs review or could not be verified;
/// 129, 130, 131 or 143 interrupted. With --detailed-exitcode: 0 passed,
/// 1 failed, 2 needs review, 3 could not be verified.
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct TopVerifyArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) verify: VerifyArgs,
}

/// Work with workspaces: create, run, verify
///
/// A workspace holds the instructions of a task, the state of the agent loop
/// that works on it, and the report about its completion. Workspaces of
/// claude-iterate work unchanged.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(subcommand)]
    pub(crate) command: WorkspaceCommand,
}

#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Folder that holds the workspaces
    #[arg(long, value_name = "PATH", global = true, value_hint = ValueHint::DirPath)]
    pub(crate) workspaces_dir: Option<PathBuf>,
    /// Plain text without colours
    #[arg(long, global = true)]
    pub(crate) no_colors: bool,
    /// Project folder; default the current folder
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkspaceCommand {
    Verify(VerifyArgs),
    #[command(
        about = "Check declared criteria alone, without an LLM",
        long_about = "Check declared criteria alone, without an LLM\n\nThe same as `verify --judge none`: acceptance criteria decide, and without any there is no pass."
    )]
    Check(VerifyArgs),
    Init(InitArgs),
    Setup(SetupArgs),
    Run(RunArgs),
    Show(ShowArgs),
    #[command(visible_alias = "ls")]
    List(ListArgs),
    Reset(ResetArgs),
    AcceptCriteria(AcceptCriteriaArgs),
    ParseReport(ParseReportArgs),
}

/// Verify that the work is really complete
///
/// An LLM CLI examines the deliverables and writes a report; the report is
/// parsed and checked. The same as `crosscheck verify`.
#[derive(Debug, Args)]
#[command(args_override_self = true)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct VerifyArgs {
    /// Workspace to verify
    #[arg(value_name = "WORKSPACE-NAME")]
    pub(crate) name: String,
    /// Where to write the report, absolute or relative to the workspace;
    /// default verification-report.md
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) report_path: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Also print the full report
    #[arg(long)]
    pub(crate) show_report: bool,
    /// Show the full output of the LLM
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Skip permission prompts of the LLM CLI, for this call only
    #[arg(long)]
    pub(crate) dangerously_skip_permissions: bool,
    /// Acceptance criteria; default ACCEPTANCE.json of the workspace
    #[arg(long, value_name = "FILE")]
    pub(crate) acceptance: Option<PathBuf>,
    /// Wait for a running verification of the same workspace
    #[arg(long)]
    pub(crate) wait: bool,
    /// Exit with 1 for fail, 2 for needs review and 3 for errors
    #[arg(long)]
    pub(crate) detailed_exitcode: bool,
    #[command(flatten)]
    pub(crate) chosen: Chosen<WorkspaceSettings>,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
}

/// Accept changed instructions and criteria
///
/// When instructions or acceptance criteria change while an agent or a judge
/// is at work, every later verification reports `CRITERIA_CHANGED`. Compare them
/// with what you asked for, then call this to work with them as they are.
#[derive(Debug, Args)]
pub(crate) struct AcceptCriteriaArgs {
    /// Workspace whose instructions and criteria you accept
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

/// Create a workspace
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct InitArgs {
    /// Name of the new workspace
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Iterations of one run; default 50 in loop mode, 20 in iterative mode
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_iterations: Option<u64>,
    /// Seconds between iterations; default 2
    #[arg(short, long, value_name = "S")]
    pub(crate) delay: Option<u64>,
    /// How the agent works: loop or iterative; default loop
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,
}

/// Write the instructions of a workspace
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct SetupArgs {
    /// Workspace
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// File to copy the instructions from
    #[arg(long, value_name = "FILE")]
    pub(crate) from: PathBuf,
}

/// Run the agent loop, then verify, then resume with what is missing
#[derive(Debug, Args)]
#[command(args_override_self = true)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct RunArgs {
    /// Workspace to run
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Maximum number of iterations; default as in the workspace
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_iterations: Option<u64>,
    /// Seconds between iterations; default as in the workspace
    #[arg(short, long, value_name = "S")]
    pub(crate) delay: Option<u64>,
    /// No pause between iterations
    #[arg(long)]
    pub(crate) no_delay: bool,
    /// Show the full output of the LLM
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Skip permission prompts of the LLM CLI, for this run only
    #[arg(long)]
    pub(crate) dangerously_skip_permissions: bool,
    /// Do not verify when the agent says complete
    #[arg(long)]
    pub(crate) no_verify: bool,
}

/// Show the state of a workspace
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Workspace
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// List all workspaces
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only those with this status: `in_progress`, completed or error
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reset counters and status of a workspace
#[derive(Debug, Args)]
pub(crate) struct ResetArgs {
    /// Workspace
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Forget the verification record, too
    #[arg(long)]
    pub(crate) verification: bool,
}

/// Parse a verification report, without workspace and LLM
#[derive(Debug, Args)]
pub(crate) struct ParseReportArgs {
    /// The report
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
