//! Scale and unit behind a number.

use std::borrow::Cow;
use std::ops::Range;

use super::Unit;
use super::scan::Scanner;
use crate::lexicon::{Dimension, LEXICON, List};
use crate::text::chars::is_unspaced;
use crate::text::{is_letter, is_word_char, stem_into};

/// The text behind the digits of a number.
pub(super) struct Tail {
    pub(super) unit: Unit,
    pub(super) shift: i32,
    pub(super) end: usize,
    pub(super) unit_words: Option<Range<usize>>,
}

impl Tail {
    pub(super) const fn at(end: usize) -> Self {
        Self {
            unit: Unit::None,
            shift: 0,
            end,
            unit_words: None,
        }
    }

    fn take(&mut self, unit: Dimension, words: Range<usize>) {
        self.unit = Unit::Dimension(unit);
        self.end = words.end;
        self.unit_words = Some(words);
    }
}

fn lower(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        word.into()
    } else {
        word.to_lowercase().into()
    }
}

/// What the digits count if it is attached: the first sign of `1400万人`.
fn attached_noun(word: &str) -> Option<&str> {
    let first = word.chars().next().filter(|c| is_unspaced(*c));
    first.and_then(|sign| word.get(..sign.len_utf8()))
}

impl Scanner<'_> {
    /// Scale and unit behind a number; `None` when attached letters make it something else.
    pub(super) fn unit_tail(&self, at: usize, currency: Option<Dimension>) -> Option<Tail> {
        let mut tail = Tail::at(at);
        // `$2.8 m`
        let gap = usize::from(currency.is_some() && self.char(at) == Some(' '));
        let attached = self.word(at + gap);
        if !attached.is_empty()
            && let Some(places) = LEXICON.suffix(attached, currency.is_some())
        {
            tail.shift = places;
            tail.end += gap + attached.len();
        }
        self.add_scale_words(&mut tail);
        if let Some(dimension) = currency {
            let attached = !self.word(tail.end).is_empty();
            tail.unit = Unit::Dimension(dimension);
            return (!attached).then_some(tail);
        }
        self.add_unit(&mut tail).then_some(tail)
    }

    /// `million`, `hundred thousand`
    pub(super) fn add_scale_words(&self, tail: &mut Tail) {
        for _ in 0..2 {
            let word = match self.char(tail.end) {
                Some(' ') => self.word(tail.end + 1),
                _ => return,
            };
            if let Some(places) = LEXICON.word_in_any_case(word).and_then(|entry| entry.scale) {
                tail.shift += places;
                tail.end += 1 + word.len();
            }
        }
    }

    /// Whether the following text can be behind a number; adds its unit.
    pub(super) fn add_unit(&self, tail: &mut Tail) -> bool {
        let at = tail.end;
        if let Some((dimension, len)) = self.percent(at) {
            tail.take(dimension, at..at + len);
            return true;
        }
        let gap = usize::from(matches!(self.char(at), Some(' ' | '-')));
        let word = self.word(at + gap);
        if word.is_empty() {
            return true;
        }
        if gap == 0
            && let Some(sign) = attached_noun(word)
        {
            tail.unit = Unit::Count(sign.into());
            return true;
        }
        let plain = word.chars().all(is_letter);
        let lower = lower(word);
        let exact = LEXICON.word(word).filter(|entry| entry.unit.is_some());
        if let Some((dimension, len)) = self.phrase_unit(at + gap) {
            tail.take(dimension, at + gap..at + gap + len);
            return true;
        }
        let entry = exact.or_else(|| LEXICON.word(&lower));
        let single = word.chars().count() == 1;
        let capital = exact.is_some() && word.starts_with(char::is_uppercase);
        if let Some(dimension) = entry.and_then(|entry| entry.unit)
            && (plain || exact.is_some())
            && (gap == 0 || !single || capital)
            && (exact.is_some() || !(single && dimension.soft))
            && word != "US"
        {
            tail.take(dimension, at + gap..at + gap + word.len());
            return true;
        }
        let counts = plain
            && gap == 1
            && word.chars().all(|c| !c.is_uppercase())
            && !entry.is_some_and(|entry| entry.is(List::Stop));
        if counts {
            let mut stem = String::new();
            stem_into(word, entry, &mut stem);
            tail.unit = Unit::Count(stem.into());
        }
        gap == 1
    }

    /// A unit of several words or with a mark: `square miles`, `parts per million`, `km/h`; the
    /// mass of `4 GtCO2`.
    fn phrase_unit(&self, at: usize) -> Option<(Dimension, usize)> {
        let word = self.word(at);
        let more = match word {
            "square" | "sq" | "cubic" | "metric" => 1,
            "parts" => 2,
            _ => 0,
        };
        if let Some(mass) = ["CO2e", "CO2eq", "CO2"]
            .iter()
            .find_map(|gas| word.strip_suffix(gas))
        {
            let unit = LEXICON.word(mass)?.unit?;
            return Some((unit, mass.len()));
        }
        let mut end = at + word.len();
        let mark = self.char(end) == Some('/') && matches!(word, "km" | "m" | "mi");
        if more == 0 && !mark {
            return None;
        }
        for _ in 0..more.max(1) {
            end += 1 + self.word(end + 1).len();
        }
        let unit = LEXICON.word(self.text.get(at..end)?)?.unit?;
        Some((unit, end - at))
    }

    /// `%`, `per cent`, `percentage points`.
    fn percent(&self, at: usize) -> Option<(Dimension, usize)> {
        let tail = self.tail(at);
        let gap = usize::from(tail.starts_with([' ', '-']));
        let rest = tail.get(gap..)?;
        if rest.starts_with('%') && !tail.starts_with('-') {
            return Some((LEXICON.percent, gap + 1));
        }
        if !rest.starts_with('p') {
            return None;
        }
        let ends_word = |len: usize| !rest.get(len..).is_some_and(|t| t.starts_with(is_word_char));
        [
            ("percentage points", LEXICON.percentage_point),
            ("percentage point", LEXICON.percentage_point),
            ("per cent", LEXICON.percent),
        ]
        .into_iter()
        .find(|(words, _)| gap == 1 && rest.starts_with(words) && ends_word(words.len()))
        .map(|(words, dimension)| (dimension, gap + words.len()))
    }
}
