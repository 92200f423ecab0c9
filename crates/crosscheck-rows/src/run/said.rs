//! The arguments of a call in one short line, for people.

use crosscheck_core::Json;
use crosscheck_core::json::{Node, Value as Kind};

use crate::compare::value::Value;
use crate::judge::texts::cut;
use crate::plan::Vocabulary;

/// Longer lines are cut.
const LONGEST: usize = 80;
/// Deeper values are not shown.
const DEPTH: usize = 4;

/// What is between the brackets behind the name of a tool.
pub(super) fn line(
    vocabulary: &mut Vocabulary,
    line: &mut String,
    arguments: Option<&Json>,
) -> Box<str> {
    let Some(arguments) = arguments else {
        return "unreadable".into();
    };
    line.clear();
    members(vocabulary, line, arguments.root(), 0);
    cut(line).into()
}

fn members(vocabulary: &mut Vocabulary, line: &mut String, node: Node<'_>, depth: usize) {
    for (at, (name, value)) in node.as_object().into_iter().flatten().enumerate() {
        if line.len() > 4 * LONGEST {
            return;
        }
        if at > 0 {
            line.push_str(", ");
        }
        let field = vocabulary.member(name);
        crosscheck_core::canonical::write_text(line, &field.name.text);
        line.push_str(": ");
        if field.looks_secret {
            line.push_str("\"<secret>\"");
        } else {
            self::value(vocabulary, line, value, depth);
        }
    }
}

fn value(vocabulary: &mut Vocabulary, line: &mut String, node: Node<'_>, depth: usize) {
    match node.value() {
        Kind::Object(_) | Kind::Array(_) if depth >= DEPTH => line.push('…'),
        Kind::Object(_) => {
            line.push('{');
            members(vocabulary, line, node, depth + 1);
            line.push('}');
        }
        Kind::Array(items) => {
            line.push('[');
            for (at, item) in items.enumerate() {
                if line.len() > 4 * LONGEST {
                    break;
                }
                if at > 0 {
                    line.push_str(", ");
                }
                value(vocabulary, line, item, depth + 1);
            }
            line.push(']');
        }
        _ => Value::of(node).write_canonical(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fit_on_a_line_and_hide_secrets() {
        let mut vocabulary = crate::plan::testing::vocabulary(&[]);
        let mut said = String::new();
        let mut line = |text: &str| {
            let line = line(
                &mut vocabulary,
                &mut said,
                Some(&Json::parse(text).unwrap()),
            );
            line.into_string()
        };
        assert_eq!(
            line(r#"{"loan_id":"l-1","n":1.50}"#),
            r#""loan_id": "l-1", "n": 1.5"#
        );
        assert_eq!(
            line(r#"{"password":"x","a":{"api_key":"y","sessionToken":"z"}}"#),
            r#""password": "<secret>", "a": {"api_key": "<secret>", "sessionToken": "<secret>"}"#
        );
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(500));
        assert_eq!(line(&long).chars().count(), LONGEST);
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        assert_eq!(line(&format!(r#"{{"a":{deep}}}"#)), r#""a": [[[[…]]]]"#);
    }
}
