//! Reads the lines of a log one after the other.

use std::str::Utf8Error;

use super::form::{Form, FormId};
use super::parse::{ParseError, Parser, Rules};
use super::{End, Json};

/// Parses one text after the other in the same memory. Texts that share a form
/// with an earlier one are read faster.
#[derive(Debug, Default)]
pub struct Reader {
    rules: Rules,
    json: Json,
    open: Vec<usize>,
    /// Forms of earlier texts, the latest match first.
    forms: Vec<Form>,
    /// Number of forms so far.
    seen: u64,
    /// Number of texts in a row that matched no form.
    pub(super) misses: usize,
}

/// Memory beyond this is released after a larger text.
const KEPT: usize = 1 << 20;
/// Number of forms that are tried.
const FORMS: usize = 4;
/// After this many misses in a row, forms are tried once for as many texts.
const PATIENCE: usize = 16;

impl Reader {
    /// A reader under these rules; the default are those of ECMAScript.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Parses a text. The value is valid until the next call.
    pub fn read(&mut self, text: &[u8]) -> Result<&Json, ParseError> {
        self.read_until(text, End::OfText)?;
        Ok(&self.json)
    }

    /// Parses the value at the beginning of a text and returns its length; the
    /// rest must only be UTF-8.
    pub fn read_first(&mut self, text: &[u8]) -> Result<(&Json, usize), ParseError> {
        let length = self.read_until(text, End::OfValue)?;
        Ok((&self.json, length))
    }

    fn read_until(&mut self, source: &[u8], end: End) -> Result<usize, ParseError> {
        // most texts are ASCII; a loop without an exit is vectorised
        if source.iter().fold(0, |all, byte| all | byte) >= 0x80 {
            let not = |error: Utf8Error| ParseError::NotUtf8 {
                at: error.valid_up_to(),
            };
            std::str::from_utf8(source).map_err(not)?;
        }
        self.json.text.clear();
        self.json.slots.clear();
        self.json.text.shrink_to(KEPT);
        self.json.slots.shrink_to(KEPT);
        self.json.begin(source)?;
        let tries = self.misses < PATIENCE || self.misses.is_multiple_of(PATIENCE);
        if tries && let Some(stop) = self.follow(source, end)? {
            return Ok(stop);
        }
        self.misses += 1;
        let memory = (&mut self.json, &mut self.open);
        let mut parser = Parser::new(source, &self.rules, end, memory);
        let stop = parser.parse()?;
        if tries && let Some(mut form) = Form::of(&self.json, source, stop, end) {
            self.seen += 1;
            form.id = FormId(self.seen);
            self.json.form = Some(form.id);
            self.forms.truncate(FORMS - 1);
            self.forms.insert(0, form);
        }
        Ok(stop)
    }

    /// Reads a text of a known form and returns its end.
    fn follow(&mut self, source: &[u8], end: End) -> Result<Option<usize>, ParseError> {
        for (at, form) in self.forms.iter().enumerate() {
            if form.end != end {
                continue;
            }
            let memory = (&mut self.json, &mut self.open);
            let mut parser = Parser::new(source, &self.rules, end, memory);
            let followed = parser.follow(form);
            let is_changed = parser.is_changed;
            if let Ok(stop) = followed {
                self.misses = 0;
                self.json.form = Some(form.id);
                if let Some(newest) = self.forms.get_mut(..=at) {
                    newest.rotate_right(1);
                }
                return Ok(Some(stop));
            }
            if is_changed {
                self.json.begin(source)?;
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;

    #[test]
    fn a_reader_forgets_the_text_before() {
        let mut reader = Reader::default();
        for text in [r#"{"a":[1,"two"]}"#, "[", "[{}]", "7"] {
            let again = reader
                .read(text.as_bytes())
                .map(|json| canonical::of_node(json.root()));
            let fresh = Json::parse(text).map(|json| canonical::of_node(json.root()));
            assert_eq!(again, fresh);
        }
    }

    #[test]
    fn only_the_first_value_of_a_text_is_read() {
        let mut reader = Reader::default();
        for (text, first) in [
            (r#"{"a":[1]},"b":2}"#, Some((r#"{"a":[1]}"#, 9))),
            ("[]x", Some(("[]", 2))),
            ("12,", Some(("12", 2))),
            (" \"\\u0041\"\"", Some(("\"A\"", 9))),
            ("[1", None),
            ("{]", None),
        ] {
            let read = reader.read_first(text.as_bytes()).ok();
            let read = read.map(|(json, length)| (canonical::of_node(json.root()), length));
            let read = read.as_ref().map(|(json, length)| (json.as_str(), *length));
            assert_eq!(read, first, "{text}");
        }
    }

    #[test]
    fn a_strict_reader_refuses_repeated_keys_only_in_texts_that_are_json() {
        let mut reader = Reader::new(Rules::STRICT);
        let repeated = |key: &str| ParseError::RepeatedKey {
            key: key.to_owned(),
        };
        for (text, error) in [
            (r#"{"b":1,"a":2}"#, None),
            (r#"{"a":1,"a":2}"#, Some(repeated("a"))),
            (
                r#"[{"b":1,"a":2,"b":3,"a":4},{"c":1,"c":1}]"#,
                Some(repeated("b")),
            ),
            (r#"[{"a":1,"a":2}"#, Some(ParseError::Unfinished)),
            (r#"{"a":1,"\u0061":2}"#, Some(repeated("a"))),
        ] {
            assert_eq!(reader.read(text.as_bytes()).err(), error, "{text}");
        }
    }
}
