//! Which JSON values are tool calls, and with which parameters.

use crosscheck_core::JsStr;
use crosscheck_core::json::{Elements, Json, Members, Node};

use super::{Call, MAX_ACTIONS};

const NAME_KEYS: [&str; 3] = ["toolId", "tool", "name"];
const BAG_KEYS: [&str; 3] = ["params", "arguments", "input"];
const NOT_PARAMETERS: [&str; 6] = ["tool_calls", "toolId", "tool", "name", "action", "function"];

/// The tool calls found so far, over the whole run.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) calls: Vec<Call>,
    /// A tool call was dropped because the cap was reached.
    pub(super) capped: bool,
}

enum Step<'j> {
    Visit(Node<'j>),
    Each(Elements<'j>),
    Call(Members<'j>),
}

impl Found {
    /// Adds the tool calls of a value: of arrays each element, of objects
    /// first their `tool_calls`, then themselves. Works on a stack of its own.
    pub(super) fn extract(&mut self, root: Node<'_>) {
        let mut steps = vec![Step::Visit(root)];
        while let Some(step) = steps.pop() {
            if self.capped {
                return;
            }
            match step {
                Step::Visit(node) => {
                    if let Some(elements) = node.as_array() {
                        steps.push(Step::Each(elements));
                    } else if let Some(members) = node.as_object() {
                        steps.push(Step::Call(members));
                        if let Some(calls) = node.get("tool_calls").and_then(Node::as_array) {
                            steps.push(Step::Each(calls));
                        }
                    }
                }
                Step::Each(mut elements) => {
                    if let Some(node) = elements.next() {
                        steps.push(Step::Each(elements));
                        steps.push(Step::Visit(node));
                    }
                }
                Step::Call(members) => self.add(members),
            }
        }
    }

    fn add(&mut self, members: Members<'_>) {
        let Some(tool) = tool_name(members) else {
            return;
        };
        if self.calls.len() == MAX_ACTIONS {
            self.capped = true;
            return;
        }
        self.calls.push(Call {
            tool: tool.as_js().map(JsStr::to_owned).unwrap_or_default(),
            params: bag(members),
        });
    }
}

/// The first name that is a text and not empty.
fn tool_name(members: Members<'_>) -> Option<Node<'_>> {
    NAME_KEYS
        .iter()
        .map(|key| members.get((*key).into()))
        .chain([
            function(members).and_then(|function| function.get("name".into())),
            members.get("action".into()),
        ])
        .flatten()
        .find(|node| named(*node))
}

fn named(node: Node<'_>) -> bool {
    node.as_js().is_some_and(|text| !text.is_empty())
}

fn function(members: Members<'_>) -> Option<Members<'_>> {
    members.get("function".into())?.as_object()
}

fn bag(members: Members<'_>) -> Json {
    let nested = function(members)
        .filter(|function| function.get("name".into()).is_some_and(named))
        .and_then(|function| function.get("arguments".into()));
    nested
        .and_then(accepted)
        .or_else(|| {
            BAG_KEYS
                .iter()
                .find_map(|key| members.get((*key).into()).and_then(accepted))
        })
        .unwrap_or_else(|| {
            Json::object(members.filter(|(key, _)| NOT_PARAMETERS.iter().all(|not| *key != *not)))
        })
}

/// An object as it is, or the object that a text holds.
fn accepted(node: Node<'_>) -> Option<Json> {
    if node.as_object().is_some() {
        return Some(node.to_json());
    }
    // trim removes more than the white space that JSON allows around a text
    let text = node.as_js()?.trim();
    if !matches!(text.bytes().first(), Some(b'{' | b'[')) {
        return None;
    }
    Json::parse_js(text)
        .ok()
        .filter(|json| json.root().as_object().is_some())
}

#[cfg(test)]
mod tests {
    use crosscheck_core::canonical;

    use super::*;

    fn calls(text: &str) -> Vec<(String, String)> {
        let json = Json::parse(text).unwrap();
        let mut found = Found::default();
        found.extract(json.root());
        found
            .calls
            .iter()
            .map(|call| {
                (
                    call.tool.to_string(),
                    canonical::of_node(call.params.root()),
                )
            })
            .collect()
    }

    #[test]
    fn a_stringified_bag_is_trimmed_as_ecmascript_trims() {
        for space in [
            "\\u00a0", "\\ufeff", "\\u000b", "\\u000c", "\\u2003", "\\u3000", " ",
        ] {
            let text = format!(r#"{{"tool":"t","params":"{space}{{\"id\":1}}{space}"}}"#);
            assert_eq!(
                calls(&text),
                [("t".to_owned(), r#"{"id":1}"#.to_owned())],
                "{space}"
            );
        }
        // what is not white space is not a bag
        let text = r#"{"tool":"t","params":"\u200b{\"id\":1}"}"#;
        assert_ne!(calls(text), [("t".to_owned(), r#"{"id":1}"#.to_owned())]);
    }

    fn one(text: &str) -> (String, String) {
        let all = calls(text);
        assert_eq!(all.len(), 1, "{text}");
        all[0].clone()
    }

    #[test]
    fn the_first_name_that_holds_text_counts() {
        assert_eq!(
            one(r#"{"action":"a","name":"n","tool":"t","toolId":"i"}"#).0,
            "i"
        );
        assert_eq!(one(r#"{"toolId":"","tool":7,"name":"n"}"#).0, "n");
        assert_eq!(one(r#"{"function":{"name":"f"},"action":"a"}"#).0, "f");
        assert_eq!(one(r#"{"function":["name"],"action":"a"}"#).0, "a");
        assert!(calls(r#"{"tool":""}"#).is_empty());
    }

    #[test]
    fn the_parameter_bag_is_the_first_that_applies() {
        let bags = [
            (
                r#"{"tool":"t","function":{"name":"f","arguments":"{\"a\":1}"},"params":{"b":2}}"#,
                r#"{"a":1}"#,
            ),
            (
                r#"{"tool":"t","function":{"name":"f","arguments":"[1]"},"params":{"b":2}}"#,
                r#"{"b":2}"#,
            ),
            (
                r#"{"tool":"t","function":{"arguments":{"a":1}},"input":{"c":3}}"#,
                r#"{"c":3}"#,
            ),
            (
                r#"{"tool":"t","params":"nope","arguments":{},"input":{"c":3}}"#,
                "{}",
            ),
            (
                r#"{"tool":"t","params":[1],"input":" {\"c\":3} "}"#,
                r#"{"c":3}"#,
            ),
            (
                r#"{"tool":"t","action":"x","function":{"a":1},"tool_calls":1,"id":5,"params":7}"#,
                r#"{"id":5,"params":7}"#,
            ),
        ];
        for (text, expected) in bags {
            assert_eq!(one(text).1, expected, "{text}");
        }
    }

    #[test]
    fn children_come_before_the_object_that_carries_them() {
        let text = r#"[{"tool":"a"},{"name":"parent","tool_calls":[{"tool":"b"},[{"tool":"c"}]]},{"choices":[{"tool":"no"}]}]"#;
        let names: Vec<String> = calls(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "c", "parent"]);
    }

    #[test]
    fn the_fifty_first_call_is_dropped_and_noted() {
        let text = format!("[{}]", vec![r#"{"tool":"t"}"#; 51].join(","));
        let json = Json::parse(&text).unwrap();
        let mut found = Found::default();
        found.extract(json.root());
        assert_eq!((found.calls.len(), found.capped), (50, true));
    }

    #[test]
    fn deep_nesting_is_walked() {
        let text = "[".repeat(200_000) + r#"{"tool":"deep"}"# + &"]".repeat(200_000);
        assert_eq!(one(&text).0, "deep");
        let text =
            r#"{"tool_calls":["#.repeat(100_000) + r#"{"tool":"deep"}"# + &"]}".repeat(100_000);
        assert_eq!(one(&text).0, "deep");
    }
}
