//! What a call does, by the name of its tool. Harnesses name their tools and
//! arguments differently and mean the same, so one table serves all.

use std::borrow::Cow;

use super::patch;
use super::record::{Answer, Input};
use super::{Change, Replacement};
use crate::raw::Raw;

/// The words of a list of `data/words.txt`.
pub(super) fn words(list: &str) -> impl Iterator<Item = &'static str> + Clone {
    let mut lines = include_str!("../../data/words.txt").lines();
    let words = lines.find_map(|line| line.strip_prefix(list)?.strip_prefix(": "));
    words.unwrap_or_default().split(" | ")
}

/// So much of the arguments of a tool is kept.
const MAX_INPUT: usize = 1024;

/// What a call does.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    Run(String),
    Edit {
        path: String,
        change: Change,
    },
    Patch(String),
    Subagent(String),
    /// Asks about a command that goes on, by its number.
    Poll(i64),
    Tool {
        name: String,
        input: Option<String>,
        handback: Option<String>,
    },
}

impl Deed {
    pub(super) fn of(name: &str, input: &Input<'_>) -> Self {
        let lower = name.to_ascii_lowercase();
        // `mcp__server__write_file` writes a file as well
        let lower = match lower.rsplit_once("__") {
            Some((_, own)) if own.ends_with("_file") => own.to_owned(),
            _ => lower,
        };
        let edit = |change| Self::Edit {
            path: input.first(words("paths")).unwrap_or_default(),
            change,
        };
        let is = |list: &str| words(list).any(|name| name == lower);
        match lower.as_str() {
            _ if is("shells") => {
                let raw = input.raw();
                let words = ["command", "cmd"].iter().find_map(|key| raw?.present(key));
                let line = words.map(command_line).unwrap_or_default();
                match line.strip_prefix("apply_patch\n") {
                    Some(patch) => Self::Patch(patch.to_owned()),
                    None => Self::Run(line),
                }
            }
            "apply_patch" => Self::Patch(match input {
                Input::Text(text) if text.starts_with("***") => text.clone().into_owned(),
                input => input
                    .first(["patchText", "input", "patch"])
                    .unwrap_or_default(),
            }),
            _ if is("writers") => edit(Change::Write),
            _ if is("editors") => edit(Change::Modify),
            "delete" | "delete_file" => edit(Change::Delete),
            "tree" => edit(Change::Tree),
            "agent" | "task" => Self::Subagent(
                input
                    .first(["subagent_type", "agent_type", "kind"])
                    .unwrap_or_default(),
            ),
            "write_stdin" => {
                let process = input.raw().and_then(|input| input.get("session_id"));
                Self::Poll(process.and_then(Raw::int).unwrap_or(-1))
            }
            _ => Self::Tool {
                name: name.to_owned(),
                input: match input {
                    Input::Value(value) => Some(value.beginning(MAX_INPUT)),
                    Input::Text(text) => Some(text.chars().take(MAX_INPUT).collect()),
                    Input::Absent => None,
                },
                handback: (name == "SubagentHandback")
                    .then(|| input.first(["message"]).unwrap_or_default()),
            },
        }
    }

    /// The folder in which a command runs.
    pub(super) fn folder(&self, input: &Input<'_>) -> Option<String> {
        let runs = matches!(self, Self::Run(_) | Self::Patch(_));
        runs.then(|| input.first(["workdir", "working_directory"]))?
    }
}

/// What an edit of this file replaces.
pub(super) fn replacements(
    deed: &Deed,
    input: &Input<'_>,
    path: &str,
    answer: Option<Answer<'_>>,
) -> Option<Vec<Replacement>> {
    if let Deed::Patch(text) | Deed::Run(text) = deed {
        return Some(patch::replacements(text, path));
    }
    let raw = input.raw()?;
    let text = |value: Raw<'_>, list: &str| {
        let found = words(list).find_map(|key| value.get(key)?.text());
        found.map(Cow::into_owned)
    };
    if let Some(many) = raw.get("edits") {
        let pair = |value: Raw<'_>| {
            Some(Replacement {
                old: Some(text(value, "old")?),
                new: text(value, "new")?,
            })
        };
        return Some(many.elements().filter_map(pair).collect());
    }
    let before = || {
        let answer = answer?;
        if answer.has("type").is_some_and(|kind| kind.is("create")) {
            return Some(String::new());
        }
        answer.has("originalFile")?.text().map(Cow::into_owned)
    };
    let old = text(raw, "old");
    let new = text(raw, "new");
    if old.is_none() && new.is_none() {
        return None;
    }
    Some(vec![Replacement {
        old: old.or_else(before),
        new: new.unwrap_or_default(),
    }])
}

/// A command line from a string or a list of words, without the shell around
/// it.
fn command_line(value: Raw<'_>) -> String {
    if let Some(line) = value.text() {
        return line.into_owned();
    }
    let words = value.elements().filter_map(Raw::text);
    let words: Vec<String> = words.map(Cow::into_owned).collect();
    match words.as_slice() {
        [shell, flag, line] if is_shell(shell) && matches!(flag.as_str(), "-lc" | "-c") => {
            line.clone()
        }
        [program, patch] if program == "apply_patch" => format!("apply_patch\n{patch}"),
        words => {
            let quoted = words.iter().map(|word| quoted(word));
            quoted.collect::<Vec<_>>().join(" ")
        }
    }
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    matches!(name, "bash" | "sh" | "zsh")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_around_a_command_is_removed() {
        for (words, expected) in [
            (r#"["bash","-lc","cargo test"]"#, "cargo test"),
            (r#"["/bin/zsh","-c","a && b"]"#, "a && b"),
            (r#"["ls","-l","a b"]"#, "ls -l 'a b'"),
            (r#""make""#, "make"),
        ] {
            let value = Raw::line(words.as_bytes()).unwrap();
            assert_eq!(command_line(value), expected);
        }
    }
}
