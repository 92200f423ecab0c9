//! `crosscheck verify` and `crosscheck workspace …`.

use std::path::PathBuf;

use clap::Subcommand;
use crosscheck::config::WorkspaceSettings;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::{options, subcommands};

#[derive(Debug, Clone, Subcommand)]
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

subcommands!(WorkspaceCommand);

options! {
    "verify" TopVerifyArgs {
        place: PlaceArgs,
        verify: VerifyArgs,
    }
    "workspace" WorkspaceArgs {
        place: PlaceArgs,
        command: WorkspaceCommand,
    }
    "workspaces" PlaceArgs {
        workspaces_dir: Option<PathBuf>,
        no_colors: bool,
        project: Option<PathBuf>,
    }
    "workspace verify" VerifyArgs {
        name: String,
        report_path: Option<PathBuf>,
        json: bool,
        show_report: bool,
        verbose: bool,
        quiet: bool,
        dangerously_skip_permissions: bool,
        acceptance: Option<PathBuf>,
        wait: bool,
        detailed_exitcode: bool,
        chosen: Chosen<WorkspaceSettings>,
        record: LedgerOption,
    }
    "workspace accept-criteria" AcceptCriteriaArgs {
        name: String,
    }
    "workspace init" InitArgs {
        name: String,
        max_iterations: Option<u64>,
        delay: Option<u64>,
        mode: Option<String>,
    }
    "workspace setup" SetupArgs {
        name: String,
        from: PathBuf,
    }
    "workspace run" RunArgs {
        name: String,
        max_iterations: Option<u64>,
        delay: Option<u64>,
        no_delay: bool,
        verbose: bool,
        quiet: bool,
        dangerously_skip_permissions: bool,
        no_verify: bool,
    }
    "workspace show" ShowArgs {
        name: String,
        json: bool,
    }
    "workspace list" ListArgs {
        status: Option<String>,
        json: bool,
    }
    "workspace reset" ResetArgs {
        name: String,
        verification: bool,
    }
    "workspace parse-report" ParseReportArgs {
        file: PathBuf,
        json: bool,
    }
}
