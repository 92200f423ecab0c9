//! Reads JSON values in place, without parsing the line.
//!
//! A session has far more tool output than is ever needed. So a line is not
//! parsed: a value is a piece of the line, found by the quotes and brackets
//! around it, and decoded only on demand. An error inside a value that is never
//! decoded is not noticed; a line that ends too early is.

use std::borrow::Cow;

use crosscheck_core::Json;
use memchr::memchr;

/// One JSON value in its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'l>(&'l [u8]);

/// The text is not JSON, or ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken;

impl<'l> Raw<'l> {
    /// The text as it stands in the log, at most so many bytes of it.
    pub(crate) fn beginning(self, most: usize) -> String {
        let bytes = self.0.get(..most).unwrap_or(self.0);
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Parses the whole value.
    pub(crate) fn json(self) -> Option<Json> {
        Json::parse(std::str::from_utf8(self.0).ok()?).ok()
    }

    /// How many bytes it has.
    pub(crate) const fn len(self) -> usize {
        self.0.len()
    }

    /// Where it stands in the text that it was read from.
    pub(crate) fn offset_in(self, text: &[u8]) -> usize {
        self.0.as_ptr().addr().saturating_sub(text.as_ptr().addr())
    }

    /// An object that is a whole line. That its members are right is seen when
    /// they are read, so that a long line is not read twice.
    pub(crate) fn record(line: &'l [u8]) -> Result<Self, Broken> {
        let line = line.trim_ascii();
        match (line.first(), line.last()) {
            (Some(b'{'), Some(b'}')) => Ok(Self(line)),
            _ => Err(Broken),
        }
    }

    /// The value of a line.
    pub(crate) fn line(line: &'l [u8]) -> Result<Self, Broken> {
        let mut cursor = Cursor(line);
        let value = cursor.value()?;
        cursor.blanks();
        if cursor.0.is_empty() {
            Ok(value)
        } else {
            Err(Broken)
        }
    }

    /// The members of an object; empty for any other value. A key with escapes
    /// is never one that we know.
    pub(crate) fn members(self) -> impl Iterator<Item = Result<Member<'l>, Broken>> {
        self.inside(b'{')
    }

    /// The elements of an array; empty for any other value. A broken one is the
    /// last.
    pub(crate) fn elements(self) -> impl Iterator<Item = Raw<'l>> {
        let inside = self.inside(b'[');
        inside.map_while(|read| read.ok().map(|(_, value)| value))
    }

    fn inside(self, bracket: u8) -> impl Iterator<Item = Result<Member<'l>, Broken>> {
        let mut cursor = Cursor(self.0);
        let mut is_over = !cursor.takes(bracket) || cursor.ends();
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let read = cursor.member(bracket == b'{');
            is_over = read.is_err() || !cursor.takes(b',');
            // behind the last one there is nothing but the bracket
            Some(read.and_then(|member| {
                let is_right = !is_over || cursor.ends();
                is_right.then_some(member).ok_or(Broken)
            }))
        })
    }

    /// Members of an object by name. Nobody can tell which of two with the same
    /// name another reader takes: such an object is broken.
    pub(crate) fn pick<const N: usize>(
        self,
        names: [&str; N],
    ) -> Result<[Option<Raw<'l>>; N], Broken> {
        let mut found = [None; N];
        for member in self.members() {
            let (key, value) = member?;
            let at = names.iter().position(|name| name.as_bytes() == key);
            if let Some(slot) = at.and_then(|at| found.get_mut(at))
                && slot.replace(value).is_some()
            {
                return Err(Broken);
            }
        }
        Ok(found)
    }

    /// One member by name.
    pub(crate) fn get(self, name: &str) -> Option<Raw<'l>> {
        self.pick([name]).ok().and_then(|[value]| value)
    }

    /// A member that is present and not `null`.
    pub(crate) fn present(self, name: &str) -> Option<Raw<'l>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The text of a string, without its escapes.
    pub(crate) fn text(self) -> Option<Cow<'l, str>> {
        let inside = self.quoted()?;
        if memchr(b'\\', inside).is_none() {
            return Some(String::from_utf8_lossy(inside));
        }
        Some(Cow::Owned(unescaped(inside)))
    }

    /// The beginning of a string's text, about this many bytes.
    pub(crate) fn text_start(self, limit: usize) -> Option<String> {
        let inside = self.quoted()?;
        Some(unescaped(inside.get(..limit).unwrap_or(inside)))
    }

    /// The first and the last bytes of a string's text, about this many each,
    /// and whether something between was left out.
    pub(crate) fn text_ends(self, limit: usize) -> Option<(String, bool)> {
        let inside = self.quoted()?;
        if inside.len() <= limit.saturating_mul(2) {
            return self.text().map(|text| (text.into_owned(), false));
        }
        let head = inside.get(..limit).unwrap_or_default();
        let mut tail = inside.get(inside.len() - limit..).unwrap_or_default();
        // the cut may be inside an escape: the first whole line is safe
        if let Some(at) = memchr::memmem::find(tail, b"\\n") {
            tail = tail.get(at..).unwrap_or_default();
        }
        Some((format!("{}\n{}", unescaped(head), unescaped(tail)), true))
    }

    /// The text of a message: a string, or the texts of a list of blocks.
    pub(crate) fn readable(self) -> Cow<'l, str> {
        if let Some(text) = self.text() {
            return text;
        }
        let blocks = self.elements();
        let texts = blocks.filter_map(|block| block.text().or_else(|| block.get("text")?.text()));
        Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
    }

    /// Whether the value is the string `word`.
    pub(crate) fn is(self, word: &str) -> bool {
        self.quoted().is_some_and(|text| text == word.as_bytes())
    }

    /// Whether the value is `true`.
    pub(crate) fn is_true(self) -> bool {
        self.0 == b"true"
    }

    /// Whether a mark is set. Proxies also write it as a text or a number.
    pub(crate) fn is_set(self) -> bool {
        let word = self.quoted().unwrap_or(self.0).trim_ascii();
        let unset: [&[u8]; 4] = [b"", b"false", b"no", b"null"];
        let number = std::str::from_utf8(word).map(str::parse::<f64>);
        let is_zero = matches!(number, Ok(Ok(0.0)));
        let is_data = matches!(self.0.first(), Some(b'{' | b'['));
        !is_data && !is_zero && !unset.iter().any(|unset| word.eq_ignore_ascii_case(unset))
    }

    /// Whether a mark is there and says no.
    pub(crate) fn is_unset(self) -> bool {
        !self.is_null() && !self.is_set()
    }

    /// Whether the value is `null`.
    pub(crate) fn is_null(self) -> bool {
        self.0 == b"null"
    }

    /// An integer.
    pub(crate) fn int(self) -> Option<i64> {
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    pub(crate) fn is_string(self) -> bool {
        self.0.first() == Some(&b'"')
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.first() == Some(&b'{')
    }

    fn quoted(self) -> Option<&'l [u8]> {
        self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }
}

/// A member of an object, with its key; elements of an array have none.
type Member<'l> = (&'l [u8], Raw<'l>);

/// The rest of the text.
#[derive(Debug, Clone, Copy)]
struct Cursor<'l>(&'l [u8]);

impl<'l> Cursor<'l> {
    fn blanks(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// Whether the closing bracket comes next.
    fn ends(&mut self) -> bool {
        self.blanks();
        matches!(self.0.first(), Some(b'}' | b']'))
    }

    fn member(&mut self, has_key: bool) -> Result<Member<'l>, Broken> {
        let mut key: &[u8] = b"";
        if has_key {
            key = self.value()?.quoted().ok_or(Broken)?;
            if !self.takes(b':') {
                return Err(Broken);
            }
        }
        Ok((key, self.value()?))
    }

    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn value(&mut self) -> Result<Raw<'l>, Broken> {
        self.blanks();
        let length = match self.0.first() {
            Some(b'"') => string_length(self.0)?,
            Some(b'{' | b'[') => nested_length(self.0)?,
            Some(b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => self
                .0
                .iter()
                .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'))
                .unwrap_or(self.0.len()),
            _ => return Err(Broken),
        };
        let (value, rest) = self.0.split_at_checked(length).ok_or(Broken)?;
        self.0 = rest;
        let is_word = value.first().is_some_and(u8::is_ascii_alphabetic);
        if is_word && !matches!(value, b"true" | b"false" | b"null") {
            return Err(Broken);
        }
        Ok(Raw(value))
    }
}

/// The length of the string at the beginning, in bytes.
fn string_length(text: &[u8]) -> Result<usize, Broken> {
    let mut at = 1;
    loop {
        let rest = text.get(at..).ok_or(Broken)?;
        let quote = at + memchr(b'"', rest).ok_or(Broken)?;
        let before = text.get(1..quote).unwrap_or_default();
        let slashes = before.iter().rev().take_while(|byte| **byte == b'\\');
        at = quote + 1;
        if slashes.count() % 2 == 0 {
            return Ok(at);
        }
    }
}

/// The length of the array or object at the beginning, in bytes.
fn nested_length(text: &[u8]) -> Result<usize, Broken> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        let rest = text.get(at..).ok_or(Broken)?;
        let next = rest
            .iter()
            .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'))
            .ok_or(Broken)?;
        at += next;
        match text.get(at) {
            Some(b'"') => {
                at += string_length(text.get(at..).unwrap_or_default())?;
                continue;
            }
            Some(b'{' | b'[') => depth += 1,
            _ => depth = depth.checked_sub(1).ok_or(Broken)?,
        }
        at += 1;
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// Text without its escapes; an escape that is cut at an end is left out.
fn unescaped(inside: &[u8]) -> String {
    let parse = |text: &[u8]| {
        let text = format!("\"{}\"", String::from_utf8_lossy(text));
        let json = Json::parse(&text).ok()?;
        Some(json.root().as_js()?.to_str_lossy().into_owned())
    };
    let last = || memchr::memrchr(b'\\', inside).unwrap_or_default();
    parse(inside)
        .or_else(|| parse(inside.get(1..)?))
        .or_else(|| parse(inside.get(..last())?))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw(text: &str) -> Raw<'_> {
        Raw::line(text.as_bytes()).unwrap()
    }

    #[test]
    fn values_are_found_by_their_brackets_and_quotes() {
        let line = raw(r#" {"a": "x\"}\\", "b":[1, {"c":"]"}], "n": null , "t":true} "#);
        let [a, b, n, t] = line.pick(["a", "b", "n", "t"]).unwrap();
        assert_eq!(a.unwrap().text().unwrap(), "x\"}\\");
        let elements: Vec<_> = b.unwrap().elements().collect();
        assert_eq!(elements.len(), 2);
        assert_eq!(elements[0].int(), Some(1));
        assert!(elements[1].get("c").unwrap().is("]"));
        assert!(n.unwrap().is_null() && t.unwrap().is_true());
    }

    #[test]
    fn an_object_that_repeats_a_name_is_broken() {
        assert!(raw(r#"{"a":1,"a":2}"#).pick(["a"]).is_err());
    }

    #[test]
    fn a_line_that_ends_too_early_is_broken() {
        let whole = r#"{"type":"user","message":{"content":["a\\",{"b":"\""}]}}"#;
        for length in 0..whole.len() {
            assert!(Raw::line(&whole.as_bytes()[..length]).is_err(), "{length}");
        }
        for text in [
            "",
            "nothing",
            r#"{"a" 1}"#,
            r#"{"a":1 "b":2}"#,
            "{a:1}",
            "[1]]",
        ] {
            let read = Raw::line(text.as_bytes());
            let inside = read.and_then(|value| value.pick(["a"]).map(|_| ()));
            assert_eq!(inside.err(), Some(Broken), "{text}");
        }
    }

    #[test]
    fn escapes_become_what_they_mean() {
        let text = raw(r#""\u0041\ud83d\ude00 \ud83d \n\/\"""#).text().unwrap();
        assert_eq!(text, "A\u{1F600} \u{FFFD} \n/\"");
    }

    #[test]
    fn the_ends_of_a_long_text_are_whole_lines() {
        let long = format!("\"{}\"", "0123456789\\n".repeat(50));
        let (ends, is_cut) = raw(&long).text_ends(30).unwrap();
        assert!(is_cut);
        assert!(
            ends.starts_with("0123456789\n") && ends.ends_with("\n0123456789\n"),
            "{ends}"
        );
    }

    proptest! {
        #[test]
        fn any_text_reads_as_the_parser_reads_it(text in ".{0,60}") {
            let line = crosscheck_core::canonical::quoted(text.as_str().into());
            prop_assert_eq!(raw(&line).text().unwrap(), text.as_str());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(value) = Raw::line(&bytes) {
                let _ = value.members().count() + value.elements().count();
                let _ = (value.text(), value.text_start(7), value.text_ends(3));
            }
        }
    }
}
