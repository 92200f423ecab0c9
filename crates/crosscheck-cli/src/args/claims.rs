//! `crosscheck claims`.

use std::path::PathBuf;

use crosscheck::config::{ClaimsSettings, Layer, WebSettings};
use crosscheck::render::Format;

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::options;
use super::talk::TalkArgs;

options! {
    // `by_agent`: whether it was called as `cf-verify`, which is what an agent calls
    "claims" ClaimsArgs {
        result: Vec<String>,
        batch: Vec<String>,
        out: Option<PathBuf>,
        root: Option<PathBuf>,
        allow_outside_root: bool,
        ignore_settings: bool,
        details: Option<PathBuf>,
        format: Format,
        output: Option<PathBuf>,
        compact: bool,
        config: Option<PathBuf>,
        record: LedgerOption,
        talk: TalkArgs,
        chosen: Chosen<ClaimsSettings>,
        asking: AskingArgs,
        web: Chosen<WebSettings>,
        ; by_agent: bool
    }
}

impl ClaimsArgs {
    /// What was typed, as a layer of the configuration.
    pub(crate) fn layer(&self) -> Layer {
        let (chosen, web) = (self.chosen.values.clone(), self.web.values.clone());
        Layer::of_options([chosen, web, self.asking.values()].concat())
    }
}
