//! The table of runners, and which of them a command is.
//!
//! Contract: done 5.2.

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::row::{Patterns, Row, Targets, is_tests};
use super::script::Tasks;
use super::steers::Steers;
use super::task;
use crate::claim::Commands;
use crate::kind::{ClaimKind, Work};
use crate::shell::{self, Stripped};

/// All programs that prove something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    #[serde(rename = "runner")]
    pub(super) rows: Vec<Row>,
    /// The rows whose commands begin with a word, and those that begin with any.
    #[serde(skip)]
    by_word: FxHashMap<String, Vec<usize>>,
    #[serde(skip)]
    by_any: Vec<usize>,
    disqualify: Vec<String>,
    hides: Vec<String>,
    partial: Vec<String>,
    early: Vec<String>,
    everywhere: Vec<String>,
    /// What steers the checks.
    pub steers: Steers,
    pub(crate) tasks: Tasks,
}

/// A command that is one of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Match {
    /// The row.
    pub row: usize,
    /// What it does.
    pub work: Vec<Work>,
    /// Whether it only looks as if it ran.
    pub disqualified: bool,
    /// Whether an option or a name leaves something out.
    pub partial: bool,
    /// Whether it stops at the first failure.
    pub early: bool,
    /// Folders and files that it was limited to.
    pub targets: Vec<String>,
    /// Packages of a workspace that it was limited to.
    pub packages: Vec<String>,
    /// The folder, or a file in it, where it was told to look instead.
    pub root: Option<String>,
    /// Whether it runs in every package of a workspace.
    pub everywhere: bool,
    /// Whether it ends well whatever it finds.
    pub hides: bool,
    /// The tasks of the project that it starts.
    pub tasks: Vec<String>,
}

/// A runner of the user's own, from the settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnRunner {
    /// What it does.
    pub kind: Work,
    /// The words a command begins with.
    pub argv: Vec<String>,
    /// A line that says that it went well.
    pub pass: Option<String>,
    /// A line that says that it did not.
    pub fail: Option<String>,
}

/// A table that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("table of runners: {0}")]
pub struct TableError(pub String);

pub(crate) const BUILT_IN: &str = include_str!("../../patterns/runners.toml");

impl Table {
    /// The table that is built in, with the user's own runners before it.
    pub fn new(own: &[OwnRunner]) -> Result<Self, TableError> {
        let mut table: Self =
            toml::from_str(BUILT_IN).map_err(|error| TableError(error.to_string()))?;
        let mut rows: Vec<Row> = own.iter().map(Row::of_user).collect();
        let patterns = rows.iter().flat_map(|row| [&row.pass, &row.fail]);
        patterns
            .into_iter()
            .try_for_each(Patterns::check)
            .map_err(|error| TableError(error.to_string()))?;
        rows.append(&mut table.rows);
        for (at, row) in rows.iter().enumerate() {
            for word in row.first_words() {
                let known = match word {
                    Some(word) => table.by_word.entry(word.to_owned()).or_default(),
                    None => &mut table.by_any,
                };
                if known.last() != Some(&at) {
                    known.push(at);
                }
            }
        }
        table.rows = rows;
        Ok(table)
    }

    /// Whether every pattern can be used; for tests.
    pub fn check(&self) -> Result<(), TableError> {
        for row in &self.rows {
            let patterns = [
                &row.summary,
                &row.suites,
                &row.suite_lines,
                &row.cases,
                &row.pass,
                &row.fail,
                &row.empty,
                &row.empty_all,
            ];
            patterns
                .into_iter()
                .try_for_each(Patterns::check)
                .map_err(|error| TableError(format!("{}: {error}", row.name)))?;
            if let Some(unknown) = row.also.iter().find(|name| self.row_of(name).is_none()) {
                return Err(TableError(format!("{}: no row `{unknown}`", row.name)));
            }
        }
        Ok(())
    }

    /// A row by its place.
    pub fn row(&self, at: usize) -> Option<&Row> {
        self.rows.get(at)
    }

    pub(super) fn row_of(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What a program of the table would do with these arguments.
    pub fn matches(&self, run: &Stripped) -> Vec<Match> {
        let mut all: Vec<Match> = Vec::new();
        let first = run.words.first().and_then(|word| self.by_word.get(word));
        let mut known: Vec<usize> = first
            .into_iter()
            .chain([&self.by_any])
            .flatten()
            .copied()
            .collect();
        known.sort_unstable();
        known.dedup();
        let rows = known
            .into_iter()
            .filter_map(|at| Some((at, self.rows.get(at)?)));
        for (at, row) in rows {
            // whatever proves more is not a mere execution
            let is_exec = row.work == [Work::Exec] && all.iter().any(|found| !self.plans(found));
            let Some(length) = row.begins(run).filter(|_| !is_exec) else {
                continue;
            };
            let work: Vec<Work> = row
                .works(run)
                .into_iter()
                .filter(|work| !all.iter().any(|other| other.work.contains(work)))
                .collect();
            if !work.is_empty() {
                all.push(self.matched(at, row, work, run, length));
            }
        }
        self.add_tasks(run, &mut all);
        if all.is_empty() && self.tasks.runs_something(run) {
            let exec = self.rows.iter().position(|row| row.name == "exec");
            let is_idle = |word: &String| matches!(word.as_str(), "--help" | "--version");
            all.extend(exec.map(|row| Match {
                row,
                work: vec![Work::Exec],
                disqualified: run.words.iter().any(is_idle),
                ..Match::default()
            }));
        }
        all
    }

    /// What tasks do that no row knows, by their names.
    fn add_tasks(&self, run: &Stripped, all: &mut Vec<Match>) {
        let mut work: Vec<Work> = Vec::new();
        for name in task::names(run) {
            for one in self.tasks.works_of(name) {
                let is_known = all.iter().any(|found| found.work.contains(one));
                if !is_known && !work.contains(one) {
                    work.push(*one);
                }
            }
        }
        let row = self
            .rows
            .iter()
            .enumerate()
            .find(|(_, row)| row.name == "task");
        if let Some((at, row)) = row.filter(|_| !work.is_empty()) {
            all.retain(|found| found.work != [Work::Exec]);
            all.push(self.matched(at, row, work, run, usize::MAX));
        }
    }

    /// Whether a match only says what would be done, which is something to try
    /// out, too.
    fn plans(&self, found: &Match) -> bool {
        self.row(found.row).is_some_and(|row| row.plans)
    }

    fn matched(
        &self,
        at: usize,
        row: &Row,
        work: Vec<Work>,
        run: &Stripped,
        length: usize,
    ) -> Match {
        let words = &run.words;
        let has = |list: &[String], flag: &str| list.iter().any(|known| known == flag);
        let flag_of = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
        let is_idle = |word: &String| {
            let flag = flag_of(word);
            let script =
                !word.starts_with('-') && word.contains("watch") && row.targets == Targets::Script;
            script
                || has(&row.idle, &flag)
                || has(&self.disqualify, &flag) && !has(&row.allows, &flag)
        };
        let own = if row.partial.is_empty() && is_tests(&work) {
            &self.partial
        } else {
            &row.partial
        };
        let mut found = Match {
            row: at,
            disqualified: row.plans || words.iter().skip(1).any(is_idle),
            early: words.iter().any(|word| has(&self.early, &flag_of(word))),
            everywhere: words.iter().any(|word| has(&self.everywhere, word)),
            hides: words
                .iter()
                .any(|word| has(&self.hides, word) || has(&row.hides, word)),
            tasks: task::names(run).into_iter().map(str::to_owned).collect(),
            work,
            ..Match::default()
        };
        let mut skip = false;
        let mut behind_dashes = false;
        let mut plain = 0;
        for (place, word) in words.iter().enumerate().skip(1) {
            plain += usize::from(!word.starts_with('-'));
            if std::mem::take(&mut skip) {
                continue;
            }
            if word == "--" {
                behind_dashes = true;
            } else if word.starts_with('-') && word.len() > 1 {
                let (flag, value) = word
                    .split_once('=')
                    .map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
                skip = has(&row.values, flag) && value.is_none();
                let next = words.get(place + 1).map_or("", String::as_str);
                if has(&row.packages, flag) {
                    found.packages.push(value.unwrap_or(next).to_owned());
                } else if has(&row.roots, flag) {
                    found.root = Some(value.unwrap_or(next).to_owned());
                } else {
                    found.partial |= has(own, flag);
                }
            } else if plain >= length {
                // behind its own name a program is given what to work on
                Self::target(row, word, behind_dashes, &mut found);
            }
        }
        if found.everywhere {
            found.packages.clear();
        }
        found
    }

    fn target(row: &Row, word: &str, behind_dashes: bool, found: &mut Match) {
        let is_tests = is_tests(&found.work);
        match row.targets {
            _ if row.bare.iter().any(|bare| bare == word) => {}
            Targets::Path if word.contains("::") => {
                found.partial |= is_tests;
                found
                    .targets
                    .extend(word.split("::").next().map(str::to_owned));
            }
            Targets::Path | Targets::Package => found.targets.push(word.to_owned()),
            Targets::Script if word.contains('/') || word.contains('.') || behind_dashes => {
                found.targets.push(word.to_owned());
            }
            Targets::Name => found.partial |= is_tests,
            Targets::Script | Targets::Goal | Targets::Project | Targets::None => {}
        }
    }
}

impl Commands for Table {
    fn claims(&self, code: &str) -> Vec<ClaimKind> {
        let Ok(line) = shell::line(code) else {
            return Vec::new();
        };
        let [segment] = line.segments.as_slice() else {
            return Vec::new();
        };
        let found = self.matches(&segment.run);
        let found = found.iter().filter(|found| !found.disqualified);
        let kinds = found.filter_map(|found| found.work.first()?.claim());
        kinds.take(1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &str) -> String {
        let table = Table::new(&[]).unwrap();
        let line = shell::line(line).unwrap();
        let matches = line
            .segments
            .iter()
            .flat_map(|segment| table.matches(&segment.run));
        let shown = matches.map(|found| {
            let work: Vec<&str> = found.work.iter().map(|work| work.name()).collect();
            let mut text = work.join("+");
            if found.disqualified {
                text += " no";
            }
            if found.partial {
                text += " part";
            }
            if !found.targets.is_empty() {
                text = text + " " + &found.targets.join(",");
            }
            if !found.packages.is_empty() {
                text = text + " of " + &found.packages.join(",");
            }
            text
        });
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_table_can_be_used() {
        Table::new(&[]).unwrap().check().unwrap();
    }

    #[test]
    fn commands_are_known_by_what_they_do() {
        for (line, expected) in [
            ("pytest -q", "tests"),
            ("pytest -q tests/test_tok.py", "tests tests/test_tok.py"),
            ("pytest tests/a.py::test_x", "tests part tests/a.py"),
            ("pytest -k foo -n 4", "tests part"),
            ("pytest --collect-only", "tests no"),
            ("pytest -qx", "tests"),
            ("pytest -o addopts='-k add'", "tests part"),
            ("pytest -c other.ini", "tests part"),
            ("pytest --ignore-glob '*two*'", "tests part"),
            ("tox -e py311,lint", "tests; lint"),
            ("nox -s tests-3.12", "tests"),
            ("make --touch test", "tests no"),
            ("go test -c", "tests no"),
            ("go test -list . ./...", "tests no .,./..."),
            ("npx jest --clearCache", "tests no"),
            ("gradle test -m", "tests no"),
            ("ctest -N", "tests no"),
            ("swift test list", "tests no"),
            ("mvn verify -DskipTests", "build"),
            ("mvn test -Dmaven.test.skip=true", ""),
            ("tsc --noCheck", "build"),
            ("cargo test -- --ignored", "tests part"),
            ("ruff check --select E501 .", "lint part ."),
            ("ruff check --ignore E501 .", "lint ."),
            ("pytest --tb short -p no:cacheprovider", "tests"),
            ("python manage.py test", "tests"),
            ("npm test", "tests"),
            ("npm run test:unit -- --grep x", "tests part"),
            ("npm test -w api", "tests of api"),
            ("pnpm --filter api test", "tests of api"),
            ("pnpm -r test", "tests"),
            ("npm run test:watch", "tests no"),
            ("npx vitest run src/a.test.ts", "tests src/a.test.ts"),
            ("go test ./...", "tests ./..."),
            ("go test -run TestX ./pkg", "tests part ./pkg"),
            ("cargo test", "tests"),
            ("cargo test parser", "tests part"),
            ("cargo test -p core", "tests of core"),
            ("cargo test --no-run", "tests no"),
            ("cargo test -- --nocapture", "tests"),
            ("cargo nextest run", "tests"),
            ("mvn -q verify", "tests+build"),
            ("./gradlew :app:test", "tests"),
            ("make", "build"),
            ("make -j4 test", "tests"),
            ("make clean", ""),
            ("make run", "exec"),
            ("npm run build", "build"),
            ("tsc --noEmit", "types"),
            ("tsc -p .", "types+build"),
            ("ruff check .", "lint ."),
            ("ruff format .", ""),
            ("black .", ""),
            ("black --check .", "lint ."),
            ("cargo fmt --check", "lint"),
            ("cargo fmt", ""),
            ("cargo clippy -- -D warnings", "lint"),
            ("eslint src --max-warnings 0", "lint src"),
            ("mypy src", "types src"),
            ("fly deploy -a demo", "deploy"),
            ("helm upgrade demo ./chart --dry-run", "deploy no"),
            ("git push --dry-run", "git no"),
            ("git commit -m x", "git"),
            ("git log", ""),
            ("curl -si localhost:8080", "exec"),
            ("psql -h localhost -c 'select 1'", "exec"),
            ("python x.py", "exec"),
            ("python -c 'print(1)'", "exec"),
            ("./run.sh", "exec"),
            ("bash scripts/ci.sh", "exec"),
            ("echo '12 passed'", ""),
            ("cat ci.log", ""),
            ("npm install", ""),
            ("grep -r pytest .", ""),
            ("dotnet test --filter X", "tests part"),
            ("docker build .", "build"),
            ("gh pr checks", "checks"),
        ] {
            assert_eq!(seen(line), expected, "{line}");
        }
    }
}
