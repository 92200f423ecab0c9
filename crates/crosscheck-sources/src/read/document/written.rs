//! A text that is made of another one: the Markdown in a string of JSON, the HTML of a file
//! that is neither. It knows where in the file each piece of it is from.

use std::ops::Range;

use crate::pattern::Pattern;

/// Signs that HTML reads as markup.
const SIGNS: [char; 3] = ['&', '<', '>'];

#[derive(Default)]
pub(super) struct Written {
    pub(super) text: String,
    /// Places of the text, growing, and where they are in the file.
    places: Vec<(usize, usize)>,
}

impl Written {
    /// Where a place of the text is in the file.
    pub(super) fn at(&self, place: usize) -> usize {
        let next = self.places.partition_point(|(text, _)| *text <= place);
        let last = next.checked_sub(1).and_then(|last| self.places.get(last));
        last.map_or(0, |(text, file)| file + (place - text))
    }

    /// What is in the file at this place.
    fn push(&mut self, at: usize, text: &str) {
        self.places.push((self.text.len(), at));
        self.text.push_str(text);
    }

    /// Markup that the file writes in another way.
    pub(super) fn markup(&mut self, at: usize, markup: &str) {
        self.push(at, markup);
    }

    /// Words of the file in HTML, line by line.
    pub(super) fn words(&mut self, at: usize, words: &str) {
        let mut at = at;
        for piece in words.split_inclusive([SIGNS[0], SIGNS[1], SIGNS[2], '\n']) {
            let own = piece.trim_end_matches(SIGNS);
            self.push(at, own);
            let sign = match piece.get(own.len()..) {
                Some("&") => "&amp;",
                Some("<") => "&lt;",
                Some(">") => "&gt;",
                _ if own.ends_with('\n') => "<br>",
                _ => "",
            };
            self.text.push_str(sign);
            at += piece.len();
        }
    }

    /// A link without its end.
    pub(super) fn link(&mut self, at: usize, url: &str) {
        self.push(at, &format!("<a href=\"{}\">", quoted(url)));
    }

    /// A use of the note with this name.
    pub(super) fn point(&mut self, at: usize, name: &str) {
        self.push(at, &format!("<a href=\"#{}\">*</a>", quoted(name)));
    }

    /// Writes a range of the file: what a pattern finds by `take`, which says where it ends, the
    /// rest as it is.
    pub(super) fn inline(
        &mut self,
        text: &str,
        range: Range<usize>,
        form: &Pattern,
        mut take: impl FnMut(&mut Self, &regex::Captures<'_>) -> usize,
    ) {
        let own = text.get(..range.end).unwrap_or_default();
        let (mut cursor, mut from) = (range.start, range.start);
        while let Some(found) = form.captures_at(own, from) {
            let Some(whole) = found.get(0) else {
                break;
            };
            self.words(cursor, text.get(cursor..whole.start()).unwrap_or_default());
            cursor = take(self, &found).clamp(whole.start(), range.end);
            from = own.ceil_char_boundary(cursor.max(whole.start() + 1));
            if from >= own.len() {
                break;
            }
        }
        self.words(cursor, text.get(cursor..range.end).unwrap_or_default());
    }

    /// The value of a JSON string that begins at this place behind its quote.
    pub(super) fn json(&mut self, raw: &str, start: usize) {
        let mut at = start;
        while let Some(length) = raw.get(at..).and_then(|rest| rest.find(['"', '\\'])) {
            self.push(at, raw.get(at..at + length).unwrap_or_default());
            at += length;
            let escape = raw.get(at..).unwrap_or_default();
            if escape.starts_with('"') {
                return;
            }
            let (c, length) = escaped(escape);
            self.push(at, c.encode_utf8(&mut [0; 4]));
            at += length;
        }
    }
}

/// The character of an escape, and how long it is written.
fn escaped(escape: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    if let Some(first) = unit(0) {
        let pair = [first, unit(6).unwrap_or_default()];
        let c = char::decode_utf16(pair).next().and_then(Result::ok);
        let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
        return (c, if c.len_utf16() == 2 { 12 } else { 6 });
    }
    let sign = escape.chars().nth(1).unwrap_or('\\');
    let c = match sign {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        other => other,
    };
    (c, 1 + sign.len_utf8())
}

/// The value of an attribute in HTML.
pub(super) fn quoted(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}

/// The lines of a text without their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        start..start + line.trim_end().len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_of_json_knows_its_places_in_any_spelling() {
        let raw = r#""http:\/\/a \u00e9\ud83d\ude00\ud83d!" rest"#;
        let mut own = Written::default();
        own.json(raw, 1);
        assert_eq!(own.text, "http://a é😀\u{fffd}!");
        for (sign, written) in [
            ("/a", "\\/a"),
            ("é", "\\u00e9"),
            ("😀", "\\ud83d"),
            ("!", "!\""),
        ] {
            let place = own.at(own.text.find(sign).unwrap());
            let found = raw.get(place..).unwrap();
            assert!(found.starts_with(written), "{sign}");
        }
    }
}
