//! A sentence without what only cites: marks, links, brackets that are empty.

use std::borrow::Cow;
use std::ops::Range;

use crosscheck_judge::builtin::collapse;

use super::is_month;
use crate::pattern::pattern;
use crate::read::document::numbers;

pattern! {
    MARK, r"\[\^?[0-9]{1,3}(?:\s*[,;-]\s*\^?[0-9]{1,3})*\]"
}
pattern! {
    /// `streets.[1] Next`, `streets. [1] Next` and `streets. (http://a/x) Next`:
    /// what cites is behind the full stop of its own sentence. Where the next
    /// word is small (`[1] shows`), the mark is a word of the next sentence.
    LATE_MARK, late_mark()
}
fn late_mark() -> String {
    let marks = r"(?:\[\^?[0-9]{1,3}(?:\s*[,;-]\s*\^?[0-9]{1,3})*\] ?)*\[\^?[0-9]{1,3}(?:\s*[,;-]\s*\^?[0-9]{1,3})*\]";
    let url = r"\(https?://[^\s()]+\)";
    let next = r#"\s+["'(]?[\p{Lu}\d]|\s*$"#;
    format!(r#"([.!?]+["')]*)(?:({marks})(\s|$)|[ ]+({marks}|{url})({next}))"#)
}
pattern! {
    /// A paragraph whose sentences begin with their marks, as lists of sources do.
    MARK_FIRST, r"^[\s>*+#-]*\[\^?\d"
}

/// Stands where a URL or mark was taken out.
pub(super) const GONE: &str = "\u{2}";
pattern! {
    IN_BRACKETS, r"\([^()]*(?:\([^()]*\))?[^()]*\)"
}
pattern! {
    /// Words of a link that only say that it is one.
    LINK_LABEL,
    {
        let word = "sources?|notes?|links?|here|references?|refs?|details|more|cited|archived?|website|page|article|report|study|paper|docs";
        format!(
            r"(?i)^(?:(?:see|via|the|read|full)\s+)*(?:{word})$"
        )
    }
}
pattern! {
    EMPTY_LINK, r"\]\(\s*\x02[\s\x02]*\)"
}
pattern! {
    EMPTY_BRACKETS,
    {
        let gone = r"[\s,;\x02]*\x02[\s,;\x02]*";
        format!(r#"\({gone}\)|\[{gone}\]|<{gone}>|"{gone}""#)
    }
}

/// The paragraph with each late mark before the full stop of its sentence.
pub(super) fn with_early_marks(paragraph: &str) -> Cow<'_, str> {
    let is_citing = paragraph.contains('[') || paragraph.contains("(http");
    if is_citing && !MARK_FIRST.is_match(paragraph) {
        LATE_MARK.replace_all(paragraph, " $2$4$1$3$5")
    } else {
        Cow::Borrowed(paragraph)
    }
}

pub(super) fn without_marks(text: &str) -> (String, Vec<usize>) {
    if !text.contains('[') {
        return (text.to_owned(), Vec::new());
    }
    let marks = MARK.find_iter(text).flat_map(|mark| numbers(mark.as_str()));
    let marks = marks.collect();
    (MARK.replace_all(text, GONE).into_owned(), marks)
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
pub(super) fn tidy(text: &str) -> String {
    if !text.contains(GONE) {
        return collapse(text).trim().to_owned(); // every form below has such a place in it
    }
    let text = IN_BRACKETS.replace_all(text, |found: &regex::Captures<'_>| {
        let found = found.get(0).map_or("", |found| found.as_str());
        if is_link_label(found) { GONE } else { found }.to_owned()
    });
    let text = text.into_owned();
    let mut text = if text.contains("](") {
        without_links(&text)
    } else {
        text
    };
    if text.contains(['(', '[', '<', '"']) {
        text = EMPTY_BRACKETS.replace_all(&text, GONE).into_owned();
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
        let is_opened = words.ends_with(['(', '[']);
        let after = if is_opened {
            after.trim_start_matches([',', ';', ' '])
        } else {
            after
        };
        let is_before_mark = after.starts_with(['.', ',', ';', '!', '?', ')']);
        if is_before_mark || is_opened {
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
    brackets.contains(GONE) && LINK_LABEL.is_match(words.trim())
}

/// Removes what is left of links: `](` and `)` around a gone place, and the `[` before them.
fn without_links(text: &str) -> String {
    let mut gone: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut cursor = 0;
    for link in EMPTY_LINK.find_iter(text) {
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
