//! Text as ECMAScript sees it.
//!
//! A JSON text may contain a lone surrogate, which a Rust `str` cannot.
//! Such text must survive from the log to the report, so strings are kept as
//! WTF-8: UTF-8, plus lone surrogates in the three-byte form. A high surrogate
//! directly before a low one is always stored as the character they make, so
//! equal texts have equal bytes.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use smallvec::SmallVec;

/// Borrowed ECMAScript text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct JsStr<'a>(&'a [u8]);

/// Owned ECMAScript text. Short texts, which are the most common, are stored
/// inline.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct JsString(Bytes);

type Bytes = SmallVec<[u8; 24]>;

impl<'a> JsStr<'a> {
    #[inline]
    pub(crate) const fn from_wtf8(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The WTF-8 bytes; equal texts have equal bytes.
    #[inline]
    pub const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text as `str`, unless it holds a lone surrogate.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }

    /// The text with every lone surrogate shown as U+FFFD.
    pub fn to_str_lossy(self) -> Cow<'a, str> {
        match std::str::from_utf8(self.0) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(
                char::decode_utf16(self.units())
                    .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect(),
            ),
        }
    }

    /// An owned copy.
    #[inline]
    pub fn to_owned(self) -> JsString {
        JsString(Bytes::from_slice(self.0))
    }

    /// Whether the text is empty.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The UTF-16 code units.
    pub fn units(self) -> Units<'a> {
        Units {
            bytes: self.0,
            low: None,
        }
    }

    /// The number of UTF-16 code units.
    pub fn unit_len(self) -> usize {
        self.0
            .iter()
            .map(|byte| match byte {
                0x80..=0xBF => 0,
                0xF0.. => 2,
                _ => 1,
            })
            .sum()
    }

    /// The text without ECMAScript white space at both ends.
    #[must_use]
    pub fn trim(self) -> Self {
        Self(trim_wtf8(self.0))
    }

    /// The text before and after the first occurrence of an ASCII character.
    pub fn split_once(self, at: char) -> Option<(Self, Self)> {
        let at = self
            .0
            .iter()
            .position(|byte| char::from(*byte) == at && byte.is_ascii())?;
        Some((Self(self.0.get(..at)?), Self(self.0.get(at + 1..)?)))
    }

    /// The parts between the occurrences of an ASCII character.
    pub fn split(self, at: char) -> impl Iterator<Item = Self> {
        self.0
            .split(move |byte| char::from(*byte) == at && byte.is_ascii())
            .map(Self)
    }

    /// UTF-16 order, see [`utf16_order`].
    pub fn order(self, other: JsStr<'_>) -> Ordering {
        wtf8_utf16_order(self.0, other.0)
    }
}

impl JsString {
    /// An empty text with this capacity in bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Bytes::with_capacity(bytes))
    }

    /// Text from UTF-16 code units; lone surrogates are kept.
    pub fn from_units(units: impl IntoIterator<Item = u16>) -> Self {
        let mut bytes = Vec::new();
        for unit in units {
            push_wtf8_unit(&mut bytes, 0, unit);
        }
        Self(Bytes::from_vec(bytes))
    }

    /// Borrows the text.
    #[inline]
    pub fn as_js(&self) -> JsStr<'_> {
        JsStr(&self.0)
    }

    /// The text as `str`, unless it holds a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        self.as_js().as_str()
    }

    /// The text with every lone surrogate shown as U+FFFD.
    pub fn to_str_lossy(&self) -> Cow<'_, str> {
        self.as_js().to_str_lossy()
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends a text; a surrogate pair that meets at the border becomes one
    /// character.
    pub fn push(&mut self, text: JsStr<'_>) {
        if ends_with_high(&self.0) && starts_with_low(text.0) {
            let mut units = text.units();
            if let Some(low) = units.next() {
                self.push_unit(low);
            }
            self.0
                .extend_from_slice(text.0.get(3..).unwrap_or_default());
        } else {
            self.0.extend_from_slice(text.0);
        }
    }

    /// Clears the text but keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends ordinary text.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn push_unit(&mut self, unit: u16) {
        // rare: the halves of a surrogate pair meet
        let mut bytes = std::mem::take(&mut self.0).into_vec();
        push_wtf8_unit(&mut bytes, 0, unit);
        self.0 = Bytes::from_vec(bytes);
    }
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        Self(Bytes::from_slice(text.as_bytes()))
    }
}

impl From<String> for JsString {
    fn from(text: String) -> Self {
        Self(Bytes::from_vec(text.into_bytes()))
    }
}

impl<'a> From<&'a str> for JsStr<'a> {
    fn from(text: &'a str) -> Self {
        Self(text.as_bytes())
    }
}

impl PartialEq<&str> for JsStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for JsString {
    fn eq(&self, other: &&str) -> bool {
        self.0.as_slice() == other.as_bytes()
    }
}

impl PartialOrd for JsStr<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// UTF-16 order.
impl Ord for JsStr<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(*other)
    }
}

impl PartialOrd for JsString {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// UTF-16 order.
impl Ord for JsString {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_js().order(other.as_js())
    }
}

impl fmt::Debug for JsStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_str_lossy(), f)
    }
}

impl fmt::Debug for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_js(), f)
    }
}

/// Shows lone surrogates as U+FFFD.
impl fmt::Display for JsStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str_lossy())
    }
}

/// Shows lone surrogates as U+FFFD.
impl fmt::Display for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str_lossy())
    }
}

impl JsonSchema for JsString {
    fn schema_name() -> Cow<'static, str> {
        "String".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// Iterates over UTF-16 code units.
#[derive(Debug, Clone)]
pub struct Units<'a> {
    bytes: &'a [u8],
    low: Option<u16>,
}

impl Iterator for Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.low.take() {
            return Some(low);
        }
        let (code, width) = decode_wtf8(self.bytes)?;
        self.bytes = self.bytes.get(width..).unwrap_or_default();
        if code < 0x1_0000 {
            return u16::try_from(code).ok();
        }
        let offset = code - 0x1_0000;
        self.low = u16::try_from(0xDC00 + (offset & 0x3FF)).ok();
        u16::try_from(0xD800 + (offset >> 10)).ok()
    }
}

/// Compares by UTF-16 code units, shorter prefix first. Differs from `str`
/// order as soon as a character outside the basic plane meets one at the end
/// of it: U+1F600 sorts before U+FF5E.
pub fn utf16_order(a: &str, b: &str) -> Ordering {
    wtf8_utf16_order(a.as_bytes(), b.as_bytes())
}

/// Whether ECMAScript treats this character as white space: `\s`, and what `trim`
/// removes.
pub const fn is_ecma_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{D}'
            | ' '
            | '\u{A0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202F}'
            | '\u{205F}'
            | '\u{3000}'
            | '\u{FEFF}'
    )
}

/// ECMAScript `trim`.
pub fn ecma_trim(text: &str) -> &str {
    text.trim_matches(is_ecma_space)
}

/// At most `max` UTF-16 units of a text, never half a character.
pub fn cut_units(text: &str, max: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > max {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The number of UTF-16 code units of a text.
pub fn unit_len(text: &str) -> usize {
    JsStr::from(text).unit_len()
}

/// The longest text of a report line, in UTF-16 units.
pub const ONE_LINE_MAX: usize = 2048;

/// Puts a text on one line, see [`one_line_js`].
pub fn one_line(text: &str) -> String {
    if is_one_line(text.as_bytes()) {
        return text.to_owned();
    }
    one_line_js(text.into()).to_str_lossy().into_owned()
}

/// Appends a text as [`one_line_js`] makes it.
pub fn push_one_line(out: &mut JsString, text: JsStr<'_>) {
    if is_one_line(text.0) {
        out.push(text);
    } else {
        out.push(one_line_js(text).as_js());
    }
}

/// As [`one_line_js`], in place.
pub fn make_one_line(text: &mut JsString) {
    if !is_one_line(&text.0) {
        *text = one_line_js(text.as_js());
    }
}

/// Puts a text on one line: tabs and line ends become spaces, runs of spaces
/// one space, the ends are trimmed, and a text longer than [`ONE_LINE_MAX`]
/// units ends in `...`. Counts units, so it may cut a pair.
pub fn one_line_js(text: JsStr<'_>) -> JsString {
    const SPACE: u16 = 0x20;
    if is_one_line(text.0) {
        return text.to_owned();
    }
    let mut units: Vec<u16> = Vec::new();
    for unit in text.units() {
        let unit = if matches!(unit, 0x9 | 0xA | 0xD) {
            SPACE
        } else {
            unit
        };
        if unit != SPACE || units.last() != Some(&SPACE) {
            units.push(unit);
        }
    }
    let line = JsString::from_units(units);
    let line = line.as_js().trim();
    if line.unit_len() <= ONE_LINE_MAX {
        return line.to_owned();
    }
    let mut cut = JsString::from_units(line.units().take(ONE_LINE_MAX - 3));
    cut.push_str("...");
    cut
}

/// Whether [`one_line_js`] would leave the text unchanged; `false` if unsure.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a way out of the loops many bytes are looked at together"
)]
pub(crate) fn is_one_line(bytes: &[u8]) -> bool {
    let is_plain = || bytes.iter().fold(true, |all, byte| all & (*byte >= b' '));
    let is_gap = |[a, b]: &[u8; 2]| (*a == b' ') & (*b == b' ');
    let has_gap = || {
        let pairs = bytes.array_windows();
        pairs.fold(false, |found, pair| found | is_gap(pair))
    };
    bytes.len() <= ONE_LINE_MAX && is_plain() && !has_gap() && trim_wtf8(bytes).len() == bytes.len()
}

/// Makes a foreign text safe for a terminal: control characters, including
/// those that control the terminal or reorder text, become visible escapes.
pub fn terminal_safe(text: &str) -> Cow<'_, str> {
    let mut safe = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(rest) = text.get(at..) {
        at += plain_len(rest.as_bytes());
        let mut rest = text.get(at..).unwrap_or_default().chars();
        let Some(c) = rest.next() else { break };
        // a Windows line end does not overwrite a line
        let ends_line = c == '\r' && rest.as_str().starts_with('\n');
        if steers_terminal(c) && !ends_line {
            safe.push_str(text.get(copied..at).unwrap_or_default());
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
            copied = at + c.len_utf8();
        }
        at += c.len_utf8();
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    safe.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(safe)
}

/// Whether a text is plain ASCII on any number of lines: nothing in it needs an
/// escape.
pub fn is_plain(bytes: &[u8]) -> bool {
    plain_len(bytes) == bytes.len()
}

/// How many bytes at the start are plain ASCII; almost every text is, so many
/// are looked at together.
fn plain_len(bytes: &[u8]) -> usize {
    const TOGETHER: usize = 256;
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let mut length = 0;
    for part in bytes.chunks(TOGETHER) {
        // without a way out of the loop, so that it is done for many bytes at once
        let plain = if part.iter().fold(true, |all, byte| all & is_plain(byte)) {
            part.len()
        } else {
            part.iter().take_while(|byte| is_plain(byte)).count()
        };
        length += plain;
        if plain < part.len() {
            break;
        }
    }
    length
}

/// A text on one line, see [`one_line_js`], that is safe to show on a terminal.
pub fn safe_line(text: &str) -> Cow<'_, str> {
    if is_one_line(text.as_bytes()) {
        return terminal_safe(text);
    }
    Cow::Owned(terminal_safe(&one_line(text)).into_owned())
}

/// Control characters control a terminal; bidirectional marks, overrides and
/// isolates change how a line reads; some viewers break lines at U+2028 and
/// U+2029.
pub const fn steers_terminal(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{0}'..='\u{1F}'
        | '\u{7F}'..='\u{9F}'
        | '\u{61C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' => true,
        _ => false,
    }
}

fn trim_wtf8(mut bytes: &[u8]) -> &[u8] {
    // most texts begin and end with plain letters
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if is_plain(bytes.first()) && is_plain(bytes.last()) {
        return bytes;
    }
    while let Some((code, width)) = decode_wtf8(bytes) {
        if !char::from_u32(code).is_some_and(is_ecma_space) {
            break;
        }
        bytes = bytes.get(width..).unwrap_or_default();
    }
    loop {
        let start = bytes
            .iter()
            .rposition(|byte| !(0x80..=0xBF).contains(byte))
            .unwrap_or(0);
        let last = bytes.get(start..).unwrap_or_default();
        match decode_wtf8(last).and_then(|(code, _)| char::from_u32(code)) {
            Some(c) if is_ecma_space(c) => bytes = bytes.get(..start).unwrap_or_default(),
            _ => return bytes,
        }
    }
}

/// The first code point (or lone surrogate) and how many bytes it takes.
pub(crate) fn decode_wtf8(bytes: &[u8]) -> Option<(u32, usize)> {
    let tail = |at: usize| bytes.get(at).map_or(0, |byte| u32::from(byte & 0x3F));
    let first = *bytes.first()?;
    let lead = u32::from(first);
    Some(match first {
        0x00..=0x7F => (lead, 1),
        0x80..=0xDF => ((lead & 0x1F) << 6 | tail(1), 2),
        0xE0..=0xEF => ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
        0xF0..=0xFF => (
            (lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
            4,
        ),
    })
}

const ONES: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Marks the bytes of a word that are below a limit. The lowest mark is exact;
/// marks above it may be wrong.
#[inline]
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * limit as u64) & !word & HIGH
}

/// Marks the bytes of a word that equal this one, with the same limitation.
#[inline]
const fn same(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * byte as u64), 1)
}

/// Marks the bytes of a word that JSON writes as an escape, or that end a JSON
/// string: control characters, the quote (which the first mask places right
/// after them), and the backslash.
#[inline]
pub(crate) const fn specials(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    below(word ^ (ONES * 0x02), 0x21) | same(word, b'\\')
}

/// The position of the first mark.
#[inline]
pub(crate) const fn first_mark(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// The position of the first such byte. Eight bytes at a time: most strings have none.
#[inline]
pub(crate) fn first_special(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let found = specials(*word);
        if found != 0 {
            return Some(at * 8 + first_mark(found));
        }
    }
    if rest.is_empty() {
        return None;
    }
    // the last eight bytes again; the bytes before the rest are plain
    if let Some(word) = bytes.last_chunk::<8>() {
        let found = specials(*word);
        return (found != 0).then(|| bytes.len() - 8 + first_mark(found));
    }
    rest.iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F))
}

/// Appends a unit to WTF-8 bytes; joins it with a high surrogate that ends
/// the part of `out` from `from` on.
pub(crate) fn push_wtf8_unit(out: &mut Vec<u8>, from: usize, unit: u16) {
    let is_low = (0xDC00..=0xDFFF).contains(&unit);
    if is_low && out.len() >= from + 3 && ends_with_high(out) {
        let high = out.len() - 3;
        if let Some((code, _)) = out.get(high..).and_then(decode_wtf8) {
            out.truncate(high);
            let joined = 0x1_0000 + ((code - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
            push_char(out, joined);
            return;
        }
    }
    push_char(out, u32::from(unit));
}

fn push_char(out: &mut Vec<u8>, code: u32) {
    if let Some(c) = char::from_u32(code) {
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        // a lone surrogate in the three-byte form
        let byte = |shift: u32, mask: u32, mark: u32| {
            u8::try_from(mark | (code >> shift) & mask).unwrap_or(0)
        };
        out.extend_from_slice(&[
            byte(12, 0x0F, 0xE0),
            byte(6, 0x3F, 0x80),
            byte(0, 0x3F, 0x80),
        ]);
    }
}

fn ends_with_high(bytes: &[u8]) -> bool {
    matches!(bytes, [.., 0xED, 0xA0..=0xAF, _])
}

fn starts_with_low(bytes: &[u8]) -> bool {
    matches!(bytes, [0xED, 0xB0..=0xBF, ..])
}

fn wtf8_utf16_order(a: &[u8], b: &[u8]) -> Ordering {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (Some(x), Some(y)) = (a.get(same), b.get(same)) else {
        return a.len().cmp(&b.len());
    };
    if *x < 0x80 && *y < 0x80 {
        return x.cmp(y);
    }
    // Step back to where the differing character starts.
    let start = (0..=same)
        .rev()
        .find(|&at| a.get(at).is_some_and(|byte| !(0x80..=0xBF).contains(byte)) || at == 0)
        .unwrap_or(0);
    let rest = |bytes| JsStr(<[u8]>::get(bytes, start..).unwrap_or_default());
    rest(a).units().cmp(rest(b).units())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_outside_the_basic_plane_sort_before_the_end_of_it() {
        assert_eq!(utf16_order("\u{1F600}", "\u{FF5E}"), Ordering::Less);
        assert_eq!("\u{1F600}".cmp("\u{FF5E}"), Ordering::Greater);
        assert_eq!(utf16_order("a", "ab"), Ordering::Less);
    }

    #[test]
    fn only_ecmascript_space_is_trimmed() {
        assert_eq!(ecma_trim("\u{FEFF}\u{A0} a\u{85}\u{2028}"), "a\u{85}");
        assert_eq!(JsStr::from("\u{3000}a\u{200B} ").trim(), "a\u{200B}");
        assert_eq!(JsStr::from(" \n ").trim(), "");
    }

    #[test]
    fn a_pair_that_meets_at_a_border_becomes_one_character() {
        let mut text = JsString::from_units([0xD83D]);
        assert_eq!(text.as_str(), None);
        text.push(JsString::from_units([0xDE00, 0x61]).as_js());
        assert_eq!(text, "\u{1F600}a");
    }

    #[test]
    fn terminal_escapes_become_visible() {
        assert_eq!(
            terminal_safe("a\u{1b}[31mb\u{202e}c\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}"),
            "a\\u001b[31mb\\u202ec\\u061c\\u200e\\u200f\\u2028\\u2029"
        );
        assert!(matches!(terminal_safe("plain\ttext\n"), Cow::Borrowed(_)));
        for before in [63, 64, 65, 1000] {
            let text = format!("{}\u{7f}", "x".repeat(before));
            assert!(terminal_safe(&text).ends_with("x\\u007f"), "{before}");
        }
        assert_eq!(terminal_safe("a\r\nb\rc\r"), "a\r\nb\\u000dc\\u000d");
        assert_eq!(terminal_safe("\u{1b}"), "\\u001b");
    }

    /// [`one_line_js`] without its fast path.
    fn one_line_by_units(text: JsStr<'_>) -> JsString {
        let mut line: Vec<u16> = Vec::new();
        for unit in text.units() {
            let unit = if matches!(unit, 9 | 10 | 13) {
                32
            } else {
                unit
            };
            if unit != 32 || line.last() != Some(&32) {
                line.push(unit);
            }
        }
        let line = JsString::from_units(line);
        let line = line.as_js().trim();
        if line.unit_len() <= ONE_LINE_MAX {
            return line.to_owned();
        }
        let mut cut = JsString::from_units(line.units().take(ONE_LINE_MAX - 3));
        cut.push_str("...");
        cut
    }

    #[test]
    fn a_text_of_exactly_one_line_stays_and_a_longer_one_is_cut() {
        for length in [ONE_LINE_MAX - 1, ONE_LINE_MAX, ONE_LINE_MAX + 1] {
            let text = "x".repeat(length);
            assert_eq!(
                one_line_js(text.as_str().into()),
                one_line_by_units(text.as_str().into())
            );
        }
    }

    proptest! {
        #[test]
        fn a_safe_text_is_the_text_with_each_steering_character_escaped(text in "[ -~\\n\\u{7e}-\\u{a1}—\\u{200d}-\\u{2030}\\u{61c}]{0,80}") {
            let by_character: String = text.chars().map(|c| if steers_terminal(c) {
                format!("\\u{:04x}", u32::from(c))
            } else {
                c.to_string()
            }).collect();
            prop_assert_eq!(terminal_safe(&text), by_character);
        }

        #[test]
        fn the_fast_path_of_a_safe_line_changes_nothing(text in "[ ]{0,2}[ -~]{0,40}[\\x00-\\x20\\x7e-\\x80é]{0,2}[ ]{0,1}") {
            let line = one_line(&text);
            prop_assert_eq!(safe_line(&text), terminal_safe(&line));
        }

        #[test]
        fn the_first_special_byte_is_found_anywhere(bytes in prop::collection::vec(
            prop_oneof![any::<u8>(), 0x1Eu8..0x24, 0x5Au8..0x5F, 0x9Eu8..0xA4, 0xDAu8..0xDF], 0..40,
        )) {
            let slow = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
            prop_assert_eq!(first_special(&bytes), slow);
        }

        #[test]
        fn the_fast_path_of_one_line_changes_nothing(text in r"[ab \t\n\r\u{A0}\u{FEFF}\u{3000}\u{1F600}]{0,8}") {
            let expected = one_line_by_units(text.as_str().into());
            prop_assert_eq!(&one_line_js(text.as_str().into()), &expected);
            let mut made: JsString = text.as_str().into();
            make_one_line(&mut made);
            prop_assert_eq!(&made, &expected);
            let mut appended = JsString::default();
            push_one_line(&mut appended, text.as_str().into());
            prop_assert_eq!(&appended, &expected);
            prop_assert_eq!(one_line(&text), expected.to_string());
        }

        #[test]
        fn units_survive_conversion_to_wtf8(units in prop::collection::vec(any::<u16>(), 0..24)) {
            let text = JsString::from_units(units.iter().copied());
            prop_assert_eq!(text.as_js().units().collect::<Vec<_>>(), units.clone());
            prop_assert_eq!(text.as_js().unit_len(), units.len());
        }

        #[test]
        fn order_is_the_order_of_units(
            a in prop::collection::vec(prop_oneof![any::<u16>(), 0xD7F0u16..0xE010], 0..6),
            b in prop::collection::vec(prop_oneof![any::<u16>(), 0xD7F0u16..0xE010], 0..6),
        ) {
            let (x, y) = (JsString::from_units(a.iter().copied()), JsString::from_units(b.iter().copied()));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        }

        #[test]
        fn joining_is_concatenation_of_units(
            a in prop::collection::vec(any::<u16>(), 0..6), b in prop::collection::vec(0xD7F0u16..0xE010, 0..6),
        ) {
            let mut joined = JsString::from_units(a.iter().copied());
            joined.push(JsString::from_units(b.iter().copied()).as_js());
            prop_assert_eq!(joined, JsString::from_units(a.into_iter().chain(b)));
        }
    }
}
