//! Words, numbers and signs of a block, and what code spans name.

use std::ops::Range;

use super::path;

/// One word, number or sign.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) what: What,
    /// Where it is in the text.
    pub(crate) span: Range<usize>,
    /// A word in lower case; of anything else the text it holds.
    pub(crate) text: String,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Word,
    Number(u64),
    /// A file.
    Path,
    /// A name of code.
    Id,
    /// A name in capitals, as environments have them.
    Key,
    /// The hash of a commit.
    Sha,
    /// Other code.
    Code,
    Url,
    /// ✅ and its like.
    Good,
    /// ❌ and its like.
    Bad,
    Sign(char),
    /// Something quoted or struck out.
    Masked,
    NewLine,
}

impl Token {
    /// The word, or nothing.
    pub(crate) fn word(&self) -> &str {
        match self.what {
            What::Word => &self.text,
            _ => "",
        }
    }

    pub(crate) fn is_sign(&self, sign: char) -> bool {
        self.what == What::Sign(sign)
    }
}

/// Cuts the lines of a block into tokens; line ends are tokens, too.
pub(super) fn tokens(text: &str, lines: &[Range<usize>]) -> Vec<Token> {
    let mut all = Vec::new();
    for (at, range) in lines.iter().enumerate() {
        if at > 0 {
            all.push(Token {
                what: What::NewLine,
                span: range.start..range.start,
                text: String::new(),
            });
        }
        let mut line = Line {
            text,
            at: range.start,
            end: range.end,
            start: range.start,
            out: &mut all,
        };
        line.read();
    }
    all
}

struct Line<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    start: usize,
    out: &'t mut Vec<Token>,
}

/// Nothing longer is looked at as one word, so that a long row of signs takes
/// no longer than its parts.
const MAX_PATH: usize = 300;
/// Longer rows of digits are not numbers.
const MAX_NUMBER: usize = 64;
/// Longer tags are none.
const MAX_TAG: usize = 2000;
/// Longer quotations are none.
const MAX_QUOTED: usize = 200;

impl<'t> Line<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn push(&mut self, what: What, len: usize, text: impl Into<String>) {
        self.out.push(Token {
            what,
            span: self.at..self.at + len,
            text: text.into(),
        });
        self.at += len;
    }

    fn read(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            match first {
                c if c.is_whitespace() => self.at += c.len_utf8(),
                '`' => self.code(),
                '"' => self.masked("\""),
                '\'' => self.masked("'"),
                '~' if self.rest().starts_with("~~") => self.masked("~~"),
                '*' | '_' if !self.joins_words() => self.at += 1,
                '<' => self.tag(),
                '(' if self.out.last().is_some_and(|last| last.is_sign(']')) => self.target(),
                '✅' | '✔' | '✓' | '☑' | '🟢' => {
                    self.push(What::Good, first.len_utf8(), "");
                }
                '❌' | '✗' | '✘' | '⚠' | '🔴' | '🟡' | '⛔' | '🚫' | '☐' => {
                    self.push(What::Bad, first.len_utf8(), "");
                }
                '[' if self.rest().starts_with("[x]") || self.rest().starts_with("[X]") => {
                    self.push(What::Good, 3, "");
                }
                '[' if self.rest().starts_with("[ ]") => self.push(What::Bad, 3, ""),
                '/' if self.is_behind_word() => self.push(What::Sign('/'), 1, ""),
                c if is_word(c) || matches!(c, '.' | '/' | '#' | '@' | '-') => self.word(c),
                c => self.push(What::Sign(c), c.len_utf8(), ""),
            }
        }
    }

    /// Whether an underscore is inside of a name.
    fn joins_words(&self) -> bool {
        let before = self.text.get(self.start..self.at).unwrap_or_default();
        let after = self.rest().chars().nth(1);
        before
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric)
            && after.is_some_and(char::is_alphanumeric)
            && self.rest().starts_with('_')
    }

    fn is_behind_word(&self) -> bool {
        let before = self.text.get(self.start..self.at).unwrap_or_default();
        before.ends_with(|c: char| c.is_alphanumeric())
    }

    fn code(&mut self) {
        let rest = self.rest();
        let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
        let fence = "`".repeat(ticks);
        let inside = rest.get(ticks..).unwrap_or_default();
        let Some(length) = inside.find(&fence) else {
            self.at += ticks;
            return;
        };
        let code = inside.get(..length).unwrap_or_default().trim();
        let (what, text) = typed(code);
        self.push(what, ticks * 2 + length, text);
    }

    /// What others say, or what was struck out. 6" is a length, an apostrophe
    /// is none, and `'two words'` are a quotation.
    fn masked(&mut self, mark: &str) {
        let inside = self.rest().get(mark.len()..).unwrap_or_default();
        let inside = if mark == "~~" {
            inside
        } else {
            beginning(inside)
        };
        let is_letter = |c: char| c.is_alphanumeric();
        let mut ends = inside.match_indices(mark).map(|(at, _)| at);
        let end = if mark == "'" {
            let behind = |at: usize| inside.get(at + 1..).unwrap_or_default();
            let end = ends.find(|at| !behind(*at).starts_with(is_letter));
            let words = inside.get(..end.unwrap_or(0)).unwrap_or_default();
            end.filter(|_| words.starts_with(is_letter) && words.contains(' '))
        } else {
            ends.next()
        };
        match end.filter(|_| mark == "~~" || !self.is_behind_word()) {
            Some(end) => self.push(What::Masked, end + 2 * mark.len(), ""),
            None => self.at += mark.len(),
        }
    }

    fn tag(&mut self) {
        let inside = self.rest().get(1..).unwrap_or_default();
        let inside = inside.get(..inside.floor_char_boundary(MAX_TAG));
        let inside = inside.unwrap_or_default();
        let end = inside.find('>').unwrap_or(0);
        let body = inside.get(..end).unwrap_or_default();
        if is_url(body) {
            self.push(What::Url, end + 2, body);
        } else if body.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
            self.at += end + 2;
        } else {
            self.push(What::Sign('<'), 1, "");
        }
    }

    /// The target of `[words](target)`; the words were read before.
    fn target(&mut self) {
        let inside = self.rest().get(1..).unwrap_or_default();
        let end = inside.find(')').unwrap_or(inside.len());
        let target = inside.get(..end).unwrap_or_default();
        let length = (end + 2).min(self.rest().len());
        if is_url(target) {
            self.push(What::Url, length, target);
        } else {
            self.at += length;
        }
    }

    fn word(&mut self, first: char) {
        let rest = self.rest();
        if is_url(rest) {
            let end = rest
                .find(|c: char| {
                    c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | ']' | '`' | '|')
                })
                .unwrap_or(rest.len());
            let url = rest.get(..end).unwrap_or_default();
            let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '\'']);
            self.push(What::Url, url.len(), url);
            return;
        }
        let length = word_length(rest);
        let word = rest.get(..length).unwrap_or_default();
        if word.is_empty() {
            self.push(What::Sign(first), first.len_utf8(), "");
        } else if let Some(path) = path::in_prose(word) {
            self.push(What::Path, length, path);
        } else if let Some((number, length)) = number(rest) {
            self.push(What::Number(number), length, "");
        } else {
            self.plain(word);
        }
    }

    /// A word that is not a path: signs inside of it part it.
    fn plain(&mut self, word: &str) {
        let end = word
            .char_indices()
            .find(|(at, c)| !(is_word(*c) || inside_word(word, *at, *c)))
            .map_or(word.len(), |(at, _)| at);
        let part = word.get(..end).unwrap_or_default();
        let trimmed = part.trim_end_matches(['-', '\'', '_']);
        match (trimmed.is_empty(), word.chars().next()) {
            (true, Some(sign)) => self.push(What::Sign(sign), sign.len_utf8(), ""),
            _ => self.push(What::Word, trimmed.len(), trimmed.to_lowercase()),
        }
    }
}

/// How far a run of characters goes that may be a path or a word. A colon
/// belongs to a place such as `a.py:12`, and to nothing else.
fn word_length(rest: &str) -> usize {
    let belongs = |c: char| is_word(c) || "./-'@~#:+".contains(c);
    let mut all = rest.char_indices();
    let end = all.find(|(at, c)| *at > MAX_PATH || !belongs(*c));
    let run = end.map_or(rest, |(end, _)| rest.get(..end).unwrap_or_default());
    let is_place = |at: usize| run.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
    let colon = run.find(':').filter(|at| !is_place(*at));
    let kept = run.get(..colon.unwrap_or(run.len())).unwrap_or_default();
    kept.trim_end_matches(['.', ':', '\'', '#', '+', '@']).len()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Signs that belong to a word when letters are on both sides.
fn inside_word(word: &str, at: usize, sign: char) -> bool {
    let before = word.get(..at).and_then(|text| text.chars().next_back());
    let after = word
        .get(at + sign.len_utf8()..)
        .and_then(|text| text.chars().next());
    let joins = match sign {
        '\'' | '-' => true,
        '.' => before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_lowercase),
        _ => false,
    };
    joins && before.is_some_and(is_word) && after.is_some_and(is_word)
}

/// As much of a text as a quotation may hold, and one character more.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_QUOTED + 1);
    end.map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

/// A whole number with its length; `1,204` is one number, `3.11` and `12th`
/// are none.
fn number(rest: &str) -> Option<(u64, usize)> {
    let length = rest
        .bytes()
        .enumerate()
        .take(MAX_NUMBER + 1)
        .take_while(|(at, byte)| {
            let next = rest.as_bytes().get(at + 1);
            byte.is_ascii_digit()
                || (*byte == b',' && *at > 0 && next.is_some_and(u8::is_ascii_digit))
        })
        .count();
    if length > MAX_NUMBER {
        return None;
    }
    let after = rest.get(length..)?;
    let ends = !after.starts_with(|c: char| is_word(c));
    let is_decimal =
        after.starts_with('.') && after.get(1..)?.starts_with(|c: char| c.is_ascii_digit());
    let digits: String = rest
        .get(..length)?
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    (ends && !is_decimal).then_some((digits.parse().ok()?, length))
}

fn is_url(text: &str) -> bool {
    let begins = |scheme: &str| {
        let start = text.as_bytes().get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    begins("http://") || begins("https://")
}

/// What the text of a code span names.
fn typed(code: &str) -> (What, String) {
    if is_url(code) {
        return (What::Url, code.to_owned());
    }
    let is_hex = (7..=40).contains(&code.len())
        && code.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if is_hex
        && code.bytes().any(|b| b.is_ascii_digit())
        && code.bytes().any(|b| b.is_ascii_alphabetic())
    {
        return (What::Sha, code.to_owned());
    }
    let is_key = code.len() >= 3
        && code.starts_with(|c: char| c.is_ascii_uppercase())
        && code
            .bytes()
            .all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    if is_key {
        return (What::Key, code.to_owned());
    }
    if let Some(path) = path::in_code(code) {
        return (What::Path, path);
    }
    match identifier(code) {
        Some(name) => (What::Id, name),
        None => (What::Code, code.to_owned()),
    }
}

/// The name in `name`, `a.name`, `a::name`, `name()`.
fn identifier(code: &str) -> Option<String> {
    let name = match code.find('(') {
        Some(at) if code.ends_with(')') => code.get(..at)?,
        _ => code,
    };
    let name = name.trim_start_matches('#');
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split('.')).collect();
    let is_name = |part: &&str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_word)
    };
    (!parts.is_empty() && parts.iter().all(is_name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let all = tokens(text, std::slice::from_ref(&(0..text.len())));
        let all = all.iter().map(|token| match token.what {
            What::Word => token.text.clone(),
            What::Number(number) => number.to_string(),
            What::Sign(sign) => sign.to_string(),
            What::Good => "+".to_owned(),
            What::Bad => "-".to_owned(),
            What::Masked => "?".to_owned(),
            what => format!("<{what:?}:{}>", token.text),
        });
        all.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_numbers_and_code_are_distinguished() {
        for (text, expected) in [
            ("All 1,204 tests pass!", "all 1204 tests pass !"),
            ("✅ **Tests**: 42/42", "+ tests : 42 / 42"),
            (
                "`src/tok.py:2` and `parse_row()`",
                "<Path:src/tok.py> and <Id:parse_row>",
            ),
            (
                "`API_KEY` `1a2b3c4` `a b`",
                "<Key:API_KEY> <Sha:1a2b3c4> <Code:a b>",
            ),
            (
                "see http://localhost:1/h.",
                "see <Url:http://localhost:1/h> .",
            ),
            ("[log](https://a.b/c)", "[ log ] <Url:https://a.b/c>"),
            ("it's \"all done\" or 'so they say'", "it's ? or ?"),
            ("the users' tests", "the users tests"),
            ("3.11 is off-by-one, e2e", "3 . 11 is off-by-one , e2e"),
            ("- [x] build", "- + build"),
            ("README.md updated", "<Path:README.md> updated"),
            ("~~gone~~ and/or pass/fail", "? and / or pass / fail"),
            ("a_b *c* _d_", "a_b c d"),
            ("0 errors (12 passed)", "0 errors ( 12 passed )"),
            ("crates.io and Next.js", "crates.io and next.js"),
            ("tests:pass", "tests : pass"),
            ("#12 fixed", "# 12 fixed"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
