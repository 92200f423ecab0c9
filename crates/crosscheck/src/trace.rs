//! `trace`: is every event of a reasoning trace grounded?
//!
//! ```no_run
//! use crosscheck::{render, trace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let report = trace::Task::run_dir("runs/7").run()?;
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

use crosscheck_core::Verdict;
#[doc(hidden)]
pub use crosscheck_trace::*;

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
    pub fn run(&self) -> Result<Report<TraceReport>, TraceError> {
        self.run_reading(&mut io::empty())
    }

    /// As [`Task::run`], with the trace that the request expects on standard input.
    pub fn run_reading(&self, stdin: &mut dyn Read) -> Result<Report<TraceReport>, TraceError> {
        verify(&self.request, stdin).map(Report::new)
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
