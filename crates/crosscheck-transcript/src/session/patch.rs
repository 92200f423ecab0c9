//! Patches in the form of Codex: which files they change, and how.

use super::{Body, Change, Edit, Replacement, Span};

/// Reports each file of a patch as an edit.
pub(super) fn patched(text: &str, id: &str, done: bool, span: Span, bodies: &mut Vec<Body>) {
    for part in files(text) {
        let mut edit = |path: &str, change: Change| {
            bodies.push(Body::Edit(Edit {
                id: id.into(),
                path: path.to_owned(),
                change,
                done,
                lines: [Some(span), None],
            }));
        };
        match part.moved {
            Some(target) => {
                edit(part.path, Change::Delete);
                edit(target, Change::Write);
            }
            None => edit(part.path, part.change),
        }
    }
}

/// One file of a patch.
struct Part<'p> {
    path: &'p str,
    moved: Option<&'p str>,
    change: Change,
    lines: Vec<&'p str>,
}

fn files(text: &str) -> Vec<Part<'_>> {
    let mut all: Vec<Part<'_>> = Vec::new();
    for line in text.lines() {
        let begin = [
            ("*** Add File: ", Change::Write),
            ("*** Update File: ", Change::Modify),
            ("*** Delete File: ", Change::Delete),
        ]
        .into_iter()
        .find_map(|(words, change)| Some((line.strip_prefix(words)?.trim(), change)));
        match (begin, all.last_mut()) {
            (Some((path, change)), _) => all.push(Part {
                path,
                moved: None,
                change,
                lines: Vec::new(),
            }),
            (None, Some(part)) => match line.strip_prefix("*** Move to: ") {
                Some(target) => part.moved = Some(target.trim()),
                None if line.starts_with("*** ") => {}
                None => part.lines.push(line),
            },
            (None, None) => {}
        }
    }
    all
}

/// What a patch replaces in one file.
pub(super) fn replacements(text: &str, path: &str) -> Vec<Replacement> {
    let Some(file) = files(text)
        .into_iter()
        .find(|part| part.path == path || part.moved == Some(path))
    else {
        return Vec::new();
    };
    // each hunk is one replacement
    let hunks = file.lines.split(|line| line.starts_with("@@"));
    hunks
        .filter(|lines| !lines.is_empty())
        .map(|lines| {
            let side = |other: char| {
                let kept = lines.iter().filter(|line| !line.starts_with(other));
                let kept: Vec<&str> = kept.filter_map(|line| line.get(1..)).collect();
                kept.join("\n")
            };
            Replacement {
                old: Some(side('+')),
                new: side('-'),
            }
        })
        .collect()
}
