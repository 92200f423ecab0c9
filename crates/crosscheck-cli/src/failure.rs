//! The one place where "could not run" becomes text or an envelope, and an
//! exit code.

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;

use clap::error::ErrorKind;
use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, RunReason, with_causes};
use crosscheck::core::envelope::{Diagnosis, ErrorEnvelope};
use crosscheck::core::text::terminal_safe;
use crosscheck::core::{Advice, Reason};

use crate::commands;
use crate::output::Streams;

/// A run that could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    exit: u8,
}

impl Failure {
    /// For people: what, why, and one thing to try.
    pub(crate) fn told(error: &dyn Advice) -> Self {
        let mut causes = Vec::new();
        let mut cause = error.source();
        while let Some(inner) = cause {
            causes.push(inner.to_string());
            cause = inner.source();
        }
        Self::plain(error.reason(), &error.to_string(), &causes, &error.help())
    }

    /// A failure of the command line itself.
    pub(crate) fn usage(message: &str, help: &str) -> Self {
        Self::plain(RunReason::CliUsage.reason(), message, &[], help)
    }

    /// Standard output could not be written.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        Self::plain(
            RunReason::InternalError.reason(),
            "stdout: cannot write the result",
            &[with_causes(error as &dyn Error)],
            "free some space, or send the output elsewhere",
        )
    }

    /// For machines: one line of JSON.
    pub(crate) fn envelope(reason: &'static Reason, message: &str) -> Self {
        let envelope = ErrorEnvelope::new(reason.code, message, &diagnosis(reason));
        Self::made(serde_json::to_string(&envelope).unwrap_or_default() + "\n")
    }

    /// For machines, from an error.
    pub(crate) fn enveloped(error: &(impl Advice + 'static)) -> Self {
        Self::envelope(error.reason(), &with_causes(error))
    }

    /// A failure whose text is already made, such as a contract's envelope.
    pub(crate) fn made(text: String) -> Self {
        Self {
            text,
            exit: EXIT_COULD_NOT_RUN,
        }
    }

    /// With the exit code that a command's own contract asks for.
    pub(crate) fn with_exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    fn plain(reason: &Reason, message: &str, causes: &[String], help: &str) -> Self {
        let mut text = format!("error[{}]: {message}\n", reason.code);
        for cause in causes {
            let _ = writeln!(text, "  caused by: {cause}");
        }
        let _ = writeln!(text, "help: {help}");
        Self {
            text: terminal_safe(&text).into_owned(),
            exit: EXIT_COULD_NOT_RUN,
        }
    }

    /// Says it and gives the exit code.
    pub(crate) fn tell(self, streams: &mut Streams) -> u8 {
        streams.talk(&self.text);
        self.exit
    }
}

/// Help and version are answers; everything else clap refuses is told in the
/// form the command promises.
pub(crate) fn usage(
    words: &[OsString],
    error: &clap::Error,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        streams.data(error.render().to_string().as_bytes())?;
        return Ok(0);
    }
    let text = error.render().to_string();
    let command = words
        .get(1)
        .and_then(|word| word.to_str())
        .unwrap_or_default();
    match command {
        "quick" => Err(Failure::envelope(
            RunReason::CliUsage.reason(),
            &plain_usage(&text),
        )),
        "claims" | "cf-verify" => commands::claims::refuse(&plain_usage(&text), &text, streams),
        _ => Err(commands::workspace::usage(words, &text).unwrap_or_else(|| Failure::made(text))),
    }
}

/// The first paragraph of what clap says, without its own headline word.
fn plain_usage(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

/// What the envelope of a contract command says about a code.
fn diagnosis(reason: &Reason) -> Diagnosis {
    let usage = [RunReason::CliUsage, RunReason::EnforceUsage]
        .iter()
        .any(|known| known.code() == reason.code);
    if usage {
        Diagnosis {
            summary: "The command line, or an input it names, cannot be used.",
            origin: "inputs",
            category: "bad_input",
            severity: "low",
            action: "fix_cli_usage",
        }
    } else {
        Diagnosis {
            summary: "The run could not be finished; no verdict was reached.",
            origin: "workflow_flow",
            category: "control_flow_problem",
            severity: "high",
            action: "manual_review",
        }
    }
}
