//! Another figure in the place of the claim's (judge D6).

use super::super::lexicon::{LEXICON, List};
use super::super::phrase::Phrase as _;
use super::super::prepared::Mark;
use super::super::quantity::{Quantity, QuantityKind, Role, range_of};
use super::super::text::chars::char_before;
use super::super::text::{is_letter, is_negation, is_word_char};
use super::figures::Wanted;
use super::governed::{is_change, is_compared};
use super::spared::{Figure, is_sum};
use super::unit::UnitSeen;
use super::{Case, reaches};

/// Another figure in the place of the claim's.
pub(super) struct Conflict {
    pub(super) unit: usize,
    /// Number of the claim's figure.
    pub(super) claimed: usize,
    pub(super) found: Mark,
}

impl Case<'_> {
    /// Judge D6: the first figure that conflicts with the claim's.
    pub(super) fn conflict(&self, wanted: &Wanted<'_>) -> Option<Conflict> {
        let clause = self.claim.clause_at(wanted.quantity.range.start);
        if clause.is_some_and(|clause| !clause.negations.is_empty())
            || wanted.quantity.role == Role::Vague
            || self.is_one_of_several_days(wanted)
            || self.text.has(wanted.quantity)
            || self.is_met_elsewhere(wanted)
            || self.is_allowed_somewhere(wanted)
            || self.can_be_added_up(wanted)
        {
            return None;
        }
        self.held.units().find_map(|(unit, _)| {
            if self.prose() && !self.is_same_subject(wanted, unit, false) {
                return None;
            }
            let seen = self.unit(unit);
            let found = self.conflict_in(wanted, &seen)?;
            Some(Conflict {
                unit,
                claimed: wanted.number,
                found,
            })
        })
    }

    /// Whether the figure follows from a difference and the sentences beside it: `The base version
    /// costs 700 euros. The large one costs 200 euros more.`
    fn can_be_added_up(&self, wanted: &Wanted<'_>) -> bool {
        let reach = self.thresholds.neighbours_prose;
        self.held.units().any(|(unit, _)| {
            let near = unit.saturating_sub(reach)..=unit + reach;
            let near: Vec<UnitSeen<'_>> = near.map(|unit| self.unit(unit)).collect();
            let figures = near.iter().flat_map(|seen| {
                let marks = self.text.figures().marks(seen.number).iter();
                marks.filter_map(|mark| self.figure(seen, mark))
            });
            let figures: Vec<Figure<'_>> = figures.collect();
            let differs = |one: &Figure<'_>| is_compared(one.text, &one.range);
            self.shared(wanted, unit) > 0
                && figures.iter().any(differs)
                && is_sum(&self.claimed(wanted), figures.iter())
        })
    }

    /// Whether the claim has other days, to which a day of the text may belong.
    fn is_one_of_several_days(&self, wanted: &Wanted<'_>) -> bool {
        let is_day = |kind: &QuantityKind| {
            matches!(kind, QuantityKind::Day { .. } | QuantityKind::Date { .. })
        };
        let days = self.claim.quantities.iter().filter(|one| is_day(&one.kind));
        matches!(wanted.quantity.kind, QuantityKind::Day { .. }) && days.count() > 1
    }

    /// Whether a sentence about the words near the figure has one that can be true beside it:
    /// 57.1 km for 57 kilometres.
    fn is_met_elsewhere(&self, wanted: &Wanted<'_>) -> bool {
        let claimed = self.claimed(wanted);
        self.held.units().any(|(unit, _)| {
            let shared = self.shared(wanted, unit);
            let near = shared > 0 && reaches(shared, wanted.context.len(), self.thresholds.context);
            near && self.strays(wanted, unit, false).any(|mark| {
                let seen = self.unit(unit);
                let found = self.figure(&seen, &mark);
                found.is_some_and(|found| self.spares(&claimed, &found))
            })
        })
    }

    /// Whether the text has a figure that the claim's hedge, its range or its rounding allows, in a
    /// sentence with one of the words near it.
    fn is_allowed_somewhere(&self, wanted: &Wanted<'_>) -> bool {
        let claimed = self.claimed(wanted);
        let all = &self.claim.quantities;
        let range = |first| range_of(self.claim.text, all, first);
        let before = wanted.number.checked_sub(1).and_then(range);
        let quantity = Quantity {
            hedge: claimed.hedge(),
            ends: range(wanted.number).or(before).map(Box::new),
            ..wanted.quantity.clone()
        };
        let mut near = self
            .held
            .units()
            .map(|(unit, _)| unit)
            .filter(|unit| self.shared(wanted, *unit) > 0);
        near.any(|unit| {
            let mut values = self.text.figures().values(unit);
            values.any(|value| quantity.allows(value))
        })
    }

    fn conflict_in(&self, wanted: &Wanted<'_>, seen: &UnitSeen<'_>) -> Option<Mark> {
        let unit = seen.number;
        if seen.count() > self.thresholds.unit_words {
            return None;
        }
        // A sentence inside code still counts as prose.
        let code = !self.prose() && !seen.is_prose();
        let same =
            self.is_same_subject(wanted, unit, code) || code && self.counts_the_same(wanted, unit);
        if !same {
            return None;
        }
        let mut strays = self.strays(wanted, unit, code).peekable();
        strays.peek()?;
        let claimed = self.claimed(wanted);
        let marks = self.text.figures().marks(unit).iter();
        let comparable = marks.filter_map(|mark| self.figure(seen, mark));
        // `500 jobs, 200 of them` can also be added up.
        let (comparable, others): (Vec<Figure<'_>>, Vec<Figure<'_>>) =
            comparable.partition(|found| claimed.kind.is_comparable(found.kind, code));
        if comparable.iter().any(|found| self.spares(&claimed, found))
            || is_sum(&claimed, comparable.iter().chain(&others))
            || code && comparable.iter().any(is_operand)
        {
            return None;
        }
        let is_year = matches!(claimed.kind, QuantityKind::Year(_));
        let own = is_attributive(&claimed);
        // `fell by 25,000` can be calculated from 212,000 and 187,000.
        let differs =
            |one: &Figure<'_>| is_change(one.text, &one.range) || is_compared(one.text, &one.range);
        let calculated = differs(&claimed);
        strays.find(|mark| {
            let found = self.figure(seen, mark);
            calculated == found.as_ref().is_some_and(differs)
                && (!is_year || found.is_some_and(|found| is_attributive(&found) == own))
        })
    }

    /// Whether a unit shares enough with the claim for its figure to be about the same.
    fn is_same_subject(&self, wanted: &Wanted<'_>, unit: usize, code: bool) -> bool {
        let shared = self.shared(wanted, unit);
        let near = shared > 0 && reaches(shared, wanted.context.len(), self.thresholds.context);
        let held = || {
            let own = (0u32..).take(self.claim.plain);
            let is_held = |stem: &u32| {
                self.holds(unit, *stem) || self.held.header.binary_search(stem).is_ok()
            };
            own.filter(is_held).count()
        };
        near && (code || reaches(held(), self.claim.plain, self.thresholds.conflict))
    }
}

/// Whether a number in code is part of a calculation: `60 * 60`.
pub(super) fn is_operand(figure: &Figure<'_>) -> bool {
    let is_operator = |c: char| matches!(c, '*' | '/' | '+' | '<');
    let head = figure.text.get(..figure.range.start).unwrap_or_default();
    let tail = figure
        .text
        .get(figure.range.end..)
        .unwrap_or_default()
        .trim_start();
    let comment = ["//", "/*", "*/"].iter().any(|mark| tail.starts_with(mark));
    let before = head.trim_end();
    let comment_before = ["//", "/*"].iter().any(|mark| before.ends_with(mark));
    tail.starts_with(is_operator) && !comment || before.ends_with(is_operator) && !comment_before
}

/// Whether a year is only attributive: `the 1959 novel`.
fn is_attributive(year: &Figure<'_>) -> bool {
    const BEFORE: [&str; 8] = ["the", "a", "an", "its", "his", "her", "their", "this"];
    let head = year.text.get(..year.range.start).unwrap_or_default();
    let Some(head) = head.strip_suffix(' ') else {
        return false;
    };
    let follows = BEFORE.iter().any(|word| {
        let start = head.len().checked_sub(word.len());
        let own = start.and_then(|start| head.get(start..));
        own.is_some_and(|own| own.eq_ignore_ascii_case(word))
            && !start
                .and_then(|start| char_before(head, start))
                .is_some_and(is_word_char)
    });
    let behind = year.text.get(year.range.start + 4..).unwrap_or_default();
    let behind = behind.strip_prefix(' ').unwrap_or_default();
    let word = behind.get(..behind.find(|c| !is_letter(c)).unwrap_or(behind.len()));
    let word = word.unwrap_or_default();
    let entry = LEXICON.word(word);
    follows
        && !word.is_empty()
        && word.chars().all(char::is_lowercase)
        && !entry.is_some_and(|entry| entry.is(List::Stop))
        && !is_negation(word, entry)
}

#[cfg(test)]
mod tests {
    use super::super::super::quantity::scan;
    use super::*;

    #[test]
    fn a_number_in_a_calculation_is_not_a_value() {
        for (text, expected) in [
            ("TTL = 60 * 60", true),
            ("1 << 20", true),
            ("5 // five", false),
            ("x = 5;", false),
            ("/* 5 */", false),
        ] {
            let quantity = &scan(text, true)[0];
            let figure = Figure {
                text,
                range: quantity.range.clone(),
                kind: &quantity.kind,
            };
            assert_eq!(is_operand(&figure), expected, "{text}");
        }
    }

    #[test]
    fn a_year_between_article_and_noun_is_attributive() {
        for (text, expected) in [
            ("the 1959 novel was adapted", true),
            ("The 1959 novel was adapted", true),
            ("adapted in 1959 by them", false),
            ("bathe 1959 novel", false),
            ("the 1959 Novel", false),
            ("the 1959 and later", false),
            ("the 1959", false),
        ] {
            let quantity = &scan(text, false)[0];
            let figure = Figure {
                text,
                range: quantity.range.clone(),
                kind: &quantity.kind,
            };
            assert_eq!(is_attributive(&figure), expected, "{text}");
        }
    }
}
