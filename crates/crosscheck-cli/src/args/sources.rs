//! `crosscheck sources`: what a run is given. How it checks is in the tables
//! `[sources]`, `[fetch]` and `[judge]` of the configuration, whose keys are options, too.

use std::net::SocketAddr;
use std::path::PathBuf;

use crosscheck::config::{Layer, SourcesSettings, WebSettings};

use super::asking::AskingArgs;
use super::chosen::Chosen;
use super::ledger::LedgerOption;
use super::options::options;
use super::talk::{PresentArgs, TalkArgs};

options! {
    "sources" SourcesArgs {
        inputs: Vec<PathBuf>,
        files_from: Option<PathBuf>,
        config: Option<PathBuf>,
        dump: bool,
        talk: TalkArgs,
        report: ReportArgs,
        chosen: Chosen<SourcesSettings>,
        asking: AskingArgs,
        web: Chosen<WebSettings>,
        debate: DebateArgs,
    }
    "a debate" DebateArgs {
        log: Option<PathBuf>,
        seq: Vec<u64>,
        watch: bool,
        inbox: Option<PathBuf>,
        inbox_from_start: bool,
        listen: Option<SocketAddr>,
        outbox: String,
    }
    "report of sources" ReportArgs {
        record: LedgerOption,
        presented: PresentArgs,
        report: Option<PathBuf>,
        lint_out: Option<PathBuf>,
        decisions: Option<PathBuf>,
    }
}

impl SourcesArgs {
    /// What was typed, as a layer of the configuration.
    pub(crate) fn layer(&self) -> Layer {
        let (chosen, web) = (self.chosen.values.clone(), self.web.values.clone());
        Layer::of_options([chosen, web, self.asking.values()].concat())
    }
}
