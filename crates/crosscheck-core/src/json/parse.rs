//! The parser: one pass, an explicit stack, no recursion.

#![expect(
    clippy::inline_always,
    reason = "measured: left to itself the compiler makes calls of the busiest lines"
)]

use std::collections::HashSet;

use super::form::{Form, Piece, shift};
use super::{End, Json, Slot, index32};
use crate::text::{JsStr, JsString, first_special, push_wtf8_unit};

/// What a parser accepts beyond the grammar of RFC 8259.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Deepest nesting of arrays and objects; `None` means no limit.
    pub max_depth: Option<usize>,
    /// Whether a lone surrogate such as `\ud800` is accepted.
    pub lone_surrogates: bool,
    /// Whether a key may be repeated in one object (the last one counts).
    pub repeated_keys: bool,
    /// Whether a number may be too large for a double.
    pub infinite_numbers: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self::ECMASCRIPT
    }
}

impl Rules {
    /// What ECMAScript `JSON.parse` accepts.
    pub const ECMASCRIPT: Self = Self {
        max_depth: None,
        lone_surrogates: true,
        repeated_keys: true,
        infinite_numbers: true,
    };

    /// Nothing that readers could interpret differently, at most 128 levels.
    pub const STRICT: Self = Self {
        max_depth: Some(128),
        lone_surrogates: false,
        repeated_keys: false,
        infinite_numbers: false,
    };
}

/// Why a text is not JSON under the given rules. Offsets count bytes.
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
    /// An escape is a lone surrogate.
    #[error("half of a surrogate pair at byte {at}")]
    LoneSurrogate {
        /// Where the string ends.
        at: usize,
    },
    /// A key is repeated in one object.
    #[error("the key `{key}` is repeated in one object")]
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
    /// The text is not UTF-8.
    #[error("the text is not UTF-8 at byte {at}")]
    NotUtf8 {
        /// Where.
        at: usize,
    },
    /// The text is larger than four gigabytes.
    #[error("the text is larger than 4 GiB")]
    TooLarge,
}

/// The usual size of a short text; larger ones take their memory as they grow.
const LIKELY: usize = 512;

pub(super) fn parse(source: &[u8], rules: &Rules) -> Result<Json, ParseError> {
    let mut json = Json::default();
    let mut open = Vec::new();
    json.begin(source)?;
    json.slots.reserve((source.len() / 8).min(LIKELY / 8));
    Parser::new(source, rules, End::OfText, (&mut json, &mut open)).parse()?;
    Ok(json)
}

impl Json {
    /// Takes ownership of a text to parse.
    pub(super) fn begin(&mut self, source: &[u8]) -> Result<(), ParseError> {
        if u32::try_from(source.len()).is_err() {
            return Err(ParseError::TooLarge);
        }
        self.text.clear();
        self.text.extend_from_slice(source);
        Ok(())
    }
}

/// The text is not JSON; the parser knows why. Empty, so that the fast path
/// returns small values.
pub(super) struct Stop;

pub(super) type Read<T> = Result<T, Stop>;

/// The current position is passed from function to function, so that it stays
/// in a register.
pub(super) struct Parser<'s> {
    source: &'s [u8],
    rules: &'s Rules,
    end: End,
    /// Its text is the source; strings with escapes are replaced in place.
    json: &'s mut Json,
    /// Slots of the arrays and objects that are open here.
    open: &'s mut Vec<usize>,
    inside: Inside,
    /// The first repeated key, if the rules forbid it. Reported only if the
    /// text is valid JSON otherwise.
    repeated: Option<String>,
    /// Whether a string was unescaped in the text of `json`.
    pub(super) is_changed: bool,
    why: ParseError,
}

/// The innermost container that is open.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Array,
    Object,
}

impl<'s> Parser<'s> {
    /// Parses a text that `json` owns, into memory that may be reused.
    pub(super) fn new(
        source: &'s [u8],
        rules: &'s Rules,
        end: End,
        (json, open): (&'s mut Json, &'s mut Vec<usize>),
    ) -> Self {
        json.slots.clear();
        json.form = None;
        open.clear();
        Self {
            source,
            rules,
            end,
            json,
            open,
            inside: Inside::Nothing,
            repeated: None,
            is_changed: false,
            why: ParseError::Unfinished,
        }
    }

    /// Parses; returns where the value or the text ends.
    pub(super) fn parse(&mut self) -> Result<usize, ParseError> {
        self.document()
            .map_err(|Stop| std::mem::replace(&mut self.why, ParseError::Unfinished))
    }

    /// Reads a text of this form and returns its end; fails for any other form
    /// without a reason.
    pub(super) fn follow(&mut self, form: &Form) -> Read<usize> {
        self.json.slots.extend_from_slice(&form.slots);
        let (mut at, mut slot) = (0, 0);
        for (fixed, piece) in form.pieces() {
            at = self.fixed(fixed, piece, slot, at)?;
            let (value, after) = match self.some(at)? {
                b'"' => self.string(at)?,
                byte => self.number_or_word(byte, at)?,
            };
            *self.json.slots.get_mut(piece.slots).ok_or(Stop)? = value;
            (at, slot) = (after, piece.slots + 1);
        }
        let (fixed, piece) = form.tail();
        at = self.fixed(fixed, piece, slot, at)?;
        match form.end {
            End::OfText if at < self.source.len() => Err(Stop),
            _ => Ok(at),
        }
    }

    /// Compares fixed text.
    #[inline(always)]
    fn fixed(&mut self, fixed: &[u8], piece: &Piece, slot: usize, at: usize) -> Read<usize> {
        if !begins_with(self.source.get(at..).unwrap_or_default(), fixed) {
            return Err(Stop);
        }
        let slots = self.json.slots.get_mut(slot..piece.slots);
        shift(slots.ok_or(Stop)?, index32(at).wrapping_sub(piece.began));
        Ok(at + fixed.len())
    }

    fn document(&mut self) -> Read<usize> {
        let mut at = 0;
        loop {
            // each iteration begins where a value must begin
            at = self.space(at);
            at = match self.some(at)? {
                b'"' => {
                    let (slot, after) = self.string(at)?;
                    self.json.slots.push(slot);
                    after
                }
                b'{' => match self.begin(Inside::Object, at)? {
                    (next, false) => next,
                    (first, true) => {
                        at = self.key(first)?;
                        continue;
                    }
                },
                b'[' => match self.begin(Inside::Array, at)? {
                    (next, false) => next,
                    (first, true) => {
                        at = first;
                        continue;
                    }
                },
                byte => {
                    let (slot, after) = self.number_or_word(byte, at)?;
                    self.json.slots.push(slot);
                    after
                }
            };
            let (next, goes_on) = self.another(at)?;
            if !goes_on {
                return self.finish(next);
            }
            at = next;
        }
    }

    /// After a value: where the next one begins; after the outermost value, its
    /// end and `false`.
    #[inline(always)]
    fn another(&mut self, mut at: usize) -> Read<(usize, bool)> {
        while self.inside != Inside::Nothing {
            at = self.space(at);
            match (self.some(at)?, self.inside) {
                (b',', Inside::Object) => {
                    let key = self.space(at + 1);
                    return Ok((self.key(key)?, true));
                }
                (b',', _) => return Ok((at + 1, true)),
                (b'}', Inside::Object) | (b']', Inside::Array) => at = self.close(at),
                _ => return self.unexpected(at),
            }
        }
        Ok((at, false))
    }

    /// A key and its colon.
    #[inline]
    fn key(&mut self, at: usize) -> Read<usize> {
        if self.some(at)? != b'"' {
            return self.unexpected(at);
        }
        let (slot, at) = self.string(at)?;
        self.json.slots.push(slot);
        let at = self.space(at);
        if self.byte(at) != Some(b':') {
            return self.unexpected(at);
        }
        Ok(at + 1)
    }

    /// After the outermost value.
    fn finish(&mut self, mut at: usize) -> Read<usize> {
        if self.end == End::OfText {
            at = self.space(at);
            if at < self.source.len() {
                return self.unexpected(at);
            }
        }
        match self.repeated.take() {
            Some(key) => self.stop(ParseError::RepeatedKey { key }),
            None => Ok(at),
        }
    }

    fn number_or_word(&mut self, byte: u8, at: usize) -> Read<(Slot, usize)> {
        match byte {
            b'-' | b'0'..=b'9' => self.number(at),
            b't' => self.word(b"true", Slot::Bool(true), at),
            b'f' => self.word(b"false", Slot::Bool(false), at),
            b'n' => self.word(b"null", Slot::Null, at),
            _ => self.unexpected(at),
        }
    }

    /// Where the first value or key of a container begins; if it is empty,
    /// where it ends and `false`.
    fn begin(&mut self, inside: Inside, at: usize) -> Read<(usize, bool)> {
        if let Some(limit) = self.rules.max_depth
            && self.open.len() >= limit
        {
            return self.stop(ParseError::TooDeep { at, limit });
        }
        let (start, end) = (index32(at), 0);
        self.open.push(self.json.slots.len());
        self.inside = inside;
        let (slot, closing) = match inside {
            Inside::Object => (Slot::Object { start, end }, b'}'),
            Inside::Array | Inside::Nothing => (Slot::Array { start, end }, b']'),
        };
        self.json.slots.push(slot);
        let first = self.space(at + 1);
        if self.byte(first) == Some(closing) {
            return Ok((self.close(first), false));
        }
        Ok((first, true))
    }

    fn close(&mut self, at: usize) -> usize {
        if let Some(slot) = self.open.pop() {
            let stop = index32(self.json.slots.len());
            if let Some(Slot::Array { end, .. } | Slot::Object { end, .. }) =
                self.json.slots.get_mut(slot)
            {
                *end = stop;
            }
            if !self.rules.repeated_keys && self.repeated.is_none() {
                self.repeated = self.repeated_key(slot);
            }
        }
        self.inside = match self.open.last().and_then(|at| self.json.slots.get(*at)) {
            None => Inside::Nothing,
            Some(Slot::Object { .. }) => Inside::Object,
            Some(_) => Inside::Array,
        };
        at + 1
    }

    /// The first repeated key of an object.
    fn repeated_key(&self, at: usize) -> Option<String> {
        let json = &*self.json;
        let members = super::Node { json, at }.as_object()?;
        let mut keys = members.map(|(key, _)| key);
        // ascending keys, as most programs write them, need no set
        if keys.clone().is_sorted_by(|a, b| a.bytes() < b.bytes()) {
            return None;
        }
        let mut seen = HashSet::new();
        keys.find(|key| !seen.insert(*key))
            .map(|key| key.to_string())
    }

    fn word(&mut self, word: &[u8], slot: Slot, at: usize) -> Read<(Slot, usize)> {
        let rest = self.source.get(at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return self.unexpected(at);
        }
        Ok((slot, at + word.len()))
    }

    fn number(&mut self, start: usize) -> Read<(Slot, usize)> {
        let mut at = start + usize::from(self.byte(start) == Some(b'-'));
        at = match self.some(at)? {
            b'0' => at + 1,
            b'1'..=b'9' => self.digits(at),
            _ => return self.unexpected(at),
        };
        if self.byte(at) == Some(b'.') {
            at = self.some_digits(at + 1)?;
        }
        if let Some(b'e' | b'E') = self.byte(at) {
            let signed = matches!(self.byte(at + 1), Some(b'+' | b'-'));
            at = self.some_digits(at + 1 + usize::from(signed))?;
        }
        if !self.rules.infinite_numbers {
            self.refuse_infinity(start, at)?;
        }
        let slot = Slot::Number {
            start: index32(start),
            len: index32(at - start),
        };
        Ok((slot, at))
    }

    fn refuse_infinity(&mut self, start: usize, end: usize) -> Read<()> {
        /// An integer or decimal up to this length fits a double.
        const FEW_DIGITS: usize = 300;
        let digits = self.source.get(start..end).unwrap_or_default();
        let is_small =
            digits.len() <= FEW_DIGITS && !digits.iter().any(|byte| matches!(byte, b'e' | b'E'));
        let text = || std::str::from_utf8(digits).unwrap_or_default();
        if is_small || text().parse::<f64>().is_ok_and(f64::is_finite) {
            return Ok(());
        }
        self.stop(ParseError::InfiniteNumber { at: start })
    }

    /// The end of at least one digit.
    fn some_digits(&mut self, at: usize) -> Read<usize> {
        if self.some(at)?.is_ascii_digit() {
            return Ok(self.digits(at));
        }
        self.unexpected(at)
    }

    fn digits(&self, mut at: usize) -> usize {
        while let Some(b'0'..=b'9') = self.byte(at) {
            at += 1;
        }
        at
    }

    /// A string, from its quote on.
    #[inline(always)]
    fn string(&mut self, at: usize) -> Read<(Slot, usize)> {
        let start = at + 1;
        let end = self.plain(start)?;
        if self.byte(end) != Some(b'"') {
            return self.escaped(start, end);
        }
        let slot = Slot::String {
            start: index32(start),
            len: index32(end - start),
        };
        Ok((slot, end + 1))
    }

    /// The position of the first special byte of a string.
    #[inline(always)]
    fn plain(&mut self, at: usize) -> Read<usize> {
        match first_special(self.source.get(at..).unwrap_or_default()) {
            Some(plain) => Ok(at + plain),
            None => self.stop(ParseError::Unfinished),
        }
    }

    /// A string with escapes, from the first one on. Its value is never longer
    /// than its spelling, so it is written in place.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, start: usize, mut at: usize) -> Read<(Slot, usize)> {
        self.is_changed = true;
        let (mut end, mut surrogates) = (at, false);
        loop {
            match self.byte(at) {
                Some(b'"') => break,
                Some(b'\\') if self.byte(at + 1) == Some(b'u') => {
                    let unit = self.four_hex_digits(at + 2)?;
                    surrogates |= (0xD800..=0xDFFF).contains(&unit);
                    end = self.put_unit(start, end, unit);
                    at += 6;
                }
                Some(b'\\') => {
                    let plain = self.escape(at + 1)?;
                    end = self.put(end, &[plain]);
                    at += 2;
                }
                _ => return self.unexpected(at),
            }
            let stop = self.plain(at)?;
            end = self.put(end, self.source.get(at..stop).unwrap_or_default());
            at = stop;
        }
        if surrogates {
            let mut said = self.json.text.get(start..end).unwrap_or_default().to_vec();
            self.settle_surrogates(&mut said, at)?;
            end = self.put(start, &said);
        }
        let slot = Slot::String {
            start: index32(start),
            len: index32(end - start),
        };
        Ok((slot, at + 1))
    }

    /// Writes to the text of `json`; returns the end of what was written.
    #[inline(always)]
    fn put(&mut self, at: usize, bytes: &[u8]) -> usize {
        let end = at + bytes.len();
        if let Some(place) = self.json.text.get_mut(at..end) {
            place.copy_from_slice(bytes);
        }
        end
    }

    /// Writes a UTF-16 unit; one half of a pair is joined with the other, if
    /// that comes directly before it.
    fn put_unit(&mut self, start: usize, end: usize, unit: u16) -> usize {
        if let Some(letter) = char::from_u32(u32::from(unit)) {
            return self.put(end, letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        let from = end.saturating_sub(3).max(start);
        let mut said = self.json.text.get(from..end).unwrap_or_default().to_vec();
        push_wtf8_unit(&mut said, 0, unit);
        self.put(from, &said)
    }

    /// What a backslash and this byte stand for.
    fn escape(&mut self, at: usize) -> Read<u8> {
        let byte = self.some(at)?;
        Ok(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => return self.unexpected(at),
        })
    }

    fn four_hex_digits(&mut self, start: usize) -> Read<u16> {
        let mut unit = 0;
        for at in start..start + 4 {
            let byte = self.some(at)?;
            let Some(digit) = char::from(byte).to_digit(16) else {
                return self.unexpected(at);
            };
            unit = unit << 4 | u16::try_from(digit).unwrap_or(0);
        }
        Ok(unit)
    }

    /// After a surrogate escape: refuses lone surrogates if the rules say so,
    /// and joins an escaped half with a literal one next to it.
    fn settle_surrogates(&mut self, said: &mut Vec<u8>, at: usize) -> Read<()> {
        if std::str::from_utf8(said).is_ok() {
            return Ok(());
        }
        if !self.rules.lone_surrogates {
            return self.stop(ParseError::LoneSurrogate { at });
        }
        let joined = JsString::from_units(JsStr::from_wtf8(said).units());
        said.clear();
        said.extend_from_slice(joined.as_js().bytes());
        Ok(())
    }

    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        self.source.get(at).copied()
    }

    /// The expected byte.
    #[inline]
    fn some(&mut self, at: usize) -> Read<u8> {
        match self.byte(at) {
            Some(byte) => Ok(byte),
            None => self.stop(ParseError::Unfinished),
        }
    }

    /// Where white space ends.
    #[inline]
    fn space(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte(at) {
            at += 1;
        }
        at
    }

    #[cold]
    #[inline(never)]
    fn stop<T>(&mut self, why: ParseError) -> Read<T> {
        self.why = why;
        Err(Stop)
    }

    #[cold]
    #[inline(never)]
    fn unexpected<T>(&mut self, at: usize) -> Read<T> {
        self.stop(ParseError::Unexpected { at })
    }
}

/// As `starts_with`, for short texts: without a call.
#[inline(always)]
fn begins_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else {
        return false;
    };
    let (words, others) = (text.as_chunks::<8>().0, start.as_chunks::<8>().0);
    let differ = |a: &[u8; 8], b: &[u8; 8]| u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
    let mut found = 0;
    for (a, b) in words.iter().zip(others) {
        found |= differ(a, b);
    }
    // the last eight bytes once more, or all if there are fewer
    match (text.last_chunk::<8>(), start.last_chunk::<8>()) {
        (Some(a), Some(b)) => found | differ(a, b) == 0,
        _ => text.iter().zip(start).all(|(a, b)| a == b),
    }
}

#[cfg(test)]
mod tests;
