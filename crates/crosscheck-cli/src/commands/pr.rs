//! `crosscheck pr`.

use std::path::{Path, PathBuf};

use crosscheck::pr::read::{checks, event};
use crosscheck::pr::{PrEvent, PrRequest, PrText, Task};

use crate::args::pr::PrArgs;
use crate::failure::Failure;
use crate::ledger::{Inputs, Recorder};
use crate::output::Streams;
use crate::settings::{current_dir, read_named};

/// The largest text and event.
const MAX_TEXT: u64 = 4 << 20;
/// The largest file of results.
const MAX_CHECKS: u64 = 64 << 20;

pub(crate) fn run(args: &PrArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let task = Task {
        request: request(args)?,
    };
    let recorder = Recorder::load(args.record.ledger.as_deref(), streams)?;
    if args.talk.verbose {
        let request = &task.request;
        let (base, head) = (&request.base, &request.head);
        streams.talk(&format!(
            "comparing {base} with {head}, {} texts\n",
            request.texts.len()
        ));
    }
    let report = task.run().map_err(|error| Failure::of(&error))?;
    let read = [&args.text, &args.event, &args.checks];
    let read = || Inputs::files(read.into_iter().flatten().map(PathBuf::as_path));
    let kept = recorder.keep(|| report.neutral().clone(), read);
    let presenter = args.presented.presenter().in_colour(args.talk.color);
    presenter.show(&[report.neutral()], kept, streams)?;
    Ok(report.verdict().exit_code())
}

fn request(args: &PrArgs) -> Result<PrRequest, Failure> {
    let event = args.event.as_deref().map(read_event).transpose()?;
    let (mut base, mut head) = (args.base.clone(), args.head.clone());
    let mut texts = Vec::new();
    if let Some(path) = &args.text {
        let text = read("the text", path, MAX_TEXT)?;
        texts.push(PrText {
            name: "text".to_owned(),
            text: String::from_utf8_lossy(&text).into_owned(),
        });
    }
    if let Some(event) = event {
        base = base.or(event.base);
        head = head.or(event.head);
        texts.extend(event.texts);
    }
    let Some(base) = base else {
        return Err(Failure::usage(
            "the event names no base commit",
            "name it with --base, and the last commit with --head",
        ));
    };
    let checks = args.checks.as_deref().map(|path| {
        let bytes = read("the results of the checks", path, MAX_CHECKS)?;
        checks::read(&bytes).map_err(|error| Failure::of(&error))
    });
    let has_text = args.text.is_some() || args.event.is_some();
    Ok(PrRequest {
        repository: match &args.root {
            Some(root) => root.clone(),
            None => current_dir()?,
        },
        base,
        head: head.unwrap_or_else(|| "HEAD".to_owned()),
        texts,
        has_commits: args.commits || !has_text,
        checks: checks.transpose()?,
        allow_empty: args.allow_empty,
    })
}

fn read_event(path: &Path) -> Result<PrEvent, Failure> {
    let bytes = read("the event file", path, MAX_TEXT)?;
    event::read(&bytes).map_err(|error| Failure::of(&error))
}

fn read(what: &str, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    read_named(path, limit).map_err(|why| {
        let message = format!("cannot read {what}: {why}");
        Failure::usage(&message, "name a file that can be read, or `-`")
    })
}
