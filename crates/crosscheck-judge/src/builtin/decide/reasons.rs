//! From the findings to the answer (judge R1 to R6).

use std::borrow::Cow;

use super::figures::FiguresSeen;
use super::overlap::Overlap;
use super::polarity::{Opposed, PolaritySeen};
use super::statement::Doubt;
use super::verbatim::has_words;
use super::{Case, explain, reaches};
use crate::answer::{Answer, Basis, Opinion};
use crosscheck_language::lexicon::{List, WordEntry};
use crosscheck_language::phrase::Phrase as _;
use crosscheck_language::quantity::{Origin, Quantity, origin_of};

/// At most this many missing words are named.
const MISSING_MAX: usize = 8;

/// The findings about a claim in a text.
pub(super) struct Findings<'f> {
    pub(super) figures: &'f FiguresSeen,
    /// The missing names.
    pub(super) names: Vec<&'f str>,
    /// A word such as `all` that the text lacks.
    pub(super) exclusive: Option<&'f str>,
    /// Words of the claim that the text lacks.
    pub(super) missing: Vec<String>,
    /// Everything is there, but not in one statement.
    pub(super) doubt: Option<Doubt>,
}

impl Case<'_> {
    pub(super) fn answer(&self) -> Answer {
        let overlap = self.overlap();
        let score = ratio(overlap.count(), self.claim.plain);
        let figures = self.figures();
        if let Some(conflict) = &figures.conflict {
            let answer = Answer {
                explanation: Some(self.explain_conflict(conflict)),
                ..self.contradicts("quantity_conflict", Basis::Figure, conflict.unit, score)
            };
            return self.unless_said(answer);
        }
        let polarity = self.polarity(figures.missing.is_empty());
        if let Some(opposed) = &polarity.opposed {
            let answer = self.opposed(opposed, score);
            return self.unless_said(answer);
        }
        let answer = self.weigh(&overlap, &figures, &polarity);
        if self.denied && answer.verdict == Opinion::Supports {
            return self.taken_back(&answer);
        }
        answer
    }

    fn opposed(&self, opposed: &Opposed, score: f64) -> Answer {
        Answer {
            explanation: Some(self.explain_opposed(opposed)),
            ..self.contradicts("polarity_conflict", Basis::Polarity, opposed.unit, score)
        }
    }

    fn contradicts(&self, reason: &'static str, basis: Basis, unit: usize, score: f64) -> Answer {
        Answer {
            span: self.span(unit),
            score: Some(score),
            ..Answer::new(Opinion::Contradicts, reason, basis)
        }
    }

    /// A text with all words of the claim one after the other does not contradict it.
    fn unless_said(&self, answer: Answer) -> Answer {
        if has_words(self.claim.text, self.text) {
            self.taken_back(&answer)
        } else {
            answer
        }
    }

    fn taken_back(&self, answer: &Answer) -> Answer {
        Answer {
            score: answer.score,
            explanation: Some(explain::taken_back(self.question.kind)),
            ..Answer::new(Opinion::Unclear, "polarity_unsure", Basis::Polarity)
        }
    }

    fn weigh(&self, overlap: &Overlap, figures: &FiguresSeen, polarity: &PolaritySeen) -> Answer {
        let names: Vec<&str> = self
            .claim
            .names
            .iter()
            .filter(|name| !name.is_in(self.text, self.question.reference))
            .map(|name| name.text)
            .collect();
        let present = self.claim.names.len() - names.len();
        let lacking = self.lacking(overlap, polarity.settled);
        let plain = self.claim.plain;
        let held = plain - lacking.len();
        let mut findings = Findings {
            figures,
            names,
            exclusive: self.missing_exclusive(overlap),
            missing: self.words(lacking.iter().take(MISSING_MAX)),
            doubt: None,
        };
        let unsure = polarity.unsure || self.has_opposite(overlap);
        let lacks_name = || lacking.iter().any(|stem| self.is_capital(*stem));
        let enough = if !self.prose() && (present > 0 || figures.matched > 0) && !lacks_name() {
            self.thresholds.supports_code
        } else {
            self.thresholds.supports
        };
        let compares = plain > 0 || self.claim.names.is_empty() && self.claim.quantities.is_empty();
        let low = compares && !reaches(held, plain, self.thresholds.partial);
        let partial = compares && !low && !reaches(held, plain, enough);
        let mut reasons: Vec<Cow<'static, str>> = [
            (unsure, "polarity_unsure"),
            (!figures.missing.is_empty(), "quantity_missing"),
            (figures.swapped, "quantity_swapped"),
            (!findings.names.is_empty(), "identifier_missing"),
            (findings.exclusive.is_some(), "exclusive_missing"),
            (low, "low_overlap"),
            (partial, "lexical_partial"),
        ]
        .into_iter()
        .filter(|(given, _)| *given)
        .map(|(_, reason)| Cow::Borrowed(reason))
        .collect();
        let score = Some(ratio(held, plain));
        let best = self.best_unit(overlap);
        if reasons.is_empty() {
            findings.doubt = self.doubt(overlap);
            reasons.extend(
                findings
                    .doubt
                    .as_ref()
                    .map(|doubt| Cow::Borrowed(doubt.reason)),
            );
        }
        if reasons.is_empty() {
            let all = findings.missing.is_empty();
            let in_one = self.is_in_one(overlap, best);
            let basis = if all {
                Basis::AllWords
            } else {
                Basis::SomeWords
            };
            return Answer {
                span: best.and_then(|unit| self.span(unit)),
                score,
                explanation: Some(explain::supported(self.question.kind, all, in_one)),
                ..Answer::new(Opinion::Supports, "lexical", basis)
            };
        }
        // judge R6
        let unrelated = !reaches(held, plain, self.thresholds.unrelated) || plain == 0;
        if unrelated && present == 0 && figures.matched == 0 {
            reasons.push(Cow::Borrowed("unrelated"));
        }
        Answer {
            basis: explain::basis(&reasons),
            explanation: Some(self.explain_unclear(&reasons, &findings)),
            reasons,
            score,
            missing: findings.missing,
            ..Answer::unclear("")
        }
    }

    /// Whether no sentence beside the best one has a word that it lacks.
    fn is_in_one(&self, overlap: &Overlap, best: Option<usize>) -> bool {
        let plain = u32::try_from(self.claim.plain).unwrap_or(u32::MAX);
        let beside = |stem: u32| overlap.units.clone().any(|unit| self.holds(unit, stem));
        let has = |stem: u32| best.is_some_and(|best| self.holds(best, stem));
        !self.prose() || (0..plain).all(|stem| has(stem) || !beside(stem))
    }

    /// Whether a stem is only said with a capital letter inside the claim: a name.
    fn is_capital(&self, stem: u32) -> bool {
        let is_one = |word: &&crate::builtin::claim::Word| word.stem == Some(stem);
        let text = |word: &crate::builtin::claim::Word| self.claim.text.get(word.range.clone());
        let mut inside = self.claim.words.iter().skip(1).filter(is_one).peekable();
        inside.peek().is_some()
            && inside.all(|word| {
                text(word).is_some_and(|text| {
                    text.starts_with(char::is_uppercase) && text.chars().any(char::is_lowercase)
                })
            })
    }

    /// Judge R5: the stems that are missing from the best window, without words
    /// that a decided pair of opposites covers.
    fn lacking(&self, overlap: &Overlap, settled: u32) -> Vec<u32> {
        let says = |stem: u32| {
            self.claim.words.iter().any(|word| {
                let pole = word.entry.and_then(|entry| entry.pole);
                word.stem == Some(stem)
                    && pole.is_some_and(|(axis, _)| {
                        settled.checked_shr(axis.into()).unwrap_or(0) & 1 == 1
                    })
            })
        };
        let absent = (0u32..)
            .zip(&overlap.present)
            .filter(|(_, present)| !**present);
        let mut absent: Vec<u32> = absent
            .map(|(stem, _)| stem)
            .filter(|stem| settled == 0 || !says(*stem))
            .collect();
        if !absent.is_empty() {
            let converted = self.converted(overlap);
            absent.retain(|stem| !converted.contains(stem));
            absent.retain(|stem| !self.is_light(*stem) && !self.is_derived(*stem, overlap));
        }
        absent
    }

    /// Whether every word with this stem is one that adds little: `costs`, `includes`.
    fn is_light(&self, stem: u32) -> bool {
        let mut words = self
            .claim
            .words
            .iter()
            .filter(|word| word.stem == Some(stem));
        self.prose() && words.all(|word| word.entry.is_some_and(|entry| entry.is(List::Light)))
    }

    /// Whether the best sentence has a word that differs only in its ending: `erupted`, `eruption`.
    pub(super) fn is_derived(&self, stem: u32, overlap: &Overlap) -> bool {
        let best = self
            .best_unit(overlap)
            .and_then(|unit| self.text.words(unit));
        let own = self.claim.stems.get(stem as usize);
        let (Some(best), Some(own)) = (best.filter(|_| self.prose()), own) else {
            return false;
        };
        best.stems().any(|its| differs_in_ending(&own.text, its))
    }

    /// The words of units whose amounts the window has in another unit: `5 km`, `5,000 metres`.
    fn converted(&self, overlap: &Overlap) -> Vec<u32> {
        let figures = self.text.figures();
        let has = |quantity: &Quantity| {
            overlap.units.clone().any(|unit| {
                let mut values = figures
                    .marks(unit)
                    .iter()
                    .filter_map(|mark| figures.value(mark));
                values.any(|value| {
                    let is_same = || {
                        matches!(
                            origin_of(quantity, &[value]),
                            Some(Origin::Same | Origin::Converted)
                        )
                    };
                    quantity.kind.has_dimension_of(value) && is_same()
                })
            })
        };
        let soft = self
            .claim
            .quantities
            .iter()
            .filter(|one| one.kind.is_soft());
        soft.filter(|one| has(one))
            .flat_map(|one| self.unit_stems(one))
            .collect()
    }

    fn words<'s>(&self, stems: impl Iterator<Item = &'s u32>) -> Vec<String> {
        stems
            .filter_map(|stem| self.claim.stems.get(*stem as usize))
            .map(|stem| stem.said.to_string())
            .collect()
    }

    /// Judge R4: a word whose opposite is in the sentence that should have it: `before`,
    /// `after`.
    fn has_opposite(&self, overlap: &Overlap) -> bool {
        let Some(best) = self.best_unit(overlap).map(|unit| self.unit(unit)) else {
            return false;
        };
        self.claim
            .words
            .iter()
            // Whether `only` is there is asked below.
            .filter(|word| word.free && self.claim.text.get(word.range.clone()) != Some("only"))
            .any(|word| {
                let Some(entry) = word.entry.filter(|entry| !entry.opposites.is_empty()) else {
                    return false;
                };
                let has_opposite = (0..best.count()).any(|at| {
                    let mut opposites = entry.opposites.iter();
                    opposites.any(|opposite| best.is_word(at, opposite))
                });
                let same = |own: &WordEntry| std::ptr::eq(own, entry);
                has_opposite && !self.window_has(overlap, &same)
            })
    }

    /// Judge R3: a word of a group such as `all`, `every`, of which the sentence that says most of the
    /// claim has none; of code, the window. `Accept all` beside it is no word about all residents.
    fn missing_exclusive(&self, overlap: &Overlap) -> Option<&str> {
        let best = self.best_unit(overlap).filter(|_| self.prose());
        let word = self
            .claim
            .words
            .iter()
            .filter(|word| word.free)
            .find(|word| {
                let group = word.entry.and_then(|entry| entry.exclusive);
                group.is_some_and(|group| {
                    let is_same = |entry: &WordEntry| entry.exclusive == Some(group);
                    match best {
                        Some(best) => !self.unit_has(best, &is_same),
                        None => !self.window_has(overlap, &is_same),
                    }
                })
            })?;
        self.claim.text.get(word.range.clone())
    }

    fn window_has(&self, overlap: &Overlap, is_wanted: &dyn Fn(&WordEntry) -> bool) -> bool {
        let mut units = overlap.units.clone();
        units.any(|unit| self.unit_has(unit, is_wanted))
    }

    fn unit_has(&self, unit: usize, is_wanted: &dyn Fn(&WordEntry) -> bool) -> bool {
        let unit = self.unit(unit);
        (0..unit.count()).any(|word| unit.entry(word).is_some_and(is_wanted))
    }

    /// The unit of the best window that shares most with the claim, the first on
    /// ties.
    pub(super) fn best_unit(&self, overlap: &Overlap) -> Option<usize> {
        let own = |unit: &usize| {
            let stems = self.held.of_unit(*unit).iter();
            stems
                .filter(|stem| (**stem as usize) < self.claim.plain)
                .count()
        };
        overlap.units.clone().rev().max_by_key(own)
    }

    fn span(&self, unit: usize) -> Option<String> {
        let unit = self.text.index().units.get(unit)?;
        Some(self.text.source_of(unit.range()).to_owned())
    }
}

/// Whether one stem is the other with an ending: `erupt`, `eruption`.
fn differs_in_ending(a: &str, b: &str) -> bool {
    const ROOT_MIN: usize = 5;
    // not `er`: who climbs is not what is climbed
    const ENDINGS: [&str; 9] = [
        "ion", "al", "ment", "e", "anc", "enc", "iv", "ation", "ition",
    ];
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let ending = long.strip_prefix(short);
    short.len() >= ROOT_MIN && ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 {
        0.0
    } else {
        number(part) / number(whole)
    }
}
