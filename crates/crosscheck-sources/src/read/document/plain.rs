//! Plain text: paragraphs and items, with the links of Markdown, Org and reStructuredText in them.

use std::collections::HashMap;
use std::ops::Range;

use super::doc::Doc;
use super::lines::{Flow, Part, indent, inline, physical};
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
    TARGET, r"(?m)^\.\. _`?([^:`\n]+)`?:\s+(https?://\S+)[ \t]*$"
}

/// The format that a file of plain text is written in.
pub(super) fn format(text: &str) -> Format {
    if HTML.is_match(text) {
        Format::Html
    } else {
        Format::Text
    }
}

/// Reads a text.
pub(super) fn parse(text: &str) -> Doc {
    let key = |name: &str| name.to_lowercase();
    let mut named: HashMap<String, String> = HashMap::new();
    let mut parts: Vec<(Range<usize>, Part)> = Vec::new();
    for form in TARGET.captures_iter(text) {
        if let (Some(whole), Some(name), Some(url)) = (form.get(0), form.get(1), form.get(2)) {
            named.insert(key(name.as_str()), url.as_str().to_owned());
            parts.push((whole.range(), Part::Hidden));
        }
    }
    parts.extend(examples(text).into_iter().map(|range| (range, Part::Code)));
    let form: &Pattern = if named.is_empty() { &LINK } else { &NAMED };
    let mut links = |writer: &mut super::doc::Writer, range: Range<usize>| {
        inline(writer, text, range, form, |writer, form| {
            let whole = form.get(0).map_or(0..0, |whole| whole.range());
            let words = form.get(1).or(form.get(4)).or(form.get(5));
            let words = words.map_or((whole.end, ""), |words| (words.start(), words.as_str()));
            if let Some(url) = form.get(2).or(form.get(3)).or(form.get(6)) {
                let url = url.as_str().split_whitespace().collect();
                writer.whole_link(whole.start, url, words);
            } else if let Some(Ok(number)) = form.get(7).map(|own| own.as_str().parse()) {
                writer.point(whole.start, None, vec![number]);
            } else if let Some(own) = form.get(8).or(form.get(9)) {
                match named.get(&key(own.as_str())) {
                    Some(url) => {
                        let words = (own.start(), own.as_str());
                        writer.whole_link(whole.start, url.clone(), words);
                    }
                    None => writer.text(whole.start, text.get(whole.clone()).unwrap_or_default()),
                }
            }
            whole.end
        });
        Vec::new()
    };
    let flow = Flow {
        text,
        writer: super::doc::Writer::default(),
        inline: &mut links,
    };
    flow.write(parts).finish()
}

/// Examples of Python, from `>>> ` to the next blank line, and what is set in below a `::`.
fn examples(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    // how far the line with the `::` is set in
    let mut literal: Option<usize> = None;
    for line in physical(text) {
        let own = text.get(line.clone()).unwrap_or_default();
        let words = own.trim();
        let is_in = words.is_empty() || literal.is_some_and(|depth| indent(own) > depth);
        literal = literal.filter(|_| is_in);
        let is_code =
            words.ends_with("::") && !words.starts_with("..") || words.starts_with(".. code");
        if is_code && literal.is_none() {
            literal = Some(indent(own));
            open = false;
            continue;
        }
        let starts = (literal.is_some() || words.starts_with(">>> ")) && !open;
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
