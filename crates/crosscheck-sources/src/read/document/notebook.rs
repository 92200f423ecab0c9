//! Notebooks: the Markdown of their cells, in the places of the file.

use std::ops::Range;

use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::raw::{Decoded, offsets, strings};
use super::spans::Walk;
use super::{DocumentError, LocalLink, Mention, ReadOptions, markdown};

/// The citations of a notebook. Its cells are one text, so that a list of
/// sources in the last cell serves them all.
pub(super) fn mentions(raw: &str, options: ReadOptions) -> Result<Vec<Mention>, DocumentError> {
    let json = Json::parse(raw).map_err(|_| DocumentError)?;
    let places = strings(raw);
    let cells = sources(json.root());
    let mut text = String::new();
    for (_, c) in chars(raw, &cells, &places) {
        text.push(c);
    }
    let mut found = markdown::mentions(&text, options, &mut Vec::new(), &mut Vec::new());
    let all: Vec<&Mention> = found.iter().collect();
    let own = offsets(chars(raw, &cells, &places), &all);
    let mut walk = Walk::new(raw);
    for (mention, at) in found.iter_mut().zip(own) {
        (mention.line, mention.column) = walk.place(at);
    }
    Ok(found)
}

/// The Markdown of all cells as one text, with where each of its characters
/// stands in the file.
pub(super) fn cells(raw: &str) -> Option<(String, Vec<usize>)> {
    let json = Json::parse(raw).ok()?;
    let places = strings(raw);
    let cells = sources(json.root());
    let (places, text) = chars(raw, &cells, &places).unzip();
    Some((text, places))
}

/// Puts links of the cells where they stand in the file.
pub(super) fn place(raw: &str, cells: &str, places: &[usize], links: &mut [LocalLink]) {
    let mut inside = Walk::new(cells);
    let mut outside = Walk::new(raw);
    let mut at = 0;
    let mut starts = cells.char_indices().zip(places).peekable();
    for link in links {
        // links come in the order of the text
        let here = loop {
            let Some(((byte, _), own)) = starts.peek() else {
                break at;
            };
            at = **own;
            if inside.place(*byte) >= (link.line, link.column) {
                break at;
            }
            starts.next();
        };
        (link.line, link.column) = outside.place(here);
    }
}

/// The characters of all cells with their places in the file; a blank line
/// stands between two cells.
fn chars<'r>(
    raw: &'r str,
    cells: &'r [Vec<usize>],
    places: &'r [Range<usize>],
) -> impl Iterator<Item = (usize, char)> + 'r {
    cells.iter().flat_map(move |cell| {
        let pieces = cell.iter().filter_map(|at| places.get(*at));
        let last = cell.last().and_then(|at| places.get(*at));
        let end = last.map_or(0, |piece| piece.end);
        let words = pieces.flat_map(move |piece| {
            let written = raw.get(piece.clone()).unwrap_or_default();
            Decoded::new(written).map(move |(at, c)| (piece.start + at, c))
        });
        words.chain([(end, '\n'), (end, '\n')])
    })
}

/// For each Markdown cell, which of the file's strings are its source. All
/// strings of a JSON text, keys too, are counted in the order of the text.
fn sources(root: Node<'_>) -> Vec<Vec<usize>> {
    let mut cells = Vec::new();
    let mut count = 0;
    // A value and whether it belongs to the source of a cell.
    let mut open: Vec<(Node<'_>, Option<usize>, bool)> = vec![(root, None, false)];
    while let Some((node, cell, has_key)) = open.pop() {
        count += usize::from(has_key);
        match node.value() {
            Value::String(_) => {
                if let Some(own) = cell.and_then(|cell| cells.get_mut(cell)) {
                    let own: &mut Vec<usize> = own;
                    own.push(count);
                }
                count += 1;
            }
            Value::Array(items) => {
                let items: Vec<Node<'_>> = items.collect();
                open.extend(items.into_iter().rev().map(|item| (item, cell, false)));
            }
            Value::Object(members) => {
                let kind = node.get("cell_type").and_then(Node::as_js);
                let is_text = kind.is_some_and(|kind| kind.to_str_lossy() == "markdown");
                if is_text {
                    cells.push(Vec::new());
                }
                let number = cells.len().checked_sub(1).filter(|_| is_text);
                let members: Vec<_> = members.collect();
                let inner = members.into_iter().rev().map(|(key, value)| {
                    let is_source = key.to_str_lossy() == "source";
                    (value, number.filter(|_| is_source), true)
                });
                open.extend(inner);
            }
            _ => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ReadOptions, mentions};

    #[test]
    fn cells_are_read_in_their_places() {
        let text = "{\n \"cells\": [\n  {\"cell_type\": \"code\", \"source\": [\"# https://a.example/code\\n\"]},\n  {\n   \"source\": [\n    \"# T\\n\",\n    \"Oaks are old (https://a.example/x).\\n\"\n   ],\n   \"cell_type\": \"markdown\"\n  },\n  {\"cell_type\": \"markdown\", \"source\": \"Elms are tall [1].\\n\\n[1] https://a.example/y\"}\n ]\n}\n";
        let options = ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let found: Vec<_> = mentions(text, Format::Notebook, options)
            .unwrap()
            .into_iter()
            .map(|one| {
                (
                    one.url,
                    one.line,
                    one.column,
                    one.claim.as_deref().unwrap_or_default().to_owned(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (
                    "https://a.example/x".to_owned(),
                    7,
                    20,
                    "Oaks are old.".to_owned()
                ),
                (
                    "https://a.example/y".to_owned(),
                    11,
                    54,
                    "Elms are tall.".to_owned()
                ),
            ]
        );
        assert!(mentions("{", Format::Notebook, options).is_err());
    }
}
