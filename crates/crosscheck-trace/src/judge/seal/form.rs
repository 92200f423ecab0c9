//! The bytes of a manifest. It cannot list itself, so that nothing but its
//! form tells whether a blank was added or taken away: a program writes a
//! document in one style from the first byte to the last.

use std::fmt::Write as _;

use crate::canonical;
use crate::tape::Node;

/// How a program lays a document out.
#[derive(Clone, Copy)]
struct Style {
    /// What stands before each member, once for each level.
    indent: Option<&'static str>,
    /// What stands between members on one line.
    comma: &'static str,
    colon: &'static str,
    /// Whether letters outside ASCII are escaped.
    is_ascii: bool,
}

const COMPACT: Style = Style {
    indent: None,
    comma: ",",
    colon: ":",
    is_ascii: false,
};

/// Whether a manifest is laid out as one piece. The compact form is the one
/// that `seal` and the published producer write, and it ends with a line end;
/// others write blanks everywhere or nowhere.
pub(super) fn is_of_one_piece(bytes: &[u8], root: Node<'_>) -> bool {
    let is = |style, end: &[u8]| bytes.strip_suffix(end) == Some(text(root, style).as_bytes());
    if is(COMPACT, b"\n") {
        return true;
    }
    let spaced = Style {
        comma: ", ",
        colon: ": ",
        ..COMPACT
    };
    let indented = ["  ", "    ", "\t", " "].map(|indent| Style {
        indent: Some(indent),
        colon: ": ",
        ..COMPACT
    });
    let mut styles = std::iter::once(spaced).chain(indented);
    styles.any(|style| {
        [false, true].iter().any(|is_ascii| {
            let style = Style {
                is_ascii: *is_ascii,
                ..style
            };
            is(style, b"\n") || is(style, b"")
        })
    })
}

fn text(root: Node<'_>, style: Style) -> String {
    let mut out = String::new();
    write(&mut out, root, style, 1);
    out
}

/// Members in the order they have; depth is bounded by the parser.
fn write(out: &mut String, node: Node<'_>, style: Style, depth: usize) {
    let Some(members) = node.as_object() else {
        return push(out, &canonical::of_node(node), style);
    };
    let new_line = |out: &mut String, depth: usize| {
        if let Some(indent) = style.indent {
            out.push('\n');
            out.push_str(&indent.repeat(depth));
        }
    };
    out.push('{');
    let mut is_first = true;
    for (key, value) in members {
        if !is_first {
            out.push_str(style.comma);
        }
        is_first = false;
        new_line(out, depth);
        let mut name = String::new();
        canonical::write_str(&mut name, key);
        push(out, &name, style);
        out.push_str(style.colon);
        write(out, value, style, depth + 1);
    }
    if !is_first {
        new_line(out, depth - 1);
    }
    out.push('}');
}

fn push(out: &mut String, text: &str, style: Style) {
    if !style.is_ascii {
        return out.push_str(text);
    }
    for letter in text.chars() {
        if letter.is_ascii() {
            out.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_whole(text: &str) -> bool {
        let json = canonical::parse(text).unwrap();
        is_of_one_piece(text.as_bytes(), json.root())
    }

    #[test]
    fn every_usual_style_is_known() {
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
    fn a_byte_more_or_less_in_the_form_is_seen() {
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
