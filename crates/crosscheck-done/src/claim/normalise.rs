//! One spelling for what looks the same.
//!
//! Letters of other scripts that look like Latin ones, invisible characters
//! and odd quotes would hide a statement from the patterns while a reader
//! sees it; a comment shows nothing to a reader. Where each byte came from is
//! kept, so that quotes show the message as it was written.
//!
//! Contract: done 4.1.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Letters and those that look like them: `a` and the Cyrillic and Greek ones.
const LOOK_ALIKES: &str = include_str!("../../patterns/letters.txt");

/// A message in one spelling.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The text.
    pub(crate) norm: String,
    /// Where each byte of it came from; one more for its end.
    origin: Vec<u32>,
}

impl Text {
    pub(crate) fn new(message: &str) -> Self {
        let mut text = Self {
            norm: String::with_capacity(message.len()),
            origin: Vec::with_capacity(message.len() + 1),
        };
        let (mut at, mut code_end, mut is_endless) = (0, 0, false);
        loop {
            let rest = message.get(at..).unwrap_or_default();
            let end = rest.bytes().position(is_special);
            text.copy(
                rest.get(..end.unwrap_or(rest.len())).unwrap_or_default(),
                at,
            );
            let Some(end) = end else {
                break;
            };
            at += end;
            let rest = rest.get(end..).unwrap_or_default();
            let letter = rest.chars().next().unwrap_or_default();
            match letter {
                // a comment shows nothing; code is left as it is
                '<' if at >= code_end && !is_endless && rest.starts_with("<!--") => {
                    if let Some(length) = rest.find("-->") {
                        at += length + 3;
                        continue;
                    }
                    is_endless = true;
                    text.push('<', at);
                }
                '`' => {
                    if at >= code_end {
                        code_end = at + span_of_code(rest);
                    }
                    text.push('`', at);
                }
                '\t' => {
                    let is_inside = !text.norm.is_empty() && !text.norm.ends_with('\n');
                    text.push(if is_inside { ' ' } else { '\t' }, at);
                }
                '\r' if rest.starts_with("\r\n") => {}
                '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    text.push('\n', at);
                }
                letter if letter.is_ascii() => text.push(letter, at),
                letter if is_invisible(letter) => {}
                letter => text.fold(letter, at),
            }
            at += letter.len_utf8();
        }
        text.origin.push(number(message.len()));
        if text.norm.is_ascii() {
            text
        } else {
            text.folded()
        }
    }

    /// A letter in its plain form; a mark is composed with the letter before it.
    fn fold(&mut self, letter: char, at: usize) {
        let mut cluster = String::new();
        let mut from = number(at);
        if is_combining_mark(letter)
            && let Some(before) = self.norm.pop()
        {
            from = *self.origin.get(self.norm.len()).unwrap_or(&from);
            self.origin.truncate(self.norm.len());
            cluster.push(before);
        }
        cluster.push(letter);
        for folded in cluster.nfkc().map(plain_quote) {
            self.push(folded, from as usize);
        }
    }

    /// Takes some bytes as they are.
    fn copy(&mut self, plain: &str, at: usize) {
        self.norm.push_str(plain);
        self.origin.extend(number(at)..number(at + plain.len()));
    }

    /// The bytes of the message that a piece of this text came from.
    pub(crate) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let at = |place: usize| self.origin.get(place).copied().unwrap_or_default() as usize;
        (at(start), at(end))
    }

    fn push(&mut self, letter: char, at: usize) {
        self.norm.push(letter);
        let bytes = letter.len_utf8();
        self.origin.extend(std::iter::repeat_n(number(at), bytes));
    }

    /// Replaces letters that only look Latin, in words that also hold Latin
    /// ones.
    fn folded(self) -> Self {
        let mut new = Self::default();
        let mut at = 0;
        for piece in self.norm.split_inclusive(|c: char| !c.is_alphabetic()) {
            let is_mixed = !piece.is_ascii() && piece.bytes().any(|c| c.is_ascii_alphabetic());
            for (within, letter) in piece.char_indices().filter(|_| is_mixed) {
                let plain = look_alike(letter).unwrap_or(letter);
                new.push(plain, self.original(at + within, 0).0);
            }
            if !is_mixed {
                let origin = self.origin.get(at..at + piece.len());
                new.norm.push_str(piece);
                new.origin.extend_from_slice(origin.unwrap_or_default());
            }
            at += piece.len();
        }
        new.origin.push(number(self.original(at, 0).0));
        new
    }
}

/// Whether a byte is, or begins, a character that may not stay as it is.
const fn is_special(byte: u8) -> bool {
    matches!(byte, b'<' | b'`' | b'\t' | b'\r' | 0xB | 0xC | 0x80..)
}

/// How long a span of code is that begins here; a blank line ends the
/// paragraph first, and then there is none. Nothing behind its end is looked at,
/// so that many spans take no longer than one.
pub(crate) fn span_of_code(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let ticks = bytes.iter().take_while(|byte| **byte == b'`').count();
    let mut run = 0;
    for (at, byte) in bytes.iter().enumerate().skip(ticks) {
        match byte {
            b'`' => run += 1,
            _ if run == ticks => return at,
            b'\n' if bytes.get(at + 1) == Some(&b'\n') => return ticks,
            _ => run = 0,
        }
    }
    if run == ticks { rest.len() } else { ticks }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Characters that take no room: joiners, marks of direction, selectors.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

fn plain_quote(letter: char) -> char {
    match letter {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{02BC}' | '\u{2032}'
        | '\u{FF07}' => '\'',
        '\u{201C}'
        | '\u{201D}'
        | '\u{201E}'
        | '\u{201F}'
        | '\u{00AB}'
        | '\u{00BB}'
        | '\u{300C}'..='\u{300F}'
        | '\u{2033}' => '"',
        '\u{2010}' | '\u{2011}' => '-',
        letter => letter,
    }
}

/// The Latin letter that a Cyrillic or Greek one looks like.
fn look_alike(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return None;
    }
    let row = LOOK_ALIKES.lines().find(|row| row.contains(letter))?;
    row.chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_spelled_the_same() {
        for (message, expected) in [
            ("All tests pass", "All tests pass"),
            ("All t\u{0435}sts p\u{200B}ass", "All tests pass"),
            ("Аll tests", "All tests"),
            ("ａｌｌ　ｔｅｓｔｓ", "all tests"),
            ("“done” and ‘it’s’", "\"done\" and 'it's'"),
            ("créé e\u{0301}", "créé é"),
            ("тесты проходят", "тесты проходят"),
            ("a\r\nb", "a\nb"),
            ("x <!-- all\ntests pass --> y", "x  y"),
        ] {
            assert_eq!(Text::new(message).norm, expected, "{message:?}");
        }
    }

    #[test]
    fn a_piece_of_the_text_leads_back_to_the_message() {
        let message = "✅\u{FE0F} Аll t\u{0435}sts pass";
        let text = Text::new(message);
        let start = text.norm.find("tests").unwrap();
        let (from, to) = text.original(start, start + 5);
        assert_eq!(message.get(from..to).unwrap(), "t\u{0435}sts");
        let (from, to) = text.original(0, text.norm.len());
        assert_eq!(message.get(from..to).unwrap(), message);
    }
}
