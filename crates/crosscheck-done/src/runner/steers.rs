//! Files that steer a check: a change of one makes its runs no witness.

use serde::Deserialize;

use crate::kind::Work;

/// What steers checks, as the table has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steers {
    /// Folders on `PATH` that package managers fill.
    usual_paths: Vec<String>,
    /// Files by how their names begin.
    file: Vec<Steer>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Steer {
    /// What it steers; tasks of any work when empty.
    #[serde(default)]
    work: Vec<Work>,
    /// How the names of the files begin.
    names: Vec<String>,
    /// Lines with one of these steer; any line when empty.
    #[serde(default)]
    words: Vec<String>,
}

/// The lines that only one of two texts has.
pub(crate) fn changed_lines<'t>(old: &'t str, new: &'t str) -> impl Iterator<Item = &'t str> {
    let only = |one: &'t str, other: &'t str| {
        one.lines()
            .filter(move |line| !other.lines().any(|known| known == *line))
    };
    only(old, new).chain(only(new, old))
}

impl Steers {
    /// The words by which a file of this name steers a check; an empty list
    /// when any change does.
    pub fn words(&self, works: &[Work], name: &str, tasks: &[String]) -> Option<&[String]> {
        let steer = self.file.iter().find(|steer| {
            let is_of = if steer.work.is_empty() {
                !tasks.is_empty()
            } else {
                steer.work.iter().any(|work| works.contains(work))
            };
            is_of
                && steer
                    .names
                    .iter()
                    .any(|known| name.starts_with(known.as_str()))
        });
        steer.map(|steer| steer.words.as_slice())
    }

    /// Whether a file of this name steers a check of any kind, and a line by which it does changed.
    pub fn is_changed(&self, name: &str, before: Option<&str>, now: &str) -> bool {
        let holds = |words: &[String]| {
            let before = before.unwrap_or_default();
            let mut lines = changed_lines(before, now);
            lines.any(|line| {
                words.is_empty() || words.iter().any(|word| line.contains(word.as_str()))
            })
        };
        self.steers_any(name).is_some_and(holds)
    }

    /// The words by which a file of this name steers any check.
    pub fn steers_any(&self, name: &str) -> Option<&[String]> {
        self.words(&Work::ALL, name, &["task".to_owned()])
    }

    /// Whether a folder before the others on `PATH` is any but those that
    /// package managers fill.
    pub fn hides(&self, path: &str) -> bool {
        let is_in = |usual: &String| {
            let is_begin = usual.starts_with('/');
            is_begin && path.starts_with(usual.as_str())
                || !is_begin && path.contains(usual.as_str())
        };
        !self.usual_paths.iter().any(is_in)
    }
}
