//! What a step says it did, for people. Never influences a verdict.

use crosscheck_core::canonical::{self, Form};
use crosscheck_core::json::{Digits, Members, Node};
use crosscheck_core::text::into_one_line;
use crosscheck_core::{JsStr, JsString};

use crate::plan::pointer::resolve_pointer;

/// The text of an empty narrative.
pub(crate) const NONE: &str = "(none)";

/// The template with every `{/pointer}` replaced by the value it leads to.
pub(crate) fn narrative(template: &JsString, params: Node<'_>) -> JsString {
    let text = template.to_str_lossy();
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest: &str = &text;
    while let Some(open) = rest.find("{/") {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let inside = from.get(1..).unwrap_or_default();
        let end = inside.find(['{', '}']);
        let token = end
            .and_then(|end| inside.get(..end))
            .filter(|token| token.len() > 1);
        match (token, end.and_then(|end| inside.get(end..))) {
            (Some(token), Some(after)) if after.starts_with('}') => {
                match resolve_pointer(params, token.into()) {
                    Some(value) => canonical::write_node(&mut out, value, &DocumentOrder),
                    None => out.push_str("MISSING"),
                }
                rest = after.get(1..).unwrap_or_default();
            }
            _ => {
                out.push('{');
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    let line = into_one_line(out.into());
    if line.is_empty() { NONE.into() } else { line }
}

/// Compact JSON with the members in the order of the document.
struct DocumentOrder;

impl Form for DocumentOrder {
    fn number(&self, out: &mut String, digits: Digits<'_>) {
        canonical::Ecma.number(out, digits);
    }

    fn members<'j>(&self, members: Members<'j>) -> Vec<(JsStr<'j>, Node<'j>)> {
        let mut kept: Vec<(JsStr<'j>, Node<'j>)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (key, value) in members {
            if let Some(at) = places.get(key.bytes()) {
                if let Some(slot) = kept.get_mut(*at) {
                    *slot = (key, value);
                }
            } else {
                places.insert(key.bytes(), kept.len());
                kept.push((key, value));
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use crosscheck_core::json::Json;

    use super::*;

    #[test]
    fn tokens_become_values() {
        let params = Json::parse(r#"{"id":"g1","o":{"b":1.0,"a":[null]},"n":null}"#).unwrap();
        let table = [
            ("do {/id}", "do \"g1\""),
            ("{/o} {/o/b}", r#"{"b":1,"a":[null]} 1"#),
            ("{/nope}{/n}", "MISSINGnull"),
            ("{id} {/} {{/id}} {/id", "{id} {/} {\"g1\"} {/id"),
            ("a\n\n b", "a b"),
            (" ", "(none)"),
            ("", "(none)"),
        ];
        for (template, expected) in table {
            assert_eq!(
                narrative(&template.into(), params.root()).to_string(),
                expected,
                "{template}"
            );
        }
    }
}
