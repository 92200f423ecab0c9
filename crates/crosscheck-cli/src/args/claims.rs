//! `crosscheck claims`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use crosscheck::claims::plan::Selection;
use crosscheck::claims::{EvidenceMode, OnUnclear, QuoteLevel, Risk};
use crosscheck::render::Format;

use super::asking::AskingArgs;
use super::fetching::FetchingArgs;
use super::ledger::LedgerOption;
use super::report_format;
use super::talk::TalkArgs;

/// Check the claims of a SubResult.v1 against the files and pages they name
///
/// Re-reads exactly what the evidence points to and says which claims hold.
/// Standard output is one VerifyReport.v1, whatever happens, unless another
/// `--format` is asked for. Exit codes: 0 ok, 1 failed, 2 partial, 3 could not
/// run.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct ClaimsArgs {
    /// Document to verify: a file, the JSON itself, or `-` for standard input; may be repeated
    #[arg(
        long,
        value_name = "FILE|JSON|-",
        allow_hyphen_values = true,
        required_unless_present = "batch"
    )]
    pub(crate) result: Vec<String>,
    /// Verify every document of a folder or a pattern, sorted by path
    #[arg(long, value_name = "DIR|GLOB")]
    pub(crate) batch: Vec<String>,
    /// How much is at stake: low checks 5 % of the claims, medium (default) 15 %, high 30 %
    #[arg(long, value_enum)]
    pub(crate) risk: Option<RiskWord>,
    /// Also write the report to this file, relative to the root
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Project root; default the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Share of the claims to check, from 0 to 1; overrides settings and risk
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    pub(crate) sample_rate: Option<String>,
    /// Which claims are checked; default first
    #[arg(long, value_enum)]
    pub(crate) select: Option<SelectWord>,
    /// Seed of random and stratified selection; default 0. `cf-verify` takes it from the document
    #[arg(long, value_name = "TEXT", allow_negative_numbers = true)]
    pub(crate) seed: Option<String>,
    /// Whether one good evidence item is enough; default any
    #[arg(long, value_enum)]
    pub(crate) evidence_mode: Option<EvidenceWord>,
    /// How a quote may differ from the file; default eol
    #[arg(long, value_enum)]
    pub(crate) quote_match: Option<QuoteWord>,
    /// Lines added on both sides of a range before the quote is searched; default 0
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) line_slack: Option<u64>,
    /// How to count a claim the judge cannot decide; default auto
    #[arg(long, value_enum)]
    pub(crate) on_unclear: Option<UnclearWord>,
    /// Fail evidence whose `quote_hash` does not match its quote
    #[arg(long)]
    pub(crate) strict_hash: bool,
    /// Refuse a document that breaks the SubResult.v1 schema anywhere
    #[arg(long)]
    pub(crate) strict_schema: bool,
    /// Refuse evidence outside the root; always on with a model judge
    #[arg(long)]
    pub(crate) confine: bool,
    /// Allow evidence outside the root
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Allow one more folder under confinement
    #[arg(long, value_name = "DIR", action = ArgAction::Append)]
    pub(crate) allow_path: Vec<PathBuf>,
    /// Verify `byte_range`, `json_path` and `stack_signature` locators too
    #[arg(long)]
    pub(crate) extended: bool,
    /// Search command and its arguments, up to a lone `;` or the end
    #[arg(long, value_name = "ARGV", num_args = 1.., value_terminator = ";", allow_hyphen_values = true)]
    pub(crate) search_command: Vec<String>,
    /// Do not keep the report, whatever the settings say
    #[arg(long)]
    pub(crate) no_persist: bool,
    /// Do not read the settings file
    #[arg(long)]
    pub(crate) ignore_settings: bool,
    /// Write the detailed result to this file
    #[arg(long, value_name = "PATH")]
    pub(crate) details: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "json", value_parser = report_format())]
    pub(crate) format: Format,
    /// Write the result of --format to this file; standard output then has the JSON report
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// One-line JSON
    #[arg(long)]
    pub(crate) compact: bool,
    /// Maximum file size; larger files stay unverified; default 268435456
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub(crate) max_file_bytes: Option<u64>,
    /// Maximum snippet size; longer snippets stay unverified; default 1048576
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    pub(crate) max_snippet_bytes: Option<u64>,
    /// Parallel checks; default the number of cores
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) jobs: Option<usize>,
    /// Configuration in place of crosscheck.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Whether it was called as `cf-verify`, which is what an agent calls
    #[arg(skip)]
    pub(crate) by_agent: bool,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
    #[command(flatten)]
    pub(crate) fetching: FetchingArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RiskWord {
    Low,
    Medium,
    High,
}

impl From<RiskWord> for Risk {
    fn from(word: RiskWord) -> Self {
        match word {
            RiskWord::Low => Self::Low,
            RiskWord::Medium => Self::Medium,
            RiskWord::High => Self::High,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SelectWord {
    First,
    All,
    Random,
    Stratified,
}

impl From<SelectWord> for Selection {
    fn from(word: SelectWord) -> Self {
        match word {
            SelectWord::First => Self::First,
            SelectWord::All => Self::All,
            SelectWord::Random => Self::Random,
            SelectWord::Stratified => Self::Stratified,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EvidenceWord {
    Any,
    All,
}

impl From<EvidenceWord> for EvidenceMode {
    fn from(word: EvidenceWord) -> Self {
        match word {
            EvidenceWord::Any => Self::Any,
            EvidenceWord::All => Self::All,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum QuoteWord {
    Exact,
    Eol,
    Whitespace,
    Loose,
}

impl From<QuoteWord> for QuoteLevel {
    fn from(word: QuoteWord) -> Self {
        match word {
            QuoteWord::Exact => Self::Exact,
            QuoteWord::Eol => Self::Eol,
            QuoteWord::Whitespace => Self::Whitespace,
            QuoteWord::Loose => Self::Loose,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UnclearWord {
    Auto,
    Pass,
    Partial,
    Fail,
}

impl From<UnclearWord> for OnUnclear {
    fn from(word: UnclearWord) -> Self {
        match word {
            UnclearWord::Auto => Self::Auto,
            UnclearWord::Pass => Self::Pass,
            UnclearWord::Partial => Self::Partial,
            UnclearWord::Fail => Self::Fail,
        }
    }
}
