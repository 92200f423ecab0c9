//! Sentences that have all words of the claim, some of them where they are said of something else: the
//! other side of a comparison, a part of the whole, another figure or another name in their place
//! (judge R1).

use std::ops::Range;

use super::super::lexicon::{LEXICON, WordEntry};
use super::super::phrase::{Phrase, is_border};
use super::super::quantity::QuantityKind;
use super::Case;
use super::overlap::Overlap;
use super::roles::{is_capital, is_sentence};
use super::unit::UnitSeen;

/// Words of a claim that compares.
const COMPARES: [&str; 6] = ["compared", "versus", "vs", "against", "unlike", "rather"];
/// Words that set what is behind them against what is before them.
const AGAINST: [&str; 3] = ["but", "yet", "though"];

impl Case<'_> {
    /// Whether the best sentence lends the claim a word that it says of something else.
    pub(super) fn is_lent(&self, best: &UnitSeen<'_>) -> bool {
        is_sentence(best)
            && best.count() <= self.thresholds.unit_words
            && (self.is_of_other_side(best) || self.is_of_part(best) || self.is_contrasted(best))
            || self.has_other_complement(best)
    }

    /// `B costs 5 euros` / `A costs 5 euros, less than B`
    fn is_of_other_side(&self, best: &UnitSeen<'_>) -> bool {
        let compares = |word: usize| {
            is_side(self.claim, word) || COMPARES.iter().any(|one| self.claim.is_word(word, one))
        };
        !(0..self.claim.count()).any(compares)
            && (0..best.count())
                .filter(|word| is_side(best, *word))
                .any(|than| self.has_only_in(best, &behind(best, than)))
    }

    /// `200 pupils from abroad` / `200 pupils, of whom 40 are from abroad`
    fn is_of_part(&self, best: &UnitSeen<'_>) -> bool {
        let is_part = |word: &usize| {
            let next = ["whom", "which", "them", "these", "those"];
            best.is_word(*word, "of")
                && word + 1 < best.count()
                && next.iter().any(|one| best.is_word(word + 1, one))
                && best
                    .tail(word + 1)
                    .trim_start()
                    .starts_with(|c: char| c.is_ascii_digit())
        };
        (0..best.count()).filter(is_part).any(|of| {
            let part = behind(best, of + 1);
            !self.has_figure_in(best, &part) && self.has_only_in(best, &part)
        })
    }

    /// `better at night` / `better by day, but worse at night`
    fn is_contrasted(&self, best: &UnitSeen<'_>) -> bool {
        let says =
            |wanted: &str| (0..self.claim.count()).any(|word| self.claim.is_word(word, wanted));
        let turns = |word: usize| {
            let entry = best.entry(word).filter(|entry| !self.claim.has(entry));
            entry.is_some_and(|entry| entry.opposites.iter().any(|one| says(one)))
        };
        let is_border = |word: &usize| AGAINST.iter().any(|one| best.is_word(*word, one));
        (0..best.count()).filter(is_border).any(|border| {
            let part = behind(best, border);
            part.clone().any(turns) && self.has_only_in(best, &part)
        })
    }

    /// Whether a sentence has a word or figure of the claim in this part of it only.
    fn has_only_in(&self, best: &UnitSeen<'_>, part: &Range<usize>) -> bool {
        let outside = || (0..best.count()).filter(|word| !part.contains(word));
        let is_lone = |word: usize| {
            if let Some(stem) = best.stem(word) {
                return outside().all(|other| best.stem(other) != Some(stem));
            }
            let text = best.text().get(best.range(word)).unwrap_or_default();
            let entry = best.entry(word);
            entry.is_some_and(|entry| !entry.opposites.is_empty() && self.claim.has(entry))
                && outside().all(|other| !best.is_word(other, text))
        };
        part.clone().any(is_lone) || self.has_figure_in(best, part)
    }

    /// Whether a sentence has a figure of the claim in this part of it only.
    fn has_figure_in(&self, best: &UnitSeen<'_>, part: &Range<usize>) -> bool {
        let figures = self.text.figures();
        let place = best.range(part.start).start..best.range(part.end.saturating_sub(1)).end;
        self.claim.quantities.iter().any(|quantity| {
            let marks = figures.marks(best.number).iter();
            let mut same = marks
                .filter(|mark| {
                    figures
                        .value(mark)
                        .is_some_and(|value| quantity.means(value))
                })
                .peekable();
            same.peek().is_some() && same.all(|mark| place.contains(&mark.range().start))
        })
    }

    /// `played for A` / `played for B`, where A is in the title or in another sentence.
    fn has_other_complement(&self, best: &UnitSeen<'_>) -> bool {
        (2..self.claim.count()).any(|name| {
            let stem = self
                .claim
                .stem(name)
                .filter(|_| is_capital(self.claim, name));
            let word = |at: usize| {
                self.claim
                    .text
                    .get(self.claim.range(at))
                    .unwrap_or_default()
            };
            let (verb, small) = (word(name - 2), word(name - 1));
            let is_other = |at: usize| {
                best.is_word(at - 2, verb)
                    && best.is_word(at - 1, small)
                    && is_capital(best, at)
                    && best.stem(at).is_none()
            };
            let gap = self.claim.range(name - 1).end..self.claim.range(name).start;
            self.claim.text.get(gap) == Some(" ")
                && self.claim.is_content(name - 2)
                && !self.claim.is_content(name - 1)
                && stem.is_some_and(|stem| !self.holds(best.number, stem))
                && (2..best.count()).any(is_other)
        })
    }

    /// `A was founded in 1742` / `B was founded in 1742. A, founded in 1911, …`: the sentence with all
    /// words of the claim has another such figure.
    pub(super) fn has_own_figure(&self, overlap: &Overlap, best: &UnitSeen<'_>) -> bool {
        let figures = self.text.figures();
        let values = || figures.values(best.number);
        let rivals = |own: &QuantityKind, value: &QuantityKind| {
            own.is_comparable(value, false) || own.year().and(value.year()).is_some()
        };
        let is_claimed = |value: &_| self.claim.quantities.iter().any(|one| one.means(value));
        let held = self.held.of_unit(best.number).iter();
        let held = held.filter(|stem| (**stem as usize) < self.claim.plain);
        is_sentence(best)
            && best.count() <= self.thresholds.unit_words
            && held.count() == overlap.count()
            && self.claim.quantities.iter().any(|quantity| {
                !values().any(|value| quantity.means(value))
                    && values().any(|value| rivals(&quantity.kind, value) && !is_claimed(value))
            })
    }
}

/// Whether the other side of a comparison begins behind this word: not `more than ten`, `more than
/// doubled`.
fn is_side(phrase: &impl Phrase, than: usize) -> bool {
    let tail = phrase.tail(than).trim_start();
    let next = tail.split(' ').next().unwrap_or_default();
    let counts = |entry: &WordEntry| entry.number.is_some() || entry.unit.is_some();
    phrase.is_word(than, "than")
        && tail.starts_with(char::is_alphabetic)
        && !next.ends_with("ed")
        && !LEXICON.word_in_any_case(next).is_some_and(counts)
}

/// The words behind one, up to a mark.
fn behind(phrase: &impl Phrase, word: usize) -> Range<usize> {
    let ends = |next: &usize| {
        let between = phrase.range(next - 1).end..phrase.range(*next).start;
        is_border(phrase.text().get(between).unwrap_or_default())
    };
    let end = (word + 2..phrase.count()).find(ends);
    word + 1..end.unwrap_or(phrase.count())
}
