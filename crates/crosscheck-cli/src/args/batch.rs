//! `crosscheck batch` and `crosscheck mcp`: what jobs may use is named when
//! they are started, and by no job.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use crosscheck::config::{Layer, WebSettings};

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::talk::PresentArgs;
use super::time;

/// Answer many jobs: one JSON object per line in, one per line out
///
/// Each line of standard input is a job, each line of standard output its
/// answer, in the order of the jobs. Jobs run in processes of their own: one
/// that fails, takes too long or needs too much memory is answered with an
/// error and harms no other. `crosscheck schema batch-job` and `crosscheck
/// schema batch-answer` print both formats.
///
/// Exit codes: 3 if a job could not run, else 1 if one is refuted, else 2 if
/// one is undecided, else 0.
#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
    /// Number of jobs at the same time; default the number of cores
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Print each answer as soon as it is there
    #[arg(long)]
    pub(crate) unordered: bool,
    /// Append the answers to this file, and leave out jobs whose id it already answers
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Let jobs name databases by URL
    #[arg(long, help_heading = "What jobs may use")]
    pub(crate) any_database: bool,
    /// Let jobs verify workspaces, which runs the commands of their criteria and writes their reports
    #[arg(long, help_heading = "What jobs may use")]
    pub(crate) allow_verify: bool,
}

/// Serve checks to an agent over the Model Context Protocol
///
/// Speaks on standard input and output. The tools `check_claims`,
/// `check_sources`, `check_rows`, `check_done` and `explain` read below the
/// root and in the databases that are named here, and write nothing.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
}

/// Show a report of `--format ndjson` in another format
///
/// One check can so be an annotation, a summary and a SARIF file. Exits with 0
/// whatever the verdict; it was the exit code of the check.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The report; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) report: PathBuf,
    #[command(flatten)]
    pub(crate) presented: PresentArgs,
}

/// What jobs may use.
#[derive(Debug, Args)]
#[command(next_help_heading = "What jobs may use")]
pub(crate) struct RunnerArgs {
    /// Folder that jobs may read
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Database that jobs call by this name
    #[arg(long, value_name = "NAME=FILE|URL", value_parser = named)]
    pub(crate) db: Vec<(String, String)>,
    /// Seconds for one job
    #[arg(long, value_name = "SECONDS", value_parser = time, default_value = "60")]
    pub(crate) limit: Duration,
    /// Memory for each process that does jobs, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub(crate) memory: u64,
    /// Configuration file, instead of those of the project and the user
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: AskingArgs,
    #[command(flatten)]
    pub(crate) web: Chosen<WebSettings>,
    /// Do the jobs in this process; for crosscheck itself
    #[arg(long, hide = true)]
    pub(crate) worker: bool,
}

impl RunnerArgs {
    /// What was typed, as a layer of the configuration.
    pub(crate) fn layer(&self) -> Layer {
        Layer::of_options([self.asking.values(), self.web.values.clone()].concat())
    }
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, place)) if !name.is_empty() && !place.is_empty() && !name.contains('/') => {
            Ok((name.to_owned(), place.to_owned()))
        }
        _ => Err("write it as `NAME=FILE` or `NAME=URL`".to_owned()),
    }
}
