//! Words around a part of a text that change what it says: a bound before it, the rest of an amount
//! or a comparison behind it (judge D1, R1).

use std::ops::Range;

use super::super::lexicon::LEXICON;
use super::super::quantity::{Bound, Hedge, Quantity, scan};
use super::super::text::is_word_char;

/// An amount and its bound rarely take more than this; a longer look would make many places
/// expensive.
const REACH: usize = 48;

/// Words behind an amount that make it a difference: 40 litres `more`.
const COMPARING: [&str; 22] = [
    "more", "less", "fewer", "higher", "lower", "longer", "shorter", "larger", "smaller", "bigger",
    "older", "younger", "taller", "heavier", "lighter", "faster", "slower", "later", "earlier",
    "cheaper", "above", "below",
];

/// Whether an amount of the text goes on beyond an end of this part, or belongs to a comparison
/// that the part leaves out: `2 hours` of `2 hours and 40 minutes`, `half of` in `less than half of`,
/// `a dozen` in `a dozen more than`.
pub(super) fn is_cut(text: &str, part: &Range<usize>) -> bool {
    is_bounded(text, part) || goes_on(text, part.start) || goes_on(text, part.end) || {
        let (near, edge) = around(text, part.end);
        let ends = |one: &Quantity| one.range.end <= edge && is_compared(near, &one.range);
        let left_out = |one: &Quantity| {
            let between = near.get(one.range.end..edge).unwrap_or_default();
            between.split_whitespace().count() < 2
        };
        scan(near, false)
            .iter()
            .any(|one| left_out(one) && ends(one))
    }
}

/// Whether the part begins with an amount that has a bound before it.
fn is_bounded(text: &str, part: &Range<usize>) -> bool {
    let (near, edge) = around(text, part.start);
    let begins = |one: &Quantity| {
        let between = near.get(edge..one.range.start);
        between.is_some_and(|between| matches!(between, "" | "a " | "an " | "the " | "one "))
            && Hedge::of(near, &(edge..one.range.end)).bound.is_some()
    };
    scan(near, false).iter().any(begins)
}

/// Whether one amount is on both sides of this place.
fn goes_on(text: &str, at: usize) -> bool {
    let (near, edge) = around(text, at);
    // `7 am.` ends before its full stop
    let is_said = |range: Range<usize>| {
        let part = near.get(range);
        part.is_some_and(|part| part.contains(char::is_alphanumeric))
    };
    let is_across = |one: &Quantity| {
        one.range.start < edge && edge < one.range.end && is_said(edge..one.range.end)
    };
    scan(near, false).iter().any(is_across)
}

/// The text around a place, and the place in it.
fn around(text: &str, at: usize) -> (&str, usize) {
    let mut from = at.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut to = text.len().min(at + REACH);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    (text.get(from..to).unwrap_or_default(), at - from)
}

/// Whether the amount is how much something changed: fell `by` 40.
pub(super) fn is_change(text: &str, amount: &Range<usize>) -> bool {
    const ABOUT: [&str; 6] = ["about", "around", "roughly", "some", "nearly", "almost"];
    let head = text.get(..amount.start).unwrap_or_default();
    let mut words = head
        .split_whitespace()
        .rev()
        .skip_while(|word| ABOUT.contains(word));
    words.next() == Some("by")
}

/// Whether the amount is how much something is more or less; the counted word may be between.
pub(super) fn is_compared(text: &str, amount: &Range<usize>) -> bool {
    let tail = text.get(amount.end..).unwrap_or_default();
    let mut words = tail.strip_prefix(' ').unwrap_or_default().split(' ');
    let is_one = |word: Option<&str>| {
        let word = word.unwrap_or_default();
        let end = word.find(|c| !is_word_char(c)).unwrap_or(word.len());
        let word = word.get(..end).unwrap_or_default();
        COMPARING.iter().any(|one| word.eq_ignore_ascii_case(one))
    };
    // `20 or more` is a bound.
    let first = words.next();
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| is_word_char(c) || c == '-');
    let is_stop = |word: &str| {
        let entry = LEXICON.word_in_any_case(word);
        entry.is_some_and(|entry| entry.is(super::super::lexicon::List::Stop))
    };
    is_one(first)
        || first.is_some_and(|word| is_word(word) && !is_stop(word)) && is_one(words.next())
}

/// Whether the amount is said to be less than this: `less than half`, `under 30`, `not even a third`.
pub(super) fn is_not_reached(text: &str, amount: &Range<usize>) -> bool {
    const BELOW: [&str; 4] = ["less than", "fewer than", "under", "below"];
    const NOT: [&str; 3] = ["not even", "not quite", "not yet"];
    let head = text.get(..amount.start).unwrap_or_default().trim_end();
    let head = [" a", " an", " the", " one", "$", "€", "£"]
        .iter()
        .find_map(|word| head.strip_suffix(word))
        .map_or(head, str::trim_end);
    let ends = |phrase: &&str| {
        let start = head.len().checked_sub(phrase.len());
        let end = start.and_then(|start| head.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(phrase))
    };
    Hedge::of(text, amount).bound == Some(Bound::Down) && BELOW.iter().any(ends)
        || NOT.iter().any(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_an_amount_or_of_a_comparison_is_cut() {
        for (text, part, expected) in [
            ("it took 2 hours and 40 minutes", "it took 2 hours", true),
            ("it took 2 hours and 40 minutes", "40 minutes", true),
            ("it took 2 hours and 40 men", "it took 2 hours", false),
            ("less than half of the men", "half of the men", true),
            ("more than 300 men came", "300 men came", true),
            ("about 300 men came", "300 men came", false),
            ("he had a dozen more than she", "he had a dozen", true),
            ("he had 40 litres more", "he had 40 litres", true),
            ("he had 40 litres. more", "he had 40 litres", false),
            ("over the years 30 men came", "30 men came", false),
        ] {
            let start = text.find(part).unwrap();
            assert_eq!(
                is_cut(text, &(start..start + part.len())),
                expected,
                "{text} / {part}"
            );
        }
    }
}
