//! Rulings of earlier runs, by the hash of everything they depend on: the page
//! as it was answered, the citation, the judge and the settings. Where they are
//! all known, the page is not even read.
//!
//! A kept ruling is believed, so the folder must be out of reach of the agent
//! under check; who starts the run sees to that.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crosscheck_core::digest::Digest;
use crosscheck_core::files::{read_limited, write_atomic};
use crosscheck_fetch::Fetched;
use serde::{Deserialize, Serialize};

use crate::check::{Checker, Citation};
use crate::judge::ruling::Ruling;
use crate::read::cited::Cited;

const FILE_MAX: u64 = 16 * 1024 * 1024;

/// The rulings of earlier runs.
pub(super) struct Kept {
    folder: PathBuf,
    /// What all rulings of this run depend on.
    rules: Digest,
}

/// The rulings on one page, and its hash.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct OnPage {
    page: String,
    rulings: BTreeMap<String, Ruling>,
    #[serde(skip)]
    is_new: bool,
}

impl Kept {
    /// None where no folder is named, or a ruling depends on more than the page:
    /// a model, an archive, a search, or what else a site shows.
    pub(super) fn of(checker: &Checker) -> Option<Self> {
        let settings = &checker.looker.settings;
        let asks_others = checker.judge.is_model()
            || settings.archive.is_some()
            || settings.search_command.is_some()
            || settings.probe_soft_404;
        let folder = settings.rulings.clone().filter(|_| !asks_others)?;
        let rules = format!(
            "{}\0{}\0{:?}\0{:?}",
            env!("CARGO_PKG_VERSION"),
            checker.judge.id(),
            settings.deciding(),
            checker.looker.fetcher.settings().accept,
        );
        Some(Self {
            folder,
            rules: Digest::of(rules),
        })
    }

    /// What is kept about the page of this answer; nothing where it was another page then.
    pub(super) fn on_page(&self, cited: &Cited, fetched: &Fetched) -> Option<OnPage> {
        let response = fetched.outcome.as_ref().ok()?;
        let head = format!(
            "{}\0{}\0{}\0{}\0{:?}\0{}\0{}\0",
            self.rules,
            fetched.final_url,
            fetched.redirects,
            response.status,
            response.content_type,
            response.challenged,
            response.truncated,
        );
        // the cache remembers the hash, so that a second run does not work it out again
        let body = response.sha256.clone();
        let body = body.unwrap_or_else(|| Digest::of(&response.body).hex());
        let page = Digest::of(format!("{head}{body}")).hex();
        let bytes = read_limited(&self.path(cited), FILE_MAX).ok();
        let kept = bytes.and_then(|bytes| serde_json::from_slice::<OnPage>(&bytes).ok());
        let kept = kept.filter(|kept| kept.page == page);
        Some(kept.unwrap_or_else(|| OnPage {
            page,
            ..OnPage::default()
        }))
    }

    /// Keeps what was added; a full disk only costs the next run time.
    pub(super) fn store(&self, cited: &Cited, on_page: &OnPage) {
        if !on_page.is_new {
            return;
        }
        if let Ok(bytes) = serde_json::to_vec(on_page) {
            let _ = write_atomic(&self.path(cited), &bytes);
        }
    }

    fn path(&self, cited: &Cited) -> PathBuf {
        self.folder.join(Digest::of(&cited.key).hex())
    }
}

impl OnPage {
    /// The ruling on a citation of this page.
    pub(super) fn get(&self, citation: &Citation) -> Option<Ruling> {
        self.rulings.get(&key(citation)?).cloned()
    }

    /// Adds a ruling.
    pub(super) fn add(&mut self, citation: &Citation, ruling: &Ruling) {
        if let Some(key) = key(citation) {
            self.is_new |= self.rulings.insert(key, ruling.clone()).is_none();
        }
    }
}

/// What of a citation decides; none where its whole document does.
fn key(citation: &Citation) -> Option<String> {
    let source = &citation.source;
    let entry = citation.entry.as_ref();
    let decides = source.claim.is_some() || entry.is_some();
    let parts = (
        &source.cited.text,
        &source.title,
        &source.claim,
        entry.map(|entry| (&entry.words, entry.is_certain)),
        &citation.part,
        &citation.whole,
        citation.is_loose,
    );
    decides.then(|| Digest::of(format!("{parts:?}")).hex())
}
