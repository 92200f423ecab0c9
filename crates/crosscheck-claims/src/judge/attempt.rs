//! One evidence item against the text it names: the decision table
//! (claims 6.3).

use crosscheck_core::digest::Digest;
use crosscheck_judge::{Answer, EvidenceKind, Judge, Opinion, Question};
use serde::Serialize;

use super::{hash, quote};
use crate::plan::Quote;
use crate::reasons::ClaimReason;
use crate::request::{OnUnclear, Options, QuoteLevel};

/// The result of an evidence item or a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// Undecided.
    Partial,
}

/// Whether the quote was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteState {
    /// There is no quote and no confirmed hash.
    Absent,
    /// It was found, at this level.
    Found(QuoteLevel),
    /// A hash without quote was confirmed.
    HashConfirmed,
    /// It was not found.
    NotFound,
}

/// Hints at why an item failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Hints {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quote_found_at: Option<LineRange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quote_matches_if: Option<QuoteLevel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippet_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resolved_path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct LineRange {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Hints {
    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One evidence item, tried.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) index: usize,
    pub(crate) status: ClaimStatus,
    pub(crate) code: ClaimReason,
    pub(crate) answer: Option<Answer>,
    pub(crate) quote: QuoteState,
    pub(crate) hints: Hints,
    /// The lines that were read.
    pub(crate) lines: Option<(u64, u64)>,
    pub(crate) warnings: Vec<(&'static str, String)>,
    pub(crate) micros: u128,
    /// What a judge or fetcher said when it failed.
    pub(crate) trouble: Option<String>,
}

impl Attempt {
    /// Removes everything that could show the text of the file.
    pub(crate) fn hide_text(&mut self) {
        self.hints = Hints {
            resolved_path: self.hints.resolved_path.take(),
            ..Hints::default()
        };
        self.lines = None;
        self.answer = None;
    }

    pub(crate) fn new(index: usize, status: ClaimStatus, code: ClaimReason) -> Self {
        Self {
            index,
            status,
            code,
            answer: None,
            quote: QuoteState::Absent,
            hints: Hints::default(),
            lines: None,
            warnings: Vec::new(),
            micros: 0,
            trouble: None,
        }
    }

    /// About how much memory it takes.
    pub(crate) fn weight(&self) -> usize {
        let answer = self.answer.iter();
        let texts = answer.flat_map(|answer| [&answer.span, &answer.explanation]);
        let texts = texts.chain([&self.hints.resolved_path, &self.trouble]);
        let long: usize = texts.flatten().map(String::len).sum();
        size_of::<Self>() + long + 512
    }

    pub(crate) fn end(&mut self, status: ClaimStatus, code: ClaimReason) {
        self.status = status;
        self.code = code;
    }
}

/// Looks for the quote in a snippet, which also comes without CR; whether the judge is to be asked.
pub(crate) fn seen_quote(
    quote: &Quote<'_>,
    snippet: &str,
    plain: &str,
    options: &Options,
    attempt: &mut Attempt,
) -> bool {
    if let (Some(text), Some(hash)) = (&quote.text, &quote.hash)
        && Digest::of(text.as_bytes()).hex() != *hash
    {
        if options.strict_hash {
            attempt.end(ClaimStatus::Failed, ClaimReason::QuoteHashMismatch);
            return false;
        }
        let message = "quote_hash is not the hash of the quote".to_owned();
        attempt.warnings.push(("quote_hash_mismatch", message));
    }
    let level = options.quote_level;
    attempt.quote = match (&quote.text, &quote.hash) {
        (Some(text), _) => {
            quote::find(text, snippet, level).map_or(QuoteState::NotFound, QuoteState::Found)
        }
        (None, Some(hash)) if hash::is_confirmed(plain, hash) => QuoteState::HashConfirmed,
        (None, _) => QuoteState::Absent,
    };
    if let (QuoteState::NotFound, Some(text)) = (attempt.quote, &quote.text) {
        attempt.end(ClaimStatus::Failed, ClaimReason::QuoteNotFound);
        attempt.hints.quote_matches_if = quote::found_beyond(text, snippet, level);
    }
    attempt.quote != QuoteState::NotFound
}

/// Asks the judge and applies its answer to the table.
pub(crate) fn weigh(
    judge: &dyn Judge,
    question: &Question<'_>,
    options: &Options,
    attempt: &mut Attempt,
) {
    let answer = match judge.judge(question) {
        Ok(answer) => answer,
        Err(error) => {
            attempt.end(ClaimStatus::Partial, ClaimReason::JudgeError);
            attempt.trouble = Some(error.to_string());
            return;
        }
    };
    // `--on-unclear` applies to files only; an unclear page stays unclear.
    let rule = match question.kind {
        EvidenceKind::Web | EvidenceKind::Search => OnUnclear::Auto,
        EvidenceKind::File | EvidenceKind::Json => options.on_unclear,
    };
    let (status, code) = match answer.verdict {
        Opinion::Supports => (ClaimStatus::Passed, ClaimReason::Supported),
        Opinion::Contradicts => (ClaimStatus::Failed, ClaimReason::Contradicted),
        Opinion::Unclear => unclear(&answer, attempt.quote, rule),
    };
    attempt.answer = Some(answer);
    attempt.end(status, code);
}

fn unclear(answer: &Answer, quote: QuoteState, rule: OnUnclear) -> (ClaimStatus, ClaimReason) {
    // who cannot rule out that the text says the opposite has not seen that it is consistent
    let may_deny = answer.has("polarity_unsure") || answer.has("quantity_swapped");
    let is_related = !answer.has("unrelated");
    let open = if is_related {
        ClaimReason::Unclear
    } else {
        ClaimReason::Unrelated
    };
    let confirmed = matches!(quote, QuoteState::Found(_) | QuoteState::HashConfirmed);
    match rule {
        OnUnclear::Pass => (ClaimStatus::Passed, ClaimReason::Consistent),
        OnUnclear::Fail => (ClaimStatus::Failed, ClaimReason::Unclear),
        OnUnclear::Auto if confirmed && is_related && !may_deny => {
            (ClaimStatus::Passed, ClaimReason::Consistent)
        }
        OnUnclear::Partial | OnUnclear::Auto => (ClaimStatus::Partial, open),
    }
}
