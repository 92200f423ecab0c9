//! What can be typed. One file for each command; this one is their index.

pub(crate) mod asking;
pub(crate) mod attest;
pub(crate) mod batch;
pub(crate) mod chosen;
pub(crate) mod ci;
pub(crate) mod claims;
pub(crate) mod done;
pub(crate) mod judge;
pub(crate) mod ledger;
pub(crate) mod pr;
pub(crate) mod sources;
pub(crate) mod talk;
pub(crate) mod trace;

use std::path::PathBuf;
use std::time::Duration;

mod check;
mod contract;
mod enforce;
mod examples;
mod outputs;
mod quick;
mod rows;
pub(crate) mod workspace;

pub(crate) use check::{CheckArgs, CheckRunArgs};
pub(crate) use contract::{
    CompareArgs, CompareCommand, DecisionBundleArgs, DecisionBundleCommand, ValidateRegistryArgs,
    VerifyBundleSignatureArgs,
};
pub(crate) use enforce::EnforceArgs;
pub(crate) use examples::with_examples;
pub(crate) use outputs::{
    given_options, hashed_inputs, is_stream, is_url, note_inputs, note_paths, written,
};
pub(crate) use quick::QuickArgs;
pub(crate) use rows::{RowsArgs, RowsCommand, RowsInput, format_named};
use workspace::{TopVerifyArgs, WorkspaceArgs};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use crosscheck::config::seconds;
use crosscheck::render::Format;

pub(crate) const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("CROSSCHECK_COMMIT"),
    ")"
);

/// `5`, `0.5`, `5s` or `500ms`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds(text)?).map_err(|error| error.to_string())
}

/// The formats of reports, by their names.
fn report_format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::NAMES).try_map(|name| name.parse::<Format>())
}

/// Check what AI agents say against the facts
///
/// Agents end with "row saved", "see line 42", "all tests pass". crosscheck
/// checks each claim and prints a verdict.
///
/// Exit codes: 0 confirmed, 1 refuted, 2 undecided, 3 could not run, 4 drift
/// against an accepted baseline, 129, 130, 131 or 143 interrupted.
#[derive(Debug, Parser)]
#[command(name = "crosscheck", version = VERSION, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Say on standard error what happens inside, before the command: `error` to `trace`, which names every rule that is asked
    #[arg(long, value_name = "LEVEL")]
    log: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The program as far as `rows` and `quick` are concerned. Describing all the other
/// commands would cost a small run more than the check itself.
#[derive(Debug, Parser)]
#[command(name = "crosscheck")]
pub(crate) struct QuickCli {
    #[command(subcommand)]
    pub(crate) command: QuickCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum QuickCommand {
    Quick(Box<QuickArgs>),
    Rows(Box<RowsArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
    Rows(Box<RowsArgs>),
    Quick(Box<QuickArgs>),
    Check(Box<CheckArgs>),
    Enforce(Box<EnforceArgs>),
    Compare(CompareArgs),
    ValidateRegistry(ValidateRegistryArgs),
    DecisionBundle(DecisionBundleArgs),
    VerifyBundleSignature(VerifyBundleSignatureArgs),
    #[command(visible_alias = "cf-verify")]
    Claims(Box<claims::ClaimsArgs>),
    Sources(Box<sources::SourcesArgs>),
    Done(Box<done::DoneArgs>),
    Pr(Box<pr::PrArgs>),
    Trace(Box<trace::TraceArgs>),
    Verify(TopVerifyArgs),
    Workspace(WorkspaceArgs),
    Ci(Box<ci::CiArgs>),
    Init(InitArgs),
    Attest(attest::AttestArgs),
    Batch(Box<batch::BatchArgs>),
    Mcp(Box<batch::McpArgs>),
    Render(batch::RenderArgs),
    Ledger(ledger::LedgerArgs),
    Doctor(DoctorArgs),
    Explain(ExplainArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    #[command(hide = true)]
    Canonical(CanonicalArgs),
    #[command(hide = true)]
    Judge(judge::JudgeArgs),
    /// Print the text of the PDF on standard input; for crosscheck itself
    #[cfg(feature = "pdf")]
    #[command(hide = true)]
    PdfText(PdfTextArgs),
}

/// What is printed of a PDF.
#[cfg(feature = "pdf")]
#[derive(Debug, Args)]
pub(crate) struct PdfTextArgs {
    /// Print HTML with the links of the PDF, one paragraph on each line
    #[arg(long)]
    pub(crate) html: bool,
}

/// Take a one-minute tour with a sample database
///
/// Creates a small SQLite database and a log of tool calls in which one
/// claimed write never happened, and lets `rows` find it.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder for the files of the tour; default a new temporary folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}

/// Write a `crosscheck.toml` for what is in the project
///
/// Looks for logs, claims, documents with citations, traces, sessions, SQLite
/// files and variables that hold the URL of a database, and writes a check for
/// each kind. A file that is there is never replaced.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Print the file instead of creating it
    #[arg(long)]
    pub(crate) print: bool,
}

/// Show what is installed and reachable
///
/// Looks for databases (also the one that `DATABASE_URL` names), LLM command
/// lines, git and configuration. Nothing is changed. Exits with 2 if
/// something that you configured does not work.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: PlainFormat,
}

/// Formats of commands that report no verdict
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// Lines for people
    Human,
    /// One JSON document
    Json,
}

/// Explain a reason or error code
///
/// Prints what the code means, its severity, when it occurs and what to
/// do about it.
/// Without a code, lists all of them.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Code of a report, for example `ROW_ABSENT`
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: PlainFormat,
}

/// Print the JSON Schema of a document that crosscheck writes or reads
///
/// Without a name, lists the documents.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Document, for example `quick-report`
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// Print the completion script for a shell
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to complete for
    pub(crate) shell: Shell,
}

/// Print a manual page
///
/// Without a word, the page of the program goes to standard output; with the
/// name of a command, its page. A folder that exists gets a page for each command.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Name of a command, or folder for one page per command
    #[arg(value_name = "COMMAND|DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}

/// Canonical JSON, one text per line; for conformance tests
#[derive(Debug, Args)]
pub(crate) struct CanonicalArgs {
    /// Read JSON texts from standard input, one per line
    #[arg(long, required = true)]
    pub(crate) stdin: bool,
    /// Which canonical form
    #[arg(long, value_enum)]
    pub(crate) profile: Profile,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Profile {
    /// UTF-16 key order, ECMAScript numbers
    Rows,
    /// Code point key order, integers and doubles kept apart
    Trace,
}
