//! Commands that a project's own files name for tests, lint, types and build.
//! They are proposed to the person, who decides.

use std::path::Path;
use std::time::Duration;

use crosscheck_core::files::read_regular;
use crosscheck_process::git::Git;

use crate::kind::Work;

const MAX_BYTES: u64 = 1 << 20;
const TIME: Duration = Duration::from_secs(10);
/// What is proposed, in this order.
const WORKS: [Work; 4] = [Work::Tests, Work::Lint, Work::Types, Work::Build];

/// A command that may prove something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What it proves.
    pub work: Work,
    /// The command.
    pub argv: Vec<String>,
    /// The file that names it.
    pub from: &'static str,
}

/// What the files of a commit name.
pub fn at_commit(root: &Path, commit: &str) -> Vec<Proposal> {
    let git = Git::without_filters(root).within(TIME);
    let read = |name: &str| {
        git.ask(&[
            "show",
            "--no-ext-diff",
            "--no-textconv",
            &format!("{commit}:./{name}"),
        ])
        .ok()
    };
    proposals(&read)
}

/// What the files of a folder name now.
pub fn in_folder(root: &Path) -> Vec<Proposal> {
    let read = |name: &str| {
        let bytes = read_regular(&root.join(name), MAX_BYTES).ok()?;
        String::from_utf8(bytes).ok()
    };
    proposals(&read)
}

type Read<'r> = &'r dyn Fn(&str) -> Option<String>;

/// The command that a file names for a kind of work.
type CommandOf = fn(Read<'_>, Work) -> Option<String>;

fn proposals(read: Read<'_>) -> Vec<Proposal> {
    let sources: [(&'static str, CommandOf); 8] = [
        ("package.json", package),
        ("Makefile", makefile),
        ("justfile", justfile),
        ("mise.toml", mise),
        ("Cargo.toml", cargo),
        ("go.mod", go),
        ("pyproject.toml", python),
        ("tox.ini", tox),
    ];
    let find = |work: Work| {
        sources.iter().find_map(|(from, command)| {
            let line = command(read, work)?;
            Some(Proposal {
                work,
                argv: line.split(' ').map(str::to_owned).collect(),
                from,
            })
        })
    };
    WORKS.into_iter().filter_map(find).collect()
}

/// Names that tasks have, by what they do.
const fn task_names(work: Work) -> &'static [&'static str] {
    match work {
        Work::Tests => &["test", "tests"],
        Work::Lint => &["lint"],
        Work::Types => &["typecheck", "type-check", "types"],
        Work::Build => &["build"],
        Work::Checks | Work::Deploy | Work::Git | Work::Exec => &[],
    }
}

fn package(read: Read<'_>, work: Work) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_str(&read("package.json")?).ok()?;
    let scripts = manifest.get("scripts")?;
    let is_real = |name: &&&str| {
        let body = scripts.get(**name).and_then(|body| body.as_str());
        body.is_some_and(|body| !body.contains("no test specified"))
    };
    let name = task_names(work).iter().find(is_real)?;
    let locks = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ];
    let lock = locks.iter().find(|(lock, _)| read(lock).is_some());
    let manager = lock.map_or("npm", |(_, manager)| manager);
    Some(format!("{manager} run {name}"))
}

/// A line that begins a target of this name.
fn target(text: &str, work: Work, is_one: impl Fn(&str, &str) -> bool) -> Option<&'static str> {
    let names = task_names(work).iter();
    names
        .copied()
        .find(|name| text.lines().any(|line| is_one(line, name)))
}

fn makefile(read: Read<'_>, work: Work) -> Option<String> {
    let text = read("Makefile")?;
    let name = target(&text, work, |line, name| {
        line.strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    })?;
    Some(format!("make {name}"))
}

fn justfile(read: Read<'_>, work: Work) -> Option<String> {
    let text = read("justfile").or_else(|| read("Justfile"))?;
    let name = target(&text, work, |line, name| {
        let rest = line.strip_prefix('@').unwrap_or(line).strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([':', ' ']) && rest.contains(':'))
    })?;
    Some(format!("just {name}"))
}

fn mise(read: Read<'_>, work: Work) -> Option<String> {
    let text = read("mise.toml").or_else(|| read(".mise.toml"))?;
    let table: toml::Table = text.parse().ok()?;
    let tasks = table.get("tasks")?.as_table()?;
    let name = task_names(work)
        .iter()
        .find(|name| tasks.contains_key(**name))?;
    Some(format!("mise run {name}"))
}

fn cargo(read: Read<'_>, work: Work) -> Option<String> {
    let manifest = read("Cargo.toml")?;
    let whole = if manifest.contains("[workspace]") {
        " --workspace"
    } else {
        ""
    };
    let command = match work {
        Work::Tests => "test",
        Work::Build => "build",
        Work::Lint => "clippy",
        Work::Types => "check",
        Work::Checks | Work::Deploy | Work::Git | Work::Exec => return None,
    };
    Some(format!("cargo {command}{whole}"))
}

fn go(read: Read<'_>, work: Work) -> Option<String> {
    read("go.mod")?;
    let command = match work {
        Work::Tests => "test",
        Work::Build | Work::Types => "build",
        Work::Lint => "vet",
        Work::Checks | Work::Deploy | Work::Git | Work::Exec => return None,
    };
    Some(format!("go {command} ./..."))
}

fn python(read: Read<'_>, work: Work) -> Option<String> {
    let manifest = read("pyproject.toml").unwrap_or_default();
    let has = |word: &str| manifest.contains(word);
    let command = match work {
        Work::Tests if has("pytest") || read("pytest.ini").is_some() => "python -m pytest",
        Work::Lint if has("[tool.ruff") || read("ruff.toml").is_some() => "ruff check .",
        Work::Types if has("[tool.mypy") || read("mypy.ini").is_some() => "mypy .",
        Work::Types if has("[tool.pyright") => "pyright",
        _ => return None,
    };
    let is_uv = read("uv.lock").is_some();
    Some(if is_uv {
        format!("uv run {command}")
    } else {
        command.to_owned()
    })
}

fn tox(read: Read<'_>, work: Work) -> Option<String> {
    let is_tests = work == Work::Tests;
    let command = if read("tox.ini").is_some() {
        "tox"
    } else {
        read("noxfile.py").map(|_| "nox")?
    };
    is_tests.then(|| command.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_project_name_its_commands() {
        type Files = &'static [(&'static str, &'static str)];
        let cases: &[(Files, &[&str])] = &[
            (&[], &[]),
            (
                &[
                    (
                        "package.json",
                        r#"{"scripts":{"test":"vitest run","lint":"eslint ."}}"#,
                    ),
                    ("pnpm-lock.yaml", ""),
                ],
                &["pnpm run test", "pnpm run lint"],
            ),
            (
                &[(
                    "package.json",
                    r#"{"scripts":{"test":"echo \"no test specified\""}}"#,
                )],
                &[],
            ),
            (
                &[("Makefile", "test:\n\tpytest\nbuild := x\n")],
                &["make test"],
            ),
            (
                &[("justfile", "@test *args:\n  pytest\nlint: fmt\n")],
                &["just test", "just lint"],
            ),
            (
                &[("mise.toml", "[tasks.lint]\nrun = 'x'\n")],
                &["mise run lint"],
            ),
            (
                &[("Cargo.toml", "[package]\n")],
                &["cargo test", "cargo clippy", "cargo check", "cargo build"],
            ),
            (
                &[("go.mod", "module x\n")],
                &[
                    "go test ./...",
                    "go vet ./...",
                    "go build ./...",
                    "go build ./...",
                ],
            ),
            (
                &[
                    ("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n"),
                    ("uv.lock", ""),
                ],
                &["uv run python -m pytest", "uv run ruff check ."],
            ),
            (&[("tox.ini", "[tox]\n")], &["tox"]),
        ];
        for (files, expected) in cases {
            let read = |name: &str| {
                let found = files.iter().find(|(file, _)| *file == name);
                found.map(|(_, text)| (*text).to_owned())
            };
            let found: Vec<String> = proposals(&read)
                .iter()
                .map(|one| one.argv.join(" "))
                .collect();
            assert_eq!(found, *expected, "{files:?}");
        }
    }
}
