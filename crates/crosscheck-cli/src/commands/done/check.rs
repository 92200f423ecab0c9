//! `done check` and `done last`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck::config::{Notice, PROJECT_FILE};
use crosscheck::core::Advice as _;
use crosscheck::core::advice::with_causes;
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::files::read_limited;
use crosscheck::core::foreign;
use crosscheck::done::config::Settings;
use crosscheck::done::gate::{self, DoneError, Identity, LastWords, Layers};
use crosscheck::done::place::root_of;
use crosscheck::done::read::session::Log;
use crosscheck::done::report::receipt::Receipt;
use crosscheck::done::report::words;
use crosscheck::done::{Others, Report, Rounds, Task};
use crosscheck::render::Format;
use crosscheck::{Database, NoListener};

use super::place::{accepted, hidden, memory, places_of, steering};
use super::{TOOL, sessions, settings};
use crate::args::done::{CheckArgs, JudgeArgs, LastArgs};
use crate::commands::spare::spare;
use crate::failure::Failure;
use crate::ledger::Recorder;
use crate::output::Streams;
use crate::settings::{misconfigured, read_named};

const MAX_MESSAGE: u64 = 16 << 20;

pub(super) fn one(args: &CheckArgs, explain: bool, streams: &mut Streams) -> Result<u8, Failure> {
    let message = args.message.as_deref().map(read_message).transpose()?;
    if message.is_none() && args.transcript.is_none() && !args.common.chosen.has("require") {
        return Err(Failure::usage(
            "there is nothing to judge",
            "pass --message, --transcript, --require, or several",
        ));
    }
    let transcript = args.transcript.as_deref();
    judge(&args.common, explain, message, transcript, streams)
}

pub(super) fn last(args: &LastArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let (root, cwd) = root(&args.common, None)?;
    let Some(path) = sessions::newest(&cwd, &root) else {
        return Err(Failure::usage(
            "no session of Claude Code or Codex was found for this folder",
            "name one with `crosscheck done check --transcript FILE`",
        ));
    };
    let explain = args.common.explain;
    judge(&args.common, explain, None, Some(&path), streams)
}

fn read_message(path: &Path) -> Result<String, Failure> {
    let bytes = read_named(path, MAX_MESSAGE).map_err(|why| {
        Failure::usage(
            &format!("cannot read the message: {why}"),
            "pass --message with a file that can be read, or `-`",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The root of the project and the folder it was looked for from: that of the
/// command line, of the session, or of this process.
fn root(args: &JudgeArgs, session: Option<&Path>) -> Result<(PathBuf, PathBuf), Failure> {
    if let Some(root) = &args.root {
        let root = folder(root).map_err(|error| {
            Failure::usage(
                &format!("cannot use --root {}: {error}", root.display()),
                "name a folder that exists",
            )
        })?;
        return Ok((root.clone(), root));
    }
    let cwd = match session {
        Some(cwd) => std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned()),
        None => crate::settings::current_dir()?,
    };
    Ok((root_of(&cwd, crate::settings::search_end().as_deref()), cwd))
}

fn folder(path: &Path) -> io::Result<PathBuf> {
    let path = std::fs::canonicalize(path)?;
    if path.is_dir() {
        Ok(path)
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// A database that the user names must be one that can be looked at.
fn database(is_named: bool, others: &Others) -> Result<(), Failure> {
    let why = match &others.database {
        Some(Ok(Database::Sqlite(path))) if !path.is_file() => {
            format!("{} is not a file", path.display())
        }
        Some(Err(why)) => why.clone(),
        _ => return Ok(()),
    };
    if !is_named {
        return Ok(()); // the answer of `rows` says so
    }
    Err(Failure::usage(
        &format!("cannot use --db: {why}"),
        "name a database file that exists, or the URL of a database",
    ))
}

fn judge(
    args: &JudgeArgs,
    explain: bool,
    message: Option<String>,
    transcript: Option<&Path>,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let log = transcript.map(|path| Log::at(path.to_owned()));
    let last = log.as_ref().map(gate::last_words).transpose();
    let last = last.map_err(|error| failed(&error))?;
    let started_in = last.as_ref().and_then(|last| last.cwd.clone());
    let (root, cwd) = root(args, started_in.as_deref())?;
    if let Some(output) = &args.presented.output {
        let mut read = vec![root.join(PROJECT_FILE)];
        read.extend(transcript.map(Path::to_owned));
        spare(output, &read, &[])?;
    }
    let mut reality = args.reality.clone();
    if !root.is_dir() {
        reality = vec!["none".to_owned()];
        let why = format!(
            "the session worked in {}, which is not here: only its log is looked at",
            root.display()
        );
        if !args.talk.quiet {
            crate::settings::tell(&[why], streams);
        }
    }
    let typed = [args.chosen.values.clone(), settings::reality(&reality)].concat();
    let mut layers = settings::layers(&root, args.config.as_deref(), typed)
        .map_err(|error| misconfigured(&error))?;
    layers.names_project =
        args.root.is_some() || args.reality.iter().any(|kind| kind == "commands");
    if let Some(broken) = &layers.broken {
        return Err(misconfigured(broken));
    }
    let places = places_of(root.clone(), cwd, None);
    let held = layers.settings().map_err(|error| misconfigured(&error))?;
    let others = settings::others(&held, None);
    database(args.chosen.has("database"), &others)?;
    let (message, identity) = complete(message, last, log.as_ref());
    let task = Task {
        others,
        rounds: Rounds::Once,
        check: gate::Task {
            message,
            log,
            identity,
            running: Vec::new(),
            steering: steering(&root, &places.cwd, &held.pattern_files),
            hidden: hidden(),
            explain,
            live: false,
            printed: true,
            patterns: pattern_files(&held),
            accepted: accepted(&root),
            memory: memory(&root),
            places,
            layers,
        },
    };
    if let Some(output) = &args.presented.output {
        spare(output, &[], &[])?;
    }
    if !args.talk.quiet {
        tell_notices(&task.check.layers, streams);
    }
    let named = args.record.ledger.as_deref();
    let recorder = Recorder::configured(named, &task.check.layers.config, &root)?;
    let report = task.run(&mut NoListener).map_err(|error| failed(&error))?;
    let receipt = report.receipt(TOOL, &gate::timestamp(SystemClock.now()));
    let kept = recorder.keep_stop(&report, &receipt);
    let presenter = args.presented.presenter();
    let neutral = || vec![report.neutral()];
    presenter.present(neutral, kept, streams, |format, _, out| {
        let text = match format {
            Format::Json => foreign::json_written(gate::canonical_receipt(&receipt)) + "\n",
            Format::Human => human(&report, &receipt, explain),
            _ => return Ok(false),
        };
        presenter.write_text(&text, out)
    })?;
    Ok(report.verdict().exit_code())
}

fn tell_notices(layers: &Layers, streams: &mut Streams) {
    let notices: Vec<String> = layers
        .config
        .notices()
        .filter(|notice| !is_done(notice))
        .map(Notice::to_string)
        .collect();
    crate::settings::tell(&notices, streams);
}

/// The receipt lists the settings of `[done]` that do not count.
fn is_done(notice: &Notice) -> bool {
    notice
        .key
        .as_deref()
        .is_some_and(|key| key.starts_with("done."))
}

/// The message to judge, and who wrote it.
fn complete(
    message: Option<String>,
    last: Option<LastWords>,
    log: Option<&Log>,
) -> (String, Identity) {
    let mut identity = Identity {
        harness: "text".to_owned(),
        event: "check".to_owned(),
        ..Identity::default()
    };
    let Some(last) = last else {
        return (message.unwrap_or_default(), identity);
    };
    last.harness.clone_into(&mut identity.harness);
    identity.session = last.session;
    let handback = last.handback.filter(|_| log.is_some_and(|log| log.own));
    let said = message.or(handback).or(last.text);
    (said.unwrap_or_default(), identity)
}

fn failed(error: &DoneError) -> Failure {
    Failure::because(error.reason(), &with_causes(error), &error.help())
}

fn human(report: &Report, receipt: &Receipt, explain: bool) -> String {
    let mut text = words::till(receipt);
    if !explain {
        return text;
    }
    text.push_str("\nnot claims:\n");
    for dropped in &report.dropped {
        let _ = writeln!(
            text,
            "  {} {}: \"{}\"",
            dropped.rule,
            dropped.kind,
            dropped.quote.replace('\n', " ")
        );
    }
    text.push_str("commands of the session:\n");
    for command in &report.commands {
        let _ = writeln!(text, "  {}", command.replace('\n', " "));
    }
    text
}

/// Texts of the user's own pattern files; one that cannot be read is reported by
/// the reader of patterns.
pub(super) fn pattern_files(settings: &Settings) -> Vec<(String, String)> {
    let read = |name: &String| {
        let bytes = read_limited(Path::new(name), 1 << 20).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        (name.clone(), text.unwrap_or_default())
    };
    settings.pattern_files.iter().map(read).collect()
}
