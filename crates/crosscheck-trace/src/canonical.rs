//! The canonical form of traces (trace 3.1): ids of traces, plans and claims
//! are hashes of these bytes.

use crosscheck_core::canonical::{Style, write_node, write_text};
use crosscheck_core::json::{Json, Node, ParseError, Rules};

/// Reads a text under the strict rules of trace 2.1.
pub(crate) fn parse(text: &str) -> Result<Json, ParseError> {
    Json::parse_with(text, &Rules::STRICT)
}

/// The canonical text of a value.
pub(crate) fn of_node(node: Node<'_>) -> String {
    let mut out = String::new();
    write(&mut out, node);
    out
}

/// Appends the canonical text of a value.
pub(crate) fn write(out: &mut String, node: Node<'_>) {
    write_node(out, node, &Style::TRACE);
}

/// Appends a string literal.
pub(crate) fn write_str(out: &mut String, text: &str) {
    write_text(out, text);
}
