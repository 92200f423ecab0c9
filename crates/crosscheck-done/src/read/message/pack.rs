//! What a language says about finished work: one TOML file for each.
//!
//! Contract: done 4.7.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::tokens::{Token, What};
use crate::kind::ClaimKind;

/// A list of phrases; the longest that fits counts.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    by_first: FxHashMap<Box<str>, Vec<Vec<Box<str>>>>,
    all: Vec<Box<str>>,
    /// How many words the longest has.
    longest: usize,
    /// Whether one begins with a number.
    has_numbers: bool,
}

impl Phrases {
    pub(super) fn new(list: &[String]) -> Self {
        let mut phrases = Self::default();
        for phrase in list {
            let mut words = phrase.split_whitespace().map(Box::from);
            if let Some(first) = words.next() {
                let first: Box<str> = first;
                phrases.has_numbers |= first.starts_with(|c: char| c.is_ascii_digit());
                let rest: Vec<Box<str>> = words.collect();
                phrases.longest = phrases.longest.max(rest.len() + 1);
                phrases.by_first.entry(first).or_default().push(rest);
                phrases.all.push(phrase.as_str().into());
            }
        }
        for rests in phrases.by_first.values_mut() {
            rests.sort_by_key(|rest| std::cmp::Reverse(rest.len()));
        }
        phrases
    }

    /// How many tokens the longest phrase takes that begins here.
    pub(crate) fn at(&self, tokens: &[&Token], at: usize) -> Option<usize> {
        let first = tokens.get(at)?;
        let number;
        let word = match first.what {
            What::Word => first.text.as_str(),
            What::Number(value) if self.has_numbers => {
                number = value.to_string();
                &number
            }
            _ => return None,
        };
        let rests = self.by_first.get(word)?;
        let fits = |rest: &&Vec<Box<str>>| {
            let words = rest.iter().enumerate();
            words.into_iter().all(|(nth, word)| {
                tokens
                    .get(at + 1 + nth)
                    .is_some_and(|token| match token.what {
                        What::Number(value) => word.parse() == Ok(value),
                        _ => token.word() == &**word,
                    })
            })
        };
        rests.iter().find(fits).map(|rest| rest.len() + 1)
    }

    /// Whether this one word is a phrase.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.by_first
            .get(word)
            .is_some_and(|rests| rests.iter().any(Vec::is_empty))
    }

    /// Whether a phrase of the list is anywhere in the tokens.
    pub(crate) fn any(&self, tokens: &[&Token]) -> bool {
        (0..tokens.len()).any(|at| self.at(tokens, at).is_some())
    }

    /// The phrases as they were written.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|phrase| &**phrase)
    }
}

/// How a language is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum By {
    /// Word by word.
    Words,
    /// Anywhere in a text without blanks.
    Substring,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPack {
    language: String,
    by: By,
    keywords: Vec<String>,
    /// Whether a verb may be behind its object.
    #[serde(default)]
    verb_last: bool,
    #[serde(default)]
    kinds: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    #[serde(default)]
    filters: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    problems: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    must_match: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    must_not_match: BTreeMap<String, Vec<String>>,
    /// Lists by name.
    words: BTreeMap<String, Vec<String>>,
    /// Words that mean that work is over.
    #[serde(default)]
    done_words: Vec<String>,
}

/// The words of one language.
#[derive(Debug)]
pub(crate) struct Pack {
    pub(crate) language: String,
    pub(crate) by: By,
    pub(crate) verb_last: bool,
    /// The checks that run, each with its words.
    pub(crate) runs: Vec<Run>,
    /// Every verb of a deed, whatever its kind.
    pub(crate) deeds: Phrases,
    /// How many words the longest phrase has.
    pub(crate) longest: usize,
    lists: FxHashMap<String, Phrases>,
    /// By the number of the kind.
    kinds: Vec<FxHashMap<String, Phrases>>,
    pub(super) must_match: BTreeMap<String, Vec<String>>,
    pub(super) must_not_match: Vec<String>,
}

/// The words of a check that runs.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) kind: ClaimKind,
    pub(crate) subject: Phrases,
    /// Whole statements, wherever they are in a clause.
    pub(crate) anywhere: Phrases,
    /// Verbs that say that it went well.
    pub(crate) predicate: Phrases,
    /// The same, behind `is` and `are`.
    pub(crate) adjective: Phrases,
    /// The same, behind a label.
    pub(crate) value: Phrases,
    /// What is absent.
    pub(crate) problem: Phrases,
    /// Words that say that it went wrong.
    pub(crate) failure: Phrases,
    /// Predicates that need no subject of the list.
    pub(crate) itself: Phrases,
    /// The subjects that are the check itself; all of them when empty.
    pub(crate) own: Phrases,
    /// Phrases that are a whole statement.
    pub(crate) whole: Phrases,
    /// Predicates only where they end the statement: "the tests work".
    pub(crate) last: Phrases,
}

pub(super) const RUN_KINDS: [ClaimKind; 5] = [
    ClaimKind::TestsPass,
    ClaimKind::BuildOk,
    ClaimKind::LintClean,
    ClaimKind::TypesClean,
    ClaimKind::ChecksPass,
];

impl Run {
    fn of(kind: ClaimKind, parts: &BTreeMap<String, Vec<String>>) -> Self {
        let list = |name: &str| Phrases::new(parts.get(name).map_or(&[], Vec::as_slice));
        Self {
            kind,
            subject: list("subject"),
            anywhere: list("anywhere"),
            predicate: list("predicate"),
            adjective: list("adjective"),
            value: list("value"),
            problem: list("problem"),
            failure: list("failure"),
            itself: list("itself"),
            own: list("own"),
            whole: list("whole"),
            last: list("last"),
        }
    }
}

/// A pack that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("pattern file {name}: {problem}")]
pub struct PackError {
    /// The file or language.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

/// Where a text stops being a pack, without the line itself: it may hold anything.
fn no_toml(text: &str, error: &toml::de::Error) -> String {
    let end = error.span().map_or(0, |span| span.start);
    let before = text.get(..end).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line}: not a valid pack: {}", error.message())
}

impl Pack {
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, PackError> {
        let raw: RawPack = toml::from_str(text).map_err(|error| PackError {
            name: name.to_owned(),
            problem: no_toml(text, &error),
        })?;
        let mut lists = FxHashMap::default();
        let mut put = |key: String, list: &[String]| {
            lists.insert(key, Phrases::new(list));
        };
        for (key, list) in &raw.words {
            put(key.clone(), list);
        }
        put("done_words".to_owned(), &raw.done_words);
        let kinds = lists_of_kinds(name, &raw)?;
        for (key, list) in &raw.filters {
            put(key.clone(), list);
        }
        for (key, list) in &raw.problems {
            put(format!("problems.{key}"), list);
        }
        put("keywords".to_owned(), &raw.keywords);
        let verbs = raw.kinds.values().filter_map(|parts| parts.get("verbed"));
        let verbs: Vec<String> = verbs.flatten().cloned().collect();
        let every = lists
            .values()
            .chain(kinds.iter().flat_map(FxHashMap::values));
        let longest = every.map(|phrases| phrases.longest).max();
        let none = BTreeMap::new();
        let runs = RUN_KINDS.map(|kind| Run::of(kind, raw.kinds.get(kind.name()).unwrap_or(&none)));
        Ok(Self {
            runs: runs.into(),
            deeds: Phrases::new(&verbs),
            language: raw.language,
            by: raw.by,
            verb_last: raw.verb_last,
            longest: longest.unwrap_or_default(),
            lists,
            kinds,
            must_match: raw.must_match,
            must_not_match: raw.must_not_match.into_values().flatten().collect(),
        })
    }

    /// A list by its name; one that the language does not have is empty.
    pub(crate) fn list(&self, name: &str) -> &Phrases {
        self.lists.get(name).unwrap_or(&EMPTY)
    }

    /// A list of a kind.
    pub(crate) fn of(&self, kind: ClaimKind, part: &str) -> &Phrases {
        let lists = self.kinds.get(kind as usize);
        lists.and_then(|lists| lists.get(part)).unwrap_or(&EMPTY)
    }
}

static EMPTY: LazyLock<Phrases> = LazyLock::new(Phrases::default);

fn lists_of_kinds(name: &str, raw: &RawPack) -> Result<Vec<FxHashMap<String, Phrases>>, PackError> {
    let mut all: Vec<FxHashMap<String, Phrases>> = Vec::new();
    all.resize_with(ClaimKind::ALL.len(), FxHashMap::default);
    for (kind, parts) in &raw.kinds {
        let known = ClaimKind::of_name(kind).and_then(|kind| all.get_mut(kind as usize));
        let Some(lists) = known else {
            return Err(PackError {
                name: name.to_owned(),
                problem: format!("unknown kind `{kind}`"),
            });
        };
        lists.extend(
            parts
                .iter()
                .map(|(part, list)| (part.clone(), Phrases::new(list))),
        );
    }
    Ok(all)
}

/// The languages that are built in, with their text.
pub(crate) const BUILT_IN: [(&str, &str); 8] = [
    ("en", include_str!("../../../patterns/en.toml")),
    ("ko", include_str!("../../../patterns/ko.toml")),
    ("ja", include_str!("../../../patterns/ja.toml")),
    ("zh", include_str!("../../../patterns/zh.toml")),
    ("de", include_str!("../../../patterns/de.toml")),
    ("es", include_str!("../../../patterns/es.toml")),
    ("fr", include_str!("../../../patterns/fr.toml")),
    ("pt", include_str!("../../../patterns/pt.toml")),
];

/// The strings of the first list of this name in a pattern file, without
/// parsing the file: most messages hold none of its keywords.
pub(crate) fn quick_list<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!("\n{name} = [");
    let Some((_, rest)) = text.split_once(&start) else {
        return Vec::new();
    };
    let inside = rest.split_once(']').map_or(rest, |(inside, _)| inside);
    inside.split('"').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syntax_error_names_the_line_and_does_not_repeat_it() {
        let refused = Pack::parse("own.toml", "language = \"en\"\nx = hunter2 oops\n");
        let problem = refused.err().unwrap().problem;
        assert!(problem.starts_with("line 2: "), "{problem}");
        assert!(!problem.contains("hunter2"), "{problem}");
    }
}
