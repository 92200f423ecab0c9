//! The answer of a judge, and its basis.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict of a judge about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    /// The text supports it.
    Supports,
    /// The text contradicts it.
    Contradicts,
    /// The text does not decide.
    Unclear,
}

/// The basis of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The claim is in the text word for word.
    Verbatim,
    /// Every word, name and figure of the claim is in one passage.
    AllWords,
    /// Some words of the claim are there, others are missing.
    SomeWords,
    /// A name is missing.
    Name,
    /// A figure differs, is missing, or belongs to other words.
    Figure,
    /// A negation, or a word of opposite meaning.
    Polarity,
    /// The answer of a model.
    Model,
    /// There was nothing to compare.
    Nothing,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The opinion.
    pub verdict: Opinion,
    /// Codes that say why.
    pub reasons: Vec<Cow<'static, str>>,
    /// Literal text of the snippet that decided.
    pub span: Option<String>,
    /// From 0 to 1, if the judge measures it.
    pub score: Option<f64>,
    /// Words of the claim that the text lacks, where it does not decide.
    pub missing: Vec<String>,
    /// Its basis.
    pub basis: Basis,
    /// The basis in words for a reader, if there is more than a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// The model's comment; for the details only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Answer {
    /// An answer without a span or a measure.
    pub fn new(verdict: Opinion, reason: &'static str, basis: Basis) -> Self {
        Self {
            verdict,
            reasons: vec![Cow::Borrowed(reason)],
            span: None,
            score: None,
            missing: Vec::new(),
            basis,
            explanation: None,
            note: None,
        }
    }

    /// The text does not decide, for this reason.
    pub fn unclear(reason: &'static str) -> Self {
        Self::new(Opinion::Unclear, reason, Basis::Nothing)
    }

    /// Whether this reason is given.
    pub fn has(&self, reason: &str) -> bool {
        self.reasons.iter().any(|given| given == reason)
    }
}
