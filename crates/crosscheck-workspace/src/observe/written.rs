//! The report as the judge's own stream says that it was written.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Follows the calls that write one file.
#[derive(Debug)]
pub(super) struct Written {
    path: PathBuf,
    text: Option<String>,
    /// Calls without an answer yet.
    pending: Vec<(String, Change)>,
}

#[derive(Debug)]
enum Change {
    Whole(String),
    Part {
        old: String,
        new: String,
        all: bool,
    },
    /// A call that may have changed the file in a way that we do not follow.
    Unknown,
}

impl Written {
    pub(super) fn of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            text: None,
            pending: Vec::new(),
        }
    }

    /// What was written last, if the stream shows it.
    pub(super) fn into_text(self) -> Option<String> {
        self.text.filter(|_| self.pending.is_empty())
    }

    /// Takes an item of an event.
    pub(super) fn hear(&mut self, item: &Value) {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "tool_use" => {
                let change = self.change(text("name"), item.get("input").unwrap_or(&Value::Null));
                self.pending
                    .extend(change.map(|change| (text("id").to_owned(), change)));
            }
            "tool_result" => {
                let id = text("tool_use_id");
                let at = self.pending.iter().position(|(one, _)| one == id);
                let change = at.map(|at| self.pending.remove(at).1);
                let failed = item.get("is_error").and_then(Value::as_bool) == Some(true);
                if let Some(change) = change {
                    self.apply(change, failed);
                }
            }
            _ => {}
        }
    }

    fn change(&self, tool: &str, input: &Value) -> Option<Change> {
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        let is_ours = text("file_path").is_some_and(|path| Path::new(path) == self.path);
        let part = || {
            Some(Change::Part {
                old: text("old_string")?.to_owned(),
                new: text("new_string")?.to_owned(),
                all: input.get("replace_all").and_then(Value::as_bool) == Some(true),
            })
        };
        match tool {
            "Write" if is_ours => text("content").map(|text| Change::Whole(text.to_owned())),
            "Edit" if is_ours => Some(part().unwrap_or(Change::Unknown)),
            "Read" | "Glob" | "Grep" => None,
            _ => {
                let name = self.path.file_name()?.to_string_lossy();
                input
                    .to_string()
                    .contains(&*name)
                    .then_some(Change::Unknown)
            }
        }
    }

    fn apply(&mut self, change: Change, failed: bool) {
        self.text = match (change, self.text.take()) {
            (Change::Unknown, _) => None, // even a failed one may have begun
            (_, text) if failed => text,
            (Change::Whole(text), _) => Some(text),
            (Change::Part { old, new, all }, Some(text)) if text.contains(&old) => Some(if all {
                text.replace(&old, &new)
            } else {
                text.replacen(&old, &new, 1)
            }),
            (Change::Part { .. }, _) => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, input: &Value) -> Value {
        json!({"type": "tool_use", "id": "1", "name": tool, "input": input})
    }

    fn text_after(calls: &[(Value, bool)]) -> Option<String> {
        let mut written = Written::of(Path::new("/p/report.md"));
        for (call, failed) in calls {
            written.hear(call);
            written.hear(&json!({"type": "tool_result", "tool_use_id": "1", "is_error": failed}));
        }
        written.into_text()
    }

    #[test]
    fn writes_and_edits_that_succeeded_are_followed() {
        let write = |text: &str| {
            call(
                "Write",
                &json!({"file_path": "/p/report.md", "content": text}),
            )
        };
        let edit = call(
            "Edit",
            &json!({"file_path": "/p/report.md", "old_string": "a", "new_string": "b"}),
        );
        let table = [
            (vec![(write("a"), false)], Some("a")),
            (vec![(write("a"), false), (edit.clone(), false)], Some("b")),
            (vec![(write("a"), false), (edit.clone(), true)], Some("a")),
            (vec![(write("x"), false), (edit, false)], None),
            (vec![(write("a"), true)], None),
        ];
        for (calls, expected) in table {
            assert_eq!(text_after(&calls).as_deref(), expected, "{calls:?}");
        }
        let shell = call("Bash", &json!({"command": "sed -i s/a/b/ report.md"}));
        assert_eq!(text_after(&[(write("a"), false), (shell, false)]), None);
        let other = call("Bash", &json!({"command": "ls"}));
        assert!(text_after(&[(write("a"), false), (other, false)]).is_some());
    }
}
