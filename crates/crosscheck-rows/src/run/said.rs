//! The arguments of a call in one short line, for people.

use crosscheck_core::Json;
use crosscheck_core::json::{Node, Value as Kind};
use crosscheck_core::redact::holds_secret;
use crosscheck_core::secrets::is_secret_field;

use crate::compare::value::Value;
use crate::judge::texts::cut;
use crate::plan::statement::writes_anywhere;
use crate::plan::{Tool, Vocabulary};
use std::fmt::Write as _;

/// Longer lines are cut.
const LONGEST: usize = 80;
/// Shown in the place of a secret.
const SECRET: &str = "<secret>";
/// Deeper values are not shown.
const DEPTH: usize = 4;

/// What is between the brackets behind the name of a tool.
pub(super) fn line(
    vocabulary: &mut Vocabulary,
    line: &mut String,
    arguments: Option<&Json>,
    tool: &Tool,
) -> Box<str> {
    let Some(arguments) = arguments else {
        return "unreadable".into();
    };
    line.clear();
    let hides = tool.is_about_secrets;
    members(vocabulary, line, arguments.root(), (0, hides));
    cut(line).into()
}

fn members(
    vocabulary: &mut Vocabulary,
    line: &mut String,
    node: Node<'_>,
    (depth, hides): (usize, bool),
) {
    for (at, (name, value)) in node.as_object().into_iter().flatten().enumerate() {
        if line.len() > 4 * LONGEST {
            return;
        }
        if at > 0 {
            line.push_str(", ");
        }
        let field = vocabulary.member(name);
        crosscheck_core::canonical::write_text(line, &field.shown);
        line.push_str(": ");
        // `set_password(user_id, new)` says which of them is none
        let is_hidden = hides && !field.holds_ids && value.as_js().is_some();
        if field.looks_secret || is_hidden || names_secret(value) {
            let _ = write!(line, "\"{SECRET}\""); // memory takes everything
        } else {
            self::value(vocabulary, line, value, (depth, hides));
        }
    }
}

/// Whether a text is SQL that names the column of a secret: which of its values
/// is the secret one, its reader need not be told.
fn names_secret(node: Node<'_>) -> bool {
    let Some(text) = node.as_str().filter(|text| writes_anywhere(text)) else {
        return false;
    };
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(is_secret_field)
}

fn value(
    vocabulary: &mut Vocabulary,
    line: &mut String,
    node: Node<'_>,
    (depth, hides): (usize, bool),
) {
    match node.value() {
        Kind::Object(_) | Kind::Array(_) if depth >= DEPTH => line.push('…'),
        Kind::Object(_) => {
            line.push('{');
            members(vocabulary, line, node, (depth + 1, hides));
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
                value(vocabulary, line, item, (depth + 1, hides));
            }
            line.push(']');
        }
        Kind::String(text) if holds_secret(&text.to_str_lossy()) => {
            let _ = write!(line, "\"{SECRET}\""); // memory takes everything
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
        let mut by = |tool: &str, text: &str| {
            let tool = vocabulary.tool(tool);
            let json = Json::parse(text).unwrap();
            line(&mut vocabulary, &mut said, Some(&json), &tool).into_string()
        };
        for (tool, arguments) in [
            ("set_password", r#"{"user_id":"u1","new":"hunter2"}"#),
            ("set_user", r#"{"user_id":"u1","passcode":"hunter2"}"#),
            (
                "execute_sql",
                r#"{"sql":"UPDATE users SET password = 'hunter2' WHERE user_id = 'u1'"}"#,
            ),
            (
                "send_note",
                r#"{"user_id":"u1","text":"see postgres://me:hunter2@db/shop"}"#,
            ),
            (
                "send_note",
                r#"{"user_id":"u1","to":["https://hunter2@h/"]}"#,
            ),
            (
                "send_note",
                r#"{"user_id":"u1","text":"curl -u me:hunter2 https://h/"}"#,
            ),
            (
                "send_note",
                r#"{"user_id":"u1","text":"ghp_hunter2hunter2hunter2"}"#,
            ),
        ] {
            let line = by(tool, arguments);
            assert!(!line.contains("hunter2"), "{line}");
        }
        let mut line = |text: &str| by("update_loan", text);
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
