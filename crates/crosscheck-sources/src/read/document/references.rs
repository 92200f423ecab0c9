//! Numbered lists of sources: `[1]` in the text, and what stands behind it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::ReadOptions;
use super::claims::Found;
use super::plain::places;
use super::spans::Spans;

static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:#{1,6}\s*|\*\*|__)?(references|sources|bibliography|works cited)\s*:?\s*(?:\*\*|__|#*)?\s*:?\s*$").ok()
});
static ITEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[-*+]\s+)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)]|([-*+]))(\s.*|)$").ok()
});
static MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[\^?(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]").ok());

/// One entry of a list of sources.
pub(super) struct Item {
    /// Entries without a number are never cited.
    number: Option<usize>,
    /// Where its lines stand in the text.
    range: Range<usize>,
    urls: Vec<(usize, String)>,
    title: Option<String>,
}

/// Whether an entry has this number.
pub(super) fn has(items: &[Item], number: &str) -> bool {
    let number = number.trim_matches(['[', ']', '^', ' ']).parse().ok();
    number.is_some() && items.iter().any(|item| item.number == number)
}

/// The places of these entries.
pub(super) fn spans(items: &[Item]) -> Spans {
    Spans::new(items.iter().map(|item| item.range.clone()).collect())
}

/// Finds lists of sources: entries under a heading, and lines that begin with
/// `[1]` and hold a URL anywhere. Lines that `skip` names are none.
pub(super) fn items(text: &str, options: ReadOptions, skip: impl Fn(usize) -> bool) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let (mut offset, mut under_heading, mut open) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let bare = line.trim_end();
        if bare.is_empty() || skip(start + line.len() - line.trim_start().len()) {
            open = false;
        } else if is_heading(bare) || bare.starts_with('#') {
            under_heading = is_heading(bare);
            open = false;
        } else if let Some(item) = item(bare, start, under_heading) {
            found.push(item);
            open = true;
        } else if let Some(last) = found.last_mut().filter(|_| open) {
            // The entry goes on: in a list of sources, or where the line is set in.
            open = under_heading || bare.starts_with([' ', '\t']);
            if open {
                last.range.end = start + bare.len();
            }
        }
    }
    for item in &mut found {
        item.look(text, options);
    }
    found.retain(|item| !item.urls.is_empty());
    found
}

fn is_heading(line: &str) -> bool {
    HEADING
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(line))
}

fn item(line: &str, start: usize, under_heading: bool) -> Option<Item> {
    let parts = ITEM.as_ref()?.captures(line)?;
    if parts.get(1).is_none() && !under_heading {
        return None; // an ordinary list
    }
    let number = parts.get(1).or_else(|| parts.get(2));
    Some(Item {
        number: number.and_then(|number| number.as_str().parse().ok()),
        range: start..start + line.len(),
        urls: Vec::new(),
        title: None,
    })
}

impl Item {
    fn look(&mut self, text: &str, options: ReadOptions) {
        let own = text.get(self.range.clone()).unwrap_or_default();
        let found = places(own, options);
        let first = found.first().map_or(0, |(range, _)| range.start);
        self.title = own.get(..first).and_then(title);
        let placed = found.into_iter();
        self.urls = placed
            .map(|(range, url)| (self.range.start + range.start, url))
            .collect();
    }
}

/// What stands between the number of an entry and its URL.
fn title(head: &str) -> Option<String> {
    let line = head.lines().next().unwrap_or_default();
    let parts = ITEM.as_ref()?.captures(line)?;
    let title = parts.get(4)?.as_str().trim_matches([
        ' ', '\t', '-', '—', '–', ':', '<', '(', '[', ']', '.', '"', '*', '_',
    ]);
    Some(title.to_owned()).filter(|title| !title.is_empty())
}

/// The uses of the marks in the text, one citation for each URL behind them,
/// placed where the mark stands; entries nobody uses are placed where they
/// stand and bound to nothing.
pub(super) fn cited(
    text: &str,
    items: &[Item],
    listed: &Spans,
    skip: impl Fn(usize) -> bool,
) -> Vec<Found> {
    let mut by_number: HashMap<usize, &Item> = HashMap::new();
    for item in items {
        if let Some(number) = item.number {
            by_number.entry(number).or_insert(item);
        }
    }
    let mut found = Vec::new();
    let mut used: HashSet<usize> = HashSet::new();
    if by_number.is_empty() {
        return unused(items, &used);
    }
    for (mark, numbers) in marks(text) {
        // The list's own number is no use of it.
        if listed.covers(mark.start) || skip(mark.start) {
            continue;
        }
        for number in numbers {
            let Some(item) = by_number.get(&number) else {
                continue;
            };
            used.insert(number);
            for (_, url) in &item.urls {
                found.push(Found {
                    title: item.title.clone(),
                    ..Found::new(text, &mark, url.clone())
                });
            }
        }
    }
    found.extend(unused(items, &used));
    found
}

fn unused(items: &[Item], used: &HashSet<usize>) -> Vec<Found> {
    let mut found = Vec::new();
    let is_used = |item: &&Item| item.number.is_some_and(|number| used.contains(&number));
    for item in items.iter().filter(|item| !is_used(item)) {
        for (at, url) in &item.urls {
            found.push(Found::unbound(*at, url.clone(), item.title.clone()));
        }
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
            let head = text.get(..whole.start()).unwrap_or_default();
            let begins_line = head
                .trim_end_matches([' ', '\t'])
                .chars()
                .next_back()
                .is_none_or(|c| c == '\n');
            if after.starts_with('(') || (after.starts_with(':') && begins_line) {
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
