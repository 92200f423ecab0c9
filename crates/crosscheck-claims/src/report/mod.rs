//! The report, its details, the neutral view, the files (claims 3).
//!
//! Contract: claims 3.1.

mod details;
mod name;
mod place;
mod publish;
mod recommend;

use std::fmt::Write as _;

use crosscheck_core::outcome::Grounds;
use crosscheck_core::text::one_line;
use crosscheck_core::{JsString, Node, Outcome, Place, Report, UnitId, Verdict};
use crosscheck_fetch::address::shown_in_text;
use crosscheck_judge::{JudgeSeen, Opinion};

pub use place::{below, is_report};

use crate::judge::{Attempt, ClaimStatus, LineRange};
use crate::observe::Store;
use crate::rate::Rate;
use crate::read::{ClaimsDocument, Evidence, Invalid, Settings};
use crate::reasons::ClaimReason;
use crate::warning::Warnings;
use crate::wire::{DetailsV1, Echo, FailedEvidenceV1, FailureV1, StatusV1, VerifyReportV1};
use crate::{Checked, Options};

/// At most this much of a file is shown for one claim: lines, and characters.
const LINES_SHOWN: u64 = 12;
const TEXT_SHOWN: usize = 400;

/// The result of a run, in every form.
#[derive(Debug)]
pub struct ClaimsReport {
    wire: VerifyReportV1,
    details: DetailsV1,
    settings: Settings,
    neutral: Report,
    valid: bool,
    remark: Option<String>,
}

/// The results of the earlier steps.
pub(crate) struct Findings<'f, 'j> {
    pub(crate) document: &'f ClaimsDocument<'j>,
    pub(crate) options: &'f Options,
    pub(crate) rate: &'f Rate,
    pub(crate) seed: &'f str,
    pub(crate) checked: &'f [Checked<'j>],
    pub(crate) judge: JudgeSeen,
    pub(crate) store: &'f Store,
}

impl ClaimsReport {
    pub(crate) fn build(
        findings: &Findings<'_, '_>,
        settings: Settings,
        mut warnings: Warnings,
    ) -> Self {
        let checked = findings.checked;
        let count = |status| checked.iter().filter(|one| one.status == status).count();
        let (passed, failed) = (count(ClaimStatus::Passed), count(ClaimStatus::Failed));
        let status = if failed > 0 {
            StatusV1::Failed
        } else if !checked.is_empty() && passed == checked.len() {
            StatusV1::Ok
        } else {
            StatusV1::Partial
        };
        if findings.options.details {
            details::warn_of_repeated_ids(findings.document, &mut warnings);
            for one in checked {
                warnings.extend(one.warnings.iter().cloned());
            }
        }
        let wire = VerifyReportV1 {
            version: "VerifyReport.v1",
            task_id: findings.document.task_id.to_owned(),
            status,
            checked: checked.len(),
            passed,
            failed,
            failures: checked.iter().filter_map(failure).collect(),
            recommendation: recommend::text(status, checked),
        };
        let confidence = details::confidence(findings, failed, checked.len() - passed - failed);
        Self {
            neutral: neutral(findings, &wire),
            remark: confidence.as_ref().map(|one| one.statement.clone()),
            details: details::details(findings, wire.clone(), confidence, warnings),
            wire,
            settings,
            valid: true,
        }
    }

    pub(crate) fn invalid(invalid: &Invalid, settings: Settings, warnings: Warnings) -> Self {
        let problem = if invalid.path.is_empty() {
            format!("the document cannot be used: {}", invalid.problem)
        } else {
            format!("`{}`: {}", invalid.path, invalid.problem)
        };
        Self::could_not_read(&problem, settings, warnings)
    }

    /// The report for an input that cannot be verified (claims 3.2).
    pub fn unusable(problem: &str) -> Self {
        Self::could_not_read(problem, Settings::default(), Warnings::default())
    }

    fn could_not_read(problem: &str, settings: Settings, warnings: Warnings) -> Self {
        let recommendation = format!(
            "Please provide a valid SubResult.v1. What is wrong: {}",
            one_line(problem)
        );
        let wire = VerifyReportV1 {
            version: "VerifyReport.v1",
            task_id: JsString::from("unknown"),
            status: StatusV1::Failed,
            checked: 0,
            passed: 0,
            failed: 0,
            failures: Vec::new(),
            recommendation,
        };
        let reason = ClaimReason::InvalidSubResult.reason();
        let neutral = Report {
            verifier: "claims",
            notices: Vec::new(),
            subject: "unknown".to_owned(),
            verdict: Verdict::Refuted,
            summary: wire.recommendation.clone(),
            outcomes: whole_document(
                "the input is a SubResult.v1",
                Verdict::Refuted,
                Grounds {
                    reason,
                    message: one_line(problem),
                },
            ),
        }
        .masked();
        Self {
            details: details::of_invalid(wire.clone(), warnings),
            wire,
            settings,
            neutral,
            valid: false,
            remark: None,
        }
    }

    /// The verdict of the run.
    pub const fn verdict(&self) -> Verdict {
        self.neutral.verdict
    }

    /// The contract document with its final line feed.
    pub fn json(&self, compact: bool) -> Vec<u8> {
        to_json(&self.wire, compact)
    }

    /// The details document.
    pub fn details_json(&self, compact: bool) -> Vec<u8> {
        to_json(&self.details, compact)
    }

    /// The neutral view.
    pub const fn neutral(&self) -> &Report {
        &self.neutral
    }

    /// What the sample says about the claims that were not checked.
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// How many claims were checked, passed and failed.
    pub const fn counts(&self) -> (usize, usize, usize) {
        (self.wire.checked, self.wire.passed, self.wire.failed)
    }
}

fn to_json(value: &impl serde::Serialize, compact: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = if compact {
        value.serialize(&mut serde_json::Serializer::new(&mut bytes))
    } else {
        value.serialize(&mut serde_json::Serializer::pretty(&mut bytes))
    };
    debug_assert!(
        written.is_ok(),
        "every field of these documents can be written"
    );
    bytes.push(b'\n');
    bytes
}

/// The first item with the same result as the claim, with its place in the
/// document.
fn decisive<'c, 'j>(checked: &'c Checked<'j>) -> Option<(&'c Attempt, Evidence<'j>)> {
    let attempt = checked
        .attempts
        .iter()
        .find(|attempt| attempt.status == checked.status)
        .or(checked.attempts.first())?;
    let evidence = checked
        .unit_claim
        .evidence()
        .find(|evidence| evidence.index == attempt.index)?;
    Some((attempt, evidence))
}

fn failure(checked: &Checked<'_>) -> Option<FailureV1> {
    if checked.status != ClaimStatus::Failed {
        return None;
    }
    let (attempt, evidence) = decisive(checked)?;
    Some(FailureV1 {
        claim_id: checked.id().0,
        reason: sentence(attempt),
        evidence: FailedEvidenceV1 {
            source: Echo::of(evidence.source),
            locator: Echo::of(evidence.locator),
            evidence_index: attempt.index,
            code: attempt.code.code(),
            hint: attempt.hints.clone(),
        },
    })
}

/// One sentence for people; never text of the file.
fn sentence(attempt: &Attempt) -> String {
    let mut text = attempt.code.reason().meaning.to_owned();
    if let Some(LineRange { start, end }) = attempt.hints.quote_found_at {
        let _ = write!(text, "; the quote is at {}", lines(start, end));
    } else if let Some(level) = attempt.hints.quote_matches_if {
        text.push_str("; it would match with --quote-match ");
        text.push_str(level.word());
    }
    if let (ClaimReason::RangeOutOfBounds, Some(lines)) = (attempt.code, attempt.hints.line_count) {
        let _ = write!(text, "; the file has {lines} lines");
    }
    let mut chars = text.chars();
    let first: String = chars
        .next()
        .map(char::to_uppercase)
        .into_iter()
        .flatten()
        .collect();
    format!("{first}{}.", chars.as_str())
}

/// `line 4`, `lines 20-21`.
fn lines(start: u64, end: u64) -> String {
    if start == end {
        format!("line {start}")
    } else {
        format!("lines {start}-{end}")
    }
}

fn neutral(findings: &Findings<'_, '_>, wire: &VerifyReportV1) -> Report {
    let mut seen = std::collections::HashSet::new();
    let views = if findings.options.views {
        findings.checked
    } else {
        &[]
    };
    let mut outcomes: Vec<Outcome> = views
        .iter()
        .filter_map(|checked| {
            let mut id = checked.id().0.to_string();
            if !seen.insert(id.clone()) {
                id = format!("{id} ({})", checked.unit_claim.path());
            }
            outcome(findings, checked, UnitId::try_from(id).ok()?).into()
        })
        .collect();
    let is_empty = findings.document.claims.is_empty();
    if is_empty && findings.options.views {
        // A run that checked nothing must not look like a success.
        let grounds = Grounds::plain(ClaimReason::NoClaims.reason());
        outcomes = whole_document("the document has claims", Verdict::Undecided, grounds);
    }
    Report {
        verifier: "claims",
        notices: findings.options.notices.clone(),
        subject: wire.task_id.to_string(),
        verdict: match wire.status {
            StatusV1::Ok => Verdict::Confirmed,
            StatusV1::Failed => Verdict::Refuted,
            StatusV1::Partial => Verdict::Undecided,
        },
        summary: if is_empty {
            ClaimReason::NoClaims.reason().meaning.to_owned()
        } else {
            format!(
                "{} of {} claims checked: {} passed, {} failed, {} unverified; {}",
                wire.checked,
                findings.document.claims.len(),
                wire.passed,
                wire.failed,
                wire.checked - wire.passed - wire.failed,
                findings.judge
            )
        },
        outcomes,
    }
    .masked()
}

/// The only outcome of a document without claims.
fn whole_document(claim: &str, verdict: Verdict, grounds: Grounds) -> Vec<Outcome> {
    let unit = UnitId::try_from("document".to_owned());
    unit.map(|unit| Outcome {
        unit,
        claim: claim.to_owned(),
        verdict,
        reasons: vec![grounds],
        expected: None,
        observed: None,
        place: None,
        link: None,
    })
    .into_iter()
    .collect()
}

/// Text of the document on one line, without the secrets of URLs in it.
fn plain(text: &str) -> String {
    shown_in_text(&one_line(text)).into_owned()
}

/// A file as it is named, a URL without its secrets.
fn place_shown(place: &str) -> String {
    if place.contains("://") {
        plain(place)
    } else {
        place.to_owned()
    }
}

/// What really is in the lines of evidence that does not support its claim.
fn text_there(
    findings: &Findings<'_, '_>,
    attempt: &Attempt,
    evidence: &Evidence<'_>,
) -> Option<String> {
    let (first, last) = attempt
        .lines
        .filter(|_| attempt.status != ClaimStatus::Passed)?;
    let visit = findings.store.visit(&evidence.place()?);
    let file = visit.as_ref().as_ref().ok()?;
    let last = last.min(first + LINES_SHOWN - 1);
    let bytes = file.lines(first, last, 1 << 20).ok()?;
    let text = plain(&String::from_utf8_lossy(&bytes));
    Some(text.chars().take(TEXT_SHOWN).collect())
}

/// One sentence, and why the judge did not confirm the claim.
fn grounds(attempt: &Attempt) -> Grounds {
    let answer = attempt.answer.as_ref();
    let answer = answer.filter(|answer| answer.verdict != Opinion::Supports);
    let because = answer.and_then(|answer| answer.explanation.as_deref());
    let because = because.map(|because| format!(" ({})", plain(because)));
    Grounds {
        reason: attempt.code.reason(),
        message: sentence(attempt) + &because.unwrap_or_default(),
    }
}

fn outcome(findings: &Findings<'_, '_>, checked: &Checked<'_>, unit: UnitId) -> Outcome {
    let (decisive, evidence) = decisive(checked).unzip();
    let (line, end_line) = decisive.and_then(|attempt| attempt.lines).unzip();
    let observed = decisive
        .zip(evidence.as_ref())
        .and_then(|(attempt, evidence)| text_there(findings, attempt, evidence));
    let place = evidence.and_then(|evidence| {
        Some(Place {
            path: place_shown(&evidence.place()?),
            line,
            column: None,
            end_line,
        })
    });
    Outcome {
        unit,
        claim: plain(&checked.unit_claim.text()),
        verdict: match checked.status {
            ClaimStatus::Passed => Verdict::Confirmed,
            ClaimStatus::Failed => Verdict::Refuted,
            ClaimStatus::Partial => Verdict::Undecided,
        },
        reasons: checked.attempts.iter().map(grounds).collect(),
        expected: evidence
            .and_then(|evidence| evidence.quote)
            .and_then(Node::as_str)
            .map(plain),
        observed,
        place,
        link: None,
    }
}
