//! The fourth question about a passage with all words of the claim (judge R1): does a word around them
//! qualify what it says, and the claim does not have it? A negation, `almost`, `might`, `if`, someone
//! who only says so; for a figure a bound, or what it is for each of.

use std::ops::Range;

use crosscheck_language::lexicon::{LEXICON, List, WordEntry};
use crosscheck_language::phrase::{Phrase, is_soft, negations};
use crosscheck_language::quantity::{Bound, Hedge, Quantity, QuantityKind, Unit, scan, time_bound};
use crosscheck_language::text::is_word_char;

use super::Case;
use super::align::between;
use super::overlap::Overlap;
use super::spared::Figure;
use super::statement::Doubt;
use super::unit::UnitSeen;

/// `refused to resign`: the longest distance at which `refused` still counts.
const REACH: usize = 2;
/// What depends on a condition is at most this many words beside the word for it.
const CONDITION_REACH: usize = 8;
/// `denied reports on Monday that`: the longest distance at which `that` belongs to the verb.
const THAT: usize = 8;
/// At most this many bytes beside a figure are looked at.
const NEAR: usize = 64;

impl Case<'_> {
    /// The word that qualifies the passage, or the figure that it gives otherwise.
    pub(super) fn qualified(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> Option<Doubt> {
        let says = |word: usize, what: &str| {
            let word = best.source().get(best.range(word)).unwrap_or_default();
            Doubt::new("polarity_unsure", format!("{what}: “{word}”"))
        };
        let is_otherwise = |unit: &UnitSeen<'_>, quantity: &Quantity, mark: &_| {
            let found = self.figure(unit, mark);
            found.is_some_and(|found| is_otherwise(&self.figure_of(quantity), &found))
        };
        if let Some(word) = self.lost_negation(overlap) {
            return Some(Doubt::new(
                "polarity_unsure",
                format!("may deny it: “{word}”"),
            ));
        }
        if self.has_figure_only(overlap, is_otherwise) {
            let says = "gives the figure with another bound or for something else";
            return Some(Doubt::new("polarity_unsure", says));
        }
        if self.has_other_idiom(overlap) {
            return Some(Doubt::new(
                "polarity_unsure",
                "says it with another “only” or “just”",
            ));
        }
        if !best.is_prose() || best.count() > self.thresholds.unit_words {
            return None;
        }
        let shared: Vec<usize> = (0..best.count())
            .filter(|word| best.stem(*word).is_some())
            .collect();
        let (first, last) = (*shared.first()?, *shared.last()?);
        let mut around = first.saturating_sub(REACH)..best.count().min(last + 2 + REACH);
        around
            .find(|word| self.weakens(best, *word, first, last))
            .map(|word| says(word, "may not say that it is so"))
            .or_else(|| {
                Some(says(
                    self.hedging(best, &shared)?,
                    "says it with a condition",
                ))
            })
            .or_else(|| {
                Some(says(
                    self.attributing(best, &shared)?,
                    "only reports that someone says so",
                ))
            })
    }

    fn figure_of<'f>(&'f self, quantity: &'f Quantity) -> Figure<'f> {
        Figure {
            text: self.claim.text,
            range: quantity.range.clone(),
            kind: &quantity.kind,
        }
    }

    /// Whether a word of the sentence takes something from what it says: `almost`, `failed`, `former`,
    /// `missing`, a negation of another language.
    fn weakens(&self, unit: &UnitSeen<'_>, word: usize, first: usize, last: usize) -> bool {
        let Some(entry) = unit.entry(word).filter(|entry| !self.claim.has(entry)) else {
            return false;
        };
        let softens = entry.is(List::Almost) || is_soft(unit, word) && unit.stem(word).is_none();
        let behind = unit.tail(word).trim_start();
        // `nearly 100 schools`: the word belongs to the figure
        let counts =
            behind.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '€' | '£'));
        // `expected to be signed`
        let to = usize::from(unit.is_word(word + 1, "to"));
        let reach = word + 1..unit.count().min(word + 1 + REACH + to);
        let reaches = || !counts && reach.clone().any(|next| unit.stem(next).is_some());
        // `Tours have been suspended`
        let happens = || {
            let be = ["is", "are", "was", "were", "been", "be", "being"];
            word > 0 && be.iter().any(|one| unit.is_word(word - 1, one))
        };
        // `the former minister`; a name behind it is not what someone was
        let is_of_next = || {
            behind
                .trim_start_matches('-')
                .starts_with(char::is_lowercase)
                && unit.stem(word + 1).is_some()
        };
        // `Entry without a ticket is free`
        let excludes = || {
            let mut behind = word + 1..unit.count().min(word + 1 + REACH);
            unit.is_word(word, "without")
                && (first..last).contains(&word)
                && behind.any(|next| unit.is_content(next) && unit.stem(next).is_none())
        };
        entry.is(List::Gone) && happens()
            || excludes()
            || softens && entry.is(List::SoftNegation) && word > first && happens()
            || word < last
                && (softens && reaches()
                    || entry.is(List::Former) && is_of_next()
                    || is_denied_idiom(unit, word, entry)
                    || entry.is(List::Supposing) && word < first
                    || entry.is(List::ForeignNegation))
    }

    /// A word that makes it only possible, wanted or dependent on something: `could begin`, `if the
    /// bill passes`.
    fn hedging(&self, unit: &UnitSeen<'_>, shared: &[usize]) -> Option<usize> {
        let depends = |word: usize| {
            unit.is_on(word, List::Condition)
                && !(word > 0 && unit.is_word(word - 1, "even"))
                && shared
                    .iter()
                    .any(|one| one.abs_diff(word) <= CONDITION_REACH)
        };
        // `May` is a month, `said it would close` is said of `it will close`
        let is_modal = |word: usize| {
            let text = unit.source().get(unit.range(word)).unwrap_or_default();
            let is_past = || {
                let has = |wanted: &str| (0..unit.count()).any(|one| unit.is_word(one, wanted));
                text == "would"
                    && (0..word).any(|one| unit.is_on(one, List::Saying))
                    && !has("without")
                    && !has("otherwise")
            };
            unit.is_on(word, List::Modal)
                && text.starts_with(char::is_lowercase)
                && !(word + 1 < unit.count() && unit.negates(word + 1))
                && shared
                    .iter()
                    .any(|one| (word + 1..=word + 1 + REACH).contains(one))
                && !is_past()
        };
        let all = || 0..unit.count();
        let own = |lists: &[List]| {
            let words = 0..self.claim.count();
            words
                .filter(|word| lists.iter().any(|list| self.claim.is_on(*word, *list)))
                .count()
        };
        // the claim may say it with another such word
        let first_of =
            |places: Vec<usize>, own: usize| places.first().copied().filter(|_| places.len() > own);
        first_of(
            all().filter(|word| depends(*word)).collect(),
            own(&[List::Condition]),
        )
        .or_else(|| {
            first_of(
                all().filter(|word| is_modal(*word)).collect(),
                own(&[List::Modal, List::Hedge]),
            )
        })
    }

    /// A word by which someone only says so, or denies it: `Posts claim that …`, `…; the firm denies
    /// this`.
    fn attributing(&self, unit: &UnitSeen<'_>, shared: &[usize]) -> Option<usize> {
        let is_own = |word: usize| unit.entry(word).is_some_and(|entry| self.claim.has(entry));
        let reports = |word: usize| {
            let listed = unit.is_on(word, List::Opinion) || unit.is_on(word, List::Distancing);
            let end = unit.count().min(word + 1 + THAT);
            let that = (word + 1..end).find(|next| unit.is_word(*next, "that"));
            let fits = |that: usize| {
                let between = unit
                    .source()
                    .get(unit.range(word).end..unit.range(that).start);
                let behind = shared.iter().filter(|one| **one > that).count();
                !between.unwrap_or_default().contains([';', ':']) && 2 * behind >= shared.len()
            };
            listed && !(word > 0 && unit.negates(word - 1)) && that.is_some_and(fits)
        };
        let denies = |word: usize| {
            let tail = unit.tail(word + 1).trim_start();
            let ends = tail.is_empty() || tail.starts_with([',', '.', ';', ')']);
            let it = ["this", "it", "that"];
            unit.is_on(word, List::Denying)
                && ends
                && it.iter().any(|it| unit.is_word(word + 1, it))
        };
        (0..unit.count()).find(|word| !is_own(*word) && (reports(*word) || denies(*word)))
    }

    /// A negation of the passage that a claim without any leaves out: its clause has half of the
    /// claim's words, and what it denies is in the claim.
    fn lost_negation(&self, overlap: &Overlap) -> Option<String> {
        if negations(self.claim).next().is_some() {
            return None;
        }
        overlap.units.clone().find_map(|number| {
            let unit = self.unit(number);
            if !unit.turns || !self.is_read(&unit) {
                return None;
            }
            let found = negations(&unit).find(|negation| {
                let part = clause_around(&unit, *negation);
                let mut stems: Vec<u32> = part.clone().filter_map(|word| unit.stem(word)).collect();
                stems.sort_unstable();
                stems.dedup();
                let many = 2 * stems.len() >= self.claim.plain;
                let mut behind = *negation + 1..part.end;
                let is_denied = |word: usize| {
                    let text = unit.source().get(unit.range(word)).unwrap_or_default();
                    let said = || (0..self.claim.count()).any(|own| self.claim.is_word(own, text));
                    unit.stem(word).is_some() || text.len() > 3 && said()
                };
                let denies = behind.any(is_denied);
                let ends = negation + 1 == part.end;
                denies && many || ends && !stems.is_empty()
            })?;
            unit.source().get(unit.range(found)).map(str::to_owned)
        })
    }

    /// `only` / `not only`, `can simply` / `can not simply`
    fn has_other_idiom(&self, overlap: &Overlap) -> bool {
        let own = idioms(self.claim);
        let units = overlap.units.clone().map(|unit| self.unit(unit));
        let its: Vec<(&WordEntry, bool)> = units.flat_map(|unit| idioms(&unit)).collect();
        own.iter().any(|(entry, negated)| {
            let same = |one: &&(&WordEntry, bool)| std::ptr::eq(one.0, *entry);
            let mut found = its.iter().filter(same).peekable();
            own.iter().filter(same).all(|(_, own)| own == negated)
                && found.peek().is_some()
                && found.all(|(_, its)| its != negated)
        })
    }
}

/// The words around one up to the marks and words that end a clause.
fn clause_around(unit: &UnitSeen<'_>, at: usize) -> Range<usize> {
    let begins = |word: &usize| {
        unit.is_on(*word, List::ClauseBorder) || between(unit, *word).contains([',', ';', ':', '('])
    };
    let start = (1..=at).rev().find(begins).unwrap_or(0);
    let end = (at + 1..unit.count()).find(begins).unwrap_or(unit.count());
    start..end
}

/// `does not necessarily`, `can not simply`: no plain negation, but no plain yes either.
fn is_denied_idiom(unit: &UnitSeen<'_>, word: usize, entry: &WordEntry) -> bool {
    let Some(before) = &entry.denied_behind else {
        return false;
    };
    let follows = || {
        let wanted = word.checked_sub(2);
        wanted.is_some_and(|at| before.iter().any(|one| unit.is_word(at, one)))
    };
    word > 0 && unit.negates(word - 1) && (before.is_empty() || follows())
}

/// The words that form an idiom behind `not`, and whether it is there.
fn idioms(phrase: &impl Phrase) -> Vec<(&'static WordEntry, bool)> {
    let Some(not) = LEXICON.word("not") else {
        return Vec::new();
    };
    let is_one = |word: &usize| not.idiom.iter().any(|one| phrase.is_word(*word, one));
    let words = (0..phrase.count()).filter(is_one);
    let negated = |word: usize| word > 0 && phrase.negates(word - 1);
    words
        .filter_map(|word| Some((phrase.entry(word)?, negated(word))))
        .collect()
}

/// Whether the text says the claim's figure otherwise than the claim: with another bound, or for each
/// of something else.
pub(super) fn is_otherwise(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    claimed.kind.matches(found.kind)
        && !is_limit(claimed)
        && !is_limit(found)
        && (has_other_bound(claimed, found)
            || has_other_measure(claimed, found)
            || is_compared(found.text, &found.range) && !is_compared(claimed.text, &claimed.range)
            || has_other_end(claimed, found))
}

fn has_other_bound(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    let (own, its) = (claimed.hedge(), found.hedge());
    // `about 500` is what a claim can make of any bound
    let is_about = own.about && (own.bound.is_none() || its.about);
    if is_time(claimed) {
        let time = |figure: &Figure<'_>| time_bound(figure.text, &figure.range);
        !is_about && !is_end(claimed) && !is_end(found) && time(claimed) != time(found)
    } else {
        !is_about && (own.bound != its.bound || is_one_of_two(found) && !is_in_range(claimed))
    }
}

/// `fell to 940` / `fell from 940 to 705`
fn has_other_end(claimed: &Figure<'_>, found: &Figure<'_>) -> bool {
    let before = |figure: &Figure<'_>| {
        head(figure)
            .trim_end()
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    matches!(
        (before(claimed).as_str(), before(found).as_str()),
        ("to", "from") | ("from", "to")
    )
}

fn head<'f>(figure: &Figure<'f>) -> &'f str {
    let head = figure.text.get(..figure.range.start).unwrap_or_default();
    let from = head.floor_char_boundary(head.len().saturating_sub(NEAR));
    head.get(from..).unwrap_or_default()
}

fn tail<'f>(figure: &Figure<'f>) -> &'f str {
    let tail = figure.text.get(figure.range.end..).unwrap_or_default();
    tail.get(..tail.floor_char_boundary(NEAR))
        .unwrap_or_default()
}

/// Whether a range is said with a figure: `18 to 22`.
fn is_in_range(figure: &Figure<'_>) -> bool {
    let goes_on = ["-", " - ", " to ", " and "];
    is_end(figure)
        || is_one_of_two(figure)
        || goes_on.iter().any(|one| tail(figure).starts_with(one))
}

/// Whether a figure is one of the two of `between 18 and 22`.
fn is_one_of_two(figure: &Figure<'_>) -> bool {
    let head = head(figure).trim_end_matches([' ', '$', '€', '£']);
    let ends_with = |word: &str| {
        let head = head.strip_suffix(word);
        head.is_some_and(|head| !head.ends_with(char::is_alphanumeric))
    };
    let is_first = || {
        let behind = tail(figure)
            .split_once(" and ")
            .map(|(_, behind)| behind.trim_start_matches(['$', '€', '£']));
        behind.is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_digit()))
    };
    ends_with("between") && is_first() || ends_with("and") && head.contains("between ")
}

/// Whether a figure is a date or can be a year.
fn is_time(figure: &Figure<'_>) -> bool {
    match figure.kind {
        QuantityKind::Number { unit, .. } => {
            let written = figure.text.get(figure.range.clone()).unwrap_or_default();
            *unit == Unit::None
                && written.len() == 4
                && written.bytes().all(|byte| byte.is_ascii_digit())
        }
        kind => !matches!(kind, QuantityKind::Long(_)),
    }
}

/// Whether a time is the end of a range.
fn is_end(figure: &Figure<'_>) -> bool {
    let head = head(figure);
    let before = head.trim_end().rsplit(' ').next().unwrap_or_default();
    head.ends_with('-') || ["to", "through", "till", "and"].contains(&before)
}

/// Whether a figure says where a bound is: `the limit is 10`.
fn is_limit(figure: &Figure<'_>) -> bool {
    let mut words = head(figure).split(|c: char| !c.is_alphabetic());
    words.any(|word| is_on(word, List::LimitNoun))
}

fn is_on(word: &str, list: List) -> bool {
    LEXICON
        .word_in_any_case(word)
        .is_some_and(|entry| entry.is(list))
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

/// A time that amounts are said for, and the words for each of it.
const PERIODS: [(&str, &[&str]); 6] = [
    ("hour", &["hourly"]),
    ("day", &["daily"]),
    ("week", &["weekly"]),
    ("month", &["monthly"]),
    ("quarter", &["quarterly"]),
    ("year", &["yearly", "annual", "annually"]),
];

/// What an amount is for each of: the `tree` of `500 euros per tree`; empty behind a lone `each`.
fn measure(figure: &Figure<'_>) -> Option<String> {
    const LENGTHS: [&str; 8] = [
        "in", "for", "within", "of", "over", "after", "than", "during",
    ];
    if !matches!(figure.kind, QuantityKind::Number { .. }) {
        return None;
    }
    let tail = tail(figure);
    let end = tail.find(['.', ',', ';', ':', '(', '\n']);
    let words = words(tail.get(..end.unwrap_or(tail.len()))?);
    words
        .iter()
        .enumerate()
        .take(REACH + 1)
        .find_map(|(at, word)| {
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
    const EACH: [&str; 7] = ["per", "each", "every", "a", "an", "one", "any"];
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

/// Whether the amount is how much something changed: fell `by` 40.
pub(super) fn is_change(text: &str, amount: &Range<usize>) -> bool {
    let head = text.get(..amount.start).unwrap_or_default().trim_end();
    let about = LEXICON
        .phrases
        .about
        .iter()
        .find_map(|about| head.strip_suffix(&**about));
    about.unwrap_or(head).trim_end().ends_with(" by")
}

/// Whether the amount is how much something is more or less; the counted word may be between.
pub(super) fn is_compared(text: &str, amount: &Range<usize>) -> bool {
    comparing(text, amount).is_some()
}

/// Where the word is that compares with an amount.
fn comparing(text: &str, amount: &Range<usize>) -> Option<usize> {
    let tail = text.get(amount.end..)?.strip_prefix(' ')?;
    let bare = |word: &str| {
        word.find(|c| !is_word_char(c))
            .and_then(|end| word.get(..end))
            .map_or(word.len(), str::len)
    };
    let compares = |word: &str| {
        word.get(..bare(word))
            .is_some_and(|word| is_on(word, List::Comparing))
    };
    let (first, rest) = tail.split_once(' ').unwrap_or((tail, ""));
    if compares(first) {
        return Some(amount.end + 1);
    }
    // `20 or more` is a bound
    let is_noun = !first.is_empty()
        && first.chars().all(|c| is_word_char(c) || c == '-')
        && !is_on(first, List::Stop);
    let second = rest.split(' ').next().unwrap_or_default();
    (is_noun && compares(second)).then_some(amount.end + 2 + first.len())
}

/// Whether an amount of the text goes on beyond an end of this part, or belongs to a bound or a
/// comparison that the part leaves out: `2 hours` of `2 hours and 40 minutes`, `half of` in `less than
/// half of`, `a dozen` in `a dozen more than`.
pub(super) fn is_cut(text: &str, part: &Range<usize>) -> bool {
    const SPAN: usize = 48;
    let around = |at: usize| {
        let from = text.ceil_char_boundary(at.saturating_sub(SPAN));
        let to = text.floor_char_boundary(text.len().min(at + SPAN));
        (text.get(from..to).unwrap_or_default(), at - from)
    };
    let is_across = |(near, edge): (&str, usize)| {
        scan(near, false).iter().any(|one| {
            let behind = near.get(edge..one.range.end).unwrap_or_default();
            // `7 am.` ends before its full stop
            one.range.start < edge && edge < one.range.end && behind.contains(char::is_alphanumeric)
        })
    };
    let (near, edge) = around(part.start);
    let is_bounded = scan(near, false).iter().any(|one| {
        let article = near.get(edge..one.range.start);
        article.is_some_and(|article| matches!(article, "" | "a " | "an " | "the " | "one "))
            && matches!(
                Hedge::of(near, &(edge..one.range.end)).bound,
                Some(Bound::Up | Bound::Down)
            )
    });
    let (near, edge) = around(part.end);
    let is_compared = scan(near, false).iter().any(|one| {
        one.range.end <= edge && comparing(near, &one.range).is_some_and(|at| at >= edge)
    });
    is_bounded || is_compared || is_across(around(part.start)) || is_across(around(part.end))
}
