//! A line as a reader sees it: without emphasis, colours and characters that
//! have no width, with single spaces.

use std::borrow::Cow;

/// Verdict lines are short; the rest of a long line is not looked at.
const LONGEST: usize = 1000;

/// The readable text of a line. Code keeps its back-quotes, and what is struck
/// out is gone.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    let line = beginning(line);
    let bytes = line.as_bytes();
    let is_plain = bytes.is_ascii()
        && !bytes
            .iter()
            .any(|byte| matches!(byte, 0x1B | b'*' | b'_' | b'~' | b'&' | b'\t'))
        && !bytes.windows(2).any(|pair| pair == b"  ")
        && !bytes.windows(3).any(|three| three == b":x:");
    if is_plain {
        return Cow::Borrowed(line);
    }
    let line = without_struck(&without_colours(line));
    let line = [":x:", "&#10060;", "&#x274c;", "&#x274C;"]
        .iter()
        .fold(line, |line, sign| line.replace(sign, "❌"));
    Cow::Owned(simple(&line))
}

/// What a quotation or a code span says: the marks around it are gone.
pub(super) fn unquoted(plain: &str) -> Option<String> {
    let has_marks = plain.contains(is_quote);
    has_marks.then(|| plain.chars().filter(|c| !is_quote(*c)).collect())
}

pub(super) const fn is_quote(c: char) -> bool {
    matches!(c, '`' | '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」')
}

/// Whether a character, or what begins with it, is not in the text that [`plain`]
/// and [`unquoted`] make, or is another one there.
pub(super) fn is_sign(c: char) -> bool {
    is_quote(c)
        || matches!(c, '*' | '_' | '~' | '&' | '\u{1B}')
        || has_no_width(c)
        || half_width(c) != c
}

fn beginning(line: &str) -> &str {
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.get(..end).unwrap_or(line)
}

/// Without the sequences that set colours on a terminal.
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1B}');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.strip_prefix('[').map(|codes| {
            codes.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | '?'))
        });
        let mut rest = rest.unwrap_or(part).chars();
        rest.next(); // the letter that ends the sequence
        text.push_str(rest.as_str());
    }
    text
}

fn without_struck(line: &str) -> String {
    let parts: Vec<&str> = line.split("~~").collect();
    if parts.len().is_multiple_of(2) {
        return line.to_owned(); // a mark without a partner
    }
    parts.into_iter().step_by(2).collect()
}

fn simple(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let c = half_width(c);
        if c == '*' || has_no_width(c) {
            continue;
        }
        if c == '_' {
            let is_inside = text.ends_with(char::is_alphanumeric)
                && chars.peek().is_some_and(|next| next.is_alphanumeric());
            if is_inside {
                text.push(c);
            }
        } else if !c.is_whitespace() {
            text.push(c);
        } else if !text.ends_with(' ') {
            text.push(' ');
        }
    }
    text
}

/// The wide forms of ASCII characters in East Asian texts.
fn half_width(c: char) -> char {
    match u32::from(c) {
        code @ 0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

const fn has_no_width(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FE0F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_is_seen() {
        for (line, seen) in [
            ("Verdict: FAIL", "Verdict: FAIL"),
            ("**NOT** VERIFIED", "NOT VERIFIED"),
            ("Verdict:\tNOT  VERIFIED", "Verdict: NOT VERIFIED"),
            ("NOT\u{A0}VERIFIED", "NOT VERIFIED"),
            ("IN\u{200B}COMPLETE", "INCOMPLETE"),
            ("\u{1B}[1;31mFAILED\u{1B}[0m now", "FAILED now"),
            ("ＦＡＩＬ：x", "FAIL:x"),
            ("_Final_ FAIL_FAST", "Final FAIL_FAST"),
            ("~~VERIFIED~~ FAIL", " FAIL"),
            ("a ~~ b", "a ~~ b"),
            (":x: FAIL", "❌ FAIL"),
        ] {
            assert_eq!(plain(line), seen, "{line}");
        }
        assert_eq!(
            unquoted("Verdict: `FAIL`").as_deref(),
            Some("Verdict: FAIL")
        );
        assert_eq!(unquoted("Verdict: FAIL"), None);
        assert!(plain(&"ä".repeat(5000)).len() <= LONGEST);
    }
}
