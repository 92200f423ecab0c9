//! `done check` and `done last`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crosscheck::config::{ConfigError, Notice};
use crosscheck::core::Verdict;
use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::files::{drain_limited, read_limited, write_atomic};
use crosscheck::core::text::terminal_safe;
use crosscheck::done::gate::{self, DoneError, Identity, Layers, Report, Task};
use crosscheck::done::place::root_of;
use crosscheck::done::read::session::{self, Log};
use crosscheck::done::report::receipt::Receipt;
use crosscheck::done::report::{neutral, words};
use crosscheck::done::runner::Table;
use crosscheck::render::{Format, Style, render_all};
use crosscheck::transcript::session::Harness;

use super::place::{hidden, home, places_of, steering};
use super::{TOOL, rows, sessions, settings};
use crate::args::done::{CheckArgs, JudgeArgs, LastArgs};
use crate::failure::Failure;
use crate::output::Streams;

const MAX_MESSAGE: u64 = 16 << 20;

pub(super) fn one(args: &CheckArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let message = args.message.as_deref().map(read_message).transpose()?;
    if message.is_none() && args.transcript.is_none() {
        return Err(Failure::usage(
            "there is nothing to judge",
            "pass --message, --transcript, or both",
        ));
    }
    judge(&args.common, message, args.transcript.clone(), streams)
}

pub(super) fn last(args: &LastArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let (root, cwd) = root(&args.common)?;
    let Some(path) = sessions::newest(&cwd, &root) else {
        return Err(Failure::usage(
            "no session of Claude Code or Codex was found for this folder",
            "name one with `crosscheck done check --transcript FILE`",
        ));
    };
    judge(&args.common, None, Some(path), streams)
}

fn read_message(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        let read =
            drain_limited(io::stdin().lock(), MAX_MESSAGE).map_err(|error| error.to_string());
        read.and_then(|bytes| bytes.ok_or_else(|| "it is larger than 16 MiB".to_owned()))
    } else {
        read_limited(path, MAX_MESSAGE).map_err(|error| with_causes(&error))
    };
    let bytes = bytes.map_err(|why| {
        Failure::usage(
            &format!("cannot read the message: {why}"),
            "pass --message with a file that can be read, or `-`",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The root of the project and the folder it was looked for from.
fn root(args: &JudgeArgs) -> Result<(PathBuf, PathBuf), Failure> {
    let cwd = crate::settings::current_dir()
        .map_err(|why| Failure::usage(&why, "change to a folder that exists"))?;
    let root = match &args.root {
        Some(root) => std::fs::canonicalize(root).map_err(|error| {
            Failure::usage(
                &format!("cannot use --root {}: {error}", root.display()),
                "name a folder that exists",
            )
        })?,
        None => root_of(&cwd, home().as_deref()),
    };
    let cwd = if args.root.is_some() {
        root.clone()
    } else {
        cwd
    };
    Ok((root, cwd))
}

fn judge(
    args: &JudgeArgs,
    message: Option<String>,
    transcript: Option<PathBuf>,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let format: Format =
        args.format
            .parse()
            .map_err(|error: crosscheck::render::UnknownFormat| {
                Failure::usage(&error.to_string(), "see `crosscheck done check --help`")
            })?;
    let (root, cwd) = root(args)?;
    let layers = settings::layers(&root, args.config.as_deref(), settings::flags(args))
        .map_err(|error| misconfigured(&error))?;
    if let Some(broken) = &layers.broken {
        return Err(misconfigured(broken));
    }
    let log = transcript.map(|path| Log {
        path,
        harness: None,
        own: false,
    });
    let places = places_of(root.clone(), cwd, None);
    let (message, session) = complete(message, log.as_ref(), &layers, &places)?;
    let task = Task {
        message,
        log,
        identity: Identity {
            harness: session.1,
            session: session.0,
            event: "check".to_owned(),
            ..Identity::default()
        },
        running: Vec::new(),
        steering: steering(&root),
        hidden: hidden(),
        explain: args.explain,
        live: false,
        printed: true,
        patterns: pattern_files(&layers),
        places,
        layers,
    };
    let mut report = gate::check(&task).map_err(|error| failed(&error))?;
    rows::ask(&mut report, &task, None);
    report.decide();
    tell_notices(&task.layers, streams);
    let receipt = report.receipt(TOOL, &gate::timestamp(SystemClock.now()));
    show(args, format, &task, &report, &receipt, streams)?;
    Ok(exit_code(report.verdict()))
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

/// What of `[done]` does not count stands in the receipt.
fn is_done(notice: &Notice) -> bool {
    notice
        .key
        .as_deref()
        .is_some_and(|key| key.starts_with("done."))
}

/// The message to judge, and the id and harness of the session.
fn complete(
    message: Option<String>,
    log: Option<&Log>,
    layers: &Layers,
    places: &crosscheck::done::place::Places,
) -> Result<(String, (Option<String>, String)), Failure> {
    let Some(log) = log else {
        return Ok((message.unwrap_or_default(), (None, "text".to_owned())));
    };
    let settings = layers.settings().map_err(|error| misconfigured(&error))?;
    let table = Table::new(&[]).map_err(|error| failed(&error.into()))?;
    let session = session::read(log, &settings.skip_types, &table, places)
        .map_err(|error| failed(&error.into()))?;
    let harness = match session.harness {
        Harness::ClaudeCode => "claude-code",
        Harness::Codex => "codex",
        Harness::Neutral => "other",
    };
    let id = session.facts.session.clone();
    let message = message.or(session.last_text).unwrap_or_default();
    Ok((message, (id, harness.to_owned())))
}

fn misconfigured(error: &ConfigError) -> Failure {
    Failure::usage(
        &error.to_string(),
        "correct the configuration; `crosscheck doctor` checks all of it",
    )
}

fn failed(error: &DoneError) -> Failure {
    Failure::because(
        RunReason::CliUsage.reason(),
        &with_causes(error),
        "read the message, then run the command with --help",
    )
}

fn exit_code(verdict: Option<Verdict>) -> u8 {
    verdict.map_or(0, Verdict::exit_code)
}

fn show(
    args: &JudgeArgs,
    format: Format,
    task: &Task,
    report: &Report,
    receipt: &Receipt,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let text = match format {
        Format::Json => gate::canonical_receipt(receipt) + "\n",
        Format::Markdown => words::markdown(receipt),
        Format::Human => human(report, receipt, args.explain),
        other => {
            let subject = task.log.as_ref().map_or_else(
                || "message".to_owned(),
                |log| log.path.display().to_string(),
            );
            let neutral = neutral::report(receipt, &subject);
            let mut bytes = Vec::new();
            render_all(&[&neutral], other, &Style::default(), &mut bytes)
                .map_err(|error| Failure::stdout(&error))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    match &args.output {
        Some(path) => write_atomic(path, text.as_bytes()).map_err(|error| {
            Failure::because(
                RunReason::OutputUnwritable.reason(),
                &with_causes(&error),
                "check that the folder exists and may be written to",
            )
        }),
        None if format == Format::Human => streams.data(terminal_safe(&text).as_bytes()),
        None => streams.data(text.as_bytes()),
    }
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

/// Texts of the user's own pattern files; one that cannot be read is told by
/// the reader of patterns.
pub(super) fn pattern_files(layers: &Layers) -> Vec<(String, String)> {
    let Ok(settings) = layers.settings() else {
        return Vec::new();
    };
    let read = |name: &String| {
        let bytes = read_limited(Path::new(name), 1 << 20).ok();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        (name.clone(), text.unwrap_or_default())
    };
    settings.pattern_files.iter().map(read).collect()
}
