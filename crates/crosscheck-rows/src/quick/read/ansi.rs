//! L1b: colour codes out of the way.
//!
//! Deletes every match of `/\u001b\[[\d;?]*[\s-/]*[@-~]/g`. The second class
//! is white space, hyphen and slash. The three classes share no character, so
//! a plain forward scan finds what a backtracking matcher finds.

use std::borrow::Cow;

use crosscheck_core::text::is_ecma_space;

pub(super) fn strip(text: &str) -> Cow<'_, str> {
    if !text.contains("\u{1b}[") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, sequence) = rest.split_at(at);
        kept.push_str(before);
        if let Some(len) = sequence_len(sequence) {
            rest = sequence.get(len..).unwrap_or_default();
        } else {
            kept.push('\u{1b}');
            rest = sequence.get(1..).unwrap_or_default();
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// The length of the sequence that starts this text with `ESC [`, if it is one.
fn sequence_len(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\u{1b}[")?;
    let body = body.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';' || c == '?');
    let body = body.trim_start_matches(|c: char| is_ecma_space(c) || c == '-' || c == '/');
    let last = body.chars().next().filter(|c| ('@'..='~').contains(c))?;
    Some(text.len() - body.len() + last.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn sequences_vanish_and_everything_else_stays() {
        let table = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[?25l{\u{1b}[1;2 -/H}", "{}"),
            ("\u{1b}[\n{\"a\":1}", "\"a\":1}"),
            ("\u{1b}[31", "\u{1b}[31"),
            ("\u{1b}[\u{1b}[m", "\u{1b}["),
            ("\u{1b}]0;title\u{7}", "\u{1b}]0;title\u{7}"),
            ("\u{1b}[!m", "\u{1b}[!m"),
            ("plain", "plain"),
        ];
        for (text, expected) in table {
            assert_eq!(strip(text), expected, "{text:?}");
        }
    }
}
