//! Why a run could not be checked.

use std::io;
use std::path::PathBuf;

use crosscheck_core::advice::RunReason;
use crosscheck_core::files::{ReadError, WriteError};
use crosscheck_core::{Advice, Reason};

use crate::reasons::TraceRunReason;

/// Why a run could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Trace, plan or artifacts directory cannot be opened.
    #[error("cannot read the {what}")]
    Open {
        /// `trace`, `plan` or `artifacts directory`.
        what: &'static str,
        /// Why.
        source: ReadError,
    },
    /// Reading the trace failed.
    #[error("reading the trace failed after line {line}")]
    Read {
        /// The last line that was read.
        line: u64,
        /// The system's message.
        source: io::Error,
    },
    /// A line of a trace is not in the required format.
    #[error("`{name}` cannot be read at line {line}: {why}")]
    Broken {
        /// The trace.
        name: String,
        /// The line.
        line: u64,
        /// Why.
        why: String,
    },
    /// The run already has a seal.
    #[error("the run already has a seal: `{}`", path.display())]
    AlreadySealed {
        /// The file of the seal.
        path: PathBuf,
    },
    /// The run is not accepted.
    #[error("the run is rejected: {first}")]
    Unsealable {
        /// The first failure.
        first: String,
    },
    /// A file could not be written.
    #[error("cannot write the seal")]
    Write(#[source] WriteError),
}

impl Advice for TraceError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::Open {
                source: ReadError::TooLarge { .. },
                ..
            } => RunReason::InputTooLarge.reason(),
            Self::Open { .. } | Self::Read { .. } | Self::Broken { .. } => {
                TraceRunReason::TraceInputUnreadable.reason()
            }
            Self::AlreadySealed { .. } => TraceRunReason::TraceAlreadySealed.reason(),
            Self::Unsealable { .. } => TraceRunReason::TraceUnsealable.reason(),
            Self::Write(_) => TraceRunReason::TraceOutputUnwritable.reason(),
        }
    }

    fn help(&self) -> String {
        match self {
            Self::Open { what: "trace", .. } => {
                "name a run directory with a trace.jsonl, or a trace with --trace".to_owned()
            }
            Self::Broken { .. } => {
                "run `crosscheck trace` on it to see everything that is wrong".to_owned()
            }
            Self::Open { what: "plan", .. } => "name the plan of the run with --plan".to_owned(),
            _ => self.reason().help.to_owned(),
        }
    }
}
