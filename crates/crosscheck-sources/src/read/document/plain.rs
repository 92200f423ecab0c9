//! Plain text: bare URLs, identifiers, numbered lists of sources.

use std::ops::Range;

use super::identifier::identifiers_in;
use super::references::{cited, items};
use super::{Lines, Mention, ReadOptions, Spans, sentence_at};
use crate::read::urls::urls_in;

/// The citations of a text.
pub(super) fn mentions(text: &str, options: ReadOptions) -> Vec<Mention> {
    let lines = Lines::of(text);
    let list = items(text, options);
    let listed = Spans::new(list.iter().map(|item| item.range.clone()).collect());
    let blocks = Spans::new(paragraphs(text));
    let mut found = cited(text, &list, &listed, &blocks, &lines);
    bare(
        text,
        &blocks,
        options,
        &lines,
        |offset| listed.covers(offset),
        &mut found,
    );
    found
}

/// Bare URLs and identifiers of all blocks, except where `taken` says so.
pub(super) fn bare(
    text: &str,
    blocks: &Spans,
    options: ReadOptions,
    lines: &Lines,
    taken: impl Fn(usize) -> bool,
    found: &mut Vec<Mention>,
) {
    for block in &blocks.0 {
        let Some(block_text) = text.get(block.clone()) else {
            continue;
        };
        for (range, url) in places(block_text, options) {
            let whole = block.start + range.start..block.start + range.end;
            if taken(whole.start) || blocks.around(&whole) != Some(block) {
                continue; // a smaller block has it
            }
            let (line, column) = lines.place(text, whole.start);
            found.push(Mention {
                url,
                line,
                column,
                claim: sentence_at(block_text, &range),
                title: None,
            });
        }
    }
}

fn places(text: &str, options: ReadOptions) -> Vec<(Range<usize>, String)> {
    let urls = urls_in(text);
    let mut places: Vec<(Range<usize>, String)> = urls
        .iter()
        .filter_map(|range| Some((range.clone(), text.get(range.clone())?.to_owned())))
        .collect();
    if options.identifiers {
        let outside = |range: &Range<usize>| {
            !urls
                .iter()
                .any(|url| url.start <= range.start && range.start < url.end)
        };
        places.extend(
            identifiers_in(text)
                .into_iter()
                .filter(|(range, _)| outside(range)),
        );
    }
    places
}

/// Runs of lines between blank lines.
pub(super) fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut offset, mut open) = (0, false);
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        offset = range.end;
        if line.trim().is_empty() {
            open = false;
        } else if let Some(last) = found.last_mut().filter(|_| open) {
            last.end = range.end;
        } else {
            found.push(range);
            open = true;
        }
    }
    found
}
