//! JSON files beside the trace, which may come in a wrapper (trace 1).

use std::str::Utf8Error;

use crosscheck_core::json::{Json, Node, ParseError};

use super::object::Flaw;
use crate::canonical;
use crate::reasons::TraceReason;

/// Reads the bytes of a whole file under the rules of trace 2.1.
pub(crate) fn parse(bytes: &[u8]) -> Result<Json, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(bad_utf8)?;
    canonical::parse(text).map_err(refused)
}

pub(super) fn bad_utf8(error: Utf8Error) -> Flaw {
    found(TraceReason::BadUtf8, error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "the form `map_err` asks for")]
pub(crate) fn refused(error: ParseError) -> Flaw {
    let reason = match error {
        ParseError::RepeatedKey { .. } => TraceReason::DuplicateKey,
        _ => TraceReason::BadJson,
    };
    found(reason, error.to_string())
}

fn found(reason: TraceReason, found: String) -> Flaw {
    Flaw {
        found: Some(found),
        ..Flaw::new(reason, "")
    }
}

impl Flaw {
    /// Why a document beside the trace was refused, for people.
    pub(crate) fn why(self) -> String {
        self.found.unwrap_or_default()
    }
}

/// The content of a wrapper, or that the wrapper has another version.
pub(crate) enum Unwrapped<'j> {
    Plain(Node<'j>),
    /// The value of `canonical_version`, which is not the integer 1.
    Version(String),
}

/// Removes the wrapper `{"canonical_version": 1, "data": …}` if both keys are
/// present; further keys beside them are ignored.
pub(crate) fn unwrap(root: Node<'_>) -> Unwrapped<'_> {
    let (Some(version), Some(data)) = (root.get("canonical_version"), root.get("data")) else {
        return Unwrapped::Plain(root);
    };
    let version = canonical::of_node(version);
    if version != "1" {
        return Unwrapped::Version(version);
    }
    Unwrapped::Plain(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrapper_of_version_1_is_removed() {
        let plain = |text: &str| {
            let json = parse(text.as_bytes()).unwrap();
            match unwrap(json.root()) {
                Unwrapped::Plain(node) => canonical::of_node(node),
                Unwrapped::Version(version) => format!("version {version}"),
            }
        };
        assert_eq!(
            plain(r#"{"canonical_version":1,"data":{"a":1}}"#),
            r#"{"a":1}"#
        );
        assert_eq!(
            plain(r#"{"canonical_version":1.0,"data":{}}"#),
            "version 1.0"
        );
        assert_eq!(plain(r#"{"canonical_version":9,"data":{}}"#), "version 9");
        assert_eq!(plain(r#"{"canonical_version":1,"data":{},"x":0}"#), "{}");
        assert_eq!(plain(r#"{"data":1}"#), r#"{"data":1}"#);
    }

    #[test]
    fn a_file_that_is_not_strict_json_has_a_code() {
        let code = |bytes: &[u8]| parse(bytes).unwrap_err().reason;
        assert_eq!(code(b"\xff"), TraceReason::BadUtf8);
        assert_eq!(code(b"\xef\xbb\xbf{}"), TraceReason::BadJson);
        assert_eq!(code(b"{\"a\":NaN}"), TraceReason::BadJson);
        assert_eq!(code(b"{\"a\":\"\\ud800\"}"), TraceReason::BadJson);
        assert_eq!(code(b"[1e400]"), TraceReason::BadJson);
        assert_eq!(code(b"{} x"), TraceReason::BadJson);
        assert_eq!(code("[".repeat(200).as_bytes()), TraceReason::BadJson);
        assert_eq!(code(b"[{\"a\":1,\"a\":1}]"), TraceReason::DuplicateKey);
    }
}
