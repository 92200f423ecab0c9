//! `crosscheck ci`: every check of the policy, one verdict, several outputs.

mod otel;
mod outcome;
mod plan;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use crosscheck::Neutral;
use crosscheck::config::{Check, Config, ConfigError, Layer, Notice, PROJECT_FILE, Place};
use crosscheck::core::outputs::named;
use crosscheck::process::git::Git;
use crosscheck::render::Format;

use self::outcome::{Finished, exit_code, merged};
use self::plan::{Planner, Step};
use super::batch::worker;
use super::{spare, workspace};
use crate::args::ci::{CiArgs, Output};
use crate::args::note_inputs;
use crate::failure::Failure;
use crate::ledger::{CheckHistory, Inputs, Recorder};
use crate::output::Streams;
use crate::present::Presenter;
use crate::settings::{misconfigured, places, project_root, tell};

/// How many earlier runs a page shows.
const HISTORY_RUNS: u64 = 30;

/// What earlier runs said, for the page that is handed over.
static HISTORY: OnceLock<CheckHistory> = OnceLock::new();

/// The verdicts of earlier runs of the checks.
pub(crate) fn history() -> CheckHistory {
    HISTORY.get().cloned().unwrap_or_default()
}

pub(crate) fn run(args: &CiArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let outputs = outputs(args)?;
    let root = project_root()?;
    let config = policy(args, &root)?;
    let (declared, ignored) = config.checks();
    let notices = config.notices().chain(&ignored).map(Notice::to_string);
    let notices: Vec<String> = notices.collect();
    tell(&notices, streams);
    let checks = chosen(&declared, args)?;
    let recorder = Recorder::configured(args.record.ledger.as_deref(), &config, &root)?;
    let mut runner = worker::configured(&root, &config)?;
    runner.verifies = args.allow_verify;
    runner.workspaces = Some(workspace::surroundings_of(&root)?);
    let mut planner = Planner::new(&root, args)?;
    let steps: Vec<Step<'_>> = checks
        .iter()
        .flat_map(|check| planner.steps(check, &mut runner))
        .collect();
    let mut files = planner.files(args.config.as_deref());
    for path in &files {
        named(path);
    }
    let mut finished = run_all(args, &steps, streams, |step| step.run(&runner, &root));
    if let Some(first) = finished.first_mut() {
        first.report.notices.extend(notices);
    }
    let left_out = outcome::left_out(planner.skipped(), &config_name(args));
    let reports = finished.iter().map(|one| &one.report).chain(&left_out);
    let reports: Vec<&Neutral> = reports.collect();
    let evidence = outcome::evidence(&finished, &root);
    files.retain(|path| !evidence.contains(path));
    files.extend(evidence);
    note_inputs(&root, files.clone());
    let _ = HISTORY.set(recorder.check_history(HISTORY_RUNS));
    let kept = recorder.keep_with(
        || merged(&finished, config_name(args)),
        || Inputs::files(files.iter().map(PathBuf::as_path)),
        outcome::verdicts(&finished),
    );
    publish(&outputs, &reports, streams)?;
    if let Some(path) = &args.otel {
        let document = otel::document(&finished, &outputs);
        spare::publish(path, document.as_bytes())?;
    }
    kept?;
    Ok(exit_code(&finished))
}

/// What is written where; for people on standard output unless something else goes there.
fn outputs(args: &CiArgs) -> Result<Vec<Output>, Failure> {
    let shown = args.output.iter().filter(|output| output.file.is_none());
    match shown.count() {
        0 => Ok([
            args.output.as_slice(),
            &[Output {
                format: Format::Human,
                file: None,
            }],
        ]
        .concat()),
        1 => Ok(args.output.clone()),
        _ => Err(Failure::usage(
            "two outputs would go to standard output",
            "name a file for one of them: --output FORMAT=FILE",
        )),
    }
}

/// The policy: a named file, the one of a commit with that of the project above it, or that
/// of the project.
fn policy(args: &CiArgs, root: &Path) -> Result<Config, Failure> {
    let invalid = |error: ConfigError| misconfigured(&error);
    let mut config = Config::load(&places(root, args.config.as_deref())).map_err(invalid)?;
    if let Some(commit) = &args.policy {
        let shown = format!("{commit}:{PROJECT_FILE}");
        let git = Git::of(root);
        let text = git
            .commit(commit)
            .and_then(|commit| git.ask(&["show", &format!("{commit}:./{PROJECT_FILE}")]))
            .map_err(|why| {
                let why = Some(why.trim()).filter(|why| !why.is_empty());
                let why = why.unwrap_or("git knows no commit of this name");
                Failure::usage(
                    &format!("cannot read the policy `{shown}`: {why}"),
                    "name a commit that has the file, for example origin/main, and fetch it first",
                )
            })?;
        // below the project's file, which can only tighten what is there
        let layer = Layer::of_text(Place::User, &text, shown, false).map_err(invalid)?;
        config.insert(layer);
    }
    config.insert(args.layer());
    Ok(config)
}

fn config_name(args: &CiArgs) -> String {
    let named = args.config.as_ref().map(|path| path.display().to_string());
    let commit = args.policy.as_ref();
    let commit = commit.map(|commit| format!("{commit}:{PROJECT_FILE}"));
    named.or(commit).unwrap_or_else(|| PROJECT_FILE.to_owned())
}

/// The checks that the command line names, in the order of the policy.
fn chosen<'c>(declared: &[&'c Check], args: &CiArgs) -> Result<Vec<&'c Check>, Failure> {
    let names: Vec<&str> = declared.iter().map(|check| check.name.as_str()).collect();
    if names.is_empty() {
        return Err(Failure::usage(
            &format!("{} declares no check", config_name(args)),
            "add a [[check]], or let `crosscheck init` write one",
        ));
    }
    let is_unknown = |name: &&String| !names.contains(&name.as_str());
    if let Some(name) = args.names.iter().find(is_unknown) {
        return Err(Failure::usage(
            &format!("no check is called `{name}`"),
            &format!("name one of {}", names.join(", ")),
        ));
    }
    let is_chosen = |check: &&&Check| args.names.is_empty() || args.names.contains(&check.name);
    Ok(declared.iter().filter(is_chosen).copied().collect())
}

/// Does every step, several at a time; the results are in the order of the steps.
fn run_all<'s, 'c: 's>(
    args: &CiArgs,
    steps: &'s [Step<'c>],
    streams: &mut Streams,
    work: impl Fn(&'s Step<'c>) -> Finished<'c> + Sync,
) -> Vec<Finished<'c>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let workers = args.jobs.map_or(cores, usize::from).min(steps.len());
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Finished<'c>>> = steps.iter().map(|_| OnceLock::new()).collect();
    let talk = Mutex::new(streams);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(step) = steps.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let finished = work(step);
                    if !args.quiet {
                        let line = format!("{}\n", finished.line());
                        let mut talk = talk.lock().unwrap_or_else(PoisonError::into_inner);
                        talk.talk(&line);
                    }
                    if let Some(place) = results.get(step.index) {
                        let _ = place.set(finished);
                    }
                }
            });
        }
    });
    results
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .collect()
}

/// Writes every output; one that cannot be written keeps no other from its file.
fn publish(outputs: &[Output], reports: &[&Neutral], streams: &mut Streams) -> Result<(), Failure> {
    let mut failed = None;
    for output in outputs {
        let presenter = Presenter::new(output.format, output.file.as_deref());
        let written = presenter.show(reports, Ok(()), streams);
        failed = failed.or(written.err());
    }
    failed.map_or(Ok(()), Err)
}
