//! Why a run could not be done.

use std::path::PathBuf;

use crosscheck_core::advice::RunReason;
use crosscheck_core::files::ReadError;
use crosscheck_core::{Advice, Reason};

/// A run that could not start or could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// The document cannot be read.
    #[error("cannot read the result `{}`", path.display())]
    ReadResult {
        /// Which.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// The project root cannot be used.
    #[error("cannot use the project root `{}`", path.display())]
    Root {
        /// Which.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// A folder that is allowed under confinement cannot be used.
    #[error("cannot use the allowed folder `{}` (`--allow-path`, `claims.allow_paths`)", path.display())]
    AllowedFolder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
}

impl Advice for ClaimsError {
    fn reason(&self) -> &'static Reason {
        match self {
            Self::ReadResult {
                source: ReadError::TooLarge { .. },
                ..
            } => RunReason::InputTooLarge.reason(),
            Self::ReadResult { .. } | Self::Root { .. } | Self::AllowedFolder { .. } => {
                RunReason::CliUsage.reason()
            }
        }
    }
}
