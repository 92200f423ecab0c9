//! Makes foreign text safe for a terminal.
//!
//! JSON escapes the control characters below U+0020 by itself, but not those
//! above U+007F, which some terminals obey as well, nor those that reorder a
//! line. In a JSON string `\u0085` is the same text, so that the escaped form
//! loses nothing. Colours of our own are left alone.

use std::io::{self, Write};

/// Writes everything on, with steering characters as escapes.
pub(super) struct Guard<W> {
    inner: W,
    /// The beginning of a character whose rest is not there yet.
    held: Vec<u8>,
}

impl<W: Write> Guard<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            held: Vec::new(),
        }
    }
}

impl<W: Write> Write for Guard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let steers = |byte: &u8| matches!(byte, 0x7F | 0xC2 | 0xD8 | 0xE2);
        if self.held.is_empty() && !bytes.iter().any(steers) {
            self.inner.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut safe = Vec::with_capacity(text.len());
        let mut rest = text.as_slice();
        while let Some(first) = rest.first() {
            let (code, width) = match rest {
                [0xC2 | 0xD8 | 0xE2] | [0xE2, 0x80 | 0x81] => {
                    rest.clone_into(&mut self.held);
                    break;
                }
                [0x7F, ..] => (Some(0x7F), 1),
                [0xC2, low @ 0x80..=0x9F, ..] => (Some(u32::from(*low)), 2),
                [0xD8, 0x9C, ..] => (Some(0x061C), 2),
                [0xE2, 0x80, low @ (0x8E | 0x8F | 0xA8..=0xAE), ..] => {
                    (Some(0x2000 + u32::from(low - 0x80)), 3)
                }
                [0xE2, 0x81, low @ 0xA6..=0xA9, ..] => (Some(0x2040 + u32::from(low - 0x80)), 3),
                _ => (None, 1),
            };
            match code {
                Some(code) => write!(safe, "\\u{code:04x}")?,
                None => safe.push(*first),
            }
            rest = rest.get(width..).unwrap_or_default();
        }
        self.inner.write_all(&safe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(parts: &[&[u8]]) -> String {
        let mut guard = Guard::new(Vec::new());
        for part in parts {
            guard.write_all(part).unwrap();
        }
        String::from_utf8(guard.inner).unwrap()
    }

    const TEXT: &str = "{\"a\":\"x\u{85}\u{9b}31m\u{7f}\u{202e}\u{2066}é\u{a0}“”\u{2028}\u{61c}ع\u{200e}…\"}\u{1b}[1m";

    #[test]
    fn steering_characters_become_escapes_and_nothing_else_changes() {
        assert_eq!(
            guarded(&[TEXT.as_bytes()]),
            "{\"a\":\"x\\u0085\\u009b31m\\u007f\\u202e\\u2066é\u{a0}“”\\u2028\\u061cع\\u200e…\"}\u{1b}[1m"
        );
    }

    #[test]
    fn a_character_that_comes_in_pieces_is_seen_whole() {
        let pieces: Vec<&[u8]> = TEXT.as_bytes().chunks(1).collect();
        assert_eq!(guarded(&pieces), guarded(&[TEXT.as_bytes()]));
    }
}
