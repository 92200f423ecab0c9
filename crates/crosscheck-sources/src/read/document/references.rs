//! Numbered lists of sources: `[1]` in the text, and what stands behind it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::identifier::identifiers_in;
use super::{Lines, Mention, ReadOptions, Spans, sentence_at};
use crate::read::urls::urls_in;

static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:#{1,6}\s*|\*\*|__)?(references|sources|bibliography|works cited)\s*:?\s*(?:\*\*|__|#*)?\s*:?\s*$").ok()
});
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-*+]\s+)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])\s*(.*)$").ok()
});
static MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[\^?(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]").ok());

/// One entry of a list of sources.
pub(super) struct Item {
    number: usize,
    /// Where the line stands in the text.
    pub(super) range: Range<usize>,
    url: String,
    url_at: usize,
    title: Option<String>,
}

/// Finds lists of sources: numbered lines under a heading, and lines that
/// begin with `[1]` and hold a URL anywhere.
pub(super) fn items(text: &str, options: ReadOptions) -> Vec<Item> {
    let mut found = Vec::new();
    let (mut offset, mut under_heading) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let bare = line.trim_end();
        if is_heading(bare) {
            under_heading = true;
            continue;
        }
        if under_heading && bare.trim_start().starts_with('#') {
            under_heading = false;
        }
        if let Some(item) = item(bare, start, under_heading, options) {
            found.push(item);
        }
    }
    found
}

fn is_heading(line: &str) -> bool {
    HEADING
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(line))
}

fn item(line: &str, start: usize, under_heading: bool, options: ReadOptions) -> Option<Item> {
    let parts = ITEM.as_ref()?.captures(line)?;
    let bracketed = parts.get(1);
    if bracketed.is_none() && !under_heading {
        return None; // an ordinary numbered list
    }
    let number = bracketed.or_else(|| parts.get(2))?.as_str().parse().ok()?;
    let rest = parts.get(3)?;
    let (range, url) = first_url(rest.as_str(), options)?;
    let url_at = start + rest.start() + range.start;
    let title = rest
        .as_str()
        .get(..range.start)
        .map(|title| {
            title.trim_matches([
                ' ', '-', '—', '–', ':', '<', '(', '[', ']', '.', '"', '*', '_',
            ])
        })
        .map(str::to_owned);
    Some(Item {
        number,
        range: start..start + line.len(),
        url,
        url_at,
        title: title.filter(|title| !title.is_empty()),
    })
}

fn first_url(text: &str, options: ReadOptions) -> Option<(Range<usize>, String)> {
    if let Some(range) = urls_in(text).into_iter().next() {
        return Some((range.clone(), text.get(range)?.to_owned()));
    }
    identifiers_in(text)
        .into_iter()
        .next()
        .filter(|_| options.identifiers)
}

/// The uses of the marks in the text, one mention for each, placed where the
/// mark stands; entries nobody uses are placed where they stand and bound to
/// nothing.
pub(super) fn cited(
    text: &str,
    items: &[Item],
    listed: &Spans,
    blocks: &Spans,
    lines: &Lines,
) -> Vec<Mention> {
    let mut by_number: HashMap<usize, &Item> = HashMap::new();
    for item in items {
        by_number.entry(item.number).or_insert(item);
    }
    let mut found = Vec::new();
    let mut used: HashSet<usize> = HashSet::new();
    for block in &blocks.0 {
        let Some(block_text) = text.get(block.clone()) else {
            continue;
        };
        for (mark, numbers) in marks(block_text) {
            let offset = block.start + mark.start;
            let whole = offset..block.start + mark.end;
            // The list's own number, or a mark that a smaller block has.
            if listed.covers(offset) || blocks.around(&whole) != Some(block) {
                continue;
            }
            for number in numbers {
                let Some(item) = by_number.get(&number) else {
                    continue;
                };
                used.insert(number);
                let (line, column) = lines.place(text, offset);
                let claim = sentence_at(block_text, &mark);
                found.push(Mention {
                    url: item.url.clone(),
                    line,
                    column,
                    claim,
                    title: item.title.clone(),
                });
            }
        }
    }
    for item in items.iter().filter(|item| !used.contains(&item.number)) {
        let (line, column) = lines.place(text, item.url_at);
        found.push(Mention {
            url: item.url.clone(),
            line,
            column,
            claim: None,
            title: item.title.clone(),
        });
    }
    found
}

fn marks(text: &str) -> Vec<(Range<usize>, Vec<usize>)> {
    let Some(pattern) = MARK.as_ref() else {
        return Vec::new();
    };
    pattern
        .captures_iter(text)
        .filter_map(|mark| {
            let whole = mark.get(0)?;
            let after = text.get(whole.end()..).unwrap_or_default();
            if after.starts_with(['(', ':']) {
                return None; // a link or a definition
            }
            let mut numbers = Vec::new();
            for part in mark.get(1)?.as_str().split([',', ';']) {
                let mut ends = part
                    .split(['-', '–'])
                    .filter_map(|end| end.trim().parse::<usize>().ok());
                if let Some(first) = ends.next() {
                    let last = ends.next().unwrap_or(first).min(first + 100);
                    numbers.extend(first..=last.max(first));
                }
            }
            Some((whole.range(), numbers))
        })
        .collect()
}
