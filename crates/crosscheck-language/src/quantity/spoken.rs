//! Figures that a text has in another form. They confirm a claim, and can not
//! contradict any.

use std::ops::Range;

use super::{QuantityKind, scan};
use crate::lexicon::WordEntry;
use crate::text::word_before;

/// A unit behind a word is searched for in at most this many characters.
const REACH: usize = 40;

/// The values of a word that is not a figure itself: `half`, `a third`, `one year`.
pub fn spoken(text: &str, range: &Range<usize>, entry: &WordEntry) -> Vec<QuantityKind> {
    let before = word_before(text.get(..range.start).unwrap_or_default());
    let fits = |wanted: &str| wanted.is_empty() || wanted.eq_ignore_ascii_case(before);
    let said = entry.spoken.iter().find(|(wanted, _)| fits(wanted));
    let Some((_, figures)) = said else {
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
