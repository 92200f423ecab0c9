//! The reader: one pass over the text, an explicit stack, no recursion.

use crosscheck_core::json::{Json, ParseError, Rules};

use super::{Kind, Slot, Tape};
use crate::canonical;

const MAX_DEPTH: usize = 128;

/// Objects up to this size are searched for repeated keys pair by pair.
const FEW_KEYS: usize = 16;

/// An array or object that is not closed yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    at: usize,
    is_object: bool,
    /// Keys came in ascending order so far, so none came twice.
    ascending: bool,
    canonical: bool,
    last_key: Option<Slot>,
}

/// Fills the tape; says whether the text is JSON under the strict rules.
pub(super) fn parse(source: &str, tape: &mut Tape) -> bool {
    tape.slots.clear();
    tape.decoded.clear();
    tape.pieces.clear();
    tape.open.clear();
    u32::try_from(source.len()).is_ok()
        && Reader {
            source,
            at: 0,
            tape,
        }
        .document()
        .is_some()
}

/// Why a text was refused, in the words of the house. What is no JSON at all
/// is refused as such, even if a key came twice before it broke.
pub(super) fn why(source: &str) -> ParseError {
    const REPEATS_ALLOWED: Rules = Rules {
        repeated_keys: true,
        ..Rules::STRICT
    };
    let refused = |rules| Json::parse_with(source, rules).err();
    match refused(&Rules::STRICT) {
        Some(repeated @ ParseError::RepeatedKey { .. }) => {
            refused(&REPEATS_ALLOWED).unwrap_or(repeated)
        }
        Some(other) => other,
        None => ParseError::Unfinished, // the two readers accept the same texts
    }
}

struct Reader<'s, 't> {
    source: &'s str,
    at: usize,
    tape: &'t mut Tape,
}

impl Reader<'_, '_> {
    fn document(&mut self) -> Option<()> {
        loop {
            self.space();
            let opened = self.value()?;
            if opened {
                continue;
            }
            loop {
                self.space();
                let Some(&Open { is_object, .. }) = self.tape.open.last() else {
                    return (self.at == self.source.len()).then_some(());
                };
                match (self.peek()?, is_object) {
                    (b',', true) => {
                        self.at += 1;
                        self.key()?;
                        break;
                    }
                    (b',', false) => {
                        self.at += 1;
                        break;
                    }
                    (b'}', true) | (b']', false) => self.close()?,
                    _ => return None,
                }
            }
        }
    }

    /// Reads a value; says whether it is a container that wants one inside.
    fn value(&mut self) -> Option<bool> {
        match self.peek()? {
            b'{' => return self.begin(Kind::Object, b'}'),
            b'[' => return self.begin(Kind::Array, b']'),
            b'"' => {
                self.string()?;
            }
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true", Kind::True)?,
            b'f' => self.word("false", Kind::False)?,
            b'n' => self.word("null", Kind::Null)?,
            _ => return None,
        }
        Some(false)
    }

    fn begin(&mut self, kind: Kind, closing: u8) -> Option<bool> {
        if self.tape.open.len() >= MAX_DEPTH {
            return None;
        }
        let is_object = kind == Kind::Object;
        self.tape.open.push(Open {
            at: self.tape.slots.len(),
            is_object,
            ascending: true,
            canonical: true,
            last_key: None,
        });
        self.push(kind, self.at, self.at, 0, true);
        self.at += 1;
        self.space();
        if self.peek()? == closing {
            self.close()?;
            return Some(false);
        }
        if is_object {
            self.key()?;
        }
        Some(true)
    }

    fn close(&mut self) -> Option<()> {
        self.at += 1;
        let open = self.tape.open.pop()?;
        if !open.ascending && self.has_repeated_key(open.at) {
            return None;
        }
        let after = index(self.tape.slots.len());
        let slot = self.tape.slots.get_mut(open.at)?;
        slot.end = index(self.at);
        slot.extra = after;
        slot.canonical = open.canonical;
        self.settle(open.canonical);
        Some(())
    }

    /// A container is canonical if everything in it is.
    fn settle(&mut self, canonical: bool) {
        if let (false, Some(open)) = (canonical, self.tape.open.last_mut()) {
            open.canonical = false;
        }
    }

    fn has_repeated_key(&self, at: usize) -> bool {
        let tape = &*self.tape;
        let mut keys = Vec::new();
        let mut next = index(at) + 1;
        while (next as usize) < tape.slots.len() {
            keys.push(tape.string_in(tape.slot(next), self.source));
            next = tape.after(next + 1);
        }
        if keys.len() <= FEW_KEYS {
            let mut rest = keys.as_slice();
            while let Some((first, others)) = rest.split_first() {
                if others.contains(first) {
                    return true;
                }
                rest = others;
            }
            return false;
        }
        keys.sort_unstable();
        keys.array_windows().any(|[a, b]| a == b)
    }

    /// A key and its colon.
    fn key(&mut self) -> Option<()> {
        self.space();
        if self.peek()? != b'"' {
            return None;
        }
        let key = self.string()?;
        let open = self.tape.open.last().copied()?;
        let ascends = open.last_key.is_none_or(|last| self.is_before(last, key));
        let open = self.tape.open.last_mut()?;
        open.last_key = Some(key);
        if !ascends {
            open.ascending = false;
            open.canonical = false;
        }
        self.space();
        (self.peek()? == b':').then(|| self.at += 1)
    }

    fn is_before(&self, a: Slot, b: Slot) -> bool {
        let text = |slot| self.tape.string_in(slot, self.source).as_bytes();
        let (a, b) = (text(a), text(b));
        match (a.first(), b.first()) {
            (Some(first), Some(second)) if first != second => first < second,
            _ => a < b,
        }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Option<()> {
        let start = self.at;
        self.at += word.len();
        if self.source.as_bytes().get(start..self.at)? != word.as_bytes() {
            return None;
        }
        self.push(kind, start, self.at, 0, true);
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        self.eat(b'-');
        match self.peek()? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits()?,
            _ => return None,
        }
        let mut kind = Kind::Integer;
        if self.eat(b'.') {
            kind = Kind::Double;
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            kind = Kind::Double;
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let text = self.source.get(start..self.at)?;
        let canonical = match kind {
            Kind::Integer => is_finite(text)? && text != "-0",
            _ => is_finite(text)? && canonical::is_canonical_double(text),
        };
        self.settle(canonical);
        self.push(kind, start, self.at, 0, canonical);
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<Slot> {
        self.at += 1;
        let start = self.at;
        self.at += plain(self.source.as_bytes().get(start..)?);
        match self.peek()? {
            b'"' => {
                self.at += 1;
                Some(self.push(Kind::Text, start, self.at - 1, 0, true))
            }
            b'\\' => self.escaped(start),
            _ => None,
        }
    }

    /// The rest of a string, from its first escape on.
    fn escaped(&mut self, start: usize) -> Option<Slot> {
        let from = index(self.tape.decoded.len());
        let mut canonical = true;
        let mut piece = start;
        loop {
            self.tape.decoded.push_str(self.source.get(piece..self.at)?);
            match self.peek()? {
                b'"' => break,
                b'\\' => canonical &= self.escape()?,
                _ => return None,
            }
            piece = self.at;
            self.at += plain(self.source.as_bytes().get(piece..)?);
        }
        self.at += 1;
        let extra = index(self.tape.pieces.len());
        let to = index(self.tape.decoded.len());
        self.tape.pieces.push((from, to));
        self.settle(canonical);
        Some(self.push(Kind::Escaped, start, self.at - 1, extra, canonical))
    }

    /// One escape; says whether the canonical form has it so.
    fn escape(&mut self) -> Option<bool> {
        self.at += 1;
        let byte = self.peek()?;
        self.at += 1;
        let (c, canonical) = match byte {
            b'"' | b'\\' => (char::from(byte), true),
            b'/' => ('/', false),
            b'b' => ('\u{8}', true),
            b'f' => ('\u{C}', true),
            b'n' => ('\n', true),
            b'r' => ('\r', true),
            b't' => ('\t', true),
            b'u' => self.code_point()?,
            _ => return None,
        };
        self.tape.decoded.push(c);
        Some(canonical)
    }

    /// What follows `\u`, with the other half of a pair.
    fn code_point(&mut self) -> Option<(char, bool)> {
        let start = self.at;
        let unit = self.unit()?;
        let c = if (0xD800..0xDC00).contains(&unit) {
            if !(self.eat(b'\\') && self.eat(b'u')) {
                return None;
            }
            let low = self.unit()?;
            char::decode_utf16([unit, low]).next()?.ok()?
        } else {
            char::from_u32(u32::from(unit))?
        };
        let digits = self.source.get(start..self.at)?;
        let canonical = c < ' '
            && !matches!(c, '\u{8}' | '\t' | '\n' | '\u{C}' | '\r')
            && !digits.bytes().any(|digit| digit.is_ascii_uppercase());
        Some((c, canonical))
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.source.get(self.at..self.at + 4)?;
        self.at += 4;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None; // a sign is no digit
        }
        u16::from_str_radix(digits, 16).ok()
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize, extra: u32, canonical: bool) -> Slot {
        let slot = Slot {
            start: index(start),
            end: index(end),
            extra,
            kind,
            canonical,
        };
        self.tape.slots.push(slot);
        slot
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.at += usize::from(hit);
        hit
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    /// Skips blanks; the canonical form has none.
    fn space(&mut self) {
        let start = self.at;
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        if self.at > start {
            self.settle(false);
        }
    }
}

/// How many bytes come before a quote, a backslash or a control character;
/// eight at a time.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let mut at = 0;
    for chunk in bytes.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*chunk);
        // Exact up to the first hit, which is the one asked for.
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let hits = control
            | zeros(word ^ (ONES * u64::from(b'"')))
            | zeros(word ^ (ONES * u64::from(b'\\')));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F))
        .unwrap_or(rest.len())
}

/// Whether a number fits a double; nothing if it does not.
fn is_finite(text: &str) -> Option<bool> {
    let short = text.len() <= 300 && !text.contains(['e', 'E']);
    (short || text.parse::<f64>().is_ok_and(f64::is_finite)).then_some(true)
}

/// Positions fit 32 bits: larger texts are refused.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
