//! The tables that commands are read by: `patterns/shell.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// All tables.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    pub(super) wrapper: Vec<Wrapper>,
    pub(super) folders: BTreeMap<String, Vec<String>>,
    pub(super) steering_options: BTreeMap<String, Vec<String>>,
    pub(super) writer: Vec<Writer>,
    pub(super) code: Code,
    pub(super) pipes: Pipes,
    pub(super) variables: Variables,
    /// Programs that run others on another machine.
    pub(super) away: Vec<String>,
    /// Managers of environments, which print settings of the shell.
    pub(super) environments: Vec<String>,
}

/// Variables that programs read. A star at the end stands for the rest; a
/// harmless one may be written with its value.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variables {
    pub(super) steering: Vec<String>,
    pub(super) harmless: Vec<String>,
}

/// A program that starts another one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wrapper {
    pub(super) names: Vec<String>,
    pub(super) verbs: Vec<String>,
    pub(super) values: Vec<String>,
    pub(super) folders: Vec<String>,
    pub(super) idle: Vec<String>,
    pub(super) keeps: Vec<String>,
    pub(super) drops: usize,
    pub(super) dashes: bool,
    pub(super) contained: bool,
    pub(super) away: bool,
}

/// A program that writes files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Writer {
    pub(super) names: Vec<String>,
    #[serde(default)]
    pub(super) with: Vec<String>,
    #[serde(default)]
    pub(super) without: Vec<String>,
    #[serde(default)]
    pub(super) options: Vec<String>,
    pub(super) target: Target,
}

/// What a writer writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Target {
    All,
    Last,
    Gone,
    Moved,
    Tree,
    Behind,
    Paths,
}

/// Programs in a command line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Code {
    pub(super) interpreters: Vec<String>,
    pub(super) given: Vec<String>,
    pub(super) writes: Vec<String>,
}

/// Programs behind a pipe.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pipes {
    pub(super) whole: Vec<String>,
    pub(super) part: Vec<String>,
    pub(super) sifters: Vec<String>,
    pub(super) only: Vec<String>,
    pub(super) colours: Vec<String>,
    pub(super) lookers: Vec<String>,
    pub(super) printers: Vec<String>,
    pub(super) walkers: Vec<String>,
}

pub(super) static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("../../patterns/shell.toml")).unwrap_or_default());

/// Whether a list has a word.
pub(super) fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_can_be_read() {
        let text = include_str!("../../patterns/shell.toml");
        toml::from_str::<super::Words>(text).unwrap();
    }
}
