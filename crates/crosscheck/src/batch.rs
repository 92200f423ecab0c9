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
    pub enum BatchReason {
        JobTimedOut = "BATCH_JOB_TIMED_OUT", Error,
            "the job took longer than a job may take",
            help: "give it more time with --limit, or make it smaller";
        WorkerLost = "BATCH_WORKER_LOST", Error,
            "the process that did the job ended without an answer: it needed too much memory, was killed, or has a defect",
            help: "run the job alone; give it more memory with --memory, or report the job that ends its process";
        ReportContradicts = "REPORT_CONTRADICTS_ITSELF", Error,
            "the line of a run in a report says something else than the units before it",
            help: "check again with --format ndjson and keep the report as it was written";
        Accepted = "ACCEPTED_BY_POLICY", Note,
            "the check accepts this verdict, so it fails no run",
            help: "remove `accept` from the check when it is no longer needed";
    }
}
