//! Plain text: bare URLs, identifiers, lists of sources.

use std::ops::Range;

use super::lines::{blocks, holders, physical};
use super::spans::Spans;
use super::structure::DocumentParts;
use super::{Format, ReadOptions};
use crate::pattern::{Pattern, pattern};
use crate::read::identifier::identifiers_in;
use crate::read::urls::urls_in;

pattern! {
    /// The beginning of an HTML document.
    HTML, r"(?i)^\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b"
}
pattern! {
    /// What only reStructuredText has: directives, named targets, embedded links.
    RST, r"(?m)^\.\. (?:[a-z][\w-]+::(?:\s|$)|_[^:\n]+:\s+https?://)|`[^`<\n]+<https?://[^`>\s]+>`__?"
}

/// The format that a file of plain text is written in.
pub(super) fn format(text: &str) -> Format {
    let is = |form: &Pattern| form.is_match(text);
    if is(&HTML) {
        Format::Html
    } else if is(&RST) {
        Format::Rst
    } else {
        Format::Text
    }
}

/// Reads the structure of a text.
pub(super) fn parse(text: &str) -> DocumentParts {
    let code = examples(text);
    let blocks = blocks(text, &Spans::new(code.clone()));
    let mut seen = DocumentParts {
        kinds: holders(text, &blocks, false),
        blocks,
        code,
        ..DocumentParts::default()
    };
    links(text, &mut seen);
    seen.sort();
    seen
}

pattern! {
    /// `[words](https://…)`, as many texts have them.
    MARKDOWN, r"\[([^\[\]\n]*[\p{L}+][^\[\]\n]*)\]\((https?://[^\s()]+)\)"
}

/// Links of Markdown.
fn links(text: &str, seen: &mut DocumentParts) {
    for link in MARKDOWN.captures_iter(text) {
        if let (Some(all), Some(words), Some(url)) = (link.get(0), link.get(1), link.get(2)) {
            seen.link(text, all.range(), words.range(), url.as_str().to_owned());
        }
    }
}

/// Examples of Python: from `>>> ` to the next blank line.
fn examples(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in physical(text) {
        let words = text.get(line.clone()).unwrap_or_default().trim();
        let starts = words.starts_with(">>> ");
        open = !words.is_empty() && (open || starts);
        match found
            .last_mut()
            .filter(|last| open && !starts && last.end < line.end)
        {
            Some(last) => last.end = line.end,
            None if open => found.push(line),
            None => {}
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::super::tests::cited;
    use super::*;

    #[test]
    fn a_text_file_is_read_as_what_it_is() {
        for (text, known) in [
            ("<!DOCTYPE html>\n<p>Oaks</p>", Format::Html),
            ("<!-- saved -->\n<html><p>Oaks</p>", Format::Html),
            ("Oaks\n====\n\n.. note:: See it.\n", Format::Rst),
            ("Oaks are `old <https://a.example/x>`_.\n", Format::Rst),
            (
                "Oaks are old.\n\n.. _oaks: https://a.example/x\n",
                Format::Rst,
            ),
            ("Oaks <b>are</b> old https://a.example/x", Format::Text),
            ("Oaks... are old :: so", Format::Text),
        ] {
            assert_eq!(format(text), known, "{text}");
        }
        let text = "<html><body><p style=\"width: 26px;fill: #fff\">Oaks are <a href=\"https://a.example/x\">old</a> trees.</p>\n\
                    </body></html>";
        let found = cited(text, Format::Text);
        assert_eq!(found[0].claim.as_deref(), Some("Oaks are old trees."));
        let text = "Oaks are old https://a.example/x.\n\n>>> get(\"https://a.example/code\")\n'https://a.example/code'\n\nElms https://a.example/y grow tall.\n";
        let urls: Vec<String> = cited(text, Format::Text)
            .into_iter()
            .map(|one| one.url)
            .collect();
        assert_eq!(urls, ["https://a.example/x", "https://a.example/y"]);
    }
}
