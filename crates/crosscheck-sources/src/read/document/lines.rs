//! Lines, and the blocks they form in formats that are written line by line.

use std::ops::Range;

use super::spans::Spans;
use super::tree::BlockKind;
use crate::pattern::pattern;

pattern! {
    ITEM, r"^\s*(?:[-+•]|\*{1,5}|\.{1,5}|#\.|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\\item(?:\[[^\]]*\])?)(?:\s|$)"
}

/// The lines of a text without their ends.
pub(super) fn physical(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        start..start + line.trim_end().len()
    })
}

/// How far a line is set in.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Paragraphs and items of lists: runs of lines between blank lines, and from
/// the sign of one item to the next. Lines that `skip` covers belong to none.
pub(super) fn blocks(text: &str, skip: &Spans) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in physical(text) {
        let words = text.get(line.clone()).unwrap_or_default();
        let first = line.start + indent(words);
        if words.trim().is_empty() || skip.covers(first) {
            open = false;
            continue;
        }
        if is_frame(words) {
            open = false;
            continue;
        }
        let is_item = ITEM.is_match(words);
        let is_new = is_item || names_speaker(words);
        match found.last_mut().filter(|_| open && !is_new) {
            Some(last) => last.end = line.end,
            None => found.push(line),
        }
        open = !introduces_quotation(words);
    }
    found
}

/// Whether a line only begins or ends a quotation, as in AsciiDoc.
fn is_frame(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 4 && line.bytes().all(|byte| byte == b'_')
}

/// Whether a line says who is quoted below it, as in AsciiDoc: `[quote, name, source]`.
pub(super) fn introduces_quotation(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("[quote,") || line.starts_with("[verse,")
}

/// Whether a line says who is quoted above it: `-- name`.
fn names_speaker(line: &str) -> bool {
    let line = line.trim_start();
    ["-- ", "— ", "― "]
        .iter()
        .any(|dash| line.starts_with(dash))
}

/// Items with what is set in below them, and in reStructuredText quotations: paragraphs
/// that are set in by themselves. Items of AsciiDoc are as deep as they have signs.
pub(super) fn holders(
    text: &str,
    blocks: &[Range<usize>],
    is_rst: bool,
) -> Vec<(Range<usize>, BlockKind)> {
    let mut found = Vec::new();
    // depth, start and kind of what is open
    let mut open: Vec<(usize, usize, BlockKind)> = Vec::new();
    let mut end = 0;
    let mut is_introduced = false;
    for block in blocks {
        let words = text.get(block.clone()).unwrap_or_default();
        let sign = ITEM.find(words);
        let sign = sign.map_or("", |sign| sign.as_str().trim());
        let is_nested = sign.len() > 1 && sign.bytes().all(|byte| matches!(byte, b'*' | b'.'));
        let depth = indent(words) + if is_nested { sign.len() } else { 0 };
        let is_item = !sign.is_empty();
        let is_open = |kind: BlockKind, own: usize| match kind {
            BlockKind::Quotation => depth >= own && depth > 0,
            _ => depth > own,
        };
        while let Some((_, start, kind)) = open.pop_if(|(own, _, kind)| !is_open(*kind, *own)) {
            found.push((start..end, kind));
        }
        if is_item {
            open.push((depth, block.start, BlockKind::Item));
        } else if is_rst && depth > 0 && open.is_empty() {
            open.push((depth, block.start, BlockKind::Quotation));
        }
        found.extend(is_introduced.then(|| (block.clone(), BlockKind::Quotation)));
        is_introduced = introduces_quotation(words);
        end = block.end;
    }
    found.extend(open.into_iter().map(|(_, start, kind)| (start..end, kind)));
    found
}
