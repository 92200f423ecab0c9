//! What a message points to: pages, and lines of files.
//!
//! These are not claims: who points to a line says that it is there, and
//! `claims` and `sources` can look. Code blocks and quotations are left out,
//! because they repeat what others wrote.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::blocks::blocks;
use super::path;

/// At most this many are taken from a message.
pub const MAX_REFERENCES: usize = 32;
/// Longer texts are not looked for.
const MAX_TEXT: usize = 200;

/// Something a message points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A page of the web.
    Page(String),
    /// Lines of a file.
    Lines(Lines),
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The words that point there.
    pub quote: String,
    /// The file, as the message names it.
    pub path: String,
    /// The first line.
    pub start: u64,
    /// The last line.
    pub end: u64,
    /// A text that the message connects with them.
    pub text: Option<Text>,
    /// Whether the sentence says nothing that makes the lines those of
    /// another time or place: no negation, no condition, no example.
    pub is_plain: bool,
}

/// A text that is beside a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Whether the message says in so many words that the lines hold it.
    pub is_said: bool,
}

/// Spellings of a place: `src/a.rs:42`, `src/a.rs#L42`, `src/a.rs line 42`,
/// `line 42 of src/a.rs`; and an address.
static PLACES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const FILE: &str = r"(?P<path>[\w./@+-]*\w\.\w+)";
    const RANGE: &str = r"(?P<start>\d{1,7})(?::\d+)*(?:[-–]L?(?P<end>\d{1,7}))?\b";
    let all = [
        format!(r"{FILE}(?::|#L){RANGE}"),
        format!(r"{FILE}`?,? \(?[Ll]ines? {RANGE}"),
        format!(r"\b[Ll]ines? {RANGE} (?:of|in) `?{FILE}"),
        r#"(?P<url>https?://[^\s<>"`()\[\]|*]+)"#.to_owned(),
    ];
    all.iter().filter_map(|one| Regex::new(one).ok()).collect()
});

/// Everything a message points to, each once, in its order.
pub fn references(message: &str) -> Vec<Reference> {
    let message = super::limited(message);
    let mut all: Vec<Reference> = Vec::new();
    for range in blocks(message).into_iter().flat_map(|block| block.lines) {
        let line = message.get(range).unwrap_or_default();
        for found in of_line(line) {
            let known = all.iter().any(|one| one.names_the_same(&found));
            if !known && all.len() < MAX_REFERENCES {
                all.push(found);
            }
        }
    }
    all
}

impl Reference {
    fn names_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Page(a), Self::Page(b)) => a == b,
            (Self::Lines(a), Self::Lines(b)) => {
                (&a.path, a.start, a.end) == (&b.path, b.start, b.end)
            }
            _ => false,
        }
    }
}

fn of_line(line: &str) -> Vec<Reference> {
    let found = PLACES.iter().flat_map(|place| place.captures_iter(line));
    let mut found: Vec<Captures<'_>> = found.collect();
    found.sort_by_key(|place| place.get(0).map(|whole| whole.start()));
    // what is beside each is read, so that their number is bounded
    found.truncate(MAX_REFERENCES);
    let is_plain = is_plain(line);
    let read = |place: &Captures<'_>| {
        let whole = place.get(0)?;
        if let Some(url) = place.name("url") {
            let url = url
                .as_str()
                .trim_end_matches(['.', ',', ';', '!', '?', ':', '\'']);
            return (!is_local(url)).then(|| Reference::Page(url.to_owned()));
        }
        let number = |name: &str| place.name(name)?.as_str().parse::<u64>().ok();
        let start = number("start").filter(|start| *start > 0)?;
        let end = number("end").unwrap_or(start);
        let path = place.name("path")?.as_str();
        (end >= start && is_file(path)).then(|| {
            Reference::Lines(Lines {
                quote: whole.as_str().to_owned(),
                path: path.trim_start_matches("./").to_owned(),
                start,
                end,
                text: text_after(line, whole.end()).or_else(|| text_before(line, whole.start())),
                is_plain,
            })
        })
    };
    found.iter().filter_map(read).collect()
}

fn is_file(word: &str) -> bool {
    path::has_extension(word) && path::in_code(word).is_some()
}

/// Addresses of this machine are not sources.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest
        .rsplit('@')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    ["localhost", "127.", "0.0.0.0", "[::1]"]
        .iter()
        .any(|local| host.starts_with(local))
}

/// Whether a line has no word after which the lines may be others, or none. A
/// word too many makes an answer softer, never harder.
fn is_plain(line: &str) -> bool {
    let unquoted = line.split(['`', '"']).step_by(2);
    let lower = unquoted.collect::<Vec<_>>().join(" ").to_lowercase();
    let has_other_letters = lower
        .chars()
        .any(|c| c.is_alphabetic() && !c.is_ascii() && !"äöüßéèàçãõñ".contains(c));
    let mut words = lower.split(|c: char| !c.is_alphabetic() && c != '\'');
    !has_other_letters
        && !words.any(|word| word.contains("n't") || path::listed("soft", word))
        && !line.contains('?')
}

/// A text in code or double quotes right behind a reference.
fn text_after(line: &str, at: usize) -> Option<Text> {
    let rest = line
        .get(at..)?
        .trim_start_matches(['`', ')', ']', '*', ' ']);
    let (is_said, rest) = ["says", "reads", "contains", "has", "holds"]
        .iter()
        .find_map(|verb| rest.strip_prefix(verb))
        .map_or((false, rest), |rest| (true, rest));
    let rest = rest.trim_start_matches([' ', ':', '(', '—', '–', '-']);
    let close = rest.chars().next().filter(|c| matches!(c, '`' | '"'))?;
    let text = rest.get(1..)?.split_once(close)?.0;
    keep(text).map(|text| Text { text, is_said })
}

/// A name in code right before a reference: `` `parse` (`src/a.rs:4`) ``.
fn text_before(line: &str, at: usize) -> Option<Text> {
    let rest = line.get(..at)?;
    let rest = rest.strip_suffix('`').unwrap_or(rest);
    let rest = rest.trim_end_matches(['(', '[', ' ']);
    let rest = ["in", "at"]
        .iter()
        .find_map(|word| rest.strip_suffix(word))
        .unwrap_or(rest)
        .trim_end();
    let (_, text) = rest.strip_suffix('`')?.rsplit_once('`')?;
    let text = keep(text)?.trim_end_matches("()").to_owned();
    Some(Text {
        text,
        is_said: false,
    })
}

/// A text worth looking for: no path, and not too short or long.
fn keep(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = (3..=MAX_TEXT).contains(&text.chars().count());
    let is_path = || is_file(text) || PLACES.iter().any(|place| place.is_match(text));
    (fits && !is_path()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(message: &str) -> Vec<(String, u64, u64)> {
        let all = references(message).into_iter();
        all.filter_map(|one| match one {
            Reference::Lines(lines) => Some((lines.path, lines.start, lines.end)),
            Reference::Page(_) => None,
        })
        .collect()
    }

    fn first(message: &str) -> Lines {
        match references(message).remove(0) {
            Reference::Lines(lines) => lines,
            Reference::Page(url) => panic!("{url} is not a line"),
        }
    }

    #[test]
    fn every_usual_spelling_of_a_line_is_read() {
        for (message, start, end) in [
            ("The bug is in `src/a.rs:42`.", 42, 42),
            ("See src/a.rs:42, please.", 42, 42),
            ("See [the parser](src/a.rs#L42-L45).", 42, 45),
            ("(src/a.rs:42-45)", 42, 45),
            ("src/a.rs:42:7 is the place", 42, 42),
            ("`src/a.rs` line 42", 42, 42),
            ("`src/a.rs` (lines 42-45)", 42, 45),
            ("Line 42 of `src/a.rs` is wrong", 42, 42),
            ("- **src/a.rs:42** – the parser", 42, 42),
            ("| src/a.rs:42 | the parser |", 42, 42),
        ] {
            let expected = vec![("src/a.rs".to_owned(), start, end)];
            assert_eq!(lines(message), expected, "{message}");
        }
    }

    #[test]
    fn what_only_looks_like_a_line_is_none() {
        for message in [
            "Listening on localhost:8080 and 10.0.0.1:80.",
            "Done at 12:30, version 1.2:3.",
            "Use node:18 and example.com:443.",
            "```\nerror at src/a.rs:42\n```",
            "> src/a.rs:42",
            "src/a.rs:0 and src/a.rs:9-3",
            "std::fs::read:3",
        ] {
            assert_eq!(lines(message), [], "{message}");
        }
    }

    #[test]
    fn pages_are_read_once_and_those_of_this_machine_are_left_out() {
        let message = "See https://example.com/doc. Again: https://example.com/doc; http://localhost:3000/x runs, http://127.0.0.1/ too.";
        let expected = [Reference::Page("https://example.com/doc".to_owned())];
        assert_eq!(references(message), expected);
    }

    #[test]
    fn a_text_beside_a_reference_belongs_to_it() {
        let text = |message: &str| first(message).text.map(|text| (text.text, text.is_said));
        let some = |text: &str, is_said| Some((text.to_owned(), is_said));
        for (message, expected) in [
            ("`src/a.rs:4` says `let x = 1;`", some("let x = 1;", true)),
            ("src/a.rs:4 reads: \"let x = 1;\"", some("let x = 1;", true)),
            ("`src/a.rs:4`: `let x = 1;`", some("let x = 1;", false)),
            ("`parse()` (`src/a.rs:4`)", some("parse", false)),
            ("`parse` in src/a.rs:4", some("parse", false)),
            ("`src/a.rs:4` and `src/b.rs`", None),
            ("src/a.rs:4 is the place", None),
        ] {
            assert_eq!(text(message), expected, "{message}");
        }
    }

    #[test]
    fn a_sentence_about_other_times_or_places_is_not_plain() {
        for (message, expected) in [
            ("The parser is in src/a.rs:4.", true),
            ("src/a.rs:4 contains `return None`.", true),
            ("The check in src/a.rs:4 was removed.", false),
            ("There is no src/a.rs:4.", false),
            ("A reference such as src/a.rs:4.", false),
            ("If src/a.rs:4 fails, stop.", false),
            ("src/a.rs:4 doesn't parse.", false),
            ("Die Prüfung in src/a.rs:4 ist nicht da.", false),
            ("src/a.rs:4 に問題はありません", false),
        ] {
            assert_eq!(first(message).is_plain, expected, "{message}");
        }
    }
}
