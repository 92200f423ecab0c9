//! What is wrong with a line that is not an event, in words.
//!
//! The reader only knows yes and no, because it is asked for every line; this
//! is asked for the few that somebody has to repair.

use crosscheck_core::json::{Json, Node};
use crosscheck_core::text::one_line;

const SHOWN: usize = 40;
const TYPES: [&str; 5] = [
    "tool_observed",
    "model_turn",
    "retrieval",
    "control",
    "tool_skipped",
];

/// The first thing to repair in a line that is JSON and still no event.
pub(crate) fn fault(line: &Json) -> String {
    let root = line.root();
    if root.as_object().is_none() {
        return "it is not an object".to_owned();
    }
    let version = root.get("schemaVersion").and_then(Node::as_f64);
    let has_id = !matches!(version, Some(1.0));
    let kind = root.get("type").and_then(Node::as_str);
    if !matches!(version, Some(1.0 | 2.0 | 3.0)) {
        return lacks(root, "schemaVersion", "must be 1, 2 or 3");
    }
    if !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        return lacks(root, "type", "is not the type of an event");
    }
    if kind != Some("tool_observed") && version != Some(2.0) {
        return "events of this type have schemaVersion 2".to_owned();
    }
    let mut texts = vec!["workflowId"];
    if has_id {
        texts.push("runEventId");
    }
    if matches!(kind, Some("tool_observed" | "tool_skipped")) {
        texts.push("toolId");
    }
    for name in texts {
        if !is_filled(root.get(name)) {
            return lacks(root, name, "must be a text that is not empty");
        }
    }
    if kind == Some("tool_observed")
        && let Some(why) = fault_of_call(root)
    {
        return why;
    }
    surplus(root).unwrap_or_else(|| "it does not have the form of its type".to_owned())
}

fn fault_of_call(root: Node<'_>) -> Option<String> {
    let seq = root.get("seq").and_then(Node::as_f64);
    if !seq.is_some_and(|seq| seq >= 0.0 && seq.fract() == 0.0) {
        return Some(lacks(root, "seq", "must be a whole number from 0"));
    }
    let is_object = root
        .get("params")
        .is_some_and(|params| params.as_object().is_some());
    (!is_object).then(|| lacks(root, "params", "must be an object"))
}

/// The first name that no event has.
fn surplus(root: Node<'_>) -> Option<String> {
    let (name, _) = root
        .as_object()?
        .find(|(key, _)| !super::event::is_name(*key))?;
    let name: String = one_line(&name.to_str_lossy()).chars().take(SHOWN).collect();
    Some(format!("no event has a field `{name}`"))
}

fn is_filled(node: Option<Node<'_>>) -> bool {
    node.and_then(Node::as_js)
        .is_some_and(|text| !text.is_empty())
}

fn lacks(root: Node<'_>, name: &str, wrong: &str) -> String {
    if root.get(name).is_some() {
        return format!("`{name}` {wrong}");
    }
    match surplus(root) {
        Some(surplus) => format!("`{name}` is missing, and {surplus}"),
        None => format!("`{name}` is missing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thing_to_repair_is_named() {
        for (text, said) in [
            ("[]", "it is not an object"),
            ("{}", "`schemaVersion` is missing"),
            (
                r#"{"schemaVersion":9,"type":"tool_observed"}"#,
                "`schemaVersion` must be 1, 2 or 3",
            ),
            (
                r#"{"schemaVersion":1,"type":"tool_observd"}"#,
                "`type` is not the type of an event",
            ),
            (
                r#"{"schemaVersion":1,"workflowId":"w","seq":0,"type":"tool_observed","toolId":"t","parms":{}}"#,
                "`params` is missing, and no event has a field `parms`",
            ),
            (
                r#"{"schemaVersion":1,"workflowId":"w","seq":-1,"type":"tool_observed","toolId":"t","params":{}}"#,
                "`seq` must be a whole number from 0",
            ),
            (
                r#"{"schemaVersion":2,"workflowId":"w","seq":1,"type":"tool_observed","toolId":"t","params":{}}"#,
                "`runEventId` is missing",
            ),
            (
                r#"{"schemaVersion":1,"workflowId":"w","seq":1,"type":"tool_observed","toolId":"t","params":{},"x\ny":1}"#,
                "no event has a field `x y`",
            ),
            (
                r#"{"schemaVersion":2,"workflowId":"w","runEventId":"r","type":"model_turn","status":"done"}"#,
                "it does not have the form of its type",
            ),
        ] {
            assert_eq!(fault(&Json::parse(text).unwrap()), said, "{text}");
        }
    }
}
