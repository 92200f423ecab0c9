//! Notebooks: the Markdown of their cells and what the cells show, in the places of the file.

use std::ops::Range;

use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::raw::{Decoded, offsets, strings};
use super::spans::Walk;
use super::structured::has_repeated_key;
use super::{DocumentError, Format, Mention, ReadOptions};

/// The citations of a notebook. Its cells are one text, so that a list of
/// sources in the last cell serves them all.
pub(super) fn mentions(raw: &str, options: ReadOptions) -> Result<Vec<Mention>, DocumentError> {
    let json = Json::parse(raw).map_err(|_| DocumentError::Json)?;
    let cells = json.root().get("cells").map(Node::value);
    if !matches!(cells, Some(Value::Array(_))) {
        return Err(DocumentError::Notebook);
    }
    if has_repeated_key(json.root()) {
        return Err(DocumentError::Repeated);
    }
    let places = strings(raw);
    let cells = sources(json.root());
    let mut all = Vec::new();
    for format in [Format::Markdown, Format::Html] {
        let cells: Vec<&[usize]> = of_format(&cells, format).collect();
        let text: String = chars(raw, &cells, &places).map(|(_, c)| c).collect();
        let mut found = super::mentions(&text, format, options)?;
        let sorted: Vec<&Mention> = found.iter().collect();
        let own = offsets(chars(raw, &cells, &places), &sorted);
        let mut walk = Walk::new(raw);
        for (mention, at) in found.iter_mut().zip(own) {
            (mention.line, mention.column) = walk.place(at);
        }
        all.extend(found);
    }
    Ok(all)
}

/// The cells that are written in a format.
fn of_format(cells: &[Cell], format: Format) -> impl Iterator<Item = &[usize]> {
    let own = cells.iter().filter(move |cell| cell.format == format);
    own.map(|cell| cell.strings.as_slice())
}

/// The characters of all cells with their places in the file; a blank line
/// is between two cells.
fn chars<'r>(
    raw: &'r str,
    cells: &'r [&'r [usize]],
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

/// A cell with text, and which of the file's strings are its source.
struct Cell {
    format: Format,
    strings: Vec<usize>,
}

/// How the text of a cell is written; a raw cell is text for a tool, and is not read.
fn format_of(cell: Node<'_>) -> Option<Format> {
    let kind = cell.get("cell_type").and_then(Node::as_js)?;
    (kind.to_str_lossy() == "markdown").then_some(Format::Markdown)
}

/// The cells with text. All strings of a JSON text, keys too, are counted in
/// the order of the text.
fn sources(root: Node<'_>) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut count = 0;
    // A value and whether it belongs to the source of a cell.
    let mut open: Vec<(Node<'_>, Option<usize>, bool)> = vec![(root, None, false)];
    while let Some((node, cell, has_key)) = open.pop() {
        count += usize::from(has_key);
        match node.value() {
            Value::String(_) => {
                if let Some(own) = cell.and_then(|cell| cells.get_mut(cell)) {
                    let own: &mut Cell = own;
                    own.strings.push(count);
                }
                count += 1;
            }
            Value::Array(items) => {
                let items: Vec<Node<'_>> = items.collect();
                open.extend(items.into_iter().rev().map(|item| (item, cell, false)));
            }
            Value::Object(members) => {
                let own = format_of(node);
                let mut inner: Vec<_> = Vec::new();
                for (key, value) in members {
                    // what a cell has shown is seen by its readers, too
                    let format = match key.to_str_lossy().as_ref() {
                        "source" => own,
                        "text/markdown" => Some(Format::Markdown),
                        "text/html" => Some(Format::Html),
                        _ => None,
                    };
                    let strings = Vec::new();
                    cells.extend(format.map(|format| Cell { format, strings }));
                    let number = cells.len().checked_sub(1).filter(|_| format.is_some());
                    inner.push((value, number, true));
                }
                open.extend(inner.into_iter().rev());
            }
            _ => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPTIONS, cited};
    use super::super::{Format, mentions};

    /// URL, place and claim of each citation.
    fn read(text: &str) -> Vec<String> {
        let found = cited(text, Format::Notebook).into_iter();
        let claim = |claim: Option<std::sync::Arc<str>>| claim.unwrap_or_default();
        found
            .map(|one| {
                format!(
                    "{} {}:{} {}",
                    one.url,
                    one.line,
                    one.column,
                    claim(one.claim)
                )
            })
            .collect()
    }

    #[test]
    fn cells_are_read_in_their_places() {
        let text = "{\n \"cells\": [\n  {\"cell_type\": \"code\", \"source\": [\"# https://a.example/code\\n\"]},\n  {\n   \"source\": [\n    \"# T\\n\",\n    \"Oaks are old (https://a.example/x).\\n\"\n   ],\n   \"cell_type\": \"markdown\"\n  },\n  {\"cell_type\": \"markdown\", \"source\": \"Elms are tall [1].\\n\\n[1] https://a.example/y\"}\n ]\n}\n";
        assert_eq!(
            read(text),
            [
                "https://a.example/x 7:20 Oaks are old.",
                "https://a.example/y 11:54 Elms are tall.",
            ]
        );
        assert!(mentions("{", Format::Notebook, OPTIONS).is_err());
    }
}
