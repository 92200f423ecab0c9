//! Whether a value looks like the keys that a column holds (rows 10.3).

use std::collections::{HashMap, HashSet};

use crate::observe::Holds;
use crate::plan::{ColumnId, TableId};

/// From so many different values on, a common length counts.
const ENOUGH: usize = 5;

/// What the values of columns look like.
#[derive(Debug, Default)]
pub(crate) struct Likeness(HashMap<(TableId, ColumnId), Kinds>);

#[derive(Debug, Default)]
struct Kinds {
    is_empty: bool,
    characters: HashSet<CharKind>,
    /// The length of all values, if it is one and there are enough of them.
    length: Option<usize>,
    /// Whether a whole number of the sample is not above zero.
    has_zero: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum CharKind {
    Letter,
    Digit,
    Other(char),
}

fn kind(c: char) -> CharKind {
    if c.is_alphabetic() {
        CharKind::Letter
    } else if c.is_numeric() {
        CharKind::Digit
    } else {
        CharKind::Other(c)
    }
}

impl Likeness {
    /// Adds what the values at both ends of a column look like.
    pub(crate) fn add(&mut self, column: (TableId, ColumnId), sample: &[String]) {
        let lengths: HashSet<usize> = sample.iter().map(|value| value.chars().count()).collect();
        let different: HashSet<&String> = sample.iter().collect();
        let is_common = lengths.len() == 1 && different.len() >= ENOUGH;
        let kinds = Kinds {
            is_empty: sample.is_empty(),
            characters: sample
                .iter()
                .flat_map(|value| value.chars().map(kind))
                .collect(),
            length: lengths.into_iter().next().filter(|_| is_common),
            has_zero: sample
                .iter()
                .any(|value| value.parse::<i128>().is_ok_and(|number| number <= 0)),
        };
        self.0.insert(column, kinds);
    }

    /// Whether a value looks like those of a column; a column of which
    /// nothing is known tells nothing.
    pub(crate) fn is_like(&self, column: (TableId, ColumnId), holds: Holds, value: &str) -> bool {
        let Some(kinds) = self.0.get(&column).filter(|kinds| !kinds.is_empty) else {
            return true;
        };
        if holds == Holds::Integer {
            // programs write 0 or -1 where there is no id yet
            return kinds.has_zero || value.parse::<i128>().is_ok_and(|number| number > 0);
        }
        if holds == Holds::Uuid {
            return true;
        }
        value.chars().all(|c| kinds.characters.contains(&kind(c)))
            && kinds
                .length
                .is_none_or(|length| value.chars().count() == length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlike_values_have_other_characters_or_another_length() {
        let column = (TableId(0), ColumnId(0));
        let like = |sample: &[&str], holds, value: &str| {
            let mut likeness = Likeness::default();
            let sample: Vec<String> = sample.iter().map(|text| (*text).to_owned()).collect();
            likeness.add(column, &sample);
            likeness.is_like(column, holds, value)
        };
        let table: [(&[&str], Holds, &str, bool); 10] = [
            (&[], Holds::Text, "anything", true),
            (&["j1", "j2"], Holds::Text, "j77", true),
            (&["j1", "j2", "j3", "j4", "j5"], Holds::Text, "j77", false),
            (&["j1", "j2", "j3", "j4", "j5"], Holds::Text, "x9", true),
            (&["j1", "j22"], Holds::Text, "JOB-2026/17", false),
            (&["l-1", "l-20"], Holds::Text, "l-9", true),
            (&["1", "2"], Holds::Integer, "99999", true),
            (&["1", "2"], Holds::Integer, "0", false),
            (&["0", "2"], Holds::Integer, "0", true),
            (&["a"], Holds::Uuid, "7d444840", true),
        ];
        for (sample, holds, value, expected) in table {
            assert_eq!(like(sample, holds, value), expected, "{sample:?} {value}");
        }
    }
}
