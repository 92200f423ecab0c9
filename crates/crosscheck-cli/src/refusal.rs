//! A command line that is not understood: what is said about it, in the form that
//! the command promises.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use crosscheck::check::ContractFailure;
use crosscheck::core::Reason;
use crosscheck::core::advice::RunReason;

use crate::commands;
use crate::failure::{Failure, without_secrets};
use crate::output::Streams;

/// Help and version are answers; everything else clap refuses is answered in the
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
    let for_people = streams.talks_to_terminal() && !asks_for_json(words);
    if let Some(reason) = contract_usage(command, words).filter(|_| !for_people) {
        let message = plain_usage(command, error, &text);
        let failure = Failure::envelope(reason, &message);
        return Err(match command {
            // what asks for JSON gets its code under both names
            "rows" => failure.with_error_member(),
            _ => failure,
        });
    }
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && suggestions(error).is_empty();
    let text = match swapped(command, error).filter(|_| is_unknown) {
        Some(meant) => format!("{}\n\n  tip: did you mean {meant}?\n", text.trim_end()),
        None => text,
    };
    Err(commands::workspace::usage(words, &text).unwrap_or_else(|| Failure::made(text)))
}

/// Whether programs wait for an envelope of this command.
pub(crate) fn has_contract(words: &[OsString]) -> bool {
    let command = words.get(1).and_then(|word| word.to_str());
    command.is_some_and(|command| contract_usage(command, &[]).is_some())
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
        "validate-registry" => ContractFailure::ValidateRegistryUsage.reason(),
        "compare" => ContractFailure::CompareUsage.reason(),
        "verify" | "workspace" => return None, // plain text in every case
        _ if asks_for_json(words) => RunReason::CliUsage.reason(),
        _ => return None,
    })
}

/// Whether a command line asks for JSON, as far as one that is refused can.
pub(crate) fn asks_for_json(words: &[OsString]) -> bool {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    words.contains(&"--json")
        || words.contains(&"--format=json")
        || words
            .array_windows()
            .any(|pair| *pair == ["--format", "json"])
}

/// What clap says, for one line: the first paragraph without its headline
/// word, the nearest word that is known, and where all of them are listed.
fn plain_usage(command: &str, error: &clap::Error, text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default().trim_end();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    let mut meant = suggestions(error);
    if meant.is_empty() && error.kind() == ErrorKind::UnknownArgument {
        meant.extend(swapped(command, error));
    }
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

/// The option with the same letters in another order. Of short ones such as
/// `--bd` clap knows none that is near.
fn swapped(command: &str, error: &clap::Error) -> Option<String> {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().filter(|c| *c != '-').collect();
        letters.sort_unstable();
        letters
    };
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let given = letters(given.split('=').next().unwrap_or_default());
    let all = crate::args::Cli::command();
    let mut options = all.find_subcommand(command)?.get_arguments();
    let meant = options.find_map(|option| option.get_long().filter(|long| letters(long) == given));
    meant.map(|long| format!("`--{long}`"))
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
