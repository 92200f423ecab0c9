//! Directives of reStructuredText: what of them is text, an image, or code.

use std::ops::Range;

use super::claims::Reads;
use super::lines::physical;
use super::rst::{Reader, key};
use crate::pattern::pattern;

/// Directives whose content is not text.
const CODE: &[&str] = &[
    "code",
    "code-block",
    "sourcecode",
    "literalinclude",
    "math",
    "raw",
    "parsed-literal",
    "highlight",
    "doctest",
    "graphviz",
    "digraph",
    "mermaid",
    "plantuml",
    "uml",
    "plot",
    "ipython",
    "prompt",
    "testcode",
    "testoutput",
    "testsetup",
    "testcleanup",
    "jupyter-execute",
    "productionlist",
    "autoclass",
    "autofunction",
    "automodule",
    "toctree",
    "include",
];

/// Directives whose first line begins with text or a title.
const TEXT: &[&str] = &[
    "attention",
    "caution",
    "danger",
    "error",
    "hint",
    "important",
    "note",
    "tip",
    "warning",
    "admonition",
    "seealso",
    "todo",
    "topic",
    "sidebar",
    "rubric",
    "epigraph",
    "highlights",
    "pull-quote",
    "compound",
    "centered",
    "dropdown",
    "card",
    "tab-item",
    "list-table",
    "csv-table",
    "table",
];
/// Directives whose text is behind a version.
const VERSION: &[&str] = &[
    "versionadded",
    "versionchanged",
    "versionremoved",
    "deprecated",
    "deprecated-removed",
];

pattern! {
    OPTION, r"^\s*:([\w-]+):(?:\s+(\S+).*)?$"
}

/// A directive: `.. name:: argument`, or `.. |replaces| name:: argument`.
pub(super) struct Directive<'t> {
    pub(super) name: &'t str,
    /// With everything that is set in below it.
    pub(super) whole: Range<usize>,
    pub(super) line: Range<usize>,
    /// Where its argument begins.
    pub(super) start: usize,
    pub(super) replaces: Option<&'t str>,
}

impl Reader<'_> {
    /// A directive; returns the line behind what was read of it.
    pub(super) fn directive(
        &mut self,
        directive: &Directive<'_>,
        lines: &[Range<usize>],
        at: usize,
        end: usize,
    ) -> usize {
        let Directive {
            name, whole, line, ..
        } = directive;
        let argument = directive.start..line.end;
        let options = self.options(lines, at + 1, end);
        let body = lines.get(options).map_or(whole.end, |next| next.start);
        if *name == "raw" {
            let format = self.text.get(argument).unwrap_or_default().trim();
            if format.eq_ignore_ascii_case("html") && body < whole.end {
                self.raw.push(body..whole.end);
                self.seen.hidden.push(line.start..body);
            } else {
                self.code(lines, at, end);
            }
            return end;
        }
        if CODE.contains(name) {
            self.code(lines, at, end);
            return end;
        }
        if matches!(*name, "image" | "figure") {
            self.image(line.start..lines.get(options - 1).map_or(line.end, |last| last.end));
            if let Some(name) = directive.replaces {
                self.words.insert(key(name), String::new());
            }
            return options;
        }
        if let Some(name) = directive.replaces {
            let words = self.text.get(directive.start..whole.end);
            let words = words.unwrap_or_default().split_whitespace();
            let words = words.collect::<Vec<_>>().join(" ");
            // markup in it is not read: its name says what it is
            let words = match directive.name {
                "replace" if words.contains('`') => name.to_owned(),
                "replace" => words,
                _ => String::new(),
            };
            self.words.insert(key(name), words);
            self.seen.hidden.push(whole.clone());
            return end;
        }
        for option in lines.get(at + 1..options).unwrap_or_default() {
            let words = self.text.get(option.clone()).unwrap_or_default();
            if words.contains("://") {
                self.option(option, None);
                self.quiet.push(option.clone());
                self.seen.edit(option.clone(), Reads::Nothing);
            } else {
                self.seen.hidden.push(option.clone());
            }
        }
        if TEXT.contains(name) {
            self.seen.edit(line.start..directive.start, Reads::Nothing);
        } else if VERSION.contains(name) {
            let words = self.text.get(argument).unwrap_or_default();
            let blanks = words.len() - words.trim_start().len();
            let version = words.split_whitespace().next();
            let length = blanks + version.map_or(0, str::len);
            self.seen
                .edit(line.start..directive.start + length, Reads::Nothing);
        } else {
            self.seen.hidden.push(line.clone());
        }
        options
    }

    /// The line behind the options that follow the first line of a directive.
    fn options(&self, lines: &[Range<usize>], mut at: usize, end: usize) -> usize {
        let is_option = |line: &Range<usize>| {
            let words = self.text.get(line.clone()).unwrap_or_default();
            OPTION.is_match(words)
        };
        while at < end && lines.get(at).is_some_and(is_option) {
            at += 1;
        }
        at
    }

    /// Where the option on a line leads, if it has this name.
    fn option(&mut self, line: &Range<usize>, wanted: Option<&str>) {
        let words = self.text.get(line.clone()).unwrap_or_default();
        let Some(form) = OPTION.captures(words) else {
            return;
        };
        let name = form.get(1).map(|name| name.as_str());
        if let Some(target) = form.get(2).filter(|_| wanted.is_none() || wanted == name) {
            let place = line.start + target.start()..line.start + target.end();
            self.images.push((place, target.as_str().to_owned()));
        }
    }

    /// An image and where a click on it leads; it claims nothing.
    fn image(&mut self, range: Range<usize>) {
        let own = self.text.get(range.clone()).unwrap_or_default();
        for line in physical(own).skip(1) {
            let line = range.start + line.start..range.start + line.end;
            self.option(&line, Some("target"));
        }
        self.seen.edit(range.clone(), Reads::Nothing);
        self.seen.images.push(range);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::{claims, one};

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        claims(text, Format::Rst)
    }

    #[test]
    fn directives_are_read_from_their_first_line_on() {
        let text = ".. note:: Oaks are old, says the `one <https://a.example/1>`_.\n\n\
                    .. warning:: Charts are slow, as\n   `two <https://a.example/2>`_ says.\n\n\
                    .. versionadded:: 3.1\n   Thanks go to the `three <https://a.example/3>`_ writers.\n\n\
                    .. deprecated:: 4.2 The old `four <https://a.example/4>`_ goes away.\n\n\
                    .. admonition:: A title with `five <https://a.example/5>`_\n   :class: wide\n\n   Body.\n\n\
                    .. grid-item-card:: Oaks\n   :link: https://a.example/card\n   :class: wide\n\n   Cards hold text.\n\n\
                    .. function:: open(https://a.example/none)\n\n   It opens the `six <https://a.example/6>`_ gates.\n";
        assert_eq!(
            read(text),
            [
                one("https://a.example/1", "Oaks are old, says the one."),
                one("https://a.example/2", "Charts are slow, as two says."),
                one("https://a.example/3", "Thanks go to the three writers."),
                one("https://a.example/4", "The old four goes away."),
                one("https://a.example/5", "A title with five"),
                ("https://a.example/card".to_owned(), None),
                one("https://a.example/6", "It opens the six gates."),
            ]
        );
    }

    #[test]
    fn a_linked_image_claims_nothing() {
        let text = ".. image:: https://a.example/i.svg\n   :target: https://a.example/1\n   :alt: Code coverage\n\n\
                    .. |docs| image:: https://a.example/d.svg\n   :target: https://a.example/2\n\n\
                    .. figure:: https://a.example/f.png\n   :target: named_\n\n   Elms are tall, says the `caption <https://a.example/4>`_.\n\n\
                    |docs| Oaks are old, says |sub|_ of |org| and |Ash|.\n\n\
                    .. |sub| replace:: Subs\n.. |org| replace:: the office\n.. |Ash| replace:: :class:`ash.Ash`\n.. _sub: https://a.example/5\n.. _named: https://a.example/3\n";
        let none = |url: &str| (url.to_owned(), None);
        assert_eq!(
            read(text),
            [
                none("https://a.example/1"),
                none("https://a.example/2"),
                none("https://a.example/3"),
                one("https://a.example/4", "Elms are tall, says the caption."),
                one(
                    "https://a.example/5",
                    "Oaks are old, says sub of the office and Ash."
                ),
            ]
        );
    }

    #[test]
    fn raw_html_is_html_and_examples_are_code() {
        let text = ".. raw:: html\n\n   <p>Oaks are <a href=\"https://a.example/1\">old</a> trees.</p>\n\n\
                    .. raw:: latex\n\n   \\url{https://a.example/none}\n\n\
                    >>> get(\"https://a.example/none\")\n'https://a.example/none'\n\nElms are tall https://a.example/2.\n";
        assert_eq!(
            read(text),
            [
                one("https://a.example/1", "Oaks are old trees."),
                one("https://a.example/2", "Elms are tall."),
            ]
        );
    }
}
