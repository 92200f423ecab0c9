//! One spelling for what looks the same.
//!
//! Letters of other scripts that look like Latin ones, invisible characters
//! and odd quotes would hide a statement from the patterns while a reader
//! sees it. Where each byte came from is kept, so that quotes show the
//! message as it was written.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::markup;

/// A message in one spelling.
#[derive(Debug)]
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
        let mut rest = markup::seen(message).into_iter().peekable();
        while let Some((at, letter)) = rest.next() {
            if letter.is_ascii() && rest.peek().is_none_or(|(_, next)| next.is_ascii()) {
                text.push_ascii(letter, at);
                continue;
            }
            if is_invisible(letter) || is_note_mark(letter, &text.norm) {
                continue;
            }
            // a letter and the marks on it are composed together
            let mut cluster = String::from(small_capital(letter).unwrap_or(letter));
            while let Some((_, mark)) = rest.next_if(|(_, next)| is_combining_mark(*next)) {
                if !is_invisible(mark) {
                    cluster.push(mark);
                }
            }
            for folded in cluster.nfkc().map(plain_quote) {
                text.push(folded, at);
            }
        }
        text.origin.push(number(message.len()));
        text.fold_words();
        text
    }

    /// The bytes of the message that a piece of this text came from.
    pub(crate) fn original(&self, start: usize, end: usize) -> (usize, usize) {
        let at = |place: usize| self.origin.get(place).copied().unwrap_or_default() as usize;
        (at(start), at(end))
    }

    fn push_ascii(&mut self, letter: char, at: usize) {
        match letter {
            '\t' if !self.norm.is_empty() && !self.norm.ends_with('\n') => self.push(' ', at),
            letter => self.push(letter, at),
        }
    }

    fn push(&mut self, letter: char, at: usize) {
        self.norm.push(letter);
        let bytes = letter.len_utf8();
        self.origin.extend(std::iter::repeat_n(number(at), bytes));
    }

    /// Replaces letters that only look Latin, in words that also hold Latin
    /// ones.
    fn fold_words(&mut self) {
        if self.norm.is_ascii() {
            return;
        }
        let old = std::mem::take(&mut self.norm);
        let origin = std::mem::take(&mut self.origin);
        let from = |at: usize| origin.get(at).copied().unwrap_or_default() as usize;
        let mut end = 0;
        for (start, stop) in words_of(&old) {
            let word = old.get(start..stop).unwrap_or_default();
            let is_mixed = word.chars().any(|c| c.is_ascii_alphabetic())
                && word.chars().any(|c| look_alike(c).is_some());
            let between = old.get(end..start).unwrap_or_default();
            for (at, letter) in between.char_indices() {
                self.push(letter, from(end + at));
            }
            for (at, letter) in word.char_indices() {
                let plain = look_alike(letter).filter(|_| is_mixed);
                self.push(plain.unwrap_or(letter), from(start + at));
            }
            end = stop;
        }
        let rest = old.get(end..).unwrap_or_default();
        for (at, letter) in rest.char_indices() {
            self.push(letter, from(end + at));
        }
        self.origin.push(number(from(old.len())));
    }
}

/// "pass¹": the number of a footnote is not part of the word.
fn is_note_mark(letter: char, before: &str) -> bool {
    matches!(letter, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '†' | '‡')
        && before.ends_with(|last: char| last.is_alphabetic())
}

/// How many characters come before some places of a text.
#[derive(Debug)]
pub(crate) struct Characters {
    /// At each multiple of [`EACH`] bytes.
    counts: Vec<usize>,
}

/// This many bytes are between two places that were counted.
const EACH: usize = 1024;

impl Characters {
    pub(crate) fn of(text: &str) -> Self {
        let mut counts = vec![0];
        let mut count = 0;
        for part in text.as_bytes().chunks(EACH) {
            count += characters(part);
            counts.push(count);
        }
        Self { counts }
    }

    /// The number of characters before a byte of the text.
    pub(crate) fn before(&self, text: &str, at: usize) -> usize {
        let place = at / EACH;
        let counted = self.counts.get(place).copied().unwrap_or_default();
        let rest = text.as_bytes().get(place * EACH..at);
        counted + characters(rest.unwrap_or_default())
    }
}

/// How many characters begin in some bytes of a text.
fn characters(bytes: &[u8]) -> usize {
    let begins = |byte: &&u8| !matches!(byte, 0x80..=0xBF);
    bytes.iter().filter(begins).count()
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn words_of(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices() {
        match (letter.is_alphabetic(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        words.push((from, text.len()));
    }
    words
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

/// The letter behind a small capital, or behind a white one on black.
fn small_capital(letter: char) -> Option<char> {
    const SMALL: [(char, char); 25] = [
        ('ᴀ', 'a'),
        ('ʙ', 'b'),
        ('ᴄ', 'c'),
        ('ᴅ', 'd'),
        ('ᴇ', 'e'),
        ('ꜰ', 'f'),
        ('ɢ', 'g'),
        ('ʜ', 'h'),
        ('ɪ', 'i'),
        ('ᴊ', 'j'),
        ('ᴋ', 'k'),
        ('ʟ', 'l'),
        ('ᴍ', 'm'),
        ('ɴ', 'n'),
        ('ᴏ', 'o'),
        ('ᴘ', 'p'),
        ('ꞯ', 'q'),
        ('ʀ', 'r'),
        ('ꜱ', 's'),
        ('ᴛ', 't'),
        ('ᴜ', 'u'),
        ('ᴠ', 'v'),
        ('ᴡ', 'w'),
        ('ʏ', 'y'),
        ('ᴢ', 'z'),
    ];
    // circles, squares and flags are the alphabet three times over
    let first = match letter {
        '\u{1F150}'..='\u{1F169}' => 0x1F150,
        '\u{1F170}'..='\u{1F189}' => 0x1F170,
        '\u{1F1E6}'..='\u{1F1FF}' => 0x1F1E6,
        _ => {
            let known = SMALL.iter().find(|(small, _)| *small == letter);
            return known.map(|(_, plain)| *plain);
        }
    };
    char::from_u32(u32::from(letter) - first + u32::from('A'))
}

/// The Latin letter that a Cyrillic or Greek one looks like.
fn look_alike(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' => 'a',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'с' | 'ϲ' => 'c',
        'С' => 'C',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'Е' | 'Ε' => 'E',
        'һ' => 'h',
        'Н' | 'Η' => 'H',
        'і' | 'ι' | 'ı' => 'i',
        'І' | 'Ι' => 'I',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'К' | 'Κ' => 'K',
        'ӏ' => 'l',
        'М' | 'Μ' => 'M',
        'п' => 'n',
        'Ν' => 'N',
        'о' | 'ο' => 'o',
        'О' | 'Ο' => 'O',
        'р' | 'ρ' => 'p',
        'Р' | 'Ρ' => 'P',
        'ѕ' => 's',
        'Ѕ' => 'S',
        'т' | 'τ' => 't',
        'Т' | 'Τ' => 'T',
        'υ' => 'u',
        'ν' => 'v',
        'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'Х' | 'Χ' => 'X',
        'у' | 'γ' => 'y',
        'У' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        _ => return None,
    })
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
            ("ᴀʟʟ ᴛᴇꜱᴛꜱ 🅟🅐🅢🅢 🅾", "all tests PASS O"),
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
