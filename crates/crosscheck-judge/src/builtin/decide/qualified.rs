//! Figures that a text has with another bound, or for another measure, than the claim: `before 1999`
//! and `in 1999`, `more than 500` and 500, `500 euros per tree` and `500 euros`.

use super::super::quantity::{Bound, QuantityKind, time_bound};
use super::spared::Figure;

/// Before the end of a range, whose beginning says what it means.
const RANGE: [&str; 4] = ["to", "through", "till", "and"];
/// Words for a bound, of which a figure says where it is: `the limit is 10`, `up to 10`.
const LIMITS: [&str; 8] = [
    "limit",
    "maxim",
    "minim",
    "max",
    "min",
    "cap",
    "threshold",
    "ceiling",
];
/// Words that spread an amount over each of something.
const EACH: [&str; 7] = ["per", "each", "every", "a", "an", "one", "any"];
/// A time that amounts are said for, and the words for each of it.
const PERIODS: [(&str, &[&str]); 6] = [
    ("hour", &["hourly"]),
    ("day", &["daily"]),
    ("week", &["weekly"]),
    ("month", &["monthly"]),
    ("quarter", &["quarterly"]),
    ("year", &["yearly", "annual", "annually"]),
];
/// Words before a length of time.
const LENGTHS: [&str; 8] = [
    "in", "for", "within", "of", "over", "after", "than", "during",
];
/// At most this many words may be between an amount and what it is for each of.
const BETWEEN: usize = 2;
/// At most this many bytes beside a figure are looked at.
const REACH: usize = 64;

/// Whether the text says the claim's figure otherwise than the claim.
pub(super) fn is_otherwise(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    claimed.kind.matches(found.kind)
        && !is_limit(claimed)
        && !is_limit(found)
        && (has_other_bound(claimed, found) || has_other_measure(claimed, found))
}

fn has_other_bound(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    let (own, its) = (claimed.hedge(), found.hedge());
    // `about 500` is what a claim can make of any bound.
    let is_about = own.about && (own.bound.is_none() || its.about);
    if is_time(claimed) {
        let (own, its) = (claimed, found);
        !is_about && !is_end(own) && !is_end(its) && time(own) != time(its)
    } else {
        !is_about && (own.bound != its.bound || is_range_end(found) && !is_in_range(claimed))
    }
}

/// Whether a range is said with a figure: `18 to 22`.
fn is_in_range(figure: &Figure<'_>) -> bool {
    let tail = figure.text.get(figure.range.end..).unwrap_or_default();
    let goes_on = ["-", " - ", " to ", " and "];
    is_end(figure) || goes_on.iter().any(|one| tail.starts_with(one))
}

/// Whether a figure is one of the two of `between 18 and 22`.
fn is_range_end(figure: &Figure<'_>) -> bool {
    let head = figure.text.get(..figure.range.start).unwrap_or_default();
    let near = head.get(head.floor_char_boundary(head.len().saturating_sub(REACH))..);
    let head = near
        .unwrap_or_default()
        .trim_end_matches([' ', '$', '€', '£']);
    let before = |word: &str| {
        let head = head.strip_suffix(word);
        head.is_some_and(|head| !head.ends_with(char::is_alphanumeric))
    };
    before("between") || before("and") && head.contains("between ")
}

fn time(figure: &Figure<'_>) -> Option<Bound> {
    time_bound(figure.text, &figure.range)
}

/// Whether a figure is a date or can be a year.
fn is_time(figure: &Figure<'_>) -> bool {
    let written = figure.text.get(figure.range.clone()).unwrap_or_default();
    let is_year = written.len() == 4 && written.bytes().all(|byte| byte.is_ascii_digit());
    is_year || !matches!(figure.kind, QuantityKind::Number { .. })
}

/// Whether a time is the end of a range.
fn is_end(figure: &Figure<'_>) -> bool {
    let head = figure.text.get(..figure.range.start).unwrap_or_default();
    let before = head.trim_end().rsplit(' ').next().unwrap_or_default();
    head.ends_with('-') || RANGE.contains(&before)
}

/// Whether a figure says where a bound is.
fn is_limit(figure: &Figure<'_>) -> bool {
    let head = figure.text.get(..figure.range.start).unwrap_or_default();
    let near = head.get(head.floor_char_boundary(head.len().saturating_sub(REACH))..);
    let is_limit = |word: &String| LIMITS.iter().any(|limit| word.starts_with(limit));
    words(near.unwrap_or_default()).iter().any(is_limit)
}

/// Whether one of two equal amounts is for each of something, and the other for all of it or for each
/// of something else.
fn has_other_measure(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    match (measure(claimed), measure(found)) {
        (Some(own), Some(its)) => own != its && !own.is_empty() && !its.is_empty(),
        (Some(own), None) => !is_measured(found.text, &own),
        (None, Some(its)) => !is_measured(claimed.text, &its),
        (None, None) => false,
    }
}

/// What an amount is for each of: the `tree` of `500 euros per tree`; empty behind a lone `each`.
fn measure(figure: &Figure<'_>) -> Option<String> {
    if !matches!(figure.kind, QuantityKind::Number { .. }) {
        return None;
    }
    let tail = figure.text.get(figure.range.end..).unwrap_or_default();
    let tail = tail.get(..tail.floor_char_boundary(REACH))?;
    let tail = tail.get(
        ..tail
            .find(['.', ',', ';', ':', '(', '\n'])
            .unwrap_or(tail.len()),
    )?;
    let words = words(tail);
    let near = words.iter().enumerate().take(BETWEEN + 1);
    near.into_iter().find_map(|(at, word)| {
        let next = words.get(at + 1).map_or("", String::as_str);
        // `in a year` is a time, not a measure
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_length = before.is_some_and(|before| LENGTHS.contains(&before.as_str()));
        let is_period = !is_length && PERIODS.iter().any(|(period, _)| *period == next);
        match word.as_str() {
            "per" | "each" | "every" if next == "of" => Some(String::new()),
            "per" | "each" | "every" => Some(singular(next).to_owned()),
            "a" | "an" if is_period => Some(next.to_owned()),
            word => {
                let period = PERIODS.iter().find(|(_, adverbs)| adverbs.contains(&word));
                period.map(|(period, _)| (*period).to_owned())
            }
        }
    })
}

/// Whether a text says that something is for each of this: `each tree`, `annual`.
fn is_measured(text: &str, measure: &str) -> bool {
    let words = words(text);
    let period = PERIODS.iter().find(|(period, _)| *period == measure);
    let adverbs = period.map_or(&[][..], |(_, adverbs)| adverbs);
    let is_each = |two: &[String]| matches!(two, [each, of] if EACH.contains(&each.as_str()) && singular(of) == measure);
    measure.is_empty()
        || words.windows(2).any(is_each)
        || words.iter().any(|word| adverbs.contains(&word.as_str()))
}

/// The words of a text in small letters; a slash is a `per`.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('/', " per ");
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}
