//! `check` and the commands around it: contracts against a database.
//!
//! ```no_run
//! use crosscheck::{Database, NoListener, check};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let task = check::Task::new("wf", "events.ndjson", "registry.json", Database::sqlite("shop.db"));
//! let report = task.run(&mut NoListener)?;
//! for unit in report.units() {
//!     println!("{} {}", unit.verdict.word(), unit.claim);
//! }
//! report.write_certificate(&mut std::io::stdout())?;
//! # Ok(())
//! # }
//! ```

use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::{Listener, Verdict};
pub use crosscheck_rows::check::bundle;
pub use crosscheck_rows::check::reasons::ContractFailure;
use crosscheck_rows::check::{self, CheckRequest, read};
use crosscheck_rows::check::{Budget, Report as Certified};
pub use crosscheck_rows::check::{BudgetVerdict, ContractError, Policy};
pub use crosscheck_rows::check::{compare, enforce, validate};
use crosscheck_rows::observe::Source;

pub use crate::Database;
use crate::report::{Findings, Neutral, Report};

/// The settings of one run.
#[derive(Debug)]
pub struct Task {
    /// The workflow.
    pub workflow_id: String,
    /// The events file: which calls there were.
    pub events: PathBuf,
    /// The registry.
    pub registry: PathBuf,
    /// The database.
    pub database: Target,
    /// How long to wait for rows.
    pub policy: Policy,
    /// The coverage budget.
    pub budget: Option<PathBuf>,
    /// Whether the run bundle will be written.
    pub with_result: bool,
    /// When a silent database is given up; by default after a minute.
    pub timeout: Option<Duration>,
}

/// The database of a run.
#[derive(Debug)]
pub enum Target {
    /// A supported database.
    Database(Database),
    /// A server that this version cannot read, by the scheme of its URL.
    NotShipped(String),
}

/// What was found; it dereferences to the report with its documents.
pub struct Checked {
    report: Certified,
    /// The events, for the run bundle.
    pub log: read::Log,
    /// The result of the coverage budget.
    pub budget: Option<BudgetVerdict>,
    subject: String,
}

impl Deref for Checked {
    type Target = Certified;

    fn deref(&self) -> &Certified {
        &self.report
    }
}

impl Findings for Checked {
    fn verdict(&self) -> Verdict {
        self.report.verdict()
    }

    fn neutral(&self) -> Neutral {
        self.report.neutral(&self.subject)
    }
}

impl Task {
    /// Checks the calls of a workflow, looking once.
    pub fn new(
        workflow_id: impl Into<String>,
        events: impl Into<PathBuf>,
        registry: impl Into<PathBuf>,
        database: Database,
    ) -> Self {
        Self {
            workflow_id: workflow_id.into(),
            events: events.into(),
            registry: registry.into(),
            database: Target::Database(database),
            policy: Policy::Strong,
            budget: None,
            with_result: false,
            timeout: None,
        }
    }

    /// Runs it: events, budget, registry, database, in this order.
    pub fn run(&self, listener: &mut dyn Listener) -> Result<Report<Checked>, ContractError> {
        run(self, listener).map(Report::new)
    }

    fn subject(&self) -> String {
        let database = match &self.database {
            Target::Database(database) => database.shown(),
            Target::NotShipped(scheme) => scheme.clone(),
        };
        format!("workflow {} against {database}", self.workflow_id)
    }
}

fn run(task: &Task, listener: &mut dyn Listener) -> Result<Checked, ContractError> {
    let log = read::events(&task.events, &task.workflow_id);
    if log.as_ref().is_ok_and(|log| log.has_checkpoints) {
        return Err(ContractError::new(
            ContractFailure::LanggraphConflict,
            "the events of this workflow are checkpoint observations (schema version 3)",
        ));
    }
    let budget = match &task.budget {
        Some(path) => Some(Budget::load(path, &task.workflow_id)?),
        None => None,
    };
    let mut log = log?;
    let registry = read::registry_for_run(&task.registry)?;
    let mut source = open(task)?;
    let request = CheckRequest {
        workflow_id: task.workflow_id.clone(),
        policy: task.policy,
        with_result: task.with_result,
    };
    let report = check::run(&request, &mut log, &registry, source.as_mut(), listener)?;
    let budget = budget.map(|budget| budget.judge(&report));
    Ok(Checked {
        report,
        log,
        budget,
        subject: task.subject(),
    })
}

fn open(task: &Task) -> Result<Box<dyn Source>, ContractError> {
    let database = match &task.database {
        Target::Database(database) => database,
        Target::NotShipped(scheme) => {
            return Err(ContractError::new(
                ContractFailure::VerificationConnectorNotShipped,
                format!("a {scheme} database cannot be checked by this version"),
            ));
        }
    };
    // the contract has one code for every kind of server
    let failure = match database {
        Database::Sqlite(_) => ContractFailure::SqliteDatabaseOpenFailed,
        Database::Postgres { .. } | Database::Mysql(_) => {
            ContractFailure::PostgresClientSetupFailed
        }
    };
    let opened = database.open(task.timeout);
    opened.map_err(|error| ContractError::new(failure, error.to_string()))
}
