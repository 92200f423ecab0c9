//! The neutral report that every renderer reads.
//!
//! Contract: done 14.

use crosscheck_core::outcome::{Grounds, Outcome, Report};
use crosscheck_core::{Place, UnitId, Verdict};

use super::receipt::{HandoverOf, Receipt};
use super::words;
use crate::opinion::Trace;
use crate::reasons::DoneReason;

/// A receipt for renderers and the gate.
pub fn report(receipt: &Receipt, subject: &str) -> Report {
    let mut outcomes = Vec::new();
    for (at, claim) in receipt.claims.iter().enumerate() {
        let reason = DoneReason::of_word(&claim.reason);
        let Ok(unit) = UnitId::try_from(format!("{}-{}", at + 1, claim.kind)) else {
            continue;
        };
        let message = words::because(claim);
        outcomes.push(Outcome {
            unit,
            claim: claim.quote.clone(),
            verdict: match claim.verdict {
                "verified" => Verdict::Confirmed,
                "refuted" => Verdict::Refuted,
                _ => Verdict::Undecided,
            },
            reasons: reason
                .map(|reason| Grounds {
                    reason,
                    message: message.clone(),
                })
                .into_iter()
                .collect(),
            expected: Some(
                format!("{} {}", claim.kind, claim.subject)
                    .trim()
                    .to_owned(),
            ),
            observed: Some(message),
            place: place(&claim.evidence),
            link: None,
        });
    }
    let mut notices = receipt.notices.clone();
    for (at, one) in receipt.handovers.iter().enumerate() {
        if one.is_claim {
            continue;
        }
        // a reference that nothing decides is not part of the verdict
        match reference(at, one) {
            Some(outcome) => outcomes.push(outcome),
            None => notices.push(format!(
                "{} on {}: {}",
                one.verifier,
                one.subject,
                words::answer(one)
            )),
        }
    }
    let parts = outcomes.iter().map(|outcome| outcome.verdict);
    // a message without a claim has nothing wrong in it
    let verdict = parts.max().unwrap_or(Verdict::Confirmed);
    Report {
        verifier: "done",
        subject: subject.to_owned(),
        verdict,
        summary: words::summary(receipt),
        outcomes,
        notices,
    }
}

/// A reference that another verifier has decided.
fn reference(at: usize, handover: &HandoverOf) -> Option<Outcome> {
    let (verdict, reason) = match handover.verdict.as_deref() {
        Some("verified") => (Verdict::Confirmed, DoneReason::ReferenceConfirmed),
        Some("refuted") => (Verdict::Refuted, DoneReason::ReferenceRefuted),
        _ => return None,
    };
    let found = words::answer(handover).to_owned();
    Some(Outcome {
        unit: UnitId::try_from(format!("reference-{}-{}", at + 1, handover.verifier)).ok()?,
        claim: handover.subject.clone(),
        verdict,
        reasons: vec![Grounds {
            reason: reason.reason(),
            message: format!("{}: {found}", handover.verifier),
        }],
        expected: None,
        observed: Some(found),
        place: None,
        link: None,
    })
}

fn place(evidence: &[Trace]) -> Option<Place> {
    evidence.iter().find_map(|trace| match trace {
        Trace::Edit { path, .. } | Trace::File { path, .. } => Some(Place {
            path: path.clone(),
            line: None,
            column: None,
            end_line: None,
        }),
        _ => None,
    })
}
