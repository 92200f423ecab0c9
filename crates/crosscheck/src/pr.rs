//! `pr`: does the diff show what the text of a pull request says?
//!
//! ```no_run
//! use crosscheck::{pr, render};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let report = pr::Task::commits(".", "origin/main").run()?;
//! println!("{}", report.verdict().word());
//! print!("{}", render::html(&report));
//! # Ok(())
//! # }
//! ```

use std::path::PathBuf;

#[doc(hidden)]
pub use crosscheck_pr::*;

use crate::report::Report;

/// The check of one change.
#[derive(Debug, Clone)]
pub struct Task {
    /// What is compared with what.
    pub request: PrRequest,
}

impl Task {
    /// The messages of the commits since a base.
    pub fn commits(repository: impl Into<PathBuf>, base: &str) -> Self {
        Self {
            request: PrRequest {
                repository: repository.into(),
                base: base.to_owned(),
                head: "HEAD".to_owned(),
                texts: Vec::new(),
                has_commits: true,
                checks: None,
                allow_empty: false,
            },
        }
    }

    /// Runs it.
    pub fn run(&self) -> Result<Report<PrReport>, PrError> {
        verify(&self.request).map(Report::new)
    }
}
