//! Why a rows run could not be done.

use std::io;
use std::path::PathBuf;

use crosscheck_core::advice::RunReason;
use crosscheck_core::canonical::CanonicalError;
use crosscheck_core::files::WriteError;
use crosscheck_core::{Advice, Reason};

use crate::observe::SourceError;

/// A run that could not be done at all. What a single look could not show is
/// a finding, not an error.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The log cannot be read.
    #[error("cannot read the tool-call log `{}`", path.display())]
    ReadLog {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The parameters of the log repeat their keys into too much text.
    #[error("the parameters of the log flatten to more than {limit} bytes of paths")]
    ParametersTooLarge {
        /// The most that is held.
        limit: usize,
    },
    /// The database cannot be opened or its catalog not read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A document could not be built.
    #[error(transparent)]
    Document(#[from] CanonicalError),
    /// The registry file could not be written or read back.
    #[error("export-registry: the registry file was not written")]
    ExportRegistry {
        /// Which step failed.
        source: WriteError,
    },
    /// The events file could not be written or read back.
    #[error("emit-events: the events file was not written")]
    EmitEvents {
        /// Which step failed.
        source: WriteError,
    },
    /// The report file could not be written or read back.
    #[error("write-report: the report file was not written")]
    WriteReport {
        /// Which step failed.
        source: WriteError,
    },
}

impl Advice for RowsError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::ReadLog { .. } => RunReason::CliUsage.reason(),
            Self::ParametersTooLarge { .. }
            | Self::Source(_)
            | Self::Document(_)
            | Self::ExportRegistry { .. }
            | Self::EmitEvents { .. }
            | Self::WriteReport { .. } => RunReason::InternalError.reason(),
        }
    }
}
