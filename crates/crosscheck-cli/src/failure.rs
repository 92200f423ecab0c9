//! The one place where "could not run" becomes text or an envelope, and an
//! exit code.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;

use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, RunReason};
use crosscheck::core::envelope::ErrorEnvelope;
use crosscheck::core::redact::without_words_secrets;
use crosscheck::core::{Advice, Reason};
use crosscheck::fetch::is_machine_limit;
use serde::Serialize;

use crate::output::Streams;

/// A run that could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    body: Body,
    exit: u8,
}

#[derive(Debug)]
enum Body {
    /// Text that a contract fixes.
    Fixed(String),
    Explained(Explained),
}

/// What, why, and one thing to try.
#[derive(Debug)]
struct Explained {
    reason: &'static Reason,
    message: String,
    causes: Vec<String>,
    help: String,
    form: Form,
    /// Whether an envelope has the code under the name `error`, too.
    has_error_member: bool,
}

#[derive(Serialize)]
struct WithError<'e> {
    #[serde(flatten)]
    envelope: &'e ErrorEnvelope,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
}

/// A full disk has advice of its own.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Who reads standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// People, unless the command line asks for JSON.
    People,
    /// People on a terminal; elsewhere a program waits for an envelope.
    Contract,
    /// A program.
    Machines,
}

impl Failure {
    /// An error of a command that talks to people.
    pub(crate) fn of(error: &dyn Advice) -> Self {
        let mut causes = Vec::new();
        let mut help = error.help();
        let mut cause = error.source();
        while let Some(inner) = cause {
            causes.push(inner.to_string());
            let system = inner.downcast_ref::<io::Error>();
            if system.is_some_and(|error| is_machine_limit(error) && !is_full(error)) {
                "raise the limit of this machine (ulimit -n for open files, ulimit -v for memory), and run again"
                    .clone_into(&mut help);
            }
            cause = inner.source();
        }
        Self::new(error.reason(), error.to_string(), causes, help)
    }

    /// A failure of the command line itself.
    pub(crate) fn usage(message: &str, help: &str) -> Self {
        Self::because(RunReason::CliUsage.reason(), message, help)
    }

    /// A failure with a reason of its own.
    pub(crate) fn because(reason: &'static Reason, message: &str, help: &str) -> Self {
        Self::new(reason, message.to_owned(), Vec::new(), help.to_owned())
    }

    /// The same failure as JSON, because the command line asks for it.
    pub(crate) fn for_machines(self) -> Self {
        self.in_form(Form::Machines)
    }

    /// An envelope with its code under the name `error`, too.
    pub(crate) fn with_error_member(mut self) -> Self {
        if let Body::Explained(failure) = &mut self.body {
            failure.has_error_member = true;
        }
        self
    }

    /// Standard output could not be written.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        Self::new(
            RunReason::InternalError.reason(),
            "stdout: cannot write the result".to_owned(),
            vec![error.to_string()],
            "free some space, or send the output elsewhere".to_owned(),
        )
    }

    /// A failure of a contract command: an envelope, except on a terminal.
    pub(crate) fn envelope(reason: &'static Reason, message: &str) -> Self {
        Self::because(reason, message, reason.help).in_form(Form::Contract)
    }

    /// The same, from an error.
    pub(crate) fn enveloped(error: &dyn Advice) -> Self {
        Self::of(error).in_form(Form::Contract)
    }

    /// The same, if the command has such a contract.
    pub(crate) fn for_contract(self, has_contract: bool) -> Self {
        if has_contract {
            self.in_form(Form::Contract)
        } else {
            self
        }
    }

    /// A failure whose text a contract fixes.
    pub(crate) fn made(text: String) -> Self {
        Self {
            body: Body::Fixed(text),
            exit: EXIT_COULD_NOT_RUN,
        }
    }

    /// What went wrong, for a command that tells it in its own form.
    pub(crate) fn message(&self) -> &str {
        match &self.body {
            Body::Explained(failure) => &failure.message,
            Body::Fixed(text) => text,
        }
    }

    /// With the exit code that a command's own contract asks for.
    pub(crate) fn with_exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    fn new(reason: &'static Reason, message: String, causes: Vec<String>, help: String) -> Self {
        Self {
            body: Body::Explained(Explained {
                reason,
                message,
                causes,
                help,
                form: Form::People,
                has_error_member: false,
            }),
            exit: EXIT_COULD_NOT_RUN,
        }
    }

    fn in_form(mut self, form: Form) -> Self {
        if let Body::Explained(failure) = &mut self.body {
            failure.form = form;
        }
        self
    }

    /// Writes it to standard error and returns the exit code.
    pub(crate) fn tell(self, streams: &mut Streams) -> u8 {
        let text = match self.body {
            Body::Fixed(text) => without_secrets(&text),
            Body::Explained(failure) => match failure.form {
                Form::Machines => failure.json(),
                Form::Contract if !streams.talks_to_terminal() => failure.json(),
                Form::People | Form::Contract => failure.text(),
            },
        };
        streams.talk(&text);
        self.exit
    }
}

impl Explained {
    fn text(&self) -> String {
        let mut text = format!("error[{}]: {}\n", self.reason.code, self.message);
        for cause in &self.causes {
            let _ = writeln!(text, "  caused by: {cause}");
        }
        let _ = writeln!(text, "help: {}", self.help);
        without_secrets(&text)
    }

    /// One line.
    fn json(&self) -> String {
        let causes = self.causes.iter().map(String::as_str);
        let parts: Vec<&str> = std::iter::once(self.message.as_str())
            .chain(causes)
            .collect();
        // before the message is cut, where half a word would not be found
        let message = without_secrets(&parts.join(": "));
        let envelope = WithError {
            envelope: &ErrorEnvelope::new(self.reason, &message),
            error: self.has_error_member.then_some(self.reason.code),
        };
        serde_json::to_string(&envelope).unwrap_or_default() + "\n"
    }
}

/// Whatever is said about the command line, a password in it is not repeated.
pub(crate) fn without_secrets(text: &str) -> String {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    without_words_secrets(text, &words)
}
