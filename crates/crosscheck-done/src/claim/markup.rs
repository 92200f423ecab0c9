//! What a reader sees of a message that is shown as Markdown: no comments,
//! no entities, no marks in the middle of a word, one kind of line end.
//!
//! Code is left as it is.

/// The characters that are seen, each with the place it came from.
pub(super) fn seen(message: &str) -> Vec<(usize, char)> {
    let mut reader = Reader {
        text: message,
        at: 0,
        out: Vec::with_capacity(message.len()),
        is_endless: false,
    };
    while let Some(first) = reader.rest().chars().next() {
        reader.step(first);
    }
    reader.out
}

struct Reader<'m> {
    text: &'m str,
    at: usize,
    out: Vec<(usize, char)>,
    /// Whether no comment ends from here on.
    is_endless: bool,
}

/// Longer names are not entities.
const MAX_ENTITY: usize = 32;
/// Longer tags are none.
const MAX_TAG: usize = 80;

impl<'m> Reader<'m> {
    fn rest(&self) -> &'m str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> Option<char> {
        self.out.last().map(|(_, last)| *last)
    }

    fn is_in_word(&self, behind: usize) -> bool {
        let next = self
            .rest()
            .get(behind..)
            .and_then(|rest| rest.chars().next());
        self.before().is_some_and(char::is_alphabetic) && next.is_some_and(char::is_alphabetic)
    }

    fn step(&mut self, first: char) {
        let rest = self.rest();
        match first {
            '\r' if rest.starts_with("\r\n") => self.at += 1,
            '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => self.put(first, '\n'),
            '\\' if rest.get(1..).is_some_and(|next| next.starts_with(is_mark)) => {
                self.keep(2);
            }
            '`' | '~' => self.code(first),
            '<' if rest.starts_with("<!--") => self.comment(),
            '<' => self.tag(),
            '*' => self.stars(),
            '&' => self.entity(),
            _ => self.keep(first.len_utf8()),
        }
    }

    /// Takes a character for another one.
    fn put(&mut self, from: char, letter: char) {
        self.out.push((self.at, letter));
        self.at += from.len_utf8();
    }

    /// Takes so many bytes as they are.
    fn keep(&mut self, length: usize) {
        let rest = self.rest();
        let kept = rest.get(..length).unwrap_or(rest);
        let start = self.at;
        let letters = kept.char_indices();
        self.out
            .extend(letters.map(|(at, letter)| (start + at, letter)));
        self.at += kept.len();
    }

    /// Whether only blanks come before this place in its line.
    fn opens_line(&self) -> bool {
        let mut before = self.out.iter().rev().map(|(_, letter)| *letter);
        before
            .find(|letter| *letter != ' ')
            .is_none_or(|letter| letter == '\n')
    }

    /// A span or a fenced block of code.
    fn code(&mut self, mark: char) {
        let rest = self.rest();
        let ticks = rest.chars().take_while(|letter| *letter == mark).count();
        let inside = rest.get(ticks..).unwrap_or_default();
        if ticks >= 3 && self.opens_line() {
            let fence: String = std::iter::repeat_n(mark, ticks).collect();
            let ends = |line: &&str| line.trim_start().starts_with(&fence);
            let mut lines = inside.split_inclusive('\n');
            let opening = lines.next().map_or(0, str::len);
            let body: usize = lines.take_while(|line| !ends(line)).map(str::len).sum();
            return self.keep(ticks + opening + body);
        }
        if mark == '~' {
            return self.keep(ticks);
        }
        let end = closing(inside, ticks);
        self.keep(end.map_or(ticks, |end| ticks + end));
    }

    /// `<!-- … -->`; one without an end hides everything where it opens a line.
    fn comment(&mut self) {
        let inside = self.rest().get(4..).unwrap_or_default();
        let short = [">", "->"].into_iter().find(|end| inside.starts_with(end));
        let end = match short {
            Some(end) => Some(end.len()),
            None if self.is_endless => None,
            None => inside.find("-->").map(|end| end + 3),
        };
        self.is_endless |= end.is_none();
        match end {
            Some(end) => self.at += 4 + end,
            None if self.opens_line() => self.at = self.text.len(),
            None => self.keep(4),
        }
    }

    /// `te<b>st</b>s` is one word.
    fn tag(&mut self) {
        const INLINE: [&str; 12] = [
            "b", "i", "u", "em", "strong", "span", "small", "big", "font", "mark", "ins", "wbr",
        ];
        let inside = self.rest().get(1..).unwrap_or_default();
        let end = inside.bytes().take(MAX_TAG).position(|byte| byte == b'>');
        let tag = end.and_then(|end| inside.get(..end)).unwrap_or_default();
        let tag = tag.trim_start_matches('/');
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        match end {
            Some(end)
                if INLINE.contains(&name.to_ascii_lowercase().as_str())
                    && self.is_in_word(end + 2) =>
            {
                self.at += end + 2;
            }
            _ => self.keep(1),
        }
    }

    fn stars(&mut self) {
        let stars = self.rest().bytes().take_while(|byte| *byte == b'*').count();
        if self.is_in_word(stars) {
            self.at += stars;
        } else {
            self.keep(stars);
        }
    }

    fn entity(&mut self) {
        let inside = self.rest().get(1..).unwrap_or_default();
        let end = inside
            .bytes()
            .take(MAX_ENTITY)
            .position(|byte| byte == b';');
        let letter = end.and_then(|end| decoded(inside.get(..end)?));
        match (end, letter) {
            (Some(end), Some(letter)) => {
                // a mark that is spelled out marks nothing
                let shown = if is_mark(letter) { ' ' } else { letter };
                self.out.push((self.at, shown));
                self.at += end + 2;
            }
            _ => self.keep(1),
        }
    }
}

/// Signs that have a meaning in Markdown.
fn is_mark(letter: char) -> bool {
    matches!(
        letter,
        '<' | '>' | '`' | '*' | '_' | '~' | '#' | '|' | '[' | ']' | '\\' | '&'
    )
}

/// Where a span of code ends, behind its closing ticks; a blank line ends
/// the paragraph first.
fn closing(inside: &str, ticks: usize) -> Option<usize> {
    let bytes = inside.as_bytes();
    let mut run = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'`' => run += 1,
            _ if run == ticks => return Some(at),
            b'\n' if bytes.get(at + 1) == Some(&b'\n') => return None,
            _ => run = 0,
        }
    }
    (run == ticks).then_some(bytes.len())
}

/// The character of an entity: by number, or one that messages have.
fn decoded(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|letter| !letter.is_control());
    }
    Some(match name {
        "nbsp" | "NonBreakingSpace" | "ensp" | "emsp" | "thinsp" | "hairsp" | "numsp" => ' ',
        "shy" | "zwj" | "zwnj" | "ZeroWidthSpace" | "NoBreak" => '\u{200B}',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" | "ldquo" | "rdquo" | "laquo" | "raquo" => '"',
        "apos" | "lsquo" | "rsquo" => '\'',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "period" => '.',
        "comma" => ',',
        "colon" => ':',
        "check" | "checkmark" => '✓',
        "cross" => '✗',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_sees_no_comments_and_no_marks_within_words() {
        for (message, expected) in [
            ("a\r\nb\rc\u{2028}d", "a\nb\nc\nd"),
            ("x <!-- all\ntests --> y", "x  y"),
            ("<!--> a <!---> b", " a  b"),
            ("a <!-- never closed", "a <!-- never closed"),
            ("a\n<!-- never closed", "a\n"),
            ("`<!--` a `-->`", "`<!--` a `-->`"),
            ("```\n<!--\n```\na\n-->", "```\n<!--\n```\na\n-->"),
            ("te**st**s te<b>st</b>s", "tests tests"),
            ("**all** 2**3 Vec<T>s", "**all** 2**3 Vec<T>s"),
            (
                "All&nbsp;te&#115;ts&#x20;&amp; &lt;!-- b",
                "All tests    !-- b",
            ),
            (
                "\\<!-- a --> b &unknown; & c",
                "\\<!-- a --> b &unknown; & c",
            ),
        ] {
            let shown: String = seen(message)
                .into_iter()
                .map(|(_, letter)| letter)
                .collect();
            assert_eq!(shown, expected, "{message:?}");
        }
    }
}
