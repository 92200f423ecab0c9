//! Foreign text, made fit to be shown.

use crosscheck_core::text::steers_terminal;
use crosscheck_fetch::address::shown;

/// One line: control characters and marks that reorder text become spaces,
/// runs of white space one.
pub fn one_line(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_done = bytes.iter().all(|byte| (0x20..0x7F).contains(byte))
        && !bytes.windows(2).any(|pair| pair == b"  ")
        && !text.starts_with(' ')
        && !text.ends_with(' ');
    if is_done {
        return text.to_owned(); // most texts, and a document can have many
    }
    let plain: String = text
        .chars()
        .map(|c| if is_control(c) { ' ' } else { c })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A cited text as it is shown: secrets hidden, nothing in it that could begin another line.
pub fn shown_url(cited: &str) -> String {
    let shown = shown(cited);
    if shown.bytes().all(|byte| (0x20..0x7F).contains(&byte)) {
        return shown; // almost every URL
    }
    without_control(&shown)
}

/// Without control characters and marks that reorder text.
pub fn without_control(text: &str) -> String {
    text.chars().filter(|c| !is_control(*c)).collect()
}

/// Control characters, and those that make a line read as another.
fn is_control(c: char) -> bool {
    c.is_control() || steers_terminal(c) || c == '\u{FEFF}'
}

/// At most this many characters, cut at a word where one is near.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    let end = head
        .rfind(' ')
        .filter(|end| *end > head.len() / 2)
        .unwrap_or(head.len());
    format!("{}…", head.get(..end).unwrap_or(&head).trim_end())
}

/// Without a final full stop.
pub fn without_stop(text: &str) -> &str {
    text.trim_end().trim_end_matches('.').trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_text_becomes_one_harmless_line() {
        assert_eq!(one_line("a\u{1b}[31m\n b\t\u{202e}c"), "a [31m b c");
        assert_eq!(cut("one two three", 100), "one two three");
        assert_eq!(cut("one two three four", 10), "one two…");
        assert!(cut(&"x".repeat(500), 200).chars().count() <= 200);
        assert_eq!(without_stop("Done. "), "Done");
        assert_eq!(
            shown_url("http://u:p@a.example/\r\nVERIFIED: seq 1\u{2028}"),
            "http://***@a.example/VERIFIED: seq 1"
        );
    }
}
