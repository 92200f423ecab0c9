//! Settings of checks that the session wrote and that leave something out.

use std::path::Path;

use super::Ground;
use super::run::{Shown, is_whole};
use super::script::{changes, script_of};
use crate::kind::Work;
use crate::read::session::Session;
use crate::shell;

/// Whether the session wrote settings of the check that leave something out.
pub(super) fn leave_out(shown: &Shown<'_>, session: &Session, ground: &Ground<'_>) -> bool {
    let works = &shown.candidate.found.work;
    let script = script_of(shown).filter(|_| works.contains(&Work::Tests));
    let mut left_out: Vec<&Path> = Vec::new();
    let edits = session.edits.iter();
    for edit in edits.filter(|edit| edit.done && shown.is_after(edit)) {
        let name = edit.path.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        let rows: Vec<_> = ground.table.settings(works, name).collect();
        let script = script
            .as_ref()
            .filter(|script| script.is_defined_in(&edit.path));
        if rows.is_empty() && script.is_none() {
            continue;
        }
        let texts = changes(edit, ground);
        let mut bodies = script.iter().flat_map(|script| {
            texts.iter().filter_map(|(old, new)| {
                let old = old.as_ref().and_then(|old| script.body(old));
                script.body(new).filter(|body| old.as_ref() != Some(body))
            })
        });
        if bodies.any(|body| runs_a_part(&body, ground)) {
            return true;
        }
        let count = |text: &String| -> usize {
            let each = rows.iter().map(|row| match row.work {
                Work::Lint => ignored_in(text, name),
                _ => left_out_in(text, &row.words, ground),
            });
            each.sum()
        };
        let was = texts.iter().filter_map(|(old, _)| old.as_ref()).map(count);
        let was = was.max().unwrap_or_default();
        let is = texts.iter().map(|(_, new)| count(new)).max();
        let is = is.unwrap_or_default();
        left_out.retain(|path| *path != edit.path || is >= was);
        if is > was {
            left_out.push(&edit.path);
        }
    }
    !left_out.is_empty()
}

/// Whether every run of tests in a script leaves something out.
fn runs_a_part(body: &str, ground: &Ground<'_>) -> bool {
    let segments = shell::line(body)
        .map(|line| line.segments)
        .unwrap_or_default();
    let found = segments
        .iter()
        .flat_map(|segment| ground.table.matches(&segment.run));
    let mut tests = found
        .filter(|found| found.work.contains(&Work::Tests))
        .peekable();
    tests.peek().is_some() && tests.all(|found| found.partial)
}

/// How many words of a text leave tests out; an option counts only where
/// options are given to the runner.
fn left_out_in(text: &str, words: &[String], ground: &Ground<'_>) -> usize {
    let built = ["node_modules", "dist", "build", ".next", "coverage"];
    let is_harmless = |behind: &str| {
        let listed = behind.split(']').next().unwrap_or_default();
        let listed = listed.rsplit('[').next().unwrap_or_default();
        let mut names = listed.split(',').filter(|name| !name.is_empty());
        names.all(|name| built.iter().any(|folder| name.contains(folder)))
    };
    // what is said of single modules is not a rule for all
    let general = text.split("[mypy-").next().unwrap_or(text);
    let general = general
        .split("[[tool.mypy.overrides")
        .next()
        .unwrap_or(text);
    let plain: String = general.chars().filter(|c| !c.is_whitespace()).collect();
    let options: Vec<&str> = text
        .split("addopts")
        .skip(1)
        .filter_map(|behind| behind.split("\n[").next())
        .flat_map(|behind| behind.split(|c: char| c.is_whitespace() || "\"'=[],".contains(c)))
        .collect();
    let counts = words.iter().map(|word| {
        if word.starts_with('-') {
            return options.iter().filter(|option| *option == word).count();
        }
        let is_list = word.ends_with('[') || word.ends_with("Patterns");
        let behind = plain.split(word.as_str()).skip(1);
        behind
            .filter(|behind| !is_list || !is_harmless(behind))
            .count()
    });
    let narrowed = words.iter().any(|word| word == "--deselect") && narrows(text, ground);
    counts.sum::<usize>() + usize::from(narrowed)
}

/// Whether settings of pytest look for tests in a part of the folders that
/// hold some, or by names that no test has.
fn narrows(text: &str, ground: &Ground<'_>) -> bool {
    let listed = |key: &str| -> Vec<&str> {
        let mut lines = text.lines().skip_while(|line| !is_key(line, key));
        let first = lines.next().and_then(|line| line.split_once('='));
        let below = lines.take_while(|line| line.starts_with([' ', '\t', ']']));
        let words = first.map(|(_, value)| value).into_iter().chain(below);
        let words = words.flat_map(|line| line.split([' ', '\t', '"', '\'', ',', '[', ']']));
        words.filter(|word| !word.is_empty()).collect()
    };
    let folders = listed("testpaths");
    let paths: Vec<_> = folders
        .iter()
        .map(|folder| ground.places.absolute(&ground.places.root, folder))
        .collect();
    let is_some = !folders.iter().all(|folder| is_whole(folder));
    let names = ["python_files", "python_functions", "python_classes"];
    let is_odd = |key: &&str| {
        let names = listed(key);
        let mut lower = names.iter().map(|name| name.to_lowercase());
        !names.is_empty() && !lower.any(|name| name.contains("test") || name.contains("spec"))
    };
    is_some && !ground.layout.covers_tests(&paths) || names.iter().any(is_odd)
}

fn is_key(line: &str, key: &str) -> bool {
    let rest = line.trim_start().strip_prefix(key);
    rest.is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// How many sources settings of a linter leave out, all of a folder at once.
fn ignored_in(text: &str, file: &str) -> usize {
    const SOURCES: [&str; 6] = ["", "src", "lib", "app", "source", "packages"];
    let lists: Vec<&str> = if file.starts_with(".eslintignore") {
        vec![text]
    } else {
        let behind = ["ignores", "ignorePatterns", "exclude", "ignore"];
        let behind = behind.iter().flat_map(|key| text.split(key).skip(1));
        behind
            .filter_map(|behind| behind.split([']', '}', '\n']).next())
            .collect()
    };
    let words = lists
        .iter()
        .flat_map(|list| list.split([' ', '\t', '\n', '"', '\'', ',', '[', '=', ':']));
    let words = words.filter(|word| !word.is_empty());
    words
        .filter(|word| SOURCES.contains(&word.trim_matches(['.', '/', '*'])))
        .count()
}
