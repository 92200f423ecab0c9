//! Block quotations with a line that says whose they are: `— [Name](https://…)`.
//! Such a link is cited for the words above it.

use std::ops::Range;

use super::structure::{Link, Seen};
use super::tables::Said;

/// So much may stand beside the link on its line, in bytes.
const BESIDE_MAX: usize = 80;
/// A quotation has at most so many lines.
const LINES_MAX: usize = 40;

/// What is quoted above the line of a link, where that line only names a source.
pub(super) fn said(text: &str, seen: &Seen, link: &Link) -> Option<Said> {
    let start = line_of(text, link)?;
    let quoted = above(text.get(..start)?)?;
    let words = seen.read(text, &quoted);
    let words = words.trim_matches(['>', ' ', '\n', '"']);
    // people set off their own words in such a block, too, so it is no quotation by itself
    words.contains(' ').then(|| Said {
        claim: words.to_owned(),
        whole: None,
        is_named: false,
    })
}

/// Where the line of a link begins, if a dash and the link are all it has.
fn line_of(text: &str, link: &Link) -> Option<usize> {
    let from = text.floor_char_boundary(link.range.start.saturating_sub(BESIDE_MAX));
    let head = text.get(from..link.range.start)?;
    let start = match head.rfind('\n') {
        Some(at) => from + at + 1,
        None if from == 0 => 0,
        None => return None,
    };
    let sign = text.get(start..link.range.start)?;
    let sign = sign.trim_start_matches(['>', ' ', '\t', '*', '_']);
    let signs = ["—", "–", "―", "--", "- "];
    let words = signs.iter().find_map(|dash| sign.strip_prefix(dash))?;
    let to = text.floor_char_boundary((link.range.end + BESIDE_MAX).min(text.len()));
    let tail = text.get(link.range.end..to)?;
    let ends = to == text.len() || tail.contains('\n');
    let behind = tail.lines().next().unwrap_or_default();
    // an item of a list begins with a sign of that kind, too
    let most = if sign.starts_with("- ") { 0 } else { 8 };
    let says_more = words.split_whitespace().count() > 4
        || behind
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .count()
            > most;
    (ends && !says_more).then_some(start)
}

/// The lines with `>` that end a text, with at most one blank line behind them.
fn above(text: &str) -> Option<Range<usize>> {
    let words = text.trim_end_matches(['\n', '\r', ' ', '\t', '>']);
    let gap = text.get(words.len()..)?;
    if gap.matches('\n').count() > 2 {
        return None;
    }
    let mut start = words.len();
    for _ in 0..LINES_MAX {
        // behind a blank line another quotation ends
        let head = words.get(..start)?;
        let head = head.strip_suffix('\n').unwrap_or(head);
        let begin = head.rfind('\n').map_or(0, |at| at + 1);
        let row = head.get(begin..)?.trim_start();
        if !row.starts_with('>') || row.trim_matches(['>', ' ', '\t']).is_empty() {
            break;
        }
        start = begin;
    }
    (start < words.len()).then_some(start..words.len())
}
