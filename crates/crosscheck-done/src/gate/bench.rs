//! Judges the claims of one message: the same for a live stop and for one of
//! a past session, so that `check` and `audit` cannot differ.

use crosscheck_core::Verdict;
use crosscheck_core::rules::Rule;

use super::report::Judged;
use crate::config::{Action, OnUnproven, Required, Settings};
use crate::judge::findings::{self, Finding, Severity, What};
use crate::judge::{self, Ground, policy, settle};
use crate::kind::{Claim, ClaimKind};
use crate::opinion::{Opinion, Trace};
use crate::read::session::LogDoubt;
use crate::reasons::{Caveat, DoneReason};

const CONCEDES: Rule = Rule::new(
    "done.concedes",
    "nothing is refuted in a message that says itself that something fails or is left out",
);

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
        if claim.concedes && CONCEDES.is_on() {
            opinion.verdict = opinion.verdict.min(Verdict::Undecided);
        }
        if opinion.verdict == Verdict::Undecided {
            opinion.caveats.extend(policy::only_told(&claim, ground));
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

/// What one claim leads to.
pub(crate) fn action_of(judged: &Judged, settings: &Settings) -> Action {
    let kind = judged.claim.kind;
    let usual = policy::action(kind, &judged.opinion, settings);
    let is_set = settings
        .kinds
        .get(&kind)
        .is_some_and(|own| own.unproven.is_some());
    if judged.opinion.verdict != Verdict::Undecided || is_set {
        return usual;
    }
    let has_failed = matches!(
        judged.opinion.reason,
        DoneReason::RunFailed | DoneReason::RunFailedOutput
    );
    if has_failed && judged.claim.tells_failure {
        return usual.min(Action::Warn); // the person reads of it in the message
    }
    match settings.on_unproven {
        OnUnproven::SendBack => usual,
        OnUnproven::Note => usual.min(Action::Warn),
        OnUnproven::Ignore => Action::Allow,
    }
}

/// Claims for what must be shown although the message does not say it.
pub(crate) fn required(claims: &[Claim], settings: &Settings) -> Vec<Claim> {
    let is_said = |one: &&Required| claims.iter().all(|claim| claim.kind != one.kind());
    let missing = settings.require.iter().filter(is_said);
    missing
        .map(|one| Claim {
            concedes: true,
            ..Claim::new(one.kind(), format!("required: {}", one.word()))
        })
        .collect()
}

/// "Everything is done" says no more than what must be shown.
pub(crate) fn complete(claims: &mut [Judged], settings: &Settings) {
    let is_required = |judged: &&Judged| {
        let mut required = settings.require.iter();
        required.any(|one| one.kind() == judged.claim.kind)
    };
    let worst = claims
        .iter()
        .filter(is_required)
        .max_by_key(|judged| judged.opinion.verdict)
        .map(|judged| judged.opinion.clone());
    let Some(worst) = worst else {
        return;
    };
    for judged in claims
        .iter_mut()
        .filter(|judged| judged.claim.kind == ClaimKind::Complete)
    {
        judged.opinion = worst.clone();
    }
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
        .map(|judged| action_of(judged, settings))
        .collect();
    policy::decide(&actions, findings, settings)
}

/// Runs that prove nothing are reported besides.
fn shadows(claims: &[Judged], findings: &mut Vec<Finding>) {
    let is_hidden = |judged: &&Judged| judged.opinion.reason == DoneReason::ShadowedTool;
    for judged in claims.iter().filter(is_hidden) {
        let step = judged.opinion.proof.iter().find_map(|trace| match trace {
            Trace::Run { step, .. } => Some(*step),
            _ => None,
        });
        findings.push(Finding {
            finding: What::ShadowedTool,
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
