//! The parser: one pass, an explicit stack, no recursion.

use std::collections::HashSet;

use super::{Json, Slot};
use crate::text::{first_special, push_wtf8_unit};

/// What a parser accepts beyond the grammar of RFC 8259.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Deepest nesting of arrays and objects; `None` is no limit.
    pub max_depth: Option<usize>,
    /// Whether `\ud800` without its other half is text.
    pub lone_surrogates: bool,
    /// Whether a key may come twice in one object (the last one counts).
    pub repeated_keys: bool,
    /// Whether a number may be too large for a double.
    pub infinite_numbers: bool,
}

impl Rules {
    /// What ECMAScript `JSON.parse` accepts.
    pub const ECMASCRIPT: Self = Self {
        max_depth: None,
        lone_surrogates: true,
        repeated_keys: true,
        infinite_numbers: true,
    };

    /// Nothing doubtful, at most 128 levels deep.
    pub const STRICT: Self = Self {
        max_depth: Some(128),
        lone_surrogates: false,
        repeated_keys: false,
        infinite_numbers: false,
    };
}

/// Why a text is not JSON under the rules asked for. Offsets count bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The grammar is broken here.
    #[error("unexpected text at byte {at}")]
    Unexpected {
        /// Where.
        at: usize,
    },
    /// The text ends inside a value.
    #[error("the text ends inside a value")]
    Unfinished,
    /// Nesting goes deeper than allowed.
    #[error("nesting is deeper than {limit} at byte {at}")]
    TooDeep {
        /// Where.
        at: usize,
        /// The deepest level allowed.
        limit: usize,
    },
    /// An escape names half of a surrogate pair.
    #[error("half of a surrogate pair at byte {at}")]
    LoneSurrogate {
        /// Where the string ends.
        at: usize,
    },
    /// A key comes twice in one object.
    #[error("the key `{key}` comes twice in one object")]
    RepeatedKey {
        /// The key.
        key: String,
    },
    /// A number is too large for a double.
    #[error("the number at byte {at} is too large")]
    InfiniteNumber {
        /// Where.
        at: usize,
    },
    /// The text is larger than four gigabytes.
    #[error("the text is larger than 4 GiB")]
    TooLarge,
}

pub(super) fn parse(source: &[u8], rules: &Rules) -> Result<Json, ParseError> {
    let mut json = Json::default();
    parse_into(source, rules, End::OfText, &mut json, &mut Vec::new())?;
    Ok(json)
}

/// Where parsing stops.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Nothing but white space may follow the value.
    OfText,
    /// What follows the value is not looked at.
    OfValue,
}

/// Parses into memory that was used before.
fn parse_into(
    source: &[u8],
    rules: &Rules,
    end: End,
    json: &mut Json,
    open: &mut Vec<usize>,
) -> Result<(), ParseError> {
    if u32::try_from(source.len()).is_err() {
        return Err(ParseError::TooLarge);
    }
    json.text.clear();
    json.text.extend_from_slice(source);
    json.slots.clear();
    open.clear();
    let mut parser = Parser {
        source,
        at: 0,
        rules,
        end,
        json,
        open,
        inside: Inside::Nothing,
    };
    parser.document()
}

/// Parses one text after the other in the same memory.
#[derive(Debug, Default)]
pub struct Reader {
    json: Json,
    open: Vec<usize>,
}

/// A reader gives back what a larger text made it take.
const KEPT: usize = 1 << 20;

impl Reader {
    /// Parses as ECMAScript `JSON.parse` does. The value stands until the next call.
    pub fn read(&mut self, text: &str) -> Result<&Json, ParseError> {
        self.read_until(text, End::OfText)
    }

    /// The same for the value that begins a text; the rest is not looked at.
    pub fn read_first(&mut self, text: &str) -> Result<&Json, ParseError> {
        self.read_until(text, End::OfValue)
    }

    fn read_until(&mut self, text: &str, end: End) -> Result<&Json, ParseError> {
        self.json.text.clear();
        self.json.slots.clear();
        self.json.text.shrink_to(KEPT);
        self.json.slots.shrink_to(KEPT);
        parse_into(
            text.as_bytes(),
            &Rules::ECMASCRIPT,
            end,
            &mut self.json,
            &mut self.open,
        )?;
        Ok(&self.json)
    }
}

struct Parser<'s> {
    source: &'s [u8],
    at: usize,
    rules: &'s Rules,
    end: End,
    /// Its text is the source; strings with escapes are made shorter in place.
    json: &'s mut Json,
    /// Slots of the arrays and objects that are open here.
    open: &'s mut Vec<usize>,
    inside: Inside,
}

/// The innermost container that is open.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Array,
    Object,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), ParseError> {
        loop {
            // every turn begins where a value must stand
            self.skip_space();
            let byte = self.peek().ok_or(ParseError::Unfinished)?;
            let is_open = match byte {
                b'"' => self.string().map(|()| false)?,
                b'{' => self.begin(Inside::Object)?,
                b'[' => self.begin(Inside::Array)?,
                _ => self.number_or_word(byte).map(|()| false)?,
            };
            if !is_open && !self.another()? {
                return self.finish();
            }
        }
    }

    /// After a value: goes on to the place of the next one. Says `false` when
    /// the outermost value is complete.
    fn another(&mut self) -> Result<bool, ParseError> {
        while self.inside != Inside::Nothing {
            self.skip_space();
            match (self.peek(), self.inside) {
                (Some(b','), Inside::Object) => {
                    self.at += 1;
                    self.skip_space();
                    return self.key().map(|()| true);
                }
                (Some(b','), _) => {
                    self.at += 1;
                    return Ok(true);
                }
                (Some(b'}'), Inside::Object) | (Some(b']'), Inside::Array) => self.close()?,
                (Some(_), _) => return Err(self.unexpected()),
                (None, _) => return Err(ParseError::Unfinished),
            }
        }
        Ok(false)
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(_) => return Err(self.unexpected()),
            None => return Err(ParseError::Unfinished),
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    /// After the outermost value.
    fn finish(&mut self) -> Result<(), ParseError> {
        if self.end == End::OfValue {
            return Ok(());
        }
        self.skip_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn number_or_word(&mut self, byte: u8) -> Result<(), ParseError> {
        match byte {
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true", Slot::Bool(true)),
            b'f' => self.word(b"false", Slot::Bool(false)),
            b'n' => self.word(b"null", Slot::Null),
            _ => Err(self.unexpected()),
        }
    }

    /// Says whether a value comes next; else the container was empty.
    fn begin(&mut self, inside: Inside) -> Result<bool, ParseError> {
        if let Some(limit) = self.rules.max_depth
            && self.open.len() >= limit
        {
            return Err(ParseError::TooDeep { at: self.at, limit });
        }
        let (start, end) = (len32(self.at)?, 0);
        self.at += 1;
        self.open.push(self.json.slots.len());
        self.inside = inside;
        self.skip_space();
        let (slot, closing) = match inside {
            Inside::Object => (Slot::Object { start, end }, b'}'),
            Inside::Array | Inside::Nothing => (Slot::Array { start, end }, b']'),
        };
        self.json.slots.push(slot);
        if self.peek() == Some(closing) {
            self.close()?;
            return Ok(false);
        }
        if inside == Inside::Object {
            self.key()?;
        }
        Ok(true)
    }

    fn close(&mut self) -> Result<(), ParseError> {
        self.at += 1;
        if let Some(at) = self.open.pop() {
            let stop = len32(self.json.slots.len())?;
            if let Some(Slot::Array { end, .. } | Slot::Object { end, .. }) =
                self.json.slots.get_mut(at)
            {
                *end = stop;
            }
            if !self.rules.repeated_keys {
                self.refuse_repeated_keys(at)?;
            }
        }
        self.inside = match self.open.last().and_then(|at| self.json.slots.get(*at)) {
            None => Inside::Nothing,
            Some(Slot::Object { .. }) => Inside::Object,
            Some(_) => Inside::Array,
        };
        Ok(())
    }

    fn refuse_repeated_keys(&self, at: usize) -> Result<(), ParseError> {
        let node = super::Node {
            json: self.json,
            at,
        };
        let Some(members) = node.as_object() else {
            return Ok(());
        };
        let mut seen = HashSet::new();
        for (key, _) in members {
            if !seen.insert(key) {
                return Err(ParseError::RepeatedKey {
                    key: key.to_string(),
                });
            }
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8], slot: Slot) -> Result<(), ParseError> {
        let rest = self.source.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        self.json.slots.push(slot);
        Ok(())
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        self.eat(b'-');
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            Some(_) => return Err(self.unexpected()),
            None => return Err(ParseError::Unfinished),
        }
        if self.eat(b'.') {
            self.some_digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.some_digits()?;
        }
        let digits = self.source.get(start..self.at).unwrap_or_default();
        let slot = Slot::Number {
            start: len32(start)?,
            len: len32(digits.len())?,
        };
        if !self.rules.infinite_numbers
            && std::str::from_utf8(digits)
                .ok()
                .and_then(|text| text.parse::<f64>().ok())
                .is_none_or(f64::is_infinite)
        {
            return Err(ParseError::InfiniteNumber { at: start });
        }
        self.json.slots.push(slot);
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), ParseError> {
        match self.peek() {
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            Some(_) => Err(self.unexpected()),
            None => Err(ParseError::Unfinished),
        }
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<(), ParseError> {
        self.at += 1;
        let start = self.at;
        let rest = self.source.get(start..).unwrap_or_default();
        let plain = first_special(rest).ok_or(ParseError::Unfinished)?;
        self.at += plain;
        let len = match rest.get(plain) {
            Some(b'"') => plain,
            Some(b'\\') => self.escaped(start)?,
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        let (start, len) = (len32(start)?, len32(len)?);
        self.json.slots.push(Slot::String { start, len });
        Ok(())
    }

    /// A string with escapes: what it says is never longer than how it is
    /// written, so that it takes the place of it.
    fn escaped(&mut self, start: usize) -> Result<usize, ParseError> {
        let mut said = self.source.get(start..self.at).unwrap_or_default().to_vec();
        let mut surrogates = false;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => surrogates |= self.escape(&mut said)?,
                _ => return Err(self.unexpected()),
            }
            let rest = self.source.get(self.at..).unwrap_or_default();
            let plain = first_special(rest).ok_or(ParseError::Unfinished)?;
            said.extend_from_slice(rest.get(..plain).unwrap_or_default());
            self.at += plain;
        }
        if surrogates {
            self.settle_surrogates(&mut said)?;
        }
        let place = self.json.text.get_mut(start..start + said.len());
        place.ok_or(ParseError::TooLarge)?.copy_from_slice(&said);
        Ok(said.len())
    }

    /// One escape; says whether it named a surrogate.
    fn escape(&mut self, said: &mut Vec<u8>) -> Result<bool, ParseError> {
        self.at += 1;
        let byte = self.peek().ok_or(ParseError::Unfinished)?;
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let unit = self.four_hex_digits()?;
                push_wtf8_unit(said, 0, unit);
                return Ok((0xD800..=0xDFFF).contains(&unit));
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        said.push(plain);
        Ok(false)
    }

    fn four_hex_digits(&mut self) -> Result<u16, ParseError> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let byte = self.peek().ok_or(ParseError::Unfinished)?;
            let digit = char::from(byte)
                .to_digit(16)
                .ok_or_else(|| self.unexpected())?;
            unit = unit << 4 | u16::try_from(digit).unwrap_or(0);
            self.at += 1;
        }
        Ok(unit)
    }

    /// After an escape named a surrogate: refuse halves if the rules say so,
    /// and join an escaped half with a literal one beside it.
    fn settle_surrogates(&self, said: &mut Vec<u8>) -> Result<(), ParseError> {
        if std::str::from_utf8(said).is_ok() {
            return Ok(());
        }
        if !self.rules.lone_surrogates {
            return Err(ParseError::LoneSurrogate { at: self.at });
        }
        let joined = crate::text::JsString::from_units(crate::text::JsStr::from_wtf8(said).units());
        said.clear();
        said.extend_from_slice(joined.as_js().bytes());
        Ok(())
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.at += usize::from(hit);
        hit
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn unexpected(&self) -> ParseError {
        ParseError::Unexpected { at: self.at }
    }
}

fn len32(len: usize) -> Result<u32, ParseError> {
    u32::try_from(len).map_err(|_| ParseError::TooLarge)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::canonical;
    use crate::text::JsString;

    fn accepted(text: &str) -> bool {
        Json::parse(text).is_ok()
    }

    #[test]
    fn the_grammar_is_that_of_rfc_8259() {
        for text in [
            "0",
            "-0",
            "1e999",
            " \t\r\n[1, 2]\n",
            "\"\"",
            "{}",
            "[]",
            "true",
            "\"\\u0041\\/\"",
            "1E+2",
            "0.5",
            "\"\u{7f}\u{2028}\"",
        ] {
            assert!(accepted(text), "{text}");
        }
        for text in [
            "",
            " ",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "1e+",
            "[1,]",
            "[,]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "tru",
            "nulll",
            "\"\t\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"",
            "\"\\",
            "\"\\u1",
            "1 2",
            "[1",
            "{",
            "]",
            "}",
            "[}",
            "{]",
            "'a'",
            "\u{FEFF}1",
            "\u{A0}1",
            "NaN",
            "Infinity",
            "[1 2]",
            "{\"a\":1 \"b\":2}",
            "{\"a\" 1}",
            "{1:2}",
            "--1",
            "1-",
            ":",
            ",",
        ] {
            assert!(!accepted(text), "{text}");
        }
    }

    #[test]
    fn an_escaped_half_joins_a_literal_one() {
        let mut source = JsString::from("\"\\ud83d");
        source.push(JsString::from_units([0xDE00]).as_js());
        source.push_str("\"");
        let json = Json::parse_js(source.as_js()).unwrap();
        assert_eq!(json.root().as_str(), Some("\u{1F600}"));
    }

    #[test]
    fn a_reader_forgets_the_text_before() {
        let mut reader = Reader::default();
        for text in [r#"{"a":[1,"two"]}"#, "[", "[{}]", "7"] {
            let again = reader
                .read(text)
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
            let read = reader.read_first(text).ok();
            let read = read.map(|json| canonical::of_node(json.root()));
            assert_eq!(read.as_deref(), first, "{text}");
        }
    }

    #[test]
    fn a_string_with_escapes_leaves_its_neighbours_alone() {
        let text = r#"{"\u0061\n":"x\ty","b":["\ud83d\ude00z\ud800",-1.50,"\\"]}"#;
        let json = Json::parse(text).unwrap();
        let said = "{\"a\\n\":\"x\\ty\",\"b\":[\"\u{1F600}z\\ud800\",-1.5,\"\\\\\"]}";
        assert_eq!(canonical::of_node(json.root()), said);
        assert_eq!(canonical::of_node(json.root().to_json().root()), said);
    }

    #[test]
    fn halves_of_neighbouring_strings_do_not_join() {
        let json = Json::parse(r#"["\ud83d","\ude00"]"#).unwrap();
        assert_eq!(canonical::of_node(json.root()), r#"["\ud83d","\ude00"]"#);
    }

    #[test]
    fn strict_rules_name_what_they_refuse() {
        let strict = |text: &str| {
            Json::parse_with(text, &Rules::STRICT)
                .map(|_| ())
                .unwrap_err()
        };
        assert!(
            matches!(strict(r#"{"a":{"b":1,"b":2}}"#), ParseError::RepeatedKey { key } if key == "b")
        );
        assert!(matches!(
            strict(r#""\ud800""#),
            ParseError::LoneSurrogate { .. }
        ));
        assert!(matches!(strict("1e999"), ParseError::InfiniteNumber { .. }));
        assert!(matches!(
            strict(&"[".repeat(129)),
            ParseError::TooDeep { limit: 128, .. }
        ));
        assert!(Json::parse_with(&("[".repeat(128) + &"]".repeat(128)), &Rules::STRICT).is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused_and_agrees_with_serde_json(text in r#"[\[\]{}":,0-9eE.+\- a\\u]{0,24}"#) {
            let ours = Json::parse(&text).is_ok();
            let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
            // serde_json refuses lone surrogates and infinite numbers, we do not
            if theirs.is_ok() {
                prop_assert!(ours, "{}", text);
            }
            if ours && !text.contains('\\') && !text.contains(['e', 'E']) {
                prop_assert!(theirs.is_ok(), "{}", text);
            }
        }
    }
}
