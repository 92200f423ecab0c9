//! `crosscheck.session/1`: the format for any other harness, one event a line.

use super::record::{Answer, Input, Item, Place, Record, Step};
use super::{By, State};
use crate::model::Role;
use crate::raw::{Broken, Raw};

pub(super) fn record(place: Place, line: &[u8]) -> Result<Record<'_>, Broken> {
    let whole = Raw::record(line)?;
    let [kind, seq, cwd, by, text, op] = whole.pick(["t", "seq", "cwd", "by", "text", "op"])?;
    let kind = kind.and_then(Raw::text).unwrap_or_default();
    let words = || text.and_then(Raw::text).unwrap_or_default();
    let name = match &*kind {
        "run" => "bash",
        "subagent" => "task",
        "edit" => match op.and_then(Raw::text).as_deref() {
            Some("create") => "create",
            Some("delete") => "delete",
            Some("tree") => "tree",
            _ => "edit",
        },
        _ => "",
    };
    let items = match &*kind {
        "prompt" => vec![Item::Said(Role::User, words())],
        "text" => vec![Item::Said(Role::Assistant, words())],
        "run" | "subagent" | "edit" => vec![
            Item::Called {
                id: "".into(),
                name: name.into(),
                input: Input::Value(whole),
                is_retold: false,
            },
            Item::Answered {
                id: "".into(),
                answer: answer(whole)?,
            },
        ],
        _ => vec![Item::Other],
    };
    let by = by.and_then(Raw::text);
    let seq = seq.and_then(Raw::int);
    Ok(Record {
        is_known: !matches!(items.as_slice(), [Item::Other]),
        kind,
        cwd: cwd.and_then(Raw::text),
        by: match by.as_deref() {
            Some("user") => Some(By::User),
            Some("subagent") => Some(By::Subagent),
            _ => None,
        },
        step: Step::Number(seq.map_or(place.line, |seq| usize::try_from(seq).unwrap_or(0))),
        items,
        ..Record::default()
    })
}

fn answer(whole: Raw<'_>) -> Result<Answer<'_>, Broken> {
    let [output, status, background, interrupted, timed_out] =
        whole.pick(["output", "status", "background", "interrupted", "timed_out"])?;
    let is = |flag: Option<Raw<'_>>| flag.is_some_and(Raw::is_true);
    let status = status.and_then(Raw::int);
    let state = match (is(interrupted), is(timed_out), is(background)) {
        (true, ..) => State::Interrupted,
        (_, true, _) => State::TimedOut,
        (_, _, true) if status.is_none() => State::Background,
        _ => State::Ended,
    };
    Ok(Answer {
        content: output,
        data: Some(whole),
        status,
        state: Some(state),
        ..Answer::default()
    })
}
