//! `sources`: does the cited page exist, and does it support the claim?
//!
//! ```no_run
//! use crosscheck::{NoListener, sources};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let answer = std::fs::read("answer.md")?;
//! let report = sources::Task::document("answer.md", &answer)?.run(&mut NoListener)?;
//! println!("{}", report.verdict().word());
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! println!("{}", report.json());
//! # Ok(())
//! # }
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use crosscheck_core::advice::RunReason;
use crosscheck_core::clock::SystemClock;
use crosscheck_core::{Advice, Listener, Reason, Verdict};
use crosscheck_fetch::{FetchSettings, Fetcher, SetupError};
use crosscheck_judge::{Builtin, Judge};
#[doc(hidden)]
pub use crosscheck_sources::*;

use self::check::Checker;
use self::observe::Looker;
use self::read::document::{self, DocumentError, NotText, ReadOptions};
use self::report::result::{FailOn, SourcesReport};
use self::run::decisions::Decisions;
use self::run::documents::{self, CitingDocument};
use self::settings::Settings;
use crate::report::{Findings, Neutral, Report};

/// The verification of what documents cite.
pub struct Task {
    /// The documents.
    pub documents: Vec<CitingDocument>,
    /// What the run uses.
    pub tools: Tools,
    /// Which results fail the run.
    pub fail_on: FailOn,
    /// Notes about the run for readers of the report.
    pub notices: Vec<String>,
    /// What a person decided before; after the run, with what is still open.
    pub decisions: Option<Arc<Mutex<Decisions>>>,
}

/// What a run uses: a fetcher and a judge.
pub struct Tools {
    /// Decides whether a page supports a claim.
    pub judge: Arc<dyn Judge>,
    /// How pages are fetched.
    pub fetch: FetchSettings,
    /// How citations are read and judged.
    pub settings: Settings,
}

/// Why the citations could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A document is not text.
    #[error("{name}: {why}")]
    Text {
        /// Its name.
        name: String,
        /// Why.
        why: NotText,
    },
    /// A document is not of its format.
    #[error("{name}: {why}")]
    Format {
        /// Its name.
        name: String,
        /// Why.
        why: DocumentError,
    },
    /// Pages cannot be fetched at all.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Advice for TaskError {
    fn reason(&self) -> &'static Reason {
        RunReason::CliUsage.reason()
    }

    fn help(&self) -> String {
        match self {
            Self::Text { .. } => {
                "name a text in UTF-8, UTF-16 with a byte order mark or Latin-1: Markdown, HTML, JSON, JSON Lines, \
                 reStructuredText, LaTeX, BibTeX, a notebook or plain text; or a Word document (.docx) or a PDF"
            }
            Self::Format { .. } => "name its format with --input-format",
            Self::Setup(_) => "check the headers and the machine's TLS set-up",
        }
        .to_owned()
    }
}

impl Tools {
    /// The checker of these tools.
    pub fn checker(self) -> Result<Checker, TaskError> {
        let fetcher = Fetcher::new(self.fetch, Arc::new(SystemClock))?;
        Ok(Checker {
            looker: Looker::new(fetcher, self.settings),
            judge: self.judge,
        })
    }
}

impl Default for Tools {
    /// The guarded fetcher and the built-in judge.
    fn default() -> Self {
        Self {
            judge: Arc::new(Builtin),
            fetch: FetchSettings::default(),
            settings: Settings::default(),
        }
    }
}

/// Reads a document; `None` selects the format by its name.
pub fn read_document(
    name: &str,
    bytes: &[u8],
    format: Option<document::Format>,
    options: ReadOptions,
) -> Result<CitingDocument, TaskError> {
    read_fields(name, bytes, format, options, &[], |_| None)
}

/// Reads a document; in JSON only these fields are texts, if any are given.
/// `bibliography` gives the text of a file that the document names.
pub fn read_fields(
    name: &str,
    bytes: &[u8],
    format: Option<document::Format>,
    options: ReadOptions,
    fields: &[String],
    bibliography: impl Fn(&str) -> Option<String>,
) -> Result<CitingDocument, TaskError> {
    let called = || name.to_owned();
    let refused = document::refused(name).filter(|_| format.is_none());
    let text = refused
        .map_or_else(|| document::decode(bytes), Err)
        .map_err(|why| TaskError::Text {
            name: called(),
            why,
        })?;
    let format = format.unwrap_or_else(|| document::Format::by_name(name));
    let named = document::bibliographies(&text, format);
    let bibliographies: Vec<String> = named.iter().filter_map(|name| bibliography(name)).collect();
    let read =
        document::read_with(&text, format, options, fields, &bibliographies).map_err(|why| {
            TaskError::Format {
                name: called(),
                why,
            }
        })?;
    let is_empty = read.mentions.is_empty();
    Ok(CitingDocument {
        name: called(),
        unread: if is_empty { document::urls(&text) } else { 0 },
        text,
        mentions: read.mentions,
        ignored: Vec::new(),
        bad_lines: read.bad_lines,
        unclosed: read.unclosed,
        dangling: read.dangling,
        keys: read.keys,
        bibliographies: bibliographies.len(),
        links: Vec::new(),
        excluded: 0,
    })
}

impl Task {
    /// What these documents cite, with the defaults.
    pub fn new(documents: Vec<CitingDocument>) -> Self {
        Self {
            documents,
            tools: Tools::default(),
            fail_on: FailOn::default(),
            notices: Vec::new(),
            decisions: None,
        }
    }

    /// What one document cites, with the defaults.
    pub fn document(name: &str, bytes: &[u8]) -> Result<Self, TaskError> {
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        Ok(Self::new(vec![read_document(name, bytes, None, options)?]))
    }

    /// Runs it.
    pub fn run(self, listener: &mut dyn Listener) -> Result<Report<SourcesReport>, TaskError> {
        let checker = self.tools.checker()?;
        let mut report = documents::check(&self.documents, &checker, listener);
        report.notices.splice(0..0, self.notices);
        report.fail_on = self.fail_on;
        if let Some(decisions) = self.decisions {
            let mut decisions = decisions.lock().unwrap_or_else(PoisonError::into_inner);
            decisions.apply(&mut report);
        }
        Ok(Report::new(report))
    }
}

impl Findings for SourcesReport {
    fn verdict(&self) -> Verdict {
        Self::neutral(self).verdict
    }

    fn neutral(&self) -> Neutral {
        Self::neutral(self)
    }
}
