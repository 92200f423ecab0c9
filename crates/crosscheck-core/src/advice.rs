//! What an error can say besides its message.

use crate::Reason;

/// The exit code of every run that failed to run.
pub const EXIT_COULD_NOT_RUN: u8 = 3;

/// The exit code of a drift against an accepted baseline.
pub const EXIT_DRIFT: u8 = 4;

/// An error with a stable code and advice.
pub trait Advice: std::error::Error {
    /// The declaration of its code: stable, explained by `crosscheck explain`.
    fn reason(&self) -> &'static Reason;

    /// One thing to try, imperative; the declared help unless the error has a better
    /// one.
    fn help(&self) -> String {
        self.reason().help.to_owned()
    }
}

crate::reasons! {
    /// Why a run of any command could not be done.
    pub enum RunReason from include_str!("reasons/run_reason.tsv"); {
        CliUsage, InternalError, EnforceUsage, InputTooLarge, OutputUnwritable,
    }
}

/// The message of an error followed by its causes, as one line of text.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
