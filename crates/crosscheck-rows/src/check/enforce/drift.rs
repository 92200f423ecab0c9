//! What differs between two material truths, step by step.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Changed top-level fields and steps.
pub(super) fn whole(before: &Value, after: &Value) -> Value {
    let fields: Vec<Value> = [
        "stateRelation",
        "reasonCodes",
        "evidenceGapPrimary",
        "runKind",
        "contractSha256",
    ]
    .into_iter()
    .filter(|key| before.get(key) != after.get(key))
    .map(|key| json!({ "field": key, "before": before.get(key), "after": after.get(key) }))
    .collect();
    let mut document = steps(before, after);
    if let Some(map) = document.as_object_mut() {
        map.insert("changed_fields".to_owned(), json!(fields));
    }
    document
}

/// Changed, added and removed steps of two documents that have `steps`.
pub(crate) fn steps(before: &Value, after: &Value) -> Value {
    let (before, after) = (by_key(before), by_key(after));
    let face = |key: &(u64, String)| json!({ "seq": key.0, "toolId": key.1 });
    let side = |step: &Value| {
        let mut shown = serde_json::Map::new();
        for key in ["declaredAction", "expectedOutcome", "observedOutcome"] {
            shown.insert(key.to_owned(), step.get(key).cloned().unwrap_or_default());
        }
        Value::Object(shown)
    };
    let with = |key: &(u64, String), name: &str, step: &Value| {
        let mut object = face(key);
        if let Some(map) = object.as_object_mut() {
            map.insert(name.to_owned(), side(step));
        }
        object
    };
    let mut changed = Vec::new();
    let mut removed = Vec::new();
    for (key, old) in &before {
        match after.get(key) {
            None => removed.push(with(key, "before", old)),
            Some(new) if side(old) != side(new) => {
                let mut object = with(key, "before", old);
                if let Some(map) = object.as_object_mut() {
                    map.insert("after".to_owned(), side(new));
                }
                changed.push(object);
            }
            Some(_) => {}
        }
    }
    let added: Vec<Value> = after
        .iter()
        .filter(|(key, _)| !before.contains_key(*key))
        .map(|(key, new)| with(key, "after", new))
        .collect();
    json!({ "changed_steps": changed, "added_steps": added, "removed_steps": removed })
}

fn by_key(document: &Value) -> BTreeMap<(u64, String), Value> {
    let steps = document.get("steps").and_then(Value::as_array);
    steps
        .into_iter()
        .flatten()
        .map(|step| {
            let seq = step.get("seq").and_then(Value::as_u64).unwrap_or_default();
            let tool = step
                .get("toolId")
                .and_then(Value::as_str)
                .unwrap_or_default();
            ((seq, tool.to_owned()), step.clone())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_added_and_removed_steps_are_distinguished() {
        let step = |seq: u64, seen: &str| json!({ "seq": seq, "toolId": "t", "declaredAction": "d", "expectedOutcome": "e", "observedOutcome": seen });
        let before =
            json!({ "stateRelation": "a", "steps": [step(0, "x"), step(1, "y"), step(2, "z")] });
        let after =
            json!({ "stateRelation": "b", "steps": [step(0, "x"), step(1, "new"), step(3, "w")] });
        let found = whole(&before, &after);
        let seqs = |list: &str| -> Vec<u64> {
            found[list]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["seq"].as_u64().unwrap())
                .collect()
        };
        assert_eq!(seqs("changed_steps"), [1]);
        assert_eq!(seqs("added_steps"), [3]);
        assert_eq!(seqs("removed_steps"), [2]);
        assert_eq!(found["changed_fields"][0]["field"], "stateRelation");
        assert_eq!(found["changed_steps"][0]["after"]["observedOutcome"], "new");
    }
}
