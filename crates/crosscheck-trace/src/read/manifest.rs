//! The manifest of a seal (trace 6.16).

use std::collections::BTreeMap;

use crosscheck_core::canonical::{KeyOrder, Layout, Style, text};
use crosscheck_core::json::Node;

use super::document::{self, Unwrapped};
use super::object::Flaw;
use crate::forms::{is_hash, is_safe_path};

/// A manifest that can be read.
pub(crate) struct Manifest {
    /// Paths and hashes.
    pub(crate) files: BTreeMap<String, String>,
    /// Whether its bytes have one style throughout, as a program writes them.
    pub(crate) has_one_style: bool,
}

impl Manifest {
    /// Reads `manifest.json`, or says why it is not a manifest.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let json = document::parse(bytes).map_err(Flaw::why)?;
        let Unwrapped::Plain(root) = document::unwrap(json.root()) else {
            return Err("its wrapper is not of version 1".to_owned());
        };
        let members = root.as_object().ok_or("it is not an object")?;
        let files: Result<_, String> = members
            .map(|(path, hash)| match hash.as_str() {
                Some(hash) if is_hash(hash) => Ok((path.to_string(), hash.to_owned())),
                _ => Err(format!("`{path}` has no hash of 64 lower-case hex digits")),
            })
            .collect();
        Ok(Self {
            files: files?,
            has_one_style: has_one_style(bytes, json.root()),
        })
    }

    /// The paths that may be opened.
    pub(crate) fn safe_paths(&self) -> impl Iterator<Item = &String> {
        self.files.keys().filter(|path| is_safe_path(path))
    }
}

/// Whether the bytes of a manifest have one style. It cannot list itself, so
/// only its form shows that white space was changed. The compact form is what
/// `seal` and the published producer write, and ends with a line end; other
/// programs write white space everywhere or nowhere.
fn has_one_style(bytes: &[u8], root: Node<'_>) -> bool {
    let is = |layout, end: &[u8]| {
        let style = Style {
            keys: KeyOrder::Source,
            layout,
            ..Style::TRACE
        };
        bytes.strip_suffix(end) == Some(text(root, &style).as_bytes())
    };
    if is(Layout::COMPACT, b"\n") {
        return true;
    }
    let spaced = Layout {
        comma: ", ",
        colon: ": ",
        ..Layout::COMPACT
    };
    let indented = ["  ", "    ", "\t", " "].map(|indent| Layout {
        indent: Some(indent),
        colon: ": ",
        ..Layout::COMPACT
    });
    let mut layouts = std::iter::once(spaced).chain(indented);
    layouts.any(|layout| {
        [false, true].iter().any(|is_ascii| {
            let layout = Layout {
                is_ascii: *is_ascii,
                ..layout
            };
            is(layout, b"\n") || is(layout, b"")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;

    fn is_whole(text: &str) -> bool {
        let json = canonical::parse(text).unwrap();
        has_one_style(text.as_bytes(), json.root())
    }

    #[test]
    fn every_usual_style_is_recognised() {
        for text in [
            "{\"a/b\":\"1\",\"é\":\"2\"}\n",
            "{\"é\":\"2\",\"a\":\"1\"}\n",
            "{\"a\": \"1\", \"é\": \"2\"}",
            "{\"a\": \"1\", \"\\u00e9\": \"2\"}\n",
            "{\n  \"a\": \"1\",\n  \"b\": \"2\"\n}\n",
            "{\n    \"a\": \"1\"\n}",
            "{\n\t\"a\": \"1\"\n}\n",
            "{\"canonical_version\":1,\"data\":{\"a\":\"1\"}}\n",
            "{\n  \"canonical_version\": 1,\n  \"data\": {\n    \"a\": \"1\"\n  }\n}",
            "{}\n",
        ] {
            assert!(is_whole(text), "{text}");
        }
    }

    #[test]
    fn a_changed_blank_or_escape_is_noticed() {
        let text = "{\"a/b\":\"1\",\"c\":\"2\"}\n";
        let is_json = |text: &str| canonical::parse(text).is_ok();
        for at in 0..=text.len() {
            for more in [" ", "\n", "\t", "\r", "\\"] {
                let (head, tail) = text.split_at(at);
                let changed = format!("{head}{more}{tail}");
                assert!(!is_json(&changed) || !is_same(&changed, text) || !is_whole(&changed));
            }
        }
        assert!(!is_whole(text.trim_end()));
        assert!(!is_whole(&text.replace('\n', " ")));
    }

    fn is_same(a: &str, b: &str) -> bool {
        let of = |text: &str| canonical::of_node(canonical::parse(text).unwrap().root());
        of(a) == of(b)
    }
}
