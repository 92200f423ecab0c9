//! The process that does jobs, and what it may use.

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use crosscheck::batch::{Job, Runner};
use crosscheck::config::{self, Config, ConfigError};
use crosscheck::core::Verdict;
use crosscheck::core::advice::EXIT_COULD_NOT_RUN;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::args::batch::RunnerArgs;
use crate::failure::Failure;
use crate::output::standard_output;
use crate::settings::asking::Asking;
use crate::settings::database::named as database;
use crate::settings::{cache_folder, pdf_reader, places, variable};

/// What only some who start jobs allow.
#[derive(Default)]
pub(in crate::commands) struct Allowed {
    pub(in crate::commands) any_database: bool,
    pub(in crate::commands) verify: bool,
}

/// What does the jobs, as flags and configuration ask for it.
pub(in crate::commands) fn runner(args: &RunnerArgs, allowed: &Allowed) -> Result<Runner, Failure> {
    let root = args.root.canonicalize().unwrap_or_default();
    let config = Config::load(&places(&root, args.config.as_deref()));
    let mut config = config.map_err(|error| wrong(error.to_string()))?;
    config.insert(args.layer());
    let mut runner = configured(&args.root, &config)?;
    for (name, place) in &args.db {
        let database = database(place).map_err(wrong)?;
        runner.databases.insert(name.clone(), database);
    }
    runner.verifies = allowed.verify;
    if allowed.any_database {
        runner.any_database = Some(Box::new(database));
    }
    Ok(runner)
}

/// What does checks below this root, as the configuration asks for it.
pub(in crate::commands) fn configured(root: &Path, config: &Config) -> Result<Runner, Failure> {
    let mut runner = Runner::new(root).map_err(|error| Failure::of(&error))?;
    let root = root.canonicalize().unwrap_or_default();
    let invalid = |error: ConfigError| wrong(error.to_string());
    runner.sources = config::sources(config).map_err(invalid)?;
    runner.fetch = config::web(config, &variable).map_err(invalid)?;
    runner.sources.pdf_reader = pdf_reader();
    runner.rows = config.chosen().map_err(invalid)?;
    runner.trace = config.chosen().map_err(invalid)?;
    let offline = runner.fetch.offline;
    let asking = Asking::choose(config);
    let judge = asking.and_then(|asking| asking.judge(&root, cache_folder(&root), offline));
    runner.judge = Arc::from(judge.map_err(wrong)?);
    Ok(runner)
}

fn wrong(why: impl AsRef<str>) -> Failure {
    Failure::usage(why.as_ref(), "correct the option or the configuration file")
}

/// Answers jobs until there are no more. The first letter of a line is the exit
/// code of the job.
pub(in crate::commands) fn serve(runner: &Runner, args: &RunnerArgs) -> Result<u8, Failure> {
    limit(args.memory);
    let mut out = standard_output();
    for line in io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| Failure::stdout(&error))?;
        let answer = runner.answer(Job::read(&line));
        let exit = exit_code(answer.error.is_some(), answer.verdict);
        let text = format!("{exit}{}\n", answer.line());
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        if written.is_err() {
            break; // whoever asked has gone
        }
    }
    Ok(0)
}

/// The exit code of a job as a run of its own.
pub(super) fn exit_code(is_refused: bool, verdict: Option<Verdict>) -> u8 {
    if is_refused {
        return EXIT_COULD_NOT_RUN;
    }
    verdict.map_or(0, Verdict::exit_code)
}

/// A job that needs more memory ends its process; so does the end of whoever
/// started it.
fn limit(mebibytes: u64) {
    let most = Some(mebibytes.saturating_mul(1 << 20));
    let limit = |resource, most| {
        let (current, maximum) = (most, most);
        // one that cannot be set leaves the one that was there
        let _ = setrlimit(resource, Rlimit { current, maximum });
    };
    limit(Resource::As, most);
    limit(Resource::Core, Some(0));
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}
