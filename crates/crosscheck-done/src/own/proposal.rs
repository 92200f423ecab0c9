//! Commands that a project's own files name for tests, lint, types and build.
//! They are proposed to the person, who decides. What files of known names
//! mean is data: `patterns/proposals.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use crosscheck_core::files::read_regular;
use serde::Deserialize;

use crate::kind::Work;
use crate::observe::git::text_at;
use crate::runner::definition;

const MAX_BYTES: u64 = 1 << 20;

/// A command that may prove something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// What it proves.
    pub work: Work,
    /// The command.
    pub argv: Vec<String>,
    /// The file that names it.
    pub from: String,
}

#[derive(Deserialize)]
struct Known {
    names: BTreeMap<Work, Vec<String>>,
    row: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    file: String,
    #[serde(default)]
    holds: String,
    commands: BTreeMap<Work, String>,
}

/// What the files of a commit name.
pub fn at_commit(root: &Path, commit: &str) -> Vec<Proposal> {
    proposals(&|name: &str| text_at(root, commit, name))
}

/// What the files of a folder name now.
pub fn in_folder(root: &Path) -> Vec<Proposal> {
    proposals(&|name: &str| {
        let bytes = read_regular(&root.join(name), MAX_BYTES).ok()?;
        String::from_utf8(bytes).ok()
    })
}

fn proposals(read: &dyn Fn(&str) -> Option<String>) -> Vec<Proposal> {
    let known = toml::from_str(include_str!("../../patterns/proposals.toml"));
    let Ok(Known { names, row }) = known else {
        return Vec::new();
    };
    let of_path = |path: &Path| read(path.to_str()?);
    let task = |name: &String| {
        let (file, lines) = definition(name, Path::new(""), &of_path)?;
        let is_real = !lines.iter().any(|line| line.contains("no test specified"));
        let starter = match file {
            "package.json" => format!("{} run", manager(read)),
            "mise.toml" | ".mise.toml" => "mise run".to_owned(),
            "justfile" | "Justfile" => "just".to_owned(),
            _ => "make".to_owned(),
        };
        is_real.then(|| (file.to_owned(), format!("{starter} {name}")))
    };
    let fits = |row: &Row, work: Work| {
        let command = row.commands.get(&work)?;
        let text = read(&row.file).filter(|text| text.contains(&row.holds));
        let is_locked = row.file.starts_with("py") && read("uv.lock").is_some();
        let prefix = if is_locked { "uv run " } else { "" };
        text.map(|_| (row.file.clone(), format!("{prefix}{command}")))
    };
    let find = |(work, names): (&Work, &Vec<String>)| {
        let own = names.iter().find_map(task);
        let (from, line) = own.or_else(|| row.iter().find_map(|row| fits(row, *work)))?;
        Some(Proposal {
            work: *work,
            argv: line.split(' ').map(str::to_owned).collect(),
            from,
        })
    };
    let mut all: Vec<Proposal> = names.iter().filter_map(find).collect();
    all.sort_by_key(|one| (one.work == Work::Build, one.work));
    all
}

/// The package manager whose lock is there.
fn manager(read: &dyn Fn(&str) -> Option<String>) -> &'static str {
    let locks = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ];
    let lock = locks.iter().find(|(lock, _)| read(lock).is_some());
    lock.map_or("npm", |(_, manager)| manager)
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
