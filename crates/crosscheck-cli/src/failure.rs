//! The one place where "could not run" becomes text or an envelope, and an
//! exit code.

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use crosscheck::check::ContractFailure;
use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, RunReason, with_causes};
use crosscheck::core::envelope::{Diagnosis, ErrorEnvelope};
use crosscheck::core::redact::without_words_secrets;
use crosscheck::core::text::terminal_safe;
use crosscheck::core::{Advice, Reason};

use crate::commands;
use crate::output::Streams;

/// A run that could not be done.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    exit: u8,
    /// What an envelope would say, if the text is for people.
    told: Option<(&'static Reason, String)>,
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

    /// A failure with a reason of its own.
    pub(crate) fn because(reason: &'static Reason, message: &str, help: &str) -> Self {
        Self::plain(reason, message, &[], help)
    }

    /// The same failure for whoever asked for JSON: as an envelope.
    pub(crate) fn for_machines(self) -> Self {
        match self.told {
            Some((reason, message)) => Self::envelope(reason, &message).with_exit(self.exit),
            None => self,
        }
    }

    /// An envelope with its code under the name `error`, too.
    pub(crate) fn with_error_member(mut self) -> Self {
        if let Ok(serde_json::Value::Object(mut envelope)) = serde_json::from_str(&self.text)
            && let Some(code) = envelope.get("code").cloned()
        {
            envelope.insert("error".to_owned(), code);
            self.text = serde_json::Value::Object(envelope).to_string() + "\n";
        }
        self
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
        // before the message is cut, where half a word would not be found
        let message = without_secrets(message);
        let envelope = ErrorEnvelope::new(reason.code, &message, &diagnosis(reason));
        let envelope = if is_known(reason.code) {
            envelope
        } else {
            envelope.unsure()
        };
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
            told: None,
        }
    }

    /// With the exit code that a command's own contract asks for.
    pub(crate) fn with_exit(mut self, exit: u8) -> Self {
        self.exit = exit;
        self
    }

    fn plain(reason: &'static Reason, message: &str, causes: &[String], help: &str) -> Self {
        let mut text = format!("error[{}]: {message}\n", reason.code);
        for cause in causes {
            let _ = writeln!(text, "  caused by: {cause}");
        }
        let _ = writeln!(text, "help: {help}");
        let parts: Vec<&str> = std::iter::once(message)
            .chain(causes.iter().map(String::as_str))
            .collect();
        Self {
            text: terminal_safe(&text).into_owned(),
            exit: EXIT_COULD_NOT_RUN,
            told: Some((reason, parts.join(": "))),
        }
    }

    /// Says it and gives the exit code.
    pub(crate) fn tell(self, streams: &mut Streams) -> u8 {
        streams.talk(&without_secrets(&self.text));
        self.exit
    }
}

/// Whatever is said about the command line, a password in it is not repeated.
fn without_secrets(text: &str) -> String {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    without_words_secrets(text, &words)
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
        let text = match commands::claims::help_for_agents(words) {
            Some(help) if error.kind() == ErrorKind::DisplayHelp => help,
            _ => commands::workspace::in_its_own_name(words, error.render().to_string()),
        };
        streams.data(text.as_bytes())?;
        return Ok(0);
    }
    let text = without_secrets(&error.render().to_string());
    let text = commands::workspace::in_its_own_name(words, text);
    let command = words
        .get(1)
        .and_then(|word| word.to_str())
        .unwrap_or_default();
    if matches!(command, "claims" | "cf-verify") {
        // clap names only the first of two that will do
        let either = "--result <FILE|JSON|-> or --batch <DIR|GLOB>";
        let text = if error.kind() == ErrorKind::MissingRequiredArgument {
            text.replacen("--result <FILE|JSON|->", either, 1)
        } else {
            text
        };
        let problem = plain_usage(command, error, &text);
        return commands::claims::refuse_usage(words, &problem, &text, streams);
    }
    if command == "rows" && (asks_for_json(words) || !streams.talks_to_terminal()) {
        let message = plain_usage(command, error, &text);
        let failure = Failure::envelope(RunReason::CliUsage.reason(), &message);
        return Err(failure.with_error_member());
    }
    if let Some(reason) = contract_usage(command, words) {
        let message = plain_usage(command, error, &text);
        return Err(Failure::envelope(reason, &message));
    }
    Err(commands::workspace::usage(words, &text).unwrap_or_else(|| Failure::made(text)))
}

/// The code a contract command gives to a command line it does not understand.
fn contract_usage(command: &str, words: &[OsString]) -> Option<&'static Reason> {
    let locks = words
        .iter()
        .filter_map(|word| word.to_str())
        .any(|word| word.starts_with("--expect-lock") || word.starts_with("--output-lock"));
    Some(match command {
        "check" if locks => RunReason::EnforceUsage.reason(),
        "quick" | "check" | "decision-bundle" | "verify-bundle-signature" => {
            RunReason::CliUsage.reason()
        }
        "enforce" => RunReason::EnforceUsage.reason(),
        "trace" if asks_for_json(words) => RunReason::CliUsage.reason(),
        "validate-registry" => ContractFailure::ValidateRegistryUsage.reason(),
        "compare" => ContractFailure::CompareUsage.reason(),
        _ => return None,
    })
}

/// Whether a command line asks for JSON, as far as one that is refused can.
fn asks_for_json(words: &[OsString]) -> bool {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    words.contains(&"--json")
        || words.contains(&"--format=json")
        || words
            .array_windows()
            .any(|pair| *pair == ["--format", "json"])
}

/// What clap says, for one line: the first paragraph without its headline
/// word, the nearest word that is known, and where all of them stand.
fn plain_usage(command: &str, error: &clap::Error, text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    let meant = suggestions(error);
    if !meant.is_empty() {
        let _ = write!(message, "; did you mean {}?", meant.join(" or "));
    } else if !message.ends_with('.') {
        message.push(';');
    }
    let _ = write!(
        message,
        " `crosscheck {command} --help` lists what it takes"
    );
    message
}

/// The words that clap holds for the ones that were meant.
fn suggestions(error: &clap::Error) -> Vec<String> {
    let kinds = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    let found = kinds.iter().filter_map(|kind| error.get(*kind));
    found
        .flat_map(|value| match value {
            ContextValue::String(word) => vec![word.clone()],
            ContextValue::Strings(words) => words.clone(),
            _ => Vec::new(),
        })
        .map(|word| format!("`{word}`"))
        .collect()
}

/// What the envelope of a contract command says about a code.
fn diagnosis(reason: &Reason) -> Diagnosis {
    let (summary, origin, category, severity, action) = match reason.code {
        "CLI_USAGE" | "ENFORCE_USAGE" | "VERIFICATION_POLICY_INVALID" => (
            "The command line, or an input it names, cannot be used.",
            "inputs",
            "bad_input",
            "low",
            "fix_cli_usage",
        ),
        "VALIDATE_REGISTRY_USAGE" | "COMPARE_USAGE" => (
            "The command line cannot be used.",
            "workflow_flow",
            "bad_input",
            "low",
            "fix_cli_usage",
        ),
        "EVENTS_READ_FAILED" => (
            "The events file cannot be read.",
            "inputs",
            "bad_input",
            "high",
            "fix_registry_events_or_compare_files",
        ),
        "SQLITE_DATABASE_OPEN_FAILED" | "POSTGRES_CLIENT_SETUP_FAILED" => (
            "The database cannot be opened for reading.",
            "downstream_system_state",
            "downstream_execution_failure",
            "high",
            "fix_verification_database_connection",
        ),
        "COMPARE_WORKFLOW_ID_MISMATCH" => (
            "The certificates belong to different workflows.",
            "workflow_flow",
            "control_flow_problem",
            "medium",
            "fix_compare_workflow_inputs",
        ),
        "VERIFICATION_OUTPUT_LOCK_MISMATCH" => (
            "The run differs from the accepted baseline.",
            "workflow_flow",
            "state_inconsistency",
            "high",
            "reconcile_downstream_state",
        ),
        "TRACE_INPUT_UNREADABLE" | "INPUT_TOO_LARGE" => (
            "An input of the run cannot be read.",
            "inputs",
            "bad_input",
            "high",
            "fix_cli_usage",
        ),
        "INTERNAL_ERROR" => (
            "The run could not be finished; no verdict was reached.",
            "workflow_flow",
            "control_flow_problem",
            "high",
            "manual_review",
        ),
        code if code.starts_with("REGISTRY_") || code.starts_with("COMPARE_INPUT_") => (
            "An input file cannot be used.",
            "inputs",
            "bad_input",
            "medium",
            "fix_registry_events_or_compare_files",
        ),
        _ => (
            "The run could not be finished; the message says why.",
            "workflow_flow",
            "unclassified",
            "medium",
            "manual_review",
        ),
    };
    Diagnosis {
        summary,
        origin,
        category,
        severity,
        action,
    }
}

/// Whether the table above knows the code itself.
fn is_known(code: &str) -> bool {
    matches!(
        code,
        "CLI_USAGE"
            | "ENFORCE_USAGE"
            | "VERIFICATION_POLICY_INVALID"
            | "VALIDATE_REGISTRY_USAGE"
            | "COMPARE_USAGE"
            | "EVENTS_READ_FAILED"
            | "SQLITE_DATABASE_OPEN_FAILED"
            | "POSTGRES_CLIENT_SETUP_FAILED"
            | "COMPARE_WORKFLOW_ID_MISMATCH"
            | "VERIFICATION_OUTPUT_LOCK_MISMATCH"
            | "TRACE_INPUT_UNREADABLE"
            | "INPUT_TOO_LARGE"
            | "INTERNAL_ERROR"
    ) || code.starts_with("REGISTRY_")
        || code.starts_with("COMPARE_INPUT_")
}
