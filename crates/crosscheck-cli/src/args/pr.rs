//! `crosscheck pr`.

use std::path::PathBuf;

use clap::Args;

use super::ledger::LedgerOption;
use super::talk::{PresentArgs, TalkArgs};

/// Check the text of a pull request against its diff
///
/// Reads what a text says about files, symbols, tests, numbers, commits,
/// scripts and results, and compares it with what git shows. Without a text,
/// the messages of the commits are checked, each against its own diff.
/// Nothing is checked out, and nothing of the repository is run.
///
/// Exit codes: 0 confirmed, 1 refuted, 2 undecided or nothing to check, 3
/// could not run.
#[derive(Debug, Args)]
pub(crate) struct PrArgs {
    /// Commit that the change is compared with: its last common commit with the head counts; default the base of the event
    #[arg(long, value_name = "REF", required_unless_present = "event")]
    pub(crate) base: Option<String>,
    /// Last commit of the change; default the head of the event, else `HEAD`
    #[arg(long, value_name = "REF")]
    pub(crate) head: Option<String>,
    /// Text of the pull request; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "event")]
    pub(crate) text: Option<PathBuf>,
    /// Event of GitHub Actions: title, body, review and comment are checked
    #[arg(long, value_name = "FILE")]
    pub(crate) event: Option<PathBuf>,
    /// Check the messages of the commits besides --text or --event
    #[arg(long)]
    pub(crate) commits: bool,
    /// Results of the checks: check runs of GitHub as JSON, or JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) checks: Option<PathBuf>,
    /// Accept a text that says nothing about the change
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Folder inside the repository; default the working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}
