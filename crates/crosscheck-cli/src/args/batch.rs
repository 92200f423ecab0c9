//! `crosscheck batch` and `crosscheck mcp`: what jobs may use is named when
//! they are started, and by no job.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::ValueParser;
use crosscheck::config::{Layer, WebSettings};

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::options::{options, values};
use super::talk::PresentArgs;

options! {
    "batch" BatchArgs {
        runner: RunnerArgs,
        jobs: Option<usize>,
        unordered: bool,
        output: Option<PathBuf>,
        any_database: bool,
        allow_verify: bool,
    }
    "mcp" McpArgs {
        runner: RunnerArgs,
    }
    "render" RenderArgs {
        report: PathBuf,
        presented: PresentArgs,
    }
    "what jobs may use" RunnerArgs {
        root: PathBuf,
        db: Vec<(String, String)>,
        limit: Duration,
        memory: u64,
        config: Option<PathBuf>,
        asking: AskingArgs,
        web: Chosen<WebSettings>,
        worker: bool,
    }
}

values! {
    (String, String) => ValueParser::new(named);
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
