//! Another figure in the place of the claim's (judge D6).

use super::figures::Wanted;
use super::qualified::{is_change, is_compared};
use super::spared::Figure;
use super::unit::UnitSeen;
use super::{Case, reaches};
use crate::builtin::prepared::Mark;
use crosscheck_language::lexicon::{LEXICON, List};
use crosscheck_language::phrase::Phrase as _;
use crosscheck_language::quantity::{QuantityKind, Role, origin_of};
use crosscheck_language::text::chars::char_before;
use crosscheck_language::text::{is_letter, is_negation, is_word_char};

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
            || self.text.has(wanted.quantity)
            || self.has_origin(wanted)
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

    /// Whether the figure comes from figures of a sentence about the words near it and of those beside
    /// that sentence.
    fn has_origin(&self, wanted: &Wanted<'_>) -> bool {
        let claimed = self.claimed(wanted);
        let reach = self.thresholds.neighbours_prose;
        self.held.units().any(|(unit, _)| {
            if self.shared(wanted, unit) == 0 {
                return false;
            }
            let near = unit.saturating_sub(reach)..=unit + reach;
            let values = near.flat_map(|unit| self.text.figures().values(unit));
            let values: Vec<&QuantityKind> = values.collect();
            let is_spared = |mark| {
                let seen = self.unit(unit);
                let found = self.figure(&seen, &mark);
                found.is_some_and(|found| self.spares(&claimed, &found))
            };
            origin_of(wanted.quantity, &values).is_some()
                || self.strays(wanted, unit, false).any(is_spared)
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
        let mut comparable = marks
            .filter_map(|mark| self.figure(seen, mark))
            .filter(|found| claimed.kind.is_comparable(found.kind, code));
        if comparable.any(|found| self.spares(&claimed, &found) || code && is_operand(&found)) {
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
    use super::*;
    use crosscheck_language::quantity::scan;

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
