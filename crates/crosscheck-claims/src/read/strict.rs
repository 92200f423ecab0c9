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
        Some(error) => Err(Invalid {
            path: offending(&error),
            problem: format!(
                "it breaks the SubResult.v1 schema at {}",
                error.schema_path().as_str()
            ),
        }),
    }
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
