//! `claims`: does the evidence support each claim of a `SubResult`?
//!
//! ```
//! use crosscheck::{NoListener, claims};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let document = br#"{"version": "SubResult.v1", "task_id": "t1", "claims": []}"#;
//! let report = claims::Task::new(document.to_vec(), ".").run(&mut NoListener)?;
//! println!("{}", report.verdict().word());
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! println!("{}", String::from_utf8(report.json(false))?); // VerifyReport.v1
//! # Ok(())
//! # }
//! ```

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

#[doc(hidden)]
pub use crosscheck_claims::*;
use crosscheck_core::advice::with_causes;
use crosscheck_core::clock::SystemClock;
use crosscheck_core::{Event, Listener, Verdict};
use crosscheck_fetch::{FetchSettings, Fetcher};
use crosscheck_judge::{Builtin, Judge};

use self::observe::{FetchedPages, NoPages, NoSearch, PageSeen, Pages, Search, SearchCommand};
use crate::report::{Findings, Neutral, Report};

/// The verification of one document.
pub struct Task {
    /// The SubResult.v1.
    pub document: Vec<u8>,
    /// Which claims are checked, and how strictly.
    pub options: Options,
    /// What is used besides files.
    pub tools: Tools,
}

/// What a run uses besides files: a judge, a fetcher, a search program.
pub struct Tools {
    judge: Box<dyn Judge>,
    pages: Box<dyn Pages>,
    search: Box<dyn Search>,
}

impl Default for Tools {
    /// The built-in judge, no network and no program.
    fn default() -> Self {
        Self {
            judge: Box::new(Builtin),
            pages: Box::new(NoPages),
            search: Box::new(NoSearch),
        }
    }
}

impl Tools {
    /// A judge, pages fetched with these settings, and a search program that
    /// is started in `root` unless it is empty.
    pub fn new(
        judge: Box<dyn Judge>,
        fetch: FetchSettings,
        search_command: Vec<String>,
        root: &Path,
    ) -> Self {
        let mut tools = Self {
            judge,
            ..Self::default()
        };
        if !fetch.offline {
            tools.pages = Box::new(LazyPages {
                settings: fetch,
                fetcher: OnceLock::new(),
            });
        }
        if !search_command.is_empty() {
            tools.search = Box::new(SearchCommand {
                argv: search_command,
                folder: root.to_owned(),
            });
        }
        tools
    }

    /// The same, as a [`Session`] borrows it.
    pub fn world(&self) -> World<'_> {
        World {
            judge: self.judge.as_ref(),
            pages: self.pages.as_ref(),
            search: self.search.as_ref(),
        }
    }
}

impl Task {
    /// Checks a document against the files below `root`, with the defaults.
    pub fn new(document: Vec<u8>, root: impl Into<PathBuf>) -> Self {
        Self {
            document,
            options: Options::new(root.into()),
            tools: Tools::default(),
        }
    }

    /// Runs it. Several documents that share files are faster in one [`Session`].
    pub fn run(&self, listener: &mut dyn Listener) -> Result<Report<ClaimsReport>, ClaimsError> {
        let session = Session::new(&self.options, self.tools.world())?;
        let report = session.verify(&self.document);
        let (checked, _, _) = report.counts();
        listener.hear(Event::Observed(checked));
        Ok(Report::new(report))
    }
}

impl Findings for ClaimsReport {
    fn verdict(&self) -> Verdict {
        Self::verdict(self)
    }

    fn neutral(&self) -> Neutral {
        Self::neutral(self).clone()
    }
}

/// Most documents name no page; the fetcher is set up when one does.
struct LazyPages {
    settings: FetchSettings,
    fetcher: OnceLock<Result<FetchedPages, String>>,
}

impl Pages for LazyPages {
    fn fetch(&self, url: &str) -> PageSeen {
        let fetcher = self.fetcher.get_or_init(|| {
            Fetcher::new(self.settings.clone(), Arc::new(SystemClock))
                .map(FetchedPages)
                .map_err(|error| with_causes(&error))
        });
        match fetcher {
            Ok(pages) => pages.fetch(url),
            Err(why) => PageSeen::Failed(why.clone()),
        }
    }
}
