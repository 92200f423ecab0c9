//! What is said in the end about one citation.
//!
//! Contract: sources 6.

use crosscheck_fetch::address::shown_in_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claim::ClaimSeen;
use super::nearest::Nearest;
use crate::plan::binding::Strength;
use crate::reasons::Code;
use crate::status::SourceStatus;
use crate::words::{cut, one_line, without_stop};

const SPAN_MAX: usize = 400;
const SUMMARY_MAX: usize = 200;

/// How sure a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Read directly, and everything that was judged holds.
    High,
    /// Two or more independent sources.
    MediumHigh,
    /// One other source, or a part of the claim.
    Medium,
    /// Nothing confirms it.
    Low,
}

impl Confidence {
    /// The word of the contract.
    pub const fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::MediumHigh => "medium-high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// The ruling on one citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// What was found.
    pub status: SourceStatus,
    /// Why.
    pub code: Code,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// The reason for less than high confidence, without final full stop.
    pub basis: Option<String>,
    /// The explanation, without the NOTE.
    pub text: String,
    /// What the Chair is told about a verified page, without the NOTE.
    pub summary: Option<String>,
    /// The sentence it is about.
    pub claim: Option<String>,
    /// What the judgement of it rests on, in words.
    pub because: Option<String>,
    /// What the page says instead, where it was read and does not confirm it.
    pub nearest: Option<Nearest>,
    /// Where an archived copy of a page that is gone was found.
    pub suggestion: Option<String>,
    /// How the sentence is tied to the source.
    pub binding: Option<Strength>,
    /// A figure of a firmly bound sentence is not on the page (rule 24).
    pub figure_missing: bool,
}

impl Ruling {
    /// A ruling that needs no claim.
    pub fn plain(status: SourceStatus, code: Code, text: impl Into<String>) -> Self {
        Self {
            status,
            code,
            confidence: None,
            basis: None,
            text: text.into(),
            summary: None,
            claim: None,
            because: None,
            nearest: None,
            suggestion: None,
            binding: None,
            figure_missing: false,
        }
    }

    /// The page, or another source, confirms the claim.
    pub fn confirmed(
        code: Code,
        seen: &ClaimSeen,
        confidence: Confidence,
        basis: Option<String>,
    ) -> Self {
        let span = seen.span.as_deref().or(seen.sentence.as_deref());
        let span = one_line(&shown_in_text(span.unwrap_or_default()));
        let start = if code == Code::SupportedIndirect {
            "Confirmed indirectly: "
        } else {
            "Page content confirms: "
        };
        Self {
            confidence: Some(confidence),
            basis,
            summary: Some(cut(&span, SUMMARY_MAX)),
            ..Self::plain(
                SourceStatus::Verified,
                code,
                format!("{start}{}", cut(&span, SPAN_MAX)),
            )
        }
    }

    /// The page is there and does not support the claim.
    pub fn denied(code: Code, sentence: Option<&str>) -> Self {
        let sentence = shown_in_text(sentence.unwrap_or_default());
        let sentence = cut(&one_line(&sentence), SPAN_MAX);
        let text = format!("Page exists but content does not support the claim that {sentence}");
        Self::plain(SourceStatus::Unreliable, code, text)
    }

    /// Adds a rating that must be explained.
    #[must_use]
    pub fn rated(mut self, confidence: Confidence, basis: impl Into<String>) -> Self {
        self.confidence = Some(confidence);
        self.basis = Some(basis.into());
        self
    }

    /// Adds what was judged.
    #[must_use]
    pub fn about(mut self, claim: Option<String>, binding: Option<Strength>) -> Self {
        self.claim = claim;
        self.binding = binding;
        self
    }

    /// The explanation of the contract, with the NOTE where there is one.
    pub fn explanation(&self) -> String {
        self.with_note(&self.text, ".")
    }

    /// What the Chair is told: the supporting text or the explanation, ready
    /// to be followed by a full stop.
    pub fn for_chair(&self) -> String {
        let text = match (self.status, &self.summary) {
            (SourceStatus::Verified, Some(summary)) => summary,
            _ => &self.text,
        };
        without_stop(&self.with_note(text, "")).to_owned()
    }

    fn with_note(&self, text: &str, end: &str) -> String {
        match (self.confidence, &self.basis) {
            (Some(confidence), Some(basis)) => {
                let text = without_stop(text);
                format!(
                    "{text}. NOTE: Confidence: {}. Reason: {}{end}",
                    confidence.word(),
                    without_stop(basis)
                )
            }
            _ => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_the_words_of_author_and_page_are_hidden() {
        let words = "See ftp://bob:s3cret@h.example/x?token=abc now.";
        let denied = Ruling::denied(Code::NotSupported, Some(words));
        assert!(
            denied
                .text
                .ends_with("See ftp://***@h.example/x?token=*** now.")
        );
    }

    #[test]
    fn a_note_follows_after_one_full_stop() {
        let ruling = Ruling::plain(
            SourceStatus::Suspect,
            Code::BlockedUnconfirmed,
            "Access refused.",
        )
        .rated(Confidence::Low, "nothing confirms it.");
        assert_eq!(
            ruling.explanation(),
            "Access refused. NOTE: Confidence: low. Reason: nothing confirms it."
        );
        assert_eq!(
            ruling.for_chair(),
            "Access refused. NOTE: Confidence: low. Reason: nothing confirms it"
        );
    }
}
