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
            if !sources.iter().any(|path| path.ends_with(&end)) {
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
        let text = fs::read_to_string(&path).unwrap_or_default();
        for word in text.split([' ', ',', ':', ';', ')', '\n']) {
            let rule = word.trim_end_matches('.');
            let is_rule = rule
                .strip_prefix("A.")
                .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
            if is_rule && !page.contains(rule) {
                unknown.push(format!("{path}: {rule}"));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}
