//! `crosscheck claims`: one report on standard output, in every case.

mod inputs;
mod settings;
mod usage;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use crosscheck::claims::{ClaimsReport, Session};
use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, with_causes};
use crosscheck::render::{Format, Style, render_all};

use self::inputs::Input;
use self::settings::Choices;
use self::usage::Destination;
use crate::args::claims::ClaimsArgs;
use crate::args::talk::ColorArg;
use crate::args::{Cli, is_url};
use crate::commands::spare::{publish, spare, unwritten};
use crate::failure::{Failure, without_secrets};
use crate::ledger::{Inputs, Recorder};
use crate::output::Streams;

/// The name of a document, and its report.
type Named = (String, ClaimsReport);

/// What one document led to.
struct Done {
    report: ClaimsReport,
    exit: u8,
}

/// The help of `cf-verify`: in its own name, without what it refuses.
pub(crate) fn help_for_agents(words: &[OsString]) -> Option<String> {
    if words.get(1)? != "cf-verify" {
        return None;
    }
    let mut program = Cli::command();
    program.build();
    let claims = program.find_subcommand("claims")?.clone();
    let refused = |argument: &clap::Arg| {
        let long = argument.get_long().unwrap_or_default();
        settings::is_for_people(long)
    };
    let hidden: Vec<String> = claims
        .get_arguments()
        .filter(|argument| refused(argument))
        .map(|argument| argument.get_id().to_string())
        .collect();
    let mut help = claims.override_usage("crosscheck cf-verify [OPTIONS]");
    for id in hidden {
        help = help.mut_arg(id, |argument| argument.hide(true));
    }
    let is_short = words.iter().any(|word| word == "-h");
    let text = if is_short {
        help.render_help()
    } else {
        help.render_long_help()
    };
    Some(text.to_string())
}

pub(crate) fn run(args: &ClaimsArgs, streams: &mut Streams) -> Result<u8, Failure> {
    if args.by_agent {
        streams.hush();
    }
    match prepared(args) {
        Ok((root, choices, inputs)) => verify(args, &root, &choices, &inputs, streams),
        Err(problem) => refuse_writing(args, &problem, streams),
    }
}

/// A run that cannot be done still prints the report its readers wait for,
/// and writes it where they asked for it.
fn refuse_writing(args: &ClaimsArgs, problem: &str, streams: &mut Streams) -> Result<u8, Failure> {
    let place = Destination {
        out: args
            .out
            .clone()
            .filter(|out| !args.by_agent || is_for_agents(out))
            .filter(|_| !replaces_ledger(args))
            .filter(|out| is_free(args.root.as_deref(), out)),
        root: args.root.clone().filter(|_| !args.by_agent),
        compact: args.compact,
        inputs: args
            .result
            .iter()
            .chain(&args.batch)
            .map(PathBuf::from)
            .collect(),
    };
    refuse(problem, &format!("error: {problem}\n"), &place, streams)
}

/// Whether the report would replace nothing that is read.
fn is_free(root: Option<&Path>, out: &Path) -> bool {
    settings::project_root(root).is_ok_and(|root| spare(&root.join(out), &[], &[]).is_ok())
}

/// Whether the report would be written over the ledger.
fn replaces_ledger(args: &ClaimsArgs) -> bool {
    let named = args.record.ledger.as_deref();
    let recorder = settings::project_root(args.root.as_deref())
        .map(|root| Recorder::of_project(named, &root).map(drop));
    // what is wrong with the configuration is in the report
    matches!(recorder, Ok(Err(failure)) if failure.message().contains("would replace the ledger"))
}

/// Whether an agent may have a report written there.
fn is_for_agents(out: &Path) -> bool {
    let root = settings::project_root(None);
    root.is_ok_and(|root| settings::check_out_of_agent(&root, out).is_ok())
}

/// The same for a command line that the parser refuses, with its own words for
/// people.
pub(crate) fn refuse_usage(
    words: &[OsString],
    problem: &str,
    text: &str,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let mut place = Destination::of(words);
    place.out = place.out.filter(|out| !is_url(&out.to_string_lossy()));
    if words.get(1).is_some_and(|word| word == "cf-verify") {
        place.root = None;
        place.out = place.out.filter(|out| is_for_agents(out));
        streams.hush();
    }
    let root = place.root.clone();
    place.out = place.out.filter(|out| is_free(root.as_deref(), out));
    refuse(problem, text, &place, streams)
}

fn refuse(
    problem: &str,
    text: &str,
    place: &Destination,
    streams: &mut Streams,
) -> Result<u8, Failure> {
    let bytes = ClaimsReport::unusable(&without_secrets(problem)).json(place.compact);
    streams.talk(&without_secrets(text));
    if let (Some(out), Ok(root)) = (&place.out, settings::project_root(place.root.as_deref()))
        && inputs::may_tell_in(out, &place.inputs, &root)
        && let Err(failure) = publish(&root.join(out), &bytes)
    {
        failure.tell(streams);
    }
    streams.data(&bytes)?;
    Ok(EXIT_COULD_NOT_RUN)
}

/// Everything that can be wrong before a document is read.
fn prepared(args: &ClaimsArgs) -> Result<(PathBuf, Choices, Vec<Input>), String> {
    let root = settings::project_root(args.root.as_deref())?;
    let mut choices = settings::choose(args, &root)?;
    if let Some(out) = args.out.as_deref().filter(|_| args.by_agent) {
        settings::check_out_of_agent(&root, out)?;
    }
    let inputs = inputs::collect(args, &root)?;
    let named = inputs.iter().filter_map(Input::path);
    choices.options.documents = named.map(Path::to_owned).collect();
    Ok((root, choices, inputs))
}

fn verify(
    args: &ClaimsArgs,
    root: &Path,
    choices: &Choices,
    inputs: &[Input],
    streams: &mut Streams,
) -> Result<u8, Failure> {
    if !args.talk.quiet && !args.by_agent {
        crate::settings::tell(&choices.options.notices, streams);
    }
    let session = match Session::new(&choices.options, choices.tools.world()) {
        Ok(session) => session,
        Err(error) => {
            return refuse_writing(args, &with_causes(&error), streams);
        }
    };
    crosscheck::core::held::hold(root);
    let run = Run {
        args,
        root,
        persist: choices.persist,
        recorder: &choices.recorder,
        is_batch: inputs.len() > 1 || !args.batch.is_empty(),
        session,
    };
    let mut reports = Vec::new();
    let mut exits = Vec::new();
    let mut lines = Lines::default();
    for input in inputs {
        let done = run.one(input, streams);
        exits.push(done.exit);
        if run.is_batch {
            lines.add(args, &done.report);
        }
        let streamed = run.is_batch && (args.format == Format::Json || args.output.is_some());
        if streamed {
            streams.data(&done.report.json(true))?;
        }
        if !streamed || args.output.is_some() {
            reports.push((input.name(), done.report));
        }
    }
    if run.is_batch && !lines.write(args, root, streams) {
        exits.push(EXIT_COULD_NOT_RUN);
    }
    if !tell(&run, &reports, streams)? {
        exits.push(EXIT_COULD_NOT_RUN);
    }
    if run.is_batch {
        sum_up(inputs.len(), &exits, streams);
    }
    Ok(roll_up(&exits))
}

fn sum_up(documents: usize, exits: &[u8], streams: &mut Streams) {
    let count = |wanted| {
        let same = exits.iter().copied().filter(|exit: &u8| *exit == wanted);
        same.count()
    };
    streams.talk(&format!(
        "{documents} documents: {} ok, {} failed, {} partial, {} could not be read or written\n",
        count(0),
        count(1),
        count(2),
        count(3)
    ));
}

/// What `--out` and `--details` hold of a batch: one document per line, as on
/// standard output.
#[derive(Default)]
struct Lines {
    reports: Vec<u8>,
    details: Vec<u8>,
}

impl Lines {
    fn add(&mut self, args: &ClaimsArgs, report: &ClaimsReport) {
        if args.out.is_some() {
            self.reports.extend(report.json(true));
        }
        if args.details.is_some() {
            self.details.extend(report.details_json(true));
        }
    }

    /// Says whether everything could be written.
    fn write(&self, args: &ClaimsArgs, root: &Path, streams: &mut Streams) -> bool {
        let out = put(args.out.as_deref(), &self.reports, root, streams);
        let details = put(args.details.as_deref(), &self.details, root, streams);
        out && details
    }
}

/// Writes a file that was asked for; says whether that was possible.
fn put(path: Option<&Path>, bytes: &[u8], root: &Path, streams: &mut Streams) -> bool {
    let written = path.map_or(Ok(()), |path| publish(&root.join(path), bytes));
    written.map_err(|failure| failure.tell(streams)).is_ok()
}

/// 3 if any could not run, else 1 if any failed, else 2 if any is partial, else 0.
fn roll_up(exits: &[u8]) -> u8 {
    [EXIT_COULD_NOT_RUN, 1, 2]
        .into_iter()
        .find(|exit| exits.contains(exit))
        .unwrap_or(if exits.is_empty() { 2 } else { 0 })
}

/// What all documents of a run share.
struct Run<'r> {
    args: &'r ClaimsArgs,
    root: &'r Path,
    persist: bool,
    recorder: &'r Recorder,
    is_batch: bool,
    session: Session<'r>,
}

impl Run<'_> {
    /// Verifies one document and writes its files.
    fn one(&self, input: &Input, streams: &mut Streams) -> Done {
        let (report, mut exit) = match input.read() {
            Ok(bytes) => {
                let report = self.session.verify(&bytes);
                let kept = self.recorder.keep(
                    || report.neutral().clone(),
                    || Inputs::bytes(&input.name(), &bytes),
                );
                let exit = match kept {
                    Ok(()) => report.verdict().exit_code(),
                    Err(failure) => failure.tell(streams),
                };
                (report, exit)
            }
            Err(error) => {
                let problem = without_secrets(&with_causes(&error));
                streams.talk(&format!("error: {problem}\n"));
                (ClaimsReport::unusable(&problem), EXIT_COULD_NOT_RUN)
            }
        };
        // Of a batch these two hold every document, so they are written at its end.
        let alone = !self.is_batch;
        let bytes = report.json(self.args.compact || self.is_batch);
        let kept = if self.persist {
            report.keep(self.root, &bytes)
        } else {
            Ok(())
        };
        if let Err(error) = kept {
            unwritten(&error).tell(streams);
            exit = EXIT_COULD_NOT_RUN;
        }
        if alone {
            let out = put(self.args.out.as_deref(), &bytes, self.root, streams);
            let details = report.details_json(false);
            if !put(self.args.details.as_deref(), &details, self.root, streams) || !out {
                exit = EXIT_COULD_NOT_RUN;
            }
        }
        if self.args.talk.verbose {
            let (checked, passed, failed) = report.counts();
            streams.talk(&format!(
                "{}: {checked} claims checked, {passed} passed, {failed} failed\n",
                input.name()
            ));
        }
        if let Some(remark) = report.remark().filter(|_| !self.args.talk.quiet) {
            let name = if alone {
                String::new()
            } else {
                input.name() + ": "
            };
            streams.talk(&format!("{name}{remark}\n"));
        }
        Done { report, exit }
    }
}

/// Says whether everything could be written.
fn tell(run: &Run<'_>, reports: &[Named], streams: &mut Streams) -> Result<bool, Failure> {
    let view = view(run.args, reports, run.is_batch, streams)?;
    let Some(path) = &run.args.output else {
        streams.data(&view)?;
        return Ok(true);
    };
    let written = put(Some(path), &view, run.root, streams);
    // Programs still find the report on standard output.
    if !run.is_batch {
        streams.data(&json_lines(run.args, reports, false))?;
    }
    Ok(written)
}

fn json_lines(args: &ClaimsArgs, reports: &[Named], is_batch: bool) -> Vec<u8> {
    reports
        .iter()
        .flat_map(|(_, report)| report.json(args.compact || is_batch))
        .collect()
}

fn view(
    args: &ClaimsArgs,
    reports: &[Named],
    is_batch: bool,
    streams: &Streams,
) -> Result<Vec<u8>, Failure> {
    if args.format == Format::Json {
        return Ok(json_lines(args, reports, is_batch));
    }
    let is_shown = args.output.is_none() || args.talk.color == ColorArg::Always;
    let style = Style {
        colour: is_shown && streams.colours(args.talk.color),
    };
    let neutral: Vec<_> = reports.iter().map(|(_, report)| report.neutral()).collect();
    let mut bytes = Vec::new();
    render_all(&neutral, args.format, &style, &mut bytes)
        .map_err(|error| Failure::stdout(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::roll_up;

    #[test]
    fn the_worst_document_decides_the_exit_code() {
        assert_eq!(roll_up(&[0, 2, 1, 3]), 3);
        assert_eq!(roll_up(&[0, 2, 1]), 1);
        assert_eq!(roll_up(&[0, 2]), 2);
        assert_eq!(roll_up(&[0, 0]), 0);
    }
}
