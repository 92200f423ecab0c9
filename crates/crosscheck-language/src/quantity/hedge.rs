//! How a figure is hedged by the words around it: `about`, `more than`,
//! `or less`, `until` (judge D7, D8).

use std::cmp::Ordering;
use std::ops::Range;

use super::{QuantityKind, Unit};
use crate::lexicon::LEXICON;
use crate::text::chars::char_before;
use crate::text::is_word_char;

/// The hedge of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hedge {
    /// `about`
    pub about: bool,
    /// `more than`, `up to`
    pub bound: Option<Bound>,
}

/// The kind of bound that a figure has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is this or more, this time or later.
    Up,
    /// It is this or less, this time or earlier.
    Down,
}

impl Hedge {
    /// The hedge of the figure at this place.
    pub fn of(text: &str, range: &Range<usize>) -> Self {
        let phrases = &LEXICON.phrases;
        let head = lead(text, range);
        let tail = behind(text.get(range.end..).unwrap_or_default());
        Self {
            about: longest(&head, &phrases.about) > 0 || follows(&tail, &phrases.about_behind),
            bound: bound(&head, &tail),
        }
    }

    /// Whether an exact figure of a text is one that a claim with this hedge means: `about 40`
    /// and 39.6, `more than 40` and 43, but not 400.
    pub(super) fn allows(self, claimed: &QuantityKind, seen: &QuantityKind) -> bool {
        let (
            QuantityKind::Number { value: a, unit },
            QuantityKind::Number {
                value: b,
                unit: its,
            },
        ) = (claimed, seen)
        else {
            return false;
        };
        let (own, other) = match (unit.measure(), its.measure()) {
            (Some(x), Some(y)) if x.id == y.id => (a.times(x.num, y.den), b.times(y.num, x.den)),
            (Some(_), Some(_)) => return false,
            (Some(_), None) if *its != Unit::None => return false,
            (None, Some(_)) if *unit != Unit::None => return false,
            _ => (*a, *b),
        };
        let up_to_twice = |less: super::Decimal, more: super::Decimal| {
            less.compare(more) != Ordering::Greater
                && more.compare(less.times(2, 1)) != Ordering::Greater
        };
        let bounded = match self.bound {
            Some(Bound::Up) => up_to_twice(own, other),
            Some(Bound::Down) => up_to_twice(other, own),
            None => false,
        };
        bounded || self.about && own.is_within(LEXICON.thresholds.about, other)
    }
}

/// `more than`, `up to` and similar phrases; the longest one counts.
fn bound(head: &str, tail: &str) -> Option<Bound> {
    let phrases = &LEXICON.phrases;
    let up = longest(head, &phrases.up);
    let down = longest(head, &phrases.down);
    if up > down || up == 0 && down == 0 && follows(tail, &phrases.up_behind) {
        return Some(Bound::Up);
    }
    (down > 0 || follows(tail, &phrases.down_behind)).then_some(Bound::Down)
}

/// Judge D7 for years and dates: `before 1990`.
pub fn time_bound(text: &str, range: &Range<usize>) -> Option<Bound> {
    let phrases = &LEXICON.phrases;
    later_of(&lead(text, range), &phrases.before, &phrases.after)
}

fn later_of(head: &str, before: &[Box<str>], after: &[Box<str>]) -> Option<Bound> {
    match (longest(head, before), longest(head, after)) {
        (0, 0) => None,
        (before, after) if before >= after => Some(Bound::Down),
        _ => Some(Bound::Up),
    }
}

/// The words before a figure, without an article, `just` or a currency sign.
fn lead(text: &str, range: &Range<usize>) -> String {
    let head = text.get(..range.start).unwrap_or_default();
    let reach = LEXICON.thresholds.bound_chars;
    let from = head.char_indices().rev().take(reach).last();
    let mut lead = head
        .get(from.map_or(0, |(at, _)| at)..)
        .unwrap_or_default()
        .to_lowercase();
    let signs = ['$', '€', '£', '¥'];
    let len = lead.trim_end().trim_end_matches(signs).trim_end().len();
    lead.truncate(len);
    for word in ["a", "an", "the", "just"] {
        if ends_with(&lead, word) {
            let len = lead
                .get(..lead.len() - word.len())
                .unwrap_or_default()
                .trim_end()
                .len();
            lead.truncate(len);
            break;
        }
    }
    lead
}

/// The length of the longest phrase that ends here; phrases are sorted by length.
fn longest(head: &str, phrases: &[Box<str>]) -> usize {
    let found = phrases.iter().find(|phrase| ends_with(head, phrase));
    found.map_or(0, |phrase| phrase.len())
}

/// Whether a text ends with whole words.
fn ends_with(head: &str, phrase: &str) -> bool {
    let Some(rest) = head.strip_suffix(phrase) else {
        return false;
    };
    let cut = char_before(rest, rest.len()).is_some_and(is_word_char);
    !(cut && phrase.starts_with(is_word_char))
}

/// The words behind a figure, in small letters.
fn behind(tail: &str) -> String {
    let end = tail.char_indices().nth(40).map_or(tail.len(), |(at, _)| at);
    let tail = tail.get(..end).unwrap_or_default();
    tail.to_lowercase()
}

/// Whether a phrase is behind the figure; one word may be between.
fn follows(tail: &str, phrases: &[Box<str>]) -> bool {
    let tail = tail.trim_start();
    let word = tail.find(|c| !is_word_char(c)).unwrap_or(0);
    let later = tail
        .get(word..)
        .unwrap_or_default()
        .strip_prefix(char::is_whitespace);
    let begins = |tail: &str| {
        phrases.iter().any(|phrase| {
            let rest = tail.strip_prefix(phrase.as_ref());
            let cut = |rest: &str| phrase.ends_with(is_word_char) && rest.starts_with(is_word_char);
            rest.is_some_and(|rest| !cut(rest))
        })
    };
    begins(tail) || word > 0 && later.is_some_and(begins)
}

#[cfg(test)]
mod tests {
    use super::super::quantities;

    #[test]
    fn a_hedged_figure_allows_what_it_can_mean_and_no_more() {
        for (claim, text, expected) in [
            ("about 40%", "39.6 %", true),
            ("about 40%", "61 %", false),
            ("40%", "39.6 %", false),
            ("roughly 41,000 trees", "41,237 trees", true),
            ("41,000 trees", "41,237 trees", false),
            ("roughly 41,000 trees", "14,000 trees", false),
            ("more than 40 countries", "43 states", true),
            ("more than 40 countries", "39 countries", false),
            ("more than 40 countries", "400 countries", false),
            ("more than 40 countries", "43 km", false),
            ("more than 40 countries", "43 minutes", false),
            ("over 2 hours", "150 minutes", true),
            ("at least 5", "7", true),
            ("nearly 100 dogs", "98 dogs", true),
            ("up to 100 dogs", "98 dogs", true),
            ("up to 100 dogs", "130 dogs", false),
            ("100 dogs or more", "130 dogs", true),
            ("over $3bn", "$3.4 billion", true),
        ] {
            let (a, b) = (&quantities(claim)[0], &quantities(text)[0]);
            let seen = a.means(&b.kind) || a.hedge.allows(&a.kind, &b.kind);
            assert_eq!(seen, expected, "{claim} / {text}");
        }
    }
}
