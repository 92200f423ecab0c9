//! The basis of an answer, in words for a reader.

use std::borrow::Cow;

use super::Case;
use super::conflict::Conflict;
use super::polarity::Opposed;
use super::reasons::Findings;
use crate::answer::{Answer, Basis};
use crate::builtin::claim::Clause;
use crate::question;
use crosscheck_language::lexicon::LEXICON;
use crosscheck_language::phrase::{Phrase, negations};
use crosscheck_language::quantity::{Quantity, QuantityKind};
use crosscheck_language::text::{is_letter, stem_into};

/// Longer texts are cut, in characters.
const SHOWN_MAX: usize = 60;

/// An answer when there is nothing to compare.
pub(super) fn refused(reason: &'static str) -> Answer {
    let explanation = match reason {
        "claim_too_long" => "the claim is too long to be compared",
        "text_too_long" => "the text is too long to be compared",
        _ => {
            "the claim says too little to be looked for: it has fewer than two words of content, no name and no figure"
        }
    };
    Answer {
        explanation: Some(explanation.to_owned()),
        ..Answer::unclear(reason)
    }
}

/// With a capital letter at the beginning.
pub(super) fn sentence(text: String) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if first.is_lowercase() => first.to_uppercase().chain(chars).collect(),
        _ => text,
    }
}

pub(super) fn supported(kind: question::EvidenceKind, all: bool, in_one: bool) -> String {
    let noun = kind.noun();
    if all && in_one {
        format!("every word, name and figure of the claim is in one passage of the {noun}")
    } else if all {
        format!(
            "every word, name and figure of the claim is in the {noun}, in sentences next to each other"
        )
    } else {
        format!("the names, figures and most words of the claim are in the {noun}")
    }
}

pub(super) fn taken_back(kind: question::EvidenceKind) -> String {
    format!(
        "the {} says it, and words near it may take it back",
        kind.noun()
    )
}

/// What the first reason is about.
pub(super) fn basis(reasons: &[Cow<'static, str>]) -> Basis {
    match reasons.first().map(AsRef::as_ref) {
        Some("polarity_unsure") => Basis::Polarity,
        Some("quantity_missing" | "quantity_swapped") => Basis::Figure,
        Some("identifier_missing") => Basis::Name,
        _ if reasons.iter().any(|reason| reason == "unrelated") => Basis::Nothing,
        _ => Basis::SomeWords,
    }
}

impl Case<'_> {
    /// "the page says 5 decibels, the claim 15"
    pub(super) fn explain_conflict(&self, conflict: &Conflict) -> String {
        let noun = self.question.kind.noun();
        let unit = self.unit(conflict.unit);
        let value = self.text.figures().value(&conflict.found);
        let found = written(unit.source(), value, &conflict.found.range());
        let claimed = self.claim.quantities.get(conflict.claimed);
        let claimed = claimed.map(|one| {
            let same = one.count_noun().is_some()
                && value.is_some_and(|kind| kind.count_noun() == one.count_noun());
            self.claimed_text(one, !same)
        });
        format!(
            "the {noun} says {found}, the claim {}",
            claimed.unwrap_or_default()
        )
    }

    fn claimed_text(&self, quantity: &Quantity, with_noun: bool) -> String {
        let kind = Some(&quantity.kind).filter(|_| with_noun);
        written(self.claim.text, kind, &quantity.range)
    }

    pub(super) fn explain_opposed(&self, opposed: &Opposed) -> String {
        let noun = self.question.kind.noun();
        let unit = self.unit(opposed.unit);
        let clause = self.claim.clauses.get(opposed.clause);
        let words = clause.and_then(|clause| {
            let own = pole_word(self.claim, opposed.axes, Some(clause))?;
            Some((pole_word(&unit, opposed.axes, None)?, own))
        });
        if let Some((its, own)) = words {
            return format!("the {noun} says “{its}”, the claim “{own}”");
        }
        let word =
            |phrase: &dyn Fn(usize) -> Option<String>, at: Option<usize>| at.and_then(phrase);
        let its = |at: usize| unit.source().get(unit.range(at)).map(str::to_owned);
        let own = |at: usize| self.claim.text.get(self.claim.range(at)).map(str::to_owned);
        let negated = clause.and_then(|clause| clause.negations.first().copied());
        if let Some(negation) = word(&own, negated) {
            return format!("the {noun} says it without the “{negation}” of the claim");
        }
        match word(&its, negations(&unit).next()) {
            Some(negation) => format!("the {noun} negates it: “{negation}”"),
            None => format!("the {noun} says the opposite"),
        }
    }

    pub(super) fn explain_unclear(
        &self,
        reasons: &[Cow<'static, str>],
        findings: &Findings<'_>,
    ) -> String {
        let noun = self.question.kind.noun();
        if let Some(doubt) = &findings.doubt {
            return format!("the {noun} {}", doubt.says);
        }
        let parts = reasons.iter().filter_map(|reason| match reason.as_ref() {
            "polarity_unsure" => Some(format!("the {noun} may say it otherwise")),
            "quantity_missing" => Some(self.explain_missing(findings)),
            "quantity_swapped" => Some("the figures seem to belong to other words".to_owned()),
            "identifier_missing" => {
                let names = findings
                    .names
                    .iter()
                    .take(3)
                    .map(|name| format!("`{}`", cut(name)));
                Some(format!(
                    "name not found: {}",
                    names.collect::<Vec<_>>().join(", ")
                ))
            }
            "exclusive_missing" => {
                let word = findings.exclusive.unwrap_or_default();
                Some(format!("the claim says “{word}”, the {noun} does not"))
            }
            "low_overlap" | "lexical_partial" if !findings.missing.is_empty() => Some(format!(
                "the passage of the {noun} that comes nearest lacks: {}",
                findings.missing.join(", ")
            )),
            _ => None,
        });
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() {
            return format!("the {noun} shares no words with the claim");
        }
        parts.join("; ")
    }

    fn explain_missing(&self, findings: &Findings<'_>) -> String {
        let noun = self.question.kind.noun();
        let shown = |elsewhere: bool| -> Vec<String> {
            let missing = findings.figures.missing.iter();
            missing
                .filter(|(_, anywhere)| *anywhere == elsewhere)
                .filter_map(|(number, _)| self.claim.quantities.get(*number))
                .take(3)
                .map(|quantity| self.claimed_text(quantity, true))
                .collect()
        };
        let (gone, elsewhere) = (shown(false), shown(true));
        let mut parts = Vec::new();
        if !gone.is_empty() {
            parts.push(format!("figure not found: {}", gone.join(", ")));
        }
        if !elsewhere.is_empty() {
            let figures = elsewhere.join(", ");
            parts.push(format!("the {noun} has {figures}, but not about this"));
        }
        parts.join("; ")
    }
}

/// A figure as it is written, with the noun it counts if that follows.
fn written(text: &str, kind: Option<&QuantityKind>, range: &std::ops::Range<usize>) -> String {
    let tail = text.get(range.end..).unwrap_or_default();
    let gap = usize::from(tail.starts_with([' ', '-']));
    let word = tail.get(gap..).unwrap_or_default();
    let word = word.get(..word.find(|c| !is_letter(c)).unwrap_or(word.len()));
    let word = word.unwrap_or_default();
    let counted = kind.and_then(QuantityKind::count_noun).map_or(0, |noun| {
        let mut stem = String::new();
        stem_into(word, LEXICON.word(word), &mut stem);
        match stem == noun || word.to_lowercase() == noun {
            true => gap + word.len(),
            false if gap == 0 && word.starts_with(noun) => noun.len(),
            false => 0,
        }
    });
    cut(text
        .get(range.start..range.end + counted)
        .unwrap_or_default())
}

/// The word that is at a pole of one of these axes.
fn pole_word(phrase: &impl Phrase, axes: u32, clause: Option<&Clause>) -> Option<String> {
    let word = (0..phrase.count()).find(|word| {
        let pole = phrase.entry(*word).and_then(|entry| entry.pole);
        let own = clause.is_none_or(|clause| clause.range.contains(&phrase.range(*word).start));
        own && pole.is_some_and(|(axis, _)| axes.checked_shr(axis.into()).unwrap_or(0) & 1 == 1)
    })?;
    phrase.text().get(phrase.range(word)).map(str::to_owned)
}

fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN_MAX {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN_MAX - 1).collect();
    format!("{head}…")
}
