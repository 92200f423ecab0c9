//! The pages of docs/contracts name the code, and comments cite the pages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::source::{crates, parts};

/// The pages by name.
fn pages() -> Vec<(String, String)> {
    let folder = crates().join("../docs/contracts");
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// Every source file, as a path below the crates.
fn sources() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = parts().into_iter().map(|(_, path)| path).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_source(path.to_str().unwrap()) {
                found.push(path.to_str().unwrap().replace("/src/", "/"));
            }
        }
    }
    found
}

fn is_source(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "rs")
}

#[test]
fn every_file_that_a_contract_names_exists() {
    let sources = sources();
    let mut missing = Vec::new();
    for (page, text) in pages() {
        for name in text.split('`').filter(|name| is_source(name)) {
            let end = name.replace("/src/", "/");
            let is_it = |path: &String| {
                let before = path.strip_suffix(&end); // `cli/…` is below crosscheck-cli
                before.is_some_and(|before| before.ends_with(['/', '-']))
            };
            if !sources.iter().any(is_it) {
                missing.push(format!("{page}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_rule_of_quick_that_a_comment_cites_is_on_its_page() {
    let pages = pages();
    let (_, page) = pages.iter().find(|(name, _)| name == "rows-quick").unwrap();
    let mut unknown = Vec::new();
    for path in sources().iter().filter(|path| path.contains("/quick/")) {
        let path = path.replace("crosscheck-rows/", "crosscheck-rows/src/");
        let text = fs::read_to_string(&path).unwrap();
        for word in text.split([' ', ',', ':', ';', ')', '\n']) {
            let rule = word.trim_end_matches('.');
            let is_rule = rule
                .strip_prefix("A.")
                .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
            let mut places = page.match_indices(rule);
            let is_whole = |(at, _): (usize, &str)| {
                !page[at + rule.len()..].starts_with(|c: char| c.is_ascii_digit())
            };
            if is_rule && !places.any(is_whole) {
                unknown.push(format!("{path}: {rule}"));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// Pages whose rules are numbered, the word of their citations, and where their files are.
const NUMBERED: [(&str, &str, &[&str]); 6] = [
    ("claims", "claims", &["crosscheck-claims/src"]),
    ("done", "done", &["crosscheck-done/src"]),
    ("rows", "rows", &["crosscheck-rows/src"]),
    (
        "rows-check",
        "check",
        &["crosscheck-rows/src/check", "crosscheck-rows/src"],
    ),
    (
        "sources",
        "sources",
        &["crosscheck-sources/src", "crosscheck-fetch/src"],
    ),
    ("trace", "trace", &["crosscheck-trace/src"]),
];

/// `**5.3 Masking** (`shell/flat.rs`, `judge/run.rs`). …`: the number and the files.
fn rule_of(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("**")?;
    let (title, rest) = rest.split_once("**")?;
    let (number, _) = title.split_once(' ')?;
    let (files, _) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    number.contains('.').then_some((number, files))
}

#[test]
fn the_files_that_a_numbered_rule_names_cite_it() {
    let pages = pages();
    let (mut silent, mut checked) = (Vec::new(), 0);
    for (name, word, folders) in NUMBERED {
        let (_, page) = pages.iter().find(|(page, _)| page == name).unwrap();
        for (number, files) in page.lines().filter_map(rule_of) {
            for file in files.split('`').filter(|name| is_source(name)) {
                let mut paths = folders
                    .iter()
                    .chain(&["."])
                    .map(|folder| crates().join(folder).join(file));
                let path = paths.find(|path| path.exists());
                let text =
                    fs::read_to_string(path.unwrap_or_else(|| panic!("{name}: {file}"))).unwrap();
                checked += 1;
                if !text.contains(&format!("{word} {number}")) {
                    silent.push(format!("{file}: {word} {number}"));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
    assert!(checked > 60, "{checked}");
}
