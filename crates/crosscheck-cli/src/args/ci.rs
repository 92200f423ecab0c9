//! `crosscheck ci`.

use std::path::PathBuf;

use clap::builder::ValueParser;
use crosscheck::config::{Layer, WebSettings};
use crosscheck::render::Format;

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::{options, values};

options! {
    "ci" CiArgs {
        names: Vec<String>,
        changed: bool,
        jobs: Option<u16>,
        output: Vec<Output>,
        otel: Option<PathBuf>,
        policy: Option<String>,
        config: Option<PathBuf>,
        allow_verify: bool,
        quiet: bool,
        record: LedgerOption,
        asking: AskingArgs,
        web: Chosen<WebSettings>,
    }
}

values! {
    Output => ValueParser::new(output);
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
