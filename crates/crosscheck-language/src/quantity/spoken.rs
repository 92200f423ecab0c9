//! Figures that a text has in another form. They confirm a claim, and can not
//! contradict any.

use std::ops::Range;

use crosscheck_core::rules::Rule;

use super::{Quantity, QuantityKind, scan};
use crate::lexicon::WordEntry;
use crate::text::word_before;

const SPOKEN: Rule = Rule::new(
    "language.spoken",
    "words such as half and a third have the figures they stand for",
);

/// A unit behind a word is searched for in at most this many characters.
const REACH: usize = 40;

/// The values of a word that is not a figure itself: `half`, `a third`, `one year`.
pub fn spoken(text: &str, range: &Range<usize>, entry: &WordEntry) -> Vec<QuantityKind> {
    let before = word_before(text.get(..range.start).unwrap_or_default());
    let fits = |wanted: &str| wanted.is_empty() || wanted.eq_ignore_ascii_case(before);
    let said = entry.spoken.iter().find(|(wanted, _)| fits(wanted));
    let Some((_, figures)) = said.filter(|_| SPOKEN.is_on()) else {
        return Vec::new();
    };
    // A plain number has its own unit behind it.
    let plain = figures.bytes().all(|byte| byte.is_ascii_digit());
    let tail = text.get(range.end..).filter(|_| plain).unwrap_or_default();
    let tail = tail.chars().take(REACH);
    let figures: String = figures.chars().chain(tail).collect();
    let most = if plain { 1 } else { usize::MAX };
    let values = scan(&figures, false).into_iter().take(most);
    values.map(|one| one.kind).collect()
}

/// The parts of a number in groups of three after blanks, which could also be two numbers:
/// `41 000`.
pub fn parts(text: &str, quantity: &Quantity) -> Vec<Range<usize>> {
    if !matches!(
        quantity.kind,
        QuantityKind::Number { .. } | QuantityKind::Long(_)
    ) {
        return Vec::new();
    }
    let written = text.get(quantity.range.clone()).unwrap_or_default();
    let bytes = written.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_border = |at: &usize| {
        let inside = is_digit(at + 1) && at.checked_sub(1).is_some_and(is_digit);
        // `16,2` could also be two of a list.
        let comma = || bytes.get(*at) == Some(&b',') && !(is_digit(at + 2) && is_digit(at + 3));
        inside && (bytes.get(*at) == Some(&b' ') || comma())
    };
    let borders: Vec<usize> = (0..bytes.len()).filter(is_border).collect();
    if borders.is_empty() {
        return Vec::new();
    }
    let start = quantity.range.start;
    let starts = [start]
        .into_iter()
        .chain(borders.iter().map(|at| start + at + 1));
    let ends = borders
        .iter()
        .map(|at| start + at)
        .chain([quantity.range.end]);
    starts.zip(ends).map(|(from, to)| from..to).collect()
}
