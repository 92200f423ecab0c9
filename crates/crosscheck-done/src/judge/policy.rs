//! What verdicts lead to: nothing, a warning, or another round.
//!
//! Contract: done 9.1, done 9.3.

use crosscheck_core::Verdict;
use crosscheck_core::rules::Rule;

use super::Ground;
use super::findings::{Finding, Severity, What};
use super::run::{anchor, matters};
use crate::config::{Action, Mode, Settings};
use crate::kind::{Claim, ClaimKind};
use crate::opinion::Opinion;
use crate::read::session::{Edit, Order};
use crate::reasons::Caveat;
use crate::shell;

const EARLIER: Rule = Rule::new(
    "done.earlier",
    "a message speaks of earlier work when nothing was changed or checked since the last prompt",
);

/// What a claim leads to by itself.
pub fn action(kind: ClaimKind, opinion: &Opinion, settings: &Settings) -> Action {
    let own = settings.kinds.get(&kind).copied().unwrap_or_default();
    match opinion.verdict {
        Verdict::Confirmed => {
            let doubtful = [Caveat::TestsWeakened, Caveat::Flaky, Caveat::EmptyFile];
            if opinion
                .caveats
                .iter()
                .any(|caveat| doubtful.contains(caveat))
            {
                Action::Warn
            } else {
                Action::Allow
            }
        }
        Verdict::Refuted => own.refuted.unwrap_or(if kind == ClaimKind::Done {
            Action::Allow
        } else {
            Action::Block
        }),
        Verdict::Undecided => {
            let told = [Caveat::EarlierWork, Caveat::UnknownRun];
            let is_told = opinion.caveats.iter().any(|one| told.contains(one));
            let usual = if opinion.reason.is_soft() || is_told {
                unproven(kind).min(Action::Warn)
            } else {
                unproven(kind)
            };
            own.unproven.unwrap_or(usual)
        }
    }
}

/// Why an unproven claim is told to the person and does not send the agent back.
pub(crate) fn only_told(claim: &Claim, ground: &Ground<'_>) -> Option<Caveat> {
    let session = ground.session?;
    let is_now = |order: Order| order > session.turn;
    let is_change = |edit: &Edit| edit.done && matters(edit, claim.kind, ground);
    let mut edits = session.edits.iter().filter(|edit| is_change(edit));
    let mut runs = session.runs.iter().filter(|run| !run.candidates.is_empty());
    let was_before = !session.edits.iter().all(|edit| is_now(edit.order))
        || !session.runs.iter().all(|run| is_now(run.order));
    let is_idle = !edits.any(|edit| is_now(edit.order)) && !runs.any(|run| is_now(run.order));
    if was_before && is_idle && EARLIER.is_on() {
        return Some(Caveat::EarlierWork);
    }
    let last = anchor(session, claim.kind, ground);
    let is_after = |order: Order| last.is_none_or(|edit| order > edit.order);
    let mut others = session.others.iter();
    let tries = |command: &str| !shell::is_look(command);
    let is_tried = claim.kind == ClaimKind::Verified
        && others.any(|(order, command, _)| is_now(*order) && is_after(*order) && tries(command));
    is_tried.then_some(Caveat::UnknownRun)
}

/// What an unproven claim leads to when nothing else is configured.
const fn unproven(kind: ClaimKind) -> Action {
    use ClaimKind::{
        Action as Deed, Complete, Count, EndpointWorks, EnvSet, FileCreated, FileDeleted,
        FileModified, Fixed, RowWritten, SymbolAdded, SymbolRemoved,
    };
    match kind {
        Complete => Action::Allow,
        Fixed | FileCreated | FileModified | FileDeleted | SymbolAdded | SymbolRemoved
        | EndpointWorks | EnvSet | RowWritten | Deed | Count => Action::Warn,
        // a command would show it
        _ => Action::Block,
    }
}

/// The strongest of all claims and findings, before bounces are counted.
pub fn decide(actions: &[Action], findings: &[Finding], settings: &Settings) -> Action {
    if settings.mode == Mode::Off || !settings.enabled {
        return Action::Allow;
    }
    let by_finding = findings
        .iter()
        .map(|finding| match (finding.severity, finding.finding) {
            (_, What::Tamper) | (Severity::Warn, _) => Action::Warn,
            (Severity::Block, _) => Action::Block,
            (Severity::Info, _) => Action::Allow,
        });
    let strongest = actions
        .iter()
        .copied()
        .chain(by_finding)
        .max()
        .unwrap_or(Action::Allow);
    match settings.mode {
        Mode::Block => strongest,
        Mode::Warn => strongest.min(Action::Warn),
        Mode::Off => Action::Allow,
    }
}

/// Why the gate gave up sending the agent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GaveUp {
    /// Often enough.
    MaxBounces,
    /// The same statements again, and nothing was done in between.
    SameSignature,
    /// What was counted cannot be kept.
    StateUnwritable,
}

/// What was counted for one prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Bounces {
    /// How often the agent was sent back.
    pub bounces: u32,
    /// What it was sent back for.
    pub last_signature: String,
    /// How much had happened in the session by then: the last line of a run
    /// or an edit.
    #[serde(default)]
    pub seen: usize,
}

/// Counts a block: another round, or giving up.
pub fn bounce(
    before: &Bounces,
    signature: &str,
    seen: usize,
    settings: &Settings,
) -> Result<Bounces, GaveUp> {
    if before.bounces >= settings.max_bounces {
        return Err(GaveUp::MaxBounces);
    }
    if before.bounces > 0 && before.last_signature == signature && seen <= before.seen {
        return Err(GaveUp::SameSignature);
    }
    Ok(Bounces {
        bounces: before.bounces + 1,
        last_signature: signature.to_owned(),
        seen,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Source;
    use crate::reasons::DoneReason;

    #[test]
    fn what_is_soft_never_blocks_and_what_is_refuted_does() {
        let settings = Settings::default();
        let of = |kind, verdict, reason| {
            action(
                kind,
                &Opinion::new(verdict, reason, Source::Transcript),
                &settings,
            )
        };
        assert_eq!(
            of(ClaimKind::TestsPass, Verdict::Undecided, DoneReason::NoRun),
            Action::Block
        );
        assert_eq!(
            of(
                ClaimKind::TestsPass,
                Verdict::Undecided,
                DoneReason::NoTranscript
            ),
            Action::Warn
        );
        assert_eq!(
            of(ClaimKind::Fixed, Verdict::Undecided, DoneReason::NoRun),
            Action::Warn
        );
        assert_eq!(
            of(
                ClaimKind::FileCreated,
                Verdict::Refuted,
                DoneReason::FileAbsent
            ),
            Action::Block
        );
        assert_eq!(
            of(ClaimKind::TestsPass, Verdict::Confirmed, DoneReason::RunOk),
            Action::Allow
        );
        let weak = Opinion::new(Verdict::Confirmed, DoneReason::RunOk, Source::Transcript)
            .but(Caveat::TestsWeakened);
        assert_eq!(action(ClaimKind::TestsPass, &weak, &settings), Action::Warn);
    }

    #[test]
    fn the_gate_gives_up_after_enough_rounds_or_when_nothing_happens() {
        let settings = Settings::default();
        let first = bounce(&Bounces::default(), "a", 5, &settings).unwrap();
        assert_eq!(
            bounce(&first, "a", 5, &settings),
            Err(GaveUp::SameSignature)
        );
        let second = bounce(&first, "a", 9, &settings).unwrap();
        let third = bounce(&second, "b", 9, &settings).unwrap();
        assert_eq!(third.bounces, 3);
        assert_eq!(bounce(&third, "c", 20, &settings), Err(GaveUp::MaxBounces));
    }
}
