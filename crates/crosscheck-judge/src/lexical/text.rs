//! Text preparation: normal form, words, stems.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, is_nfkc_quick};

use super::lexicon::{Entry, LEXICON};
use super::plain;

/// A text in normal form, with the way back to the text it was made from.
#[derive(Debug)]
pub(super) struct Normal<'t> {
    source: &'t str,
    pub(super) text: Cow<'t, str>,
    /// For each byte of `text`, and for its end, the offset in `source`;
    /// `None` when they are the same.
    offsets: Option<Vec<usize>>,
}

impl<'t> Normal<'t> {
    pub(super) fn of(source: &'t str) -> Self {
        if plain::is_normal(source) {
            return Self {
                source,
                text: Cow::Borrowed(source),
                offsets: None,
            };
        }
        let mut text = String::with_capacity(source.len());
        let mut offsets = Vec::with_capacity(source.len() + 1);
        for (start, segment) in segments(source) {
            let before = text.len();
            push_normal(segment, &mut text);
            offsets.extend(std::iter::repeat_n(start, text.len() - before));
        }
        offsets.push(source.len());
        Self {
            source,
            text: Cow::Owned(text),
            offsets: Some(offsets),
        }
    }

    /// The piece of the source that became this range of the normal text.
    pub(super) fn source_of(&self, start: usize, end: usize) -> &'t str {
        let back = |at: usize| {
            self.offsets
                .as_ref()
                .map_or(at, |offsets| offsets.get(at).copied().unwrap_or_default())
        };
        let from = back(start);
        // The end lies behind the last character of the range, however much of the source became it.
        let to = match &self.offsets {
            None => end,
            Some(offsets) => {
                let last = back(end.saturating_sub(1));
                offsets
                    .iter()
                    .skip(end)
                    .copied()
                    .find(|offset| *offset > last)
                    .unwrap_or(self.source.len())
            }
        };
        self.source.get(from..to).unwrap_or_default().trim()
    }
}

/// Cuts where normal forms of the pieces, one after the other, are the normal form of the whole.
fn segments(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut starts = source
        .char_indices()
        .filter(|(at, c)| *at == 0 || (begins_segment(*c) && !is_second_half(source, *at, *c)))
        .map(|(at, _)| at)
        .peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        let end = starts.peek().copied().unwrap_or(source.len());
        Some((start, source.get(start..end)?))
    })
}

fn is_second_half(source: &str, at: usize, c: char) -> bool {
    c == '\n' && source.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\r')
}

fn begins_segment(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let first = std::iter::once(c).nfkd().next().unwrap_or(c);
    canonical_combining_class(first) == 0
        && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

fn push_normal(segment: &str, text: &mut String) {
    if segment == "\r\n" || segment == "\r" {
        text.push('\n');
        return;
    }
    for c in segment.nfkc() {
        match c {
            '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{AD}' => {}
            '‘' | '’' | 'ʼ' | '‛' => text.push('\''),
            '“' | '”' | '„' | '‟' => text.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => text.push('-'),
            '\r' | '\n' => text.push('\n'),
            c if c.is_whitespace() => text.push(' '),
            c => text.push(c),
        }
    }
}

/// The normal form every comparison of the judge works on.
pub fn normalise(text: &str) -> String {
    Normal::of(text).text.into_owned()
}

/// Runs of white space become one space; none at the ends.
pub fn collapse(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if plain::is_tidy(trimmed) {
        return Cow::Borrowed(trimmed);
    }
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

/// Normal, collapsed and in lower case: how quotations are looked for.
pub fn lowered(text: &str) -> String {
    if plain::is_normal(text) {
        plain::lower(text)
    } else {
        collapse(&normalise(text)).to_lowercase()
    }
}

/// A Unicode letter.
pub(super) fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphabetic()
    } else {
        c.is_alphabetic() && !c.is_numeric() && !is_combining_mark(c)
    }
}

/// A letter, a digit or `_`.
pub(super) fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        c.is_numeric() || is_letter(c)
    }
}

/// Han, Kana or Hangul: scripts that put no blanks between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}' | '\u{3005}' | '\u{3040}'..='\u{30FF}' | '\u{3130}'..='\u{318F}'
        | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Text that reads like sentences, not like code or data.
pub(super) fn is_prose(text: &str) -> bool {
    let (runs, marks) = if text.is_ascii() {
        plain::runs_and_marks(text)
    } else {
        runs_and_marks(text)
    };
    runs >= 5 && marks * 4 <= runs
}

fn runs_and_marks(text: &str) -> (usize, usize) {
    let (mut runs, mut marks) = (0usize, 0usize);
    let mut inside = false;
    for c in text.chars() {
        let letter = is_letter(c);
        runs += usize::from(letter && !inside);
        inside = letter;
        marks += usize::from(is_code_mark(c));
    }
    (runs, marks)
}

/// A character that is frequent in code and rare in sentences.
pub(super) const fn is_code_mark(c: char) -> bool {
    matches!(
        c,
        '{' | '}'
            | '('
            | ')'
            | '['
            | ']'
            | ';'
            | '='
            | '<'
            | '>'
            | '|'
            | '&'
            | '*'
            | '#'
            | '/'
            | '\\'
            | '_'
            | '$'
            | '@'
    )
}

/// Calls `take` with every word of a normal text, lower-case, and where it starts.
pub(super) fn each_word(text: &str, take: &mut dyn FnMut(&str, usize)) {
    if text.is_ascii() {
        return each_ascii_word(text, take);
    }
    let mut lower = String::new();
    let mut rest = 0;
    while let Some((start, end)) = next_token(text, rest) {
        rest = end;
        let token = text.get(start..end).unwrap_or_default();
        if token.len() > 3 && ends_in_nt(token) {
            lower.clear();
            lower.extend(token.chars().flat_map(char::to_lowercase));
            take(&lower, start);
            continue;
        }
        let token = token.split('\'').next().unwrap_or_default();
        let mut at = start;
        for part in token.split(|c: char| c == '_' || c.is_numeric()) {
            if !part.is_empty() {
                each_part(part, at, &mut lower, take);
            }
            // The separator is one character; its length decides where the next part starts.
            at += part.len();
            at += text
                .get(at..)
                .and_then(|tail| tail.chars().next())
                .map_or(0, char::len_utf8);
        }
    }
}

/// The same for a text of ASCII alone, which is what most texts are: bytes
/// need no decoding.
fn each_ascii_word(text: &str, take: &mut dyn FnMut(&str, usize)) {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_letter_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let mut lower = String::new();
    let mut rest = 0;
    while let Some(letter) = bytes
        .get(rest..)
        .and_then(|tail| tail.iter().position(u8::is_ascii_alphabetic))
    {
        let first = rest + letter;
        let mut start = first;
        while start > rest && bytes.get(start - 1) == Some(&b'_') {
            start -= 1;
        }
        let (mut end, mut quote) = (first + 1, None);
        loop {
            match bytes.get(end) {
                Some(byte) if is_name(byte) => {}
                Some(b'\'') if is_letter_at(end + 1) => {
                    quote.get_or_insert(end);
                }
                _ => break,
            }
            end += 1;
        }
        rest = end;
        let token = text.get(start..end).unwrap_or_default();
        if quote.is_some() && token.len() > 3 && ends_in_nt(token) {
            lower.clear();
            lower.push_str(token);
            lower.make_ascii_lowercase();
            take(&lower, start);
        } else {
            each_letter_run(text, first..quote.unwrap_or(end), &mut lower, take);
        }
    }
}

/// The parts of an ASCII token between `_` and digits.
fn each_letter_run(
    text: &str,
    token: Range<usize>,
    lower: &mut String,
    take: &mut dyn FnMut(&str, usize),
) {
    let bytes = text.as_bytes();
    let mut at = token.start;
    while at < token.end {
        let tail = bytes.get(at..token.end).unwrap_or_default();
        let len = tail
            .iter()
            .position(|byte| !byte.is_ascii_alphabetic())
            .unwrap_or(tail.len());
        if len > 0 {
            each_hump(text.get(at..at + len).unwrap_or_default(), at, lower, take);
        }
        at += len + 1;
    }
}

fn ends_in_nt(token: &str) -> bool {
    let bytes = token.as_bytes();
    bytes
        .get(bytes.len().saturating_sub(3)..)
        .is_some_and(|tail| tail.eq_ignore_ascii_case(b"n't"))
}

/// The next token from `from` on: a letter (or `_`s before one) and what belongs to it.
fn next_token(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut chars = text.get(from..)?.char_indices().peekable();
    let mut start = None;
    let mut in_token = false;
    while let Some((at, c)) = chars.next() {
        if in_token {
            let belongs = is_word_char(c)
                || (c == '\'' && chars.peek().is_some_and(|(_, next)| is_letter(*next)));
            if !belongs {
                return start.map(|start| (from + start, from + at));
            }
        } else if is_letter(c) {
            start.get_or_insert(at);
            in_token = true;
        } else if c == '_' {
            start.get_or_insert(at);
        } else {
            start = None;
        }
    }
    in_token
        .then_some(start)
        .flatten()
        .map(|start| (from + start, text.len()))
}

fn each_part(part: &str, at: usize, lower: &mut String, take: &mut dyn FnMut(&str, usize)) {
    if part.is_ascii() {
        each_hump(part, at, lower, take);
        return;
    }
    let mut start = 0;
    while let Some(first) = part.get(start..).and_then(|tail| tail.chars().next()) {
        let unspaced = is_unspaced(first);
        let run = part.get(start..).unwrap_or_default();
        let len = run
            .char_indices()
            .find(|(_, c)| is_unspaced(*c) != unspaced)
            .map_or(run.len(), |(end, _)| end);
        let run = run.get(..len).unwrap_or_default();
        if unspaced {
            each_bigram(run, at + start, take);
        } else if run.is_ascii() {
            each_hump(run, at + start, lower, take);
        } else {
            lower.clear();
            lower.extend(run.chars().flat_map(char::to_lowercase));
            take(lower, at + start);
        }
        start += len;
    }
}

fn each_bigram(run: &str, at: usize, take: &mut dyn FnMut(&str, usize)) {
    let ends: Vec<usize> = run
        .char_indices()
        .map(|(end, _)| end)
        .chain([run.len()])
        .collect();
    if ends.len() == 2 {
        take(run, at);
    }
    for window in ends.windows(3) {
        if let [start, _, end] = window {
            take(run.get(*start..*end).unwrap_or_default(), at + start);
        }
    }
}

/// Splits ASCII letters where camel case does: `HTTPServer` is `http`, `server`.
fn each_hump(part: &str, at: usize, lower: &mut String, take: &mut dyn FnMut(&str, usize)) {
    let bytes = part.as_bytes();
    if bytes.iter().all(u8::is_ascii_lowercase) {
        take(part, at);
        return;
    }
    let is_upper = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let mut start = 0;
    while start < bytes.len() {
        let mut end = start;
        while is_upper(end) {
            end += 1;
        }
        if is_lower(end) && end <= start + 1 {
            while is_lower(end) {
                end += 1;
            }
        } else if is_lower(end) {
            end -= 1; // the last capital begins the next hump
        }
        end = end.max(start + 1);
        lower.clear();
        lower.push_str(part.get(start..end).unwrap_or_default());
        lower.make_ascii_lowercase();
        take(lower, at + start);
        start = end;
    }
}

/// Whether a lower-case word negates.
pub(super) fn is_negation(word: &str, entry: Option<&Entry>) -> bool {
    entry.is_some_and(|entry| entry.negation) || word.ends_with("n't")
}

/// Whether a lower-case word says something by itself.
pub(super) fn is_content(word: &str, entry: Option<&Entry>) -> bool {
    let long = word.len() > 1; // one ASCII character is one byte, every other has more
    long && !word.ends_with("n't")
        && entry.is_none_or(|entry| {
            !(entry.stop || entry.negation || entry.number.is_some() || entry.scale.is_some())
        })
}

/// Writes the stem of a lower-case word into `stem`.
pub(super) fn stem_into(word: &str, entry: Option<&Entry>, stem: &mut String) {
    stem.clear();
    if !word.is_ascii() {
        stem.push_str(word);
        return;
    }
    let synonym = entry
        .and_then(|entry| entry.synonym.as_deref())
        .or_else(|| {
            let singular = LEXICON.word(word.strip_suffix('s')?)?;
            singular.synonym.as_deref()
        });
    stem.push_str(synonym.unwrap_or(word));
    drop_plural(stem);
    drop_tense(stem);
    if stem.len() > 4 && stem.ends_with("ly") {
        stem.truncate(stem.len() - 2);
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
}

fn drop_plural(stem: &mut String) {
    let len = stem.len();
    if len > 4 && (stem.ends_with("ies") || stem.ends_with("ied")) {
        stem.truncate(len - 3);
        stem.push('y');
    } else if stem.ends_with("sses") {
        stem.truncate(len - 2);
    } else if len > 3
        && stem.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end))
    {
        stem.pop();
    }
}

fn drop_tense(stem: &mut String) {
    let len = stem.len();
    if len > 5 && stem.ends_with("ing") {
        stem.truncate(len - 3);
    } else if len > 4 && stem.ends_with("ed") {
        stem.truncate(len - 2);
    } else {
        return;
    }
    let mut ends = stem.bytes().rev();
    let (last, before) = (ends.next(), ends.next());
    let doubled = last == before
        && last
            .is_some_and(|letter| letter.is_ascii_alphabetic() && !b"aeioulsz".contains(&letter));
    if stem.len() > 2 && doubled {
        stem.pop();
    }
}

/// The stems of a normal text, in order, with repetitions.
pub fn stems(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_stem(text, &mut |stem, _| found.push(stem.to_owned()));
    found
}

/// Calls `take` with every stem of a normal text and where its word starts.
pub(super) fn each_stem(text: &str, take: &mut dyn FnMut(&str, usize)) {
    let mut stem = String::new();
    each_word(text, &mut |word, at| {
        let entry = LEXICON.word(word);
        if is_content(word, entry) {
            stem_into(word, entry, &mut stem);
            take(&stem, at);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words by the way for every script, also of ASCII text.
    fn words_of_any_script(text: &str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let longer = format!("{text} é");
        each_word(&longer, &mut |word, at| found.push((word.to_owned(), at)));
        found.retain(|(word, _)| word != "é");
        found
    }

    proptest::proptest! {
        #[test]
        fn ascii_text_has_the_same_words_by_both_ways(text in "[ a-cA-CnN't_0-9.,-]{0,24}") {
            let mut found = Vec::new();
            each_word(&text, &mut |word, at| found.push((word.to_owned(), at)));
            proptest::prop_assert_eq!(found, words_of_any_script(&text));
        }
    }

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        each_word(text, &mut |word, at| {
            assert!(text.is_char_boundary(at), "{text}: {at}");
            found.push(word.to_owned());
        });
        found
    }

    fn stem(word: &str) -> String {
        let mut stem = String::new();
        stem_into(word, LEXICON.word(word), &mut stem);
        stem
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
        let normal = Normal::of(source);
        assert_eq!(normal.text, "x\nété \"fin\" end");
        let at = normal.text.find("été").unwrap();
        assert_eq!(normal.source_of(at, at + "été".len()), "e\u{301}te\u{301}");
        let at = normal.text.find("\"fin\"").unwrap();
        assert_eq!(normal.source_of(at, at + 5), "“ﬁn”");
        assert_eq!(normal.source_of(0, normal.text.len()), source);
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
    fn tokens_fall_apart_into_words() {
        let table: &[(&str, &[&str])] = &[
            ("DEFAULT_PORT_v2", &["default", "port", "v"]),
            (
                "HTTPServer parseJSONText",
                &["http", "server", "parse", "json", "text"],
            ),
            ("don't can't user's l'été", &["don't", "can't", "user", "l"]),
            ("__init__ _x 3rd u32", &["init", "x", "rd", "u"]),
            ("Été ÉCOLE", &["été", "école"]),
            ("日志显示x错", &["日志", "志显", "显示", "x", "错"]),
            ("ab1cd_EF", &["ab", "cd", "ef"]),
            ("", &[]),
            ("___ 12 ''", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn stems_follow_the_steps_in_order() {
        let table = [
            ("retries", "retry"),
            ("tied", "tied"),
            ("applied", "app"),
            ("classes", "class"),
            ("status", "status"),
            ("this", "this"),
            ("gas", "gas"),
            ("logs", "log"),
            ("running", "run"),
            ("calling", "call"),
            ("missing", "miss"),
            ("ring", "ring"),
            ("committed", "commit"),
            ("added", "ad"),
            ("need", "need"),
            ("quickly", "quick"),
            ("service", "servic"),
            ("services", "servic"),
            ("dbs", "databas"),
            ("max", "maximum"),
            ("größe", "größe"),
        ];
        for (word, expected) in table {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn words_without_content_have_no_stem() {
        assert_eq!(
            stems("The 3 million x isn't never two retries of 日"),
            ["retry", "日"]
        );
    }

    #[test]
    fn prose_needs_words_and_few_marks() {
        assert!(is_prose("The service retries failed requests."));
        assert!(!is_prose("four words are few"));
        assert!(!is_prose("const MAX_RETRIES: u32 = foo(bar, baz);"));
    }
}
