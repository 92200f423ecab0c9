//! `crosscheck claims`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use crosscheck::config::{ClaimsSettings, Layer, WebSettings};
use crosscheck::render::Format;

use super::asking::AskingArgs;
use super::chosen::Chosen;
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
        required_unless_present = "batch", value_hint = ValueHint::AnyPath)]
    pub(crate) result: Vec<String>,
    /// Verify every document of a folder or a pattern, sorted by path
    #[arg(long, value_name = "DIR|GLOB")]
    pub(crate) batch: Vec<String>,
    /// Also write the report to this file, relative to the root
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    /// Project root; default the current folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Allow evidence outside the root
    #[arg(long)]
    pub(crate) allow_outside_root: bool,
    /// Do not read the settings file
    #[arg(long)]
    pub(crate) ignore_settings: bool,
    /// Write the detailed result to this file
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) details: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "json", value_parser = report_format())]
    pub(crate) format: Format,
    /// Write the result of --format to this file; standard output then has the JSON report
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// One-line JSON
    #[arg(long)]
    pub(crate) compact: bool,
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
    chosen: Chosen<ClaimsSettings>,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
    #[command(flatten)]
    web: Chosen<WebSettings>,
}

impl ClaimsArgs {
    /// What was typed, as a layer of the configuration.
    pub(crate) fn layer(&self) -> Layer {
        let (chosen, web) = (self.chosen.values.clone(), self.web.values.clone());
        Layer::of_options([chosen, web, self.asking.values()].concat())
    }
}
