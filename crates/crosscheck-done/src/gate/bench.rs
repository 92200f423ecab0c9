//! Judges the claims of one message: the same for a live stop and for one of
//! a past session, so that `check` and `audit` cannot differ.

use crosscheck_core::Verdict;

use super::report::Judged;
use crate::config::{Action, Settings};
use crate::judge::findings::{self, Finding, Severity, What};
use crate::judge::{self, Ground, policy, settle};
use crate::kind::{Claim, ClaimKind};
use crate::opinion::{Opinion, Trace};
use crate::read::session::LogDoubt;
use crate::reasons::{Caveat, DoneReason};

/// Judges claims; `world` says what the project shows, `None` where it is not
/// asked.
pub(crate) fn judge(
    claims: Vec<Claim>,
    ground: &Ground<'_>,
    world: &mut dyn FnMut(&Claim, &Opinion) -> Option<Opinion>,
) -> Vec<Judged> {
    let judged = claims.into_iter().map(|claim| {
        let shown = believed(judge::transcript(&claim, ground), ground);
        let seen = world(&claim, &shown);
        let mut opinion = settle(claim.kind, shown, seen);
        // a message that concedes something is not refuted
        if claim.concedes {
            opinion.verdict = opinion.verdict.min(Verdict::Undecided);
        }
        Judged {
            claim,
            opinion,
            handover: None,
        }
    });
    judged
        .filter(|judged| judge::counts(&judged.claim, &judged.opinion))
        .collect()
}

fn doubt(ground: &Ground<'_>) -> Option<LogDoubt> {
    ground.session.and_then(|session| session.doubt)
}

/// A log that the session could write to confirms nothing.
fn believed(shown: Opinion, ground: &Ground<'_>) -> Opinion {
    if doubt(ground).is_some() && shown.verdict == Verdict::Confirmed {
        return Opinion {
            verdict: Verdict::Undecided,
            reason: DoneReason::LogWritten,
            ..shown
        };
    }
    shown
}

/// What the session shows besides; tests that were weakened prove less.
pub(crate) fn findings(claims: &mut [Judged], ground: &Ground<'_>) -> Vec<Finding> {
    let mut findings = ground
        .session
        .map(|session| findings::all(session, ground))
        .unwrap_or_default();
    if let Some((kind, step)) = doubt(ground).map(LogDoubt::told) {
        findings.push(Finding {
            finding: What::LogWritten,
            kind,
            path: None,
            step,
            severity: Severity::Warn,
        });
    }
    shadows(claims, &mut findings);
    weaken(claims, &findings);
    findings
}

/// What claims and findings lead to, before rounds are counted.
pub(crate) fn action(claims: &[Judged], findings: &[Finding], settings: &Settings) -> Action {
    let actions: Vec<Action> = claims
        .iter()
        .map(|judged| policy::action(judged.claim.kind, &judged.opinion, settings))
        .collect();
    policy::decide(&actions, findings, settings)
}

/// Runs that prove nothing are reported besides.
fn shadows(claims: &[Judged], findings: &mut Vec<Finding>) {
    for judged in claims {
        let what = match judged.opinion.reason {
            DoneReason::ShadowedTool => What::ShadowedTool,
            DoneReason::TamperedTarget => What::TamperedTarget,
            _ => continue,
        };
        let step = judged.opinion.proof.iter().find_map(|trace| match trace {
            Trace::Run { step, .. } => Some(*step),
            _ => None,
        });
        findings.push(Finding {
            finding: what,
            kind: "run",
            path: None,
            step: step.unwrap_or_default(),
            severity: Severity::Warn,
        });
    }
}

/// Tests that were weakened prove less.
fn weaken(claims: &mut [Judged], findings: &[Finding]) {
    if !findings
        .iter()
        .any(|finding| finding.finding == What::TestsWeakened)
    {
        return;
    }
    for judged in claims.iter_mut().filter(|judged| {
        matches!(
            judged.claim.kind,
            ClaimKind::TestsPass | ClaimKind::ChecksPass
        )
    }) {
        if !judged.opinion.caveats.contains(&Caveat::TestsWeakened) {
            judged.opinion.caveats.push(Caveat::TestsWeakened);
            judged.opinion.caveats.sort_unstable();
        }
    }
}
