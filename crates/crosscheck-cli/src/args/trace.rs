//! `crosscheck trace`.

use std::path::PathBuf;

use clap::Subcommand;
use crosscheck::config::TraceSettings;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::{options, subcommands};
use super::talk::{PresentArgs, TalkArgs};

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum TraceCommand {
    Diff(DiffArgs),
    Seal(SealArgs),
}

subcommands!(TraceCommand);

options! {
    "trace" TraceArgs {
        command: Option<TraceCommand>,
        verify: VerifyArgs,
    }
    "a run to verify" VerifyArgs {
        run_dir: Option<PathBuf>,
        trace: Option<PathBuf>,
        plan: Option<PathBuf>,
        artifacts: Option<PathBuf>,
        no_artifacts: bool,
        expect_trace_sha256: Option<String>,
        chosen: Chosen<TraceSettings>,
        json: bool,
        out: Option<PathBuf>,
        record: LedgerOption,
        presented: PresentArgs,
        talk: TalkArgs,
    }
    "trace diff" DiffArgs {
        a: PathBuf,
        b: PathBuf,
        json: bool,
        talk: TalkArgs,
    }
    "trace seal" SealArgs {
        run_dir: PathBuf,
        talk: TalkArgs,
    }
}
