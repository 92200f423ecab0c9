//! Programs and scripts of the project itself.

use crosscheck_core::rules::Rule;
use serde::Deserialize;

use crate::kind::Work;
use crate::shell::Stripped;

/// Tasks and scripts, as the table has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tasks {
    none: Vec<String>,
    types: Vec<String>,
    lint: Vec<String>,
    tests: Vec<String>,
    build: Vec<String>,
    checks: Vec<String>,
    deploy: Vec<String>,
    verbs: Vec<String>,
    starters: Vec<String>,
    shells: Vec<String>,
    interpreters: Vec<String>,
}

const TASK_NAME: Rule = Rule::new(
    "done.task-name",
    "a task does what its name says, where its definition cannot be followed",
);

/// What a task runs that is named for all of it.
pub(super) const CHECKS: [Work; 4] = [Work::Tests, Work::Lint, Work::Types, Work::Build];

impl Tasks {
    /// What a task does, as far as its name says.
    pub(crate) fn works_of(&self, name: &str) -> &'static [Work] {
        let lower = name.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let lists: [(&[String], &'static [Work]); 7] = [
            (&self.none, &[]),
            (&self.types, &[Work::Types]),
            (&self.lint, &[Work::Lint]),
            (&self.tests, &[Work::Tests]),
            (&self.build, &[Work::Build]),
            (&self.checks, &CHECKS),
            (&self.deploy, &[Work::Deploy]),
        ];
        let has = |list: &[String]| list.iter().any(|word| words.contains(&word.as_str()));
        let known = lists
            .into_iter()
            .find(|(list, _)| TASK_NAME.is_on() && has(list));
        known.map_or(&[], |(_, works)| works)
    }

    /// Whether a command runs a program of the project: `./x`, `bash x.sh`, `make run`.
    pub(super) fn runs_something(&self, run: &Stripped) -> bool {
        let has = |list: &[String], word: &str| list.iter().any(|known| known == word);
        match run.words.as_slice() {
            [first, ..] if first.contains('/') => !first.starts_with('-'),
            [first, second, ..] if has(&self.shells, first) => !second.starts_with('-'),
            [first, second, ..] => has(&self.starters, first) && !has(&self.verbs, second),
            _ => false,
        }
    }

    /// The file that a command runs: its program, or the script that it hands
    /// to an interpreter.
    pub(crate) fn script<'w>(&self, words: &'w [String]) -> Option<&'w String> {
        let first = words.first()?;
        if !self.interpreters.contains(first) {
            return Some(first);
        }
        words.iter().skip(1).find(|word| !word.starts_with('-'))
    }
}
