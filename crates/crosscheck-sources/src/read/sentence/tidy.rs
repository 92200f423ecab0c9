//! A sentence without what only cites: marks, links, brackets that are empty.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use crosscheck_judge::builtin::collapse;
use regex::Regex;

use super::is_month;

static MARK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[\^?[0-9]{1,3}(?:\s*[,;-]\s*\^?[0-9]{1,3})*\x01*\]").ok());
/// `streets.[1] Next`, `streets. [1] Next` and `streets. (http://a/x) Next`:
/// what cites is behind the full stop of its own sentence. Where the next
/// word is small (`[1] shows`), the mark is a word of the next sentence.
static LATE_MARK: LazyLock<Option<Regex>> = LazyLock::new(|| late_mark(""));
/// The same where a line may end between the full stop and the mark.
static LATE_WRAPPED: LazyLock<Option<Regex>> = LazyLock::new(|| late_mark(r"\n"));

fn late_mark(line: &str) -> Option<Regex> {
    let marks = r"(?:\[\^?[0-9]{1,3}(?:\s*[,;-]\s*\^?[0-9]{1,3})*\x01*\] ?)*\[\^?[0-9]{1,3}(?:\s*[,;-]\s*\^?[0-9]{1,3})*\x01*\]";
    let url = r"\(https?://[^\s()]+\)";
    let next = r#"\s+["'(]?[\p{Lu}\d]|\s*$"#;
    Regex::new(&format!(
        r#"([.!?]+["')]*)(?:({marks})(\s|$)|[ {line}]+({marks}|{url})({next}))"#
    ))
    .ok()
}
/// A mark that ends a paragraph, behind its last full stop.
static MARK_LAST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"[.!?]["')]*\s*(?:\[\^?[0-9, ;-]+\x01*\]\s*)+$"#).ok());
/// A paragraph whose sentences begin with their marks, as lists of sources do.
static MARK_FIRST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[\s>*+#-]*\[\^?\d").ok());

/// Stands where a URL or mark was taken out.
pub(crate) const GONE: &str = "\u{2}";
static IN_BRACKETS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\([^()]*(?:\([^()]*\))?[^()]*\)").ok());
/// Words of a link that only say that it is one.
static LINK_LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let word = "sources?|notes?|links?|here|references?|refs?|details|more|cited|archived?|website|page|article|report|study|paper|docs";
    Regex::new(&format!(
        r"(?i)^(?:(?:see|via|the|read|full)\s+)*(?:{word})$"
    ))
    .ok()
});
static EMPTY_LINK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\]\(\s*\x02[\s\x02]*\)").ok());
static EMPTY_BRACKETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let gone = r"[\s,;\x02]*\x02[\s,;\x02]*";
    Regex::new(&format!(r#"\({gone}\)|\[{gone}\]|<{gone}>|"{gone}""#)).ok()
});

/// The paragraph with each late mark before the full stop of its sentence.
pub(super) fn with_early_marks(paragraph: &str) -> Cow<'_, str> {
    let is_citing = paragraph.contains('[') || paragraph.contains("(http");
    let begins = |first: &Regex| first.is_match(paragraph);
    // where the last mark is behind its full stop, so are those that begin a line
    let is_wrapped = MARK_LAST
        .as_ref()
        .is_some_and(|last| last.is_match(paragraph));
    let late = if is_wrapped {
        &LATE_WRAPPED
    } else {
        &LATE_MARK
    };
    match (late.as_ref(), MARK_FIRST.as_ref()) {
        (Some(late), Some(first)) if is_citing && !begins(first) => {
            late.replace_all(paragraph, " $2$4$1$3$5")
        }
        _ => Cow::Borrowed(paragraph),
    }
}

pub(super) fn without_marks(text: &str) -> (String, Vec<usize>) {
    let Some(pattern) = MARK.as_ref().filter(|_| text.contains('[')) else {
        return (text.to_owned(), Vec::new());
    };
    let mut marks = Vec::new();
    for mark in pattern.find_iter(text) {
        let inner = mark.as_str().trim_matches(['[', ']']);
        for part in inner.split([',', ';']) {
            let mut ends = part
                .split('-')
                .filter_map(|number| number.trim().trim_start_matches('^').parse::<usize>().ok());
            if let Some(first) = ends.next() {
                let last = ends.next().unwrap_or(first).min(first + 100);
                marks.extend(first..=last.max(first));
            }
        }
    }
    (pattern.replace_all(text, GONE).into_owned(), marks)
}

/// `1. Trees` in a list says nothing about the number one.
pub(super) fn without_list_mark(text: &str) -> &str {
    let mut text = text.trim_start();
    while let Some(after) = text
        .trim_start_matches('#')
        .strip_prefix(' ')
        .filter(|_| text.starts_with('#'))
        .or_else(|| {
            ["- ", "* ", "+ ", "> "]
                .iter()
                .find_map(|mark| text.strip_prefix(mark))
        })
    {
        text = after.trim_start();
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    // `27. August 1961` is a day
    let is_day = |after: &str| {
        let word = after.trim_start().split(' ').next().unwrap_or_default();
        is_month(&word.to_lowercase())
    };
    match rest.strip_prefix(['.', ')']) {
        Some(after) if (1..=3).contains(&digits) && after.starts_with(' ') && !is_day(after) => {
            after.trim_start()
        }
        _ => text,
    }
}

/// Removes the places where something is gone, with what is left there of
/// brackets, links and blanks. Everywhere else the words stay as they are.
pub(crate) fn tidy(text: &str) -> String {
    if !text.contains(GONE) {
        return collapse(text).trim().to_owned(); // every form below has such a place in it
    }
    let text = match &*IN_BRACKETS {
        Some(brackets) if text.contains('(') => brackets
            .replace_all(text, |found: &regex::Captures<'_>| {
                let found = found.get(0).map_or("", |found| found.as_str());
                if is_link_label(found) { GONE } else { found }.to_owned()
            })
            .into_owned(),
        _ => text.to_owned(),
    };
    let mut text = if text.contains("](") {
        without_links(&text)
    } else {
        text
    };
    if let Some(brackets) = EMPTY_BRACKETS.as_ref()
        && text.contains(['(', '[', '<', '"'])
    {
        text = brackets.replace_all(&text, GONE).into_owned();
    }
    collapse(&closed_up(&text)).trim().to_owned()
}

/// Without the gone places, and without the blanks around those that are
/// before a mark of punctuation or behind an opening bracket.
fn closed_up(text: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || GONE.contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(GONE) {
        let (head, tail) = rest.split_at(at);
        let words = head.trim_end();
        let after = tail.trim_start_matches(is_gap);
        let (gap, _) = tail.split_at(tail.len() - after.len());
        let is_before_mark = after.starts_with(['.', ',', ';', '!', '?', ')']);
        if is_before_mark || words.ends_with('(') {
            out.push_str(words);
        } else {
            out.push_str(head);
            out.extend(gap.chars().filter(|c| !GONE.contains(*c)));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `([notes](URL))` without the URL: a link in brackets that says nothing but that it is one.
fn is_link_label(brackets: &str) -> bool {
    let marks = |c| matches!(c, '(' | ')' | '[' | ']');
    let words = brackets.replace(GONE, "").replace(marks, "");
    let label = LINK_LABEL.as_ref();
    brackets.contains(GONE) && label.is_some_and(|label| label.is_match(words.trim()))
}

/// Removes what is left of links: `](` and `)` around a gone place, and the `[` before them.
fn without_links(text: &str) -> String {
    let Some(empty) = EMPTY_LINK.as_ref() else {
        return text.to_owned();
    };
    let mut gone: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut cursor = 0;
    for link in empty.find_iter(text) {
        let head = text.get(cursor..link.start()).unwrap_or_default();
        open.extend(head.match_indices('[').map(|(at, _)| cursor + at));
        gone.extend(open.pop().map(|at| at..at + 1));
        gone.push(link.range());
        cursor = link.end();
    }
    gone.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut cursor = 0;
    for range in gone {
        out.push_str(text.get(cursor..range.start).unwrap_or_default());
        cursor = range.end;
    }
    out.push_str(text.get(cursor..).unwrap_or_default());
    out
}
