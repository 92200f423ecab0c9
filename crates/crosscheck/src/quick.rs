//! `quick`: any tool-call log against a database, without configuration.
//!
//! ```no_run
//! use crosscheck::{Database, NoListener, quick};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let log = std::fs::read("run.jsonl")?;
//! let report = quick::Task::new(log, Database::sqlite("shop.db")).run(&mut NoListener)?;
//! println!("{}", report.verdict().word());
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! println!("{}", report.documents("my-workflow", false)?.certificate);
//! # Ok(())
//! # }
//! ```

use std::ops::Deref;
use std::time::Duration;

use crosscheck_core::{Listener, Verdict};
pub use crosscheck_rows::RowsError;
pub use crosscheck_rows::quick::QuickReport;
pub use crosscheck_rows::quick::read::MAX_INPUT_BYTES;
use crosscheck_rows::quick::read::{self, Log};
pub use crosscheck_rows::quick::report::{Documents, Targets, publish};
use crosscheck_rows::quick::transcript as quick_transcript;
use crosscheck_transcript as transcript;
pub use crosscheck_transcript::Format;

pub use crate::Database;
use crate::report::{Findings, Neutral, Report};

/// The check of one log.
#[derive(Debug)]
pub struct Task {
    /// The log; `None` when it is larger than [`MAX_INPUT_BYTES`].
    pub log: Option<Vec<u8>>,
    /// How the log is read.
    pub ingest: Ingest,
    /// The database.
    pub database: Database,
    /// When a silent database is given up; by default after a minute.
    pub timeout: Option<Duration>,
    /// Whether values and keys are left out of what is shown.
    pub redact: bool,
}

/// How a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ingest {
    /// By the seed's ladder alone.
    Ladder,
    /// By the ladder, or as a transcript if that found no tool call.
    Auto,
    /// As a transcript of this format.
    Transcript(Format),
}

impl Task {
    /// Checks a log by the contract's own rules.
    pub fn new(log: Vec<u8>, database: Database) -> Self {
        Self {
            log: Some(log),
            ingest: Ingest::Ladder,
            database,
            timeout: None,
            redact: false,
        }
    }

    /// Runs it. The database is not touched when the log is too large.
    pub fn run(&self, listener: &mut dyn Listener) -> Result<Report<Quick>, RowsError> {
        let log = read_log(self)?;
        let report = if self.log.is_none() {
            QuickReport::unexamined(&log)
        } else {
            let mut source = self.database.open(self.timeout)?;
            crosscheck_rows::quick::run(&log, source.as_mut(), listener)?
        };
        let report = if self.redact {
            report.redacted()
        } else {
            report
        };
        let subject = format!("a log against {}", self.database.shown());
        Ok(Report::new(Quick {
            report,
            log,
            subject,
        }))
    }
}

/// The report of the contract, and its subject.
pub struct Quick {
    report: QuickReport,
    log: Log,
    subject: String,
}

impl Quick {
    /// Which table and column every parameter went to, for people.
    pub fn mapping_text(&self) -> String {
        self.report.mapping_text(&self.log)
    }
}

impl Deref for Quick {
    type Target = QuickReport;

    fn deref(&self) -> &QuickReport {
        &self.report
    }
}

impl Findings for Quick {
    fn verdict(&self) -> Verdict {
        self.report.verdict()
    }

    fn neutral(&self) -> Neutral {
        self.report.neutral(&self.subject)
    }
}

fn read_log(task: &Task) -> Result<Log, RowsError> {
    let bytes = task.log.as_deref();
    match (task.ingest, bytes) {
        (Ingest::Ladder, _) | (_, None) => read::log(bytes),
        (Ingest::Transcript(format), Some(bytes)) => quick_transcript::log(format, bytes),
        (Ingest::Auto, Some(bytes)) => {
            let log = read::log(Some(bytes))?;
            let text = String::from_utf8_lossy(bytes);
            match transcript::detect(&text) {
                Some(format) if log.actions.is_empty() => {
                    let transcript = quick_transcript::log(format, bytes)?;
                    Ok(if transcript.actions.is_empty() {
                        log
                    } else {
                        transcript
                    })
                }
                _ => Ok(log),
            }
        }
    }
}
