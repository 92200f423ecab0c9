//! What a language says about finished work: one file of word lists for each.
//!
//! A file is TOML of the simplest kind: sections, and lists of strings in
//! them. It is read on every call of the hook, so it is read without building
//! a document.
//!
//! Contract: done 4.7.

use std::borrow::Cow;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::tokens::{Token, What};
use crate::kind::ClaimKind;

/// The checks that run.
pub(super) const RUN_KINDS: [ClaimKind; 5] = [
    ClaimKind::TestsPass,
    ClaimKind::BuildOk,
    ClaimKind::LintClean,
    ClaimKind::TypesClean,
    ClaimKind::ChecksPass,
];

/// A list by its number.
pub(super) type List = u16;

/// How a language is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// Word by word.
    Words,
    /// Anywhere in a text without blanks.
    Substring,
}

/// A phrase and the list it is of, by its first word.
type Phrases = FxHashMap<Cow<'static, str>, Vec<(Cow<'static, str>, List)>>;

/// The name of a list, and the kind of statement it belongs to.
type Name<'n> = (Option<ClaimKind>, Cow<'n, str>);

/// The words of one language.
#[derive(Debug)]
pub(crate) struct Pack {
    pub(crate) language: String,
    pub(crate) by: By,
    /// Whether a verb may be behind its object.
    pub(crate) verb_last: bool,
    phrases: Phrases,
    /// The phrases of each list, as they were written.
    lists: Vec<Vec<Cow<'static, str>>>,
    names: FxHashMap<Name<'static>, List>,
    pub(super) must_match: Vec<(String, Vec<Cow<'static, str>>)>,
    pub(super) must_not_match: Vec<Cow<'static, str>>,
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

impl Pack {
    /// A file that is built in: its words stay where they are.
    pub(crate) fn built_in(name: &str, text: &'static str) -> Result<Self, PackError> {
        Self::of(name, entries(text))
    }

    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, PackError> {
        let owned = |entry: Entry<'_>| Entry {
            section: Cow::Owned(entry.section.into_owned()),
            key: Cow::Owned(entry.key.into_owned()),
            values: entry
                .values
                .into_iter()
                .map(|value| Cow::Owned(value.into_owned()))
                .collect(),
        };
        let entries = entries(text);
        let mut lists = entries.iter().flatten();
        if let Some(unknown) = lists.find(|entry| !is_known(entry)) {
            return Err(PackError {
                name: name.to_owned(),
                problem: format!("unknown list `{}` in `{}`", unknown.key, unknown.section),
            });
        }
        let entries = entries.into_iter();
        Self::of(name, entries.map(|entry| entry.map(owned)).collect())
    }

    fn of(name: &str, entries: Vec<Result<Entry<'static>, usize>>) -> Result<Self, PackError> {
        let fail = |problem: String| PackError {
            name: name.to_owned(),
            problem,
        };
        let mut pack = Self {
            language: name.to_owned(),
            by: By::Words,
            verb_last: false,
            // there are some thousand words in a file
            phrases: FxHashMap::with_capacity_and_hasher(2048, FxBuildHasher),
            lists: Vec::new(),
            names: FxHashMap::default(),
            must_match: Vec::new(),
            must_not_match: Vec::new(),
        };
        for entry in entries {
            let entry = entry.map_err(|line| fail(format!("line {line}: not a valid pack")))?;
            pack.take(entry).map_err(fail)?;
        }
        Ok(pack)
    }

    fn take(&mut self, entry: Entry<'static>) -> Result<(), String> {
        let Entry {
            section,
            key,
            values,
        } = entry;
        let first = values.first().map(Cow::as_ref).unwrap_or_default();
        match (&*section, &*key) {
            ("", "language") => first.clone_into(&mut self.language),
            ("", "by") => {
                self.by = if first == "substring" {
                    By::Substring
                } else {
                    By::Words
                };
            }
            ("", "verb_last") => self.verb_last = first == "true",
            ("must_match", kind) => self.must_match.push((kind.to_owned(), values)),
            ("must_not_match", _) => self.must_not_match.extend(values),
            (section, key) => {
                let kind = section.strip_prefix("kinds.");
                let kind = kind
                    .map(|kind| {
                        ClaimKind::of_name(kind).ok_or_else(|| format!("unknown kind `{kind}`"))
                    })
                    .transpose()?;
                let name = match section {
                    "problems" => format!("problems.{key}"),
                    _ => key.to_owned(),
                };
                let next = List::try_from(self.lists.len()).unwrap_or(List::MAX);
                let list = *self.names.entry((kind, name.into())).or_insert(next);
                if list == next {
                    self.lists.push(Vec::new());
                }
                for phrase in &values {
                    self.put(phrase.clone(), list);
                }
                if let Some(all) = self.lists.get_mut(usize::from(list)) {
                    all.extend(values);
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, phrase: Cow<'static, str>, list: List) {
        let (first, rest) = match phrase {
            Cow::Borrowed(phrase) => {
                let (first, rest) = phrase.split_once(' ').unwrap_or((phrase, ""));
                (Cow::Borrowed(first), Cow::Borrowed(rest))
            }
            Cow::Owned(phrase) => {
                let (first, rest) = phrase.split_once(' ').unwrap_or((&phrase, ""));
                (Cow::Owned(first.to_owned()), Cow::Owned(rest.to_owned()))
            }
        };
        self.phrases.entry(first).or_default().push((rest, list));
    }

    /// A list by its name; one that the language does not have is empty.
    pub(super) fn list(&self, name: &str) -> List {
        self.number(&(None, Cow::Borrowed(name)))
    }

    /// A list of a kind of statement.
    pub(super) fn part(&self, kind: ClaimKind, name: &str) -> List {
        self.number(&(Some(kind), Cow::Borrowed(name)))
    }

    fn number(&self, name: &Name<'_>) -> List {
        self.names.get(name).copied().unwrap_or(List::MAX)
    }

    /// The phrases of a list as they were written.
    pub(super) fn all(&self, list: List) -> impl Iterator<Item = &str> {
        let list = self
            .lists
            .get(usize::from(list))
            .map_or(&[][..], Vec::as_slice);
        list.iter().map(Cow::as_ref)
    }

    /// Whether one word is a whole phrase of a list.
    pub(super) fn has(&self, list: List, word: &str) -> bool {
        let known = self.phrases.get(word);
        known.is_some_and(|all| all.iter().any(|(rest, of)| *of == list && rest.is_empty()))
    }

    /// Every phrase of any list that begins at a token: the list and how many
    /// tokens it takes.
    pub(super) fn hits(&self, tokens: &[Token], at: usize, found: &mut Vec<(List, u8)>) {
        let Some(first) = tokens.get(at) else {
            return;
        };
        let digits;
        let word = match first.what {
            What::Word => first.text.as_str(),
            What::Number(value) => {
                digits = value.to_string();
                &digits
            }
            _ => return,
        };
        for (rest, list) in self.phrases.get(word).into_iter().flatten() {
            let mut length: u8 = 1;
            let fits = rest.split_whitespace().all(|word| {
                let token = tokens.get(at + usize::from(length));
                length = length.saturating_add(1);
                token.is_some_and(|token| match token.what {
                    What::Number(value) => word.parse() == Ok(value),
                    _ => token.word() == word,
                })
            });
            if fits {
                found.push((*list, length));
            }
        }
    }
}

/// Whether a language that is built in has such a list of a kind.
fn is_known(entry: &Entry<'_>) -> bool {
    let start = format!("\n{} = ", entry.key);
    !entry.section.starts_with("kinds.") || BUILT_IN.iter().any(|(_, text)| text.contains(&start))
}

/// One line of a pattern file: the section, the name and the strings.
pub(super) struct Entry<'t> {
    pub(super) section: Cow<'t, str>,
    pub(super) key: Cow<'t, str>,
    pub(super) values: Vec<Cow<'t, str>>,
}

/// The entries of a file; an error is the number of the line.
pub(super) fn entries(text: &str) -> Vec<Result<Entry<'_>, usize>> {
    let mut all = Vec::new();
    let mut section = "";
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            all.push(Err(number + 1));
            return all;
        };
        let value = value.trim();
        let is_list = value.starts_with('[');
        let mut values = Vec::new();
        let mut is_whole = strings(value, &mut values);
        while is_list && is_whole && !value.ends_with(']') {
            let Some((_, more)) = lines.next() else {
                is_whole = false;
                break;
            };
            let more = more.trim();
            is_whole = strings(more, &mut values);
            if more.starts_with(']') || more.ends_with(']') {
                break;
            }
        }
        if values.is_empty() && matches!(value, "true" | "false") {
            values.push(value.into());
        } else if !is_whole || !is_list && values.len() != 1 {
            all.push(Err(number + 1));
            return all;
        }
        all.push(Ok(Entry {
            section: section.into(),
            key: key.trim().into(),
            values,
        }));
    }
    all
}

/// The strings of a line; not when one of them does not end.
fn strings<'t>(line: &'t str, values: &mut Vec<Cow<'t, str>>) -> bool {
    let mut rest = line;
    if rest.starts_with('#') {
        return true;
    }
    while let Some((_, inside)) = rest.split_once('"') {
        let find = |text: &str| memchr::memchr2(b'"', b'\\', text.as_bytes());
        let mut end = find(inside);
        // a quotation mark behind a backslash ends nothing
        while let Some(at) = end.filter(|at| inside.as_bytes().get(*at) == Some(&b'\\')) {
            let behind = inside.get(at + 2..).unwrap_or_default();
            end = find(behind).map(|next| at + 2 + next);
        }
        let Some(end) = end else {
            return false;
        };
        let text = inside.get(..end).unwrap_or_default();
        values.push(if text.contains('\\') {
            let text = text.replace("\\n", "\n").replace("\\\"", "\"");
            Cow::Owned(text.replace("\\\\", "\\"))
        } else {
            Cow::Borrowed(text)
        });
        rest = inside.get(end + 1..).unwrap_or_default();
    }
    true
}

/// The languages that are built in, with their text.
pub(crate) const BUILT_IN: [(&str, &str); 8] = [
    ("en", include_str!("../../patterns/en.toml")),
    ("ko", include_str!("../../patterns/ko.toml")),
    ("ja", include_str!("../../patterns/ja.toml")),
    ("zh", include_str!("../../patterns/zh.toml")),
    ("de", include_str!("../../patterns/de.toml")),
    ("es", include_str!("../../patterns/es.toml")),
    ("fr", include_str!("../../patterns/fr.toml")),
    ("pt", include_str!("../../patterns/pt.toml")),
];

/// The strings of the first list of this name in a pattern file, without
/// reading the rest: most messages hold none of its keywords.
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

    #[test]
    fn lists_may_be_on_several_lines() {
        let text = "language = \"xx\"\n[words]\na = [\"b c\", # why\n  \"d\",\n]\n[kinds.pushed]\nverbed = [\"e\"]\n";
        let pack = Pack::parse("xx", text).unwrap();
        let list = pack.list("a");
        assert_eq!(pack.all(list).collect::<Vec<_>>(), ["b c", "d"]);
        assert!(pack.has(pack.part(ClaimKind::Pushed, "verbed"), "e"));
    }
}
