//! `done`: is what a coding agent says at the end so?
//!
//! ```
//! use crosscheck::{NoListener, done};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let report = done::Task::message("I created `no-such-file.py`.", ".").run(&mut NoListener)?;
//! println!("{}", report.verdict().word()); // refuted
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! let receipt = report.receipt("crosscheck", "2026-10-01T10:00:00Z");
//! print!("{}", done::report::words::till(&receipt));
//! # Ok(())
//! # }
//! ```

use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::{Event, Listener, Verdict};
#[doc(hidden)]
pub use crosscheck_done::*;

use self::gate::DoneError;
use self::report::neutral;
use self::state::Memory;

use crate::Database;
use crate::report::{Findings, Neutral, Report as Whole};

/// Asks for the check of one message.
pub struct Task {
    /// The message, the session, the project and the configuration.
    pub check: gate::Task,
    /// What `rows` needs for statements about rows.
    pub others: Others,
    /// Whether rounds are counted.
    pub rounds: Rounds,
}

/// What `rows` needs.
#[derive(Default)]
pub struct Others {
    /// The database for `rows`, or why the configured one cannot be used.
    pub database: Option<Result<Database, String>>,
    /// How long it may take; what takes longer is not an answer.
    pub limit: Option<Duration>,
}

/// How often an agent was sent back for one prompt.
#[derive(Debug, Default)]
pub enum Rounds {
    /// Not counted: the message is judged once.
    #[default]
    Once,
    /// Counted here.
    Counted(Memory),
    /// They should be counted and cannot be, so that the agent is not sent
    /// back.
    Uncountable,
}

impl Rounds {
    /// Decides what a report leads to.
    pub fn decide(&self, report: &mut Report) {
        match self {
            Self::Once => report.decide(),
            Self::Counted(memory) => report.decide_with(memory),
            Self::Uncountable => report.decide_without_memory(),
        };
    }
}

impl Task {
    /// One message and a project, with the defaults and without a session.
    pub fn message(message: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self {
            check: gate::Task::message(message, root),
            others: Others::default(),
            rounds: Rounds::Once,
        }
    }

    /// Runs it.
    pub fn run(self, listener: &mut dyn Listener) -> Result<Whole<Report>, DoneError> {
        let mut report = check(&self.check)?;
        crate::handover::answer(&mut report, &self.check, self.others);
        self.rounds.decide(&mut report);
        listener.hear(Event::Observed(report.claims.len()));
        Ok(Whole::new(report))
    }
}

impl Findings for Report {
    /// A message without a claim has nothing wrong in it.
    fn verdict(&self) -> Verdict {
        Self::verdict(self).unwrap_or(Verdict::Confirmed)
    }

    fn neutral(&self) -> Neutral {
        neutral::report(&self.receipt("", ""), self.subject())
    }
}
