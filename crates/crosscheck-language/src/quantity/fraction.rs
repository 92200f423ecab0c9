//! Fractions and round numbers in words: `a third of`, `two-thirds`, `half a million`, `a dozen`.

use super::date::plain;
use super::scan::Scanner;
use super::tail::Tail;
use super::{Decimal, Quantity, QuantityKind, Role, Unit};
use crate::lexicon::{Dimension, LEXICON};
use crate::text::word_before;

/// Words before `half` where it is one of two halves, and not a share.
const BEFORE_HALF: [&str; 9] = [
    "the", "first", "second", "last", "latter", "other", "each", "this", "that",
];

impl Scanner<'_> {
    /// A quantity that begins with, or before, a word for a fraction or a round number.
    pub(super) fn round_number(&self, at: usize) -> Option<Quantity> {
        let word = self.word(at);
        let entry = LEXICON.word_in_any_case(word)?;
        let before = word_before(self.text.get(..at)?);
        let is_one = ["a", "one"]
            .iter()
            .any(|one| before.eq_ignore_ascii_case(one));
        let start = if is_one { at - 1 - before.len() } else { at };
        let end = at + word.len();
        match (entry.fraction, entry.scale) {
            (Some(parts), _) if is_one || parts == 2 => self
                .part_of_round(start, end, parts)
                .or_else(|| self.one_part(start, end, parts)),
            (None, Some(places)) if is_one && !self.goes_on(end) => {
                let value = Decimal::one().shifted(places);
                Some(self.counted(start, end, value, Role::Vague))
            }
            _ => None,
        }
    }

    /// `two-thirds`, `three quarters of`: the fraction behind a number word.
    pub(super) fn several_parts(&self, at: usize, count: u32, end: usize) -> Option<Quantity> {
        self.char(end).filter(|c| matches!(c, '-' | ' '))?;
        let word = self.word(end + 1);
        let parts = LEXICON.word_in_any_case(word)?.fraction;
        let parts = parts.filter(|parts| word.ends_with('s') && count < *parts)?;
        let till = end + 1 + word.len();
        let is_share = self.char(end) == Some('-') || self.is_of_whole(till);
        is_share.then(|| share(at..till, count, parts))
    }

    /// `a third of`, `one-third`, `half of the members`
    fn one_part(&self, start: usize, end: usize, parts: u32) -> Option<Quantity> {
        let before = word_before(self.text.get(..start)?).to_lowercase();
        let is_side = parts == 2 && BEFORE_HALF.contains(&before.as_str());
        let is_joined = self.text.get(start..end)?.contains('-');
        let is_half_the = parts == 2 && self.tail(end).starts_with(" the ");
        let is_share = is_joined || is_half_the || self.is_of_whole(end);
        (is_share && !is_side).then(|| share(start..end, 1, parts))
    }

    /// `half a million`, `a quarter of a million`, `half a dozen`
    fn part_of_round(&self, start: usize, end: usize, parts: u32) -> Option<Quantity> {
        let value = match parts {
            2 => Decimal::whole(5).scaled(-1),
            4 => Decimal::whole(25).scaled(-2),
            _ => return None,
        };
        let gaps = [" a ", "-a-", " of a ", " ", "-"];
        let gap = gaps.iter().find(|gap| self.tail(end).starts_with(**gap))?;
        let name = self.word(end + gap.len());
        let entry = LEXICON.word_in_any_case(name)?;
        let value = match entry.scale {
            Some(scale) => value.shifted(scale),
            None => value.times(entry.number.filter(|_| name == "dozen")?.into(), 1),
        };
        Some(self.counted(start, end + gap.len() + name.len(), value, Role::Word))
    }

    /// Whether the number goes on: `a hundred and twenty`.
    fn goes_on(&self, end: usize) -> bool {
        let next = self.tail(end).strip_prefix(" and ").unwrap_or_default();
        let next = LEXICON.word(self.word(self.text.len() - next.len()));
        next.is_some_and(|entry| entry.number.is_some())
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

    /// `of the members`; not `of an hour`, which is a measure, nor `of 2020`.
    fn is_of_whole(&self, at: usize) -> bool {
        let of = self.tail(at).strip_prefix(" of ");
        of.is_some_and(|of| {
            let is_one = of.starts_with("a ") || of.starts_with("an ");
            !is_one && !of.starts_with(|c: char| c.is_ascii_digit())
        })
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
