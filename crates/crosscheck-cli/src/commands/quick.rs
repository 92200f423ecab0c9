//! `crosscheck quick`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::CommandFactory as _;
use crosscheck::core::NoListener;
use crosscheck::core::advice::{RunReason, with_causes};
use crosscheck::core::files::drain_limited;
use crosscheck::core::text::terminal_safe;
use crosscheck::core::{Advice as _, Reason};
use crosscheck::quick::{
    self, Database, Format, Ingest, MAX_INPUT_BYTES, RowsError, Targets, Task,
};
use crosscheck::render;
use serde::de::IgnoredAny;

use crate::args::{Cli, QuickArgs, time};
use crate::commands::check::workflow_name;
use crate::commands::spare::spare;
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::database::{Given, shipped};

const DEFAULT_WORKFLOW_ID: &str = "quick-verify";
const LOCK_FLAGS: [&str; 2] = ["--expect-lock", "--output-lock"];

/// What counts anywhere among the arguments: help, then lock flags.
pub(crate) fn before_parsing(
    words: &[OsString],
    streams: &mut Streams,
) -> Option<Result<u8, Failure>> {
    let [_, command, rest @ ..] = words else {
        return None;
    };
    if command != "quick" {
        return None;
    }
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        let mut program = crate::args::with_examples(Cli::command());
        program.build();
        let help = program
            .find_subcommand_mut("quick")
            .map(|quick| quick.render_long_help().to_string());
        return Some(
            streams
                .data(help.unwrap_or_default().as_bytes())
                .map(|()| 0),
        );
    }
    let locked = rest.iter().enumerate().any(|(at, word)| {
        LOCK_FLAGS.iter().any(|flag| {
            let joined = word
                .to_str()
                .and_then(|word| word.strip_prefix(flag))
                .is_some_and(|value| value.starts_with('='));
            joined || (word == flag && rest.len() > at + 1)
        })
    });
    if locked {
        return Some(Err(refused(
            RunReason::EnforceUsage.reason(),
            "quick keeps no lock; --expect-lock and --output-lock belong to enforce",
        )));
    }
    has_bare_dashes(rest).then(|| Err(usage("unexpected argument '--' found")))
}

/// Whether `--` is in the place of a flag. Clap would pass over it, but
/// the grammar is closed.
fn has_bare_dashes(words: &[OsString]) -> bool {
    if !words.iter().any(|word| word == "--") {
        return false;
    }
    let program = Cli::command();
    let takes_value = |word: &OsString| {
        program.find_subcommand("quick").is_some_and(|quick| {
            quick.get_arguments().any(|argument| {
                let name = word.to_str().and_then(|word| word.strip_prefix("--"));
                name == argument.get_long() && argument.get_action().takes_values()
            })
        })
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            return true;
        }
        if takes_value(word) {
            words.next();
        }
    }
    false
}

/// Runs the command; every failure is one envelope.
pub(crate) fn run(args: &QuickArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let request = Request::new(args)?;
    let log = read_input(&request.input).map_err(|error| Failure::enveloped(&error))?;
    let task = Task {
        log,
        ingest: request.ingest,
        database: request.database.clone(),
        timeout: request.timeout,
        redact: args.redact,
    };
    let report = task.run(&mut NoListener).map_err(|error| not_run(&error))?;
    let targets = Targets {
        registry: &request.registry,
        events: request.events.as_deref(),
        report: request.report.as_deref(),
    };
    let documents = report
        .documents(&request.workflow_id, targets.report.is_some())
        .map_err(|error| Failure::enveloped(&error))?;
    request.keep_apart()?;
    quick::publish(&documents, &targets).map_err(|error| Failure::enveloped(&error))?;
    let printed = match request.report_format {
        Some(format) => streams.try_stream(|out| {
            render::render(report.neutral(), format, &render::Style::default(), out)
        }),
        None => streams.try_data(documents.certificate.as_bytes()),
    };
    printed.map_err(|error| {
        refused(
            RunReason::InternalError.reason(),
            &format!("stdout: the result was not written: {error}"),
        )
    })?;
    if !args.no_human_report {
        streams.talk_harmless(&(harmless(&documents.human) + "\n"));
    }
    if args.explain_mapping {
        streams.talk(&report.mapping_text());
    }
    Ok(report.verdict().exit_code())
}

/// The contract has one code for whatever is wrong with the database, so the
/// message says what to look at.
fn not_run(error: &RowsError) -> Failure {
    match error {
        RowsError::Source(_) => refused(
            error.reason(),
            &format!(
                "{}; check that the database named by --db, --postgres-url or --mysql-url is there and may be read",
                with_causes(error)
            ),
        ),
        _ => Failure::enveloped(error),
    }
}

/// The human report without anything that steers a terminal. The contract fixes
/// the bytes of `parameters_digest`, a JSON text; three characters stay in it
/// that no terminal obeys.
fn harmless(report: &str) -> String {
    const KEY: &str = "parameters_digest=";
    const KEPT: [char; 3] = ['\u{7f}', '\u{2028}', '\u{2029}'];
    let lines = report.split('\n').map(|line| {
        let json = line
            .split_once(KEY)
            .filter(|(_, json)| serde_json::from_str::<IgnoredAny>(json).is_ok());
        let Some((start, json)) = json else {
            return terminal_safe(line).into_owned();
        };
        let mut safe = format!("{}{KEY}", terminal_safe(start));
        for piece in json.split_inclusive(KEPT) {
            let bare = piece.trim_end_matches(KEPT);
            safe.push_str(&terminal_safe(bare));
            safe.push_str(piece.get(bare.len()..).unwrap_or_default());
        }
        safe
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The command line, checked in the order of the contract.
struct Request {
    input: PathBuf,
    registry: PathBuf,
    events: Option<PathBuf>,
    report: Option<PathBuf>,
    workflow_id: String,
    ingest: Ingest,
    /// How the result is printed; as the certificate when none is named.
    report_format: Option<render::Format>,
    database: Database,
    timeout: Option<Duration>,
}

impl Request {
    fn new(args: &QuickArgs) -> Result<Self, Failure> {
        let input = given(args.input.as_ref())
            .ok_or_else(|| usage("--input <path|-> is missing or empty"))?;
        let registry = given(args.export_registry.as_ref())
            .ok_or_else(|| usage("--export-registry <path> is missing or empty"))?;
        let database = database(args)?;
        let request = Self {
            input: input.into(),
            registry: registry.into(),
            events: optional_path(args.emit_events.as_ref(), "--emit-events")?,
            report: optional_path(args.write_report.as_ref(), "--write-report")?,
            workflow_id: workflow_name(
                args.workflow_id
                    .as_deref()
                    .unwrap_or(OsStr::new(DEFAULT_WORKFLOW_ID)),
            )
            .map_err(|message| usage(&message))?,
            ingest: ingest(args)?,
            report_format: report_format(args.report_format.as_deref())?,
            database,
            timeout: timeout(args.timeout.as_deref())?,
        };
        request.keep_apart()?;
        Ok(request)
    }

    /// Writing replaces the file at a path: that must be neither the
    /// database, nor anything else that the run reads, nor settings.
    fn keep_apart(&self) -> Result<(), Failure> {
        let outputs = [
            Some(&self.registry),
            self.events.as_ref(),
            self.report.as_ref(),
        ];
        for path in outputs.into_iter().flatten() {
            spare(path, &[], &[]).map_err(|failure| usage(failure.message()))?;
        }
        Ok(())
    }
}

fn database(args: &QuickArgs) -> Result<Database, Failure> {
    let given = Given {
        db: args.db.as_deref(),
        takes_urls: false,
        postgres_url: args.postgres_url.as_deref(),
        mysql_url: args.mysql_url.as_deref(),
        schemas: &args.schema,
    };
    shipped(given).map_err(|message| usage(&message))
}

/// An empty value counts as absent.
fn given(value: Option<&OsString>) -> Option<&OsStr> {
    value
        .map(OsString::as_os_str)
        .filter(|value| !value.is_empty())
}

fn optional_path(value: Option<&OsString>, flag: &str) -> Result<Option<PathBuf>, Failure> {
    match value {
        None => Ok(None),
        Some(path) if path.is_empty() => Err(usage(&format!("{flag} is empty"))),
        Some(path) => Ok(Some(path.into())),
    }
}

fn ingest(args: &QuickArgs) -> Result<Ingest, Failure> {
    let (value, flag) = match (&args.input_format, &args.format) {
        (None, None) => return Ok(Ingest::Ladder),
        (Some(value), None) => (value, "--input-format"),
        (None, Some(value)) => (value, "--format"),
        (Some(_), Some(_)) => {
            return Err(usage(
                "--format is the older name of --input-format; give one of them",
            ));
        }
    };
    match text(value, flag)?.as_str() {
        "auto" => Ok(Ingest::Auto),
        name => name
            .parse::<Format>()
            .map(Ingest::Transcript)
            .map_err(|error| usage(&format!("{flag}: {error}, or auto"))),
    }
}

fn report_format(value: Option<&OsStr>) -> Result<Option<render::Format>, Failure> {
    let Some(value) = value else { return Ok(None) };
    let format = text(value, "--report-format")?.parse();
    format
        .map(Some)
        .map_err(|error| usage(&format!("--report-format: {error}")))
}

fn timeout(value: Option<&OsStr>) -> Result<Option<Duration>, Failure> {
    let Some(value) = value else { return Ok(None) };
    let seconds = time(&text(value, "--timeout")?);
    seconds
        .map(Some)
        .map_err(|error| usage(&format!("--timeout: {error}")))
}

fn text(value: &OsStr, flag: &str) -> Result<String, Failure> {
    value
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| usage(&format!("{flag} is not UTF-8 text")))
}

/// The log, or `None` when it is over the limit; no more than that is read.
fn read_input(path: &Path) -> Result<Option<Vec<u8>>, RowsError> {
    let read = if path == Path::new("-") {
        drain_limited(io::stdin().lock(), MAX_INPUT_BYTES)
    } else {
        File::open(path).and_then(|file| drain_limited(file, MAX_INPUT_BYTES))
    };
    read.map_err(|source| RowsError::ReadLog {
        path: path.to_owned(),
        source,
    })
}

fn usage(message: &str) -> Failure {
    refused(RunReason::CliUsage.reason(), message)
}

fn refused(reason: &'static Reason, message: &str) -> Failure {
    Failure::envelope(reason, message)
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn only_a_digest_keeps_what_no_terminal_obeys() {
        for (text, expected) in [
            (
                "tool=a\u{1b}]0;x\u{7}\u{200e}\u{2028}\nb",
                "tool=a\\u001b]0;x\\u0007\\u200e\\u2028\nb",
            ),
            (
                "\u{9b}; parameters_digest={\"x\":\"\u{7f}\u{2028}\u{2029}\u{9b}\u{202e}\\ud800\"}",
                "\\u009b; parameters_digest={\"x\":\"\u{7f}\u{2028}\u{2029}\\u009b\\u202e\\ud800\"}",
            ),
            // a tool of such a name opens no hole
            (
                "tool=parameters_digest={}\u{1b}; parameters_digest={\"x\":\"\u{2028}\"}",
                "tool=parameters_digest={}\\u001b; parameters_digest={\"x\":\"\\u2028\"}",
            ),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }
}
