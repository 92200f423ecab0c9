//! Decodes outputs and edits on demand.

use std::borrow::Cow;

use super::super::skim::Raw;
use super::super::{MAX_OUTPUT, Output, Replacement, Sink};
use super::record::{Answer, Record};
use super::{readable, tagged};

/// The block of a record's content that belongs to a call.
fn block_of<'l>(record: &Record<'l>, key: &str, id: &str) -> Option<Raw<'l>> {
    let content = record.message?.get("content")?;
    content
        .elements()
        .find(|block| block.get(key).and_then(Raw::text).as_deref() == Some(id))
}

pub(in crate::session) fn output(line: &[u8], id: &str) -> Option<Output> {
    let mut sink = Sink::default();
    let record = Record::read(Raw::record(line).ok()?, &mut sink).ok()?;
    if id.is_empty() {
        let words = record.message?.get("content").map(readable)?;
        let parts = ["bash-stdout", "bash-stderr"].map(|tag| tagged(&words, tag));
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
        return Some(Output {
            text,
            ..Output::default()
        });
    }
    let block = block_of(&record, "tool_use_id", id)?;
    let answer = Answer::of(block, record.result).ok()?;
    let file = answer.has("persistedOutputPath").and_then(Raw::text);
    let streams = ["stdout", "stderr"].map(|key| answer.has(key));
    let texts: Vec<(String, bool)> = if streams.iter().any(Option::is_some) {
        let texts = streams.into_iter().flatten();
        texts
            .filter_map(|text| text.text_ends(MAX_OUTPUT))
            .collect()
    } else {
        let content = block.get("content")?;
        match content.text_ends(MAX_OUTPUT) {
            Some(text) => vec![text],
            None => vec![(readable(content), false)],
        }
    };
    let is_cut = texts.iter().any(|(_, is_cut)| *is_cut) || file.is_some();
    let text = texts.into_iter().map(|(text, _)| text).collect::<Vec<_>>();
    Some(Output {
        text: text.join("\n"),
        is_cut,
        file: file.map(Cow::into_owned),
    })
}

pub(in crate::session) fn edits(call: &[u8], answer: Option<&[u8]>, id: &str) -> Vec<Replacement> {
    replacements(call, answer, id).unwrap_or_default()
}

fn replacements(call: &[u8], answer: Option<&[u8]>, id: &str) -> Option<Vec<Replacement>> {
    let mut sink = Sink::default();
    let record = Record::read(Raw::record(call).ok()?, &mut sink).ok()?;
    let input = block_of(&record, "id", id)?.get("input")?;
    let text = |value: Raw<'_>, key: &str| Some(value.get(key)?.text()?.into_owned());
    let pair = |value: Raw<'_>| {
        Some(Replacement {
            old: Some(text(value, "old_string")?),
            new: text(value, "new_string")?,
        })
    };
    if let Some(one) = pair(input) {
        return Some(vec![one]);
    }
    if let Some(many) = input.get("edits") {
        return Some(many.elements().filter_map(pair).collect());
    }
    let new = text(input, "content").or_else(|| text(input, "new_source"))?;
    let before = answer.and_then(|line| {
        let result = Raw::record(line).ok()?.get("toolUseResult")?;
        if result.get("type").is_some_and(|kind| kind.is("create")) {
            return Some(String::new());
        }
        text(result, "originalFile")
    });
    Some(vec![Replacement { old: before, new }])
}
