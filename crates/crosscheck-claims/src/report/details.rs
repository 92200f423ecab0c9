//! The details: everything that does not belong in a report (claims 3.4).

use std::collections::HashSet;

use crate::judge::{Attempt, QuoteState};
use crate::plan::{Bound, Selection};
use crate::read::ClaimsDocument;
use crate::warning::Warnings;
use crate::wire::{
    ClaimV1, ConfidenceV1, DetailsV1, EvidenceV1, QuoteV1, SelectionV1, VerifyReportV1,
};

use super::Findings;

const VERSION: &str = "CrosscheckClaimsDetails.v1";

pub(super) fn details(
    findings: &Findings<'_, '_>,
    report: VerifyReportV1,
    confidence: Option<ConfidenceV1>,
    warnings: Warnings,
) -> DetailsV1 {
    DetailsV1 {
        version: VERSION,
        report,
        selection: Some(SelectionV1 {
            mode: findings.options.selection.word(),
            rate: findings.rate.text().to_owned(),
            total: findings.document.claims.len(),
            n: findings.checked.len(),
            seed: findings.seed.to_owned(),
            indices: findings.checked.iter().map(|one| one.index).collect(),
        }),
        confidence,
        judge: Some(findings.judge.clone()),
        claims: findings
            .checked
            .iter()
            .filter(|_| findings.options.details)
            .map(|one| ClaimV1 {
                claim_id: one.id().0,
                index: one.index,
                status: one.status,
                evidence: one.attempts.iter().map(evidence).collect(),
            })
            .collect(),
        warnings: warnings.into_list(),
    }
}

pub(super) fn of_invalid(report: VerifyReportV1, warnings: Warnings) -> DetailsV1 {
    DetailsV1 {
        version: VERSION,
        report,
        selection: None,
        confidence: None,
        judge: None,
        claims: Vec::new(),
        warnings: warnings.into_list(),
    }
}

fn evidence(attempt: &Attempt) -> EvidenceV1 {
    let hundredths = u32::try_from(attempt.micros / 10).unwrap_or(u32::MAX);
    EvidenceV1 {
        evidence_index: attempt.index,
        status: attempt.status,
        code: attempt.code.code(),
        judge: attempt.answer.clone(),
        quote: QuoteV1 {
            matched: match attempt.quote {
                QuoteState::Found(level) => level.word(),
                QuoteState::NotFound => "none",
                QuoteState::Absent | QuoteState::HashConfirmed => "absent",
            },
        },
        ms: f64::from(hundredths) / 100.0,
        trouble: attempt.trouble.clone(),
    }
}

/// What the sample says about the claims that were not checked.
pub(super) fn confidence(
    findings: &Findings<'_, '_>,
    failed: usize,
    unverified: usize,
) -> Option<ConfidenceV1> {
    let (total, checked) = (findings.document.claims.len(), findings.checked.len());
    if total == 0 {
        return None;
    }
    let bound = match findings.options.selection {
        Selection::First => None,
        Selection::All | Selection::Random | Selection::Stratified => {
            Some(Bound::of(total, checked, failed + unverified))
        }
    };
    let looked = format!("{checked} of {total} claims were checked");
    let statement = match bound {
        None if checked == total => format!(
            "{looked}, none is left; the first claims are not a random sample, so no bound can be given"
        ),
        None => format!(
            "{looked}; the first claims are not a random sample, so no bound can be given for the others"
        ),
        Some(bound) => format!(
            "{looked}; with 95 % confidence at most {} % of all claims are bad",
            bound.percent()
        ),
    };
    Some(ConfidenceV1 {
        level: 0.95,
        upper_bound_share_bad: bound.map(Bound::share),
        statement,
    })
}

pub(super) fn warn_of_repeated_ids(document: &ClaimsDocument<'_>, warnings: &mut Warnings) {
    let mut seen = HashSet::with_capacity(document.claims.len());
    for claim in &document.claims {
        if !seen.insert(claim.id()) {
            warnings.add(
                claim.path(),
                "duplicate_claim_id",
                "another claim has the same id",
            );
        }
    }
}
