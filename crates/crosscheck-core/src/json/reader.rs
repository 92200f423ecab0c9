//! Lines of a log, one after the other.

use std::str::Utf8Error;

use super::Json;
use super::form::{Form, FormId};
use super::parse::{End, ParseError, Parser, Rules};

/// Parses one text after the other in the same memory. Texts of the same form
/// as one before are read faster.
#[derive(Debug, Default)]
pub struct Reader {
    json: Json,
    open: Vec<usize>,
    /// Forms of texts before; the one that fitted last comes first.
    forms: Vec<Form>,
    /// How many forms there were.
    seen: u64,
    /// How many texts in a row had another form.
    pub(super) misses: usize,
}

/// A reader gives back what a larger text made it take.
const KEPT: usize = 1 << 20;
/// How many forms are tried.
const FORMS: usize = 4;
/// After so many texts of other forms only each of so many is tried.
const PATIENCE: usize = 16;

impl Reader {
    /// Parses as ECMAScript `JSON.parse` does. The value stands until the next call.
    pub fn read(&mut self, text: &[u8]) -> Result<&Json, ParseError> {
        self.read_until(text, End::OfText)
    }

    /// The same for the value that begins a text; the rest must only be UTF-8.
    pub fn read_first(&mut self, text: &[u8]) -> Result<&Json, ParseError> {
        self.read_until(text, End::OfValue)
    }

    fn read_until(&mut self, source: &[u8], end: End) -> Result<&Json, ParseError> {
        // most texts are ASCII; without a way out of the loop the compiler looks at many bytes at once
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
        let tries = self.misses < PATIENCE || self.misses.is_multiple_of(PATIENCE);
        if tries && self.follow(source, end)? {
            return Ok(&self.json);
        }
        self.misses += 1;
        let memory = (&mut self.json, &mut self.open);
        let mut parser = Parser::new(source, &Rules::ECMASCRIPT, end, memory)?;
        let stop = parser.parse()?;
        if tries && let Some(mut form) = Form::of(&self.json, source, stop, end) {
            self.seen += 1;
            form.id = FormId(self.seen);
            self.json.form = Some(form.id);
            self.forms.truncate(FORMS - 1);
            self.forms.insert(0, form);
        }
        Ok(&self.json)
    }

    /// Whether the text has a form that is known, and was read.
    fn follow(&mut self, source: &[u8], end: End) -> Result<bool, ParseError> {
        for (at, form) in self.forms.iter().enumerate() {
            let memory = (&mut self.json, &mut self.open);
            let mut parser = Parser::new(source, &Rules::ECMASCRIPT, end, memory)?;
            if form.end == end && parser.follow(form).is_ok() {
                self.misses = 0;
                self.json.form = Some(form.id);
                if let Some(newest) = self.forms.get_mut(..=at) {
                    newest.rotate_right(1);
                }
                return Ok(true);
            }
        }
        Ok(false)
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
    fn what_follows_the_first_value_is_not_looked_at() {
        let mut reader = Reader::default();
        for (text, first) in [
            (r#"{"a":[1]},"b":2}"#, Some(r#"{"a":[1]}"#)),
            ("[]x", Some("[]")),
            ("12,", Some("12")),
            (" \"\\u0041\"\"", Some("\"A\"")),
            ("[1", None),
            ("{]", None),
        ] {
            let read = reader.read_first(text.as_bytes()).ok();
            let read = read.map(|json| canonical::of_node(json.root()));
            assert_eq!(read.as_deref(), first, "{text}");
        }
    }
}
