//! Tasks of a project: `mise run lint`, `npm run check`, `nx run web:test`.
//! What a task does is written in a file of the project; where that cannot be
//! followed, its name says it.

use std::path::Path;

use crate::kind::Work;
use crate::shell::{self, Standing, Stripped};

use super::script::CHECKS;
use super::table::Table;

/// Definitions call each other at most so deep.
const MAX_DEPTH: usize = 5;

/// The tasks that a command starts, by their names.
pub(crate) fn names(run: &Stripped) -> Vec<&str> {
    let words: Vec<&str> = run.words.iter().map(String::as_str).collect();
    let plain = |from: usize| {
        let rest = words.get(from..).unwrap_or_default().iter().copied();
        let rest = rest.take_while(|word| *word != "--");
        rest.filter(|word| !word.starts_with('-') && !word.contains('='))
            .collect::<Vec<_>>()
    };
    let first = |from: usize| plain(from).into_iter().take(1).collect::<Vec<_>>();
    let behind = |flags: &[&str]| {
        let at = words.iter().position(|word| flags.contains(word));
        let names = at
            .and_then(|at| words.get(at + 1))
            .copied()
            .unwrap_or_default();
        let more = at.map_or_else(Vec::new, |at| plain(at + 2));
        names
            .split(',')
            .filter(|name| !name.is_empty())
            .chain(more)
            .collect::<Vec<_>>()
    };
    match words.as_slice() {
        [
            "mise" | "hatch" | "pixi" | "npm" | "pnpm" | "yarn" | "bun" | "composer",
            "run" | "run-script" | "r",
            ..,
        ] => first(2),
        ["deno", "task", ..] => first(2),
        ["npm" | "pnpm" | "yarn", "test" | "t", ..] => vec!["test"],
        ["pnpm" | "yarn" | "bun", name, ..] if !name.starts_with('-') => first(1),
        ["nox", ..] => behind(&["-s", "--session", "--sessions"]),
        ["tox", ..] => behind(&["-e"]),
        ["nx" | "lerna", "run-many" | "affected", ..] => behind(&["-t", "--target", "--targets"]),
        ["nx" | "lerna", "run", target, ..] => {
            let mut parts = target.split(':').skip(usize::from(target.contains(':')));
            parts.next().into_iter().collect()
        }
        ["nx", target, ..] => vec![target],
        ["turbo", "run", ..] => plain(2),
        ["turbo" | "poe" | "rake" | "inv" | "invoke", ..] => plain(1),
        [
            "just" | "task" | "make" | "gmake" | "gradle" | "gradlew",
            ..,
        ] => plain(1),
        _ => Vec::new(),
    }
}

/// What the definition of a task does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Followed {
    pub(crate) works: Vec<Work>,
    /// Whether it ends well although one of its checks does not.
    pub(crate) hides: bool,
}

/// Follows a task through the files of its folder, as `read` has them; `None`
/// when no file defines it.
pub(crate) fn follow(
    table: &Table,
    name: &str,
    folder: &Path,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Option<Followed> {
    let (_, lines) = definition(name, folder, read)?;
    let mut followed = Followed::default();
    for line in lines {
        body(table, &line, folder, read, 0, &mut followed);
    }
    Some(followed)
}

fn body(
    table: &Table,
    line: &str,
    folder: &Path,
    read: &dyn Fn(&Path) -> Option<String>,
    depth: usize,
    followed: &mut Followed,
) {
    let text = line.trim().trim_start_matches('@');
    let ignored = text.strip_prefix('-');
    let Ok(parsed) = shell::line(ignored.unwrap_or(text).trim_start_matches('@')) else {
        return;
    };
    for segment in &parsed.segments {
        let inner = names(&segment.run).into_iter();
        let inner = inner.filter_map(|name| definition(name, folder, read));
        let inner: Vec<String> = inner.flat_map(|(_, lines)| lines).collect();
        let mut works: Vec<Work> = Vec::new();
        if inner.is_empty() || depth >= MAX_DEPTH {
            let found = table.matches(&segment.run);
            let checks = found.iter().filter(|found| !found.disqualified);
            works.extend(
                checks
                    .flat_map(|found| found.work.clone())
                    .filter(|work| CHECKS.contains(work)),
            );
        }
        let before = followed.works.len();
        for line in inner.iter().filter(|_| depth < MAX_DEPTH) {
            body(table, line, folder, read, depth + 1, followed);
        }
        let is_check = !works.is_empty() || followed.works.len() > before;
        followed.hides |=
            is_check && (ignored.is_some() || !matches!(segment.standing, Standing::Chain(..)));
        for work in works {
            if !followed.works.contains(&work) {
                followed.works.push(work);
            }
        }
    }
}

/// Reads what a file holds about a task.
type Recipe = fn(&str, &str) -> Option<Vec<String>>;

/// The file of the folder that defines a task, and its lines.
pub(crate) fn definition(
    name: &str,
    folder: &Path,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Option<(&'static str, Vec<String>)> {
    const FILES: [(&str, Recipe); 8] = [
        ("package.json", script_of),
        ("Makefile", recipe),
        ("makefile", recipe),
        ("GNUmakefile", recipe),
        ("justfile", recipe),
        ("Justfile", recipe),
        ("mise.toml", table_task),
        (".mise.toml", table_task),
    ];
    FILES.into_iter().find_map(|(file, recipe)| {
        let lines = recipe(&read(&folder.join(file))?, name)?;
        Some((file, lines))
    })
}

/// A script of package.json.
fn script_of(text: &str, name: &str) -> Option<Vec<String>> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let scripts = json.get("scripts")?;
    let around = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    scripts.get(name)?;
    let own = around.iter().filter_map(|name| scripts.get(name)?.as_str());
    Some(own.map(str::to_owned).collect())
}

/// The recipe of a target, with those it depends on.
fn recipe(text: &str, name: &str) -> Option<Vec<String>> {
    let mut lines = text.lines();
    let head = lines.find(|line| {
        let line = line.trim_start_matches('@');
        let target = line.split([':', ' ']).next().unwrap_or_default();
        target == name && line.contains(':') && !line.contains(":=")
    })?;
    let needs = head.split_once(':').map_or("", |(_, needs)| needs);
    let needs = needs.split_whitespace().map(|need| format!("make {need}"));
    let own = lines.take_while(|line| line.starts_with(['\t', ' ']) || line.is_empty());
    Some(
        needs
            .chain(own.map(str::to_owned))
            .filter(|line| !line.trim().is_empty())
            .collect(),
    )
}

/// `[tasks.lint]` or `lint = "…"` of mise.
fn table_task(text: &str, name: &str) -> Option<Vec<String>> {
    let tables: toml::Table = text.parse().ok()?;
    let task = tables.get("tasks")?.get(name)?;
    let lines = |value: &toml::Value| match value {
        toml::Value::String(line) => line.lines().map(str::to_owned).collect(),
        toml::Value::Array(all) => all
            .iter()
            .filter_map(|line| line.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    };
    let needs = task.get("depends").map(lines).unwrap_or_default();
    let needs = needs.into_iter().map(|need| format!("mise run {need}"));
    let own = task.get("run").map_or_else(|| lines(task), lines);
    Some(needs.chain(own).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_known_by_their_names() {
        use Work::{Build, Lint, Tests, Types};
        let table = Table::new(&[]).unwrap();
        for (command, expected) in [
            ("mise run lint", vec![Lint]),
            ("just test", vec![Tests]),
            ("npm run typecheck", vec![Types]),
            ("pnpm run build:all", vec![Build]),
            ("npx nx run web:test", vec![Tests]),
            ("turbo run test lint", vec![Tests, Lint]),
            ("nx run-many -t lint", vec![Lint]),
            ("deno task check", vec![Tests, Lint, Types, Build]),
            ("npm run dev", vec![]),
            ("yarn install", vec![]),
            ("mise run test:watch", vec![]),
        ] {
            let line = shell::line(command).unwrap();
            let run = &line.segments.first().unwrap().run;
            let works: Vec<Work> = names(run)
                .iter()
                .flat_map(|name| table.tasks.works_of(name).to_vec())
                .collect();
            assert_eq!(works, expected, "{command}");
        }
    }

    #[test]
    fn definitions_are_followed_through_chains() {
        let table = Table::new(&[]).unwrap();
        let files: [(&str, &str); 3] = [
            (
                "package.json",
                r#"{"scripts": {"check": "npm run lint && npm run unit", "lint": "eslint .", "unit": "vitest run", "soft": "vitest run || true"}}"#,
            ),
            (
                "Makefile",
                "test: lint\n\tpytest -q\n\nlint:\n\truff check .\n\nbad:\n\t-pytest -q\n",
            ),
            (
                "mise.toml",
                "[tasks.all]\ndepends = [\"types\"]\nrun = \"go test ./...\"\n[tasks.types]\nrun = \"mypy .\"\n",
            ),
        ];
        let read = |path: &Path| {
            let name = path.file_name()?.to_str()?;
            files
                .iter()
                .find(|(file, _)| *file == name)
                .map(|(_, text)| (*text).to_owned())
        };
        let seen = |name: &str| follow(&table, name, Path::new("/p"), &read);
        let of = |works: &[Work], hides: bool| {
            Some(Followed {
                works: works.to_vec(),
                hides,
            })
        };
        assert_eq!(seen("check"), of(&[Work::Lint, Work::Tests], false));
        assert_eq!(seen("soft"), of(&[Work::Tests], true));
        assert_eq!(seen("test"), of(&[Work::Lint, Work::Tests], false));
        assert_eq!(seen("bad"), of(&[Work::Tests], true));
        assert_eq!(seen("all"), of(&[Work::Types, Work::Tests], false));
        assert_eq!(seen("other"), None);
    }
}
