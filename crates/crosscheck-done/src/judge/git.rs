//! What the session alone shows of commits, pushes and files.

use std::path::PathBuf;

use crosscheck_transcript::session::Change;

use super::run::{How, Shown, shown};
use super::{Ground, confirmed, edited, refuted, unproven};
use crate::kind::{Claim, ClaimKind, Work};
use crate::observe::git::is_hash;
use crate::opinion::Opinion;
use crate::read::session::Session;
use crate::reasons::DoneReason;

/// `git commit` and `git push` of the session. Git itself says whether it made
/// a commit: `[branch hash]`, or an exit status of success. What hooks and later
/// commands print says nothing about it.
pub(super) fn judge(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let is_push = claim.kind == ClaimKind::Pushed;
    let name = if is_push { "git-push" } else { "git-commit" };
    let all = shown(session, &[Work::Git], ground);
    let is_this = |one: &&Shown<'_>| one.row(ground).is_some_and(|row| row.name == name);
    let fits: Vec<&Shown<'_>> = all.iter().filter(is_this).collect();
    let real: Vec<&&Shown<'_>> = fits
        .iter()
        .filter(|one| !one.candidate.found.disqualified)
        .collect();
    let Some(last) = real.last() else {
        let reason = if !fits.is_empty() {
            DoneReason::DisqualifiedRun
        } else if session.facts.begins_midway || session.is_cut {
            DoneReason::HistoryIncomplete
        } else if session.opaque.is_empty() {
            DoneReason::NoRun
        } else {
            DoneReason::SubagentOpaque
        };
        return unproven(reason);
    };
    let made = real.iter().rev().find(|one| {
        let text = ground.outputs.output(one.run).unwrap_or_default().text;
        if is_push {
            is_pushed(&text)
        } else {
            commits(&text).any(|hash| is_same(hash, &claim.subject))
        }
    });
    if let Some(one) = made {
        let ended = one.ended(ground);
        let is_well = matches!(ended.how, How::Well { by_output: false });
        let reason = if is_well {
            DoneReason::RunOk
        } else {
            DoneReason::RunOkOutput
        };
        let opinion = confirmed(reason).with(one.trace(&ended));
        return later_edit(claim, one, session, ground).unwrap_or(opinion);
    }
    let ended = last.ended(ground);
    let is_named = is_hash(&claim.subject);
    let is_soft = claim.concedes || is_named;
    let contrary = if is_soft { unproven } else { refuted };
    let opinion = match ended.how {
        // only git knows a commit that the log does not name
        How::Well { .. } if is_named => unproven(DoneReason::NoProbe),
        How::Well { .. } if !ended.reading.says_fail => {
            let opinion = confirmed(DoneReason::RunOk);
            later_edit(claim, last, session, ground).unwrap_or(opinion)
        }
        How::Well { .. } | How::Badly { by_output: true } => contrary(DoneReason::RunFailedOutput),
        How::Badly { by_output: false } => contrary(DoneReason::RunFailed),
        How::Unknown(reason) => unproven(reason),
    };
    opinion.with(last.trace(&ended))
}

/// "Committed", and a file was changed behind the commit; git is asked about
/// that where it can be.
fn later_edit(
    claim: &Claim,
    commit: &Shown<'_>,
    session: &Session,
    ground: &Ground<'_>,
) -> Option<Opinion> {
    if claim.kind == ClaimKind::Pushed || !claim.subject.is_empty() || ground.settings.reality.git {
        return None;
    }
    let after = session.edits.iter().rfind(|edit| {
        edit.done
            && edit.change != Change::Tree
            && edit.tool.is_some()
            && edit.order > commit.order()
            && ground.relevance.is_change(&edit.path)
            && ground.places.below(&edit.path).is_some()
    })?;
    Some(unproven(DoneReason::StaleRun).with(edited(after, ground)))
}

/// The hashes that git printed for the commits it made.
fn commits(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| {
        let (inside, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let hash = inside.rsplit(' ').next()?;
        (inside.contains(' ') && is_hash(hash)).then_some(hash)
    })
}

/// Whether a printed hash is the one that is named; any is when none is named.
fn is_same(hash: &str, named: &str) -> bool {
    named.is_empty() || hash.starts_with(named) || named.starts_with(hash)
}

/// `1a2b3c4..5d6e7f8  main -> main`, a new branch, or nothing left to send.
fn is_pushed(output: &str) -> bool {
    output.lines().any(|line| {
        let line = line.trim();
        let is_rejected = line.starts_with('!') || line.contains("rejected");
        let moved = line.contains(" -> ") && (line.contains("..") || line.contains("[new "));
        !is_rejected && (moved || line.starts_with("Everything up-to-date"))
    })
}

/// The edits of a file.
pub(super) fn file(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let wanted: PathBuf = PathBuf::from(claim.subject.trim_end_matches('/'));
    let absolute = ground.places.absolute(&ground.places.root, &claim.subject);
    let fits = |path: &PathBuf| *path == absolute || path.ends_with(&wanted);
    let mut touched = session.edits.iter().filter(|edit| fits(&edit.path));
    let Some(edit) = touched.rfind(|edit| edit.done) else {
        return unproven(if session.facts.begins_midway {
            DoneReason::HistoryIncomplete
        } else {
            DoneReason::NoRun
        });
    };
    let opinion = match (claim.kind, edit.change == Change::Delete) {
        (ClaimKind::FileDeleted, true) => confirmed(DoneReason::FileAbsent),
        (ClaimKind::FileCreated, false) => confirmed(DoneReason::FilePresent),
        (ClaimKind::FileModified, false) => confirmed(DoneReason::FileChanged),
        _ => unproven(DoneReason::NoProbe),
    };
    opinion.with(edited(edit, ground))
}
