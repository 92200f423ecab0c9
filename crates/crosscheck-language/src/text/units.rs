//! Cuts a text into units (judge T7): lines of code and data, sentences of
//! prose.

use std::ops::Range;

use super::chars::is_unspaced;
use super::plain::{is_tidy, next_of};
use super::rewritten::Rewritten;
use crate::lexicon::LEXICON;

/// The sentences of a normal text, also if it does not read like prose.
pub fn sentences(text: &str) -> Vec<String> {
    let (flat, blocks) = blocks(text);
    let text = flat.as_ref().map_or(text, |flat| &flat.text);
    let mut found = Vec::new();
    for block in blocks {
        cut_sentences(text, block, &mut found);
    }
    let piece = |range| text.get(range).map(str::to_owned);
    found.into_iter().filter_map(piece).collect()
}

/// Lines without blanks at their ends, empty ones left out.
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    raw_lines(text).filter_map(|line| trimmed(text, line))
}

fn raw_lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        start..start + line.len()
    })
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let piece = text.get(range.clone())?;
    let start = range.start + (piece.len() - piece.trim_start().len());
    let len = piece.trim().len();
    (len > 0).then_some(start..start + len)
}

/// Paragraphs, list items, headings and table rows, collapsed: their text, if
/// it differs, and their ranges.
pub fn blocks(text: &str) -> (Option<Rewritten>, Vec<Range<usize>>) {
    let found = raw_blocks(text);
    if found
        .iter()
        .all(|block| is_tidy(text.get(block.clone()).unwrap_or_default()))
    {
        return (None, found);
    }
    let mut out = Rewritten::with_capacity(text.len());
    let made = found
        .into_iter()
        .map(|block| {
            out.replace(block.start, "\n");
            let start = out.text.len();
            collapse_block(text, block, &mut out);
            start..out.text.len()
        })
        .collect();
    (Some(out), made)
}

fn raw_blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in raw_lines(text) {
        let Some(line) = trimmed(text, line) else {
            open = false;
            continue;
        };
        let piece = text.get(line.clone()).unwrap_or_default();
        match found.last_mut() {
            Some(last) if open && !begins_block(piece) => last.end = line.end,
            _ => found.push(line),
        }
        open = true;
    }
    found
}

fn begins_block(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", "#", "|"]
        .iter()
        .any(|mark| line.starts_with(mark))
        || (after_number.len() < line.len() && after_number.starts_with(['.', ')']))
            && after_number
                .get(1..)
                .is_some_and(|tail| tail.is_empty() || tail.starts_with(' '))
}

fn collapse_block(text: &str, block: Range<usize>, out: &mut Rewritten) {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\n');
    let bytes = text.as_bytes().get(..block.end).unwrap_or_default();
    let mut at = block.start;
    while at < block.end {
        let end = next_of(bytes, at, is_blank).unwrap_or(block.end);
        out.copy(at, text.get(at..end).unwrap_or_default());
        let tail = bytes.get(end..).unwrap_or_default();
        let blanks = tail.iter().take_while(|byte| is_blank(**byte)).count();
        match tail.first() {
            Some(b' ') if blanks == 1 => out.copy(end, " "),
            Some(_) => out.replace(end, " "),
            None => {}
        }
        at = end + blanks;
    }
}

/// Adds the sentences of a collapsed block.
pub fn cut_sentences(text: &str, block: Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = text.get(block.clone()).unwrap_or_default();
    let bytes = piece.as_bytes();
    // The last two are the first bytes of `。` and of `！` and `？`.
    let may_end = |byte: u8| matches!(byte, b'.' | b'!' | b'?' | 0xE3 | 0xEF);
    let (mut start, mut from) = (0, 0);
    while let Some(at) = next_of(bytes, from, may_end) {
        let tail = piece.get(at..).unwrap_or_default();
        let end = if tail.starts_with(['。', '！', '？']) {
            from = at + '。'.len_utf8();
            Some(from)
        } else if tail.starts_with(['.', '!', '?']) {
            let after = tail.trim_start_matches(['.', '!', '?']);
            from = piece.len() - after.len();
            let dot = from == at + 1 && tail.starts_with('.');
            let before = piece.get(start..at).unwrap_or_default();
            end_of_sentence(after, dot)
                .filter(|_| !(dot && is_no_end(before)))
                .map(|closing| from + closing)
        } else {
            from = at + 1;
            None
        };
        if let Some(end) = end {
            found.extend(trimmed(text, block.start + start..block.start + end));
            start = end;
        }
    }
    found.extend(trimmed(text, block.start + start..block.end));
}

/// How many bytes of closing marks still belong to the sentence, if one ends here.
fn end_of_sentence(tail: &str, dot: bool) -> Option<usize> {
    if !dot && tail.chars().next().is_some_and(is_unspaced) {
        return Some(0); // `！` and `？`, which the normal form spells `!` and `?`
    }
    let open = tail.trim_start_matches(['"', '\'', ')', ']', '}']);
    let next = open.trim_start();
    if next.len() == open.len() {
        return None;
    }
    let next = next
        .strip_prefix(['"', '\'', '(', '[', '{'])
        .unwrap_or(next);
    let first = next.chars().next()?;
    (first.is_uppercase() || first.is_numeric()).then_some(tail.len() - open.len())
}

/// Whether a dot after this beginning belongs to an abbreviation or a number.
fn is_no_end(before: &str) -> bool {
    let whole = before.trim();
    if (1..=2).contains(&whole.len()) && whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let word = whole
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .trim_start_matches(['"', '\'', '(', '[', '{']);
    let mut letters = word.chars();
    let single = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    single || LEXICON.is_abbreviation(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_code_are_units() {
        let text = "  a = 1\n\n\tb = 2  \n";
        let found: Vec<_> = lines(text).filter_map(|unit| text.get(unit)).collect();
        assert_eq!(found, ["a = 1", "b = 2"]);
    }

    #[test]
    fn sentences_end_where_a_reader_would_end_them() {
        let table: &[(&str, &[&str])] = &[
            (
                "One is here. Two is\n  there! 3 is gone",
                &["One is here.", "Two is there!", "3 is gone"],
            ),
            (
                "He said \"stop.\" (Then he left.) And so on...",
                &["He said \"stop.\"", "(Then he left.)", "And so on..."],
            ),
            (
                "See Fig. 3 by J. Smith et al. In the U.S. Army, e.g. Bob.",
                &["See Fig. 3 by J. Smith et al. In the U.S. Army, e.g. Bob."],
            ),
            (
                "1. First point. Second point",
                &["1. First point.", "Second point"],
            ),
            (
                "para one\n\npara two\n- item a\n- item b\n2) item c\n# Head",
                &[
                    "para one",
                    "para two",
                    "- item a",
                    "- item b",
                    "2) item c",
                    "# Head",
                ],
            ),
            ("v1.2 is out. it is small", &["v1.2 is out. it is small"]),
            (
                "日志。错误！超时?重试",
                &["日志。", "错误！", "超时?", "重试"],
            ),
            ("", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(sentences(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_sentence_over_two_lines_leads_back_to_both() {
        let text = "intro\n\nOne is\n   here  now. Two.";
        let (flat, blocks) = blocks(text);
        let flat = flat.unwrap();
        let mut found = Vec::new();
        for block in blocks {
            cut_sentences(&flat.text, block, &mut found);
        }
        let back: Vec<_> = found
            .iter()
            .map(|unit| text.get(flat.start(unit.start)..flat.end(unit.end, text.len())))
            .collect();
        assert_eq!(
            back,
            [Some("intro"), Some("One is\n   here  now."), Some("Two.")]
        );
    }
}
