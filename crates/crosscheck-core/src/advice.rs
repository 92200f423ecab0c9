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
    pub enum RunReason {
        CliUsage = "CLI_USAGE", Error,
            "the command line is not what the command understands, or names an input that cannot be read",
            help: "read the message, then run the command with --help";
        InternalError = "INTERNAL_ERROR", Error,
            "the run could not be finished: the database could not be opened or read, a file could not be written, or crosscheck itself failed",
            help: "read the message; check that the database is reachable and the output folder is writable";
        EnforceUsage = "ENFORCE_USAGE", Error,
            "the command does not keep locks; only `enforce` does",
            help: "remove --expect-lock and --output-lock, or use `crosscheck enforce`";
        InputTooLarge = "INPUT_TOO_LARGE", Error,
            "an input is larger than this kind of input may be",
            help: "split the input; the message and the documentation of the command state the limit";
        OutputUnwritable = "OUTPUT_UNWRITABLE", Error,
            "a report could not be written where it should go",
            help: "check that the folder exists, is writable and has free space, or name another file";
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
