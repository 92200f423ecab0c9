//! The document that a harness reads.
//!
//! Contract: done 2.2.

use crosscheck_core::foreign;
use serde_json::{Map, Value, json};

use super::receipt::Receipt;
use super::words;
use crate::config::{Action, Show, Style};
use crate::read::event::Caller;

/// What a hook prints; `None` is nothing.
pub fn document(
    receipt: &Receipt,
    caller: Caller,
    style: Style,
    show: Show,
    token: &str,
) -> Option<String> {
    // harnesses print the text as it is
    let hide = |text: String| {
        let text = foreign::terminal(&text).into_owned();
        if token.is_empty() {
            text
        } else {
            text.replace(token, "[token]")
        }
    };
    match receipt.decision.action {
        Action::Block if style == Style::Feedback && caller == Caller::ClaudeCode => {
            let context = hide(words::for_agent(receipt));
            let output = json!({"hookSpecificOutput": {"hookEventName": receipt.event, "additionalContext": context}});
            Some(output.to_string())
        }
        Action::Block => {
            let mut output = Map::new();
            output.insert("decision".to_owned(), Value::from("block"));
            output.insert(
                "reason".to_owned(),
                Value::from(hide(words::for_agent(receipt))),
            );
            let is_told = !(receipt.tamper.is_empty() && receipt.notices.is_empty());
            if is_told || receipt.decision.gave_up.is_some() {
                output.insert(
                    "systemMessage".to_owned(),
                    Value::from(hide(words::for_user(receipt))),
                );
            }
            Some(Value::Object(output).to_string())
        }
        Action::Warn if show == Show::Never && receipt.tamper.is_empty() => nothing(caller),
        Action::Warn => Some(message(&hide(words::for_user(receipt)))),
        Action::Allow if show == Show::Always && !receipt.claims.is_empty() => {
            Some(message(&hide(words::for_user(receipt))))
        }
        Action::Allow => nothing(caller),
    }
}

/// A message for the user, and the turn ends.
pub fn message(text: &str) -> String {
    json!({ "systemMessage": foreign::terminal(text) }).to_string()
}

/// Nothing to say: Codex wants a document all the same.
pub fn nothing(caller: Caller) -> Option<String> {
    (caller == Caller::Codex).then(|| "{}".to_owned())
}
