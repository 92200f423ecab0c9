//! `crosscheck trace`.

use std::io;
use std::path::PathBuf;

use crosscheck::core::Verdict;
use crosscheck::core::digest::Digest;
use crosscheck::core::files::folder_of;
use crosscheck::core::foreign;
use crosscheck::core::text::terminal_safe;
use crosscheck::render::Format;
use crosscheck::trace::report::{CheckState, VerificationReportV1};
use crosscheck::trace::{self, Input, Task, TraceReport, TraceRequest};

use crate::args::talk::TalkArgs;
use crate::args::trace::{DiffArgs, SealArgs, TraceArgs, TraceCommand, VerifyArgs};
use crate::commands::spare::{publish, spare, would_replace};
use crate::failure::Failure;
use crate::ledger::{Inputs, Recorder};
use crate::output::Streams;
use crate::present::painted;

pub(crate) fn run(args: &TraceArgs, streams: &mut Streams) -> Result<u8, Failure> {
    match &args.command {
        Some(TraceCommand::Diff(args)) => diff(args, streams),
        Some(TraceCommand::Seal(args)) => seal(args, streams),
        None => verify(&args.verify, streams),
    }
}

fn verify(args: &VerifyArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let request = request(args)?;
    spare_the_run(args, &request)?;
    let ledger = args.record.ledger.as_deref();
    let (recorder, chosen) = Recorder::and_settings(&args.chosen, ledger, streams)?;
    explain_request(args, &request, streams);
    let task = Task { request }.as_strict(&chosen);
    let verified = task.run_reading(&mut io::stdin().lock());
    let report = verified.map_err(|error| Failure::of(&error))?;
    let kept = recorder.keep(|| report.neutral().clone(), || inputs(&task.request.input));
    explain_checks(args.talk, &report, streams);
    let document = document(&report);
    if let Some(path) = &args.out {
        publish(path, document.as_bytes())?;
    }
    let is_summed_up = args.out.is_some() && !args.json && !args.presented.is_chosen();
    if is_summed_up {
        if !args.talk.quiet {
            streams.talk(&format!("{}\n", report.summary()));
        }
        kept?;
        return Ok(report.verdict().exit_code());
    }
    let mut presenter = args.presented.presenter().in_colour(args.talk.color);
    if args.json {
        presenter.format = Format::Json;
    }
    let neutral = || vec![report.neutral()];
    presenter.present(neutral, kept, streams, |format, style, out| {
        let text = match format {
            Format::Json => document,
            Format::Human => headed(&report.human(), report.verdict(), style.colour),
            _ => return Ok(false),
        };
        out.write_all(text.as_bytes()).map(|()| true)
    })?;
    Ok(report.verdict().exit_code())
}

/// The trace and the plan.
fn inputs(input: &Input) -> Inputs {
    match input {
        Input::RunDir(folder) => {
            let files = ["trace.jsonl", "plan.json"].map(|name| folder.join(name));
            Inputs::files(files.iter().map(PathBuf::as_path))
        }
        Input::Files { trace, plan } => {
            Inputs::files(trace.iter().chain([plan]).map(PathBuf::as_path))
        }
    }
}

/// The files of a run directory except its evidence.
const OF_THE_RUN: [&str; 7] = [
    "trace.jsonl",
    "plan.json",
    "spec.json",
    "manifest.json",
    "fingerprint.txt",
    "run_meta.json",
    "verify.json",
];

/// Refuses a report that would replace a file of the run.
fn spare_the_run(args: &VerifyArgs, request: &TraceRequest) -> Result<(), Failure> {
    let mut files = match &request.input {
        Input::RunDir(_) => Vec::new(),
        Input::Files { trace, plan } => trace.iter().chain([plan]).cloned().collect(),
    };
    if let Some(folder) = &request.artifacts {
        files.extend(OF_THE_RUN.map(|name| folder.join(name)));
    }
    let folders = request.artifacts.as_deref().map_or_else(Vec::new, |root| {
        vec![root.join("evidence"), root.join("provenance")]
    });
    let root = request.artifacts.as_ref();
    let root = root.and_then(|root| root.canonicalize().ok());
    for output in args.out.iter().chain(&args.presented.output) {
        spare(output, &files, &folders)?;
        let real = output.canonicalize().ok();
        let is_inside = real
            .zip(root.as_ref())
            .is_some_and(|(real, root)| real.starts_with(root));
        if is_inside {
            return Err(would_replace(output));
        }
    }
    Ok(())
}

/// What will be checked.
fn explain_request(args: &VerifyArgs, request: &TraceRequest, streams: &mut Streams) {
    let artifacts = request.artifacts.as_ref().map_or_else(
        || "no artifacts".to_owned(),
        |folder| format!("artifacts in {}", folder.display()),
    );
    let run = match &request.input {
        Input::RunDir(folder) => format!("the run in {}", folder.display()),
        Input::Files { trace, plan } => format!(
            "the trace {} with the plan {}",
            trace.as_ref().map_or_else(
                || "on standard input".to_owned(),
                |path| path.display().to_string()
            ),
            plan.display()
        ),
    };
    explain(args.talk, streams, &format!("checking {run}, {artifacts}"));
}

/// The result of each check.
fn explain_checks(args: TalkArgs, report: &TraceReport, streams: &mut Streams) {
    for (check, state) in report.checks() {
        let word = match state {
            CheckState::Passed => "passed",
            CheckState::Failed => "failed",
            CheckState::NotRun => "not run",
        };
        explain(args, streams, &format!("{:<24} {word}", check.name()));
    }
}

fn diff(args: &DiffArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let (a, b) = (args.a.display(), args.b.display());
    explain(args.talk, streams, &format!("comparing {a} with {b}"));
    let found = trace::diff(&args.a, &args.b).map_err(|error| Failure::of(&error))?;
    let text = if args.json {
        format!("{}\n", foreign::json_pretty(&found))
    } else {
        found.human()
    };
    streams.data(text.as_bytes())?;
    Ok(u8::from(!found.identical))
}

fn seal(args: &SealArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let run = args.run_dir.display();
    explain(
        args.talk,
        streams,
        &format!("checking {run} before it is sealed"),
    );
    let seal = trace::seal(&args.run_dir).map_err(|error| Failure::of(&error))?;
    let text = format!(
        "sealed {} files\n  trace sha256 {}\n  manifest     {}\n",
        seal.files.len(),
        seal.fingerprint,
        seal.manifest.display()
    );
    streams.data(terminal_safe(&text).as_bytes())?;
    Ok(0)
}

fn document(report: &TraceReport) -> String {
    let mut text = foreign::json_pretty(&VerificationReportV1::from(report));
    text.push('\n');
    text
}

fn request(args: &VerifyArgs) -> Result<TraceRequest, Failure> {
    let (input, beside) = input(args)?;
    let artifacts = match (&args.artifacts, args.no_artifacts) {
        (_, true) => None,
        (Some(folder), false) => Some(folder.clone()),
        (None, false) => beside,
    };
    Ok(TraceRequest {
        artifacts,
        expect_trace_sha256: args
            .expect_trace_sha256
            .as_deref()
            .map(digest)
            .transpose()?,
        ..TraceRequest::of(input)
    })
}

/// The input, and the artifacts directory that goes with it by default.
fn input(args: &VerifyArgs) -> Result<(Input, Option<PathBuf>), Failure> {
    if let Some(folder) = &args.run_dir {
        if folder.is_file() {
            return Err(Failure::usage(
                &format!("`{}` is a file, not a run directory", folder.display()),
                "name the directory, or a trace and its plan with --trace and --plan",
            ));
        }
        return Ok((Input::RunDir(folder.clone()), Some(folder.clone())));
    }
    let (Some(trace), Some(plan)) = (&args.trace, &args.plan) else {
        return Err(Failure::usage(
            "no run was named",
            "name a run directory, or a trace and a plan with --trace and --plan",
        ));
    };
    let plan = plan.clone();
    if trace.as_os_str() == "-" {
        return Ok((Input::Files { trace: None, plan }, None));
    }
    let beside = folder_of(trace).to_owned();
    let trace = Some(trace.clone());
    Ok((Input::Files { trace, plan }, Some(beside)))
}

fn digest(text: &str) -> Result<Digest, Failure> {
    Digest::from_hex(&text.to_ascii_lowercase()).ok_or_else(|| {
        Failure::usage(
            &format!("`{text}` is not a SHA-256"),
            "write 64 hex digits, as `sha256sum trace.jsonl` prints them",
        )
    })
}

/// Prints a detail with `--verbose`.
fn explain(args: TalkArgs, streams: &mut Streams, text: &str) {
    if args.verbose {
        streams.talk(&format!("{text}\n"));
    }
}

/// A text that begins with its verdict, with the verdict coloured.
fn headed(text: &str, verdict: Verdict, colours: bool) -> String {
    let stop = text.find([':', ' ']).filter(|_| colours);
    match stop.map(|stop| text.split_at(stop)) {
        Some((word, rest)) => painted(word, verdict) + rest,
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_verdict_is_painted_and_nothing_else() {
        let text = "rejected: 1 of 16\n  run\n";
        assert_eq!(headed(text, Verdict::Refuted, false), text);
        assert_eq!(
            headed(text, Verdict::Refuted, true),
            "\u{1b}[31mrejected\u{1b}[0m: 1 of 16\n  run\n"
        );
    }
}
