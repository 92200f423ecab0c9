//! `crosscheck sources`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use crosscheck::render::Format;
use crosscheck::sources::read::document;

use super::asking::AskingArgs;
use super::fetching::{FetchingArgs, time};
use super::ledger::LedgerOption;
use super::report_format;
use super::talk::ColorArg;

/// Check that cited pages exist and say what they are cited for
///
/// With --log, checks the sources of a debate log: each result is sent to the
/// Chair and appended to the log, once or, with --watch, for as long as the
/// debate goes on. With files, checks the citations of Markdown, HTML, JSON,
/// JSON Lines, reStructuredText, AsciiDoc, LaTeX, BibTeX, notebooks, Word
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
    /// What the debate or document is about
    #[arg(long, value_name = "TEXT")]
    pub(crate) topic: Option<String>,
    /// Language of the claims
    #[arg(long, value_name = "TAG", default_value = "en")]
    pub(crate) lang: String,
    /// Configuration in place of crosscheck.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Configuration of lychee that counts as your own; a lychee.toml found in the project may only tighten
    #[arg(long, value_name = "FILE")]
    pub(crate) lychee_config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) debate: DebateArgs,
    #[command(flatten)]
    pub(crate) judging: JudgingArgs,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    /// Print less on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print more on standard error
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// The debate and its Chair.
#[derive(Debug, Args)]
#[command(next_help_heading = "Debates")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
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
    #[arg(long, value_name = "PATH")]
    pub(crate) inbox: Option<PathBuf>,
    /// Read the inbox file from its start, not from its end
    #[arg(long)]
    pub(crate) inbox_from_start: bool,
    /// Take the Chair's requests by POST /messages
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Environment variable with the token that --listen asks for
    #[arg(long, value_name = "NAME")]
    pub(crate) listen_token_env: Option<String>,
    /// Where messages go: `-`, a file, `cmd:PROGRAM ARGS`, `http://127.0.0.1:PORT/…`
    #[arg(long, value_name = "CHANNEL", default_value = "-")]
    pub(crate) outbox: String,
    /// One JSON object for each message, or its text alone
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) outbox_format: MessageFormat,
    /// Allow an outbox on another machine
    #[arg(long)]
    pub(crate) allow_remote_outbox: bool,
    /// Share of sources checked without a request while following; default 0.5
    #[arg(long, value_name = "SHARE")]
    pub(crate) spot_check_rate: Option<f64>,
    /// Seconds an entry waits for a notification of the Chair
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = time)]
    pub(crate) grace: Duration,
    /// End after the Chair's conclusion
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub(crate) exit_on_conclusion: bool,
    /// Seconds to wait for the lock of the log
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = time)]
    pub(crate) lock_timeout: Duration,
    /// Write results with four keys, without details
    #[arg(long)]
    pub(crate) minimal_content: bool,
    /// Write lint findings into the log too
    #[arg(long)]
    pub(crate) log_lint: bool,
    /// Judge a known URL again when it is cited for something else
    #[arg(long)]
    pub(crate) rejudge: bool,
    /// Write suspect results as this status, marked `SUSPECT:`
    #[arg(long, value_enum)]
    pub(crate) suspect_as: Option<SuspectAs>,
}

/// What counts as support.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judging")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct JudgingArgs {
    /// File with unreliable domains, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) unreliable_domains: Option<PathBuf>,
    /// URL of an archive, with `{url}` or `{url_encoded}` in it
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) archive: Option<String>,
    /// A missing page with an archived copy is suspect, not fabricated
    #[arg(long)]
    pub(crate) archive_404: bool,
    /// Name the archived copy of a page that is gone; needs --archive
    #[arg(long)]
    pub(crate) suggest: bool,
    /// Judge search results on their page, not on their snippet
    #[arg(long)]
    pub(crate) search_fetch: bool,
    /// Request a page that cannot exist from each site, to recognise its "not found" page
    #[arg(long)]
    pub(crate) probe_soft_404: bool,
    /// Treat a source as unreliable if a model judge calls it biased
    #[arg(long)]
    pub(crate) judge_bias: bool,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
}

/// How documents are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Documents")]
pub(crate) struct ReadingArgs {
    /// How documents are read; default by their names
    #[arg(long, value_name = "INPUT_FORMAT", value_parser = document_format())]
    pub(crate) input_format: Option<document::Format>,
    /// Read only these text fields of JSON and JSON Lines; default every field with a citation
    #[arg(long, value_name = "NAME")]
    pub(crate) field: Vec<String>,
    /// Read code blocks too
    #[arg(long)]
    pub(crate) include_code: bool,
    /// Do not resolve DOI, arXiv and PMID identifiers
    #[arg(long)]
    pub(crate) no_identifiers: bool,
    /// Check only URLs that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) include: Vec<String>,
    /// Skip URLs that match this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// Which links are checked; `all` adds links to local files and places in them
    #[arg(long, value_enum, default_value = "web")]
    pub(crate) links: Links,
    /// With --links all, the address of the site that local links belong to
    #[arg(long, value_name = "URL", value_parser = web_address)]
    pub(crate) base_url: Option<crosscheck::fetch::Url>,
    /// In folders, read only files that match this pattern; default documents by their names
    #[arg(long, value_name = "GLOB")]
    pub(crate) include_files: Vec<String>,
    /// In folders and patterns, skip files that match this pattern
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude_files: Vec<String>,
    /// List what would be checked, and check nothing
    #[arg(long)]
    pub(crate) dump: bool,
}

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    /// How to print the report; default human
    #[arg(long, value_name = "FORMAT", value_parser = report_format())]
    pub(crate) format: Option<Format>,
    /// Write the report into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the JSON report into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// When to use colours; `auto` depends on the terminal, `NO_COLOR` and `TERM`
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorArg,
    /// Write lint findings into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) lint_out: Option<PathBuf>,
    /// Read the answers of a person to open citations from this file, and add what is open to it
    #[arg(long, value_name = "FILE", conflicts_with = "log")]
    pub(crate) decisions: Option<PathBuf>,
    /// Accept a run without any citation that can be checked
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Exit with 1 at this severity or worse
    #[arg(long, value_enum, default_value = "unreliable")]
    pub(crate) fail_on: Border,
}

impl ReportArgs {
    /// Whether standard output is a report for people.
    pub(crate) fn is_for_people(&self) -> bool {
        let is_human = self.format.is_none_or(|format| format == Format::Human);
        self.output.is_none() && is_human
    }
}

/// How pages are fetched.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct WebArgs {
    /// Before a cited URL is fetched, replace what the regular expression FROM matches with TO; `$1` is its first group
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    pub(crate) remap: Vec<String>,
    /// Number of parallel checks; default 4
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) fetching: FetchingArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// One JSON object on a line
    Json,
    /// The text alone
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuspectAs {
    /// For readers that know only three statuses
    Unreliable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Links {
    /// Pages of the web
    Web,
    /// Local files and places in them, and places in pages of the web, too
    All,
}

/// The formats of documents, and what is read of each.
const DOCUMENTS: [(&str, &str); 10] = [
    ("markdown", "Links, footnotes, lists of sources"),
    ("jsonl", "One JSON object on each line"),
    ("json", "One JSON value"),
    ("html", "Links and notes of HTML"),
    ("rst", "reStructuredText"),
    ("adoc", "AsciiDoc"),
    ("tex", "LaTeX"),
    ("bib", "BibTeX"),
    (
        "notebook",
        "The Markdown and raw cells of a Jupyter notebook",
    ),
    ("text", "Plain text: bare URLs, links, lists of sources"),
];

fn document_format() -> impl TypedValueParser<Value = document::Format> {
    let known = DOCUMENTS.map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(known)
        .try_map(|name| document::Format::from_word(&name).ok_or("unknown format"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Border {
    /// Only fabricated sources
    Fabricated,
    /// Fabricated and unreliable ones
    Unreliable,
    /// Everything that is not verified
    Suspect,
    /// As unreliable, and lint findings too
    Lint,
}

fn web_address(text: &str) -> Result<crosscheck::fetch::Url, String> {
    let url = crosscheck::fetch::Url::parse(text).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| "write a web address such as https://example.org/docs/".to_owned())
}
