//! One evidence item against the text it names: the decision table
//! (claims 6.3).

use std::borrow::Cow;

use crosscheck_core::digest::Digest;
use crosscheck_judge::{Answer, EvidenceKind, Judge, Opinion, Question};
use serde::Serialize;

use super::{hash, quote};
use crate::observe::Texts;
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

/// A snippet and where it is from.
pub(crate) struct Snippet<'s> {
    pub(crate) text: Cow<'s, str>,
    pub(crate) kind: EvidenceKind,
    pub(crate) reference: &'s str,
}

/// Compares a text with a claim and its quote.
#[derive(Clone, Copy)]
pub(crate) struct Weigher<'w> {
    pub(crate) options: &'w Options,
    pub(crate) judge: &'w dyn Judge,
    pub(crate) texts: &'w Texts,
}

impl Weigher<'_> {
    /// Quote, then judge: the decision table.
    pub(crate) fn weigh(
        &self,
        claim: &str,
        snippet: &Snippet<'_>,
        quote: &Quote<'_>,
        attempt: &mut Attempt,
    ) {
        let level = self.options.quote_level;
        if let (Some(text), Some(hash)) = (&quote.text, &quote.hash)
            && Digest::of(text.as_bytes()).hex() != *hash
        {
            if self.options.strict_hash {
                attempt.end(ClaimStatus::Failed, ClaimReason::QuoteHashMismatch);
                return;
            }
            attempt.warnings.push((
                "quote_hash_mismatch",
                "quote_hash is not the hash of the quote".to_owned(),
            ));
        }
        let plain = without_cr(&snippet.text);
        attempt.quote = match (&quote.text, &quote.hash) {
            (Some(text), _) => quote::find(text, &snippet.text, level)
                .map_or(QuoteState::NotFound, QuoteState::Found),
            (None, Some(hash)) if hash::is_confirmed(&plain, hash) => QuoteState::HashConfirmed,
            (None, _) => QuoteState::Absent,
        };
        if let (QuoteState::NotFound, Some(text)) = (attempt.quote, &quote.text) {
            attempt.end(ClaimStatus::Failed, ClaimReason::QuoteNotFound);
            attempt.hints.quote_matches_if = quote::found_beyond(text, &snippet.text, level);
            return;
        }
        self.ask(
            &Question {
                kind: snippet.kind,
                reference: Some(snippet.reference),
                quote: quote.text.as_deref(),
                ..Question::new(claim, &self.texts.prepared(&plain))
            },
            attempt,
        );
    }

    /// Asks the judge and applies its answer to the table.
    pub(crate) fn ask(&self, question: &Question<'_>, attempt: &mut Attempt) {
        let answer = match self.judge.judge(question) {
            Ok(answer) => answer,
            Err(error) => {
                attempt.end(ClaimStatus::Partial, ClaimReason::JudgeError);
                attempt.trouble = Some(error.to_string());
                return;
            }
        };
        let (status, code) = match answer.verdict {
            Opinion::Supports => (ClaimStatus::Passed, ClaimReason::Supported),
            Opinion::Contradicts => (ClaimStatus::Failed, ClaimReason::Contradicted),
            Opinion::Unclear => self.unclear(&answer, attempt.quote, question.kind),
        };
        attempt.answer = Some(answer);
        attempt.end(status, code);
    }

    fn unclear(
        &self,
        answer: &Answer,
        quote: QuoteState,
        kind: EvidenceKind,
    ) -> (ClaimStatus, ClaimReason) {
        // who cannot rule out that the text says the opposite has not seen that it is consistent
        let may_deny = answer.has("polarity_unsure") || answer.has("quantity_swapped");
        let open = if answer.has("unrelated") {
            ClaimReason::Unrelated
        } else {
            ClaimReason::Unclear
        };
        let confirmed = matches!(quote, QuoteState::Found(_) | QuoteState::HashConfirmed);
        // `--on-unclear` applies to files only; an unclear page stays unclear.
        let rule = match kind {
            EvidenceKind::Web | EvidenceKind::Search => OnUnclear::Auto,
            EvidenceKind::File | EvidenceKind::Json => self.options.on_unclear,
        };
        match rule {
            OnUnclear::Pass => (ClaimStatus::Passed, ClaimReason::Consistent),
            OnUnclear::Fail => (ClaimStatus::Failed, ClaimReason::Unclear),
            OnUnclear::Auto if confirmed && !may_deny && open == ClaimReason::Unclear => {
                (ClaimStatus::Passed, ClaimReason::Consistent)
            }
            OnUnclear::Partial | OnUnclear::Auto => (ClaimStatus::Partial, open),
        }
    }
}

fn without_cr(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    // The last line of the snippet lost its LF, but not its CR.
    Cow::Owned(match text.strip_suffix('\r') {
        Some(cut) => cut.to_owned(),
        None => text,
    })
}
