//! `trace`: is every event of a reasoning trace grounded?
//!
//! ```no_run
//! use crosscheck::{NoListener, render, trace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let report = trace::Task::run_dir("runs/7").run(&mut NoListener)?;
//! println!("{}", report.verdict().word());
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! print!("{}", render::html(&report));
//! # Ok(())
//! # }
//! ```

use std::io::{self, Read};
use std::path::PathBuf;

use crosscheck_core::{Listener, Verdict};
#[doc(hidden)]
pub use crosscheck_trace::*;
use crosscheck_transcript::Transcript;

use crate::report::{Findings, Neutral, Report};

/// The verification of one run.
#[derive(Debug, Clone)]
pub struct Task {
    /// Where the run is, and how strict to be.
    pub request: TraceRequest,
}

impl Task {
    /// The run in a directory, with the defaults.
    pub fn run_dir(folder: impl Into<PathBuf>) -> Self {
        Self {
            request: TraceRequest::run_dir(folder),
        }
    }

    /// Runs it. A trace on standard input is empty; see [`Task::run_reading`].
    pub fn run(&self, listener: &mut dyn Listener) -> Result<Report<TraceReport>, TraceError> {
        self.run_reading(&mut io::empty(), listener)
    }

    /// As [`Task::run`], with the trace that the request expects on standard input.
    pub fn run_reading(
        &self,
        stdin: &mut dyn Read,
        listener: &mut dyn Listener,
    ) -> Result<Report<TraceReport>, TraceError> {
        verify_with(&self.request, stdin, listener).map(Report::new)
    }
}

/// Checks whether the tool calls of any agent's log have their results.
#[derive(Debug)]
pub struct LinkageTask {
    /// The name of the log in reports.
    pub name: String,
    /// The log.
    pub log: Transcript,
    /// How many failures are listed.
    pub max_failures: usize,
}

impl LinkageTask {
    /// Runs it.
    pub fn run(&self) -> Report<linkage::LinkageReport> {
        let report = linkage::linkage(&self.log, &self.name, self.max_failures);
        Report::new(report)
    }
}

impl Findings for TraceReport {
    fn verdict(&self) -> Verdict {
        Self::verdict(self)
    }

    fn neutral(&self) -> Neutral {
        Self::neutral(self)
    }
}

impl Findings for linkage::LinkageReport {
    fn verdict(&self) -> Verdict {
        Self::verdict(self)
    }

    fn neutral(&self) -> Neutral {
        Self::neutral(self)
    }
}
