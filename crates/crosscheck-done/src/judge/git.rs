//! What the session alone shows of commits, pushes and files.

use std::path::PathBuf;

use crosscheck_core::Verdict;
use crosscheck_transcript::session::Change;

use super::Ground;
use super::run::{How, Shown, shown};
use crate::kind::{Claim, ClaimKind, Work};
use crate::opinion::{Opinion, Source, Trace};
use crate::read::session::Session;
use crate::reasons::DoneReason;

/// `git commit` and `git push` of the session.
pub(super) fn judge(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let name = if claim.kind == ClaimKind::Pushed {
        "git-push"
    } else {
        "git-commit"
    };
    let all = shown(session, &[Work::Git]);
    let is_this = |one: &&Shown<'_>| one.row(ground).is_some_and(|row| row.name == name);
    let fits: Vec<&Shown<'_>> = all.iter().filter(is_this).collect();
    let Some(last) = fits.iter().rfind(|one| !one.candidate.found.disqualified) else {
        let reason = if fits.is_empty() {
            DoneReason::NoRun
        } else {
            DoneReason::DisqualifiedRun
        };
        let reason = match reason {
            DoneReason::NoRun if session.facts.begins_midway => DoneReason::HistoryIncomplete,
            DoneReason::NoRun if !session.opaque.is_empty() => DoneReason::SubagentOpaque,
            other => other,
        };
        return Opinion::undecided(reason, Source::Transcript);
    };
    let ended = last.ended(ground);
    let opinion = match ended.how {
        How::Well { by_output } => {
            let nothing = ended.reading.says_fail;
            let reason = if by_output {
                DoneReason::RunOkOutput
            } else {
                DoneReason::RunOk
            };
            if nothing {
                Opinion::new(
                    Verdict::Refuted,
                    DoneReason::RunFailedOutput,
                    Source::Transcript,
                )
            } else {
                Opinion::new(Verdict::Confirmed, reason, Source::Transcript)
            }
        }
        How::Badly { by_output } => {
            let reason = if by_output {
                DoneReason::RunFailedOutput
            } else {
                DoneReason::RunFailed
            };
            Opinion::new(Verdict::Refuted, reason, Source::Transcript)
        }
        How::Unknown(reason) => Opinion::undecided(reason, Source::Transcript),
    };
    opinion.with(last.trace(&ended))
}

/// The edits of a file.
pub(super) fn file(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let wanted: PathBuf = PathBuf::from(claim.subject.trim_end_matches('/'));
    let absolute = ground.places.absolute(&ground.places.root, &claim.subject);
    let fits = |path: &PathBuf| *path == absolute || path.ends_with(&wanted);
    let touched: Vec<_> = session
        .edits
        .iter()
        .filter(|edit| fits(&edit.path))
        .collect();
    let done = touched.iter().rfind(|edit| edit.done);
    let Some(edit) = done else {
        let reason = if session.facts.begins_midway {
            DoneReason::HistoryIncomplete
        } else {
            DoneReason::NoRun
        };
        return Opinion::undecided(reason, Source::Transcript);
    };
    let shown = ground
        .places
        .below(&edit.path)
        .unwrap_or(&edit.path)
        .display()
        .to_string();
    let trace = Trace::Edit {
        step: edit.order.line,
        path: shown,
    };
    let is_gone = edit.change == Change::Delete;
    let reason = match (claim.kind, is_gone) {
        (ClaimKind::FileDeleted, true) => Some(DoneReason::FileAbsent),
        (ClaimKind::FileCreated, false) => Some(DoneReason::FilePresent),
        (ClaimKind::FileModified, false) => Some(DoneReason::FileChanged),
        _ => None,
    };
    match reason {
        Some(reason) => Opinion::new(Verdict::Confirmed, reason, Source::Transcript).with(trace),
        None => Opinion::undecided(DoneReason::NoProbe, Source::Transcript).with(trace),
    }
}
