//! Checks one evidence item: reads what it names, then judges it (claims 7.1).

mod extended;
mod web;

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Instant;

use crosscheck_core::digest::Digest;
use crosscheck_judge::EvidenceKind;

use crate::Session;
use crate::judge::{Attempt, ClaimStatus, LineRange, Snippet, quote};
use crate::observe::{FileSeen, Kept, Missing, Visit};
use crate::plan::{Probe, Quote};
use crate::reasons::ClaimReason;

/// What came of a claim with an evidence item, by the hash of both.
pub(crate) struct Attempts {
    seen: Kept<u128, Attempt>,
    /// Whose secrets no document knows: nobody can write two items of the same hash.
    hashes: [RandomState; 2],
}

impl Attempts {
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            seen: Kept::new(budget),
            hashes: [RandomState::new(), RandomState::new()],
        }
    }
}

/// An evidence item that names a file.
#[derive(Clone, Copy)]
struct FileItem<'i> {
    claim: &'i str,
    path: &'i str,
    quote: &'i Quote<'i>,
}

impl Session<'_> {
    /// Tries one evidence item.
    pub(crate) fn attempt(
        &self,
        claim: &str,
        index: usize,
        probe: &Probe<'_>,
        quote: &Quote<'_>,
    ) -> Attempt {
        let started = Instant::now();
        let look = || self.look(claim, probe, quote);
        // Files stay as they were read, and the built-in judge says the same again.
        let is_same_again = !matches!(probe, Probe::ToolCall(_)) && !self.world.judge.is_model();
        let attempt = if is_same_again {
            let hashes = self.attempts.hashes.iter();
            let key = hashes.fold(0, |key: u128, hash| {
                key << 64 | u128::from(hash.hash_one((claim, probe, quote)))
            });
            self.attempts.seen.get(&key, look, Attempt::weight)
        } else {
            look()
        };
        Attempt {
            index,
            micros: started.elapsed().as_micros(),
            ..attempt
        }
    }

    fn look(&self, claim: &str, probe: &Probe<'_>, quote: &Quote<'_>) -> Attempt {
        let mut attempt = Attempt::new(0, ClaimStatus::Partial, ClaimReason::UnsupportedLocator);
        let item = |path| FileItem { claim, path, quote };
        match probe {
            Probe::Unsupported => {}
            Probe::Malformed => attempt.end(ClaimStatus::Partial, ClaimReason::MalformedLocator),
            Probe::ToolCall(hint) => self.tool_call(claim, hint, quote, &mut attempt),
            Probe::Lines { path, start, end } => {
                self.in_file(path, *end < *start, &mut attempt, |file, attempt| {
                    self.lines(item(path), (*start, *end), file, attempt)
                });
            }
            Probe::Symbol { path, symbol } => {
                self.in_file(path, false, &mut attempt, |file, attempt| {
                    self.symbol(item(path), symbol, file, attempt)
                });
            }
            Probe::Bytes { path, start, end } => {
                self.in_file(path, *end <= *start, &mut attempt, |file, attempt| {
                    self.byte_range(item(path), (*start, *end), file, attempt)
                });
            }
            Probe::JsonPath { file: path, query } => {
                self.in_file(path, false, &mut attempt, |file, attempt| {
                    self.json_path(item(path), query, file, attempt)
                });
                source_not_file(&mut attempt);
            }
            Probe::Stack {
                file: path,
                signature,
            } => {
                self.in_file(path, false, &mut attempt, |file, attempt| {
                    self.stack(item(path), signature, file, attempt)
                });
                source_not_file(&mut attempt);
            }
        }
        attempt
    }

    /// Opens the file, then reads it. Order (claims 7.1): policy and existence,
    /// range order, text.
    fn in_file(
        &self,
        path: &str,
        is_inverted: bool,
        attempt: &mut Attempt,
        look: impl FnOnce(&FileSeen, &mut Attempt) -> Result<(), Missing>,
    ) {
        let visit: Visit = self.store.visit(path);
        if visit.is_err() && self.options.details && self.store.policy.leads_outside(path) {
            note_outside(attempt);
        }
        let missing = match visit.as_ref() {
            Ok(file) => {
                self.note_place(file, attempt);
                if is_inverted {
                    attempt.end(ClaimStatus::Failed, ClaimReason::InvalidRange);
                    return;
                }
                match look(file, attempt) {
                    Ok(()) => return,
                    Err(missing) => missing,
                }
            }
            // The range is checked before the text is read and decoded.
            Err(Missing::Binary | Missing::TooLarge) if is_inverted => {
                attempt.end(ClaimStatus::Failed, ClaimReason::InvalidRange);
                return;
            }
            Err(missing) => *missing,
        };
        let (status, code) = match missing {
            Missing::NotFound => (ClaimStatus::Failed, ClaimReason::FileNotFound),
            Missing::NotAFile => (ClaimStatus::Failed, ClaimReason::NotAFile),
            Missing::OutsideRoot => (ClaimStatus::Partial, ClaimReason::OutsideRoot),
            Missing::OwnDocument => (ClaimStatus::Partial, ClaimReason::OwnDocument),
            Missing::Binary => (ClaimStatus::Partial, ClaimReason::BinaryFile),
            Missing::TooLarge => (ClaimStatus::Partial, ClaimReason::FileTooLarge),
            Missing::Unreadable => (ClaimStatus::Partial, ClaimReason::Unreadable),
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
        item: FileItem<'_>,
        (start, end): (u64, u64),
        file: &FileSeen,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let count = file.line_count();
        if start > count {
            attempt.end(ClaimStatus::Failed, ClaimReason::RangeOutOfBounds);
            self.hint_file(file, attempt);
            if let Some(text) = &item.quote.text {
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
        self.weigh_lines(item, (first, last), file, attempt)
    }

    fn symbol(
        &self,
        item: FileItem<'_>,
        symbol: &str,
        file: &FileSeen,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let Some(line) = file.find_symbol(symbol, self.options.max_snippet_bytes)? else {
            attempt.end(ClaimStatus::Failed, ClaimReason::SymbolNotFound);
            self.hint_file(file, attempt);
            return Ok(());
        };
        let first = line.saturating_sub(10).max(1);
        let last = (first + 59).min(file.line_count());
        self.weigh_lines(item, (first, last), file, attempt)
    }

    fn weigh_lines(
        &self,
        item: FileItem<'_>,
        (first, last): (u64, u64),
        file: &FileSeen,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let bytes = file.lines(first, last, self.options.max_snippet_bytes)?;
        attempt.lines = Some((first, last));
        let text = String::from_utf8_lossy(&bytes);
        self.weigh(item, EvidenceKind::File, text, attempt);
        if attempt.status == ClaimStatus::Failed {
            self.hint_file(file, attempt);
            attempt.hints.snippet_sha256 = Some(Digest::of(&bytes).hex());
            if attempt.code == ClaimReason::QuoteNotFound
                && let Some(text) = &item.quote.text
            {
                attempt.hints.quote_found_at = self.elsewhere(text, file, (first, last));
            }
        }
        Ok(())
    }

    fn weigh(
        &self,
        item: FileItem<'_>,
        kind: EvidenceKind,
        text: Cow<'_, str>,
        attempt: &mut Attempt,
    ) {
        let snippet = Snippet {
            text,
            kind,
            reference: item.path,
        };
        self.weigher()
            .weigh(item.claim, &snippet, item.quote, attempt);
    }

    fn hint_file(&self, file: &FileSeen, attempt: &mut Attempt) {
        attempt.hints.line_count = Some(file.line_count());
        attempt.hints.resolved_path = Some(self.store.policy.shown(&file.real));
    }

    /// Where else in the file the quote is: searches a whole file up to 1 MiB,
    /// and the neighbourhood of the range in a larger one. Only for the hint.
    fn elsewhere(
        &self,
        text: &str,
        file: &FileSeen,
        (first, last): (u64, u64),
    ) -> Option<LineRange> {
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
        Some(LineRange {
            start: start + from - 1,
            end: end + from - 1,
        })
    }
}

fn note_outside(attempt: &mut Attempt) {
    attempt.warnings.push((
        "outside_root",
        "the evidence lies outside the project root".to_owned(),
    ));
}

/// For these locators a source that is not a file is not a failure: it was not
/// checked.
fn source_not_file(attempt: &mut Attempt) {
    if matches!(
        attempt.code,
        ClaimReason::FileNotFound | ClaimReason::NotAFile
    ) {
        attempt.end(ClaimStatus::Partial, ClaimReason::SourceNotFile);
    }
}
