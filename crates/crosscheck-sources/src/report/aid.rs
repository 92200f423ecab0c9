//! A reading aid for what stays undecided: what the author wrote and what the
//! page says, beside each other, with the words that differ marked.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use crosscheck_core::text::safe_line;
use crosscheck_judge::Text;
use crosscheck_judge::builtin::{Quantity, normalise, quantities, stems};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::result::{Row, SourcesReport};
use crate::reasons::Code;
use crate::status::SourceStatus;

/// From this share of its words on, a passage is close to a claim, in tenths.
const CLOSE: usize = 6;
/// A run with a larger share of open citations needs more than the built-in judge, in tenths.
const OPEN_SHARE: usize = 3;
/// The line that would decide most of what is open.
const JUDGE_LINE: &str = "add `--judge ollama` (a model on this machine) or `--judge URL`";
/// What a text fragment writes as it is; a hyphen has a meaning there.
const FRAGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'~');
/// A longer passage is linked by its first and its last words.
const LINK_WORDS: usize = 12;

/// How near the page comes to a claim that it does not confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Much of it is missing.
    Far,
    /// Most words are there, and no figure or name is missing.
    Close,
}

impl Grade {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Far => "far",
            Self::Close => "close",
        }
    }
}

/// Where the aid is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A terminal.
    Plain,
    /// A comment or a job summary.
    Markdown,
    /// A part of a page.
    Html,
}

impl Shape {
    /// Foreign words in this shape.
    fn words(self, text: &str) -> String {
        match self {
            Self::Plain => safe_line(text).into_owned(),
            Self::Markdown => markdown(text),
            Self::Html => html(text),
        }
    }

    /// The signs around words that differ.
    const fn marks(self) -> [&'static str; 2] {
        match self {
            Self::Plain => ["‹", "›"],
            Self::Markdown => ["**", "**"],
            Self::Html => ["<mark>", "</mark>"],
        }
    }
}

/// One citation to read.
struct Pair<'r> {
    row: &'r Row,
    claim: &'r str,
    passage: &'r str,
    grade: Grade,
}

impl<'r> Pair<'r> {
    fn of(row: &'r Row) -> Option<Self> {
        let claim = row
            .claim
            .as_deref()
            .filter(|_| row.status == SourceStatus::Suspect)?;
        let passage = row.nearest.as_ref()?.text.as_str();
        Some(Self {
            row,
            claim,
            passage,
            grade: grade(claim, passage),
        })
    }

    /// `path:line`, where the citation is.
    fn place(&self) -> String {
        let line = self.row.line.map(|line| format!(":{line}"));
        format!("{}{}", self.row.input, line.unwrap_or_default())
    }

    /// The place on the page.
    fn link(&self) -> Option<String> {
        let url = self.row.final_url.as_ref().unwrap_or(&self.row.url);
        let is_whole = url.starts_with("http") && !url.contains("***");
        let (page, _) = url.split_once('#').unwrap_or((url, ""));
        let words: Vec<&str> = self
            .passage
            .trim_end_matches('…')
            .split_whitespace()
            .collect();
        let encoded = |words: &[&str]| utf8_percent_encode(&words.join(" "), FRAGMENT).to_string();
        let text = match words.len() {
            0 => return None,
            count if count <= LINK_WORDS => encoded(&words),
            count => {
                let (head, _) = words.split_at(LINK_WORDS / 2);
                let (_, tail) = words.split_at(count - LINK_WORDS / 2);
                format!("{},{}", encoded(head), encoded(tail))
            }
        };
        is_whole.then(|| format!("{page}#:~:text={text}"))
    }
}

/// How near a passage comes to a claim.
fn grade(claim: &str, passage: &str) -> Grade {
    let own: HashSet<String> = stems(claim).into_iter().collect();
    let there: HashSet<String> = stems(passage).into_iter().collect();
    let shared = own.intersection(&there).count();
    let text = Text::new(passage.to_owned());
    let figures = quantities(&normalise(claim));
    let mut figures = figures.iter().filter(|one| Quantity::is_figure(one));
    let mut names = claim
        .split(|c: char| !c.is_alphanumeric())
        .skip(1)
        .filter(|word| word.starts_with(char::is_uppercase));
    let is_there = |word: &str| stems(word).iter().all(|stem| there.contains(stem));
    let is_most = shared * 10 >= own.len() * CLOSE;
    if is_most && figures.all(|one| text.has(one)) && names.all(is_there) {
        Grade::Close
    } else {
        Grade::Far
    }
}

impl SourcesReport {
    /// The citations to read, far ones first, by their sources in the order of the document; empty
    /// where there are none.
    pub fn reading_aid(&self, shape: Shape) -> String {
        let mut pairs: Vec<Pair<'_>> = self.results.iter().filter_map(Pair::of).collect();
        let mut order: Vec<(Grade, &Arc<str>)> = Vec::new();
        for pair in &pairs {
            let group = (pair.grade, &pair.row.key);
            if !order.contains(&group) {
                order.push(group);
            }
        }
        pairs.sort_by_key(|pair| {
            let group = (pair.grade, &pair.row.key);
            let place = order.iter().position(|known| *known == group);
            (pair.grade, place)
        });
        let mut out = if pairs.is_empty() {
            String::new()
        } else {
            written(&pairs, shape)
        };
        if let Some(line) = self.judge_line() {
            let line = shape.words(&line);
            let _ = match shape {
                Shape::Html => writeln!(out, "<p>{line}</p>"),
                _ => writeln!(out, "{line}"),
            };
        }
        out
    }

    /// What would decide the rest, where much is open.
    fn judge_line(&self) -> Option<String> {
        let open = self
            .results
            .iter()
            .filter(|row| row.reason == Code::ClaimUnclear);
        let (open, all) = (open.count(), self.results.len());
        let is_much = open * 10 > all * OPEN_SHARE;
        (is_much && self.judge.id.starts_with("builtin")).then(|| {
            format!(
                "{open} of {all} citations stay undecided; to let a model read them, {JUDGE_LINE}"
            )
        })
    }
}

fn written(pairs: &[Pair<'_>], shape: Shape) -> String {
    let far = pairs.iter().filter(|pair| pair.grade == Grade::Far).count();
    let head = format!(
        "To read: {} undecided citations, {far} far from what the page says, {} close to it",
        pairs.len(),
        pairs.len() - far
    );
    let mut out = match shape {
        Shape::Plain => format!("\n{head}\n"),
        Shape::Markdown => format!(
            "\n**{head}**\n\n| grade | place | you wrote | the page says |\n|---|---|---|---|\n"
        ),
        Shape::Html => format!(
            "<section class=\"aid\"><h2>{head}</h2>\n<table><tr><th>grade</th><th>place</th><th>you wrote</th><th>the page says</th></tr>\n"
        ),
    };
    for pair in pairs {
        let claim = dressed(pair.claim, pair.passage, shape);
        let passage = dressed(pair.passage, pair.claim, shape);
        let (word, place) = (pair.grade.word(), shape.words(&pair.place()));
        let link = pair.link();
        let shown = link.as_deref().unwrap_or(&pair.row.url);
        let row = match shape {
            Shape::Plain => {
                let link = safe_line(shown);
                format!(
                    "{word:5}  {place}  {link}\n       you wrote      {claim}\n       the page says  {passage}\n"
                )
            }
            Shape::Markdown => {
                let link = link.map(|link| format!(" [place](<{link}>)"));
                let link = link.unwrap_or_default();
                format!("| {word} | {place} | {claim} | {passage}{link} |\n")
            }
            Shape::Html => {
                let link = html(shown);
                format!(
                    "<tr><td>{word}</td><td>{place}</td><td>{claim}</td><td>{passage} <a href=\"{link}\" rel=\"noopener noreferrer nofollow\">place</a></td></tr>\n"
                )
            }
        };
        out.push_str(&row);
    }
    out.push_str(match shape {
        Shape::Html => "</table></section>\n",
        Shape::Plain | Shape::Markdown => "\n",
    });
    out
}

/// The words of a text, each with whether the other text lacks it.
fn marked<'t>(text: &'t str, other: &str) -> Vec<(&'t str, bool)> {
    let known: HashSet<String> = stems(other).into_iter().collect();
    let numbers: HashSet<&str> = other.split_whitespace().map(bare).collect();
    let words = text.split_whitespace();
    words
        .map(|word| {
            let own = stems(word);
            let is_number = word.contains(|c: char| c.is_ascii_digit());
            let is_lacking = own.iter().any(|stem| !known.contains(stem));
            let is_other = if is_number {
                !numbers.contains(bare(word))
            } else {
                is_lacking
            };
            (word, is_other)
        })
        .collect()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !"%$€£".contains(c))
}

/// A text on one line, with signs around the words that another one lacks.
fn dressed(text: &str, other: &str, shape: Shape) -> String {
    let mut out = String::new();
    for same in marked(text, other).chunk_by(|one, next| one.1 == next.1) {
        let words: Vec<&str> = same.iter().map(|(word, _)| *word).collect();
        let words = shape.words(&words.join(" "));
        let is_other = same.first().is_some_and(|(_, is_other)| *is_other);
        out.push_str(if out.is_empty() { "" } else { " " });
        let [open, close] = if is_other { shape.marks() } else { [""; 2] };
        let _ = write!(out, "{open}{words}{close}");
    }
    out
}

/// Foreign words in a cell of Markdown.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for c in safe_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' | '#' => {
                let _ = write!(out, "\\{c}&#8203;");
            }
            '.' | ',' | '\'' | ' ' | '-' | '/' | '?' | '"' | ';' | '=' | '%' => out.push(c),
            c if c.is_ascii_punctuation() => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Foreign words in HTML.
fn html(text: &str) -> String {
    let mut out = String::new();
    for c in safe_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_close_where_most_words_and_every_figure_and_name_are_there() {
        for (claim, passage, expected) in [
            (
                "The town planted 4,200 oaks.",
                "The town has planted 4,200 oaks by now.",
                Grade::Close,
            ),
            (
                "The town planted 4,300 oaks.",
                "The town has planted 4,200 oaks by now.",
                Grade::Far,
            ),
            (
                "The town of Rome planted oaks.",
                "The town of Milan planted oaks.",
                Grade::Far,
            ),
            ("The town planted oaks.", "Elms are tall.", Grade::Far),
        ] {
            assert_eq!(grade(claim, passage), expected, "{claim} / {passage}");
        }
    }

    #[test]
    fn words_that_differ_are_marked_in_every_shape() {
        let [own, other] = ["The town planted 4,300 <oaks>.", "The town cut 4,200 oaks."];
        let plain = dressed(own, other, Shape::Plain);
        assert_eq!(plain, "The town ‹planted 4,300› <oaks>.");
        let page = dressed(own, other, Shape::Html);
        assert_eq!(page, "The town <mark>planted 4,300</mark> &lt;oaks&gt;.");
        assert_eq!(markdown("a|b *c* @d"), "a\\|b \\*c\\* \\@&#8203;d");
    }
}
