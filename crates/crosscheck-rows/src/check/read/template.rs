//! Texts with places for values: `save {/id}`.

use crosscheck_core::{JsStr, JsString};

/// What an entry says about its calls, taken apart.
#[derive(Debug)]
pub struct Template {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug)]
pub(crate) enum Part {
    Text(JsString),
    /// A value of the parameters.
    Value(JsString),
}

impl Template {
    pub(crate) fn new(text: JsStr<'_>) -> Self {
        let mut parts = Vec::new();
        let mut plain = JsString::default();
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once('{') {
            plain.push(before);
            let token = starts_with_token(inside).then(|| inside.split_once('}'));
            if let Some((token, after)) = token.flatten() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Value(token.to_owned()));
                rest = after;
            } else {
                plain.push_str("{");
                rest = inside;
            }
        }
        plain.push(rest);
        parts.push(Part::Text(plain));
        Self { parts }
    }
}

/// Whether a pointer and its closing bracket come next.
fn starts_with_token(inside: JsStr<'_>) -> bool {
    let bytes = inside.bytes();
    let end = bytes.iter().position(|byte| matches!(byte, b'{' | b'}'));
    bytes.starts_with(b"/") && end.is_some_and(|end| end > 1 && bytes.get(end) == Some(&b'}'))
}
