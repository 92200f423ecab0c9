//! Whether a name is in the code.

use std::path::{Path, PathBuf};

use crosscheck_core::files::Root;

use super::files::{Found, MAX_FILES, find, walk};
use super::{confirmed, refuted, undecided};
use crate::claim::listed;
use crate::kind::ClaimKind;
use crate::opinion::{Opinion, Trace};
use crate::place::Places;
use crate::reasons::DoneReason;
use crate::relevance::is_prose;

/// Longer files are not searched.
const MAX_BYTES: u64 = 2 << 20;

/// Looks for `name@file`, or `name` in all files. `removed_here` says that the
/// session took the name out of the named file.
pub fn look(
    kind: ClaimKind,
    subject: &str,
    places: &Places,
    from: &[PathBuf],
    removed_here: bool,
) -> Opinion {
    let (name, file) = subject
        .split_once('@')
        .map_or((subject, None), |(name, file)| (name, Some(file)));
    let Ok(root) = Root::new(&places.root) else {
        return undecided(DoneReason::Unreadable);
    };
    let Some(file) = file else {
        return everywhere(kind, name, places, &root);
    };
    match find(file, places, from) {
        Found::There(path, _) => in_file(kind, name, &path, places, &root, removed_here),
        Found::Nowhere if kind == ClaimKind::SymbolRemoved => confirmed(DoneReason::SymbolAbsent),
        Found::Nowhere => refuted(DoneReason::SymbolAbsent).with(Trace::file(file, "not there")),
        Found::Outside | Found::Foreign => undecided(DoneReason::OutsideRoot),
        Found::Hidden(_) => undecided(DoneReason::Unreadable),
    }
}

fn in_file(
    kind: ClaimKind,
    name: &str,
    path: &Path,
    places: &Places,
    root: &Root,
    removed_here: bool,
) -> Opinion {
    let Some(text) = text_of(root, path) else {
        return undecided(DoneReason::Unreadable);
    };
    let shown = places.shown(path);
    let trace = |found: String| Trace::file(&shown, &found);
    let is_said = || line_of(&text, name);
    let line = match kind {
        ClaimKind::SymbolAdded if is_prose(path) => is_said(),
        _ => line_of(&code_only(&text, path), name),
    };
    match (kind, line) {
        // a comment that speaks of it is no function
        (ClaimKind::SymbolAdded, None) if is_said().is_some() => {
            undecided(DoneReason::SymbolAmbiguous).with(trace("only in a comment".to_owned()))
        }
        (ClaimKind::SymbolRemoved, None) => {
            confirmed(DoneReason::SymbolAbsent).with(trace(format!("no `{name}`")))
        }
        // some of it was taken out; what is left may be another use
        (ClaimKind::SymbolRemoved, Some(_)) if removed_here => {
            undecided(DoneReason::SymbolAmbiguous)
        }
        (ClaimKind::SymbolRemoved, Some(line)) => {
            refuted(DoneReason::SymbolPresent).with(trace(format!("`{name}` in line {line}")))
        }
        (_, Some(line)) => {
            confirmed(DoneReason::SymbolPresent).with(trace(format!("`{name}` in line {line}")))
        }
        (_, None) => match search(name, places, root) {
            Search::At(..) | Search::TooMany => undecided(DoneReason::SymbolAmbiguous),
            Search::Nowhere => {
                refuted(DoneReason::SymbolAbsent).with(trace(format!("no `{name}`")))
            }
        },
    }
}

fn everywhere(kind: ClaimKind, name: &str, places: &Places, root: &Root) -> Opinion {
    match (kind, search(name, places, root)) {
        (_, Search::TooMany) => undecided(DoneReason::SymbolAmbiguous),
        (ClaimKind::SymbolRemoved, Search::Nowhere) => confirmed(DoneReason::SymbolAbsent),
        // a use that is left over is not a definition
        (ClaimKind::SymbolRemoved, Search::At(path, line, true)) => {
            let found = format!("`{name}` is defined in line {line}");
            refuted(DoneReason::SymbolPresent).with(Trace::file(&path, &found))
        }
        (ClaimKind::SymbolRemoved, Search::At(..)) => undecided(DoneReason::SymbolAmbiguous),
        (_, Search::At(path, line, _)) => {
            let found = format!("`{name}` in line {line}");
            confirmed(DoneReason::SymbolPresent).with(Trace::file(&path, &found))
        }
        (_, Search::Nowhere) => refuted(DoneReason::SymbolAbsent),
    }
}

enum Search {
    /// The file, the line, and whether it is defined there.
    At(String, usize, bool),
    Nowhere,
    TooMany,
}

fn search(name: &str, places: &Places, root: &Root) -> Search {
    let mut first = None;
    let mut count = 0;
    for entry in walk(&places.root).filter(|entry| entry.file_type().is_file()) {
        count += 1;
        if count > MAX_FILES {
            return Search::TooMany;
        }
        let Some(text) = text_of(root, entry.path()) else {
            continue;
        };
        let code = code_only(&text, entry.path());
        if let Some(line) = line_of(&code, name) {
            let shown = places.shown(entry.path());
            if let Some(at) = definition(&code, name) {
                return Search::At(shown, at, true);
            }
            first = first.or(Some((shown, line)));
        }
    }
    match first {
        Some((path, line)) => Search::At(path, line, false),
        None => Search::Nowhere,
    }
}

fn text_of(root: &Root, path: &Path) -> Option<String> {
    let bytes = root.read(path, MAX_BYTES).ok()?;
    if memchr::memchr(0, bytes.get(..bytes.len().min(8192))?).is_some() {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A text without the lines that are comments, and nothing of prose.
fn code_only(text: &str, path: &Path) -> String {
    if is_prose(path) {
        return String::new();
    }
    let is_comment = |line: &str| {
        let line = line.trim_start();
        ["//", "# ", "#!", "* ", "/*", "-- ", ";", "<!--", "\"\"\""]
            .iter()
            .any(|begin| line.starts_with(begin))
            || line == "#"
            || line == "*"
    };
    let lines = text.lines().map(|line| {
        if is_comment(line) {
            ""
        } else {
            before_comment(line)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn before_comment(line: &str) -> &str {
    for mark in [" // ", " # ", " -- "] {
        if let Some((code, _)) = line.split_once(mark) {
            return code;
        }
    }
    line
}

/// The first line that has a name as a whole word, from 1. Of `a.b` and `a::b`
/// the last part will do.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let find = |word: &str| {
        text.lines()
            .position(|line| has_word(line, word))
            .map(|at| at + 1)
    };
    find(name).or_else(|| find(last).filter(|_| last != name))
}

fn has_word(line: &str, word: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The line in which a name is defined.
fn definition(code: &str, name: &str) -> Option<usize> {
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    code.lines()
        .position(|line| {
            has_word(line, last) && {
                let before = line.split(last).next().unwrap_or_default().trim_end();
                let word = before
                    .rsplit(|c: char| c.is_whitespace())
                    .next()
                    .unwrap_or_default();
                listed("definitions", word)
                    || (before.is_empty()
                        && line.trim_start().strip_prefix(last).is_some_and(|rest| {
                            rest.trim_start().starts_with('=')
                                && !rest.trim_start().starts_with("==")
                        }))
            }
        })
        .map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_whole_word() {
        assert!(has_word("def parse_row(x):", "parse_row"));
        assert!(!has_word("def parse_rows(x):", "parse_row"));
        assert_eq!(line_of("a\nx.parse_row()", "Tok.parse_row"), Some(2));
    }

    #[test]
    fn comments_and_prose_are_no_code() {
        let text = "# parse_row is gone\nx = 1  # parse_row\n";
        assert_eq!(
            line_of(&code_only(text, Path::new("a.py")), "parse_row"),
            None
        );
        assert_eq!(code_only("parse_row", Path::new("a.md")), "");
        assert_eq!(definition("x\nfn parse_row() {}", "parse_row"), Some(2));
        assert_eq!(definition("parse_row();", "parse_row"), None);
    }
}
