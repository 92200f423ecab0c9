//! `crosscheck sources`: cited URLs against the web.

mod inputs;
mod settings;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crosscheck::config::share;
use crosscheck::core::advice::EXIT_COULD_NOT_RUN;
use crosscheck::core::clock::SystemClock;
use crosscheck::core::files::read_earlier;
use crosscheck::core::interrupt;
use crosscheck::core::outputs;
use crosscheck::core::text::terminal_safe;
use crosscheck::fetch::address::{shown, shown_in_text};
use crosscheck::render::{Format, render};
use crosscheck::sources::read::document::{self, ReadOptions};
use crosscheck::sources::report::aid::Shape;
use crosscheck::sources::report::outbox::{Channel, Outbox, OutboxFormat};
use crosscheck::sources::report::result::{FailOn, SourcesReport};
use crosscheck::sources::run::debate::{Debate, DebateRequest, WatchOptions};
use crosscheck::sources::run::decisions::Decisions;
use crosscheck::sources::run::documents::CitingDocument;
use crosscheck::sources::run::{inbox, listing};
use crosscheck::sources::{self, Task, Tools};
use serde::Serialize;

use self::inputs::Inputs;
use self::settings::{Choices, IGNORE_FILES};
use crate::args::sources::SourcesArgs;
use crate::args::talk::PresentArgs;
use crate::commands::spare::{publish, spare, would_replace};
use crate::failure::Failure;
use crate::ledger::{self, Recorder};
use crate::output::{Streams, standard_output};
use crate::progress::{Loudness, Progress};
use crate::settings::asking::Asking;
use crate::settings::{cache_folder, project_root, tell};

/// The largest file of decisions.
const DECISIONS_MAX: u64 = 64 << 20;

/// Kept open for the whole run: the end of an inbox does not end the run.
static OPEN: OnceLock<mpsc::Sender<String>> = OnceLock::new();

pub(crate) fn run(args: &SourcesArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let log = args
        .debate
        .log
        .clone()
        .or_else(|| settings::debate_folder().filter(|_| !names_documents(args)));
    let named_documents = inputs::named(args)?;
    let read = named_documents.iter().chain(&log);
    let mut choices = settings::choose(args, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
    let Inputs {
        documents: inputs,
        notices: left_out,
    } = inputs::inputs(named_documents, &choices.settings)?;
    let named = args.report.record.ledger.as_deref();
    let recorder = Recorder::configured(named, &choices.config, &project_root()?)?;
    spare_inputs(args, inputs.clone(), log.as_deref())?;
    match log {
        Some(log) if args.dump => dump_log(&log, &args.report.presented, streams),
        Some(log) => debate(args, &log, choices, &recorder, streams),
        None if inputs.is_empty() => Err(Failure::usage(
            "there is nothing to check",
            "name documents, or a debate with --log",
        )),
        None => {
            refuse_debate_options(args, &choices)?;
            let read = read_documents(&inputs, &choices)?;
            if args.dump {
                if !args.talk.quiet {
                    tell(&left_out, streams);
                }
                return dump(&read, &args.report.presented, streams);
            }
            choices.settings.folder = PathBuf::from(".");
            choices.settings.digests = args.report.decisions.is_some();
            let decisions = args.report.decisions.as_deref().map(decided).transpose()?;
            let decisions = decisions.map(|own| Arc::new(Mutex::new(own)));
            let mut notices = choices.notices();
            notices.extend(of_ignored(&read));
            if !args.talk.quiet {
                tell(&notices, streams);
                // the report for people says it itself
                let presented = &args.report.presented;
                if presented.output.is_some() || presented.format() != Format::Human {
                    tell(&left_out, streams);
                }
            }
            notices.extend(left_out);
            let task = Task {
                documents: read,
                fail_on: border(&choices.settings.fail_on),
                tools: tools(choices)?,
                notices,
                decisions: decisions.clone(),
            };
            let report = task
                .run(&mut progress(args, streams))
                .map_err(|error| Failure::of(&error))?;
            if !args.talk.quiet {
                let own: Vec<String> = report.no_network().into_iter().collect();
                tell(&own, streams);
                tell(&report.undecided, streams);
            }
            let kept = recorder.keep(
                || report.neutral().clone(),
                || ledger::Inputs::files(inputs.iter().map(PathBuf::as_path)),
            );
            write_report(&report, args.report.report.as_deref())?;
            print(&report, args, streams)?;
            write_lint(&report, args.report.lint_out.as_deref())?;
            if let (Some(path), Some(decisions)) = (&args.report.decisions, decisions) {
                let decisions = decisions.lock().unwrap_or_else(PoisonError::into_inner);
                write(path, decisions.json().as_bytes())?;
            }
            kept?;
            Ok(report.exit_code())
        }
    }
}

/// The decisions of a person; a file that does not exist yet has none.
fn decided(path: &Path) -> Result<Decisions, Failure> {
    if !path.exists() {
        return Ok(Decisions::default());
    }
    let bytes = read_earlier(path, DECISIONS_MAX).ok().flatten();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.and_then(|text| Decisions::parse(&text))
        .ok_or_else(|| {
            Failure::usage(
                &format!("`{}` is not a file of decisions", path.display()),
                "name a file that --decisions wrote, or one that does not exist yet",
            )
        })
}

/// Refuses outputs that would replace a document or the log of the debate.
fn spare_inputs(
    args: &SourcesArgs,
    mut inputs: Vec<PathBuf>,
    log: Option<&Path>,
) -> Result<(), Failure> {
    if let Some(log) = log {
        inputs.extend([log.to_owned(), log.join("debate-log.jsonl")]);
    }
    let outputs = [
        &args.report.presented.output,
        &args.report.report,
        &args.report.lint_out,
    ];
    for output in outputs.into_iter().flatten() {
        spare(output, &inputs, &[])?;
    }
    let outbox = Path::new(&args.debate.outbox);
    for input in &inputs {
        outputs::named(input);
    }
    if outputs::is_read(outbox) {
        return Err(would_replace(outbox));
    }
    Ok(())
}

fn progress(args: &SourcesArgs, streams: &Streams) -> Progress {
    let loudness = Loudness {
        quiet: args.talk.quiet,
        verbose: args.talk.verbose,
        terminal_only: false,
    };
    Progress::new(loudness, streams)
}

/// What is said about URLs that a file of the project leaves out.
fn of_ignored(documents: &[CitingDocument]) -> Option<String> {
    let count: usize = documents.iter().map(|one| one.ignored.len()).sum();
    (count > 0).then(|| {
        let names = IGNORE_FILES
            .into_iter()
            .filter(|name| Path::new(name).is_file());
        let names: Vec<_> = names.collect();
        let list = if names.len() > 1 { "list" } else { "lists" };
        let names = names.join(" and ");
        format!(
            "{names} {list} {count} cited URL(s), which were not checked and stay undecided; \
             to leave URLs out yourself, pass --exclude"
        )
    })
}

/// What only a debate has is never ignored in silence.
fn refuse_debate_options(args: &SourcesArgs, choices: &Choices) -> Result<(), Failure> {
    let debate = &args.debate;
    let given = [
        ("--watch", debate.watch),
        ("--seq", !debate.seq.is_empty()),
        ("--log-lint", choices.settings.log_lint),
    ];
    if choices.settings.base_url.is_some() && !choices.settings.checks_places() {
        return Err(Failure::usage(
            "--base-url is for local links, which are not checked",
            "add --links all, or leave the option out",
        ));
    }
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(
            &format!("{option} is for debates, and documents were named"),
            "name the debate with --log, or leave the option out",
        )),
        None => Ok(()),
    }
}

fn tools(choices: Choices) -> Result<Tools, Failure> {
    let here = Path::new(".");
    let remembered = cache_folder(here).map(|folder| folder.join("judge"));
    let judge = Asking::choose(&choices.config)
        .and_then(|asking| asking.judge(here, remembered, choices.fetch.offline))
        .map_err(|why| Failure::usage(&why, "correct the option or the configuration file"))?;
    Ok(Tools {
        judge: Arc::from(judge),
        fetch: choices.fetch,
        settings: choices.settings,
    })
}

fn debate(
    args: &SourcesArgs,
    log: &Path,
    choices: Choices,
    recorder: &Recorder,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    refuse_missing_folder(args, log)?;
    refuse_idle_options(&choices)?;
    let chosen = choices.settings.chosen.clone();
    let options = WatchOptions {
        grace: Duration::from_secs_f64(chosen.grace),
        spot_check_rate: share(&chosen.spot_check_rate).unwrap_or_default(),
        exit_on_conclusion: chosen.exit_on_conclusion,
    };
    let request = DebateRequest {
        log: log.to_owned(),
        only: args.debate.seq.clone(),
        lock_timeout: Duration::from_secs_f64(chosen.lock_timeout),
        minimal_content: chosen.minimal_content,
        log_lint: chosen.log_lint,
        watch: args.debate.watch.then_some(options),
    };
    let channel =
        Channel::parse(&args.debate.outbox, chosen.allow_remote_outbox).map_err(|error| {
            Failure::usage(
                &error.to_string(),
                "name `-`, a file, cmd:PROGRAM or http://127.0.0.1:PORT/ as --outbox",
            )
        })?;
    if channel == Channel::Stdout
        && args.report.presented.is_chosen()
        && args.report.presented.output.is_none()
    {
        return Err(Failure::usage(
            "--format asks for a report where the messages to the Chair go",
            "name a file for the report with --output, or another --outbox",
        ));
    }
    let outbox = open_outbox(&channel, &chosen.outbox_format)?;
    let lines = if args.debate.watch {
        Some(open_inbox(args, chosen.listen_token_env.as_deref())?)
    } else {
        None
    };
    let notices = choices.notices();
    if !args.talk.quiet {
        tell(&notices, streams);
    }
    let checker = tools(choices)?
        .checker()
        .map_err(|error| Failure::of(&error))?;
    let debate = Arc::new(Debate::new(request, checker, outbox, Arc::new(SystemClock)));
    let guard = report_on_interrupt(&debate, args.report.report.clone());
    let mut progress = progress(args, streams);
    let outcome = match lines {
        Some(lines) => debate.follow(options, &lines, &mut progress),
        None => debate.once(&mut progress),
    };
    drop((guard, progress));
    let mut report = debate.report();
    report.notices = notices;
    report.fail_on = border(&chosen.fail_on);
    if let Some(notice) = report.no_network() {
        tell(std::slice::from_ref(&notice), streams);
        report.notices.push(notice);
    }
    let kept = recorder.keep(
        || report.neutral(),
        || ledger::Inputs::files([log, &log.join("debate-log.jsonl")]),
    );
    write_report(&report, args.report.report.as_deref())?;
    write_lint(&report, args.report.lint_out.as_deref())?;
    if args.report.presented.is_chosen() {
        print(&report, args, streams)?;
    }
    // What could not be read holds neither something nor nothing to check.
    if !args.talk.quiet && (outcome.is_ok() || report.summary.total > 0) {
        streams.talk(&format!("{}\n", report.headline()));
    }
    kept?;
    match outcome {
        Ok(_) => Ok(report.exit_code()),
        Err(error) => {
            Failure::of(&error).tell(streams);
            Ok(EXIT_COULD_NOT_RUN)
        }
    }
}

/// What has no effect in a debate is never ignored in silence.
fn refuse_idle_options(choices: &Choices) -> Result<(), Failure> {
    let chosen = &choices.settings;
    let option = match (chosen.include.is_empty(), chosen.exclude.is_empty()) {
        (false, _) => "--include",
        (_, false) => "--exclude",
        _ => return Ok(()),
    };
    Err(Failure::usage(
        &format!("{option} is for documents, not for --log"),
        "name entries of a debate with --seq, or leave the option out",
    ))
}

/// A log that is not begun yet is waited for; a folder that does not exist is a slip.
fn refuse_missing_folder(args: &SourcesArgs, log: &Path) -> Result<(), Failure> {
    let names_log = log.extension().is_some_and(|end| end == "jsonl");
    let folder = log.parent().filter(|folder| *folder != Path::new(""));
    let can_begin = names_log && folder.unwrap_or(Path::new(".")).is_dir();
    if !args.debate.watch || log.exists() || can_begin {
        return Ok(());
    }
    Err(Failure::usage(
        &format!("there is no folder or debate log `{}`", log.display()),
        "name the debate's folder or its debate-log.jsonl with --log",
    ))
}

fn open_outbox(channel: &Channel, format: &str) -> Result<Outbox, Failure> {
    let format = match format {
        "text" => OutboxFormat::Text,
        _ => OutboxFormat::Json,
    };
    Outbox::open(channel, format, Path::new("."), standard_output()).map_err(|error| {
        Failure::usage(
            &format!("cannot open the outbox: {error}"),
            "name a file that can be written as --outbox",
        )
    })
}

/// The Chair's lines. A file's end is fixed before we report that we are ready.
fn open_inbox(args: &SourcesArgs, token_env: Option<&str>) -> Result<Receiver<String>, Failure> {
    let (sender, receiver) = mpsc::channel();
    match args.debate.inbox.as_deref() {
        None => {}
        Some(path) if path == Path::new("-") => inbox::stream(io::stdin(), sender.clone()),
        Some(path) => inbox::follow(path, args.debate.inbox_from_start, sender.clone()),
    }
    if let Some(address) = args.debate.listen {
        let token = token_env.and_then(crate::settings::variable);
        if token.is_none() && (!address.ip().is_loopback() || token_env.is_some()) {
            return Err(Failure::usage(
                "--listen needs a token here",
                "name a variable that holds one with --listen-token-env",
            ));
        }
        inbox::listen(address, token, sender.clone()).map_err(|error| {
            Failure::usage(
                &format!("cannot listen on {address}: {error}"),
                "choose another port",
            )
        })?;
    }
    let _ = OPEN.set(sender);
    Ok(receiver)
}

/// A signal ends the run after the result that is being written, with the report.
fn report_on_interrupt(debate: &Arc<Debate>, path: Option<PathBuf>) -> interrupt::Guard {
    let debate = Arc::clone(debate);
    interrupt::on_interrupt(move || {
        debate.close();
        let _ = write_report(&debate.report(), path.as_deref());
    })
}

const fn names_documents(args: &SourcesArgs) -> bool {
    !args.inputs.is_empty() || args.files_from.is_some()
}

fn read_documents(inputs: &[PathBuf], choices: &Choices) -> Result<Vec<CitingDocument>, Failure> {
    let options = ReadOptions {
        include_code: choices.settings.include_code,
        identifiers: choices.settings.identifiers,
    };
    let wanted = choices.settings.input_format.as_deref();
    let wanted = wanted.and_then(document::Format::from_word);
    let mut documents = Vec::new();
    for path in inputs {
        let name = path.display().to_string();
        let bytes = inputs::read(path)?;
        let (bytes, format) = match inputs::pdf(&bytes, choices.settings.pdf_reader.as_deref()) {
            Some(html) => (html, Some(document::Format::Html)),
            None => (bytes, wanted),
        };
        let fields = &choices.settings.field;
        let beside = |named: &str| inputs::beside(path, named);
        let mut document = sources::read_fields(&name, &bytes, format, options, fields, beside)
            .map_err(|error| Failure::of(&error))?;
        if choices.settings.checks_places() {
            let format = format.unwrap_or_else(|| document::Format::by_name(&name));
            document.links = document::local_links(&document.text, format);
        }
        let all = document.mentions.len() + document.links.len();
        document
            .mentions
            .retain(|mention| choices.wants(&mention.url));
        document.links.retain(|link| choices.wants(&link.target));
        document.excluded = all - document.mentions.len() - document.links.len();
        (document.ignored, document.mentions) = document
            .mentions
            .into_iter()
            .partition(|mention| choices.is_ignored(&mention.url));
        documents.push(document);
    }
    Ok(documents)
}

#[derive(Serialize)]
struct Dumped<'d> {
    input: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    url: String,
    claim: Option<&'d str>,
}

fn dump(
    documents: &[CitingDocument],
    presented: &PresentArgs,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    for document in documents {
        for mention in &document.mentions {
            let place = format!("{}:{}:{}", document.name, mention.line, mention.column);
            let claim = mention.claim.as_deref().map(shown_in_text);
            let one = Dumped {
                input: &document.name,
                line: Some(mention.line),
                column: Some(mention.column),
                seq: None,
                url: shown(&mention.url),
                claim: claim.as_deref(),
            };
            dump_one(&one, &place, presented, streams)?;
        }
    }
    Ok(0)
}

fn dump_log(log: &Path, presented: &PresentArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let name = log.display().to_string();
    let file = if log.is_dir() {
        log.join("debate-log.jsonl")
    } else {
        log.to_owned()
    };
    let listed = listing::citations(log).map_err(|error| {
        Failure::usage(
            &format!("cannot read the debate log `{}`: {error}", file.display()),
            "name the debate's folder or its debate-log.jsonl with --log",
        )
    })?;
    for source in &listed {
        let one = Dumped {
            input: &name,
            line: None,
            column: None,
            seq: Some(source.seq),
            url: source.url.clone(),
            claim: source.claim.as_deref(),
        };
        dump_one(&one, &format!("seq {}", source.seq), presented, streams)?;
    }
    Ok(0)
}

fn dump_one(
    one: &Dumped<'_>,
    place: &str,
    presented: &PresentArgs,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let line = match presented.format() {
        Format::Json | Format::Ndjson => serde_json::to_string(one).unwrap_or_default(),
        _ => format!("{place}\t{}\t{}", one.url, one.claim.unwrap_or("-")),
    };
    streams.data(format!("{}\n", terminal_safe(&line)).as_bytes())
}

/// Prints the report, or writes it into the file of --output.
fn print(report: &SourcesReport, args: &SourcesArgs, streams: &mut Streams) -> Result<(), Failure> {
    let presenter = args.report.presented.presenter().in_colour(args.talk.color);
    let neutral = report.neutral();
    presenter.present(
        || vec![&neutral],
        Ok(()),
        streams,
        |format, style, out| {
            let aid = |shape| report.reading_aid(shape);
            match format {
                Format::Json => report.write_json(out)?,
                Format::Html => {
                    let mut page = Vec::new();
                    render(&neutral, format, &style, &mut page)?;
                    let page = String::from_utf8_lossy(&page);
                    let (head, foot) = page.rsplit_once("<footer>").unwrap_or((&page, ""));
                    write!(out, "{head}{}<footer>{foot}", aid(Shape::Html))?;
                }
                Format::Markdown => {
                    render(&neutral, format, &style, out)?;
                    out.write_all(aid(Shape::Markdown).as_bytes())?;
                }
                Format::Human => {
                    render(&neutral, format, &style, out)?;
                    out.write_all(aid(Shape::Plain).as_bytes())?;
                    // If they fail the run, every format has them already.
                    if report.fail_on != FailOn::Lint {
                        out.write_all(lint_lines(report).as_bytes())?;
                    }
                }
                _ => return Ok(false),
            }
            Ok(true)
        },
    )
}

fn lint_lines(report: &SourcesReport) -> String {
    let line = |finding: &sources::finding::Finding| {
        let message = terminal_safe(&finding.message);
        format!("lint {}: {message}\n", finding.name())
    };
    report.lint.iter().map(line).collect()
}

fn write_report(report: &SourcesReport, path: Option<&Path>) -> Result<(), Failure> {
    path.map_or(Ok(()), |path| write(path, report.json().as_bytes()))
}

fn write_lint(report: &SourcesReport, path: Option<&Path>) -> Result<(), Failure> {
    let text = || serde_json::to_string_pretty(&report.lint).unwrap_or_default() + "\n";
    path.map_or(Ok(()), |path| write(path, text().as_bytes()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    publish(path, bytes)
}

fn border(word: &str) -> FailOn {
    match word {
        "fabricated" => FailOn::Fabricated,
        "suspect" => FailOn::Suspect,
        "lint" => FailOn::Lint,
        _ => FailOn::Unreliable,
    }
}
