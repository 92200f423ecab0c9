//! What a message points to: pages, and lines of files.
//!
//! These are not claims: who points to a line says that it is there, and
//! `claims` and `sources` can look. Code blocks and quotations are left out,
//! because they repeat what others wrote.

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

/// Words after which a line may be another one, or none. A word too many
/// makes an answer softer, never harder.
#[rustfmt::skip]
const SOFT: &[&str] = &[
    "not", "no", "never", "none", "nor", "without", "cannot", "missing", "gone", "absent", "removed", "deleted", "dropped",
    "moved", "renamed", "replaced", "was", "were", "had", "used", "previously", "before", "formerly", "old", "originally",
    "would", "could", "should", "might", "may", "will", "if", "unless", "until", "when", "once", "e.g", "eg", "example", "such",
    "like", "suppose", "imagine", "placeholder", "hypothetical", "plan", "next", "todo", "upstream", "branch", "branches",
    "library", "package", "vendored", "dependency", "generated", "trace", "traceback", "stack", "log", "output", "according",
    "nicht", "kein", "keine", "entfernt", "gelöscht", "war", "wenn", "falls", "eliminado", "eliminada", "era", "si", "pas",
    "supprimé", "supprimée", "était", "não", "removido", "removida", "se",
];

/// Everything a message points to, each once, in its order.
pub fn references(message: &str) -> Vec<Reference> {
    let message = super::limited(message);
    let mut all: Vec<Reference> = Vec::new();
    for block in blocks(message) {
        for range in block.lines {
            let line = message.get(range).unwrap_or_default();
            for found in of_line(line) {
                let known = all.iter().any(|one| one.names_the_same(&found));
                if !known && all.len() < MAX_REFERENCES {
                    all.push(found);
                }
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

/// A word and where it begins and ends.
#[derive(Clone, Copy)]
struct Word<'l> {
    text: &'l str,
    start: usize,
    end: usize,
}

fn of_line(line: &str) -> Vec<Reference> {
    let words = words(line);
    let is_plain = is_plain(line);
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word.text.starts_with("https://") || word.text.starts_with("http://") {
            if !is_local(word.text) {
                all.push(Reference::Page(word.text.to_owned()));
            }
        } else if let Some((path, (start, end), used)) = lines_at(&words, at) {
            let last = words.get(at + used - 1).map_or(word.end, |last| last.end);
            all.push(Reference::Lines(Lines {
                quote: line.get(word.start..last).unwrap_or_default().to_owned(),
                path,
                start,
                end,
                text: text_after(line, last).or_else(|| text_before(line, word.start)),
                is_plain,
            }));
            at += used - 1;
        }
        at += 1;
    }
    all
}

/// The words of a line, without what surrounds them.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut all = Vec::new();
    let mut from = 0;
    let is_edge = |c: char| {
        c.is_whitespace() || matches!(c, '`' | '(' | ')' | '<' | '>' | '"' | '[' | ']' | '|' | '*')
    };
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        if !is_edge(c) {
            continue;
        }
        let text = line.get(from..at).unwrap_or_default();
        let text = text.trim_end_matches(['.', ',', ';', '!', '?', ':', '\'']);
        if !text.is_empty() {
            all.push(Word {
                text,
                start: from,
                end: from + text.len(),
            });
        }
        from = at + c.len_utf8();
    }
    all
}

/// `src/a.rs:42`, `src/a.rs#L42`, `src/a.rs line 42`, `line 42 of src/a.rs`:
/// the file, its lines, and how many words name them.
fn lines_at(words: &[Word<'_>], at: usize) -> Option<(String, (u64, u64), usize)> {
    let word = |more: usize| words.get(at + more).map_or("", |word| word.text);
    let first = word(0);
    if let Some((path, place)) = first.split_once("#L").or_else(|| split_place(first)) {
        return Some((file(path)?, numbers(place)?, 1));
    }
    let is_line = |word: &str| matches!(word.to_ascii_lowercase().as_str(), "line" | "lines");
    if is_line(word(1)) && is_file(first) {
        return Some((file(first)?, numbers(word(2))?, 3));
    }
    if is_line(first) && matches!(word(2), "of" | "in") {
        return Some((file(word(3))?, numbers(word(1))?, 4));
    }
    None
}

/// The path and what follows its first colon with a digit behind it.
fn split_place(word: &str) -> Option<(&str, &str)> {
    let (at, _) = word.match_indices(':').find(|(at, _)| {
        let next = word.as_bytes().get(at + 1);
        next.is_some_and(u8::is_ascii_digit)
    })?;
    Some((word.get(..at)?, word.get(at + 1..)?))
}

fn file(word: &str) -> Option<String> {
    is_file(word).then(|| word.trim_start_matches("./").to_owned())
}

fn is_file(word: &str) -> bool {
    path::has_extension(word) && path::in_code(word).is_some() && !word.contains("://")
}

/// `12`, `12-14`, `12:5` (a column), `12-L14`.
fn numbers(place: &str) -> Option<(u64, u64)> {
    let number = |text: &str| -> Option<u64> {
        let text = text.trim_start_matches('L');
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        (digits && text.len() <= 7).then(|| text.parse().ok())?
    };
    let range = place.split_once('-').or_else(|| place.split_once('–'));
    let (start, end) = if let Some((start, end)) = range {
        (number(start)?, number(end)?)
    } else {
        let line = number(place.split(':').next()?)?;
        let mut columns = place.split(':').skip(1);
        columns.try_for_each(|column| number(column).map(drop))?;
        (line, line)
    };
    (start > 0 && end >= start).then_some((start, end))
}

/// Addresses of this machine are not sources.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    ["localhost", "127.", "0.0.0.0", "[::1]"]
        .iter()
        .any(|local| host.starts_with(local))
}

fn is_plain(line: &str) -> bool {
    let lower = without_quoted(line).to_lowercase();
    let has_other_letters = lower
        .chars()
        .any(|c| c.is_alphabetic() && !c.is_ascii() && !"äöüßéèàçãõñ".contains(c));
    let mut words = lower.split(|c: char| !c.is_alphabetic() && c != '.' && c != '\'');
    !has_other_letters
        && !words.any(|word| word.contains("n't") || SOFT.contains(&word.trim_matches(['.', '\''])))
        && !line.contains('?')
}

/// A line without what it has in code or double quotes.
fn without_quoted(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut close = None;
    for c in line.chars() {
        match close {
            Some(mark) if mark == c => close = None,
            Some(_) => {}
            None if matches!(c, '`' | '"') => close = Some(c),
            None => plain.push(c),
        }
    }
    plain
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
    let length = text.chars().count();
    let is_path = is_file(text) || lines_at(&words(text), 0).is_some();
    ((3..=MAX_TEXT).contains(&length) && !is_path).then(|| text.to_owned())
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
