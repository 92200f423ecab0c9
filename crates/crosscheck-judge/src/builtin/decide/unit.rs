//! A unit of the text as words in order.

use std::ops::Range;

use super::Case;
use super::held::Held;
use crate::builtin::claim::{Clause, Poles};
use crate::builtin::prepared::{Text, UnitWord};
use crosscheck_language::lexicon::WordEntry;
use crosscheck_language::phrase::{Phrase, is_bounded};
use crosscheck_language::text::{
    Style, each_word, is_letter, is_plain, is_prose, is_word_char, stems,
};

/// The axis of enabled and disabled, which an assignment of `true` or `false`
/// sets.
const TRUTH_AXIS: u8 = 0;

/// A unit of the text.
pub(super) struct UnitSeen<'u> {
    pub(super) number: usize,
    text: &'u str,
    whole: &'u Text<'u>,
    /// Where it begins in the flat text.
    start: usize,
    words: &'u [UnitWord],
    held: &'u Held<'u>,
    /// Whether it has a word that can reverse its meaning.
    pub(super) turns: bool,
}

impl Case<'_> {
    pub(super) fn unit(&self, number: usize) -> UnitSeen<'_> {
        let index = self.text.index();
        let unit = index.units.get(number).copied().unwrap_or_default();
        // Judge T8: a question states nothing.
        let silent = unit.question && !self.claim.question;
        let words = self.text.words(number).filter(|_| !silent);
        UnitSeen {
            number,
            text: self.text.unit(&unit),
            whole: self.text,
            start: unit.range().start,
            words: words.map_or(&[], |words| &words.all),
            held: &self.held,
            turns: words.is_some_and(|words| words.turns),
        }
    }
}

impl UnitSeen<'_> {
    /// Prose, or a sentence of few words that is the whole text or a part of prose: `TLS is not
    /// required.`
    pub(super) fn is_prose(&self) -> bool {
        let index = self.whole.index();
        let is_sentence = || index.units.len() == 1 || index.prose && self.text.ends_with('.');
        is_prose(self.text) || self.turns && is_sentence() && is_plain(self.text)
    }

    /// The words that count in a clause, with their stems.
    pub(super) fn weighing(&self, clause: &Clause) -> Vec<(usize, u32)> {
        let weighing = |word: usize| {
            let stem = self.stem(word).filter(|stem| clause.weighs(*stem))?;
            Some((word, stem))
        };
        (0..self.count()).filter_map(weighing).collect()
    }

    /// A run of words, and the nearest word at a pole of one of these axes.
    pub(super) fn with_pole(&self, axes: u32, first: usize, last: usize) -> (usize, usize) {
        let is_pole = |word: &usize| {
            let pole = self.entry(*word).and_then(|entry| entry.pole);
            pole.is_some_and(|(axis, _)| axes.checked_shr(axis.into()).unwrap_or(0) & 1 == 1)
        };
        let apart = |word: &usize| first.saturating_sub(*word) + word.saturating_sub(last);
        let nearest = (0..self.count()).filter(is_pole).min_by_key(apart);
        let nearest = nearest.filter(|_| axes != 0).unwrap_or(first);
        (first.min(nearest), last.max(nearest))
    }

    /// Judge P1, P10, P11: the poles of its words.
    pub(super) fn poles(&self) -> Poles {
        let mut poles = Poles::default();
        let mut has_truth = false;
        for word in 0..self.count() {
            let pole = self.entry(word).and_then(|entry| entry.pole);
            if let Some((axis, second)) = pole
                && !is_bounded(self, word)
            {
                poles.add(axis, second);
                has_truth |= self.is_word(word, "true") || self.is_word(word, "false");
            }
        }
        if has_truth
            && !self.is_prose()
            && let Some(second) = self.assigned()
        {
            poles.set(TRUTH_AXIS, second);
        }
        poles
    }

    /// The pole set by `key = true|false`; of several, the one whose key shares most
    /// stems.
    fn assigned(&self) -> Option<bool> {
        let mut best: Option<(usize, bool)> = None;
        for (key, value) in assignments(self.text) {
            let inverted = ["disable", "disabled", "disables"];
            let (mut shared, mut turned) = (0, false);
            each_word(key, Style::Text, &mut |word, _| {
                turned |= inverted.contains(&word);
            });
            for stem in stems(key) {
                shared += usize::from(self.held.own(&stem).is_some());
            }
            if best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, !value ^ turned));
            }
        }
        best.map(|(_, second)| second)
    }

    /// Its text.
    pub(super) const fn source(&self) -> &str {
        self.text
    }
}

impl Phrase for UnitSeen<'_> {
    fn text(&self) -> &str {
        self.text
    }

    fn count(&self) -> usize {
        self.words.len()
    }

    fn range(&self, word: usize) -> Range<usize> {
        self.words.get(word).map_or(0..0, UnitWord::range)
    }

    fn begins_cell(&self, word: usize) -> bool {
        let last = word.checked_sub(1).map_or(0, |last| self.range(last).end);
        let (from, to) = (self.start + last, self.start + self.range(word).start);
        self.whole.has_tab(from..to)
    }

    fn entry(&self, word: usize) -> Option<&'static WordEntry> {
        self.words.get(word)?.entry
    }

    fn negates(&self, word: usize) -> bool {
        let word = self.words.get(word);
        word.is_some_and(|word| word.negation)
    }

    fn is_content(&self, word: usize) -> bool {
        let word = self.words.get(word);
        word.is_some_and(|word| word.stem.is_some())
    }

    fn stem(&self, word: usize) -> Option<u32> {
        self.held.own(self.words.get(word)?.stem.as_ref()?)
    }
}

/// Every `key = true|false` and `key: true|false` of a line.
fn assignments(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let words = text.char_indices().filter_map(move |(at, c)| {
        let before = text.get(..at)?.chars().next_back();
        (is_letter(c) && !before.is_some_and(is_word_char)).then_some(at)
    });
    words.filter_map(move |at| {
        let tail = text.get(at..)?;
        let word = tail.get(..tail.find(|c| !is_word_char(c)).unwrap_or(tail.len()))?;
        let value = match word {
            "true" | "True" | "TRUE" => true,
            "false" | "False" | "FALSE" => false,
            _ => return None,
        };
        let head = text.get(..at)?.trim_end().strip_suffix(['=', ':'])?;
        let head = head
            .trim_end_matches([':', '='])
            .trim_end()
            .trim_end_matches(['"', '\'', '`', ']', ')'])
            .trim_end();
        let is_part = |c: char| is_word_char(c) || matches!(c, '.' | '-');
        let key = head.get(head.trim_end_matches(is_part).len()..)?;
        (!key.is_empty()).then_some((key, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_have_a_key_and_a_boolean() {
        let table: &[(&str, &[(&str, bool)])] = &[
            ("debug = false # x", &[("debug", false)]),
            (
                "{\"a.b\": true, 'c-d' : False}",
                &[("a.b", true), ("c-d", false)],
            ),
            ("let on: bool = true;", &[("bool", true)]),
            ("x == true", &[("x", true)]),
            ("= true, is false", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(assignments(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }
}
