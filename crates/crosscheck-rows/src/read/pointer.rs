//! JSON Pointers (RFC 6901) into the parameters and the answer of a call.

use crosscheck_core::json::{Node, Value};
use crosscheck_core::{JsStr, JsString};

/// The value a JSON Pointer leads to.
pub(crate) fn resolve_pointer<'j>(root: Node<'j>, pointer: JsStr<'_>) -> Option<Node<'j>> {
    // mostly the name of one member, as it stands
    if let Some(name) = pointer.bytes().strip_prefix(b"/")
        && !name.iter().any(|byte| matches!(byte, b'/' | b'~'))
        && let Value::Object(members) = root.value()
    {
        return members.get_bytes(name);
    }
    let mut node = root;
    for token in pointer.split('/').skip(1) {
        let plain;
        let token = if token.bytes().contains(&b'~') {
            plain = unescaped(token);
            plain.as_js()
        } else {
            token
        };
        node = match node.value() {
            Value::Object(members) => members.get(token)?,
            Value::Array(mut elements) => {
                let text = token.as_str()?;
                let index: usize = text.parse().ok()?;
                if index.to_string() != text {
                    return None;
                }
                elements.nth(index)?
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    Some(node)
}

fn unescaped(token: JsStr<'_>) -> JsString {
    let mut plain: Vec<u16> = Vec::new();
    let mut units = token.units().peekable();
    while let Some(unit) = units.next() {
        let escaped = (unit == u16::from(b'~'))
            .then(|| units.peek().copied())
            .flatten();
        match escaped.and_then(|next| char::from_u32(u32::from(next))) {
            Some('0') => {
                units.next();
                plain.push(u16::from(b'~'));
            }
            Some('1') => {
                units.next();
                plain.push(u16::from(b'/'));
            }
            _ => plain.push(unit),
        }
    }
    JsString::from_units(plain)
}

/// A member of a pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use crosscheck_core::canonical;
    use crosscheck_core::json::Json;

    use super::*;

    #[test]
    fn pointers_lead_to_values() {
        let json = Json::parse(r#"{"a/b":{"~":[10,{"x":"y"}]},"":1}"#).unwrap();
        let at =
            |pointer: &str| resolve_pointer(json.root(), pointer.into()).map(canonical::of_node);
        assert_eq!(at("/a~1b/~0/1/x").as_deref(), Some("\"y\""));
        assert_eq!(at("/a~1b/~0/0").as_deref(), Some("10"));
        assert_eq!(at("/").as_deref(), Some("1"));
        for pointer in ["/a~1b/~0/01", "/a~1b/~0/2", "/nope", "/a~1b/~0/1/x/y"] {
            assert_eq!(at(pointer), None, "{pointer}");
        }
    }
}
