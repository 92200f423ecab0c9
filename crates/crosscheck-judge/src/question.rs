//! The question to a judge: does this text support this claim?
//!
//! The user chooses the judge: the built-in one, a program, a model behind an
//! endpoint, or recorded answers. A judge is asked only after the deterministic
//! checks and can never turn one of their failures into a pass (claims 9).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::builtin::Text;
use crate::masked::masked;

/// Where a text comes from; decides how it is cut into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
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

impl EvidenceKind {
    /// The word for such a text in reports.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::File | Self::Json => "text",
            Self::Web => "page",
            Self::Search => "search result",
        }
    }
}

/// One question to a judge.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The claim.
    pub claim: &'a str,
    /// The text. What a judge computes from it is reused for the next claim.
    pub text: &'a Text<'a>,
    /// Where the text comes from.
    pub kind: EvidenceKind,
    /// Path or URL of the text.
    pub reference: Option<&'a str>,
    /// The words that the claim's author quoted.
    pub quote: Option<&'a str>,
    /// What the author asked for when fetching; the built-in judge ignores it.
    pub prompt: Option<&'a str>,
    /// Page title and site name; web only.
    pub header: Option<&'a str>,
}

impl<'a> Question<'a> {
    /// Whether this text supports this claim.
    pub const fn new(claim: &'a str, text: &'a Text<'a>) -> Self {
        Self {
            claim,
            text,
            kind: EvidenceKind::File,
            reference: None,
            quote: None,
            prompt: None,
            header: None,
        }
    }
}

/// Why a judge gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NoAnswer {
    /// In words.
    pub why: String,
    /// Whether this machine has run out of something: then nothing was judged,
    /// and a later try may succeed.
    pub is_machine_limit: bool,
}

impl NoAnswer {
    /// No answer, for this reason.
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            is_machine_limit: false,
        }
    }
}

/// Answers questions about claims.
pub trait Judge: Send + Sync {
    /// Names the judge in reports and cache keys.
    fn id(&self) -> &str;

    /// Whether text given to this judge may leave the machine.
    fn is_model(&self) -> bool;

    /// Answers one question.
    fn judge(&self, question: &Question<'_>) -> Result<Answer, NoAnswer>;

    /// What a run with at most this many questions will cost, if a reader should know before it begins.
    fn announce(&self, _questions: u64) -> Option<String> {
        None
    }

    /// The work of the judge so far.
    fn tally(&self) -> Tally {
        Tally::default()
    }
}

/// The judge and its work; for reports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JudgeSeen {
    /// Names the judge, with its version; secrets in a command line are hidden.
    pub id: String,
    /// What it did.
    #[serde(flatten)]
    pub tally: Tally,
}

impl JudgeSeen {
    /// The summary of a judge after a run.
    pub fn of(judge: &dyn Judge) -> Self {
        Self {
            id: masked(judge.id()),
            tally: judge.tally(),
        }
    }
}

impl fmt::Display for JudgeSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            calls,
            cache_hits,
            builtin,
        } = self.tally;
        write!(f, "judged by {}", self.id)?;
        if builtin > 0 {
            write!(f, "; the built-in judge decided {builtin}")?;
        }
        if calls + cache_hits > 0 {
            write!(
                f,
                "; the model was asked {calls} times, {cache_hits} answers were remembered"
            )?;
        }
        Ok(())
    }
}

/// The work of a judge in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Questions that the model was asked.
    pub calls: u64,
    /// Questions answered from the cache.
    pub cache_hits: u64,
    /// Questions that the built-in judge decided, so that the model was not asked.
    pub builtin: u64,
}
