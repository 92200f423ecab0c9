//! `crosscheck sources`: what a run is given. How it checks is in the tables
//! `[sources]`, `[fetch]` and `[judge]` of the configuration, whose keys are options, too.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use crosscheck::config::{Layer, SourcesSettings, WebSettings};

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::talk::{PresentArgs, TalkArgs};

/// Check that cited pages exist and say what they are cited for
///
/// With --log, checks the sources of a debate log: each result is sent to the
/// Chair and appended to the log, once or, with --watch, for as long as the
/// debate goes on. With files, checks the citations of Markdown, HTML, JSON,
/// JSON Lines, reStructuredText, LaTeX, BibTeX, notebooks, Word
/// documents, PDFs or plain text and prints a report. Only public addresses
/// are contacted.
///
/// Exit codes: 0 everything confirmed, 1 something refuted, 2 something could
/// not be decided or a document has nothing to check, 3 could not run.
#[derive(Debug, Args)]
pub(crate) struct SourcesArgs {
    /// Documents, folders or patterns such as 'docs/**/*.md' to check; `-` reads standard input
    #[arg(value_name = "FILE", conflicts_with = "log")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Check the documents that this file names too, one on each line; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    pub(crate) files_from: Option<PathBuf>,
    /// Configuration in place of crosscheck.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// List what would be checked, and check nothing
    #[arg(long)]
    pub(crate) dump: bool,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    chosen: Chosen<SourcesSettings>,
    #[command(flatten)]
    asking: AskingArgs,
    #[command(flatten)]
    web: Chosen<WebSettings>,
    #[command(flatten)]
    pub(crate) debate: DebateArgs,
}

impl SourcesArgs {
    /// What was typed, as a layer of the configuration.
    pub(crate) fn layer(&self) -> Layer {
        let (chosen, web) = (self.chosen.values.clone(), self.web.values.clone());
        Layer::of_options([chosen, web, self.asking.values()].concat())
    }
}

/// The debate and its Chair.
#[derive(Debug, Args)]
#[command(next_help_heading = "Debates")]
pub(crate) struct DebateArgs {
    /// Folder of the debate, or its debate-log.jsonl; default the variable `DEBATE_OUTPUT_DIR`
    #[arg(long, value_name = "PATH")]
    pub(crate) log: Option<PathBuf>,
    /// Check only these entries, including struck ones
    #[arg(long, value_name = "N", num_args = 1.., conflicts_with = "watch")]
    pub(crate) seq: Vec<u64>,
    /// Follow the log until the debate ends
    #[arg(long)]
    pub(crate) watch: bool,
    /// Where the Chair's requests come from: `-`, a file or a FIFO
    #[arg(long, value_name = "PATH", requires = "watch")]
    pub(crate) inbox: Option<PathBuf>,
    /// Read the inbox file from its start, not from its end
    #[arg(long)]
    pub(crate) inbox_from_start: bool,
    /// Take the Chair's requests by POST /messages
    #[arg(long, value_name = "ADDRESS", requires = "watch")]
    pub(crate) listen: Option<SocketAddr>,
    /// Where messages go: `-`, a file, `cmd:PROGRAM ARGS`, `http://127.0.0.1:PORT/…`
    #[arg(long, value_name = "CHANNEL", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(crate) outbox: String,
}

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
    /// Write the JSON report into this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,
    /// Write lint findings into this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) lint_out: Option<PathBuf>,
    /// Read the answers of a person to open citations from this file, and add what is open to it
    #[arg(long, value_name = "FILE", conflicts_with = "log", value_hint = ValueHint::FilePath)]
    pub(crate) decisions: Option<PathBuf>,
}
