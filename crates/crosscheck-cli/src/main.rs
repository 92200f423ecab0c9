//! The program: environment in, exit code out.
//!
//! This crate alone touches the environment, the working directory, the
//! terminal and the exit of the process. Standard output carries data,
//! standard error carries talk.

mod args;
mod commands;
mod failure;
mod ledger;
mod log;
mod output;
mod panics;
mod present;
mod progress;
mod refusal;
mod settings;
mod signals;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use crosscheck::config::Config;
use crosscheck::core::clock::{Clock as _, SystemClock, utc_seconds};

use crate::args::{Cli, Command, QuickCli, QuickCommand};
use crate::failure::Failure;
use crate::output::Streams;

fn main() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let log = log::start(&mut words);
    #[cfg(target_os = "linux")]
    {
        if let Some(code) = crosscheck::process::run_as_keeper(&words) {
            return code;
        }
        crosscheck::process::set_keeper("/proc/self/exe".into());
    }
    let mut variables = std::env::vars_os();
    if let Some((_, path)) = variables.find(|(name, _)| name == "PATH") {
        crosscheck::process::set_search_path(&path);
    }
    // For `scripts/ablate`: what a heuristic is worth is seen without it.
    #[cfg(debug_assertions)]
    if let Some(ids) = settings::variable("CROSSCHECK_WITHOUT_RULES") {
        crosscheck::core::rules::switch_off(&ids);
    }
    if let Some(code) = commands::done::hook::before_parsing(&words) {
        return ExitCode::from(code);
    }
    let words = commands::workspace::with_implied_word(&words);
    if let Err(word) = log {
        let message = format!("`{word}` is no level of --log");
        let failure = Failure::usage(&message, "write one of error, warn, info, debug, trace");
        return ExitCode::from(failure.tell(&mut Streams::real()));
    }
    let asked = words.clone();
    panics::end_with(move |failure| {
        let failure = failure.for_contract(refusal::has_contract(&asked));
        report_failure(failure, &asked, &mut Streams::real())
    });
    signals::end_cleanly();
    crosscheck::render::tell_run(|| crosscheck::render::RunFacts {
        at: utc_seconds(settings::fixed_time().unwrap_or_else(|| SystemClock.now())),
        tool: format!("crosscheck {}", args::VERSION),
        inputs: args::hashed_inputs(),
        history: commands::ci::history(),
    });
    ExitCode::from(run(&words, &mut Streams::real()))
}

/// Commands that check something without settings of their own. The others say
/// themselves what is wrong with the configuration.
const WITHOUT_SETTINGS: [&str; 10] = [
    "quick",
    "check",
    "enforce",
    "compare",
    "validate-registry",
    "decision-bundle",
    "verify-bundle-signature",
    "pr",
    "trace",
    "ledger",
];

/// A configuration that cannot be read may switch on what would then be left
/// out in silence, such as the ledger.
fn refuse_broken_configuration(words: &[OsString]) -> Result<(), Failure> {
    let command = words.get(1).and_then(|word| word.to_str());
    let asks = words.iter().any(|word| word == "--help" || word == "-h");
    if asks || !command.is_some_and(|command| WITHOUT_SETTINGS.contains(&command)) {
        return Ok(());
    }
    let loaded = Config::load(&settings::places(&settings::project_root()?, None));
    loaded
        .map(drop)
        .map_err(|error| settings::misconfigured(&error))
}

fn run(words: &[OsString], streams: &mut Streams) -> u8 {
    if let Err(failure) = refuse_broken_configuration(words) {
        let failure = failure.for_contract(refusal::has_contract(words));
        return report_failure(failure, words, streams);
    }
    if let Some(outcome) = commands::quick::before_parsing(words, streams) {
        return outcome.unwrap_or_else(|failure| report_failure(failure, words, streams));
    }
    let outcome = match parse(words) {
        Ok(command) => commands::run(command, streams),
        Err(error) => refusal::usage(words, &error, streams),
    };
    outcome.unwrap_or_else(|failure| report_failure(failure, words, streams))
}

fn report_failure(failure: Failure, words: &[OsString], streams: &mut Streams) -> u8 {
    let failure = if refusal::asks_for_json(words) {
        failure.for_machines()
    } else {
        failure
    };
    failure.tell(streams)
}

fn parse(words: &[OsString]) -> Result<Command, clap::Error> {
    if words
        .get(1)
        .is_some_and(|word| word == "quick" || word == "rows")
    {
        return Ok(match parsed::<QuickCli>(words)?.command {
            QuickCommand::Quick(args) => Command::Quick(args),
            QuickCommand::Rows(args) => Command::Rows(args),
        });
    }
    let mut command = parsed::<Cli>(words)?.command;
    if let Command::Claims(args) = &mut command {
        args.by_agent = words.get(1).is_some_and(|word| word == "cf-verify");
    }
    Ok(command)
}

/// Parses a command line; what it names to be written is known from then on.
fn parsed<P: Parser>(words: &[OsString]) -> Result<P, clap::Error> {
    let mut command = P::command();
    // they are many, and only help shows them
    let shows_help = |word: &OsString| word == "--help" || word == "-h" || word == "help";
    if words.iter().any(shows_help) {
        command = args::with_examples(command);
    }
    let matches = command.try_get_matches_from_mut(words)?;
    args::note_paths(&command, &matches)?;
    P::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}
