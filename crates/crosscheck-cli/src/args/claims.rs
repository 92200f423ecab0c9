//! `crosscheck claims`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

/// Check the claims of a SubResult.v1 against the files and pages they name
///
/// Re-reads exactly what the evidence points to and says which claims stand.
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
    /// How much is at stake: low checks 5 % of the claims, medium 15 %, high 30 %
    #[arg(long, value_enum, default_value = "medium")]
    pub(crate) risk: RiskWord,
    /// Also write the report there; relative to the root
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Project root; default the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Share of the claims to check, from 0 to 1; overrides settings and risk
    #[arg(long, value_name = "RATE")]
    pub(crate) sample_rate: Option<String>,
    /// Which claims are checked
    #[arg(long, value_enum, default_value = "first")]
    pub(crate) select: SelectWord,
    /// Seed of random and stratified selection
    #[arg(long, value_name = "TEXT", default_value = "0")]
    pub(crate) seed: String,
    /// Whether one good evidence item is enough
    #[arg(long, value_enum, default_value = "any")]
    pub(crate) evidence_mode: EvidenceWord,
    /// How a quote may differ from the file
    #[arg(long, value_enum, default_value = "eol")]
    pub(crate) quote_match: QuoteWord,
    /// Lines added on both sides of a range before the quote is searched
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) line_slack: u64,
    /// What an unclear judgement means
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) on_unclear: UnclearWord,
    /// Fail a quote whose `quote_hash` is not its hash
    #[arg(long)]
    pub(crate) strict_hash: bool,
    /// Refuse a document that breaks the SubResult.v1 schema anywhere
    #[arg(long)]
    pub(crate) strict_schema: bool,
    /// Refuse evidence outside the root; always on with a model judge
    #[arg(long)]
    pub(crate) confine: bool,
    /// Lift confinement
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Allow one more folder under confinement
    #[arg(long, value_name = "DIR", action = ArgAction::Append)]
    pub(crate) allow_path: Vec<PathBuf>,
    /// Verify `byte_range`, `json_path` and `stack_signature` locators too
    #[arg(long)]
    pub(crate) extended: bool,
    /// Never touch the network
    #[arg(long)]
    pub(crate) offline: bool,
    /// Allow private and loopback addresses to be fetched
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Allow one more network to be fetched from
    #[arg(long, value_name = "NET", action = ArgAction::Append)]
    pub(crate) allow_cidr: Vec<String>,
    /// Refuse http pages
    #[arg(long)]
    pub(crate) require_https: bool,
    /// Follow redirects from https to http
    #[arg(long)]
    pub(crate) allow_downgrade: bool,
    /// Seconds for one page, redirects included
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub(crate) timeout: u64,
    /// Seconds before the one retry of a page
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) retry_wait: u64,
    /// Search command and its arguments, up to a lone `;` or the end
    #[arg(long, value_name = "ARGV", num_args = 1.., value_terminator = ";", allow_hyphen_values = true)]
    pub(crate) search_command: Vec<String>,
    /// Who says whether a text supports a claim
    #[arg(long, value_enum, default_value = "builtin")]
    pub(crate) judge: JudgeWord,
    /// Judge command and its arguments, up to a lone `;` or the end; `{prompt}` becomes the question
    #[arg(long, value_name = "ARGV", num_args = 1.., value_terminator = ";", allow_hyphen_values = true)]
    pub(crate) judge_command: Vec<String>,
    /// Base URL of an OpenAI-compatible endpoint
    #[arg(long, value_name = "URL")]
    pub(crate) judge_url: Option<String>,
    /// Model of the endpoint
    #[arg(long, value_name = "NAME")]
    pub(crate) judge_model: Option<String>,
    /// Environment variable that holds the key of the endpoint
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) judge_api_key_env: Option<String>,
    /// Ask the endpoint for structured output
    #[arg(long)]
    pub(crate) judge_structured: bool,
    /// File of recorded answers for `--judge replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) judge_replay: Option<PathBuf>,
    /// Seconds for one question
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) judge_timeout: u64,
    /// Who answers when the model judge fails
    #[arg(long, value_enum, value_name = "JUDGE")]
    pub(crate) judge_fallback: Option<BuiltinWord>,
    /// Ask the model only where this judge is unclear
    #[arg(long, value_enum, value_name = "JUDGE")]
    pub(crate) judge_first: Option<BuiltinWord>,
    /// The most questions of a run
    #[arg(long, value_name = "N")]
    pub(crate) judge_budget: Option<u64>,
    /// Do not remember answers of a model judge
    #[arg(long)]
    pub(crate) no_judge_cache: bool,
    /// Folder of remembered answers; default in the user's cache folder
    #[arg(long, value_name = "DIR")]
    pub(crate) judge_cache: Option<PathBuf>,
    /// Do not keep the report, whatever the settings say
    #[arg(long)]
    pub(crate) no_persist: bool,
    /// Do not read the settings file
    #[arg(long)]
    pub(crate) ignore_settings: bool,
    /// Write the detailed result there
    #[arg(long, value_name = "PATH")]
    pub(crate) details: Option<PathBuf>,
    /// What standard output carries
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: FormatWord,
    /// One-line JSON
    #[arg(long)]
    pub(crate) compact: bool,
    /// Larger files are unverified
    #[arg(long, value_name = "BYTES", default_value_t = 268_435_456)]
    pub(crate) max_file_bytes: u64,
    /// Longer snippets are unverified
    #[arg(long, value_name = "BYTES", default_value_t = 1_048_576)]
    pub(crate) max_snippet_bytes: u64,
    /// Parallel checks; default the number of cores
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RiskWord {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SelectWord {
    First,
    All,
    Random,
    Stratified,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EvidenceWord {
    Any,
    All,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum QuoteWord {
    Exact,
    Eol,
    Whitespace,
    Loose,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum UnclearWord {
    Auto,
    Pass,
    Partial,
    Fail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeWord {
    Builtin,
    Command,
    Http,
    Replay,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum BuiltinWord {
    Builtin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatWord {
    Human,
    Json,
    Ndjson,
    Junit,
    Sarif,
    Markdown,
    Html,
    Github,
}
