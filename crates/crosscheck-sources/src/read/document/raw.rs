//! Where the strings of a JSON text are, so that an editor can show them.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::Mention;

/// The places of some strings, each in the order of the text.
pub(super) struct Strings<'w>(HashMap<&'w str, VecDeque<Range<usize>>>);

impl<'w> Strings<'w> {
    /// Looks for these strings in a JSON text.
    pub(super) fn find(raw: &str, wanted: impl Iterator<Item = &'w str>) -> Self {
        let mut places: HashMap<&str, VecDeque<Range<usize>>> =
            wanted.map(|text| (text, VecDeque::new())).collect();
        for range in strings(raw) {
            let piece = raw.get(range.clone()).unwrap_or_default();
            let text: String = Decoded::new(piece).map(|(_, c)| c).collect();
            if let Some(list) = places.get_mut(text.as_str()) {
                list.push_back(range);
            }
        }
        Self(places)
    }

    /// The next place of a string; its last one again when there are no more.
    pub(super) fn next(&mut self, text: &str) -> Option<Range<usize>> {
        let list = self.0.get_mut(text)?;
        if list.len() > 1 {
            list.pop_front()
        } else {
            list.front().cloned()
        }
    }
}

/// What is between the quotes of each string, keys too, in the order of the text.
pub(super) fn strings(raw: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    let mut escaped = false;
    for (at, byte) in raw.bytes().enumerate() {
        match (open, byte) {
            (None, b'"') => open = Some(at + 1),
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(start), b'"') => {
                found.push(start..at);
                open = None;
            }
            _ => {}
        }
    }
    found
}

/// Where citations are in a raw text, given its characters with their
/// places there. Citations come in the order of the text.
pub(super) fn offsets(
    chars: impl Iterator<Item = (usize, char)>,
    found: &[&Mention],
) -> Vec<usize> {
    let mut chars = chars.peekable();
    let (mut line, mut column) = (1, 1);
    let mut places = Vec::new();
    for mention in found {
        let wanted = (mention.line, mention.column);
        while let Some((_, c)) = chars.next_if(|_| (line, column) < wanted) {
            if c == '\n' {
                line += 1;
                column = 1;
            } else {
                column += 1;
            }
        }
        places.push(chars.peek().map_or(0, |(at, _)| *at));
    }
    places
}

/// The characters of a JSON string and where each begins in its raw form.
pub(super) struct Decoded<'r> {
    raw: &'r str,
    at: usize,
}

impl<'r> Decoded<'r> {
    pub(super) fn new(raw: &'r str) -> Self {
        Self { raw, at: 0 }
    }

    /// The UTF-16 unit of `\uXXXX` at this place.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.raw.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    }
}

impl Iterator for Decoded<'_> {
    type Item = (usize, char);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let mut chars = self.raw.get(start..)?.chars();
        let first = chars.next()?;
        if first != '\\' {
            self.at += first.len_utf8();
            return Some((start, first));
        }
        if let Some(unit) = self.unit(start) {
            self.at += 6;
            let pair = [unit, self.unit(self.at).unwrap_or_default()];
            let mut decoded = char::decode_utf16(pair);
            let c = decoded.next().and_then(Result::ok);
            self.at += c.map_or(0, |c| if c.len_utf16() == 2 { 6 } else { 0 });
            return Some((start, c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        }
        let second = chars.next().unwrap_or('\\');
        self.at += 1 + second.len_utf8();
        let c = match second {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            other => other,
        };
        Some((start, c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_in_any_spelling() {
        let raw = r#"{"a":"x\"y","b":["http:\/\/a.example","\u00e9\ud83d\ude00\ud83d!"]}"#;
        let mut places = Strings::find(
            raw,
            ["http://a.example", "é😀\u{fffd}!", "none"].into_iter(),
        );
        let first = places.next("http://a.example").unwrap();
        assert_eq!(raw.get(first), Some(r"http:\/\/a.example"));
        assert!(places.next("é😀\u{fffd}!").is_some());
        assert_eq!(places.next("none"), None);
    }
}
