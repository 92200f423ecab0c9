//! Plain text: paragraphs and items, with the links of Markdown, Org and reStructuredText in them.

use std::collections::HashMap;
use std::ops::Range;

use super::spans::Spans;
use super::written::{Written, lines};
use super::{Format, ReadOptions};
use crate::pattern::{Pattern, pattern};
use crate::read::identifier::identifiers_in;
use crate::read::urls::urls_in;

pattern! {
    /// The beginning of an HTML document.
    HTML, r"(?i)^\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b"
}
pattern! {
    ITEM, r"^\s*([-+•]|\*{1,5}|\.{1,5}|#\.|\(?\d{1,3}[.)])(?:\s+|$)"
}
pattern! {
    /// The sign in front of whoever is quoted.
    SPEAKER, r"^\s*(?:--|—|―) "
}
pattern! {
    /// `[words](https://…)`, `[[https://…][words]]` and `` `words <https://…>`_ ``, as many texts have
    /// them, and the note `[1]_`.
    LINK, links("")
}
pattern! {
    /// The same where the text says what names lead to: `` `words`_ ``, `word_`.
    NAMED, links(r"|`([^`<]+)`_|\b([A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*)_\b{end}")
}
fn links(more: &str) -> String {
    let forms = [
        r"\[([^\[\]\n]*[\p{L}+][^\[\]\n]*)\]\((https?://[^\s()]+)\)",
        r"|\[\[(https?://[^\[\]\s]+)\](?:\[([^\[\]\n]*)\])?\]",
        r"|`([^`<]*[^`<\s])\s*<(https?://[^`<>]+)>`__?",
        r"|\[(\d{1,3})\]_",
        more,
    ];
    forms.concat()
}
pattern! {
    /// Where reStructuredText says what a name leads to: `.. _name: https://…`
    TARGET, r"^\.\. _`?([^:`\n]+)`?:\s+(https?://\S+)$"
}

/// The format that a file of plain text is written in.
pub(super) fn format(text: &str) -> Format {
    if HTML.is_match(text) {
        Format::Html
    } else {
        Format::Text
    }
}

/// The text as HTML.
pub(super) fn html(text: &str) -> Written {
    let mut targets: HashMap<String, &str> = HashMap::new();
    for line in text.lines() {
        if let Some((_, [name, url])) = TARGET.captures(line.trim_end()).map(|form| form.extract())
        {
            targets.insert(name.to_lowercase(), url);
        }
    }
    let mut writer = Writer {
        text,
        targets,
        out: Written::default(),
    };
    let mut paragraph: Option<Range<usize>> = None;
    let mut example = Example::default();
    for line in lines(text) {
        let own = text.get(line.clone()).unwrap_or_default();
        let is_code = example.takes(own);
        let is_no_words = is_code || own.is_empty() || TARGET.is_match(own);
        if is_no_words || ITEM.is_match(own) || SPEAKER.is_match(own) {
            writer.paragraph(paragraph.take());
        }
        if is_code {
            writer.out.markup(line.start, "<pre>");
            writer.out.words(line.start, own);
            writer.out.markup(line.end, "</pre>");
        } else if !is_no_words {
            let start = paragraph.map_or(line.start, |own| own.start);
            paragraph = Some(start..line.end);
        }
    }
    writer.paragraph(paragraph);
    writer.out
}

struct Writer<'t> {
    text: &'t str,
    targets: HashMap<String, &'t str>,
    out: Written,
}

impl Writer<'_> {
    fn paragraph(&mut self, range: Option<Range<usize>>) {
        let Some(range) = range else {
            return;
        };
        let words = self.text.get(range.clone()).unwrap_or_default();
        let start = range.start + words.len() - words.trim_start().len();
        let Some((sign, [own])) = ITEM.captures(words).map(|form| form.extract()) else {
            self.out.markup(start, "<p>");
            return self.inline(start..range.end);
        };
        let number: Option<usize> = own.trim_matches(['(', ')', '.']).parse().ok();
        let tag = number.map_or("<ul><li>".to_owned(), |number| {
            format!("<ol><li value={number}>")
        });
        self.out.markup(start, &tag);
        self.inline(range.start + sign.len()..range.end);
        let end = if number.is_some() { "</ol>" } else { "</ul>" };
        self.out.markup(range.end, end);
    }

    fn inline(&mut self, range: Range<usize>) {
        let form: &Pattern = if self.targets.is_empty() {
            &LINK
        } else {
            &NAMED
        };
        let targets = &self.targets;
        self.out.inline(self.text, range, form, |out, form| {
            let group = |number: usize| form.get(number);
            let whole = group(0).map_or(0..0, |whole| whole.range());
            let words = group(1).or(group(4)).or(group(5));
            let words = words.or(group(8)).or(group(9));
            let url = group(2).or(group(3)).or(group(6));
            let url = url.map(|url| url.as_str().split_whitespace().collect::<String>());
            let named = || targets.get(&words?.as_str().to_lowercase());
            if let Some(url) = url.or_else(|| named().map(|url| (*url).to_owned())) {
                out.link(whole.start, &url);
                if let Some(words) = words {
                    out.words(words.start(), words.as_str());
                }
                out.markup(whole.end, "</a>");
            } else if let Some(number) = group(7) {
                out.markup(whole.start, &format!("<sup>{}", number.as_str()));
                out.markup(whole.start, "</sup>");
            } else if let Some(own) = group(0) {
                out.words(whole.start, own.as_str());
            }
            whole.end
        });
    }
}

/// Examples of Python, from `>>> ` to the next blank line, and what is set in below a `::`.
#[derive(Default)]
struct Example {
    is_open: bool,
    /// How far the line with the `::` is set in.
    literal: Option<usize>,
}

impl Example {
    /// Whether the next line is code.
    fn takes(&mut self, line: &str) -> bool {
        let words = line.trim();
        let depth = line.len() - line.trim_start().len();
        let is_in = words.is_empty() || self.literal.is_some_and(|own| depth > own);
        self.literal = self.literal.filter(|_| is_in);
        let begins =
            words.ends_with("::") && !words.starts_with("..") || words.starts_with(".. code");
        if begins && self.literal.is_none() {
            self.literal = Some(depth);
            self.is_open = false;
            return false;
        }
        let starts = self.literal.is_some() || words.starts_with(">>> ");
        self.is_open = !words.is_empty() && (self.is_open || starts);
        self.is_open
    }
}

/// Bare URLs and identifiers of a text, in its order.
pub(super) fn places(text: &str, options: ReadOptions) -> Vec<(Range<usize>, String)> {
    let urls = Spans::new(urls_in(text));
    let mut places: Vec<(Range<usize>, String)> = urls
        .0
        .iter()
        .filter_map(|range| Some((range.clone(), text.get(range.clone())?.to_owned())))
        .collect();
    if options.identifiers {
        let named = identifiers_in(text).into_iter();
        places.extend(named.filter(|(range, _)| !urls.covers(range.start)));
        places.sort_by_key(|(range, _)| range.start);
    }
    places
}
