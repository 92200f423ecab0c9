//! Whole JSON files beside the trace, which may come in a wrapper.

use std::str::Utf8Error;

use crosscheck_core::json::ParseError;

use crate::canonical;
use crate::reasons::TraceReason;
use crate::tape::{Document, Node, Tape};

/// Reads the bytes of a whole file, or says why they are no document.
pub(crate) fn parse(bytes: &[u8]) -> Result<Document, (TraceReason, String)> {
    canonical::parse(utf8(bytes)?).map_err(refused)
}

/// As [`parse`], for one line of many.
pub(crate) fn line<'t>(
    buffer: &mut Vec<u8>,
    tape: &'t mut Tape,
) -> Result<Node<'t>, (TraceReason, String)> {
    take(buffer, tape)?;
    read(tape)
}

/// Reads the line in a tape.
pub(crate) fn read(tape: &mut Tape) -> Result<Node<'_>, (TraceReason, String)> {
    tape.read().map_err(refused)
}

/// Moves a line into the tape; the space of the one before it becomes the
/// buffer for the next.
pub(crate) fn take(buffer: &mut Vec<u8>, tape: &mut Tape) -> Result<(), (TraceReason, String)> {
    let space = std::mem::take(&mut tape.text).into_bytes();
    let bytes = std::mem::replace(buffer, space);
    tape.text = String::from_utf8(bytes).map_err(|error| bad_utf8(error.utf8_error()))?;
    Ok(())
}

fn utf8(bytes: &[u8]) -> Result<&str, (TraceReason, String)> {
    std::str::from_utf8(bytes).map_err(bad_utf8)
}

fn bad_utf8(error: Utf8Error) -> (TraceReason, String) {
    (TraceReason::BadUtf8, error.to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "the form `map_err` asks for")]
fn refused(error: ParseError) -> (TraceReason, String) {
    let reason = match error {
        ParseError::RepeatedKey { .. } => TraceReason::DuplicateKey,
        _ => TraceReason::BadJson,
    };
    (reason, error.to_string())
}

/// What stands inside a wrapper, or that the wrapper is of another version.
pub(crate) enum Unwrapped<'j> {
    Plain(Node<'j>),
    /// The value of `canonical_version`, which is not the integer 1.
    Version(String),
}

/// Takes off `{"canonical_version": 1, "data": …}` if both keys are there;
/// what else stands beside them belongs to nobody.
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
    fn only_wrapper_version_1_is_taken_off() {
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
    fn what_is_no_document_has_a_code() {
        let code = |bytes: &[u8]| parse(bytes).unwrap_err().0;
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
