//! Figures in words: `half`, `two-thirds`, `half a million`, `twice`. They have no value of their own;
//! what they can stand for is in the lexicon. They confirm a claim, and can not contradict any.

use std::ops::Range;

use super::date::plain;
use super::scan::Scanner;
use super::{Quantity, QuantityKind, Role, scan};
use crate::lexicon::{LEXICON, Spoken, WordEntry};
use crate::text::chars::char_before;
use crate::text::{is_word_char, word_before};

/// A unit behind a word is searched for in at most this many characters.
const REACH: usize = 40;

impl Scanner<'_> {
    /// A quantity around a word for a fraction.
    pub(super) fn fraction(&self, at: usize) -> Option<Quantity> {
        let word = at..at + self.word(at).len();
        let entry = LEXICON.word_in_any_case(self.text.get(word.clone())?)?;
        let all = entry.fractions.iter();
        let places = all.filter_map(|one| Some((place_of(self.text, &word, one)?, one)));
        let (range, spoken) = places.max_by_key(|(range, _)| range.len())?;
        let written = self.text.get(range.clone())?.to_lowercase();
        let kind = QuantityKind::Long(written.replace('-', " ").into());
        Some(Quantity {
            role: Role::Word,
            others: figures(&spoken.figures),
            ..plain(range, kind)
        })
    }

    /// `a dozen`, `a million`
    pub(super) fn round_number(&self, at: usize) -> Option<Quantity> {
        let word = self.word(at);
        let places = LEXICON.word_in_any_case(word)?.scale?;
        let before = word_before(self.text.get(..at)?);
        let is_one = ["a", "one"]
            .iter()
            .any(|one| before.eq_ignore_ascii_case(one));
        let end = at + word.len();
        // `a hundred and twenty`
        let next = self.tail(end).strip_prefix(" and ").unwrap_or_default();
        let next = LEXICON.word(self.word(self.text.len() - next.len()));
        let goes_on = next.is_some_and(|entry| entry.number.is_some());
        let value = super::Decimal::whole(1).shifted(places);
        (is_one && !goes_on).then(|| self.counted(at - 1 - before.len(), end, value, Role::Vague))
    }
}

/// Where a phrase is around its word; blanks and hyphens are the same.
fn place_of(text: &str, word: &Range<usize>, phrase: &Spoken) -> Option<Range<usize>> {
    let start = word.start.checked_sub(phrase.before.len())?;
    let end = word.end + phrase.behind.len();
    let is_same = |range: Range<usize>, wanted: &str| {
        let plain = |byte: u8| {
            if byte == b'-' {
                b' '
            } else {
                byte.to_ascii_lowercase()
            }
        };
        let seen = text.as_bytes().get(range);
        seen.is_some_and(|seen| seen.iter().zip(wanted.bytes()).all(|(a, b)| plain(*a) == b))
    };
    let is_whole = !char_before(text, start).is_some_and(is_word_char)
        && !text.get(end..)?.starts_with(is_word_char);
    (is_whole
        && is_same(start..word.start, &phrase.before)
        && is_same(word.end..end, &phrase.behind))
    .then_some(start..end)
}

fn figures(text: &str) -> Vec<QuantityKind> {
    scan(text, false).into_iter().map(|one| one.kind).collect()
}

/// The values of a word that is not a figure itself: `twice`, `one year`.
pub fn spoken(text: &str, range: &Range<usize>, entry: &WordEntry) -> Vec<QuantityKind> {
    let mut all = entry.spoken.iter();
    let Some(said) = all.find(|one| place_of(text, range, one).is_some()) else {
        return Vec::new();
    };
    // A plain number has its own unit behind it.
    if !said.figures.bytes().all(|byte| byte.is_ascii_digit()) {
        return figures(&said.figures);
    }
    let tail = text.get(range.end..).unwrap_or_default();
    let tail: String = tail.chars().take(REACH).collect();
    let mut values = figures(&format!("{}{tail}", said.figures));
    values.truncate(1);
    values
}
