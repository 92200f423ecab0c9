//! Markdown: links, reference links, footnotes, autolinks, bare URLs, and
//! numbered lists of sources.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::plain::bare;
use super::references::{cited, items};
use super::{Lines, Mention, ReadOptions, Spans, sentence_at};

/// A link as the parser saw it.
struct Link {
    range: Range<usize>,
    url: String,
    title: String,
    footnote: Option<String>,
}

/// What the parser found.
#[derive(Default)]
struct Seen {
    links: Vec<Link>,
    /// Paragraphs, list items, table cells, headings.
    blocks: Vec<Range<usize>>,
    code: Vec<Range<usize>>,
    footnote_uses: Vec<(Range<usize>, String)>,
    footnotes: Vec<(Range<usize>, String)>,
}

/// The citations of a document.
pub(super) fn mentions(text: &str, options: ReadOptions) -> Vec<Mention> {
    let lines = Lines::of(text);
    let seen = parse(text);
    let list = items(text, options);
    let listed = Spans::new(list.iter().map(|item| item.range.clone()).collect());
    let code = Spans::new(seen.code.clone());
    let notes = Spans::new(
        seen.footnotes
            .iter()
            .map(|(range, _)| range.clone())
            .collect(),
    );
    let linked = Spans::new(seen.links.iter().map(|link| link.range.clone()).collect());
    let blocks = Spans::new(
        seen.blocks
            .iter()
            .filter(|block| !code.covers(block.start))
            .cloned()
            .collect(),
    );
    let mut found = Vec::new();
    for link in &seen.links {
        if !listed.covers(link.range.start) && !notes.covers(link.range.start) && is_web(&link.url)
        {
            found.push(mention(
                text,
                &blocks,
                &lines,
                &link.range,
                &link.url,
                &link.title,
            ));
        }
    }
    found.extend(footnotes(text, &seen, &blocks, &lines, options));
    found.extend(cited(text, &list, &listed, &blocks, &lines));
    let taken = |offset: usize| {
        [&listed, &code, &linked, &notes]
            .iter()
            .any(|spans| spans.covers(offset))
            || is_definition(text, offset)
    };
    bare(text, &blocks, options, &lines, taken, &mut found);
    if options.include_code {
        bare(text, &code, options, &lines, |_| false, &mut found);
    }
    found
}

fn parse(text: &str) -> Seen {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut seen = Seen::default();
    let mut open: Vec<Link> = Vec::new();
    let mut notes: Vec<(usize, String)> = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                let footnote = notes.last().map(|(_, name)| name.clone());
                open.push(Link {
                    range,
                    url: dest_url.into_string(),
                    title: String::new(),
                    footnote,
                });
            }
            Event::End(TagEnd::Link) => seen.links.extend(open.pop()),
            Event::Start(Tag::FootnoteDefinition(name)) => {
                notes.push((range.start, name.into_string()));
            }
            Event::End(TagEnd::FootnoteDefinition) => {
                if let Some((start, name)) = notes.pop() {
                    seen.footnotes.push((start..range.end, name));
                }
            }
            Event::FootnoteReference(name) => seen.footnote_uses.push((range, name.into_string())),
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::Item) => {
                seen.blocks.push(range);
            }
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => seen.code.push(range),
            Event::Text(words) => {
                if let Some(link) = open.last_mut() {
                    link.title.push_str(&words);
                }
            }
            _ => {}
        }
    }
    seen
}

/// Each use of a footnote cites every URL of its definition; a definition
/// nobody uses is bound to nothing.
fn footnotes(
    text: &str,
    seen: &Seen,
    blocks: &Spans,
    lines: &Lines,
    options: ReadOptions,
) -> Vec<Mention> {
    let mut urls: HashMap<&str, Vec<(usize, String)>> = HashMap::new();
    for (range, name) in &seen.footnotes {
        let mut inside = Vec::new();
        let alone = Spans::new(vec![range.clone()]);
        bare(text, &alone, options, lines, |_| false, &mut inside);
        let mut list: Vec<(usize, String)> = inside
            .into_iter()
            .map(|mention| (range.start, mention.url))
            .collect();
        for link in seen
            .links
            .iter()
            .filter(|link| link.footnote.as_deref() == Some(name) && is_web(&link.url))
        {
            if !list.iter().any(|(_, url)| *url == link.url) {
                list.push((link.range.start, link.url.clone()));
            }
        }
        urls.insert(name, list);
    }
    let mut found = Vec::new();
    for (range, name) in &seen.footnote_uses {
        for (_, url) in urls.get(name.as_str()).into_iter().flatten() {
            found.push(mention(text, blocks, lines, range, url, ""));
        }
    }
    for (name, list) in &urls {
        if !seen.footnote_uses.iter().any(|(_, used)| used == name) {
            for (at, url) in list {
                let (line, column) = lines.place(text, *at);
                found.push(Mention {
                    url: url.clone(),
                    line,
                    column,
                    claim: None,
                    title: None,
                });
            }
        }
    }
    found
}

fn mention(
    text: &str,
    blocks: &Spans,
    lines: &Lines,
    at: &Range<usize>,
    url: &str,
    title: &str,
) -> Mention {
    // The smallest block around the place: a cell before its table, a paragraph before its item.
    let block = blocks.around(at);
    let claim = block.and_then(|block| {
        let inside = at.start - block.start..at.end - block.start;
        sentence_at(text.get(block.clone())?, &inside)
    });
    let (line, column) = lines.place(text, at.start);
    let title = Some(title.trim().to_owned()).filter(|title| !title.is_empty() && !is_web(title));
    Mention {
        url: url.to_owned(),
        line,
        column,
        claim,
        title,
    }
}

fn is_web(url: &str) -> bool {
    let start = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    start.starts_with("http://")
        || start.starts_with("https://")
        || start.starts_with("www.")
        || start.starts_with("doi:")
}

/// `[label]: url` lines say where links lead; the links themselves are the citations.
fn is_definition(text: &str, offset: usize) -> bool {
    let start = text
        .get(..offset)
        .and_then(|head| head.rfind('\n'))
        .map_or(0, |at| at + 1);
    let line = text.get(start..offset).unwrap_or_default().trim_start();
    line.starts_with('[') && line.trim_end().ends_with("]:")
}

#[cfg(test)]
mod tests {
    use super::super::{Format, mentions};
    use super::*;

    fn read(text: &str) -> Vec<(String, u64, u64, Option<String>)> {
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let found = mentions(text, Format::Markdown, options).unwrap();
        found
            .into_iter()
            .map(|one| (one.url, one.line, one.column, one.claim))
            .collect()
    }

    fn one(url: &str, line: u64, column: u64, claim: &str) -> (String, u64, u64, Option<String>) {
        (url.to_owned(), line, column, Some(claim.to_owned()))
    }

    #[test]
    fn links_of_all_kinds_cite_their_sentence() {
        let text = "# Title\n\nFirst. [Trees cool streets](https://a.example/x) by 3 degrees. Last.\n\nSee <https://b.example/y> for oaks.\n\nIt is [so][ref], they say.\n\n[ref]: https://c.example/z\n\nBare https://d.example/w, too.\n";
        assert_eq!(
            read(text),
            [
                one(
                    "https://a.example/x",
                    3,
                    8,
                    "Trees cool streets by 3 degrees."
                ),
                one("https://b.example/y", 5, 5, "See for oaks."),
                one("https://c.example/z", 7, 7, "It is [so][ref], they say."),
                one("https://d.example/w", 11, 6, "Bare, too."),
            ]
        );
    }

    #[test]
    fn code_is_not_read_unless_asked_for() {
        let text = "Text.\n\n```\ncurl https://a.example/\n```\n\nInline `https://b.example/`.\n";
        assert!(read(text).is_empty());
        let options = ReadOptions {
            include_code: true,
            identifiers: true,
        };
        assert_eq!(mentions(text, Format::Markdown, options).unwrap().len(), 2);
    }

    #[test]
    fn footnotes_and_numbered_lists_bind_to_the_sentence_with_the_mark() {
        let note = "Trees cool streets.[^1] More.\n\n[^1]: See https://a.example/x.\n";
        assert_eq!(
            read(note),
            [one("https://a.example/x", 1, 20, "Trees cool streets.")]
        );
        let list = "Trees cool streets [1]. Oaks are old [2].\n\n## References\n\n1. Cooling, https://a.example/x\n2. Oaks https://b.example/y\n3. Unused https://c.example/z\n";
        let found = read(list);
        assert_eq!(
            found[0],
            one("https://a.example/x", 1, 20, "Trees cool streets.")
        );
        assert_eq!(found[1], one("https://b.example/y", 1, 38, "Oaks are old."));
        assert_eq!(
            (found[2].0.as_str(), &found[2].3, found.len()),
            ("https://c.example/z", &None, 3)
        );
    }

    #[test]
    fn a_table_cell_and_a_list_item_are_the_claim() {
        let text = "| a | b |\n|---|---|\n| Oaks are old https://a.example/x | other |\n\n- Elms are tall (https://b.example/y)\n- nothing\n";
        let found = read(text);
        assert_eq!(
            (found[0].0.as_str(), found[0].3.as_deref()),
            ("https://a.example/x", Some("Oaks are old"))
        );
        assert_eq!(
            (found[1].0.as_str(), found[1].3.as_deref()),
            ("https://b.example/y", Some("Elms are tall"))
        );
        assert_eq!(found.len(), 2);
    }
}
