//! `crosscheck trace`: reasoning runs, accepted only when everything holds.

use std::io;
use std::path::{Path, PathBuf};

use crosscheck::core::Report;
use crosscheck::core::advice::with_causes;
use crosscheck::core::digest::Digest;
use crosscheck::core::files::{drain_limited, read_limited, write_atomic};
use crosscheck::core::text::terminal_safe;
use crosscheck::ground::transcript;
use crosscheck::trace::linkage::LinkageReportV1;
use crosscheck::trace::report::VerificationReportV1;
use crosscheck::trace::{
    self, Input, Insufficient, Policy, TraceReport, TraceRequest, TraceRunReason,
};
use crosscheck_render::{Format, Style, render};

use crate::args::trace::{
    DiffArgs, InsufficientArg, LinkageArgs, PolicyArg, SealArgs, ShowArgs, TraceArgs, TraceCommand,
    VerifyArgs,
};
use crate::failure::Failure;
use crate::output::Streams;

/// The largest log that is read.
const MAX_LOG: u64 = 1 << 30;

pub(crate) fn run(args: &TraceArgs, streams: &mut Streams) -> Result<u8, Failure> {
    perform(args, streams).map_err(|failure| {
        if args.asks_for_json() {
            failure.for_machines()
        } else {
            failure
        }
    })
}

fn perform(args: &TraceArgs, streams: &mut Streams) -> Result<u8, Failure> {
    match &args.command {
        Some(TraceCommand::Diff(args)) => diff(args, streams),
        Some(TraceCommand::Linkage(args)) => linkage(args, streams),
        Some(TraceCommand::Seal(args)) => seal(args, streams),
        Some(TraceCommand::Show(args)) => show(args, streams),
        None => verify(&args.verify, streams),
    }
}

fn verify(args: &VerifyArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let request = request(args)?;
    let report =
        trace::verify(&request, &mut io::stdin().lock()).map_err(|error| Failure::told(&error))?;
    let document = document(&report);
    if let Some(path) = &args.out {
        write(path, document.as_bytes())?;
    }
    let format = match (args.json, args.presented.format) {
        (true, _) => Some(Format::Json),
        (false, None) if args.out.is_some() && args.presented.output.is_none() => None,
        (false, format) => Some(format.unwrap_or(Format::Human)),
    };
    let text = match format {
        None => None,
        Some(Format::Human) => Some(report.human().into_bytes()),
        Some(Format::Json) => Some(document.into_bytes()),
        Some(format) => Some(rendered(&report.neutral(), format)),
    };
    match (text, &args.presented.output) {
        (None, _) => streams.talk(&format!("{}\n", terminal_safe(&report.summary()))),
        (Some(text), None) => streams.data(&text)?,
        (Some(text), Some(path)) => write(path, &text)?,
    }
    Ok(report.verdict().exit_code())
}

/// The neutral report in a format of the house.
fn rendered(report: &Report, format: Format) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = render(report, format, &Style::default(), &mut text); // memory takes everything
    text
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    write_atomic(path, content).map_err(|error| unwritable(path, &error))
}

fn diff(args: &DiffArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let found = trace::diff(&args.a, &args.b).map_err(|error| Failure::told(&error))?;
    let text = if args.json {
        format!(
            "{}\n",
            serde_json::to_string_pretty(&found).unwrap_or_default()
        )
    } else {
        found.human()
    };
    streams.data(text.as_bytes())?;
    Ok(u8::from(!found.identical))
}

fn linkage(args: &LinkageArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let bytes = read_log(&args.log)?;
    let format = match args.from {
        Some(format) => format,
        None => transcript::detect(&String::from_utf8_lossy(&bytes)).ok_or_else(|| {
            Failure::usage(
                &format!("`{}` is no log of a known format", args.log.display()),
                "name the format with --from",
            )
        })?,
    };
    let log = transcript::read_bytes(format, &bytes);
    let report = trace::linkage::linkage(&log, &args.log.display().to_string(), args.max_failures);
    let text = match (args.json, args.presented.format.unwrap_or(Format::Human)) {
        (true, _) | (false, Format::Json) => {
            let document = LinkageReportV1::from(&report);
            let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
            text.push('\n');
            text.into_bytes()
        }
        (false, Format::Human) => report.human().into_bytes(),
        (false, format) => rendered(&report.neutral(), format),
    };
    match &args.presented.output {
        None => streams.data(&text)?,
        Some(path) => write(path, &text)?,
    }
    Ok(report.verdict().exit_code())
}

fn read_log(path: &Path) -> Result<Vec<u8>, Failure> {
    let told = |why: &str| {
        Failure::because(
            TraceRunReason::TraceInputUnreadable.reason(),
            &format!("cannot read the log `{}`: {why}", path.display()),
            "name a log file of at most 1 GiB, or `-` for standard input",
        )
    };
    if path.as_os_str() != "-" {
        return read_limited(path, MAX_LOG).map_err(|error| told(&with_causes(&error)));
    }
    match drain_limited(io::stdin().lock(), MAX_LOG) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(told("it is too large")),
        Err(error) => Err(told(&error.to_string())),
    }
}

fn seal(args: &SealArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let seal = trace::seal(&args.run_dir).map_err(|error| Failure::told(&error))?;
    let text = format!(
        "sealed {} files\n  trace sha256 {}\n  manifest     {}\n",
        seal.files.len(),
        seal.fingerprint,
        seal.manifest.display()
    );
    streams.data(terminal_safe(&text).as_bytes())?;
    Ok(0)
}

fn show(args: &ShowArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let mut written = Ok(());
    let report = trace::show(&args.run_dir, &mut |text| {
        if written.is_ok() {
            written = streams.data(text.as_bytes());
        }
    })
    .map_err(|error| Failure::told(&error))?;
    written?;
    Ok(report.verdict().exit_code())
}

fn document(report: &TraceReport) -> String {
    let mut text =
        serde_json::to_string_pretty(&VerificationReportV1::from(report)).unwrap_or_default();
    text.push('\n');
    text
}

fn unwritable(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::because(
        TraceRunReason::TraceOutputUnwritable.reason(),
        &format!(
            "cannot write the report to `{}`: {}",
            path.display(),
            with_causes(error)
        ),
        "name a file in a folder that can be written",
    )
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
        min_supports: args.min_supports,
        insufficient: match args.insufficient {
            InsufficientArg::Marked => Insufficient::Marked,
            InsufficientArg::Forbid => Insufficient::Forbid,
        },
        require_seal: args.require_seal,
        expect_trace_sha256: args
            .expect_trace_sha256
            .as_deref()
            .map(digest)
            .transpose()?,
        policy: match args.policy {
            PolicyArg::Strict => Policy::Strict,
            PolicyArg::Audit => Policy::Audit,
        },
        max_failures: args.max_failures,
        ..TraceRequest::of(input)
    })
}

/// The input, and the artifacts directory that goes with it by default.
fn input(args: &VerifyArgs) -> Result<(Input, Option<PathBuf>), Failure> {
    if let Some(folder) = &args.run_dir {
        return Ok((Input::RunDir(folder.clone()), Some(folder.clone())));
    }
    let (Some(trace), Some(plan)) = (&args.trace, &args.plan) else {
        return Err(Failure::usage(
            "there is no run to check",
            "name a run directory, or a trace and a plan with --trace and --plan",
        ));
    };
    let plan = plan.clone();
    if trace.as_os_str() == "-" {
        return Ok((Input::Files { trace: None, plan }, None));
    }
    let beside = match trace.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
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
