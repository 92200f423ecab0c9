//! The reader: one pass over the text, an explicit stack, no recursion.

#![expect(
    clippy::inline_always,
    reason = "measured: left to itself the compiler makes calls of the busiest lines"
)]

mod number;

use crosscheck_core::json::{Json, ParseError, Rules};

use super::{Kind, Marks, Slot};

const MAX_DEPTH: usize = 128;
/// Inside a text of which the outer levels are read elsewhere; deeper ones
/// are rare and can be read as a whole.
const MAX_INNER_DEPTH: usize = MAX_DEPTH - 8;

/// Objects up to this size are searched for repeated keys pair by pair.
const FEW_KEYS: usize = 16;

/// An array or object that is not closed yet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Open {
    /// Its slot.
    at: u32,
    is_object: bool,
    /// Keys came in ascending order so far, so none came twice.
    ascending: bool,
    canonical: bool,
    /// The slot of the key read last.
    last_key: Option<u32>,
}

/// Marks the values of a text; says whether it is JSON under the strict rules.
pub(super) fn parse(source: &str, marks: &mut Marks) -> bool {
    marks.clear();
    u32::try_from(source.len()).is_ok()
        && Reader::new(source, marks, MAX_DEPTH).document().is_some()
}

/// Marks the value that begins here; gives its end.
pub(super) fn parse_inner(source: &str, at: usize, marks: &mut Marks) -> Option<usize> {
    u32::try_from(source.len()).ok()?;
    Reader::new(source, marks, MAX_INNER_DEPTH).value(at)
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

/// Where reading stands is handed from function to function, so that it stays
/// in a register: this is the busiest loop of the house.
struct Reader<'s, 't> {
    source: &'s str,
    bytes: &'s [u8],
    /// The innermost container; those around it wait among the marks.
    open: Open,
    marks: &'t mut Marks,
    max_depth: usize,
}

impl<'s, 't> Reader<'s, 't> {
    fn new(source: &'s str, marks: &'t mut Marks, max_depth: usize) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            open: Open::default(),
            marks,
            max_depth,
        }
    }

    fn document(&mut self) -> Option<()> {
        let start = self.space(0);
        let end = self.value(start)?;
        (self.space(end) == self.bytes.len()).then_some(())
    }

    /// One value, from its first byte on; gives its end.
    fn value(&mut self, mut at: usize) -> Option<usize> {
        if matches!(self.bytes.get(at)?, b' ' | b'\t' | b'\n' | b'\r') {
            return None;
        }
        loop {
            let (first, start) = self.token(at)?;
            at = match first {
                b'"' => self.string(start)?,
                b'{' => {
                    let (next, inside) = self.begin(Kind::Object, start)?;
                    if next != b'}' {
                        at = self.key(inside)?;
                        continue;
                    }
                    self.close(inside)?
                }
                b'[' => {
                    let (next, inside) = self.begin(Kind::Array, start)?;
                    if next != b']' {
                        at = inside;
                        continue;
                    }
                    self.close(inside)?
                }
                b't' => self.word("true", Kind::True, start)?,
                b'f' => self.word("false", Kind::False, start)?,
                b'n' => self.word("null", Kind::Null, start)?,
                _ => self.number(start)?,
            };
            loop {
                if self.marks.open.is_empty() {
                    return Some(at);
                }
                let (next, here) = self.token(at)?;
                match (next, self.open.is_object) {
                    (b',', true) => {
                        at = self.key(here + 1)?;
                        break;
                    }
                    (b',', false) => {
                        at = here + 1;
                        break;
                    }
                    (b'}', true) | (b']', false) => at = self.close(here)?,
                    _ => return None,
                }
            }
        }
    }

    /// Opens a container; gives the first byte inside it and its place.
    fn begin(&mut self, kind: Kind, at: usize) -> Option<(u8, usize)> {
        if self.marks.open.len() >= self.max_depth {
            return None;
        }
        self.marks.open.push(self.open);
        self.open = Open {
            at: index(self.marks.slots.len()),
            is_object: kind == Kind::Object,
            ascending: true,
            canonical: true,
            last_key: None,
        };
        self.push(kind, (at, at), 0, true);
        self.token(at + 1)
    }

    fn close(&mut self, at: usize) -> Option<usize> {
        let outer = self.marks.open.pop()?;
        let open = std::mem::replace(&mut self.open, outer);
        if !open.ascending && self.has_repeated_key(open.at) {
            return None;
        }
        let after = index(self.marks.slots.len());
        let slot = self.marks.slots.get_mut(open.at as usize)?;
        slot.end = index(at + 1);
        slot.extra = after;
        slot.canonical = open.canonical;
        self.open.canonical &= open.canonical; // as canonical as all that is inside
        Some(at + 1)
    }

    #[cold]
    #[inline(never)]
    fn has_repeated_key(&self, at: u32) -> bool {
        let marks = &*self.marks;
        let mut keys = Vec::new();
        let mut next = at + 1;
        while (next as usize) < marks.slots.len() {
            keys.push(marks.string(marks.slot(next), self.source));
            next = marks.after(next + 1);
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
    #[inline(always)]
    fn key(&mut self, at: usize) -> Option<usize> {
        let (quote, at) = self.token(at)?;
        if quote != b'"' {
            return None;
        }
        let key = index(self.marks.slots.len());
        let at = self.string(at)?;
        let last = self.open.last_key.replace(key);
        if last.is_some_and(|last| !self.is_before(last, key)) {
            self.open.ascending = false;
            self.open.canonical = false;
        }
        let (colon, at) = self.token(at)?;
        (colon == b':').then_some(at + 1)
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.text(a), self.text(b));
        match (a.first(), b.first()) {
            (Some(first), Some(second)) if first != second => first < second,
            _ => a < b,
        }
    }

    /// The content of the string in a slot.
    fn text(&self, at: u32) -> &[u8] {
        let slot = self.marks.slot(at);
        if slot.kind == Kind::Text {
            let (start, end) = (slot.start as usize, slot.end as usize);
            self.bytes.get(start..end).unwrap_or_default()
        } else {
            self.marks.string(slot, self.source).as_bytes()
        }
    }

    fn word(&mut self, word: &str, kind: Kind, start: usize) -> Option<usize> {
        let end = start + word.len();
        if self.bytes.get(start..end)? != word.as_bytes() {
            return None;
        }
        self.push(kind, (start, end), 0, true);
        Some(end)
    }

    /// A string, from its quote on.
    #[inline(always)]
    fn string(&mut self, at: usize) -> Option<usize> {
        let start = at + 1;
        let end = start + plain(self.bytes.get(start..)?);
        match self.bytes.get(end)? {
            b'"' => {
                self.push(Kind::Text, (start, end), 0, true);
                Some(end + 1)
            }
            b'\\' => self.escaped(start, end),
            _ => None,
        }
    }

    /// The rest of a string, from its first escape on; apart, so that the
    /// common way stays short.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, start: usize, mut at: usize) -> Option<usize> {
        let from = index(self.marks.decoded.len());
        let mut canonical = true;
        let mut piece = start;
        loop {
            self.marks.decoded.push_str(self.source.get(piece..at)?);
            match self.bytes.get(at)? {
                b'"' => break,
                b'\\' => {
                    let (c, is_canonical, after) = self.escape(at + 1)?;
                    self.marks.decoded.push(c);
                    canonical &= is_canonical;
                    piece = after;
                }
                _ => return None,
            }
            at = piece + plain(self.bytes.get(piece..)?);
        }
        let extra = index(self.marks.pieces.len());
        let to = index(self.marks.decoded.len());
        self.marks.pieces.push((from, to));
        self.open.canonical &= canonical;
        self.push(Kind::Escaped, (start, at), extra, canonical);
        Some(at + 1)
    }

    /// What follows a backslash: the character, whether the canonical form has
    /// it so, and where it ends.
    fn escape(&self, at: usize) -> Option<(char, bool, usize)> {
        let byte = *self.bytes.get(at)?;
        let (c, canonical) = match byte {
            b'"' | b'\\' => (char::from(byte), true),
            b'/' => ('/', false),
            b'b' => ('\u{8}', true),
            b'f' => ('\u{C}', true),
            b'n' => ('\n', true),
            b'r' => ('\r', true),
            b't' => ('\t', true),
            b'u' => return self.code_point(at + 1),
            _ => return None,
        };
        Some((c, canonical, at + 1))
    }

    /// What follows `\u`, with the other half of a pair.
    fn code_point(&self, start: usize) -> Option<(char, bool, usize)> {
        let unit = self.unit(start)?;
        let mut end = start + 4;
        let c = if (0xD800..0xDC00).contains(&unit) {
            if self.bytes.get(end..end + 2)? != b"\\u" {
                return None;
            }
            let low = self.unit(end + 2)?;
            end += 6;
            char::decode_utf16([unit, low]).next()?.ok()?
        } else {
            char::from_u32(u32::from(unit))?
        };
        let digits = self.bytes.get(start..end)?;
        let canonical = c < ' '
            && !matches!(c, '\u{8}' | '\t' | '\n' | '\u{C}' | '\r')
            && !digits.iter().any(u8::is_ascii_uppercase);
        Some((c, canonical, end))
    }

    fn unit(&self, start: usize) -> Option<u16> {
        let digits = self.source.get(start..start + 4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None; // a sign is no digit
        }
        u16::from_str_radix(digits, 16).ok()
    }

    #[inline(always)]
    fn push(&mut self, kind: Kind, (start, end): (usize, usize), extra: u32, canonical: bool) {
        self.marks.slots.push(Slot {
            start: index(start),
            end: index(end),
            extra,
            kind,
            canonical,
        });
    }

    fn is(&self, byte: u8, at: usize) -> bool {
        self.bytes.get(at) == Some(&byte)
    }

    /// The next byte that is no blank, and its place.
    #[inline(always)]
    fn token(&mut self, at: usize) -> Option<(u8, usize)> {
        match *self.bytes.get(at)? {
            b' ' | b'\t' | b'\n' | b'\r' => {
                let at = self.space(at);
                Some((*self.bytes.get(at)?, at))
            }
            byte => Some((byte, at)),
        }
    }

    /// Skips blanks; the canonical form has none.
    #[cold]
    #[inline(never)]
    fn space(&mut self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(at) {
            at += 1;
            self.open.canonical = false;
        }
        at
    }
}

/// How many bytes come before a quote, a backslash or a control character;
/// eight at a time.
#[inline(always)]
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

/// Positions fit 32 bits: larger texts are refused.
#[inline]
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
