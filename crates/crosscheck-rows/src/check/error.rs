//! Why a contract command could not run.

use std::io;

use crosscheck_core::advice::RunReason;
use crosscheck_core::{Advice, Reason};

use super::reasons::ContractFailure;

/// A run that could not be done at all; carries the code of its envelope.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ContractError {
    reason: &'static Reason,
    message: String,
}

impl ContractError {
    /// A failure with this code.
    pub fn new(failure: ContractFailure, message: impl Into<String>) -> Self {
        Self {
            reason: failure.reason(),
            message: message.into(),
        }
    }

    /// An input of the command line cannot be used.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            reason: RunReason::CliUsage.reason(),
            message: message.into(),
        }
    }

    /// The command line of `enforce` cannot be used.
    pub fn enforce_usage(message: impl Into<String>) -> Self {
        Self {
            reason: RunReason::EnforceUsage.reason(),
            message: message.into(),
        }
    }

    /// Something that should not happen.
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            reason: RunReason::InternalError.reason(),
            message: message.into(),
        }
    }
}

/// Results that are too many to hold are kept in temporary files.
impl From<io::Error> for ContractError {
    fn from(error: io::Error) -> Self {
        Self::internal(format!(
            "cannot keep the results in a temporary file: {error}"
        ))
    }
}

impl Advice for ContractError {
    fn reason(&self) -> &'static Reason {
        self.reason
    }
}
