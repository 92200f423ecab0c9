//! Marks that name their source: `(Smith & Miller, 2020)`, `Smith (2020)`.

use std::collections::HashMap;
use std::ops::Range;

use super::lists::Lists;
use crate::pattern::pattern;

/// What follows this many bytes of an entry does not date it.
const ENTRY_MAX: usize = 400;
/// So far before its year an author is looked for.
const NAME_MAX: usize = 80;

pattern! {
    YEAR, r"\b(?:19|20)[0-9]{2}[a-z]?\b"
}
pattern! {
    BRACKETS, r"\(([^()\[\]\n]{4,200})\)|\[([^()\[\]\n]{4,200})\]"
}
pattern! {
    /// A name and what may be between it and its year.
    NARRATIVE, r"([A-ZÀ-Þ][^\s(),.;:]+)(?:,? (?:and|&|und|et) [A-ZÀ-Þ][^\s(),.;:]+| et al\.?)? ?$"
}

/// A mark with the entries it points to.
pub(super) struct Named {
    pub(super) range: Range<usize>,
    pub(super) items: Vec<usize>,
}

/// Entries by the first name in them and their years.
pub(super) struct Index(HashMap<(String, String), Vec<usize>>);

/// The marks of a text that name an entry of its lists. One that names none,
/// or several, is not known.
pub(super) fn find(text: &str, index: &Index) -> Vec<Named> {
    if index.0.is_empty() {
        return Vec::new();
    }
    let all = BRACKETS.captures_iter(text);
    all.filter_map(|mark| {
        let range = mark.get(0)?.range();
        let inner = mark.get(1).or(mark.get(2))?.as_str();
        let parts = inner.split(';').map(|part| index.author(part, None));
        let mut items: Vec<usize> = parts.flatten().collect();
        if items.is_empty() {
            items.extend(index.author(inner, Some(text.get(..range.start)?)));
        }
        (!items.is_empty()).then_some(Named { range, items })
    })
    .collect()
}

impl Index {
    pub(super) fn of(lists: &Lists) -> Self {
        let mut by_author: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for (at, entry) in lists.entries.iter().enumerate() {
            let end = entry.words.floor_char_boundary(ENTRY_MAX);
            let own = entry.words.get(..end).unwrap_or_default();
            let Some(name) = first_name(own) else {
                continue;
            };
            let mut years: Vec<&str> = years(own).map(|(_, year)| year).collect();
            years.sort_unstable();
            years.dedup();
            for year in years {
                let place = by_author
                    .entry((name.clone(), year.to_owned()))
                    .or_default();
                place.push(at);
            }
        }
        Self(by_author)
    }

    /// The only entry of `Smith & Miller, 2020`; of a year alone, the one whose
    /// author comes before it.
    fn author(&self, part: &str, before: Option<&str>) -> Option<usize> {
        let (at, year) = years(part).next()?;
        let head = part.get(..at)?;
        let name = match before {
            None => first_name(head)?,
            Some(before) if head.trim().is_empty() => {
                let start = before.floor_char_boundary(before.len().saturating_sub(NAME_MAX));
                let near = before.get(start..)?;
                let name = NARRATIVE.captures(near)?.get(1)?;
                name.as_str().to_lowercase()
            }
            Some(_) => return None,
        };
        match self.0.get(&(name, year.to_owned()))?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

/// Years, each with the letter that tells works of one year apart.
fn years(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = YEAR.find_iter(text);
    all.map(|year| (year.start(), year.as_str()))
}

/// The first word with a capital letter, in small ones: `van der Berg, A.` is `berg`.
fn first_name(text: &str) -> Option<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '’' | '\'')));
    let mut names = words.filter(|word| word.starts_with(char::is_uppercase));
    let name = names.find(|word| word.chars().count() > 1)?;
    Some(name.to_lowercase())
}
