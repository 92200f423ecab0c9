//! Criteria about the texts of files.

use std::borrow::Cow;

use crosscheck_core::advice::with_causes;
use crosscheck_core::files::Root;

use super::criteria::{CriterionAnswer, TEXT_LIMIT, bytes_of, missing};
use super::listing::Listing;
use crate::read::acceptance::{ProjectPath, TextPattern};
use crate::read::pattern::FilePattern;

pub(super) fn contains(
    root: &Root,
    path: &ProjectPath,
    literal: Option<&str>,
    regex: Option<&TextPattern>,
) -> CriterionAnswer {
    let Some(bytes) = bytes_of(root, path)? else {
        return Ok(Some(missing(path)));
    };
    let text = decoded(&bytes);
    let found = literal.is_some_and(|literal| text.contains(literal))
        || regex.is_some_and(|pattern| pattern.0.is_match(&text));
    Ok((!found).then(|| format!("{} does not contain what it should", path.0)))
}

pub(super) fn absent(
    root: &Root,
    listing: &Listing<'_>,
    globs: &[FilePattern],
    literals: &[String],
) -> CriterionAnswer {
    let globs: Vec<&FilePattern> = globs.iter().collect();
    let mut unsure = None;
    for path in listing.matching(&globs) {
        let bytes = root
            .read(path, TEXT_LIMIT)
            .map_err(|error| with_causes(&error))?;
        let text = decoded(&bytes);
        // one NUL hides no text, nor UTF-16 without a mark; a picture has the bytes by chance
        let has_nul = text.contains('\0');
        let text = if has_nul {
            text.replace('\0', "").into()
        } else {
            text
        };
        let Some((line, literal)) = first_of(literals, &text) else {
            continue;
        };
        let path = path.display();
        if has_nul {
            unsure.get_or_insert_with(|| {
                format!("{path} has NUL bytes and contains `{literal}`: look whether it is a text")
            });
        } else {
            return Ok(Some(format!("{path}:{line} contains `{literal}`")));
        }
    }
    let unseen = unsure.or_else(|| listing.unseen(&globs));
    unseen.map_or(Ok(None), Err)
}

/// The first of the literals in a text, with its line.
fn first_of<'l>(literals: &'l [String], text: &str) -> Option<(usize, &'l str)> {
    literals.iter().find_map(|literal| {
        let (before, _) = text.split_once(literal.as_str())?;
        Some((before.matches('\n').count() + 1, literal.as_str()))
    })
}

/// The byte order, if a byte-order mark names it.
fn byte_order(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xFF, 0xFE, ..] => Some(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let Some(unit) = byte_order(bytes) else {
        return String::from_utf8_lossy(bytes);
    };
    let (pairs, _) = bytes.as_chunks();
    char::decode_utf16(pairs.iter().skip(1).map(|pair| unit(*pair)))
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_tells_how_to_read_a_text() {
        let literals = ["TODO".to_owned(), "日".to_owned()];
        let units = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(bytes).collect()
        };
        let text = "\u{FEFF}a\nTODO";
        for (bytes, expected) in [
            (text.as_bytes().to_vec(), Some((2, "TODO"))),
            (units(text, u16::to_le_bytes), Some((2, "TODO"))),
            (units(text, u16::to_be_bytes), Some((2, "TODO"))),
            (units("\u{FEFF}日", u16::to_le_bytes), Some((1, "日"))),
            (b"\xFF\xFE\x00\xD8".to_vec(), None),
            (b"\xFF\xFET".to_vec(), None),
        ] {
            assert_eq!(first_of(&literals, &decoded(&bytes)), expected, "{bytes:?}");
        }
    }
}
