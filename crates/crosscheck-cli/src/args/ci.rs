//! `crosscheck ci`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use crosscheck::config::{Layer, WebSettings};
use crosscheck::render::Format;

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::ledger::LedgerOption;

/// Run the checks that `crosscheck.toml` declares, with one verdict
///
/// Each `[[check]]` names a verifier and its inputs. Independent checks run at
/// the same time; reports are in the order of the file. A check that could not
/// run is reported and ends the run with 3.
///
/// Exit codes: 3 if a check could not run, else 1 if one is refuted, else 2 if
/// one is undecided, else 0. A verdict that a check accepts counts as 0.
#[derive(Debug, Args)]
pub(crate) struct CiArgs {
    /// Checks to run; default all of them
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Leave out checks whose files are as in the commit of --policy, or HEAD; databases and pages are not compared
    #[arg(long)]
    pub(crate) changed: bool,
    /// Number of checks at the same time; default the number of cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Format of a report and its file; without a file it goes to standard output; may be given several times
    #[arg(long, short, value_name = "FORMAT[=FILE]", value_parser = output, value_hint = ValueHint::FilePath)]
    pub(crate) output: Vec<Output>,
    /// File for the verdicts as OpenTelemetry events `gen_ai.evaluation.result`, with URI, digest and media type of the reports
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) otel: Option<PathBuf>,
    /// Commit whose `crosscheck.toml` is the policy; the file in the project can then only add checks and tighten
    #[arg(long, value_name = "REF")]
    pub(crate) policy: Option<String>,
    /// Policy file that counts in full, instead of those of the project and the user
    #[arg(long, value_name = "FILE", conflicts_with = "policy")]
    pub(crate) config: Option<PathBuf>,
    /// Let checks verify workspaces, which runs the commands of their criteria and writes their reports
    #[arg(long)]
    pub(crate) allow_verify: bool,
    /// Print only errors on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) record: LedgerOption,
    #[command(flatten)]
    asking: AskingArgs,
    #[command(flatten)]
    web: Chosen<WebSettings>,
}

/// One output: a format, and the file for it.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

impl CiArgs {
    /// What was typed, as a layer of the configuration.
    pub(crate) fn layer(&self) -> Layer {
        Layer::of_options([self.asking.values(), self.web.values.clone()].concat())
    }
}

fn output(text: &str) -> Result<Output, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("name a file after the `=`".to_owned()),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let format = name.parse::<Format>().map_err(|error| error.to_string())?;
    Ok(Output { format, file })
}
