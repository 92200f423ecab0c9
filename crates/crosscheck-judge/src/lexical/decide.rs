//! The decision: verbatim, overlap, quantities, polarity, in this order.

use std::borrow::Cow;

use crosscheck_core::judge::{Answer, Kind, Opinion, Question};

use super::lexicon::{LEXICON, Thresholds};
use super::polarity::{self, Polarity, ratio};
use super::quantity::{Quantity, scan};
use super::survey::{Asked, Survey};
use super::text::{Normal, collapse, each_stem, is_prose};
use super::units::units;
use super::verbatim;

/// A longer text is not one claim, and comparing it would take for ever.
const MAX_CLAIM_BYTES: usize = 16 * 1024;
/// As many quantities or names are not one claim either.
const MAX_CLAIM_PARTS: usize = 256;

pub(super) fn decide(question: &Question<'_>) -> Answer {
    if question.claim.len() > MAX_CLAIM_BYTES {
        return Answer::unclear("claim_too_long");
    }
    let claim = Normal::of(question.claim);
    let snippet = Normal::of(question.snippet);
    if let Some(span) = verbatim::find(&claim.text, &snippet) {
        return Answer {
            verdict: Opinion::Supports,
            reasons: vec![Cow::Borrowed("verbatim")],
            span: Some(span.to_owned()),
            score: Some(1.0),
            note: None,
        };
    }
    let asked = Asked::by(&claim.text);
    if asked.plain < 2 && asked.names.is_empty() && asked.quantities.is_empty() {
        return Answer::unclear("no_checkable_content");
    }
    if asked.quantities.len().max(asked.names.len()) > MAX_CLAIM_PARTS {
        return Answer::unclear("claim_too_long");
    }
    let prose = is_prose(&snippet.text);
    let survey = Survey::of(&snippet.text, units(&snippet.text, prose), &asked);
    Case {
        question,
        snippet: &snippet,
        prose,
        asked: &asked,
        survey: &survey,
        thresholds: &LEXICON.thresholds,
    }
    .answer()
}

struct Case<'c> {
    question: &'c Question<'c>,
    snippet: &'c Normal<'c>,
    prose: bool,
    asked: &'c Asked<'c>,
    survey: &'c Survey,
    thresholds: &'c Thresholds,
}

/// The best window: share of the claim's stems, and its units.
struct Overlap {
    share: f64,
    first: usize,
    end: usize,
}

/// How the quantities of the claim fare.
#[derive(Default)]
struct Figures {
    matched: usize,
    missing: usize,
    /// The unit that holds another value.
    conflict: Option<usize>,
}

impl Case<'_> {
    fn answer(&self) -> Answer {
        let overlap = self.overlap();
        let figures = self.figures();
        if let Some(unit) = figures.conflict {
            return self.contradicts("quantity_conflict", unit, &overlap);
        }
        let polarity = polarity::compare(&self.snippet.text, self.asked, self.survey);
        if let Polarity::Opposed(unit) = polarity {
            return self.contradicts("polarity_conflict", unit, &overlap);
        }
        let present = self
            .asked
            .names
            .iter()
            .filter(|name| name.is_in(&self.snippet.text, self.question.reference))
            .count();
        let names = self.asked.names.len();
        let mut reasons: Vec<Cow<'static, str>> = Vec::new();
        let mut give = |given: bool, reason: &'static str| {
            if given {
                reasons.push(Cow::Borrowed(reason));
            }
        };
        give(polarity == Polarity::Unsure, "polarity_unsure");
        give(figures.missing > 0, "quantity_missing");
        give(present < names, "identifier_missing");
        let nothing_to_overlap =
            self.asked.plain == 0 && (names > 0 || !self.asked.quantities.is_empty());
        give(
            overlap.share < self.thresholds.supports_overlap && !nothing_to_overlap,
            "low_overlap",
        );
        let supported = reasons.is_empty();
        if supported {
            reasons.push(Cow::Borrowed("lexical"));
        } else if overlap.share < self.thresholds.unrelated_overlap
            && present == 0
            && figures.matched == 0
        {
            reasons.push(Cow::Borrowed("unrelated"));
        }
        Answer {
            verdict: if supported {
                Opinion::Supports
            } else {
                Opinion::Unclear
            },
            reasons,
            span: supported.then(|| self.best_unit(&overlap)).flatten(),
            score: Some(overlap.share),
            note: None,
        }
    }

    fn contradicts(&self, reason: &'static str, unit: usize, overlap: &Overlap) -> Answer {
        Answer {
            verdict: Opinion::Contradicts,
            reasons: vec![Cow::Borrowed(reason)],
            span: self.span(unit),
            score: Some(overlap.share),
            note: None,
        }
    }

    fn span(&self, unit: usize) -> Option<String> {
        let range = &self.survey.units.get(unit)?.range;
        Some(self.snippet.source_of(range.start, range.end).to_owned())
    }

    fn is_windowed(&self) -> bool {
        self.question.kind == Kind::Web
            || self.survey.units.len() > self.thresholds.window_when_units_over
            || self.snippet.text.chars().count() > self.thresholds.window_when_chars_over
    }

    fn overlap(&self) -> Overlap {
        let count = self.survey.units.len();
        let size = if self.is_windowed() {
            self.thresholds.window_units.min(count)
        } else {
            count
        };
        let mut window = Window::new(self.asked);
        if self.question.kind == Kind::Web {
            let header = Normal::of(self.question.header.unwrap_or_default());
            each_stem(&header.text, &mut |stem, _| {
                if let Some(id) = self.asked.id(stem) {
                    window.add(id);
                }
            });
        }
        let mut best = Overlap {
            share: ratio(window.distinct, self.asked.plain),
            first: 0,
            end: size,
        };
        for (end, unit) in (1..).zip(&self.survey.units) {
            self.survey.ids(unit).iter().for_each(|id| window.add(*id));
            if end > size
                && let Some(left) = self.survey.units.get(end - size - 1)
            {
                self.survey
                    .ids(left)
                    .iter()
                    .for_each(|id| window.remove(*id));
            }
            let share = ratio(window.distinct, self.asked.plain);
            if end >= size && share > best.share {
                best = Overlap {
                    share,
                    first: end - size,
                    end,
                };
            }
        }
        best
    }

    /// The unit of the best window that shares most with the claim.
    fn best_unit(&self, overlap: &Overlap) -> Option<String> {
        let held = |unit: &usize| {
            self.survey
                .units
                .get(*unit)
                .map_or(0, |unit| self.survey.ids(unit).len())
        };
        let unit = (overlap.first..overlap.end)
            .rev()
            .max_by_key(held)
            .filter(|_| !self.survey.units.is_empty())?;
        self.span(unit)
    }

    fn figures(&self) -> Figures {
        let mut figures = Figures::default();
        if self.asked.quantities.is_empty() {
            return figures;
        }
        let seen = self.quantities_seen();
        let stray: Vec<&(usize, Quantity)> = seen
            .iter()
            .filter(|(_, one)| !self.asked.quantities.iter().any(|asked| asked.matches(one)))
            .collect();
        for wanted in &self.asked.quantities {
            if seen.iter().any(|(_, one)| wanted.matches(one)) {
                figures.matched += 1;
                continue;
            }
            figures.missing += 1;
            if figures.conflict.is_none() {
                let context = self.context(wanted);
                figures.conflict = stray
                    .iter()
                    .find(|(unit, one)| self.conflicts(wanted, one, *unit, &context))
                    .map(|(unit, _)| *unit);
            }
        }
        figures
    }

    fn quantities_seen(&self) -> Vec<(usize, Quantity)> {
        let mut seen = Vec::new();
        let units = self.survey.units.iter().enumerate();
        for (number, unit) in units.filter(|(_, unit)| unit.may_count) {
            let text = self
                .snippet
                .text
                .get(unit.range.clone())
                .unwrap_or_default();
            let text = if self.prose {
                collapse(text)
            } else {
                Cow::Borrowed(text)
            };
            seen.extend(
                scan(&text, !self.prose)
                    .into_iter()
                    .map(|quantity| (number, quantity)),
            );
        }
        seen
    }

    /// The stems of the claim that stand nearest to one of its quantities.
    fn context(&self, wanted: &Quantity) -> Vec<u32> {
        let own = wanted.count_noun().and_then(|noun| self.asked.id(noun));
        let here = self.asked.characters_before(wanted.range.start);
        let mut near: Vec<(usize, u32)> = self
            .asked
            .places
            .iter()
            .filter(|(id, _)| Some(*id) != own)
            .map(|(id, at)| (self.asked.characters_before(*at).abs_diff(here), *id))
            .collect();
        near.sort_by_key(|(distance, _)| *distance);
        let mut context = Vec::new();
        for (_, id) in near {
            if context.len() < self.thresholds.context_stems && !context.contains(&id) {
                context.push(id);
            }
        }
        context
    }

    /// Whether another value stands where the claim's should.
    fn conflicts(&self, wanted: &Quantity, seen: &Quantity, unit: usize, context: &[u32]) -> bool {
        if !wanted.is_comparable(seen, !self.prose) {
            return false;
        }
        let Some(unit) = self.survey.units.get(unit) else {
            return false;
        };
        let ids = self.survey.ids(unit);
        let held = context.iter().filter(|id| ids.contains(id)).count();
        let same_context = held > 0 && ratio(held, context.len()) >= self.thresholds.context_ratio;
        let counted = wanted.count_noun().and_then(|noun| self.asked.id(noun));
        same_context || (!self.prose && counted.is_some_and(|noun| ids.contains(&noun)))
    }
}

/// The claim's stems in a moving window.
struct Window {
    counts: Vec<u32>,
    distinct: usize,
}

impl Window {
    fn new(asked: &Asked<'_>) -> Self {
        Self {
            counts: vec![0; asked.plain],
            distinct: 0,
        }
    }

    fn add(&mut self, id: u32) {
        if let Some(count) = self.counts.get_mut(id as usize) {
            self.distinct += usize::from(*count == 0);
            *count += 1;
        }
    }

    fn remove(&mut self, id: u32) {
        if let Some(count) = self.counts.get_mut(id as usize) {
            *count = count.saturating_sub(1);
            self.distinct -= usize::from(*count == 0);
        }
    }
}
