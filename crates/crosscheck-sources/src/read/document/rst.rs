//! reStructuredText: links, named targets, footnotes and citations.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::doc::{Doc, Writer};
use super::lines::{Flow, Part, indent, inline, physical, words};
use crate::pattern::pattern;

/// Directives whose content is code.
const CODE: &[&str] = &[
    "code",
    "code-block",
    "sourcecode",
    "literalinclude",
    "math",
    "parsed-literal",
    "doctest",
    "prompt",
    "highlight",
    "graphviz",
];
/// Directives without words of the text.
const QUIET: &[&str] = &[
    "image",
    "figure",
    "toctree",
    "include",
    "contents",
    "index",
    "replace",
    "meta",
    "unicode",
    "automodule",
    "autoclass",
    "autofunction",
    "currentmodule",
    "module",
    "only",
    "csv-table",
];

pattern! {
    EXPLICIT,
    r"^\s*\.\.\s+(?:_(`[^`]+`|[^:\s][^:\n]*|):(?:\s+(\S+))?\s*$|\[([^\]\s]+)\](?:\s+|$)|(?:\|[^|\n]+\|\s+)?([A-Za-z][\w:-]*)::\s*)"
}
pattern! {
    ANONYMOUS, r"^\s*(?:\.\.\s+__:|__)\s+(\S+)\s*$"
}
pattern! {
    /// The border of a table, or an option of a directive.
    BORDER, r"^\s*(?:[=+-][=+ -]{3,}|:[\w-]+:(?:\s.*)?)$"
}
pattern! {
    INLINE,
    concat!(
            // none of these goes on behind a blank line
            r"``((?:[^`\n]|`[^`\n]|\n[ \t]*[^\s`])+)``", // 1 literal
            r"|`((?:[^`<\n]|\n[ \t]*[^\s`<])*?)\s*<([^`<>]+)>`(?:__?)", // 2 words 3 target
            r"|:[\w:+-]+:`([^`<]*)(?:<[^`>]*>)?`", // 4 role
            r"|`((?:[^`\n]|\n[ \t]*[^\s`])+)`(__?)",   // 5 words 6
            r"|\[([^\]\s]+)\]_",                       // 7 note
            r"|\b([A-Za-z0-9]+(?:[._+:-][A-Za-z0-9]+)*)(__?)\b{end}", // 8 word 9
            r"|\*{1,2}\b|\b\*{1,2}", // signs of emphasis
        )
}

/// Names of a document, and where they lead.
#[derive(Default)]
struct Targets {
    named: HashMap<String, String>,
    anonymous: VecDeque<String>,
    /// The signs that underline headings, in the order of their levels.
    underlines: Vec<char>,
    /// Names of footnotes that count by themselves.
    unnamed: HashMap<String, usize>,
}

/// Reads a document.
pub(super) fn parse(text: &str) -> Doc {
    let mut targets = Targets::default();
    let parts = targets.parts(text);
    targets.embedded(text);
    let mut uses: HashMap<String, usize> = HashMap::new();
    let mut write = |writer: &mut Writer, range: Range<usize>| {
        inline(writer, text, range, &INLINE, |writer, form| {
            let whole = form.get(0).map_or(0..0, |whole| whole.range());
            if let Some(code) = form.get(1) {
                writer.code(code.start(), code.as_str());
            } else if let Some(target) = form.get(3) {
                let own = form.get(2).filter(|own| !own.is_empty()).unwrap_or(target);
                let url = targets.url(target.as_str());
                writer.link(whole.start, url);
                words(writer, text, own.range());
                writer.end_link();
            } else if let Some(role) = form.get(4) {
                words(writer, text, role.range());
            } else if let Some(note) = form.get(7) {
                let name = note.as_str().to_owned();
                let name = if matches!(name.as_str(), "#" | "*") {
                    let count = uses.entry(name.clone()).or_default();
                    *count += 1;
                    format!("{name}{count}")
                } else {
                    name
                };
                writer.point(whole.start, Some(name), Vec::new());
            } else if let (Some(own), Some(sign)) =
                (form.get(5).or(form.get(8)), form.get(6).or(form.get(9)))
            {
                let url = if sign.as_str() == "__" {
                    targets.anonymous.pop_front()
                } else {
                    targets.named.get(&key(own.as_str())).cloned()
                };
                match url {
                    Some(url) => {
                        writer.link(whole.start, url);
                        words(writer, text, own.range());
                        writer.end_link();
                    }
                    None => words(writer, text, own.start()..sign.end()),
                }
            }
            whole.end
        });
        Vec::new()
    };
    let flow = Flow {
        text,
        writer: Writer::default(),
        has_quotes: true,
        inline: &mut write,
    };
    flow.write(parts).finish()
}

impl Targets {
    /// Headings, explicit markup, literal blocks and tables.
    fn parts(&mut self, text: &str) -> Vec<(Range<usize>, Part)> {
        let lines: Vec<Range<usize>> = physical(text).collect();
        let own = |at: usize| {
            let line = lines.get(at).cloned().unwrap_or_default();
            text.get(line).unwrap_or_default()
        };
        let to = |first: usize, behind: usize| {
            let start = lines.get(first).map_or(text.len(), |line| line.start);
            let last = lines.get(behind.saturating_sub(1));
            start..last.map_or(text.len(), |line| line.end).max(start)
        };
        let mut found = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = own(at);
            let start = line.trim_start();
            // only asked where something may be set in: blank lines have nothing below them
            let below = || below(text, &lines, at, indent(line));
            let next = at + 1;
            at = if let Some(level) = self.heading(line, own(next)) {
                found.push((to(at, next), Part::Heading(level)));
                found.push((to(next, next + 1), Part::Hidden));
                next + 1
            } else if let Some(form) = ANONYMOUS.captures(line) {
                let url = form.get(1).map(|url| url.as_str().to_owned());
                self.anonymous.extend(url);
                found.push((to(at, next), Part::Hidden));
                next
            } else if start.starts_with("..") && !start.starts_with("...") {
                self.explicit(text, (at, below()), &to, line, &mut found)
            } else if BORDER.is_match(line) {
                let is_row = |at: &usize| !own(*at).trim().is_empty();
                let end = (at..lines.len()).take_while(is_row).last().unwrap_or(at) + 1;
                for row in at..end {
                    let is_border = BORDER.is_match(own(row));
                    let part = if is_border {
                        Part::Hidden
                    } else {
                        Part::Drawing
                    };
                    found.push((to(row, row + 1), part));
                }
                end
            } else if start.starts_with(">>> ") {
                let is_code = |at: &usize| !own(*at).trim().is_empty();
                let end = (at..lines.len()).take_while(is_code).last().unwrap_or(at) + 1;
                found.push((to(at, end), Part::Code));
                end
            } else if let Some(below) = line.ends_with("::").then(below).filter(|end| *end > next) {
                found.push((to(next, below), Part::Code));
                below
            } else {
                next
            };
        }
        found
    }

    /// The level of a heading that is underlined.
    fn heading(&mut self, line: &str, under: &str) -> Option<u8> {
        let sign = under.chars().next().filter(char::is_ascii_punctuation)?;
        let is_line = under.len() >= 3 && under.chars().all(|c| c == sign);
        let is_words = line.chars().any(char::is_alphanumeric);
        if !is_line || !is_words || under.chars().count() + 2 < line.chars().count() {
            return None;
        }
        let known = self.underlines.iter().position(|known| *known == sign);
        let level = known.unwrap_or_else(|| {
            self.underlines.push(sign);
            self.underlines.len() - 1
        });
        Some(u8::try_from(level + 1).unwrap_or(6).min(6))
    }

    /// What begins with two full stops; returns the line behind it.
    fn explicit(
        &mut self,
        text: &str,
        (at, below): (usize, usize),
        to: &dyn Fn(usize, usize) -> Range<usize>,
        line: &str,
        found: &mut Vec<(Range<usize>, Part)>,
    ) -> usize {
        let whole = to(at, below);
        let Some(form) = EXPLICIT.captures(line) else {
            found.push((whole, Part::Hidden)); // a comment
            return below;
        };
        let behind = to(at, at).start + form.get(0).map_or(0, |form| form.end());
        if let Some(note) = form.get(3) {
            let name = self.note_name(note.as_str());
            let behind = behind.min(whole.end);
            found.push((whole.start..behind, Part::Hidden));
            found.push((behind..whole.end, Part::Note(name)));
            return below;
        }
        if let Some(name) = form.get(4) {
            let name = name.as_str();
            let argument = line.get(form.get(0).map_or(0, |form| form.end())..);
            let part = match name {
                _ if CODE.contains(&name) => Some(Part::Code),
                _ if QUIET.contains(&name) => Some(Part::Hidden),
                "raw" if argument == Some("html") => Some(Part::Html),
                "raw" => Some(Part::Hidden),
                _ => None, // its content is text
            };
            let first = to(at, at + 1);
            if let Some(part) = part {
                let content = to(at + 1, below);
                found.push((first, Part::Hidden));
                if content.start < content.end && content.start < whole.end {
                    found.push((content.start..whole.end, part));
                }
                return below;
            }
            let words = behind.min(first.end);
            found.push((first.start..words, Part::Hidden));
            return at + 1;
        }
        if let Some(name) = form.get(1) {
            let rest = text.get(to(at + 1, below)).unwrap_or_default();
            let own = form.get(2).map(|url| url.as_str().to_owned());
            let url = own.unwrap_or_else(|| rest.split_whitespace().collect());
            self.named.insert(key(name.as_str()), url);
        }
        found.push((whole, Part::Hidden));
        below
    }

    /// The name of a footnote; `#` and `*` count by themselves.
    fn note_name(&mut self, name: &str) -> String {
        if !matches!(name, "#" | "*") {
            return name.to_owned();
        }
        let count = self.unnamed.entry(name.to_owned()).or_default();
        *count += 1;
        format!("{name}{count}")
    }

    /// Names that links give to their targets.
    fn embedded(&mut self, text: &str) {
        for form in INLINE.captures_iter(text) {
            if let (Some(words), Some(target)) = (form.get(2), form.get(3)) {
                let url = self.url(target.as_str());
                self.named.entry(key(words.as_str())).or_insert(url);
            }
        }
    }

    /// Where a target leads. It may be broken at the ends of lines; what follows
    /// a blank inside a line is no part of it.
    fn url(&self, target: &str) -> String {
        if let Some(name) = target.strip_suffix('_').filter(|_| !target.contains("://")) {
            return self.named.get(&key(name)).cloned().unwrap_or_default();
        }
        let mut url = String::new();
        for line in target.lines() {
            let mut words = line.split_whitespace();
            url.extend(words.next());
            if words.next().is_some() {
                break;
            }
        }
        url
    }
}

/// The line behind everything that is set in below this one.
fn below(text: &str, lines: &[Range<usize>], at: usize, depth: usize) -> usize {
    let mut last = at + 1;
    for (end, line) in lines.iter().enumerate().skip(at + 1) {
        let words = text.get(line.clone()).unwrap_or_default();
        if words.trim().is_empty() {
            continue;
        }
        if indent(words) <= depth {
            break;
        }
        last = end + 1;
    }
    last
}

/// Names are compared without letter case and with single blanks.
fn key(name: &str) -> String {
    let name = name.trim_matches('`').replace('\\', "");
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
