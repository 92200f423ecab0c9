//! How long a run waits for rows to appear.

use std::time::Duration;

use super::error::ContractError;
use super::reasons::ContractFailure;

/// Strong: look once. Eventual: look again until the window closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// look once
    Strong,
    /// look again
    Eventual {
        /// From the start of the verification.
        window: Duration,
        /// Between two looks.
        poll: Duration,
    },
}

impl Policy {
    /// Checks window and poll interval, in milliseconds as they were typed.
    pub fn eventual(window: &str, poll: &str) -> Result<Self, ContractError> {
        let whole = |text: &str| text.parse::<u32>().ok().filter(|number| *number >= 1);
        match (whole(window), whole(poll)) {
            (Some(window), Some(poll)) if poll <= window => Ok(Self::Eventual {
                window: Duration::from_millis(u64::from(window)),
                poll: Duration::from_millis(u64::from(poll)),
            }),
            _ => Err(ContractError::new(
                ContractFailure::VerificationPolicyInvalid,
                format!(
                    "--verification-window-ms `{window}` and --poll-interval-ms `{poll}` must be whole numbers of at least 1, the interval not longer than the window"
                ),
            )),
        }
    }

    /// Mode, window and interval as documents name them.
    pub(crate) fn parts(self) -> (&'static str, u128, u128) {
        match self {
            Self::Strong => ("strong", 0, 0),
            Self::Eventual { window, poll } => ("eventual", window.as_millis(), poll.as_millis()),
        }
    }

    /// The text of the correctness definition.
    pub(crate) fn fragment(self) -> String {
        let (mode, window, poll) = self.parts();
        format!("consistencyMode={mode}; verificationWindowMs={window}; pollIntervalMs={poll}")
    }
}
