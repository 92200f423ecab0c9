//! The normal form for all comparisons (judge T1), and lower case for judge D1.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, is_nfkc_quick};

use super::chars::{ascii_digit, char_at};
use super::plain::{is_normal, is_tidy, next_of};
use super::rewritten::Rewritten;

/// The normal form of a text: NFKC, plain quotes, dashes, digits and blanks,
/// no zero-width characters.
pub fn normalise(text: &str) -> String {
    normal(text).map_or_else(|| text.to_owned(), |normal| normal.text)
}

/// The normal form, or `None` if the text already has it.
pub fn normal(source: &str) -> Option<Rewritten> {
    if is_normal(source) {
        return None;
    }
    let mut out = Rewritten::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        at = plain_stretch(source, at, &mut out);
        at = odd_segment(source, at, &mut out);
    }
    Some(out)
}

/// Copies text that needs no change, up to the last character before one that
/// does.
fn plain_stretch(source: &str, at: usize, out: &mut Rewritten) -> usize {
    let odd = |byte: u8| !byte.is_ascii() || matches!(byte, b'\t' | b'\r' | 0x0B | 0x0C);
    let bytes = source.as_bytes();
    let mut end = next_of(bytes, at, odd).unwrap_or(source.len());
    // A combining mark may follow and join the last character.
    if end > at && bytes.get(end).is_some_and(|byte| !byte.is_ascii()) {
        end -= 1;
    }
    out.copy(at, source.get(at..end).unwrap_or_default());
    end
}

fn odd_segment(source: &str, at: usize, out: &mut Rewritten) -> usize {
    let Some(first) = char_at(source, at) else {
        return source.len();
    };
    let tail = source.get(at..).unwrap_or_default();
    if first == '\r' {
        out.replace(at, "\n");
        return at + if tail.starts_with("\r\n") { 2 } else { 1 };
    }
    if let Some(parts) = decimals(first) {
        let before = source.get(..at).unwrap_or_default();
        let is_mixed = before.ends_with(|c: char| c.is_ascii_digit());
        out.replace(at, &format!("{}.{parts}", if is_mixed { "" } else { "0" }));
        return at + first.len_utf8();
    }
    // `1·3 million`
    let before = source.get(..at).unwrap_or_default();
    let is_digit = |c: char| c.is_ascii_digit();
    if first == '\u{B7}' && before.ends_with(is_digit) && tail.chars().nth(1).is_some_and(is_digit)
    {
        out.replace(at, ".");
        return at + first.len_utf8();
    }
    let len = tail
        .char_indices()
        .skip(1)
        .find(|(_, c)| begins_segment(*c))
        .map_or(tail.len(), |(end, _)| end);
    let segment = tail.get(..len).unwrap_or_default();
    let made = normal_segment(segment);
    if made == segment {
        out.copy(at, segment);
    } else {
        out.replace(at, &made);
    }
    at + len
}

/// The decimals of a fraction that is one character: NFKC would make `81/2` of `8½`.
const fn decimals(c: char) -> Option<&'static str> {
    Some(match c {
        '½' => "5",
        '¼' => "25",
        '¾' => "75",
        '⅕' => "2",
        '⅖' => "4",
        '⅗' => "6",
        '⅘' => "8",
        '⅛' => "125",
        '⅜' => "375",
        '⅝' => "625",
        '⅞' => "875",
        _ => return None,
    })
}

/// Whether the text can be normalised in two parts that are split here.
fn begins_segment(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let first = std::iter::once(c).nfkd().next().unwrap_or(c);
    !takes_no_room(c)
        && canonical_combining_class(first) == 0
        && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

const fn takes_no_room(c: char) -> bool {
    matches!(
        c,
        '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{AD}'
    )
}

fn normal_segment(segment: &str) -> String {
    let seen = segment.chars().filter(|c| !takes_no_room(*c));
    seen.nfkc()
        .map(|c| match c {
            '‘' | '’' | 'ʼ' | '‛' => '\'',
            '“' | '”' | '„' | '‟' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            // the decimal and thousands marks of Arabic
            '\u{66B}' => '.',
            '\u{66C}' => ',',
            '\n' => '\n',
            c if c.is_whitespace() => ' ',
            c => ascii_digit(c).unwrap_or(c),
        })
        .collect()
}

/// Runs of white space become one space; none at the ends.
pub fn collapse(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    let mut blank = false;
    let tidy = trimmed.chars().all(|c| {
        let fine = !c.is_whitespace() || (c == ' ' && !blank);
        blank = c.is_whitespace();
        fine
    });
    if tidy {
        return Cow::Borrowed(trimmed);
    }
    let mut out = String::with_capacity(trimmed.len());
    for word in trimmed.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

/// A normal text in the form in which quotations and whole claims are searched
/// for: lower-case, collapsed, without back-quotes.
pub fn lowered(normal: &str) -> Rewritten {
    let mut out = Rewritten::with_capacity(normal.len());
    let mut at = 0;
    for line in normal.split('\n') {
        let start = at + (line.len() - line.trim_start().len());
        let tidy = line.trim();
        at += line.len() + 1;
        if tidy.is_empty() {
            continue;
        }
        if is_tidy(tidy) && !tidy.contains('`') {
            push_blank(start, &mut out);
            push_lower(tidy, start, &mut out);
        } else {
            push_words(tidy, start, &mut out);
        }
    }
    out
}

/// The blank before a piece of the text that begins here.
fn push_blank(start: usize, out: &mut Rewritten) {
    if !out.text.is_empty() {
        out.replace(start.saturating_sub(1), " ");
    }
}

/// A line with back-quotes, or with blanks that are not single.
fn push_words(line: &str, start: usize, out: &mut Rewritten) {
    let mut blank = true;
    for (at, piece) in pieces(line) {
        match piece {
            " " => blank = true,
            "`" => {}
            word => {
                if std::mem::take(&mut blank) {
                    push_blank(start + at, out);
                }
                push_lower(word, start + at, out);
            }
        }
    }
}

/// Handles blanks and back-quotes one by one, and the text between them.
fn pieces(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..).filter(|rest| !rest.is_empty())?;
        let len = match rest.find([' ', '`']) {
            Some(0) => 1,
            Some(len) => len,
            None => rest.len(),
        };
        let piece = (at, rest.get(..len)?);
        at += len;
        Some(piece)
    })
}

fn push_lower(text: &str, from: usize, out: &mut Rewritten) {
    let mut at = 0;
    while at < text.len() {
        let wide = next_of(text.as_bytes(), at, |byte| !byte.is_ascii());
        let end = wide.unwrap_or(text.len());
        let start = out.text.len();
        out.copy(from + at, text.get(at..end).unwrap_or_default());
        if let Some(copied) = out.text.get_mut(start..) {
            copied.make_ascii_lowercase();
        }
        at = end + char_at(text, end).map_or(0, |c| push_lower_char(c, from + end, out));
    }
}

/// Appends a character in lower case; returns how many bytes it took.
fn push_lower_char(c: char, from: usize, out: &mut Rewritten) -> usize {
    let mut space = [0; 4];
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) if one.len_utf8() == c.len_utf8() => {
            out.copy(from, one.encode_utf8(&mut space));
        }
        _ => out.replace(from, &c.to_lowercase().to_string()),
    }
    c.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_of_one_character_is_a_decimal() {
        assert_eq!(
            normalise("8½ points, ½ cup, 2¼ and 10 ¾"),
            "8.5 points, 0.5 cup, 2.25 and 10 0.75"
        );
    }

    #[test]
    fn normal_form_has_plain_quotes_dashes_and_blanks() {
        assert_eq!(
            normalise("“a”\u{a0}‘b’ – \u{2212}1\r\nﬁx\rx\u{200b}y\u{ad}z\tw"),
            "\"a\" 'b' - -1\nfix\nxyz w"
        );
    }

    #[test]
    fn a_range_of_the_normal_text_leads_back_to_the_source() {
        let source = "x\r\ne\u{301}te\u{301} “ﬁn” end";
        let made = normal(source).unwrap();
        let text = &made.text;
        assert_eq!(text, "x\nété \"fin\" end");
        let back = |part: &str| {
            let at = text.find(part).unwrap();
            source.get(made.start(at)..made.end(at + part.len(), source.len()))
        };
        assert_eq!(back("été"), Some("e\u{301}te\u{301}"));
        assert_eq!(back("\"fin\""), Some("“ﬁn”"));
        assert_eq!(back(text), Some(source));
    }

    #[test]
    fn pieces_normalise_like_the_whole() {
        for text in [
            "가\u{11a8}",
            "ｶﾞ",
            "a\u{301}\u{323}b",
            "\u{1100}\u{1161}\u{11a8}",
        ] {
            let whole: String = text.nfkc().collect();
            assert_eq!(normalise(text), whole, "{text:?}");
        }
    }

    #[test]
    fn lower_case_has_no_back_quotes_and_single_blanks() {
        let made = lowered(" The `Cache ` is\n\n WARM, Éte\u{130}x ");
        assert_eq!(made.text, "the cache is warm, étei\u{307}x");
        let at = made.text.find("warm").unwrap();
        assert_eq!((made.start(at), made.end(at + 4, 99)), (19, 23));
    }

    proptest::proptest! {
        #[test]
        fn a_normal_form_does_not_change(text in "\\PC{0,20}|[ -~\\t\\r\\n\u{200b}\u{301}é“–ﬁ가\u{11a8}]{0,30}") {
            let once = normalise(&text);
            proptest::prop_assert_eq!(normalise(&once), once);
        }

        #[test]
        fn lower_case_is_what_the_slow_way_gives(text in "[ -~\\nÉé]{0,40}") {
            let slow = collapse(&text.replace('`', "")).to_lowercase();
            proptest::prop_assert_eq!(lowered(&text).text, slow);
        }
    }
}
