//! `crosscheck rows`: what an agent logged against the database it wrote to.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Subcommand;
use crosscheck::config::RowsSettings;
use crosscheck::rows::InputFormat;

use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::{options, subcommands};
use super::talk::PresentArgs;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum RowsCommand {
    Learn(RowsLearnArgs),
}

subcommands!(RowsCommand);

options! {
    "rows" RowsArgs {
        command: Option<RowsCommand>,
        input: RowsInput,
        presented: PresentArgs,
        explain: bool,
        quiet: bool,
        record: LedgerOption,
    }
    "logs and database" RowsInput {
        logs: Vec<PathBuf>,
        db: Vec<OsString>,
        postgres_url: Option<OsString>,
        mysql_url: Option<OsString>,
        chosen: Chosen<RowsSettings>,
    }
    "rows learn" RowsLearnArgs {
        input: RowsInput,
    }
}

/// The format of a name that is listed.
pub(crate) fn format_named(name: &str) -> InputFormat {
    name.parse().map_or(InputFormat::Auto, InputFormat::Is)
}
