//! Files that steer a command, as they were before the session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crosscheck_core::files::read_regular;
use crosscheck_process::git::Git;

use super::OwnRuns;
use crate::kind::Work;
use crate::observe::files::settings_changed_at;
use crate::observe::git::text_at;
use crate::place::clean;
use crate::runner::{definition, task_names};
use crate::shell;

const TIME: Duration = Duration::from_secs(10);
const MAX_FILE: u64 = 4 << 20;
/// So many scripts of one command are followed.
const MAX_SCRIPTS: usize = 256;
/// Keys of `package.json` that steer checks; the others are the session's.
const PACKAGE_KEYS: [&str; 9] = [
    "scripts",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "nyc",
    "eslintConfig",
    "prettier",
    "type",
];
/// Sections of other manifests that steer checks, by how they begin.
const SECTIONS: [&str; 14] = [
    "tool.pytest",
    "tool.ruff",
    "tool.mypy",
    "tool.tox",
    "tool.poe",
    "tool.coverage",
    "tool.pyright",
    "tool.pylint",
    "tool:pytest",
    "flake8",
    "mypy",
    "lints",
    "profile",
    "lib",
];

/// The files that a run takes from the commit before the session.
#[derive(Debug, Default)]
pub(super) struct Steered {
    files: BTreeMap<String, Option<Before>>,
}

/// A file as a run takes it.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) text: String,
    pub(super) is_program: bool,
}

impl Steered {
    /// `None` where a file that steers the command was written by the session,
    /// and no commit says how it was.
    pub(super) fn find(runs: &OwnRuns<'_>, argv: &[String]) -> Option<Self> {
        let Some(base) = &runs.base else {
            return is_free(runs, argv).then(Self::default);
        };
        let tree = Tree::at(runs.root, base)?;
        let mut named = scripts(runs, argv, &|name| tree.text(name));
        // `unittest.py` in the root is found before the module of that name
        let modules = argv
            .windows(2)
            .filter(|pair| pair.first().is_some_and(|flag| flag == "-m"));
        for word in modules.filter_map(|pair| pair.get(1)) {
            let folder = Path::new(word.as_str());
            let mut known = tree.files.keys();
            let is_new = !known.any(|file| Path::new(file).starts_with(folder));
            if is_new && runs.root.join(folder).is_dir() {
                return None;
            }
            named.insert(format!("{word}.py"));
        }
        let mut steered = Self::default();
        for path in tree.candidates(runs.root, &named)? {
            if !is_steering(runs, &named, &path) {
                continue;
            }
            let before = tree.text(&path);
            let now = now(runs.root, &path);
            if before.is_none() && now.is_none() {
                continue;
            }
            let is_recipe = before.as_deref().is_none_or(|text| is_recipe(&path, text));
            let is_work = named.contains(&path) && !is_recipe;
            let wanted = mixed(&path, before, now.as_deref());
            if wanted == now {
                continue;
            }
            // a program that the recipe starts may be the work itself: the old
            // one would show nothing of it
            if is_work {
                return None;
            }
            let is_program = tree.files.get(&path).copied().unwrap_or_default();
            let before = wanted.map(|text| Before { text, is_program });
            steered.files.insert(path, before);
        }
        Some(steered)
    }

    /// The files, from the root, and how they were; `None` for one that was
    /// not there.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, Option<&Before>)> {
        let files = self.files.iter();
        files.map(|(path, before)| (path.as_str(), before.as_ref()))
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }
}

/// What a file holds now; a link, a folder or bytes that are no text count as
/// a file that is not there.
fn now(root: &Path, path: &str) -> Option<String> {
    let file = root.join(path);
    let is_there = std::fs::symlink_metadata(&file).is_ok();
    let bytes = read_regular(&file, MAX_FILE).ok();
    let bytes = bytes.filter(|_| !file.is_symlink());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    // what is there and cannot be read differs from every text
    text.or_else(|| is_there.then(|| "\0".to_owned()))
}

/// Whether none of the files that steer a command is of the session.
fn is_free(runs: &OwnRuns<'_>, argv: &[String]) -> bool {
    let read = |name: &str| now(runs.root, name);
    let named = scripts(runs, argv, &read);
    let entries = std::fs::read_dir(runs.root).into_iter().flatten().flatten();
    let here = entries.map(|entry| entry.path());
    let is_new = |path: &PathBuf| runs.began.is_some() && settings_changed_at(path) >= runs.began;
    let mut changed = here
        .chain(named.iter().map(|script| runs.root.join(script)))
        .filter(is_new)
        .chain(runs.written.iter().cloned());
    changed.all(|path| {
        let below = path.strip_prefix(runs.root).ok().and_then(Path::to_str);
        !below.is_some_and(|path| is_steering(runs, &named, path))
    })
}

/// The files of a commit. Neither the index nor what git ignores is asked: the
/// session can write both.
struct Tree<'t> {
    root: &'t Path,
    commit: &'t str,
    /// From the root, and whether one is a program.
    files: BTreeMap<String, bool>,
}

impl<'t> Tree<'t> {
    fn at(root: &'t Path, commit: &'t str) -> Option<Self> {
        let git = Git::without_filters(root).within(TIME);
        let text = git.ask(&["ls-tree", "-r", "-z", commit]).ok()?;
        let entries = text.split('\0').filter_map(|line| {
            let (kind, path) = line.split_once('\t')?;
            Some((path.to_owned(), kind.starts_with("100755")))
        });
        Some(Self {
            root,
            commit,
            files: entries.collect(),
        })
    }

    fn text(&self, name: &str) -> Option<String> {
        let name = self.files.contains_key(name).then_some(name)?;
        text_at(self.root, self.commit, name)
    }

    /// Files that may steer: those of the commit, those that the recipe names,
    /// and what lies beside them now. A new folder steers only itself, unless
    /// it is a hidden one, where tools look for settings. `None` where a
    /// folder of the commit is a link now.
    fn candidates(&self, root: &Path, named: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        let mut found: BTreeSet<String> = self.files.keys().chain(named).cloned().collect();
        let mut folders: BTreeSet<&Path> = BTreeSet::from([Path::new("")]);
        for file in self.files.keys() {
            folders.extend(Path::new(file).ancestors().skip(1));
        }
        for folder in folders {
            let path = root.join(folder);
            if path.is_symlink() {
                return None;
            }
            for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let is_hidden = name
                    .to_str()
                    .is_some_and(|name| name.starts_with('.') && !crate::relevance::is_built(name));
                let inner = (is_folder && is_hidden).then(|| std::fs::read_dir(entry.path()));
                let inner = inner.and_then(Result::ok).into_iter().flatten().flatten();
                let inner = inner.map(|inner| folder.join(&name).join(inner.file_name()));
                let own = (!is_folder).then(|| folder.join(&name));
                let paths = own.into_iter().chain(inner);
                found.extend(paths.filter_map(|path| path.to_str().map(str::to_owned)));
            }
        }
        Some(found)
    }
}

/// Whether a file steers a command: one of the table, or one that the command
/// or its recipe runs.
fn is_steering(runs: &OwnRuns<'_>, named: &BTreeSet<String>, path: &str) -> bool {
    const WORKS: [Work; 4] = [Work::Tests, Work::Build, Work::Lint, Work::Types];
    let name = Path::new(path).file_name().and_then(|name| name.to_str());
    let task = ["task".to_owned()];
    let in_table = name.is_some_and(|name| runs.table.steers.words(&WORKS, name, &task).is_some());
    !path.is_empty() && (in_table || named.contains(path))
}

/// The files that a command runs: scripts, those of the recipe of a task, and
/// those that they run or include in turn. A file that a runner is given is
/// none.
fn scripts(
    runs: &OwnRuns<'_>,
    argv: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    let quoted: Vec<String> = argv.iter().map(quoted).collect();
    let mut waiting = vec![quoted.join(" ")];
    let mut named: BTreeSet<String> = included(read);
    let mut tasks: BTreeSet<String> = BTreeSet::new();
    while let Some(text) = waiting.pop() {
        let line = shell::line(&text);
        let segments = line.map(|line| line.segments).unwrap_or_default();
        for segment in &segments {
            for task in task_names(&segment.run) {
                let of_root = |path: &Path| read(path.to_str()?);
                let known = definition(task, Path::new(""), &of_root);
                let is_new = tasks.len() < MAX_SCRIPTS && tasks.insert(task.to_owned());
                if let Some((_, lines)) = known.filter(|_| is_new) {
                    waiting.push(recipe(&lines));
                }
            }
            let Some(script) = runs.table.tasks.script(&segment.run.words) else {
                continue;
            };
            let folder = segment.dir.as_deref().unwrap_or_default();
            let Some(script) = plain(&Path::new(folder).join(script)) else {
                continue;
            };
            if named.len() >= MAX_SCRIPTS || !named.insert(script.clone()) {
                continue;
            }
            waiting.extend(read(&script).filter(|text| is_recipe(&script, text)));
        }
    }
    named
}

/// A path below the root; `None` for one that leads out of it.
fn plain(path: &Path) -> Option<String> {
    let goes_out = |part| matches!(part, Component::ParentDir | Component::RootDir);
    let path = (!path.components().any(goes_out)).then(|| clean(path))?;
    path.to_str().map(str::to_owned)
}

/// The lines of a recipe without the marks that hide or ignore one.
fn recipe(lines: &[String]) -> String {
    let plain = lines
        .iter()
        .map(|line| line.trim().trim_start_matches(['@', '-', '+']));
    plain.collect::<Vec<_>>().join("\n").replace("\\\n", " ")
}

/// Files that the files of tasks include.
fn included(read: &dyn Fn(&str) -> Option<String>) -> BTreeSet<String> {
    const FILES: [&str; 5] = [
        "Makefile",
        "makefile",
        "GNUmakefile",
        "justfile",
        "Justfile",
    ];
    const WORDS: [&str; 4] = ["include", "-include", "sinclude", "import"];
    let mut found = BTreeSet::new();
    let mut waiting: Vec<String> = FILES.map(str::to_owned).into();
    while let Some(text) = waiting.pop().map(|file| read(&file).unwrap_or_default()) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if !words
                .next()
                .is_some_and(|word| WORDS.contains(&word.trim_end_matches('?')))
            {
                continue;
            }
            for word in words {
                let path = plain(Path::new(word.trim_matches(['\'', '"'])));
                if let Some(path) = path.filter(|path| found.insert(path.clone())) {
                    waiting.push(path);
                }
            }
        }
    }
    found
}

/// Whether a file holds lines of a shell or of a tool for tasks, by its name
/// and its first line.
fn is_recipe(path: &str, text: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|end| end.to_str());
    let first = text.lines().next().unwrap_or_default();
    match extension {
        Some(end) => matches!(end, "sh" | "bash" | "zsh" | "ksh" | "mk" | "just"),
        None => !first.starts_with("#!") || first.contains("sh"),
    }
}

/// Of a manifest only the parts that steer are the old ones: a dependency that
/// the session added is needed.
fn mixed(path: &str, before: Option<String>, now: Option<&str>) -> Option<String> {
    let (Some(old), Some(now)) = (&before, now) else {
        return before;
    };
    let name = PathBuf::from(path);
    match name.file_name().and_then(|name| name.to_str()) {
        Some("package.json") => package(old, now).or(before),
        Some("pyproject.toml" | "setup.cfg" | "Cargo.toml") => Some(sections(old, now)),
        _ => before,
    }
}

fn package(old: &str, now: &str) -> Option<String> {
    let old: serde_json::Value = serde_json::from_str(old).ok()?;
    let mut new: serde_json::Value = serde_json::from_str(now).ok()?;
    let members = new.as_object_mut()?;
    let mut is_same = true;
    for key in PACKAGE_KEYS {
        is_same &= members.get(key) == old.get(key);
        match old.get(key) {
            Some(value) => members.insert(key.to_owned(), value.clone()),
            None => members.remove(key),
        };
    }
    if is_same {
        return Some(now.to_owned());
    }
    serde_json::to_string_pretty(&new).ok()
}

/// The sections of a file, each with its header.
fn cut(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = vec![(String::new(), String::new())];
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') {
            let header = line.trim().trim_matches(['[', ']']).trim().to_owned();
            all.push((header, String::new()));
        }
        if let Some((_, body)) = all.last_mut() {
            body.push_str(line);
        }
    }
    all
}

fn sections(old: &str, now: &str) -> String {
    let steers = |(header, _): &&(String, String)| {
        SECTIONS.iter().any(|section| header.starts_with(section))
    };
    let (old, now) = (cut(old), cut(now));
    let text = |all: &[&(String, String)]| {
        let bodies = all.iter().map(|(_, body)| body.trim_end());
        bodies.collect::<Vec<_>>().join("\n\n")
    };
    let (before, after): (Vec<_>, Vec<_>) = (
        old.iter().filter(steers).collect(),
        now.iter().filter(steers).collect(),
    );
    if text(&before) == text(&after) {
        return now.iter().map(|(_, body)| body.as_str()).collect();
    }
    let kept: Vec<_> = now
        .iter()
        .filter(|one| !steers(one))
        .chain(before)
        .collect();
    text(&kept) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_manifest_only_what_steers_is_old() {
        let old = "[project]\nname = 'a'\n[tool.pytest.ini_options]\naddopts = '-q'\n";
        let now = "[project]\nname = 'a'\ndependencies = ['x']\n[tool.pytest.ini_options]\naddopts = '--co'\n";
        let mixed = sections(old, now);
        assert!(
            mixed.contains("dependencies") && mixed.contains("'-q'"),
            "{mixed}"
        );
        assert!(!mixed.contains("--co"), "{mixed}");
        let same = "[project]\nname = 'b'\n[tool.pytest.ini_options]\naddopts = '-q'\n";
        assert_eq!(sections(old, same), same);

        let old = r#"{"scripts":{"test":"jest"},"dependencies":{}}"#;
        let now = r#"{"scripts":{"test":"true"},"dependencies":{"x":"1"},"jest":{"testMatch":[]}}"#;
        let value: serde_json::Value = serde_json::from_str(&package(old, now).unwrap()).unwrap();
        assert_eq!(value["scripts"]["test"], "jest");
        assert_eq!(value["dependencies"]["x"], "1");
        assert!(value.get("jest").is_none());
    }

    #[test]
    fn a_file_that_steers_and_changed_without_a_commit_leaves_no_command() {
        let folder = tempfile::tempdir().unwrap();
        let makefile = folder.path().join("Makefile");
        crosscheck_core::files::write_atomic(&makefile, b"test:\n\ttrue\n").unwrap();
        let table = crate::runner::Table::new(&[]).unwrap();
        let find = |began: i64, command: &[&str]| {
            let runs = OwnRuns {
                commands: BTreeMap::new(),
                root: folder.path(),
                base: None,
                written: Vec::new(),
                began: Some(began),
                time: TIME,
                hidden: &[],
                table: &table,
                memory: None,
                seen: BTreeMap::new(),
            };
            let argv: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            Steered::find(&runs, &argv).is_some()
        };
        for command in [&["make", "test"][..], &["sh", "-c", "make test"]] {
            assert!(!find(0, command), "{command:?}");
            assert!(find(i64::MAX, command), "{command:?}");
        }
    }
}
