//! `crosscheck claims`: one report on standard output, in every case.

mod inputs;
mod world;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use crosscheck::claims::plan::{Rate, Selection};
use crosscheck::claims::{
    ClaimsReport, EvidenceMode, OnUnclear, Options, Publication, QuoteLevel, Risk, Session, World,
    default_jobs,
};
use crosscheck::core::Advice as _;
use crosscheck::core::advice::{EXIT_COULD_NOT_RUN, with_causes};
use crosscheck::core::text::terminal_safe;
use crosscheck_render::{Format, Style, render_all};

use crate::args::claims::{
    ClaimsArgs, EvidenceWord, FormatWord, JudgeWord, QuoteWord, RiskWord, SelectWord, UnclearWord,
};
use crate::failure::Failure;
use crate::output::Streams;

/// What one document led to.
struct Done {
    report: ClaimsReport,
    exit: u8,
}

pub(crate) fn run(args: &ClaimsArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let root = match project_root(args) {
        Ok(root) => root,
        Err(problem) => return refuse(&problem, &format!("error: {problem}\n"), streams),
    };
    let options = match options(args, root.clone()) {
        Ok(options) => options,
        Err(problem) => return refuse(&problem, &format!("error: {problem}\n"), streams),
    };
    let tools = match world::Tools::new(args, &root) {
        Ok(tools) => tools,
        Err(problem) => return refuse(&problem, &format!("error: {problem}\n"), streams),
    };
    let world = World {
        judge: tools.judge.as_ref(),
        pages: tools.pages.as_ref(),
        search: tools.search.as_ref(),
    };
    let session = match Session::new(&options, world) {
        Ok(session) => session,
        Err(error) => {
            let problem = with_causes(&error);
            return refuse(&problem, &format!("error: {problem}\n"), streams);
        }
    };
    let inputs = match inputs::collect(args, &root) {
        Ok(inputs) => inputs,
        Err(problem) => return refuse(&problem, &format!("error: {problem}\n"), streams),
    };
    let is_batch = inputs.len() > 1 || !args.batch.is_empty();
    let mut told = Vec::new();
    let mut exits = Vec::new();
    for input in &inputs {
        let done = one(args, &root, &session, input, is_batch, streams);
        exits.push(done.exit);
        if is_batch && args.format == FormatWord::Json {
            streams.data(&done.report.json(true))?;
        } else {
            told.push(done.report);
        }
    }
    tell(args, &told, is_batch, streams)?;
    if is_batch {
        let count = |wanted| {
            exits
                .iter()
                .copied()
                .filter(|exit: &u8| *exit == wanted)
                .count()
        };
        streams.talk(&format!(
            "{} documents: {} ok, {} failed, {} partial, {} could not be read or written\n",
            exits.len(),
            count(0),
            count(1),
            count(2),
            count(3)
        ));
    }
    Ok(roll_up(&exits))
}

/// 3 if any could not run, else 1 if any failed, else 2 if any is partial, else 0.
fn roll_up(exits: &[u8]) -> u8 {
    [EXIT_COULD_NOT_RUN, 1, 2]
        .into_iter()
        .find(|exit| exits.contains(exit))
        .unwrap_or(if exits.is_empty() { 2 } else { 0 })
}

/// A run that cannot be done still prints the report its readers wait for.
pub(crate) fn refuse(problem: &str, told: &str, streams: &mut Streams) -> Result<u8, Failure> {
    streams.talk(&terminal_safe(told));
    streams.data(&ClaimsReport::unusable(problem).json(false))?;
    Ok(EXIT_COULD_NOT_RUN)
}

fn one(
    args: &ClaimsArgs,
    root: &Path,
    session: &Session<'_>,
    input: &inputs::Input,
    is_batch: bool,
    streams: &mut Streams,
) -> Done {
    let (report, mut exit) = match input.read() {
        Ok(bytes) => {
            let report = session.verify(&bytes);
            let exit = report.verdict().exit_code();
            (report, exit)
        }
        Err(error) => {
            let problem = with_causes(&error);
            streams.talk(&terminal_safe(&format!("error: {problem}\n")));
            (ClaimsReport::unusable(&problem), EXIT_COULD_NOT_RUN)
        }
    };
    let bytes = report.json(args.compact || is_batch);
    let publication = Publication {
        out: args.out.clone(),
        details: args.details.clone(),
        no_persist: args.no_persist,
    };
    if let Err(error) = report.publish(root, &publication, &bytes) {
        streams.talk(&terminal_safe(&format!(
            "error[{}]: {}\nhelp: {}\n",
            error.reason().code,
            with_causes(&error),
            error.help()
        )));
        exit = EXIT_COULD_NOT_RUN;
    }
    if let Some(remark) = report.remark().filter(|_| !args.quiet && !is_batch) {
        streams.talk(&format!("{remark}\n"));
    }
    Done { report, exit }
}

fn tell(
    args: &ClaimsArgs,
    reports: &[ClaimsReport],
    is_batch: bool,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let format = match args.format {
        FormatWord::Json => {
            for report in reports {
                streams.data(&report.json(args.compact || is_batch))?;
            }
            return Ok(());
        }
        FormatWord::Human => {
            let colour = std::io::stdout().is_terminal() && wants_colour();
            for report in reports {
                streams.data(report.human(colour).as_bytes())?;
            }
            return Ok(());
        }
        FormatWord::Ndjson => Format::Ndjson,
        FormatWord::Junit => Format::Junit,
        FormatWord::Sarif => Format::Sarif,
        FormatWord::Markdown => Format::Markdown,
        FormatWord::Html => Format::Html,
        FormatWord::Github => Format::Github,
    };
    let neutral: Vec<_> = reports.iter().map(ClaimsReport::neutral).collect();
    let mut bytes = Vec::new();
    render_all(&neutral, format, &Style::default(), &mut bytes)
        .map_err(|error| Failure::stdout(&error))?;
    streams.data(&bytes)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line reads the environment"
)]
fn wants_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line knows the working folder"
)]
fn project_root(args: &ClaimsArgs) -> Result<PathBuf, String> {
    let here = std::env::current_dir()
        .map_err(|error| format!("the current folder cannot be used: {error}"))?;
    Ok(args
        .root
        .as_ref()
        .map_or(here.clone(), |root| here.join(root)))
}

fn options(args: &ClaimsArgs, root: PathBuf) -> Result<Options, String> {
    let sample_rate = match &args.sample_rate {
        None => None,
        Some(text) => Some(
            Rate::parse(text)
                .ok_or_else(|| format!("--sample-rate: `{text}` is no number from 0 to 1"))?,
        ),
    };
    let model = args.judge != JudgeWord::Builtin;
    Ok(Options {
        risk: match args.risk {
            RiskWord::Low => Risk::Low,
            RiskWord::Medium => Risk::Medium,
            RiskWord::High => Risk::High,
        },
        sample_rate,
        selection: match args.select {
            SelectWord::First => Selection::First,
            SelectWord::All => Selection::All,
            SelectWord::Random => Selection::Random,
            SelectWord::Stratified => Selection::Stratified,
        },
        seed: args.seed.clone(),
        evidence_mode: match args.evidence_mode {
            EvidenceWord::Any => EvidenceMode::Any,
            EvidenceWord::All => EvidenceMode::All,
        },
        quote_level: match args.quote_match {
            QuoteWord::Exact => QuoteLevel::Exact,
            QuoteWord::Eol => QuoteLevel::Eol,
            QuoteWord::Whitespace => QuoteLevel::Whitespace,
            QuoteWord::Loose => QuoteLevel::Loose,
        },
        line_slack: args.line_slack,
        on_unclear: match args.on_unclear {
            UnclearWord::Auto => OnUnclear::Auto,
            UnclearWord::Pass => OnUnclear::Pass,
            UnclearWord::Partial => OnUnclear::Partial,
            UnclearWord::Fail => OnUnclear::Fail,
        },
        strict_hash: args.strict_hash,
        strict_schema: args.strict_schema,
        confined: (args.confine || model) && !args.allow_outside_root,
        allow_paths: args.allow_path.clone(),
        extended: args.extended,
        offline: args.offline,
        read_settings: !args.ignore_settings,
        max_file_bytes: args.max_file_bytes,
        max_snippet_bytes: args.max_snippet_bytes,
        // With a budget the order of questions matters, so they are put one after the other.
        jobs: match args.judge_budget {
            Some(_) => 1,
            None => args.jobs.unwrap_or_else(default_jobs).max(1),
        },
        details: args.details.is_some(),
        views: args.format != FormatWord::Json,
        ..Options::new(root)
    })
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
