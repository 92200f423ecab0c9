//! AsciiDoc: links, footnotes, bibliographies.

use std::collections::HashMap;
use std::ops::Range;

use super::claims::Reads;
use super::grid;
use super::lines::physical;
use super::spans::{Pairs, Spans};
use super::structure::{DocumentParts, Heading};
use crate::pattern::{Pattern, pattern};

/// A line of four or more of these begins and ends a block that is not read.
const FENCES: [(char, bool); 4] = [('-', true), ('.', true), ('+', true), ('/', false)];

pattern! {
    ATTRIBUTE, r"^:!?([\w-]+)!?:(?:\s+(.*))?$"
}
pattern! {
    HEADING, r"^(={1,6})\s+\S"
}
pattern! {
    ENTRY, r"^\s*[*-]+\s+\[\[\[([^\],]+)(?:,[^\]]*)?\]\]\]"
}
pattern! {
    INLINE,
    concat!(
            r"`[^`\n]+`|\+\+[^\n]+?\+\+",    // code
            r"|footnote(?:ref)?:([\w-]*)\[", // 1 note
            r"|(?:link:)?(\{[\w-]+\}[^\s\[\]<>`]*|(?:link:)(?:\+\+)?[^\s\[\]<>`]+?(?:\+\+)?|https?://[^\s\[\]<>]+)", // 2 url
            r"\[([^\[\]\n]*(?:\[[^\[\]\n]*){0,3})\]", // 3 words
            r"|<<([^,<>]+)(?:,[^<>]*)?>>|xref:([^\[\s<>`]+)\[(?:[^\[\]]|\[[^\[\]]*\])*\]"  // 4, 5 name
        )
}
pattern! {
    EMPHASIS, r"(?:^|[\s(\[\x22])(\*{1,2}[^\s*][^*\n]*\*{1,2}|_{1,2}[^\s_][^_\n]*_{1,2})"
}

/// Reads the structure of a document.
pub(super) fn parse(text: &str) -> DocumentParts {
    let mut reader = Reader {
        text,
        seen: DocumentParts::default(),
        brackets: Pairs::new(text, [b'[', b']'], None),
        attributes: HashMap::new(),
    };
    reader.lines();
    reader.inline();
    reader.seen
}

struct Reader<'t> {
    text: &'t str,
    seen: DocumentParts,
    brackets: Pairs,
    attributes: HashMap<String, String>,
}

impl Reader<'_> {
    fn lines(&mut self) {
        let mut fence: Option<(String, usize, bool)> = None;
        let mut table: Option<(&str, Vec<Range<usize>>)> = None;
        let mut last = "";
        for line in physical(self.text) {
            let words = self.text.get(line.clone()).unwrap_or_default();
            let before = std::mem::replace(&mut last, words);
            if let Some((open, start, is_code)) = &fence {
                if words.trim_end() == open {
                    let place = if *is_code {
                        &mut self.seen.code
                    } else {
                        &mut self.seen.hidden
                    };
                    place.push(*start..line.end);
                    fence = None;
                }
                continue;
            }
            let sign = FENCES
                .iter()
                .find(|(sign, _)| words.len() >= 4 && words.chars().all(|c| c == *sign));
            if words.trim_end() == "|===" {
                self.seen.hidden.push(line);
                table = match table.take() {
                    None => Some((before, Vec::new())),
                    Some((attributes, rows)) => {
                        self.seen
                            .tables
                            .extend(grid::adoc(self.text, &rows, attributes));
                        None
                    }
                };
                continue;
            }
            if let Some((_, rows)) = &mut table {
                rows.push(line.clone());
            }
            if let Some((_, is_code)) = sign {
                fence = Some((words.trim_end().to_owned(), line.start, *is_code));
            } else if words.starts_with("```") {
                fence = Some(("```".to_owned(), line.start, true));
            } else {
                self.line(words, line);
            }
        }
        if let Some((_, start, _)) = fence {
            self.seen.unclosed.push(start); // never closed: what follows is read
        }
        self.seen.find_blocks(self.text, false);
    }

    fn line(&mut self, words: &str, line: Range<usize>) {
        let captures = |form: &'static Pattern| form.captures(words);
        if let Some(form) = captures(&ATTRIBUTE) {
            if let (Some(name), Some(value)) = (form.get(1), form.get(2)) {
                self.attributes.insert(
                    name.as_str().to_lowercase(),
                    value.as_str().trim().to_owned(),
                );
            }
            self.seen.hidden.push(line);
        } else if words.starts_with("//")
            || words.starts_with("include::")
            || words.starts_with("image::")
        {
            self.seen.hidden.push(line);
        } else if let Some(form) = captures(&HEADING) {
            let level = form.get(1).map_or(1, |signs| signs.len());
            self.seen.headings.push(Heading {
                range: line,
                level: u8::try_from(level).unwrap_or(6),
            });
        } else if let Some(form) = captures(&ENTRY)
            && let Some(name) = form.get(1)
        {
            self.seen.footnotes.push((line, name.as_str().to_owned()));
        }
    }

    fn inline(&mut self) {
        let text = self.text;
        let skip = [&self.seen.hidden, &self.seen.code]
            .into_iter()
            .flatten()
            .cloned();
        let skip = Spans::new(skip.collect());
        let mut named = 0;
        for form in INLINE.captures_iter(text) {
            let Some(whole) = form.get(0).map(|whole| whole.range()) else {
                continue;
            };
            if skip.covers(whole.start) {
                continue;
            }
            let group = |number: usize| form.get(number).map(|group| group.as_str());
            if let (Some(target), Some(words)) = (group(2), form.get(3)) {
                self.link(&whole, target, words.range());
            } else if let Some(name) = group(1) {
                named += 1;
                self.footnote(&whole, name, named);
            } else if let Some(name) = group(4).or(group(5)) {
                self.seen.edit(whole.clone(), Reads::Mark);
                self.seen.footnote_uses.push((whole, name.to_owned()));
            } else {
                self.seen.code.push(whole);
            }
        }
        for form in EMPHASIS.captures_iter(text) {
            if let Some(words) = form.get(1) {
                let sign = words.as_str().chars().next().unwrap_or('*');
                let signs = words
                    .as_str()
                    .chars()
                    .take_while(|c| *c == sign)
                    .count()
                    .min(2);
                self.seen.strip(&words.range(), signs);
            }
        }
        // Names that only lead to another part of the document are not notes.
        let known: std::collections::HashSet<&str> = self
            .seen
            .footnotes
            .iter()
            .map(|(_, name)| name.as_str())
            .collect();
        self.seen
            .footnote_uses
            .retain(|(_, name)| known.contains(name.as_str()));
        self.seen.sort();
    }

    /// A footnote is where it is used; with a name it can be used again.
    fn footnote(&mut self, start: &Range<usize>, name: &str, number: usize) {
        const LONGEST: usize = 16_000;
        let end = self.brackets.closing(start.end);
        let length = end.map(|end| end - start.end);
        let Some(length) = length.filter(|length| *length < LONGEST) else {
            return;
        };
        let name = if name.is_empty() {
            format!("\u{0}{number}")
        } else {
            name.to_owned()
        };
        let whole = start.start..start.end + length + 1;
        if length > 0 {
            self.seen
                .footnotes
                .push((start.end..start.end + length, name.clone()));
        }
        self.seen.edit(whole.clone(), Reads::Mark);
        self.seen.footnote_uses.push((whole, name));
    }

    fn link(&mut self, range: &Range<usize>, target: &str, words: Range<usize>) {
        let target = target
            .strip_prefix("link:")
            .unwrap_or(target)
            .trim_matches('+');
        let url = match target
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
        {
            Some((name, rest)) => match self.attributes.get(&name.to_lowercase()) {
                Some(value) => format!("{value}{rest}"),
                None => return,
            },
            None => target.to_owned(),
        };
        // Attributes behind the words say how the link is shown: `[words,window=_blank]`.
        let written = self.text.get(words.clone()).unwrap_or_default();
        let shown = written
            .split(",window")
            .next()
            .unwrap_or_default()
            .trim_end_matches('^')
            .trim();
        let inner = words.start..words.start + shown.len();
        self.seen.link(self.text, range.clone(), inner, url);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{claims, one};

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        claims(text, Format::Adoc)
    }

    #[test]
    fn links_footnotes_and_bibliographies_cite_their_sentences() {
        let text = "= Guide\n:base: https://a.example\n\nThe mill grinds rye (https://a.example/mill[log]). Oaks are *old* trees link:https://a.example/oaks[says the census].\n\nElms are tall trees.footnote:[Survey, https://a.example/elms[here].] Ash is hard wood <<smith>>.\n\n* Yew is soft wood, {base}/yew[they say]\n* Fir is light wood https://a.example/fir\n\n[bibliography]\n== References\n\n* [[[smith,1]]] Smith. Ash. https://a.example/ash\n";
        assert_eq!(
            read(text),
            [
                one("https://a.example/mill", "The mill grinds rye."),
                one(
                    "https://a.example/oaks",
                    "Oaks are old trees says the census."
                ),
                one("https://a.example/elms", "Elms are tall trees."),
                one("https://a.example/ash", "Ash is hard wood."),
                one("https://a.example/yew", "Yew is soft wood, they say"),
                one("https://a.example/fir", "Fir is light wood"),
            ]
        );
    }

    #[test]
    fn code_and_comments_are_not_read() {
        let text = "Oaks are old.\n\n----\ncurl https://a.example/code\n----\n\n// https://a.example/line\n\n////\nhttps://a.example/block\n////\n\nUse `https://a.example/inline` here.\n\nElms are tall https://a.example/x[].\n";
        assert_eq!(read(text), [one("https://a.example/x", "Elms are tall.")]);
    }
}
