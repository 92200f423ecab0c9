//! `crosscheck verify` and `crosscheck workspace …`: every error ends with 1
//! and plain text, as their contract says.

mod console;
mod overview;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crosscheck::config::WORKSPACE;
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::{Event, Listener as _};
use crosscheck::workspace::commands::{self, InitOptions};
use crosscheck::workspace::config::{OutputLevel, Surroundings};
use crosscheck::workspace::read::time;
use crosscheck::workspace::reasons::WorkspaceReason;
use crosscheck::workspace::report::human;
use crosscheck::workspace::run::{self, RunOptions};
use crosscheck::workspace::{
    Task, VerificationOptions, Workspace, WorkspaceError, WorkspaceStatus,
};

use crate::args::chosen::Typed;
use crate::args::workspace::{
    InitArgs, PlaceArgs, RunArgs, SetupArgs, TopVerifyArgs, VerifyArgs, WorkspaceArgs,
    WorkspaceCommand,
};
use crate::failure::Failure;
use crate::ledger::{Inputs, Recorder};
use crate::output::Streams;
use console::Console;

const EXIT_NOT_VERIFIED: u8 = 1;
const EXIT_DETAILED_ERROR: u8 = 3;
/// The name under which existing scripts call the workspace commands.
const COMPATIBLE_NAME: &str = "claude-iterate";

/// `crosscheck verify`
pub(crate) fn top_verify(args: &TopVerifyArgs, streams: &mut Streams) -> Result<u8, Failure> {
    verify(&args.place, &args.verify, false, streams)
}

/// `crosscheck workspace …`
pub(crate) fn run(args: &WorkspaceArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let place = &args.place;
    match &args.command {
        WorkspaceCommand::Verify(args) => verify(place, args, false, streams),
        WorkspaceCommand::Check(args) => verify(place, args, true, streams),
        WorkspaceCommand::Run(args) => run_loop(place, args, streams),
        WorkspaceCommand::Init(args) => init(place, args, streams),
        WorkspaceCommand::Setup(args) => setup(place, args, streams),
        WorkspaceCommand::Reset(args) => print(
            open(place, &args.name).and_then(|workspace| {
                commands::reset(
                    &workspace,
                    args.verification,
                    &time::stamp(SystemClock.now()),
                )?;
                Ok(format!("Workspace reset: {}\n", args.name))
            }),
            streams,
        ),
        WorkspaceCommand::AcceptCriteria(args) => print(
            open(place, &args.name).and_then(|workspace| {
                let now = time::stamp(SystemClock.now());
                let changes = commands::accept_criteria(&workspace, &now)?;
                Ok(if changes.is_empty() {
                    format!("Nothing to accept: {}\n", args.name)
                } else {
                    format!("Accepted as they are now: {}\n", changes.join(", "))
                })
            }),
            streams,
        ),
        WorkspaceCommand::Show(args) => print(
            open(place, &args.name).map(|workspace| overview::show(&workspace, args.json)),
            streams,
        ),
        WorkspaceCommand::List(args) => print(
            surroundings(place).and_then(|around| overview::list(&around, args)),
            streams,
        ),
        WorkspaceCommand::ParseReport(args) => print(overview::parse_report(args), streams),
    }
}

/// Under its compatible name the program knows the workspace commands alone.
/// Options of all workspace commands may also come before the command word.
pub(crate) fn with_implied_word(words: &[OsString]) -> Vec<OsString> {
    let mut words = words.to_vec();
    let ahead = options_ahead(&words);
    if words.get(1 + ahead).is_some_and(is_ours) {
        words
            .get_mut(1..=1 + ahead)
            .unwrap_or_default()
            .rotate_right(1);
    }
    let asks_for_version = words
        .get(1)
        .is_some_and(|word| word == "--version" || word == "-V");
    if is_compatible_name(words.first()) && !asks_for_version {
        words.insert(1, "workspace".into());
    }
    words
}

/// How many words after the program's name are options of all our commands.
fn options_ahead(words: &[OsString]) -> usize {
    let mut ahead = 0;
    while let Some(word) = words.get(1 + ahead).and_then(|word| word.to_str()) {
        ahead += match word.split_once('=') {
            None if word == "--no-colors" => 1,
            None if word == "--project" || word == "--workspaces-dir" => 2,
            Some(("--project" | "--workspaces-dir", _)) => 1,
            _ => return ahead,
        };
    }
    ahead
}

fn is_ours(word: &OsString) -> bool {
    word == "verify" || word == "workspace"
}

/// Usage errors of these commands, in their own form; `None` for other commands.
pub(crate) fn usage(words: &[OsString], text: &str) -> Option<Failure> {
    words.get(1).is_some_and(is_ours).then(|| {
        let text = text
            .strip_prefix("error: ")
            .map_or_else(|| text.to_owned(), |rest| format!("Error: {rest}"));
        let detailed = words.iter().any(|word| word == "--detailed-exitcode");
        Failure::made(text).with_exit(error_exit(detailed))
    })
}

/// Under its compatible name the program has no word `workspace` to show.
pub(crate) fn in_its_own_name(words: &[OsString], text: String) -> String {
    if is_compatible_name(words.first()) {
        // the examples name the program that they were written for
        text.replace("crosscheck workspace", COMPATIBLE_NAME)
            .replace(&format!("{COMPATIBLE_NAME} workspace"), COMPATIBLE_NAME)
    } else {
        text
    }
}

fn is_compatible_name(word: Option<&OsString>) -> bool {
    word.and_then(|word| Path::new(word).file_stem())
        .is_some_and(|name| name == COMPATIBLE_NAME)
}

const fn error_exit(detailed: bool) -> u8 {
    if detailed {
        EXIT_DETAILED_ERROR
    } else {
        EXIT_NOT_VERIFIED
    }
}

fn failure(error: &WorkspaceError, detailed: bool) -> Failure {
    Failure::made(format!("Error: {error}\n")).with_exit(error_exit(detailed))
}

fn print(answer: Result<String, WorkspaceError>, streams: &mut Streams) -> Result<u8, Failure> {
    let text = answer.map_err(|error| failure(&error, false))?;
    streams.data(text.as_bytes())?;
    Ok(0)
}

fn open(place: &PlaceArgs, name: &str) -> Result<Workspace, WorkspaceError> {
    Ok(Task::open(&surroundings(place)?, name)?.workspace)
}

fn verify(
    place: &PlaceArgs,
    args: &VerifyArgs,
    offline: bool,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let detailed = args.detailed_exitcode;
    let status = try_verify(place, args, offline, streams)
        .map_err(|error| failure(&error, detailed))?
        .map_err(|unrecorded| unrecorded.with_exit(error_exit(detailed)))?;
    Ok(match status {
        WorkspaceStatus::Pass => 0,
        WorkspaceStatus::NeedsReview if detailed => 2,
        WorkspaceStatus::Fail | WorkspaceStatus::NeedsReview => EXIT_NOT_VERIFIED,
    })
}

fn try_verify(
    place: &PlaceArgs,
    args: &VerifyArgs,
    offline: bool,
    streams: &mut Streams,
) -> Result<Result<WorkspaceStatus, Failure>, WorkspaceError> {
    let typed_level = level_of(args.verbose, args.quiet)?;
    let mut typed = args.chosen.values.clone();
    if offline {
        let judge = |(_, key, value): &&Typed| key.path == "judge" && *value != "none";
        if let Some((_, _, judge)) = typed.iter().find(judge) {
            return Err(WorkspaceError::usage(format!(
                "`workspace check` asks no judge; for --judge {} use `workspace verify`",
                judge.as_str().unwrap_or_default()
            )));
        }
        typed.extend(
            WORKSPACE
                .key("judge")
                .map(|key| (&WORKSPACE, key, "none".into())),
        );
    }
    let mut task = Task::typed(&surroundings(place)?, &args.name, typed)?;
    let workspace = &task.workspace;
    let named = args.record.ledger.as_deref();
    let recorder = match Recorder::of_project(named, &workspace.project) {
        Ok((recorder, _)) => recorder,
        Err(failure) => return Ok(Err(failure)),
    };
    task.options = VerificationOptions {
        report_path: args.report_path.clone(),
        skip_permissions: args.dangerously_skip_permissions,
        acceptance: args
            .acceptance
            .as_ref()
            .map(|path| workspace.project.join(path)),
        wait: args.wait,
        ..VerificationOptions::default()
    };
    let workspace = &task.workspace;
    let mut console = Console::new(
        streams,
        level(typed_level, workspace),
        args.json,
        workspace.settings.chosen.colors && !place.no_colors,
    );
    let result = task.run(&mut console)?;
    let kept = recorder.keep(
        || result.neutral().clone(),
        || Inputs::files([Path::new(&result.report_path)]),
    );
    if args.json {
        console.document(&result.json());
    } else {
        if task.is_offline() {
            console.hear(Event::Text(&human::opening(&task.workspace.name)));
        }
        human::verdict(&result, &mut console);
        if args.show_report {
            console.hear(Event::Text(&human::full_report(&result)));
        }
    }
    console.finish()?;
    Ok(kept.map(|()| result.status))
}

/// The level of detail: typed over configured.
fn level(typed: Option<OutputLevel>, workspace: &Workspace) -> OutputLevel {
    typed.unwrap_or_else(|| workspace.settings.output_level())
}

fn level_of(verbose: bool, quiet: bool) -> Result<Option<OutputLevel>, WorkspaceError> {
    match (verbose, quiet) {
        (true, true) => Err(WorkspaceError::usage(
            "Cannot use both --verbose and --quiet",
        )),
        (true, false) => Ok(Some(OutputLevel::Verbose)),
        (false, true) => Ok(Some(OutputLevel::Quiet)),
        (false, false) => Ok(None),
    }
}

fn run_loop(place: &PlaceArgs, args: &RunArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let passed = try_run_loop(place, args, streams).map_err(|error| failure(&error, false))?;
    Ok(if passed { 0 } else { EXIT_NOT_VERIFIED })
}

fn try_run_loop(
    place: &PlaceArgs,
    args: &RunArgs,
    streams: &mut Streams,
) -> Result<bool, WorkspaceError> {
    let typed_level = level_of(args.verbose, args.quiet)?;
    let workspace = open(place, &args.name)?;
    let options = RunOptions {
        max_iterations: args.max_iterations,
        delay: if args.no_delay { Some(0) } else { args.delay },
        skip_permissions: args.dangerously_skip_permissions,
        no_verify: args.no_verify,
    };
    let mut console = Console::new(
        streams,
        level(typed_level, &workspace),
        false,
        workspace.settings.chosen.colors && !place.no_colors,
    );
    let passed = run::run(&workspace, &options, &mut console)?;
    console.finish()?;
    Ok(passed)
}

fn init(place: &PlaceArgs, args: &InitArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let surroundings = surroundings(place).map_err(|error| failure(&error, false))?;
    let options = InitOptions {
        max_iterations: args.max_iterations,
        delay: args.delay,
        mode: args.mode.clone(),
    };
    let made = commands::init(
        &surroundings,
        &args.name,
        &options,
        &time::stamp(SystemClock.now()),
    )
    .map(|folder| {
        format!(
            "Workspace created: {}\nNext: {} setup {} --from FILE\n",
            folder.display(),
            surroundings.program,
            args.name
        )
    });
    print(made, streams)
}

fn setup(place: &PlaceArgs, args: &SetupArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let done = open(place, &args.name).and_then(|workspace| {
        let path = commands::setup(&workspace, &workspace.project.join(&args.from))?;
        Ok(format!(
            "Setup complete: {}\nNext: {} run {}\n",
            path.display(),
            workspace.program,
            workspace.name
        ))
    });
    print(done, streams)
}

/// What the environment says about the workspaces of a project.
pub(crate) fn surroundings_of(project: &Path) -> Result<Surroundings, Failure> {
    surroundings(&PlaceArgs {
        workspaces_dir: None,
        no_colors: true,
        project: Some(project.to_owned()),
    })
    .map_err(|error| failure(&error, false))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this crate alone reads environment and working directory"
)]
fn surroundings(place: &PlaceArgs) -> Result<Surroundings, WorkspaceError> {
    let current = std::env::current_dir().map_err(|error| {
        WorkspaceError::new(
            WorkspaceReason::Io,
            format!("cannot find the current folder: {error}"),
        )
    })?;
    let project = place
        .project
        .as_ref()
        .map_or(current.clone(), |project| current.join(project));
    let home = std::env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from);
    let places = crate::settings::places(&project, None);
    let program = if is_compatible_name(std::env::args_os().next().as_ref()) {
        COMPATIBLE_NAME
    } else {
        "crosscheck workspace"
    };
    Ok(Surroundings {
        project: crosscheck::workspace::read::layout::normal(&project),
        home,
        config_home: places.user_folder,
        variables: places.variables,
        program: program.to_owned(),
        workspaces_dir: place.workspaces_dir.clone(),
    })
}
