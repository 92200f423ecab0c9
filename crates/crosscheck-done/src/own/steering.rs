//! Files that steer a command, as they were before the session.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crosscheck_core::files::read_regular;
use crosscheck_process::git::Git;

use super::OwnRuns;
use crate::kind::Work;
use crate::observe::files::settings_changed_at;
use crate::observe::git::text_at;
use crate::shell;

const TIME: Duration = Duration::from_secs(10);
const MAX_FILE: u64 = 4 << 20;
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
    files: Vec<(String, Option<String>)>,
}

impl Steered {
    /// `None` where a file that steers the command was written by the session,
    /// and no commit says how it was.
    pub(super) fn find(runs: &OwnRuns<'_>, argv: &[String]) -> Option<Self> {
        let is_steering = |path: &str| is_steering(runs, argv, path);
        let Some(base) = &runs.base else {
            let entries = std::fs::read_dir(runs.root).into_iter().flatten().flatten();
            let here = entries.map(|entry| entry.path());
            let scripts = scripts(runs, argv).into_iter();
            let is_new =
                |path: &PathBuf| runs.began.is_some() && settings_changed_at(path) >= runs.began;
            let mut changed = here
                .chain(scripts.map(|script| runs.root.join(script)))
                .filter(is_new)
                .chain(runs.written.iter().cloned());
            let is_free = changed.all(|path| {
                let below = path.strip_prefix(runs.root).ok().and_then(Path::to_str);
                !below.is_some_and(is_steering)
            });
            return is_free.then(Self::default);
        };
        let git = Git::without_filters(runs.root).within(TIME);
        let diff = git.ask(&[
            "diff",
            "--name-only",
            "--relative",
            "-z",
            "--no-renames",
            base,
        ]);
        let new = git.ask(&["ls-files", "--others", "--exclude-standard", "-z"]);
        let changed = diff.ok()? + &new.ok()?;
        let mut steered = Self::default();
        for path in changed.split('\0').filter(|path| is_steering(path)) {
            let before = text_at(runs.root, base, path);
            let now = read_regular(&runs.root.join(path), MAX_FILE).ok();
            let now = now.and_then(|bytes| String::from_utf8(bytes).ok());
            let wanted = mixed(path, before, now.as_deref());
            if wanted.as_deref() != now.as_deref() {
                steered.files.push((path.to_owned(), wanted));
            }
        }
        Some(steered)
    }

    /// The files, from the root, and what they held; `None` for one that was
    /// not there.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let files = self.files.iter();
        files.map(|(path, text)| (path.as_str(), text.as_deref()))
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.files.iter().map(|(path, _)| path.clone()).collect()
    }
}

/// Whether a file steers a command: one of the table, or a script that the
/// command runs.
fn is_steering(runs: &OwnRuns<'_>, argv: &[String], path: &str) -> bool {
    const WORKS: [Work; 4] = [Work::Tests, Work::Build, Work::Lint, Work::Types];
    let name = Path::new(path).file_name().and_then(|name| name.to_str());
    let task = ["task".to_owned()];
    let in_table = name.is_some_and(|name| runs.table.steers.words(&WORKS, name, &task).is_some());
    let is_run = scripts(runs, argv)
        .iter()
        .any(|script| Path::new(script.trim_start_matches("./")) == Path::new(path));
    !path.is_empty() && (in_table || is_run)
}

/// The scripts that a command runs; a file that a runner is given is none.
fn scripts(runs: &OwnRuns<'_>, argv: &[String]) -> Vec<String> {
    let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    let quoted: Vec<String> = argv.iter().map(quoted).collect();
    let line = shell::line(&quoted.join(" "));
    let segments = line.map(|line| line.segments).unwrap_or_default();
    let scripts = segments
        .iter()
        .filter_map(|segment| runs.table.tasks.script(&segment.run.words));
    scripts.cloned().collect()
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
                commands: std::collections::BTreeMap::new(),
                root: folder.path(),
                base: None,
                written: Vec::new(),
                began: Some(began),
                time: TIME,
                hidden: &[],
                table: &table,
                memory: None,
                seen: std::collections::BTreeMap::new(),
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
