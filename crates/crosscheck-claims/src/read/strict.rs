//! `--strict-schema`: every violation of the contract's schema counts.

use std::fmt::Write as _;

use crosscheck_core::{Node, canonical};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;

use super::Invalid;

/// The schema of SubResult.v1.
const SCHEMA: &str = include_str!("../../../../schemas/context-firewall/sub-result.v1.schema.json");

pub(super) fn check(root: Node<'_>) -> Result<(), Invalid> {
    let broken = |problem: String| Invalid {
        path: String::new(),
        problem,
    };
    let schema: serde_json::Value =
        serde_json::from_str(SCHEMA).map_err(|error| broken(error.to_string()))?;
    let validator =
        jsonschema::validator_for(&schema).map_err(|error| broken(error.to_string()))?;
    let instance: serde_json::Value = serde_json::from_str(&canonical::of_node(root))
        .map_err(|error| broken(format!("it cannot be checked against the schema: {error}")))?;
    match validator.iter_errors(&instance).next() {
        None => Ok(()),
        Some(error) => {
            let error = innermost(&error);
            Err(Invalid {
                path: offending(error),
                problem: format!(
                    "it breaks the SubResult.v1 schema at {}",
                    error.schema_path().as_str()
                ),
            })
        }
    }
}

/// What is wrong inside a value that may have one of several shapes: its `type`
/// says which one it is meant to have.
fn innermost<'e>(error: &'e ValidationError<'e>) -> &'e ValidationError<'e> {
    let ValidationErrorKind::OneOfNotValid { context } = error.kind() else {
        return error;
    };
    let type_of = format!("{}/type", error.instance_path().as_str());
    let is_about_type = |inner: &&ValidationError<'_>| match inner.kind() {
        ValidationErrorKind::Required { property } => property.as_str() == Some("type"),
        _ => inner.instance_path().as_str() == type_of,
    };
    let meant = context
        .iter()
        .find(|shape| !shape.iter().any(|inner| is_about_type(&inner)));
    let inner = match meant {
        Some(shape) => shape.first(),
        None => context.iter().flatten().find(is_about_type),
    };
    inner.map_or(error, innermost)
}

/// The field that is wrong: where a key does not belong or is missing, that key.
fn offending(error: &ValidationError<'_>) -> String {
    let mut path = dotted(error.instance_path().as_str());
    let key = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.first().map(String::as_str)
        }
        ValidationErrorKind::Required { property } => property.as_str(),
        _ => None,
    };
    if let Some(key) = key {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
    path
}

/// `/answers/0/claims` as `answers[0].claims`.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            let _ = write!(path, "[{part}]");
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use crosscheck_core::Json;
    use serde_json::{Value, json};

    use super::*;

    /// The path that is named for a document with this locator.
    fn path(locator: &Value) -> Option<String> {
        let document = json!({
            "version": "SubResult.v1", "task_id": "t", "status": "ok",
            "answers": [{"question": "q", "summary": "", "claims": [{
                "claim_id": "c", "claim": "c", "confidence": 0.9,
                "evidence": [{"source": "s", "locator": locator, "quote": "q"}],
            }]}],
            "coverage": {"inputs_scanned": []},
        });
        let json = Json::parse(&document.to_string()).unwrap();
        let invalid = check(json.root()).err()?;
        let inside = invalid
            .path
            .strip_prefix("answers[0].claims[0].evidence[0].locator");
        Some(inside.unwrap_or(&invalid.path).to_owned())
    }

    #[test]
    fn the_field_of_a_locator_that_is_wrong_is_named() {
        let hash = format!("sha256:{}", "1".repeat(64));
        let call = |hint: Value| json!({"type": "tool_call", "tool": "x", "args_hash": hash, "rerun_hint": hint});
        let table = [
            (
                json!({"type": "line_range", "path": "a", "start": 1, "end": 1}),
                None,
            ),
            (
                json!({"type": "line_range", "path": "a", "start": "1", "end": 1}),
                Some(".start"),
            ),
            (
                json!({"type": "line_range", "path": "a", "start": 1}),
                Some(".end"),
            ),
            (
                json!({"type": "symbol_range", "path": 5, "symbol": "x"}),
                Some(".path"),
            ),
            (
                json!({"type": "line_range", "path": "a", "start": 1, "end": 1, "x": 1}),
                Some(".x"),
            ),
            (json!({"type": "else"}), Some(".type")),
            (json!({"path": "a", "start": 1, "end": 1}), Some(".type")),
            (
                call(json!({"type": "web_fetch", "url": 5, "prompt": "p"})),
                Some(".rerun_hint.url"),
            ),
            (
                call(json!({"type": "web_fetch", "url": "https://a.example/"})),
                Some(".rerun_hint.prompt"),
            ),
        ];
        for (locator, expected) in table {
            assert_eq!(path(&locator).as_deref(), expected, "{locator}");
        }
    }
}
