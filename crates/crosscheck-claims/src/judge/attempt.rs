//! One evidence item against what is there: the decision table.

use std::borrow::Cow;
use std::time::Instant;

use crosscheck_core::digest::Digest;
use crosscheck_core::judge::{Answer, Judge, Kind, Opinion, Question};
use serde::Serialize;

use super::{hash, quote};
use crate::observe::{FileSeen, Missing, PageStore, Search, Store, Visit};
use crate::plan::{Probe, Quote};
use crate::reasons::ClaimReason;
use crate::request::{OnUnclear, Options, QuoteLevel};

/// The result of an evidence item or a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// Nobody can say.
    Partial,
}

/// What became of the quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteState {
    /// There is none, and no hash that was confirmed.
    Absent,
    /// It is there, at this level.
    Found(QuoteLevel),
    /// A hash without quote was confirmed.
    HashConfirmed,
    /// It is not there.
    NotFound,
}

/// What helps to find out why an item failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) quote_found_at: Option<(u64, u64)>,
    pub(crate) quote_matches_if: Option<QuoteLevel>,
    pub(crate) snippet_sha256: Option<String>,
    pub(crate) line_count: Option<u64>,
    pub(crate) resolved_path: Option<String>,
}

/// One evidence item, tried.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) index: usize,
    pub(crate) status: Status,
    pub(crate) code: ClaimReason,
    pub(crate) answer: Option<Answer>,
    pub(crate) quote: QuoteState,
    pub(crate) hints: Hints,
    /// The lines that were looked at.
    pub(crate) lines: Option<(u64, u64)>,
    pub(crate) warnings: Vec<(&'static str, String)>,
    pub(crate) micros: u128,
    /// What a judge or fetcher said when it failed.
    pub(crate) trouble: Option<String>,
}

impl Attempt {
    pub(crate) fn new(index: usize, status: Status, code: ClaimReason) -> Self {
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

    pub(crate) fn end(&mut self, status: Status, code: ClaimReason) {
        self.status = status;
        self.code = code;
    }
}

/// Everything a verification looks with.
pub(crate) struct Verifier<'v> {
    pub(crate) options: &'v Options,
    pub(crate) store: &'v Store,
    pub(crate) judge: &'v dyn Judge,
    pub(crate) pages: &'v PageStore<'v>,
    pub(crate) search: &'v dyn Search,
}

/// A snippet and where it is from.
pub(super) struct Snippet<'s> {
    pub(super) text: Cow<'s, str>,
    pub(super) kind: Kind,
    pub(super) reference: &'s str,
}

impl Verifier<'_> {
    /// Tries one evidence item.
    pub(crate) fn attempt(
        &self,
        claim: &str,
        index: usize,
        probe: &Probe<'_>,
        quote: &Quote<'_>,
    ) -> Attempt {
        let started = Instant::now();
        let mut attempt = Attempt::new(index, Status::Partial, ClaimReason::UnsupportedLocator);
        match probe {
            Probe::Unsupported => {}
            Probe::Malformed => attempt.end(Status::Partial, ClaimReason::MalformedLocator),
            Probe::ToolCall(hint) => self.tool_call(claim, hint, quote, &mut attempt),
            Probe::Lines { path, start, end } => {
                self.in_file(
                    path,
                    &mut attempt,
                    |file, attempt| self.lines(claim, path, (*start, *end), quote, file, attempt),
                    Some(*end < *start),
                );
            }
            Probe::Symbol { path, symbol } => {
                self.in_file(
                    path,
                    &mut attempt,
                    |file, attempt| self.symbol(claim, path, symbol, quote, file, attempt),
                    None,
                );
            }
            Probe::Bytes { path, start, end } => {
                self.in_file(
                    path,
                    &mut attempt,
                    |file, attempt| {
                        self.byte_range(claim, path, (*start, *end), quote, file, attempt)
                    },
                    Some(*end <= *start),
                );
            }
            Probe::JsonPath { file, query } => {
                self.json_path(claim, file, query, quote, &mut attempt);
            }
            Probe::Stack { file, signature } => {
                self.stack(claim, file, signature, quote, &mut attempt);
            }
        }
        attempt.micros = started.elapsed().as_micros();
        attempt
    }

    /// Opens the file, then looks. Order: policy and existence, range order, text.
    pub(super) fn in_file(
        &self,
        path: &str,
        attempt: &mut Attempt,
        look: impl FnOnce(&FileSeen, &mut Attempt) -> Result<(), Missing>,
        inverted: Option<bool>,
    ) {
        let visit: Visit = self.store.visit(path);
        if visit.is_err() && self.options.details && self.store.policy.leads_outside(path) {
            note_outside(attempt);
        }
        let missing = match visit.as_ref() {
            Ok(file) => {
                self.note_place(file, attempt);
                if inverted == Some(true) {
                    attempt.end(Status::Failed, ClaimReason::InvalidRange);
                    return;
                }
                match look(file, attempt) {
                    Ok(()) => return,
                    Err(missing) => missing,
                }
            }
            // The range is checked before the text is read and decoded.
            Err(Missing::Binary | Missing::TooLarge) if inverted == Some(true) => {
                attempt.end(Status::Failed, ClaimReason::InvalidRange);
                return;
            }
            Err(missing) => *missing,
        };
        let (status, code) = match missing {
            Missing::NotFound => (Status::Failed, ClaimReason::FileNotFound),
            Missing::NotAFile => (Status::Failed, ClaimReason::NotAFile),
            Missing::OutsideRoot => (Status::Partial, ClaimReason::OutsideRoot),
            Missing::Binary => (Status::Partial, ClaimReason::BinaryFile),
            Missing::TooLarge => (Status::Partial, ClaimReason::FileTooLarge),
            Missing::Unreadable => (Status::Partial, ClaimReason::Unreadable),
        };
        attempt.end(status, code);
    }

    fn note_place(&self, file: &FileSeen, attempt: &mut Attempt) {
        let policy = &self.store.policy;
        if !policy.is_inside(&file.real) {
            note_outside(attempt);
        }
    }

    fn lines(
        &self,
        claim: &str,
        path: &str,
        (start, end): (u64, u64),
        quote: &Quote<'_>,
        file: &FileSeen,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let count = file.line_count();
        if start > count {
            attempt.end(Status::Failed, ClaimReason::RangeOutOfBounds);
            self.hint_file(file, attempt);
            if let Some(text) = &quote.text {
                attempt.hints.quote_found_at = self.elsewhere(text, file, (count, count));
            }
            return Ok(());
        }
        if end > count {
            attempt.warnings.push((
                "range_end_cut",
                format!("the range ends at line {end}, the file at line {count}"),
            ));
        }
        let slack = self.options.line_slack;
        let first = start.saturating_sub(slack).max(1);
        let last = end.min(count).saturating_add(slack).min(count);
        self.weigh_lines(claim, path, (first, last), quote, file, attempt)
    }

    fn symbol(
        &self,
        claim: &str,
        path: &str,
        symbol: &str,
        quote: &Quote<'_>,
        file: &FileSeen,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let Some(line) = file.find_symbol(symbol, self.options.max_snippet_bytes)? else {
            attempt.end(Status::Failed, ClaimReason::SymbolNotFound);
            self.hint_file(file, attempt);
            return Ok(());
        };
        let first = line.saturating_sub(10).max(1);
        let last = (first + 59).min(file.line_count());
        self.weigh_lines(claim, path, (first, last), quote, file, attempt)
    }

    pub(super) fn weigh_lines(
        &self,
        claim: &str,
        path: &str,
        (first, last): (u64, u64),
        quote: &Quote<'_>,
        file: &FileSeen,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let bytes = file.lines(first, last, self.options.max_snippet_bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        attempt.lines = Some((first, last));
        let snippet = Snippet {
            text,
            kind: Kind::File,
            reference: path,
        };
        self.weigh(claim, &snippet, quote, attempt);
        if attempt.status == Status::Failed {
            self.hint_file(file, attempt);
            attempt.hints.snippet_sha256 = Some(Digest::of(&bytes).hex());
            if attempt.code == ClaimReason::QuoteNotFound
                && let Some(text) = &quote.text
            {
                attempt.hints.quote_found_at = self.elsewhere(text, file, (first, last));
            }
        }
        Ok(())
    }

    pub(super) fn hint_file(&self, file: &FileSeen, attempt: &mut Attempt) {
        attempt.hints.line_count = Some(file.line_count());
        attempt.hints.resolved_path = Some(self.store.policy.shown(&file.real));
    }

    /// Where else in the file the quote stands: in all of a file up to 1 MiB,
    /// in the neighbourhood of the range in a larger one. Only for the hint.
    fn elsewhere(
        &self,
        text: &str,
        file: &FileSeen,
        (first, last): (u64, u64),
    ) -> Option<(u64, u64)> {
        const WHOLE: u64 = 1024 * 1024;
        const AROUND: u64 = 2000;
        let (from, to) = if file.size <= WHOLE {
            (1, file.line_count())
        } else {
            (
                first.saturating_sub(AROUND).max(1),
                last.saturating_add(AROUND),
            )
        };
        let bytes = file.lines(from, to, WHOLE).ok()?;
        let text_there = String::from_utf8_lossy(&bytes);
        let level = self.options.quote_level;
        let near = (first.max(from) - from + 1, last.max(from) - from + 1);
        let (start, end) = quote::lines_of(text, &text_there, level, near)?;
        Some((start + from - 1, end + from - 1))
    }

    /// Quote, then judge: the decision table.
    pub(super) fn weigh(
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
                attempt.end(Status::Failed, ClaimReason::QuoteHashMismatch);
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
            attempt.end(Status::Failed, ClaimReason::QuoteNotFound);
            attempt.hints.quote_matches_if = quote::found_beyond(text, &snippet.text, level);
            return;
        }
        self.ask(
            &Question {
                claim,
                snippet: &plain,
                kind: snippet.kind,
                reference: Some(snippet.reference),
                quote: quote.text.as_deref(),
                prompt: None,
                header: None,
            },
            attempt,
        );
    }

    /// Asks the judge and enters its answer into the table.
    pub(super) fn ask(&self, question: &Question<'_>, attempt: &mut Attempt) {
        let answer = match self.judge.judge(question) {
            Ok(answer) => answer,
            Err(error) => {
                attempt.end(Status::Partial, ClaimReason::JudgeError);
                attempt.trouble = Some(error.to_string());
                return;
            }
        };
        let (status, code) = match answer.verdict {
            Opinion::Supports => (Status::Passed, ClaimReason::Supported),
            Opinion::Contradicts => (Status::Failed, ClaimReason::Contradicted),
            Opinion::Unclear => self.unclear(&answer, attempt.quote, question.kind),
        };
        attempt.answer = Some(answer);
        attempt.end(status, code);
    }

    fn unclear(&self, answer: &Answer, quote: QuoteState, kind: Kind) -> (Status, ClaimReason) {
        let open = if answer.has("unrelated") {
            ClaimReason::Unrelated
        } else {
            ClaimReason::Unclear
        };
        let confirmed = matches!(quote, QuoteState::Found(_) | QuoteState::HashConfirmed);
        // `--on-unclear` is about files; what a page leaves open stays open.
        let rule = match kind {
            Kind::Web | Kind::Search => OnUnclear::Auto,
            Kind::File | Kind::Json => self.options.on_unclear,
        };
        match rule {
            OnUnclear::Pass => (Status::Passed, ClaimReason::Consistent),
            OnUnclear::Fail => (Status::Failed, ClaimReason::Unclear),
            OnUnclear::Auto if confirmed && open == ClaimReason::Unclear => {
                (Status::Passed, ClaimReason::Consistent)
            }
            OnUnclear::Partial | OnUnclear::Auto => (Status::Partial, open),
        }
    }
}

fn note_outside(attempt: &mut Attempt) {
    attempt.warnings.push((
        "outside_root",
        "the evidence lies outside the project root".to_owned(),
    ));
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
