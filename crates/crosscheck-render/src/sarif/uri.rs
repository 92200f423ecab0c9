//! Locations as URIs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::story::is_web;

/// Characters that stay unescaped in a path. A colon does not: the first one
/// would turn the text before it into a scheme.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b'+')
    .remove(b'@')
    .remove(b'=')
    .remove(b',');

/// A web address, an absolute file, or a path below the project.
pub(super) fn artifact(path: &str) -> Value {
    if is_web(path) {
        let uri = url::Url::parse(path).map_or_else(|_| encode(path), String::from);
        json!({ "uri": uri })
    } else if path.starts_with('/') {
        json!({ "uri": format!("file://{}", encode(path)) })
    } else {
        let path = path.strip_prefix("./").unwrap_or(path);
        json!({ "uri": encode(path), "uriBaseId": "%SRCROOT%" })
    }
}

fn encode(path: &str) -> String {
    utf8_percent_encode(path, KEPT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_location_is_a_uri() {
        let table = [
            ("src/a b.rs", "src/a%20b.rs"),
            ("./x", "x"),
            ("javascript:alert(1)", "javascript%3Aalert%281%29"),
            ("/srv/ä", "file:///srv/%C3%A4"),
            (
                "https://example.com/a b?q=\"1\"",
                "https://example.com/a%20b?q=%221%22",
            ),
        ];
        for (path, uri) in table {
            assert_eq!(artifact(path)["uri"], uri, "{path}");
        }
    }
}
