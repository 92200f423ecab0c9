//! Whether a unit says the opposite: negations and words of opposite meaning.

use super::lexicon::LEXICON;
use super::survey::{Asked, Poles, Survey, UnitSeen};
use super::text::{
    each_word, is_content, is_letter, is_negation, is_prose, is_word_char, stem_into,
};

/// What the comparison of polarity says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Polarity {
    Agrees,
    /// Something points the other way, but not clearly enough.
    Unsure,
    /// This unit says the opposite.
    Opposed(usize),
}

/// The axis of enabled and disabled, which an assignment of a truth value sets.
const TRUTH_AXIS: u8 = 0;

pub(super) fn compare(snippet: &str, asked: &Asked<'_>, survey: &Survey) -> Polarity {
    let view = View {
        snippet,
        asked,
        survey,
        weighing: (0..asked.all())
            .filter(|id| u32::try_from(*id).is_ok_and(|id| asked.weighs(id)))
            .count(),
    };
    match view.best_on_axis() {
        Some((number, unit, poles)) => view.on_axis(number, unit, poles),
        None => view.by_negation(),
    }
}

struct View<'v> {
    snippet: &'v str,
    asked: &'v Asked<'v>,
    survey: &'v Survey,
    /// How many stems of the claim count here.
    weighing: usize,
}

impl View<'_> {
    /// How many of the stems that count this unit holds.
    fn held(&self, unit: &UnitSeen) -> usize {
        self.survey
            .ids(unit)
            .iter()
            .filter(|id| self.asked.weighs(**id))
            .count()
    }

    fn share(&self, held: usize) -> f64 {
        ratio(held, self.weighing)
    }

    fn text(&self, unit: &UnitSeen) -> &str {
        self.snippet.get(unit.range.clone()).unwrap_or_default()
    }

    /// The unit that shares most with the claim, among those that share an axis with it.
    fn best_on_axis(&self) -> Option<(usize, &UnitSeen, Poles)> {
        let claimed = self.asked.poles.decided();
        if claimed == 0 {
            return None;
        }
        let mut best: Option<(usize, &UnitSeen, Poles, usize)> = None;
        for (number, unit) in self.survey.units.iter().enumerate() {
            let held = self.held(unit);
            if held == 0 || best.as_ref().is_some_and(|(.., most)| held <= *most) {
                continue;
            }
            let poles = self.poles_of(unit);
            if poles.decided() & claimed != 0 {
                best = Some((number, unit, poles, held));
            }
        }
        best.map(|(number, unit, poles, _)| (number, unit, poles))
    }

    fn on_axis(&self, number: usize, unit: &UnitSeen, poles: Poles) -> Polarity {
        let shared = poles.decided() & self.asked.poles.decided();
        let different = ((poles.first ^ self.asked.poles.first) & shared).count_ones();
        let prose = is_prose(self.text(unit));
        let flipped = self.asked.negated ^ self.negated(unit, prose) ^ (different % 2 == 1);
        if !flipped {
            return Polarity::Agrees;
        }
        let clear = if prose {
            self.share(self.held(unit)) >= LEXICON.thresholds.axis_prose
        } else {
            self.share(self.held_anywhere()) >= LEXICON.thresholds.axis_code_snippet
        };
        if clear {
            Polarity::Opposed(number)
        } else {
            Polarity::Unsure
        }
    }

    fn by_negation(&self) -> Polarity {
        let mut best: Option<(usize, &UnitSeen, usize)> = None;
        for (number, unit) in self.survey.units.iter().enumerate() {
            let held = self.held(unit);
            if best.as_ref().is_none_or(|(.., most)| held > *most) {
                best = Some((number, unit, held));
            }
        }
        let Some((number, unit, held)) = best else {
            return Polarity::Agrees;
        };
        let prose = is_prose(self.text(unit));
        if self.asked.negated == self.negated(unit, prose) {
            Polarity::Agrees
        } else if prose && self.share(held) >= LEXICON.thresholds.polarity_prose {
            Polarity::Opposed(number)
        } else {
            Polarity::Unsure
        }
    }

    fn held_anywhere(&self) -> usize {
        let mut seen = vec![false; self.asked.all()];
        for id in self.survey.all_ids() {
            if let Some(known) = seen.get_mut(*id as usize) {
                *known = self.asked.weighs(*id);
            }
        }
        seen.into_iter().filter(|one| *one).count()
    }

    /// Whether an odd number of negations stands between three words before
    /// the first and the last stem the unit shares with the claim.
    fn negated(&self, unit: &UnitSeen, prose: bool) -> bool {
        if !prose {
            return false;
        }
        let mut stem = String::new();
        let mut negations = Vec::new();
        let (mut first, mut last) = (None, 0);
        let mut number = 0usize;
        each_word(self.text(unit), &mut |word, _| {
            let entry = LEXICON.word(word);
            if is_negation(word, entry) {
                negations.push(number);
            } else if is_content(word, entry) {
                stem_into(word, entry, &mut stem);
                if self.asked.id(&stem).is_some_and(|id| self.asked.weighs(id)) {
                    first.get_or_insert(number);
                    last = number;
                }
            }
            number += 1;
        });
        let Some(first) = first else { return false };
        let from = first.saturating_sub(3);
        let count = negations
            .iter()
            .filter(|at| (from..=last).contains(at))
            .count();
        count % 2 == 1
    }

    fn poles_of(&self, unit: &UnitSeen) -> Poles {
        let mut poles = unit.poles;
        let text = self.text(unit);
        if unit.has_truth
            && !is_prose(text)
            && let Some(second) = self.assigned(text)
        {
            let bit = 1 << TRUTH_AXIS;
            poles.first &= !bit;
            poles.second &= !bit;
            poles.add(TRUTH_AXIS, second);
        }
        poles
    }

    /// The pole set by `key = true|false`; of several the one whose key shares most stems.
    fn assigned(&self, text: &str) -> Option<bool> {
        let mut best: Option<(usize, bool)> = None;
        for (key, value) in assignments(text) {
            let (mut shared, mut inverted) = (0, false);
            let mut stem = String::new();
            each_word(key, &mut |word, _| {
                inverted |= matches!(word, "disable" | "disabled" | "disables");
                stem_into(word, LEXICON.word(word), &mut stem);
                shared += usize::from(self.asked.id(&stem).is_some());
            });
            if best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, !value ^ inverted));
            }
        }
        best.map(|(_, second)| second)
    }
}

/// Every `key = true|false` and `key: true|false` of a line.
fn assignments(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let words = text.char_indices().filter_map(move |(at, c)| {
        let before = text.get(..at)?.chars().next_back();
        (is_letter(c) && !before.is_some_and(is_word_char)).then_some(at)
    });
    words.filter_map(move |at| {
        let tail = text.get(at..)?;
        let word = tail.get(..tail.find(|c| !is_word_char(c)).unwrap_or(tail.len()))?;
        let value = match word {
            "true" | "True" | "TRUE" => true,
            "false" | "False" | "FALSE" => false,
            _ => return None,
        };
        let head = text.get(..at)?.trim_end().strip_suffix(['=', ':'])?;
        let head = head
            .trim_end_matches([':', '='])
            .trim_end()
            .trim_end_matches(['"', '\'', '`', ']', ')'])
            .trim_end();
        let key_len = head
            .chars()
            .rev()
            .take_while(|c| is_word_char(*c) || matches!(c, '.' | '-'))
            .map(char::len_utf8)
            .sum::<usize>();
        let key = head.get(head.len() - key_len..)?;
        (!key.is_empty()).then_some((key, value))
    })
}

pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        #[expect(
            clippy::cast_precision_loss,
            reason = "counts of words are far below 2^52"
        )]
        let share = part as f64 / whole as f64;
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_have_a_key_and_a_truth_value() {
        let table: &[(&str, &[(&str, bool)])] = &[
            ("debug = false # x", &[("debug", false)]),
            (
                "{\"a.b\": true, 'c-d' : False}",
                &[("a.b", true), ("c-d", false)],
            ),
            ("let on: bool = true;", &[("bool", true)]),
            ("x == true", &[("x", true)]),
            ("= true, is false", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(assignments(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }
}
