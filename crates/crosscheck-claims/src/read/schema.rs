//! What deviates from the contract's schema (claims 2): warnings, and with
//! `--strict-schema` refused.

use std::fmt::Write as _;

use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, ValidationError};
use crosscheck_core::{Node, canonical};

use super::Invalid;

/// The schema of SubResult.v1.
const SCHEMA: &str = include_str!("../../../../schemas/context-firewall/sub-result.v1.schema.json");

/// Its address; nothing is fetched from there.
const PLACE: &str = "https://crosscheck.invalid/sub-result.v1.schema.json";

/// Every value that the schema does not allow, where a person would look for it.
pub(super) fn deviations(root: Node<'_>) -> Vec<Invalid> {
    let broken = |problem: String| Invalid {
        path: String::new(),
        problem,
    };
    let instance = serde_json::from_str(&canonical::of_node(root));
    let (schemas, own, instance) = match (compile(), instance) {
        (Ok((schemas, own)), Ok(instance)) => (schemas, own, instance),
        (Err(why), _) => return vec![broken(why)],
        (_, Err(error)) => {
            let why = format!("it cannot be checked against the schema: {error}");
            return vec![broken(why)];
        }
    };
    let mut found = Vec::new();
    if let Err(error) = schemas.validate(&instance, own) {
        innermost(&error, &mut |error| {
            let (_, rule) = error.schema_url.split_once('#').unwrap_or_default();
            found.push(Invalid {
                path: offending(error),
                problem: format!("it breaks the SubResult.v1 schema at #{rule}"),
            });
        });
    }
    found
}

fn compile() -> Result<(Schemas, SchemaIndex), String> {
    let schema = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    compiler
        .add_resource(PLACE, schema)
        .map_err(|error| error.to_string())?;
    let own = compiler
        .compile(PLACE, &mut schemas)
        .map_err(|error| error.to_string())?;
    Ok((schemas, own))
}

/// The errors at the bottom. If a value may have one of several shapes, its
/// `type` selects the shape.
fn innermost(error: &ValidationError<'_, '_>, found: &mut dyn FnMut(&ValidationError<'_, '_>)) {
    let inner = if let ErrorKind::OneOf(None) = error.kind {
        let type_of = format!("{}/type", error.instance_location);
        let about_type = |inner: &ValidationError<'_, '_>| match &inner.kind {
            ErrorKind::Required { want } => want.contains(&"type"),
            _ => inner.instance_location.to_string() == type_of,
        };
        let shapes = || error.causes.iter().map(errors_of);
        let meant = shapes().find(|shape| !shape.iter().any(about_type));
        let mistyped = || shapes().flatten().find(|inner| about_type(inner));
        meant.unwrap_or_else(|| mistyped().map(std::slice::from_ref).unwrap_or_default())
    } else {
        &error.causes
    };
    if inner.is_empty() {
        found(error);
    }
    for error in inner {
        innermost(error, found);
    }
}

/// The errors of one shape, which the schema references.
fn errors_of<'e, 's, 'v>(shape: &'e ValidationError<'s, 'v>) -> &'e [ValidationError<'s, 'v>] {
    match shape.kind {
        ErrorKind::Reference { .. } | ErrorKind::Group => &shape.causes,
        _ => std::slice::from_ref(shape),
    }
}

/// The wrong field: if a key is unexpected or missing, that key.
fn offending(error: &ValidationError<'_, '_>) -> String {
    let mut path = dotted(&error.instance_location.to_string());
    let key = match &error.kind {
        ErrorKind::AdditionalProperties { got } => got.first().map(|key| &**key),
        // the other fields depend on the type
        ErrorKind::Required { want } if want.contains(&"type") => Some("type"),
        ErrorKind::Required { want } => want.first().copied(),
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
        let invalid = deviations(json.root()).into_iter().next()?;
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
