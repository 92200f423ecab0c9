//! The tables of objects as JSON Schema, so that producers can look up what the
//! reader demands, and the two cannot diverge.

use serde_json::{Map, Value, json};

use super::{Field, Shape};

/// The schema of an object. `inner` describes the values of some fields more
/// precisely than their shape does.
pub(crate) fn object(table: &[Field], inner: &[(&str, Value)]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut spellings = Vec::new();
    for field in table {
        let known = inner.iter().find(|(name, _)| *name == field.name);
        let value = described(field, known.map(|(_, value)| value));
        for name in [Some(field.name), field.alias].into_iter().flatten() {
            properties.insert(name.to_owned(), value.clone());
        }
        match (field.alias, field.default) {
            (None, None) => required.push(field.name),
            (None, Some(_)) => {}
            (Some(alias), None) => spellings
                .push(json!({"oneOf": [{"required": [field.name]}, {"required": [alias]}]})),
            (Some(alias), Some(_)) => {
                spellings.push(json!({"not": {"required": [field.name, alias]}}));
            }
        }
    }
    let mut schema = json!({"type": "object", "properties": properties, "required": required,
        "additionalProperties": false});
    if let (Some(schema), false) = (schema.as_object_mut(), spellings.is_empty()) {
        schema.insert("allOf".to_owned(), Value::Array(spellings));
    }
    schema
}

fn described(field: &Field, known: Option<&Value>) -> Value {
    let mut value = match (field.shape, known) {
        (Shape::Objects, Some(items)) => json!({"type": "array", "items": items}),
        (_, Some(value)) => value.clone(),
        (shape, None) => of(shape),
    };
    let default = field
        .default
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let (Some(members), Some(default)) = (value.as_object_mut(), default) {
        members.insert("default".to_owned(), default);
    }
    value
}

fn of(shape: Shape) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Integer => json!({"type": "integer"}),
        Shape::IntegerOrNull => json!({"type": ["integer", "null"]}),
        Shape::Number => json!({"type": "number"}),
        Shape::Str => json!({"type": "string"}),
        Shape::NonEmptyStr => json!({"type": "string", "minLength": 1}),
        Shape::StrOrNull => json!({"type": ["string", "null"]}),
        Shape::Strings => json!({"type": "array", "items": {"type": "string"}}),
        Shape::Pairs => json!({"type": "array", "items": {"type": "array",
            "items": {"type": "string"}, "minItems": 2, "maxItems": 2}}),
        Shape::Object => json!({"type": "object"}),
        Shape::ObjectOrNull => json!({"type": ["object", "null"]}),
        Shape::Objects => json!({"type": "array", "items": {"type": "object"}}),
        Shape::Hash => json!({"type": "string", "pattern": "^[0-9a-f]{64}$"}),
        Shape::Span => json!({"type": "array", "minItems": 2, "maxItems": 2,
            "items": {"type": "integer", "minimum": 0, "maximum": i64::MAX},
            "description": "first byte, and the byte after the last one; the first is less"}),
        Shape::Path => json!({"type": "string", "minLength": 1,
            "description": "relative path: no `\\`, no drive, no part that is empty, `.` or `..`"}),
        Shape::OneOf(words) => json!({"enum": words}),
    }
}
