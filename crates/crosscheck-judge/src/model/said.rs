//! The answer of a model, checked against the text (claims 11).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use super::Ask;
use crate::builtin::{collapse, is_about, misses_a_quantity};
use crate::{Answer, Basis, NoAnswer, Opinion, Question, Text};

/// The shortest span that proves an answer, in characters.
const SPAN_MIN: usize = 8;
/// The longest kept comment of a model, in characters.
const NOTE_MAX: usize = 300;

/// The answer in the protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    verdict: Opinion,
    #[serde(default)]
    span: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    reasons: Vec<String>,
}

impl Said {
    /// Reads one JSON object, alone or in a single fence.
    pub(super) fn from_json(text: &str) -> Result<Self, NoAnswer> {
        let text = text.trim();
        let inner = text
            .strip_prefix("```json")
            .and_then(|rest| rest.strip_suffix("```"))
            .unwrap_or(text)
            .trim();
        serde_json::from_str(inner).map_err(|error| {
            NoAnswer::new(format!(
                "the judge's answer is not what was asked for: {error}"
            ))
        })
    }

    /// A yes is proved by the passage that the model was shown; a no only means that it is not
    /// there.
    pub(super) fn from_yes_or_no(yes: bool, passage: &str) -> Self {
        Self {
            verdict: if yes {
                Opinion::Supports
            } else {
                Opinion::Unclear
            },
            span: yes.then(|| passage.to_owned()),
            reason: None,
            reasons: if yes {
                Vec::new()
            } else {
                vec!["not_grounded".to_owned()]
            },
        }
    }

    /// The answer that may be used. `own` is the earlier answer of the built-in
    /// judge.
    pub(super) fn checked(
        self,
        question: &Question<'_>,
        ask: &Ask,
        own: Option<&Answer>,
    ) -> Answer {
        let decided = self.verdict != Opinion::Unclear;
        let span = self.span.filter(|span| is_proof(span, &ask.snippet));
        let has = |reason: &str| self.reasons.iter().any(|given| given == reason);
        // what supports a claim says it: a yes to any other words is not used
        let quoted = span
            .as_deref()
            .filter(|_| self.verdict == Opinion::Supports);
        let quoted = quoted.map(|span| (span, Text::new(span)));
        let misses = match &quoted {
            Some((_, words)) => misses_a_quantity(question.claim, words),
            None => misses_a_quantity(question.claim, question.text),
        };
        let is_strange =
            quoted.is_some_and(|(span, _)| !is_about(question.claim, span, question.header));
        let mut reasons: Vec<Cow<'static, str>> = [
            (decided && span.is_none(), "span_not_found"),
            (decided && misses, "quantity_missing"),
            (is_strange, "span_unrelated"),
            (!decided && has("not_grounded"), "not_grounded"),
        ]
        .into_iter()
        .filter(|(given, _)| *given)
        .map(|(_, reason)| Cow::Borrowed(reason))
        .collect();
        let verdict = if reasons.is_empty() {
            self.verdict
        } else {
            Opinion::Unclear
        };
        if has("biased") {
            reasons.push(Cow::Borrowed("biased"));
        }
        if reasons.is_empty() {
            reasons.push(Cow::Borrowed("model"));
        }
        let note = self
            .reason
            .map(|reason| reason.chars().take(NOTE_MAX).collect());
        let own = own.filter(|_| verdict == Opinion::Unclear);
        Answer {
            span: span.and_then(|span| question.text.locate(&span).map(str::to_owned)),
            explanation: Some(explanation(question, verdict, &reasons, own)),
            reasons,
            note,
            score: own.and_then(|own| own.score),
            missing: own.map(|own| own.missing.clone()).unwrap_or_default(),
            ..Answer::new(verdict, "model", Basis::Model)
        }
    }
}

/// The model's answer in words for a reader, after the findings of the built-in
/// judge.
fn explanation(
    question: &Question<'_>,
    verdict: Opinion,
    reasons: &[Cow<'static, str>],
    own: Option<&Answer>,
) -> String {
    let noun = question.kind.noun();
    let text = match (verdict, reasons.first().map(AsRef::as_ref)) {
        (Opinion::Supports, _) => format!("the model finds the claim in the {noun}"),
        (Opinion::Contradicts, _) => format!("the model finds that the {noun} says otherwise"),
        (_, Some("span_not_found")) => {
            format!("the model's answer was not used: what it quotes is not in the {noun}")
        }
        (_, Some("quantity_missing")) => {
            "the model's answer was not used: a figure of the claim is not in what it quotes"
                .to_owned()
        }
        (_, Some("span_unrelated")) => {
            "the model's answer was not used: what it quotes has no word of the claim, or lacks a name"
                .to_owned()
        }
        (_, Some("not_grounded")) => format!("the model does not find the claim in the {noun}"),
        _ => "the model does not decide".to_owned(),
    };
    match own.and_then(|own| own.explanation.as_deref()) {
        Some(before) => format!("{before}; {text}"),
        None => text,
    }
}

fn is_proof(span: &str, snippet: &str) -> bool {
    let plain = |text: &str| collapse(text).nfc().collect::<String>();
    let span = plain(span);
    span.chars().count() >= SPAN_MIN && plain(snippet).contains(&span)
}
