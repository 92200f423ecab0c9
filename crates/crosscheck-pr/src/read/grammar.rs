//! The grammar of claims: data in `grammar.toml`, built once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

const SOURCE: &str = include_str!("../../grammar.toml");

/// What can be said about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "the words of grammar.toml, with an example each"
)]
pub enum ClaimKind {
    FileCreated,
    /// As `FileCreated`, but "add `x`" may also mean an addition to `x`.
    FileAdded,
    /// As `FileCreated`, but "create `x`" may tell what a program does.
    FileMade,
    FileDeleted,
    FileRenamed,
    Touched,
    OnlyTouches,
    Untouched,
    TestsAdded,
    SymbolAdded,
    SymbolRemoved,
    SymbolRenamed,
    FilesChanged,
    FilesCreated,
    LinesAdded,
    LinesRemoved,
    CommitIncluded,
    CommitExists,
    ScriptExists,
    TestsPass,
    ChecksPass,
    /// Something that no other form of words reads.
    Unread,
}

#[derive(Deserialize)]
struct RawGrammar {
    extensions: String,
    known_files: String,
    products: String,
    not_plain: BTreeMap<String, String>,
    not_plain_behind: BTreeMap<String, String>,
    sections: RawSections,
    macros: BTreeMap<String, String>,
    classes: BTreeMap<String, String>,
    tests: BTreeMap<String, String>,
    frame: Vec<RawFrame>,
    list: Vec<RawList>,
}

#[derive(Deserialize)]
struct RawSections {
    skipped: String,
    recap: String,
    led: String,
}

#[derive(Deserialize)]
struct RawFrame {
    kind: ClaimKind,
    pattern: String,
    #[serde(default)]
    anywhere: bool,
    #[serde(default)]
    scope: Option<Scope>,
    #[cfg(test)]
    example: String,
    #[cfg(test)]
    reads: Vec<String>,
}

/// Where alone a frame counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// An item of a list, unless the line above is about something else than changes.
    Item,
}

#[derive(Deserialize)]
struct RawList {
    kind: ClaimKind,
    heading: String,
    #[cfg(test)]
    example: String,
    #[cfg(test)]
    reads: Vec<String>,
}

/// A form of words that states something.
pub(super) struct Frame {
    pub(super) kind: ClaimKind,
    pub(super) pattern: Regex,
    pub(super) scope: Option<Scope>,
    is_anywhere: bool,
}

impl Frame {
    /// The places where it is tried; one that may stand anywhere is searched for.
    pub(super) fn starts<'s>(&self, clauses: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        let count = if self.is_anywhere || self.scope.is_some() {
            1
        } else {
            clauses.len()
        };
        clauses.iter().copied().take(count)
    }
}

/// A heading above a list of files.
pub(super) struct ListHeading {
    pub(super) kind: ClaimKind,
    pub(super) heading: Regex,
}

pub(super) struct Grammar {
    pub(super) extensions: BTreeSet<String>,
    pub(super) known_files: BTreeSet<String>,
    pub(super) products: BTreeSet<String>,
    pub(super) not_plain: Vec<Regex>,
    pub(super) not_plain_behind: Vec<Regex>,
    pub(super) skipped_section: Regex,
    pub(super) recap_title: Regex,
    pub(super) led_by_path: Regex,
    pub(super) leading_paths: Regex,
    pub(super) frames: Vec<Frame>,
    pub(super) lists: Vec<ListHeading>,
    classes: BTreeMap<String, Regex>,
    tests: BTreeMap<String, Regex>,
}

pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let raw = raw();
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    let all = |table: &BTreeMap<String, String>| {
        table
            .values()
            .map(|form| built(&format!("(?i){form}")))
            .collect()
    };
    let by_name = |table: &BTreeMap<String, String>| {
        let one = |(name, form): (&String, &String)| (name.clone(), built(form));
        table.iter().map(one).collect::<BTreeMap<String, Regex>>()
    };
    let whole = |form: &str| built(&format!("(?i)^(?:{})$", expanded(form, &raw.macros)));
    Grammar {
        extensions: words(&raw.extensions),
        known_files: words(&raw.known_files),
        products: words(&raw.products),
        not_plain: all(&raw.not_plain),
        not_plain_behind: all(&raw.not_plain_behind),
        skipped_section: whole(&raw.sections.skipped),
        recap_title: whole(&raw.sections.recap),
        led_by_path: whole(&raw.sections.led),
        leading_paths: built(&expanded("^{paths}", &raw.macros)),
        frames: raw
            .frame
            .iter()
            .map(|frame| Frame {
                kind: frame.kind,
                pattern: built(&format!("(?i){}", expanded(&frame.pattern, &raw.macros))),
                scope: frame.scope,
                is_anywhere: frame.anywhere,
            })
            .collect(),
        lists: raw
            .list
            .iter()
            .map(|list| ListHeading {
                kind: list.kind,
                heading: whole(&list.heading),
            })
            .collect(),
        classes: by_name(&raw.classes),
        tests: by_name(&raw.tests),
    }
});

#[expect(
    clippy::expect_used,
    reason = "the data is part of the program, and a test reads all of it"
)]
fn raw() -> RawGrammar {
    toml::from_str(SOURCE).expect("grammar.toml is as the types say")
}

#[expect(
    clippy::expect_used,
    reason = "the data is part of the program, and a test builds all of it"
)]
fn built(form: &str) -> Regex {
    Regex::new(form).expect("every pattern of grammar.toml is a regular expression")
}

/// A pattern with its macros written out.
fn expanded(pattern: &str, macros: &BTreeMap<String, String>) -> String {
    let mut text = pattern.to_owned();
    for (name, form) in macros {
        text = text.replace(&format!("{{{name}}}"), form);
    }
    text
}

/// The paths of a class that a text names: `docs`, `tests`, `ci`, `dependencies`.
pub fn class_of(word: &str) -> Option<&'static Regex> {
    let name = match word {
        "docs" | "documentation" => "docs",
        "ci" | "ci configuration" | "workflows" => "ci",
        "test" | "tests" | "test files" => "tests",
        "dependencies" => "dependencies",
        word if word.starts_with("lock") => "dependencies",
        _ => return None,
    };
    GRAMMAR.classes.get(name)
}

/// Whether a line begins a test.
pub fn is_test_definition(line: &str) -> bool {
    is_match("definition", line)
}

/// Whether a line may make several tests of one definition.
pub fn shows_several_tests(line: &str) -> bool {
    is_match("several", line)
}

/// Whether a file may hold tests beside its code.
pub fn may_hold_tests(path: &str) -> bool {
    is_match("inline", path)
}

/// Whether a line or path has anything to do with tests.
pub fn shows_test(text: &str) -> bool {
    is_match("traces", text)
}

fn is_match(name: &str, text: &str) -> bool {
    let form = GRAMMAR.tests.get(name);
    form.is_some_and(|form| form.is_match(text))
}

/// Every example of the grammar with what is to be read from it.
#[cfg(test)]
pub(super) fn examples() -> Vec<(String, Vec<String>)> {
    let raw = raw();
    let frames = raw.frame.into_iter().map(|one| (one.example, one.reads));
    let lists = raw.list.into_iter().map(|one| (one.example, one.reads));
    frames.chain(lists).collect()
}
