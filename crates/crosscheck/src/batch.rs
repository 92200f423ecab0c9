//! `batch`: one protocol for every program that asks for checks.
//!
//! A job is one JSON object, an answer is one JSON object. The units of an
//! answer are those of `--format ndjson`, so a program that reads one reads the
//! other.
//!
//! ```
//! use crosscheck::batch::{Job, Runner};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let runner = Runner::new(".".as_ref())?;
//! let job = r#"{"id":1,"task":"judge","claim":"The sky is blue.","text":"The sky is blue."}"#;
//! let answer = runner.answer(Job::read(job.as_bytes()));
//! println!("{}", answer.line());
//! # Ok(())
//! # }
//! ```

mod answer;
mod files;
mod job;
mod runner;

pub use self::answer::{Answer, Given, Refusal, ReportError, reports};
pub use self::job::{Head, Id, Input, Job, Work};
pub use self::runner::{Runner, SetupError};

crosscheck_core::reasons! {
    /// Why a process that does jobs gave no answer to one.
    pub enum BatchReason from include_str!("reasons/batch_reason.tsv"); {
        JobTimedOut, WorkerLost, ReportContradicts, Accepted,
    }
}
