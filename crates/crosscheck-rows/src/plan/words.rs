//! The words that tool names, arguments and answers are made of.
//!
//! They are data: `words.json` beside this file lists them, and
//! docs/contracts/rows.md says what each list is for.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;

/// Words of one kind.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "HashSet<String, foldhash::fast::RandomState>")]
pub(crate) struct List {
    words: HashSet<String, foldhash::fast::RandomState>,
    /// The length of the longest one.
    longest: usize,
}

impl From<HashSet<String, foldhash::fast::RandomState>> for List {
    fn from(words: HashSet<String, foldhash::fast::RandomState>) -> Self {
        let longest = words.iter().map(String::len).max().unwrap_or_default();
        Self { words, longest }
    }
}

impl List {
    pub(crate) fn has(&self, word: &str) -> bool {
        word.len() <= self.longest && self.words.contains(word)
    }

    /// Whether a text is one of the words, however that is written.
    pub(crate) fn has_spelt(&self, text: &str) -> bool {
        // most texts begin or end otherwise
        let letters = || text.bytes().filter(u8::is_ascii_alphanumeric);
        let ends = [letters().next(), letters().next_back()];
        let ends = ends.map(|end| end.map(|letter| letter.to_ascii_lowercase()));
        let is_alike = |word: &String| ends == [word.bytes().next(), word.bytes().next_back()];
        (!text.is_ascii() || self.words.iter().any(is_alike))
            && self.has(&super::names::joined(text))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}

/// All lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_field_names,
    reason = "the lists are called as in the data file"
)]
pub(crate) struct Words {
    pub(crate) read: List,
    pub(crate) create: List,
    pub(crate) write: List,
    pub(crate) delete: List,
    pub(crate) weak_read: List,
    pub(crate) weak_write: List,
    pub(crate) weak_create: List,
    pub(crate) ignore_exact: List,
    pub(crate) ignore_prefix: List,
    pub(crate) join_words: List,
    pub(crate) relative: List,
    pub(crate) setter: List,
    pub(crate) outcome_words: List,
    pub(crate) outcome_fields: List,
    pub(crate) transitional: List,
    pub(crate) failed_fields: List,
    pub(crate) failed_words: List,
    pub(crate) failed_text: List,
    pub(crate) failed_phrases: Vec<String>,
    pub(crate) not_done: List,
    pub(crate) affected: List,
    pub(crate) dry: List,
    pub(crate) envelope: List,
    pub(crate) filter: List,
    pub(crate) volatile: List,
    pub(crate) secret: List,
    pub(crate) control: List,
    pub(crate) old_prefix: List,
    pub(crate) new_prefix: List,
    pub(crate) soft_delete: List,
    pub(crate) soft_words: List,
    pub(crate) soft_maybe: List,
    pub(crate) state_words: List,
    pub(crate) id_words: List,
    pub(crate) minor_words: List,
    /// Plurals that no rule knows.
    pub(crate) irregular: HashMap<String, String>,
}

/// The lists that are compiled in.
pub(crate) fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    // a test reads the file; were it broken, no word would be known
    WORDS.get_or_init(|| serde_json::from_str(include_str!("words.json")).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        let read: Result<Words, _> = serde_json::from_str(include_str!("words.json"));
        assert!(read.unwrap().read.has("get"));
    }

    #[test]
    fn a_word_is_found_however_it_is_written() {
        let list = &words().transitional;
        for text in [
            "in progress",
            "In-Progress",
            "inProgress",
            &format!("{}in progress", " ".repeat(99)),
        ] {
            assert!(list.has_spelt(text), "{text}");
        }
        for text in [
            "in progression",
            "pending since the second of March 2026",
            "",
        ] {
            assert!(!list.has_spelt(text), "{text}");
        }
    }

    /// The lists are part of the specification.
    #[test]
    fn the_lists_are_those_of_the_specification() {
        let beside = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/rows-eval/words.json"
        );
        let Ok(text) = crosscheck_core::files::read_limited(beside.as_ref(), 1 << 20) else {
            return;
        };
        let theirs: HashMap<String, serde_json::Value> = serde_json::from_slice(&text).unwrap();
        let ours: HashMap<String, serde_json::Value> =
            serde_json::from_str(include_str!("words.json")).unwrap();
        assert_eq!(ours.len(), theirs.len());
        for (name, list) in theirs {
            let mut words: Vec<String> = match &list {
                serde_json::Value::String(text) => {
                    text.split_whitespace().map(str::to_owned).collect()
                }
                other => {
                    assert_eq!(ours[&name], *other, "{name}");
                    continue;
                }
            };
            let mut own: Vec<String> = serde_json::from_value(ours[&name].clone()).unwrap();
            words.sort();
            own.sort();
            assert_eq!(own, words, "{name}");
        }
    }
}
