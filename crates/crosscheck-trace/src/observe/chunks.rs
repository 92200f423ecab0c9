//! The chunk manifest: where the chunks of a corpus are (trace 6.14). Only the
//! rows of registered evidence are kept.

use std::collections::{HashMap, HashSet};

use crosscheck_core::files::Root;
use crosscheck_core::json::{Node, Reader, Rules, Value};

use super::artifacts::{Refusal, is_there, open};
use crate::forms::{is_hash, natural};
use crate::ids;
use crate::read::lines::{Line, Lines};

/// The name of the chunk manifest.
pub(crate) const CHUNKS: &str = "provenance/chunks.jsonl";

const MAX_ROW: u64 = 16 << 20;

/// The rows of the chunk manifest for registered evidence.
#[derive(Debug)]
pub(crate) enum Chunks {
    /// The manifest does not exist.
    Absent,
    /// It cannot be read; the rest of it is ignored.
    Malformed { line: Option<u64>, why: String },
    /// Rows by chunk id, each once and in order.
    Rows(HashMap<[u8; 32], Vec<ChunkRow>>),
}

/// One row: where the chunk is, and its hash if given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ChunkRow {
    /// `None` when the numbers are not a byte range.
    pub(crate) span: Option<(u64, u64)>,
    pub(crate) sha256: Option<[u8; 32]>,
}

/// Reads the manifest, keeping the rows of the wanted chunks.
pub(crate) fn read(root: Option<&Root>, wanted: impl FnOnce() -> HashSet<[u8; 32]>) -> Chunks {
    let Some(root) = root else {
        return Chunks::Absent;
    };
    let file = match open(root, CHUNKS) {
        Ok(file) => file,
        Err(Refusal::Missing(_)) if !is_there(root, CHUNKS) => return Chunks::Absent,
        Err(refusal) => {
            return Chunks::Malformed {
                line: None,
                why: refusal.why().to_owned(),
            };
        }
    };
    let wanted = wanted();
    let mut lines = Lines::new(file, MAX_ROW, false);
    let mut buffer = Vec::new();
    let mut reader = Reader::new(Rules::STRICT);
    let mut rows: HashMap<[u8; 32], Vec<ChunkRow>> = HashMap::new();
    loop {
        let row = match lines.next(&mut buffer) {
            Ok(Line::End) => return Chunks::Rows(sorted(rows)),
            Ok(Line::Text) => row(&buffer, &mut reader),
            Ok(Line::TooLong) => Err(format!("the row is longer than {MAX_ROW} bytes")),
            Err(error) => Err(error.to_string()),
        };
        match row {
            Ok(Some((id, row))) if wanted.contains(&id) => rows.entry(id).or_default().push(row),
            Ok(_) => {}
            Err(why) => {
                return Chunks::Malformed {
                    line: Some(lines.number()),
                    why,
                };
            }
        }
    }
}

fn sorted(mut rows: HashMap<[u8; 32], Vec<ChunkRow>>) -> HashMap<[u8; 32], Vec<ChunkRow>> {
    for rows in rows.values_mut() {
        rows.sort_unstable();
        rows.dedup();
    }
    rows
}

/// The rows of one chunk that name this span.
pub(crate) fn at(rows: &[ChunkRow], span: (u64, u64)) -> &[ChunkRow] {
    let start = rows.partition_point(|row| row.span < Some(span));
    let end = rows.partition_point(|row| row.span <= Some(span));
    rows.get(start..end).unwrap_or_default()
}

/// One row; `None` for a chunk whose id no evidence can have.
fn row(line: &[u8], reader: &mut Reader) -> Result<Option<([u8; 32], ChunkRow)>, String> {
    let root = reader.read(line).map_err(|error| error.to_string())?.root();
    let id = root
        .get("chunk_id")
        .and_then(Node::as_str)
        .ok_or("chunk_id is not a string")?;
    let start = integer(root, "start_byte")?;
    let end = integer(root, "end_byte")?;
    let sha256 = match root.get("chunk_sha256") {
        None => None,
        Some(node) => Some(node.as_str().ok_or("chunk_sha256 is not a string")?),
    };
    if !is_hash(id) {
        return Ok(None);
    }
    Ok(Some((
        ids::unhex(id),
        ChunkRow {
            span: start.zip(end),
            // a text that is not a hash matches no file
            sha256: sha256.map(|text| {
                if is_hash(text) {
                    ids::unhex(text)
                } else {
                    [0; 32]
                }
            }),
        },
    )))
}

fn integer(root: Node<'_>, key: &str) -> Result<Option<u64>, String> {
    match root.get(key).map(Node::value) {
        Some(Value::Number(digits)) if digits.is_integer() => Ok(natural(digits.text())),
        _ => Err(format!("{key} is not an integer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_a_span_are_found_among_those_of_a_chunk() {
        let row = |span, hash: Option<u8>| ChunkRow {
            span,
            sha256: hash.map(|byte| [byte; 32]),
        };
        let mut rows = vec![
            row(Some((5, 9)), Some(2)),
            row(None, None),
            row(Some((0, 5)), None),
            row(Some((5, 9)), Some(1)),
            row(Some((5, 7)), None),
            row(Some((5, 9)), Some(2)),
        ];
        rows = sorted(HashMap::from([([0; 32], rows)]))
            .remove(&[0; 32])
            .unwrap();
        let named = [row(Some((5, 9)), Some(1)), row(Some((5, 9)), Some(2))];
        assert_eq!(at(&rows, (5, 9)), named);
        assert_eq!(at(&rows, (0, 5)).len(), 1);
        for span in [(0, 4), (5, 8), (6, 9)] {
            assert!(at(&rows, span).is_empty(), "{span:?}");
        }
    }

    #[test]
    fn a_row_needs_its_id_and_two_integers() {
        let id = "a".repeat(64);
        let good = format!(r#"{{"chunk_id":"{id}","start_byte":0,"end_byte":5,"more":1}}"#);
        assert_eq!(
            row(good.as_bytes(), &mut Reader::new(Rules::STRICT))
                .unwrap()
                .unwrap()
                .1
                .span,
            Some((0, 5))
        );
        for bad in [
            "nope".to_owned(),
            r#"{"start_byte":0,"end_byte":5}"#.to_owned(),
            format!(r#"{{"chunk_id":"{id}","start_byte":"0","end_byte":5}}"#),
            format!(r#"{{"chunk_id":"{id}","start_byte":0,"end_byte":5.0}}"#),
            format!(r#"{{"chunk_id":"{id}","start_byte":0}}"#),
            format!(r#"{{"chunk_id":"{id}","start_byte":0,"end_byte":5,"chunk_sha256":7}}"#),
            // `null` is not a hash, and must not count as absent
            format!(r#"{{"chunk_id":"{id}","start_byte":0,"end_byte":5,"chunk_sha256":null}}"#),
        ] {
            let mut reader = Reader::new(Rules::STRICT);
            assert!(row(bad.as_bytes(), &mut reader).is_err(), "{bad}");
        }
    }
}
