//! Pieces that several formats share: fields, text blocks, arguments.

use crosscheck_core::canonical;
use crosscheck_core::json::Value;
use crosscheck_core::{Json, Node};

use super::model::{Arguments, Body, Hints, Message, Role, ToolCall, ToolResult, Witness};

/// The text of a string member; lone surrogates become U+FFFD.
pub(super) fn text(node: Node<'_>, key: &str) -> Option<String> {
    string(node.get(key)?)
}

/// The first of several members that is a string.
pub(super) fn first_text(node: Node<'_>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| text(node, key))
}

/// The text of a string.
pub(super) fn string(node: Node<'_>) -> Option<String> {
    node.as_js().map(|text| text.to_str_lossy().into_owned())
}

/// A string or a number as text: times come as either.
pub(super) fn scalar_text(node: Node<'_>, keys: &[&str]) -> Option<String> {
    keys.iter()
        .filter_map(|key| node.get(key))
        .find_map(|value| match value.value() {
            Value::String(text) => Some(text.to_str_lossy().into_owned()),
            Value::Number(digits) => Some(digits.text().to_owned()),
            _ => None,
        })
}

/// Whether a failure flag is set. Proxies also write it as a text or a number.
pub(super) fn marks_failure(node: Node<'_>, key: &str) -> bool {
    node.get(key).is_some_and(|mark| match mark.value() {
        Value::String(text) => {
            let word = text.to_str_lossy().trim().to_lowercase();
            !matches!(word.as_str(), "" | "0" | "false" | "no")
        }
        Value::Number(_) => mark.as_f64() != Some(0.0),
        _ => mark.as_bool() == Some(true),
    })
}

/// A member that is present and not `null`.
pub(super) fn present<'j>(node: Node<'j>, key: &str) -> Option<Node<'j>> {
    node.get(key).filter(|value| !value.is_null())
}

/// The elements of an array member; empty if it is something else.
pub(super) fn list<'j>(node: Node<'j>, key: &str) -> impl Iterator<Item = Node<'j>> {
    node.get(key).and_then(Node::as_array).into_iter().flatten()
}

/// The value of `type`, empty when missing.
pub(super) fn kind(node: Node<'_>) -> String {
    text(node, "type").unwrap_or_default()
}

/// The readable text of message content or of a tool's answer: a string, the
/// text blocks of an array joined with newlines, or canonical JSON.
pub(super) fn readable(node: Node<'_>) -> String {
    match node.value() {
        Value::Null => String::new(),
        Value::String(text) => text.to_str_lossy().into_owned(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.filter_map(block_text).collect();
            if texts.is_empty() && !blocks.into_iter().any(|block| block.get("type").is_some()) {
                // not content blocks, but data
                return canonical::of_node(node);
            }
            texts.join("\n")
        }
        Value::Object(_) => block_text(node).unwrap_or_else(|| canonical::of_node(node)),
        Value::Bool(_) | Value::Number(_) => canonical::of_node(node),
    }
}

/// Whether content has text or data that can be compared.
pub(super) fn is_recorded(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => false,
        Value::Array(blocks) => {
            blocks.into_iter().any(|block| block_text(block).is_some())
                || !blocks.into_iter().any(|block| block.get("type").is_some())
        }
        Value::String(_) | Value::Object(_) | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The text of one content block; images and files have none.
pub(super) fn block_text(block: Node<'_>) -> Option<String> {
    if let Some(text) = string(block) {
        return Some(text);
    }
    match kind(block).as_str() {
        "text" => first_text(block, &["text", "content"]),
        "input_text" | "output_text" | "summary_text" | "" => text(block, "text"),
        "refusal" => text(block, "refusal"),
        _ => None,
    }
}

/// Data behind an answer that is more than text.
pub(super) fn structured(node: Node<'_>) -> Option<Json> {
    match node.value() {
        Value::Null | Value::String(_) => None,
        _ => Some(node.to_json()),
    }
}

/// Arguments as a value, or as text that should be JSON.
pub(super) fn arguments(node: Option<Node<'_>>) -> Arguments {
    let Some(node) = node else {
        return Arguments::Absent;
    };
    match node.value() {
        Value::Null => Arguments::Absent,
        Value::String(text) => Json::parse_js(text).map_or_else(
            |_| Arguments::Text(text.to_str_lossy().into_owned()),
            Arguments::Json,
        ),
        _ => Arguments::Json(node.to_json()),
    }
}

/// An object with some members of another one, as arguments.
pub(super) fn picked(node: Node<'_>, keys: &[&str]) -> Arguments {
    let mut text = String::from("{");
    for key in keys {
        if let Some(value) = present(node, key) {
            if text.len() > 1 {
                text.push(',');
            }
            canonical::write_string(&mut text, (*key).into());
            text.push(':');
            text.push_str(&canonical::of_node(value));
        }
    }
    text.push('}');
    Json::parse(&text).map_or(Arguments::Absent, Arguments::Json)
}

/// A call in the conversation.
pub(super) fn asked(id: Option<String>, name: Option<String>, arguments: Arguments) -> Body {
    Body::ToolCall(ToolCall {
        id,
        name: name.unwrap_or_default(),
        arguments,
        witness: Witness::Model,
        hints: Hints::default(),
    })
}

/// An answer in the conversation.
pub(super) fn answered(call_id: Option<String>, answer: Option<Node<'_>>, is_error: bool) -> Body {
    Body::ToolResult(ToolResult {
        call_id,
        tool: None,
        content: answer.map(readable).unwrap_or_default(),
        structured: answer.and_then(structured),
        recorded: answer.is_some_and(is_recorded),
        is_error,
        witness: Witness::Model,
    })
}

/// Plain text; `None` if it is empty.
pub(super) fn said(role: Role, text: String) -> Option<Body> {
    (!text.is_empty()).then_some(Body::Message(Message {
        role,
        text,
        synthetic: false,
    }))
}

/// The role for a vendor's word.
pub(super) fn role(word: &str) -> Role {
    match word {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "assistant" | "ai" | "model" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn content_of_any_shape_becomes_text() {
        let table = [
            (r#""plain""#, "plain"),
            ("null", ""),
            (
                r#"[{"type":"text","text":"a"},{"type":"image"},"b"]"#,
                "a\nb",
            ),
            (r#"[{"type":"image"}]"#, ""),
            (r#"[{"row":1}]"#, r#"[{"row":1}]"#),
            (r#"{"text":"a"}"#, "a"),
            (r#"{"b":1,"a":[]}"#, r#"{"a":[],"b":1}"#),
            ("12.0", "12"),
        ];
        for (content, expected) in table {
            assert_eq!(readable(json(content).root()), expected, "{content}");
        }
    }

    #[test]
    fn arguments_in_a_string_are_parsed_and_broken_ones_stay_text() {
        let of = |text: &str| arguments(Some(json(text).root()));
        assert!(
            matches!(of(r#""{\"a\":1}""#), Arguments::Json(args) if args.root().get("a").is_some())
        );
        assert!(matches!(of(r#""{\"a\":""#), Arguments::Text(text) if text == "{\"a\":"));
        assert!(matches!(of("null"), Arguments::Absent));
    }

    #[test]
    fn picked_members_are_an_object_of_their_own() {
        let item = json(r#"{"id":"i","command":"ls \"x\"","n":null}"#);
        let Arguments::Json(args) = picked(item.root(), &["command", "n"]) else {
            panic!("arguments");
        };
        assert_eq!(canonical::of_node(args.root()), r#"{"command":"ls \"x\""}"#);
    }
}
