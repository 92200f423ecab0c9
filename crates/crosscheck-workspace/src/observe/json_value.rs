//! Criteria about a value in a JSON file.

use crosscheck_core::canonical::{self, Numbers, Style};
use crosscheck_core::files::Root;
use crosscheck_core::json::{Json, Node, Rules, Value as Seen};
use serde_json::Value;

use super::criteria::{CriterionAnswer, bytes_of, missing};
use crate::read::acceptance::ProjectPath;

/// Only the requested value decides, not whether the other numbers fit a
/// double.
const RULES: Rules = Rules {
    max_depth: Some(1000),
    ..Rules::ECMASCRIPT
};

pub(super) fn look(
    root: &Root,
    path: &ProjectPath,
    pointer: &str,
    equals: &Value,
) -> CriterionAnswer {
    let Some(bytes) = bytes_of(root, path)? else {
        return Ok(Some(missing(path)));
    };
    compare(&bytes, pointer, equals)
        .map(|difference| difference.map(|what| format!("{} {what}", path.0)))
        .map_err(|why| format!("{} {why}", path.0))
}

fn compare(bytes: &[u8], pointer: &str, equals: &Value) -> CriterionAnswer {
    let text = str::from_utf8(bytes).map_err(|error| format!("is not JSON: {error}"))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let json = Json::parse_with(text, &RULES).map_err(|error| format!("is not JSON: {error}"))?;
    Ok(match find(json.root(), pointer)? {
        None => Some(format!("has nothing at {pointer}")),
        Some(found) if is_same(found, equals) => None,
        Some(found) => Some(format!(
            "has {} at {pointer}, expected {equals}",
            shown(found)
        )),
    })
}

/// The value at a JSON pointer. Programs disagree about which of two equal keys counts, so such a
/// value is not decided.
fn find<'j>(root: Node<'j>, pointer: &str) -> Result<Option<Node<'j>>, String> {
    let mut node = root;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let next = match node.value() {
            Seen::Object(members) => {
                let mut values = members.filter(|(key, _)| key.as_str() == Some(name.as_str()));
                let value = values.next().map(|(_, value)| value);
                if values.next().is_some() {
                    return Err(format!(
                        "has two values for `{name}` on the way to {pointer}"
                    ));
                }
                value
            }
            Seen::Array(mut elements) => {
                let is_plain = name == "0" || !name.starts_with(['0', '+']);
                let index = name.parse().ok().filter(|_| is_plain);
                index.and_then(|index| elements.nth(index))
            }
            Seen::Null | Seen::Bool(_) | Seen::Number(_) | Seen::String(_) => None,
        };
        let Some(next) = next else {
            return Ok(None);
        };
        node = next;
    }
    Ok(Some(node))
}

fn shown(node: Node<'_>) -> String {
    match node.value() {
        Seen::Number(digits) => digits.text().to_owned(),
        _ => canonical::of_node(node),
    }
}

/// Equal as JSON values: `1` and `1.0` are the same number, and the order of
/// keys does not count.
fn is_same(found: Node<'_>, expected: &Value) -> bool {
    let style = Style {
        numbers: Numbers::Value,
        ..Style::TRACE
    };
    let expected = Json::parse(&expected.to_string());
    expected.is_ok_and(|expected| {
        canonical::text(found, &style) == canonical::text(expected.root(), &style)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_requested_value_decides_and_not_its_neighbours() {
        let file = "\u{FEFF}{\"s\":\"x\",\"big\":1e400,\"a\":[1.0,{\"k/~\":null}],\"d\":1,\"d\":2}";
        let table = [
            ("/s", json!("x"), true),
            ("/a/0", json!(1), true),
            ("/a/1/k~1~0", json!(null), true),
            ("/a", json!([1, {"k/~": null}]), true),
            ("/a", json!([1]), false),
            ("/a", json!([1, {"k/~": null}, 3]), false),
            ("/a/1", json!({}), false),
            ("/a/01", json!({"k/~": null}), false),
            ("/big", json!(1), false),
            ("/s/x", json!("x"), false),
            ("/none", json!(null), false),
        ];
        for (pointer, equals, expected) in table {
            let answer = compare(file.as_bytes(), pointer, &equals).unwrap();
            assert_eq!(answer.is_none(), expected, "{pointer} {equals}: {answer:?}");
        }
        assert_eq!(
            compare(b"{\"d\":1,\"d\":2}", "", &json!({"d": 2})),
            Ok(None)
        );
        for equals in [1, 2] {
            let answer = compare(file.as_bytes(), "/d", &json!(equals));
            assert!(answer.is_err(), "{answer:?}");
        }
        for broken in ["", "{", "\u{FEFF}\u{FEFF}1", "nope"] {
            assert!(
                compare(broken.as_bytes(), "", &json!(1)).is_err(),
                "{broken}"
            );
        }
    }
}
