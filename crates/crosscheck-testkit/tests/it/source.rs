//! The source of the project: its files, and the modules they name.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// One file that is part of the program, without its tests.
pub(crate) struct SourceFile {
    /// The crate without its prefix, for example `rows`.
    pub(crate) part: String,
    /// Below `src`, for example `judge/scalar.rs`.
    pub(crate) path: String,
    /// The module, for example `judge`, `scalar`.
    pub(crate) module: Vec<String>,
    /// Code without comments, strings and tests.
    pub(crate) code: String,
}

pub(crate) fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every crate by its short name; the facade is `crosscheck`.
pub(crate) fn parts() -> Vec<(String, PathBuf)> {
    let mut parts: Vec<(String, PathBuf)> = fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let short = name.strip_prefix("crosscheck-").unwrap_or(name);
            (short.to_owned(), path.clone())
        })
        .collect();
    parts.sort();
    parts
}

/// Every file of every crate but the testkit.
pub(crate) fn files() -> Vec<SourceFile> {
    let mut files = Vec::new();
    for (part, folder) in parts() {
        if part != "testkit" {
            walk(&part, &folder.join("src"), &mut Vec::new(), &mut files);
        }
    }
    files
}

fn walk(part: &str, folder: &Path, above: &mut Vec<String>, files: &mut Vec<SourceFile>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if stem.ends_with("tests") {
            continue;
        }
        if path.is_dir() {
            above.push(stem);
            walk(part, &path, above, files);
            above.pop();
        } else if path.extension().is_some_and(|end| end == "rs") {
            let mut module = above.clone();
            if !matches!(stem.as_str(), "mod" | "lib" | "main") {
                module.push(stem);
            }
            let mut shown = above.join("/");
            if !shown.is_empty() {
                shown.push('/');
            }
            shown.push_str(path.file_name().unwrap().to_str().unwrap());
            files.push(SourceFile {
                part: part.to_owned(),
                path: shown,
                module,
                code: bare(&fs::read_to_string(&path).unwrap()),
            });
        }
    }
}

/// Code up to the tests at the end, without comments and strings.
fn bare(text: &str) -> String {
    let tests = text.match_indices("\n#[cfg(test)]\nmod ");
    let mut inline = tests.filter(|(at, mark)| {
        let name = text[at + mark.len()..].lines().next().unwrap();
        name.ends_with('{') // tests in a file of their own end nothing
    });
    let text = &text[..inline.next().map_or(text.len(), |(at, _)| at)];
    let mut code = String::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.starts_with("//") {
            continue;
        }
        let mut quoted = false;
        for piece in line.split('"') {
            if !quoted {
                code.push_str(piece);
                code.push('"');
            }
            quoted = !quoted;
        }
        code.push('\n');
    }
    // `use std::{fs, io}` names `std::fs`
    for (at, mark) in code.clone().match_indices("std::{") {
        let names: String = code[at + mark.len()..]
            .chars()
            .take_while(|c| *c != '}')
            .collect();
        for name in names.split(',') {
            let _ = writeln!(code, "std::{}", name.trim());
        }
    }
    code
}

impl SourceFile {
    /// The modules of its own crate that it uses, from the root.
    pub(crate) fn names(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for (root, above) in [("crate::", usize::MAX), ("super::", 0)] {
            for (at, _) in self.code.match_indices(root) {
                if self.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
                {
                    continue;
                }
                let mut base = self.module.clone();
                let mut rest = &self.code[at..];
                if above == usize::MAX {
                    base.clear();
                    rest = &rest["crate::".len()..];
                }
                while let Some(inner) = rest.strip_prefix("super::") {
                    base.pop();
                    rest = inner;
                }
                for path in tree(rest) {
                    found.push([base.clone(), path].concat());
                }
            }
        }
        found
    }
}

/// The paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn tree(text: &str) -> Vec<Vec<String>> {
    let text = text.trim_start();
    if let Some(inner) = text.strip_prefix('{') {
        return items(inner).iter().flat_map(|item| tree(item)).collect();
    }
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return vec![Vec::new()];
    }
    match rest.strip_prefix("::") {
        Some(below) => tree(below)
            .into_iter()
            .map(|path| [vec![name.to_owned()], path].concat())
            .collect(),
        None => vec![vec![name.to_owned()]],
    }
}

/// The items of a group up to its closing brace.
fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '}' if depth == 0 => break,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        items.last_mut().unwrap().push(c);
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

#[test]
fn use_trees_are_expanded() {
    let paths: Vec<String> = tree("a::{b, c::{self, d}, e as f};")
        .iter()
        .map(|path| path.join("::"))
        .collect();
    assert_eq!(paths, ["a::b", "a::c::self", "a::c::d", "a::e"]);
}
