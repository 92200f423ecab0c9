//! Plain text: paragraphs and items, with the links of Markdown and Org in them.

use std::ops::Range;

use super::doc::Doc;
use super::lines::{Flow, Part, inline, physical};
use super::spans::Spans;
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
pattern! {
    /// `[words](https://…)` and `[[https://…][words]]`, as many texts have them.
    LINK, r"\[([^\[\]\n]*[\p{L}+][^\[\]\n]*)\]\((https?://[^\s()]+)\)|\[\[(https?://[^\[\]\s]+)\](?:\[([^\[\]\n]*)\])?\]"
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

/// Reads a text.
pub(super) fn parse(text: &str) -> Doc {
    let parts = examples(text).into_iter().map(|range| (range, Part::Code));
    let mut links = |writer: &mut super::doc::Writer, range: Range<usize>| {
        inline(writer, text, range, &LINK, |writer, form| {
            let whole = form.get(0).map_or(0..0, |whole| whole.range());
            let words = form.get(1).or(form.get(4));
            let words = words.map_or((whole.end, ""), |words| (words.start(), words.as_str()));
            if let Some(url) = form.get(2).or(form.get(3)) {
                writer.whole_link(whole.start, url.as_str().to_owned(), words);
            }
            whole.end
        });
        Vec::new()
    };
    let flow = Flow {
        text,
        writer: super::doc::Writer::default(),
        has_quotes: false,
        inline: &mut links,
    };
    flow.write(parts.collect()).finish()
}

/// Examples of Python: from `>>> ` to the next blank line.
fn examples(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in physical(text) {
        let words = text.get(line.clone()).unwrap_or_default().trim();
        let starts = words.starts_with(">>> ") && !open;
        open = !words.is_empty() && (open || starts);
        match found.last_mut().filter(|_| open && !starts) {
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
