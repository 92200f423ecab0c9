//! `workspace`: is the work of an agent loop really complete?
//!
//! ```no_run
//! use crosscheck::{NoListener, workspace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let place = workspace::config::Surroundings::of_project("/srv/shop");
//! let task = workspace::Task::without_judge(&place, "checkout")?;
//! let report = task.run(&mut NoListener)?;
//! println!("{}", report.verdict().word());
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! # Ok(())
//! # }
//! ```

use std::ops::Deref;

use crosscheck_config::tables::WORKSPACE;
use crosscheck_config::{Key, Layer, Table};
use crosscheck_core::{Listener, Verdict};
#[doc(hidden)]
pub use crosscheck_workspace::*;
use serde_json::Value;

use self::config::Surroundings;
use crate::report::{Findings, Neutral, Report};

/// The verification of one workspace.
#[derive(Debug)]
pub struct Task {
    /// The workspace, with the settings that apply to it.
    pub workspace: Workspace,
    /// Changes to these settings.
    pub options: VerificationOptions,
}

impl Task {
    /// The workspace of this name.
    pub fn open(place: &Surroundings, name: &str) -> Result<Self, WorkspaceError> {
        Self::typed(place, name, Vec::new())
    }

    /// The same, checked by its acceptance criteria alone, without an LLM.
    pub fn without_judge(place: &Surroundings, name: &str) -> Result<Self, WorkspaceError> {
        let judge = WORKSPACE
            .key("judge")
            .map(|key| (&WORKSPACE, key, "none".into()));
        Self::typed(place, name, judge.into_iter().collect())
    }

    /// The workspace with what was typed for keys of `[workspace]`.
    pub fn typed(
        place: &Surroundings,
        name: &str,
        values: Vec<(&'static Table, &'static Key, Value)>,
    ) -> Result<Self, WorkspaceError> {
        Ok(Self {
            workspace: Workspace::open(place, name, Layer::of_options(values))?,
            options: VerificationOptions::default(),
        })
    }

    /// Whether the check runs without an LLM.
    pub fn is_offline(&self) -> bool {
        self.workspace.settings.chosen.judge == "none"
    }

    /// Runs it. Writes the report of the judge into the workspace.
    pub fn run(&self, listener: &mut dyn Listener) -> Result<Report<Verified>, WorkspaceError> {
        let result = verify(&self.workspace, &self.options, listener)?;
        Ok(Report::new(Verified {
            workspace: self.workspace.name.clone(),
            result,
        }))
    }
}

/// The result object of the contract, and its workspace.
#[derive(Debug)]
pub struct Verified {
    workspace: String,
    result: VerificationResult,
}

impl Deref for Verified {
    type Target = VerificationResult;

    fn deref(&self) -> &VerificationResult {
        &self.result
    }
}

impl Findings for Verified {
    fn verdict(&self) -> Verdict {
        self.result.status.into()
    }

    fn neutral(&self) -> Neutral {
        self.result.report(&self.workspace)
    }
}
