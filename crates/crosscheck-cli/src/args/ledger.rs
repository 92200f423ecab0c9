//! `crosscheck ledger`, and the option of the commands that record their runs.

use std::path::PathBuf;

use clap::Subcommand;

use super::PlainFormat;
use super::options::{options, subcommands};
use super::talk::PresentArgs;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum LedgerCommand {
    Show(ShowArgs),
    Verify(VerifyArgs),
    Trend(TrendArgs),
    Export(ExportArgs),
    VerifyExport(VerifyExportArgs),
}

subcommands!(LedgerCommand);

options! {
    "recording" LedgerOption {
        ledger: Option<PathBuf>,
    }
    "ledger" LedgerArgs {
        command: LedgerCommand,
    }
    "ledger show" ShowArgs {
        file: FileArg,
        last: u64,
        command: Option<String>,
        presented: PresentArgs,
    }
    "ledger trend" TrendArgs {
        file: FileArg,
        last: u64,
        format: PlainFormat,
    }
    "ledger verify" VerifyArgs {
        file: FileArg,
        expect_head: Option<String>,
        expect_count: Option<u64>,
        presented: PresentArgs,
    }
    "ledger export" ExportArgs {
        file: FileArg,
        sign: PathBuf,
        last: u64,
        command: Option<String>,
        output: Option<PathBuf>,
    }
    "ledger verify-export" VerifyExportArgs {
        export: PathBuf,
        public_key: PathBuf,
        presented: PresentArgs,
    }
    "a ledger" FileArg {
        file: Option<PathBuf>,
    }
}
