//! AsciiDoc: links, footnotes, bibliographies.

use std::collections::HashMap;
use std::ops::Range;

use super::doc::{Doc, Writer};
use super::lines::{Flow, Part, inline, physical};
use super::spans::Pairs;
use crate::pattern::pattern;

/// A line of four or more of these begins and ends a block of code; one of `/` is not read.
const FENCES: [char; 4] = ['-', '.', '+', '/'];

pattern! {
    ATTRIBUTE, r"^:!?([\w-]+)!?:(?:\s+(.*))?$"
}
pattern! {
    HEADING, r"^(={1,6})\s+(\S)"
}
pattern! {
    ENTRY, r"^\s*[*-]+\s+\[\[\[([^\],]+)(?:,[^\]]*)?\]\]\]"
}
pattern! {
    INLINE,
    concat!(
            r"`([^`\n]+)`|\+\+([^\n]+?)\+\+", // 1, 2 code
            r"|footnote(?:ref)?:([\w-]*)\[",  // 3 note
            r"|(?:link:)?(\{[\w-]+\}[^\s\[\]<>`]*|(?:link:)(?:\+\+)?[^\s\[\]<>`]+?(?:\+\+)?|https?://[^\s\[\]<>]+)", // 4 url
            r"\[([^\[\]\n]*(?:\[[^\[\]\n]*){0,3})\]", // 5 words
            r"|<<([^,<>]+)(?:,[^<>]*)?>>|xref:([^\[\s<>`]+)\[(?:[^\[\]]|\[[^\[\]]*\])*\]",  // 6, 7 name
            r"|\*{1,2}\b|\b\*{1,2}|\b__?\B|\B__?\b", // signs of emphasis
        )
}

/// Reads a document.
pub(super) fn parse(text: &str) -> Doc {
    let (parts, attributes, unclosed) = parts(text);
    let brackets = Pairs::new(text, [b'[', b']'], None);
    let mut count = 0;
    let mut write = |writer: &mut Writer, range: Range<usize>| {
        let mut notes = Vec::new();
        inline(writer, text, range, &INLINE, |writer, form| {
            let whole = form.get(0).map_or(0..0, |whole| whole.range());
            if let Some(code) = form.get(1).or(form.get(2)) {
                writer.code(code.start(), code.as_str());
            } else if let Some(name) = form.get(3) {
                let Some(end) = brackets.closing(whole.end) else {
                    return whole.end;
                };
                // a footnote is where it is used; with a name it can be used again
                count += 1;
                let name = Some(name.as_str()).filter(|name| !name.is_empty());
                let name = name.map_or_else(|| format!("\u{0}{count}"), str::to_owned);
                writer.point(whole.start, Some(name.clone()), Vec::new());
                if end > whole.end {
                    notes.push((name, whole.end..end));
                }
                return end + 1;
            } else if let (Some(target), Some(words)) = (form.get(4), form.get(5)) {
                match url(target.as_str(), &attributes) {
                    Some(url) => {
                        let own = words.as_str().split(['^', ',']).next().unwrap_or_default();
                        writer.whole_link(whole.start, url, (words.start(), own));
                    }
                    None => writer.text(words.start(), words.as_str()),
                }
            } else if let Some(name) = form.get(6).or(form.get(7)) {
                writer.point(whole.start, Some(name.as_str().to_owned()), Vec::new());
            }
            whole.end
        });
        notes
    };
    let flow = Flow {
        text,
        writer: Writer::default(),
        has_quotes: false,
        inline: &mut write,
    };
    let mut doc = flow.write(parts).finish();
    doc.unclosed = unclosed;
    doc
}

/// The parts of a text, what its attributes stand for, and fences that are never closed.
#[expect(
    clippy::type_complexity,
    reason = "three things that one pass over the lines finds"
)]
fn parts(
    text: &str,
) -> (
    Vec<(Range<usize>, Part)>,
    HashMap<String, String>,
    Vec<usize>,
) {
    let mut found = Vec::new();
    let mut attributes = HashMap::new();
    let mut fence: Option<(&str, usize)> = None;
    let mut table: Option<(usize, Vec<Range<usize>>)> = None;
    for line in physical(text) {
        let words = text.get(line.clone()).unwrap_or_default();
        if let Some((open, start)) = fence {
            if words == open {
                let part = match open.chars().next() {
                    Some('/') => Part::Hidden,
                    Some('+') => Part::Html, // passed on as it is
                    _ => Part::Code,
                };
                found.push((start..line.end, part));
                fence = None;
            }
            continue;
        }
        if words == "|===" {
            match table.take() {
                None => table = Some((line.start, Vec::new())),
                Some((start, rows)) => {
                    found.push((start..line.end, Part::Table(cells(text, &rows))));
                }
            }
            continue;
        }
        let is_fence = |sign: &char| words.len() >= 4 && words.chars().all(|c| c == *sign);
        if let Some((_, rows)) = &mut table {
            rows.push(line);
        } else if FENCES.iter().any(is_fence) || words.starts_with("```") {
            let open = if words.starts_with("```") {
                "```"
            } else {
                words
            };
            fence = Some((open, line.start));
        } else if let Some(form) = ATTRIBUTE.captures(words) {
            if let (Some(name), Some(value)) = (form.get(1), form.get(2)) {
                let value = value.as_str().trim().to_owned();
                attributes.insert(name.as_str().to_lowercase(), value);
            }
            found.push((line, Part::Hidden));
        } else if ["//", "include::", "image::"]
            .iter()
            .any(|sign| words.starts_with(sign))
        {
            found.push((line, Part::Hidden));
        } else if let Some(form) = HEADING.captures(words) {
            let level = form.get(1).map_or(1, |signs| signs.len());
            let start = form.get(2).map_or(0, |first| first.start());
            let level = u8::try_from(level).unwrap_or(6);
            found.push((line.start + start..line.end, Part::Heading(level)));
        } else if let Some(form) = ENTRY.captures(words)
            && let (Some(whole), Some(name)) = (form.get(0), form.get(1))
        {
            let name = name.as_str().to_owned();
            found.push((line.start + whole.end()..line.end, Part::Note(name)));
        }
    }
    // what follows a fence that is never closed is read
    (
        found,
        attributes,
        fence.map(|(_, start)| start).into_iter().collect(),
    )
}

/// The cells of a table; its first line with cells says how many make a row.
fn cells(text: &str, lines: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let mut found: Vec<Vec<Range<usize>>> = Vec::new();
    for line in lines {
        let words = text.get(line.clone()).unwrap_or_default();
        let mut starts: Vec<usize> = words.match_indices('|').map(|(at, _)| at).collect();
        starts.push(words.len());
        let own = starts.windows(2).filter_map(|pair| match pair {
            [start, end] => Some(line.start + start + 1..line.start + end),
            _ => None,
        });
        let own: Vec<Range<usize>> = own.collect();
        let columns = found.first().map_or(1, Vec::len);
        match found
            .last_mut()
            .filter(|last| last.len() + own.len() <= columns)
        {
            Some(last) => last.extend(own),
            None if !own.is_empty() => found.push(own),
            None => {}
        }
    }
    found
}

/// Where a target leads, which may begin with an attribute.
fn url(target: &str, attributes: &HashMap<String, String>) -> Option<String> {
    let target = target
        .strip_prefix("link:")
        .unwrap_or(target)
        .trim_matches('+');
    match target
        .strip_prefix('{')
        .and_then(|rest| rest.split_once('}'))
    {
        Some((name, rest)) => {
            let value = attributes.get(&name.to_lowercase())?;
            Some(format!("{value}{rest}"))
        }
        None => Some(target.to_owned()),
    }
}
