//! Lines, and the blocks they form in formats that are written line by line.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::spans::Spans;

static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-+•]|\*{1,5}|\.{1,5}|#\.|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\\item(?:\[[^\]]*\])?)(?:\s|$)").ok()
});

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
        let is_item = ITEM.as_ref().is_some_and(|item| item.is_match(words));
        match found.last_mut().filter(|_| open && !is_item) {
            Some(last) => last.end = line.end,
            None => found.push(line),
        }
        open = true;
    }
    found
}
