//! `rows`: did the writes of this run really happen?
//!
//! ```no_run
//! use crosscheck::{rows, Database, NoListener};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let log = std::fs::read("run.jsonl")?;
//! let report = rows::Task::new(log, Database::sqlite("shop.db")).run(&mut NoListener)?;
//! for unit in report.units() {
//!     println!("{:?} {}", unit.verdict, unit.claim);
//! }
//! # Ok(())
//! # }
//! ```

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::time::Duration;

use crosscheck_core::Listener;
use crosscheck_rows::Request;
pub use crosscheck_rows::VerifyError as Error;
pub use crosscheck_rows::read::InputFormat;
pub use crosscheck_rows::reasons::RowsFailure;
use crosscheck_rows::report::Lessons;
pub use crosscheck_rows::report::{Learnt, Report as Found, Style, Tally};
pub use crosscheck_transcript::Format;

use crate::Database;
use crate::report::Report;

/// Memory for reading a log.
const BUFFER: usize = 1 << 18;

/// The settings of one run.
#[derive(Debug, Clone)]
pub struct Task {
    /// The agent's logs, in chronological order.
    pub logs: Vec<Log>,
    /// How the logs are read.
    pub format: InputFormat,
    /// The database that the agent wrote to.
    pub database: Database,
    /// A written contract for the tools.
    pub contract: Option<Contract>,
    /// Whether values and keys are left out of the report.
    pub redact: bool,
    /// Whether the last message of the agent is held against its calls, too.
    pub claims: bool,
    /// When a silent database is given up; by default after a minute.
    pub timeout: Option<Duration>,
}

/// A log.
#[derive(Debug, Clone)]
pub enum Log {
    /// A file, which is read while it is checked.
    Path(PathBuf),
    /// Bytes that were already read, and their name in reports.
    Bytes {
        /// For example `-`.
        name: String,
        /// The log itself.
        bytes: Vec<u8>,
    },
}

/// A contract, with its name in messages.
#[derive(Debug, Clone)]
pub struct Contract {
    /// For example the path of its file.
    pub name: String,
    /// Its text, TOML.
    pub text: String,
}

impl Task {
    /// Checks one log without configuration.
    pub fn new(log: Vec<u8>, database: Database) -> Self {
        Self {
            logs: vec![Log::Bytes {
                name: "log".to_owned(),
                bytes: log,
            }],
            format: InputFormat::Auto,
            database,
            contract: None,
            redact: false,
            claims: false,
            timeout: None,
        }
    }

    /// Runs it.
    pub fn run(&self, listener: &mut dyn Listener) -> Result<Report<Found>, Error> {
        self.verify(false, listener).map(Report::new)
    }

    /// Proposes a contract from logs of a trusted run: TOML for a person to
    /// review and confirm.
    pub fn learn(&self, listener: &mut dyn Listener) -> Result<Learnt, Error> {
        learn(std::slice::from_ref(self), listener)
    }

    fn verify(&self, learns: bool, listener: &mut dyn Listener) -> Result<Found, Error> {
        let names: Vec<String> = self.logs.iter().map(Log::name).collect();
        let request = Request {
            subject: format!("{} against {}", names.join(" "), self.database.shown()),
            format: self.format,
            contract: self
                .contract
                .clone()
                .map(|contract| (contract.name, contract.text)),
            redacts: self.redact,
            learns,
            claims: self.claims,
        };
        let logs = self.logs.iter().map(Log::reader);
        let mut source = self.database.open(self.timeout)?;
        crosscheck_rows::verify(&request, logs, source.as_mut(), listener)
    }
}

/// The same from several runs, each with the database that it left.
pub fn learn(tasks: &[Task], listener: &mut dyn Listener) -> Result<Learnt, Error> {
    let mut lessons = Lessons::default();
    for task in tasks {
        lessons.add(&task.verify(true, listener)?);
    }
    Ok(lessons.learnt())
}

impl Log {
    pub(crate) fn reader(&self) -> crosscheck_rows::Log<'_> {
        crosscheck_rows::Log {
            name: self.name(),
            open: Box::new(|| self.open()),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }

    fn open(&self) -> io::Result<Box<dyn BufRead + '_>> {
        match self {
            Self::Bytes { bytes, .. } => Ok(Box::new(bytes.as_slice())),
            Self::Path(path) => {
                let file = File::open(path)?;
                if file.metadata()?.is_dir() {
                    return Err(io::Error::other(
                        "it is a folder; name the log files in it, for example with a pattern of the shell",
                    ));
                }
                Ok(Box::new(BufReader::with_capacity(BUFFER, file)))
            }
        }
    }
}
