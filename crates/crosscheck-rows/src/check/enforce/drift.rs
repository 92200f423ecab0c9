//! What differs between two material truths, step by step.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::certificate::{Doc, object};

/// Changed top-level fields and steps.
pub(super) fn whole(before: &Value, after: &Value) -> Value {
    let fields: Vec<Value> = [
        "stateRelation",
        "reasonCodes",
        "evidenceGapPrimary",
        "runKind",
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
    let side = |step: &Value| {
        let part = |key: &str| step.get(key).cloned().unwrap_or_default();
        let names = ["declaredAction", "expectedOutcome", "observedOutcome"];
        json!({ names[0]: part(names[0]), names[1]: part(names[1]), names[2]: part(names[2]) })
    };
    let one = |key: &(u64, String), before: Option<&Value>, after: Option<&Value>| {
        object! {
            "seq": key.0, "toolId": key.1, "before": before.map(side), "after": after.map(side),
        }
    };
    let (mut changed, mut removed) = (Vec::new(), Vec::new());
    for (key, old) in &before {
        match after.get(key) {
            None => removed.push(one(key, Some(old), None)),
            Some(new) if side(old) != side(new) => changed.push(one(key, Some(old), Some(new))),
            Some(_) => {}
        }
    }
    let new = after.iter().filter(|(key, _)| !before.contains_key(*key));
    let added: Vec<Doc> = new.map(|(key, new)| one(key, None, Some(new))).collect();
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
