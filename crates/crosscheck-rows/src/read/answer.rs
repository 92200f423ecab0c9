//! What a tool answered, without the wrapping that logs put around it.

use crosscheck_core::Json;
use crosscheck_core::json::{Node, Value};
use crosscheck_transcript::ToolResult;

/// The answer of a tool.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Data.
    Json(Json),
    /// Words.
    Text(String),
    /// There was one, and the log does not say which.
    Nothing,
}

impl Answer {
    /// The answer of a result, and whether the answer itself says that it
    /// is an error.
    pub(super) fn of(result: ToolResult) -> (Self, bool) {
        let ToolResult {
            content,
            structured,
            recorded,
            ..
        } = result;
        if !recorded {
            return (Self::Nothing, false);
        }
        let data = structured.filter(|json| is_plain_data(json.root()));
        match data.map_or_else(|| Self::parsed(content), Self::Json) {
            Self::Json(json) => match protocol_result(json.root()) {
                Some(unwrapped) => unwrapped,
                None => (Self::Json(json), false),
            },
            other => (other, false),
        }
    }

    /// Text that is JSON is data.
    fn parsed(text: String) -> Self {
        let begins_like_json = text.trim_start().starts_with(['{', '[', '"'])
            || matches!(text.trim(), "null" | "true" | "false");
        if !begins_like_json {
            return Self::Text(text);
        }
        match Json::parse(&text) {
            Ok(json) => match json.root().value() {
                Value::String(inner) => Self::Text(inner.to_str_lossy().into_owned()),
                Value::Null => Self::Nothing,
                _ => Self::Json(json),
            },
            Err(_) => Self::Text(text),
        }
    }
}

/// Whether data is the answer and not its wrapping: content blocks, or an
/// object around them.
fn is_plain_data(node: Node<'_>) -> bool {
    match node.value() {
        Value::Array(items) => !is_blocks(items),
        Value::Object(_) => node.get("content").is_none(),
        _ => false,
    }
}

fn is_blocks(items: crosscheck_core::json::Elements<'_>) -> bool {
    let mut items = items.peekable();
    items.peek().is_some() && items.all(|item| item.get("type").and_then(Node::as_js).is_some())
}

/// The result of a tool over MCP, where a log keeps it as it came:
/// `{"content": [blocks], "structuredContent": …, "isError": …}`.
fn protocol_result(node: Node<'_>) -> Option<(Answer, bool)> {
    let blocks = node
        .get("content")?
        .as_array()
        .filter(|items| is_blocks(*items))?;
    let is_error = node.get("isError").and_then(Node::as_bool) == Some(true);
    if let Some(data) = node.get("structuredContent").filter(|data| !data.is_null()) {
        return Some((Answer::Json(data.to_json()), is_error));
    }
    let texts = blocks.filter_map(|block| block.get("text")?.as_js());
    let texts: Vec<String> = texts.map(|text| text.to_str_lossy().into_owned()).collect();
    Some((Answer::parsed(texts.join("\n")), is_error))
}

#[cfg(test)]
mod tests {
    use crosscheck_core::canonical;
    use crosscheck_transcript::{Body, Format, read};

    use super::*;

    fn shown(result: &str) -> String {
        let log = format!(r#"{{"tool":"t","params":{{}},"result":{result}}}"#);
        let mut events = read(Format::Calls, &log).events.into_iter();
        let returned = events.find_map(|event| match event.body {
            Body::ToolResult(returned) => Some(returned),
            _ => None,
        });
        match Answer::of(returned.unwrap()) {
            (Answer::Json(json), error) => {
                format!("json {} {error}", canonical::of_node(json.root()))
            }
            (Answer::Text(text), error) => format!("text {text} {error}"),
            (Answer::Nothing, error) => format!("nothing {error}"),
        }
    }

    #[test]
    fn answers_lose_their_wrapping() {
        let table = [
            (
                r#"{"id":5,"text":"x"}"#,
                r#"json {"id":5,"text":"x"} false"#,
            ),
            (r#""{\"id\":5}""#, r#"json {"id":5} false"#),
            (r#""done""#, "text done false"),
            (r#""12""#, "text 12 false"),
            (
                r#"[{"type":"text","text":"{\"id\":5}"}]"#,
                r#"json {"id":5} false"#,
            ),
            (r#"[{"id":5}]"#, r#"json [{"id":5}] false"#),
            (
                r#"{"content":[{"type":"text","text":"{\"id\":5}"}]}"#,
                r#"json {"id":5} false"#,
            ),
            (
                r#"{"content":[{"type":"text","text":"x"}],"structuredContent":{"id":5},"isError":true}"#,
                r#"json {"id":5} true"#,
            ),
            (
                r#"{"content":"words of the row","id":5}"#,
                r#"json {"content":"words of the row","id":5} false"#,
            ),
            ("null", "nothing false"),
        ];
        for (result, expected) in table {
            assert_eq!(shown(result), expected, "{result}");
        }
    }
}
