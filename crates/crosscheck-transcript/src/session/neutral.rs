//! `crosscheck.session/1`: the format for any other harness, one event a line.

use std::sync::Arc;

use super::skim::{Broken, Raw};
use super::{
    Body, By, Change, Edit, Event, MAX_OUTPUT, Output, Place, Replacement, Run, Sink, State,
    Subagent,
};

pub(super) fn line(place: Place, line: &[u8], sink: &mut Sink) -> Result<(), Broken> {
    let record = Raw::line(line)?;
    if !record.is_object() {
        return Err(Broken);
    }
    let [kind, seq, cwd, by, text, path] =
        record.pick(["t", "seq", "cwd", "by", "text", "path"])?;
    let string = |value: Option<Raw<'_>>| {
        let text = value.and_then(Raw::text);
        text.map(std::borrow::Cow::into_owned)
    };
    let kind = string(kind).unwrap_or_default();
    let body = match kind.as_str() {
        "prompt" => Body::Prompt(string(text).unwrap_or_default()),
        "text" => Body::Text(string(text).unwrap_or_default()),
        "run" => Body::Run(run(place, record)?),
        "edit" => {
            let op = string(record.get("op")).unwrap_or_default();
            Body::Edit(Edit {
                id: Box::default(),
                path: string(path).unwrap_or_default(),
                change: match op.as_str() {
                    "create" => Change::Write,
                    "delete" => Change::Delete,
                    "tree" => Change::Tree,
                    _ => Change::Modify,
                },
                done: true,
                lines: [Some(place.span), None],
            })
        }
        "subagent" => Body::Subagent(Subagent {
            id: Box::default(),
            kind: string(record.get("kind")).unwrap_or_default(),
            agent: string(record.get("agent")),
            in_background: false,
            answered: Some(place.line),
        }),
        other => {
            sink.facts.unknown(other);
            return Ok(());
        }
    };
    sink.facts.known += 1;
    let cwd: Option<Arc<str>> = string(cwd)
        .map(Arc::from)
        .or_else(|| sink.facts.cwd.clone());
    if sink.facts.cwd.is_none() {
        sink.facts.cwd.clone_from(&cwd);
    }
    let is_prompt = matches!(body, Body::Prompt(_));
    sink.events.push(Event {
        line: place.line,
        step: seq
            .and_then(Raw::int)
            .map_or(place.line, |seq| usize::try_from(seq).unwrap_or(0)),
        cwd,
        by: match string(by).as_deref() {
            Some("user") => By::User,
            Some("subagent") => By::Subagent,
            _ if is_prompt => By::User,
            _ => By::Agent,
        },
        body,
    });
    Ok(())
}

fn run(place: Place, record: Raw<'_>) -> Result<Run, Broken> {
    let [command, status, background, interrupted, timed_out] = record.pick([
        "command",
        "status",
        "background",
        "interrupted",
        "timed_out",
    ])?;
    let is = |flag: Option<Raw<'_>>| flag.is_some_and(Raw::is_true);
    let status = status.and_then(Raw::int);
    let state = if is(interrupted) {
        State::Interrupted
    } else if is(timed_out) {
        State::TimedOut
    } else if is(background) && status.is_none() {
        State::Background
    } else {
        State::Ended
    };
    Ok(Run {
        id: Box::default(),
        command: command.and_then(Raw::text).unwrap_or_default().into_owned(),
        status,
        state,
        output: Some(place.span),
    })
}

pub(super) fn output(line: &[u8]) -> Option<Output> {
    let (text, is_cut) = Raw::line(line).ok()?.get("output")?.text_ends(MAX_OUTPUT)?;
    Some(Output {
        text,
        is_cut,
        file: None,
    })
}

pub(super) fn edits(line: &[u8]) -> Vec<Replacement> {
    let Ok(record) = Raw::line(line) else {
        return Vec::new();
    };
    let text = |key: &str| Some(record.get(key)?.text()?.into_owned());
    let (old, new) = (text("old"), text("new"));
    if old.is_none() && new.is_none() {
        return Vec::new();
    }
    vec![Replacement {
        old,
        new: new.unwrap_or_default(),
    }]
}
