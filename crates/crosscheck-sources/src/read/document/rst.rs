//! reStructuredText: links, named targets, footnotes and citations.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::claims::Reads;
use super::directives::Directive;
use super::lines::{indent, physical};
use super::spans::Spans;
use super::structure::{DocumentParts, Heading};
use super::{grid, html};
use crate::pattern::pattern;

/// A simple table has no more lines.
const TABLE_MAX: usize = 2000;

pattern! {
    EXPLICIT,
    r"^\s*\.\.\s+(?:_(`[^`]+`|[^:\s][^:\n]*|):(?:\s+(\S+))?\s*$|\[([^\]\s]+)\](?:\s|$)|(?:\|([^|\n]+)\|\s+)?([A-Za-z][\w:-]*)::)"
}
pattern! {
    ANONYMOUS, r"^\s*(?:\.\.\s+__:|__)\s+(\S+)\s*$"
}
pattern! {
    INLINE,
    concat!(
            // none of these goes on behind a blank line
            r"``(?:[^`\n]|`[^`\n]|\n[ \t]*[^\s`])+``", // literal
            r"|`((?:[^`<\n]|\n[ \t]*[^\s`<])*?)\s*<([^`<>]+)>`(__?)", // 1 words 2 target 3
            r"|:[\w:+-]+:`(?:[^`\n]|\n[ \t]*[^\s`])*`", // role
            r"|`((?:[^`\n]|\n[ \t]*[^\s`])+)`(__?)",   // 4 words 5
            r"|\[([^\]\s]+)\]_",                       // 6 note
            r"|\b([A-Za-z0-9]+(?:[._+:-][A-Za-z0-9]+)*)(__?)(?:[^\w`]|$)", // 7 word 8
            r"|\|([^|\s`<](?:[^|\n`<]*[^|\s`<])?)\|(__?)?"  // 9 substitution 10
        )
}
pattern! {
    EMPHASIS, r"\*\*?[^\s*](?:[^*\n]*[^\s*])?\*\*?"
}

/// Reads the structure of a document.
pub(super) fn parse(text: &str) -> DocumentParts {
    let mut reader = Reader {
        text,
        seen: DocumentParts::default(),
        targets: HashMap::new(),
        anonymous: VecDeque::new(),
        underlines: Vec::new(),
        words: HashMap::new(),
        raw: Vec::new(),
        images: Vec::new(),
        quiet: Vec::new(),
        endless: (0, 0),
    };
    reader.lines();
    reader.inline();
    reader.seen
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) seen: DocumentParts,
    targets: HashMap<String, String>,
    anonymous: VecDeque<String>,
    /// The signs that underline headings, in the order of their levels.
    underlines: Vec<char>,
    /// What stands for `|name|`; nothing for an image.
    pub(super) words: HashMap<String, String>,
    /// Pieces of HTML.
    pub(super) raw: Vec<Range<usize>>,
    /// Where a click on an image or a card leads.
    pub(super) images: Vec<(Range<usize>, String)>,
    /// Options that are blocks of their own, without words.
    pub(super) quiet: Vec<Range<usize>>,
    /// No simple table that is set in so far ends before this line.
    endless: (usize, usize),
}

impl Reader<'_> {
    /// Headings, explicit markup and literal blocks.
    fn lines(&mut self) {
        let lines: Vec<Range<usize>> = physical(self.text).collect();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let words = self.text.get(line.clone()).unwrap_or_default();
            let next = lines.get(at + 1).cloned().unwrap_or_default();
            let under = self.text.get(next.clone()).unwrap_or_default();
            if self.is_heading(words, under, line.start..next.end) {
                at += 2;
            } else if words.trim_start().starts_with("..") || words.trim_start().starts_with("__ ")
            {
                at = self.explicit(&lines, at);
            } else if words.trim_start().starts_with("+-") {
                at = self.grid(&lines, at);
            } else if grid::is_border(words) {
                at = self.simple_table(&lines, at);
            } else if words.trim_start().starts_with(">>> ") {
                let end = paragraph_end(self.text, &lines, at);
                self.code(&lines, at, end);
                at = end;
            } else if words.trim_end().ends_with("::") {
                let end = below(self.text, &lines, at, indent(words));
                self.code(&lines, at + 1, end);
                at = end;
            } else {
                at += 1;
            }
        }
        // HTML has blocks of its own
        let hidden = self.seen.hidden.len();
        self.seen.hidden.extend(self.raw.iter().cloned());
        self.seen.find_blocks(self.text, true);
        self.seen.hidden.truncate(hidden);
        self.seen.blocks.append(&mut self.quiet);
        for piece in &self.raw {
            html::add(self.text, piece.clone(), &mut self.seen);
        }
    }

    /// A table that is drawn as a grid; returns where it ends.
    fn grid(&mut self, lines: &[Range<usize>], start: usize) -> usize {
        let is_row = |line: &&Range<usize>| {
            let words = self.text.get((*line).clone()).unwrap_or_default();
            words.trim_start().starts_with(['+', '|'])
        };
        let rest = lines.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(is_row).count().max(1);
        let own = rest.get(..length).unwrap_or_default();
        for line in own {
            let words = self.text.get(line.clone()).unwrap_or_default();
            if words.trim_start().starts_with('+') {
                self.seen.hidden.push(line.clone());
            }
        }
        let table = grid::rst(self.text, own);
        if !table.rows.is_empty() {
            self.seen.tables.push(table);
        }
        start + length
    }

    /// A table whose columns are underlined; returns where it ends: behind the
    /// border that a blank line follows, or one that is set in less.
    fn simple_table(&mut self, lines: &[Range<usize>], start: usize) -> usize {
        let text = self.text;
        let words = |at: usize| {
            let line = lines.get(at).cloned().unwrap_or_default();
            text.get(line).unwrap_or_default()
        };
        let is_last = |at: &usize| {
            let next = words(*at + 1);
            let is_behind = next.trim().is_empty() || indent(next) < indent(words(start));
            grid::is_border(words(*at)) && is_behind
        };
        let inset = indent(words(start));
        let until = lines.len().min(start + 1 + TABLE_MAX);
        let (known, from) = self.endless;
        let from = if inset <= known { from } else { 0 };
        let Some(last) = (from.max(start + 1)..until).find(is_last) else {
            self.endless = (inset, until);
            return start + 1;
        };
        let own = lines.get(start..=last).unwrap_or_default();
        let table = grid::simple(self.text, own);
        let borders = own.iter().enumerate();
        let borders = borders.filter(|(at, _)| grid::is_border(words(start + at)));
        self.seen
            .hidden
            .extend(borders.map(|(_, line)| line.clone()));
        if !table.rows.is_empty() {
            self.seen.tables.push(table);
        }
        last + 1
    }

    fn is_heading(&mut self, words: &str, under: &str, place: Range<usize>) -> bool {
        let sign = under.chars().next().filter(char::is_ascii_punctuation);
        let under = under.trim_end();
        let is_line = sign.is_some_and(|sign| under.len() >= 3 && under.chars().all(|c| c == sign));
        let is_words = !words.trim().is_empty() && words.chars().any(char::is_alphanumeric);
        if !is_line || !is_words || under.chars().count() + 2 < words.trim_end().chars().count() {
            return false;
        }
        let sign = sign.unwrap_or_default();
        let level = self.underlines.iter().position(|known| *known == sign);
        let level = level.unwrap_or_else(|| {
            self.underlines.push(sign);
            self.underlines.len() - 1
        });
        self.seen.headings.push(Heading {
            range: place,
            level: u8::try_from(level + 1).unwrap_or(6).min(6),
        });
        true
    }

    /// What begins with two full stops; returns where it ends.
    fn explicit(&mut self, lines: &[Range<usize>], at: usize) -> usize {
        let line = lines.get(at).cloned().unwrap_or_default();
        let words = self.text.get(line.clone()).unwrap_or_default();
        let end = below(self.text, lines, at, indent(words));
        let range = line.start..lines.get(end - 1).map_or(line.end, |last| last.end);
        if let Some(target) = ANONYMOUS.captures(words) {
            self.anonymous
                .extend(target.get(1).map(|url| url.as_str().to_owned()));
            self.seen.hidden.push(line);
            return at + 1;
        }
        if !words.trim_start().starts_with("..") {
            return at + 1;
        }
        let Some(form) = EXPLICIT.captures(words) else {
            self.seen.hidden.push(range); // a comment
            return end;
        };
        if let Some(note) = form.get(3) {
            self.seen.footnotes.push((range, note.as_str().to_owned()));
            return end;
        }
        if let Some(name) = form.get(5) {
            let start = line.start + form.get(0).map_or(0, |form| form.end());
            let directive = Directive {
                name: name.as_str(),
                whole: range,
                line,
                start,
                replaces: form.get(4).map(|name| name.as_str()),
            };
            return self.directive(&directive, lines, at, end);
        }
        if let Some(name) = form.get(1) {
            let rest = self.text.get(line.end..range.end).unwrap_or_default();
            let url = form.get(2).map_or_else(
                || rest.split_whitespace().collect(),
                |url| url.as_str().to_owned(),
            );
            self.targets.insert(key(name.as_str()), url);
        }
        self.seen.hidden.push(range);
        end
    }

    pub(super) fn code(&mut self, lines: &[Range<usize>], start: usize, end: usize) {
        if let (Some(first), Some(last)) = (lines.get(start), lines.get(end.saturating_sub(1)))
            && first.start < last.end
        {
            self.seen.code.push(first.start..last.end);
        }
    }

    fn inline(&mut self) {
        let text = self.text;
        let mut unnamed: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, (_, name)) in self.seen.footnotes.iter().enumerate() {
            unnamed.entry(name.clone()).or_default().push_back(at);
        }
        for (place, target) in std::mem::take(&mut self.images) {
            let url = self.target(&target);
            self.link(place.clone(), "", url, place.end);
        }
        let raw = Spans::new(self.raw.clone());
        let mut auto = 0;
        for form in INLINE.captures_iter(text) {
            let Some(whole) = form.get(0).map(|whole| whole.range()) else {
                continue;
            };
            if raw.covers(whole.start) {
                continue;
            }
            let group = |number: usize| form.get(number).map(|group| group.as_str());
            if let (Some(words), Some(target)) = (group(1), group(2)) {
                let url = self.target(target);
                let start = form.get(2).map_or(whole.start, |target| target.start());
                let (words, start) = match words {
                    "" => (target, start),
                    words => (words, whole.start + 1),
                };
                self.targets
                    .entry(key(words))
                    .or_insert_with(|| url.clone());
                self.link(whole.clone(), words, url, start);
            } else if let (Some(words), Some(kind)) = (group(4), group(5)) {
                self.named(words, kind == "__", whole.clone(), whole.start + 1);
            } else if let Some(note) = group(6) {
                let name = match note {
                    "#" | "*" => {
                        auto += 1;
                        let at = unnamed.get_mut(note).and_then(VecDeque::pop_front);
                        self.auto_note(note, auto, at)
                    }
                    _ => note.to_owned(),
                };
                self.seen.edit(whole.clone(), Reads::Mark);
                self.seen.footnote_uses.push((whole, name));
            } else if let (Some(word), Some(sign)) = (form.get(7), form.get(8)) {
                self.named(
                    word.as_str(),
                    sign.as_str() == "__",
                    word.start()..sign.end(),
                    word.start(),
                );
            } else if let Some(name) = group(9) {
                self.substitution(name, group(10), whole);
            } else if text
                .get(whole.clone())
                .is_some_and(|words| words.starts_with("``"))
            {
                self.seen.code.push(whole);
            }
        }
        let emphasis = EMPHASIS.find_iter(text);
        for words in emphasis {
            let signs = if words.as_str().starts_with("**") {
                2
            } else {
                1
            };
            self.seen.strip(&words.range(), signs);
        }
        self.seen.sort();
    }

    /// `|name|`, or `|name|_` where it is a link as well.
    fn substitution(&mut self, name: &str, sign: Option<&str>, whole: Range<usize>) {
        let Some(words) = self.words.get(&key(name)).cloned() else {
            return;
        };
        if let Some(sign) = sign {
            let start = whole.start + 1;
            self.named(name, sign == "__", whole, start);
        } else {
            self.seen.edit(whole, Reads::Chars(words));
        }
    }

    /// Names the n-th footnote without a name of its own.
    fn auto_note(&mut self, sign: &str, number: usize, at: Option<usize>) -> String {
        let name = format!("{sign}{number}");
        if let Some((_, own)) = at.and_then(|at| self.seen.footnotes.get_mut(at)) {
            own.clone_from(&name);
        }
        name
    }

    fn target(&self, target: &str) -> String {
        match target.strip_suffix('_') {
            Some(name) if !target.contains("://") => {
                self.targets.get(&key(name)).cloned().unwrap_or_default()
            }
            _ => joined(target),
        }
    }

    /// A reference by name, if the document knows the name.
    fn named(&mut self, words: &str, is_anonymous: bool, range: Range<usize>, start: usize) {
        let url = if is_anonymous {
            self.anonymous.pop_front()
        } else {
            self.targets.get(&key(words)).cloned()
        };
        if let Some(url) = url {
            self.link(range, words, url, start);
        }
    }

    fn link(&mut self, range: Range<usize>, words: &str, url: String, start: usize) {
        let inner = start..start + words.len();
        self.seen.link(self.text, range, inner, url);
    }
}

/// The line behind everything that is set in below this one.
fn below(text: &str, lines: &[Range<usize>], at: usize, depth: usize) -> usize {
    let mut end = at + 1;
    let mut last = end;
    while let Some(words) = lines.get(end).and_then(|line| text.get(line.clone())) {
        if !words.trim().is_empty() {
            if indent(words) <= depth {
                break;
            }
            last = end + 1;
        }
        end += 1;
    }
    last
}

/// The line behind a paragraph.
fn paragraph_end(text: &str, lines: &[Range<usize>], mut at: usize) -> usize {
    let has_words = |line: &Range<usize>| {
        let words = text.get(line.clone()).unwrap_or_default();
        !words.trim().is_empty()
    };
    while lines.get(at).is_some_and(has_words) {
        at += 1;
    }
    at
}

/// Names are compared without letter case and with single blanks.
pub(super) fn key(name: &str) -> String {
    let name = name.trim_matches('`').replace('\\', "");
    name.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

/// A target that is broken at line ends. What follows a blank inside a line is
/// no part of it.
fn joined(target: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{claims, one};

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        claims(text, Format::Rst)
    }

    #[test]
    fn links_targets_and_notes_cite_their_sentences() {
        let text = "Guide\n=====\n\nThe mill grinds rye (`log <https://a.example/mill>`_). Oaks are *old* trees (see the census_).\n\nElms are tall trees `as the survey says`__ today [1]_.\n\nAsh is hard wood [Smith2020]_. Yew is soft wood [#]_.\n\n.. _census: https://a.example/bees\n__ https://a.example/elms\n.. [1] Tower survey,\n   https://a.example/clock\n.. [Smith2020] Smith, https://a.example/ash\n.. [#] https://a.example/yew\n";
        assert_eq!(
            read(text),
            [
                one("https://a.example/mill", "The mill grinds rye."),
                one(
                    "https://a.example/bees",
                    "Oaks are old trees (see the census)."
                ),
                one(
                    "https://a.example/elms",
                    "Elms are tall trees as the survey says today."
                ),
                one(
                    "https://a.example/clock",
                    "Elms are tall trees as the survey says today."
                ),
                one("https://a.example/ash", "Ash is hard wood."),
                one("https://a.example/yew", "Yew is soft wood."),
            ]
        );
    }

    #[test]
    fn code_comments_and_images_are_not_read() {
        let text = "Oaks are old.\n\n.. code-block:: sh\n\n   curl https://a.example/code\n\n.. A comment with\n   https://a.example/comment\n\n.. image:: https://a.example/i.png\n\nRun this::\n\n   wget https://a.example/literal\n\nSee ``https://a.example/inline`` there.\n\nElms are tall https://a.example/x.\n";
        assert_eq!(read(text), [one("https://a.example/x", "Elms are tall.")]);
    }

    #[test]
    fn a_sign_that_is_never_closed_hides_nothing_behind_its_paragraph() {
        let text = "Odd ``sign here.\n\nOaks are `old <https://a.example/x>`_.\n\nAn odd `sign too.\n\n\
                    Elms are `tall <https://b.example/y>`_ and ``code``.\n";
        let urls: Vec<String> = read(text).into_iter().map(|(url, _)| url).collect();
        assert_eq!(urls, ["https://a.example/x", "https://b.example/y"]);
    }

    #[test]
    fn a_broken_target_is_joined_and_words_behind_a_blank_are_no_part_of_it() {
        for (text, url) in [
            (
                "Oaks are `old <https://a.example/\n  x>`_.",
                "https://a.example/x",
            ),
            (
                "Oaks are `old <https://a.example/x oaks>`_.",
                "https://a.example/x",
            ),
        ] {
            let found = read(text);
            assert_eq!(
                found.first().map(|(own, _)| own.as_str()),
                Some(url),
                "{text}"
            );
        }
    }
}
