//! Fractions and round numbers in words: `a third of`, `two-thirds`, `half a million`, `a dozen`.

use super::date::plain;
use super::scan::Scanner;
use super::tail::Tail;
use super::{Decimal, Quantity, QuantityKind, Role, Unit};
use crate::lexicon::{Dimension, LEXICON};
use crate::text::word_before;

/// Words before `half of` where it is a share, not one of two halves.
const BEFORE_HALF: [&str; 24] = [
    "",
    "a",
    "about",
    "almost",
    "and",
    "approximately",
    "around",
    "at",
    "by",
    "for",
    "in",
    "is",
    "just",
    "nearly",
    "of",
    "only",
    "or",
    "over",
    "roughly",
    "some",
    "than",
    "that",
    "to",
    "with",
];
/// Words before `three quarters` where these are parts of a year.
const BEFORE_QUARTERS: [&str; 8] = [
    "first",
    "last",
    "past",
    "previous",
    "next",
    "these",
    "those",
    "consecutive",
];

impl Scanner<'_> {
    /// A quantity that begins with, or before, a word for a fraction or a round number.
    pub(super) fn round_number(&self, at: usize) -> Option<Quantity> {
        let word = self.word(at);
        let entry = LEXICON.word_in_any_case(word)?;
        match entry.fraction {
            Some(2) => self.half_of_number(at).or_else(|| self.half(at)),
            Some(parts) => self.one_part(at, parts),
            None => entry.scale.and_then(|places| self.one_round(at, places)),
        }
    }

    /// `two-thirds`, `three quarters of`: the fraction behind a number word.
    pub(super) fn several_parts(&self, at: usize, count: u32, end: usize) -> Option<Quantity> {
        let hyphen = self.char(end) == Some('-');
        if !hyphen && self.char(end) != Some(' ') {
            return None;
        }
        let word = self.word(end + 1);
        let parts = LEXICON.word_in_any_case(word)?.fraction;
        let parts = parts.filter(|parts| word.ends_with('s') && count < *parts)?;
        let till = end + 1 + word.len();
        let of = self.tail(till).strip_prefix(" of ");
        let years = parts == 4
            && (BEFORE_QUARTERS.contains(&self.word_before(at).to_lowercase().as_str())
                || !hyphen && of.is_none_or(|of| of.starts_with(|c: char| c.is_ascii_digit())));
        let is_share = !years && !self.is_of_one(till);
        is_share.then(|| share(at..till, count, parts))
    }

    /// `a third of`, `one-third`; `a quarter of a million`.
    fn one_part(&self, at: usize, parts: u32) -> Option<Quantity> {
        let before = self.word_before(at);
        let is_one = before.eq_ignore_ascii_case("one");
        if !is_one && !before.eq_ignore_ascii_case("a") {
            return None;
        }
        let start = at - 1 - before.len();
        let end = at + self.word(at).len();
        let hyphen = is_one && self.char_before(at) == Some('-');
        if parts == 4 && self.tail(end).starts_with(" of a ") {
            return self.part_of_round(start, end + " of a ".len(), 25, 2);
        }
        let of = self.tail(end).starts_with(" of ") && !self.is_of_one(end);
        (of || hyphen).then(|| share(start..end, 1, parts))
    }

    /// `half of the members`
    fn half(&self, at: usize) -> Option<Quantity> {
        let end = at + self.word(at).len();
        let before = self.word_before(at).to_lowercase();
        let of = [
            " of the ",
            " of all ",
            " of its ",
            " of their ",
            " of them",
            " the ",
        ];
        let is_share = BEFORE_HALF.contains(&before.as_str())
            && of.iter().any(|of| self.tail(end).starts_with(of));
        is_share.then(|| share(at..end, 1, 2))
    }

    /// `half a million`, `half a dozen`
    fn half_of_number(&self, at: usize) -> Option<Quantity> {
        let end = at + self.word(at).len();
        let tail = self.tail(end);
        let gap = [" a ", "-a-", " ", "-"]
            .iter()
            .find(|gap| tail.starts_with(**gap))?;
        self.part_of_round(at, end + gap.len(), 5, 1)
    }

    /// A part of the round number at `word`: `digits` behind the point.
    fn part_of_round(
        &self,
        start: usize,
        word: usize,
        digits: u32,
        places: i32,
    ) -> Option<Quantity> {
        let name = self.word(word);
        let entry = LEXICON.word_in_any_case(name)?;
        let value = Decimal::whole(digits).scaled(-places);
        let value = match entry.scale {
            Some(scale) => value.shifted(scale),
            None => value.times(entry.number.filter(|_| name == "dozen")?.into(), 1),
        };
        Some(self.counted(start, word + name.len(), value, Role::Word))
    }

    /// `a million`, `one hundred`
    fn one_round(&self, at: usize, places: u32) -> Option<Quantity> {
        let before = self.word_before(at);
        let is_one = ["a", "one"]
            .iter()
            .any(|one| before.eq_ignore_ascii_case(one));
        let end = at + self.word(at).len();
        let next = self.tail(end).strip_prefix(" and ").unwrap_or_default();
        let next = self.word(self.text.len() - next.len());
        let goes_on = LEXICON
            .word(next)
            .is_some_and(|entry| entry.number.is_some());
        let start = at
            .checked_sub(1 + before.len())
            .filter(|_| is_one && !goes_on)?;
        let value = Decimal::one().shifted(places);
        Some(self.counted(start, end, value, Role::Vague))
    }

    /// An amount in words with its unit behind it.
    pub(super) fn counted(&self, start: usize, end: usize, value: Decimal, role: Role) -> Quantity {
        let mut tail = Tail::at(end);
        self.add_unit(&mut tail);
        let unit = tail.unit;
        Quantity {
            role,
            unit_words: tail.unit_words,
            ..plain(start..tail.end, QuantityKind::Number { value, unit })
        }
    }

    /// `a quarter of an hour`, `a third of a mile`
    fn is_of_one(&self, at: usize) -> bool {
        [" of a ", " of an "]
            .iter()
            .any(|of| self.tail(at).starts_with(of))
    }

    /// The word before the one that begins here, after one blank or hyphen.
    fn word_before(&self, at: usize) -> &str {
        word_before(self.text.get(..at).unwrap_or_default())
    }
}

/// A share of a whole.
fn share(range: std::ops::Range<usize>, count: u32, parts: u32) -> Quantity {
    let unit = Unit::Dimension(Dimension {
        num: 100,
        den: parts.into(),
        ..LEXICON.percent
    });
    let value = Decimal::whole(count);
    Quantity {
        role: Role::Word,
        ..plain(range, QuantityKind::Number { value, unit })
    }
}
