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

use crosscheck_config::tables::TraceSettings;
#[doc(hidden)]
pub use crosscheck_trace::*;

use crate::report::Report;

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

    /// As strict as `[trace]` says.
    #[must_use]
    pub fn as_strict(mut self, chosen: &TraceSettings) -> Self {
        let request = &mut self.request;
        request.min_supports = chosen.min_supports;
        request.require_seal = chosen.require_seal;
        request.max_failures = chosen.max_failures;
        // the table lists the words of both
        request.insufficient = match chosen.insufficient.as_str() {
            "forbid" => Insufficient::Forbid,
            _ => Insufficient::Marked,
        };
        request.policy = match chosen.policy.as_str() {
            "audit" => Policy::Audit,
            _ => Policy::Strict,
        };
        self
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
