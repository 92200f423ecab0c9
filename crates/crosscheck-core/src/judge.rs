//! The question every verifier ends with: does this text support this claim?
//!
//! Who answers is up to the user: the built-in judge, a program, a model
//! behind an endpoint, or recorded answers. A judge is asked only after the
//! deterministic checks and can never turn one of their failures into a pass.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a text comes from; decides how it is cut into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Lines of a file.
    #[default]
    File,
    /// The text of a web page.
    Web,
    /// Values picked out of a JSON document.
    Json,
    /// Title and snippet of a search result.
    Search,
}

/// One question to a judge.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    /// What was said.
    pub claim: &'a str,
    /// What is there.
    pub snippet: &'a str,
    /// Where the snippet comes from.
    pub kind: Kind,
    /// Path or URL of the snippet.
    pub reference: Option<&'a str>,
    /// The words the claim's author quoted.
    pub quote: Option<&'a str>,
    /// What the author asked for when fetching; built-in judges ignore it.
    pub prompt: Option<&'a str>,
    /// Page title and site name; web only.
    pub header: Option<&'a str>,
}

/// What a judge makes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    /// The text says so.
    Supports,
    /// The text says otherwise.
    Contradicts,
    /// The text does not decide.
    Unclear,
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The opinion.
    pub verdict: Opinion,
    /// Codes that say why.
    pub reasons: Vec<Cow<'static, str>>,
    /// Literal text of the snippet that decided.
    pub span: Option<String>,
    /// From 0 to 1, if the judge measures.
    pub score: Option<f64>,
    /// What a model said about it; for the details only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Answer {
    /// The text does not decide, for this reason.
    pub fn unclear(reason: &'static str) -> Self {
        Self {
            verdict: Opinion::Unclear,
            reasons: vec![Cow::Borrowed(reason)],
            span: None,
            score: None,
            note: None,
        }
    }

    /// Whether this reason is given.
    pub fn has(&self, reason: &str) -> bool {
        self.reasons.iter().any(|given| given == reason)
    }
}

/// Why a judge gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);

/// Answers questions about claims.
pub trait Judge: Send + Sync {
    /// Names the judge in reports and cache keys.
    fn id(&self) -> &str;

    /// Whether text given to this judge may leave the machine.
    fn is_model(&self) -> bool;

    /// Answers one question.
    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer>;

    /// How many questions were really asked, and how many were answered from a cache.
    fn tally(&self) -> Tally {
        Tally::default()
    }
}

/// What a judge did in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Questions that were really asked.
    pub calls: u64,
    /// Questions answered from the cache.
    pub cache_hits: u64,
}
