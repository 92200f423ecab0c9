//! Checks one evidence item: reads what it names, then judges it (claims 7.1).

mod extended;
mod web;

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Instant;

use crosscheck_core::digest::Digest;
use crosscheck_judge::{EvidenceKind, Question};

use crate::Session;
use crate::judge::{Attempt, ClaimStatus, LineRange, quote, seen_quote, weigh};
use crate::observe::{FileSeen, Kept, Missing};
use crate::plan::{Probe, Quote, Spot};
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

/// A claim beside a file that its evidence names.
#[derive(Clone, Copy)]
struct FileItem<'i> {
    claim: &'i str,
    path: &'i str,
    quote: &'i Quote<'i>,
    file: &'i FileSeen,
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
        let is_file = matches!(probe, Probe::File { .. } | Probe::Open(_));
        let attempt = if is_file && !self.world.judge.is_model() {
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
        match probe {
            Probe::Open(code) => attempt.end(ClaimStatus::Partial, *code),
            Probe::Page { .. } | Probe::Search { .. } if self.options.offline => {
                attempt.end(ClaimStatus::Partial, ClaimReason::Offline);
            }
            Probe::Page { url, prompt } => self.fetch(claim, (url, prompt), quote, &mut attempt),
            Probe::Search {
                query,
                allowed,
                blocked,
            } => self.search_again(claim, query, [allowed, blocked], &mut attempt),
            Probe::File { path, spot } => self.in_file(claim, (path, spot), quote, &mut attempt),
        }
        attempt
    }

    /// Opens the file, then reads it. Order (claims 7.1): policy and existence,
    /// range order, text.
    fn in_file(
        &self,
        claim: &str,
        (path, spot): (&str, &Spot<'_>),
        quote: &Quote<'_>,
        attempt: &mut Attempt,
    ) {
        let visit = self.store.visit(path);
        let policy = &self.store.policy;
        let is_outside = match visit.as_ref() {
            Ok(file) => !policy.is_inside(&file.real),
            Err(_) => self.options.details && policy.leads_outside(path),
        };
        if is_outside {
            let message = "the evidence lies outside the project root".to_owned();
            attempt.warnings.push(("outside_root", message));
        }
        let looked = match visit.as_ref() {
            // The range is checked before the text is read and decoded.
            Ok(_) | Err(Missing::Binary | Missing::TooLarge) if spot.is_inverted() => {
                return attempt.end(ClaimStatus::Failed, ClaimReason::InvalidRange);
            }
            Err(missing) => Err(*missing),
            Ok(file) => {
                let item = FileItem {
                    claim,
                    path,
                    quote,
                    file,
                };
                match spot {
                    Spot::Lines(start, end) => self.lines(item, (*start, *end), attempt),
                    Spot::Symbol(symbol) => self.symbol(item, symbol, attempt),
                    Spot::Bytes(start, end) => self.byte_range(item, (*start, *end), attempt),
                    Spot::Json(query) => self.json_path(item, query, attempt),
                    Spot::Stack(signature) => self.stack(item, signature, attempt),
                }
            }
        };
        let Err(missing) = looked else {
            return;
        };
        let (status, code) = match missing {
            // a source that is not a file was not checked
            Missing::NotFound | Missing::NotAFile if spot.is_of_source() => {
                (ClaimStatus::Partial, ClaimReason::SourceNotFile)
            }
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

    fn lines(
        &self,
        item: FileItem<'_>,
        (start, end): (u64, u64),
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let count = item.file.line_count();
        if start > count {
            attempt.end(ClaimStatus::Failed, ClaimReason::RangeOutOfBounds);
            self.hint_file(item.file, attempt);
            attempt.hints.quote_found_at = self.elsewhere(item, (count, count));
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
        self.weigh_lines(item, (first, last), attempt)
    }

    fn symbol(
        &self,
        item: FileItem<'_>,
        symbol: &str,
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let max = self.options.max_snippet_bytes;
        let Some(line) = item.file.find_symbol(symbol, max)? else {
            attempt.end(ClaimStatus::Failed, ClaimReason::SymbolNotFound);
            self.hint_file(item.file, attempt);
            return Ok(());
        };
        let first = line.saturating_sub(10).max(1);
        let last = (first + 59).min(item.file.line_count());
        self.weigh_lines(item, (first, last), attempt)
    }

    fn weigh_lines(
        &self,
        item: FileItem<'_>,
        (first, last): (u64, u64),
        attempt: &mut Attempt,
    ) -> Result<(), Missing> {
        let max = self.options.max_snippet_bytes;
        let bytes = item.file.lines(first, last, max)?;
        attempt.lines = Some((first, last));
        let text = String::from_utf8_lossy(&bytes);
        self.weigh(item, EvidenceKind::File, &text, attempt);
        if attempt.status == ClaimStatus::Failed {
            self.hint_file(item.file, attempt);
            attempt.hints.snippet_sha256 = Some(Digest::of(&bytes).hex());
            if attempt.code == ClaimReason::QuoteNotFound {
                attempt.hints.quote_found_at = self.elsewhere(item, (first, last));
            }
        }
        Ok(())
    }

    /// Quote, then judge: the decision table.
    fn weigh(&self, item: FileItem<'_>, kind: EvidenceKind, text: &str, attempt: &mut Attempt) {
        let plain = without_cr(text);
        if seen_quote(item.quote, text, &plain, self.options, attempt) {
            let prepared = self.texts.prepared(&plain);
            let question = Question {
                kind,
                reference: Some(item.path),
                quote: item.quote.text.as_deref(),
                ..Question::new(item.claim, &prepared)
            };
            weigh(self.world.judge, &question, self.options, attempt);
        }
    }

    fn hint_file(&self, file: &FileSeen, attempt: &mut Attempt) {
        attempt.hints.line_count = Some(file.line_count());
        attempt.hints.resolved_path = Some(self.store.policy.shown(&file.real));
    }

    /// Where else in the file the quote is: searches a whole file up to 1 MiB,
    /// and the neighbourhood of the range in a larger one. Only for the hint.
    fn elsewhere(&self, item: FileItem<'_>, (first, last): (u64, u64)) -> Option<LineRange> {
        const WHOLE: u64 = 1024 * 1024;
        const AROUND: u64 = 2000;
        let text = item.quote.text.as_ref()?;
        let (from, to) = if item.file.size <= WHOLE {
            (1, item.file.line_count())
        } else {
            (
                first.saturating_sub(AROUND).max(1),
                last.saturating_add(AROUND),
            )
        };
        let bytes = item.file.lines(from, to, WHOLE).ok()?;
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
