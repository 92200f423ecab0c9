//! `crosscheck rows`.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck::config::RowsSettings;
use crosscheck::core::advice::with_causes;
use crosscheck::core::files::{drain_limited, read_limited};
use crosscheck::render::Format;
use crosscheck::rows::{Contract, Found, Learnt, Log, RowsFailure, Style, Task};
use crosscheck::{NoListener, Report};

use crate::args::{RowsArgs, RowsCommand, RowsInput, format_named};
use crate::commands::spare::spare;
use crate::failure::Failure;
use crate::ledger::{Inputs, Recorder};
use crate::output::Streams;
use crate::progress::{Loudness, Progress};
use crate::settings::database::{Given, shipped};

/// The largest log that is read from standard input.
const STDIN_MAX: u64 = 1 << 30;
const CONTRACT_MAX: u64 = 1 << 24;

/// Runs the command.
pub(crate) fn run(args: &RowsArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let outcome = match &args.command {
        Some(RowsCommand::Learn(learn)) => self::learn(&learn.input, streams),
        None => verify(args, streams),
    };
    outcome.map_err(Failure::with_error_member)
}

fn verify(args: &RowsArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let ledger = args.record.ledger.as_deref();
    let (recorder, chosen) = Recorder::and_settings(&args.input.chosen, ledger, streams)?;
    let task = task(&args.input, &chosen)?;
    if let Some(output) = &args.presented.output {
        spare(output, &[], &[])?;
    }
    let report = {
        let loudness = Loudness {
            quiet: args.quiet,
            verbose: false,
            terminal_only: true,
        };
        let mut progress = Progress::new(loudness, streams);
        task.run(&mut progress)
    };
    let report = report.map_err(|error| Failure::of(&error))?;
    // a database is not one document
    let logs = args.input.logs.iter().map(PathBuf::as_path);
    let inputs = || Inputs::files(logs.chain(chosen.contract.as_deref()));
    let kept = recorder.keep(|| report.neutral().clone(), inputs);
    tell(args, &report, kept, streams)?;
    Ok(report.verdict().exit_code())
}

fn learn(input: &RowsInput, streams: &mut Streams) -> Result<u8, Failure> {
    let mut of_a_check = ["claims", "redact"].into_iter();
    if let Some(name) = of_a_check.find(|name| input.chosen.has(name)) {
        let message = format!("--{name} is not for `rows learn`, which checks nothing");
        return Err(Failure::usage(&message, "leave the option out"));
    }
    let (_, chosen) = Recorder::and_settings(&input.chosen, None, streams)?;
    let mut learnt = crosscheck::rows::learn(&runs(input, &chosen)?, &mut NoListener)
        .map_err(|error| Failure::of(&error))?;
    ask(&mut learnt, streams);
    streams.data(learnt.contract.as_bytes())?;
    for left_out in &learnt.left_out {
        streams.talk(&format!("not compared: {left_out}\n"));
    }
    if learnt.tools == 0 {
        streams.talk("nothing was learnt: the log holds no tool call\n");
        return Ok(2);
    }
    streams.talk(&format!("{}\n", learnt.coverage));
    Ok(0)
}

/// Asks a person what only a person knows: whether what the calls say is stored.
fn ask(learnt: &mut Learnt, streams: &mut Streams) {
    if !io::stdin().is_terminal() || !streams.talks_to_terminal() {
        return;
    }
    for (tool, name) in learnt.questions.clone() {
        streams.talk(&format!(
            "{tool} is given `{name}`, which no column holds. Is it stored somewhere? [Y/n] "
        ));
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer).is_err() {
            return;
        }
        if answer.trim_start().to_lowercase().starts_with('n') {
            learnt.ignore(&tool, &name);
        }
    }
}

fn tell(
    args: &RowsArgs,
    report: &Report<Found>,
    kept: Result<(), Failure>,
    streams: &mut Streams,
) -> Result<(), Failure> {
    if args.quiet && args.presented.output.is_none() {
        return kept;
    }
    let presenter = args.presented.presenter();
    let neutral = || vec![report.neutral()];
    presenter.present(neutral, kept, streams, |format, style, out| {
        match format {
            Format::Human => {
                let (colour, explain) = (style.colour, args.explain);
                report.write_human(Style { colour, explain }, out)?;
            }
            Format::Json => report.write_document(out)?,
            _ => {
                report.neutral();
                report.intact()?;
                return Ok(false);
            }
        }
        Ok(true)
    })
}

const HELP: &str = "run `crosscheck rows --help` for all options";

/// The one run of all logs.
fn task(input: &RowsInput, chosen: &RowsSettings) -> Result<Task, Failure> {
    match input.db.as_slice() {
        [] => task_of(&input.logs, None, input, chosen),
        [db] => task_of(&input.logs, Some(db), input, chosen),
        _ => {
            let help = "run `crosscheck rows` once for each database; `rows learn` takes several";
            Err(Failure::usage("`--db` is given more than once", help))
        }
    }
}

/// The runs of logs that each left a database of their own.
fn runs(input: &RowsInput, chosen: &RowsSettings) -> Result<Vec<Task>, Failure> {
    if input.db.len() < 2 {
        return Ok(vec![task(input, chosen)?]);
    }
    let run = |log: &PathBuf| {
        let head = format!("{}=", log.display());
        let mut databases = input.db.iter().filter_map(|db| db.to_str());
        let Some(database) = databases.find_map(|db| db.strip_prefix(&head)) else {
            let message = format!("no `--db {head}FILE|URL` names the database of this log");
            return Err(Failure::usage(&message, HELP));
        };
        let logs = std::slice::from_ref(log);
        task_of(logs, Some(database.as_ref()), input, chosen)
    };
    input.logs.iter().map(run).collect()
}

fn task_of(
    logs: &[PathBuf],
    db: Option<&OsStr>,
    input: &RowsInput,
    chosen: &RowsSettings,
) -> Result<Task, Failure> {
    let schemas: Vec<OsString> = chosen.schema.iter().map(OsString::from).collect();
    let given = Given {
        db,
        takes_urls: true,
        postgres_url: input.postgres_url.as_deref(),
        mysql_url: input.mysql_url.as_deref(),
        schemas: &schemas,
    };
    let database = shipped(given).map_err(|message| Failure::usage(&message, HELP))?;
    Ok(Task {
        logs: self::logs(logs)?,
        format: format_named(&chosen.input_format),
        database,
        contract: chosen.contract.as_deref().map(contract).transpose()?,
        redact: chosen.redact,
        claims: chosen.claims,
        timeout: Some(Duration::from_secs_f64(chosen.timeout)),
    })
}

fn logs(paths: &[PathBuf]) -> Result<Vec<Log>, Failure> {
    let is_stdin = |log: &&PathBuf| log.as_os_str() == "-";
    if paths.iter().filter(is_stdin).count() > 1 {
        let help = "name standard input once, and files for the other logs";
        return Err(Failure::usage("`-` is given more than once", help));
    }
    paths
        .iter()
        .map(|log| {
            if is_stdin(&log) {
                stdin()
            } else {
                Ok(Log::Path(log.clone()))
            }
        })
        .collect()
}

fn stdin() -> Result<Log, Failure> {
    let unreadable = |source: io::Error| {
        Failure::of(&crosscheck::rows::Error::Log {
            name: "-".to_owned(),
            source,
        })
    };
    match drain_limited(io::stdin().lock(), STDIN_MAX) {
        Ok(Some(bytes)) => Ok(Log::Bytes {
            name: "-".to_owned(),
            bytes,
        }),
        Ok(None) => Err(unreadable(io::Error::other(
            "it is larger than 1 GiB; name a file instead",
        ))),
        Err(error) => Err(unreadable(error)),
    }
}

fn contract(path: &Path) -> Result<Contract, Failure> {
    let name = path.display().to_string();
    let invalid = |message: String| {
        let reason = RowsFailure::ContractInvalid.reason();
        Failure::because(reason, &format!("{name}: {message}"), reason.help)
    };
    let bytes = read_limited(path, CONTRACT_MAX).map_err(|error| invalid(with_causes(&error)))?;
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8 text".to_owned()))?;
    Ok(Contract {
        name: name.clone(),
        text,
    })
}
