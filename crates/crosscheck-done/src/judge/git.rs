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
        return Opinion::undecided(reason, Source::Transcript);
    };
    let made = real.iter().rev().find(|one| {
        let text = ground.outputs.output(one.run).unwrap_or_default().text;
        if is_push {
            is_pushed(&text)
        } else {
            commits(&text).any(|hash| is_same(hash, &claim.subject))
        }
    });
    let ended = last.ended(ground);
    let opinion = match (made, ended.how) {
        (Some(one), _) => {
            let opinion = Opinion::new(
                Verdict::Confirmed,
                DoneReason::RunOkOutput,
                Source::Transcript,
            );
            let well = matches!(one.ended(ground).how, How::Well { by_output: false });
            let reason = if well {
                DoneReason::RunOk
            } else {
                opinion.reason
            };
            let opinion = Opinion { reason, ..opinion };
            return later_edit(claim, one, session, ground)
                .unwrap_or_else(|| opinion.with(one.trace(&one.ended(ground))));
        }
        (None, How::Well { .. }) if !is_hash(&claim.subject) && !ended.reading.says_fail => {
            let opinion = Opinion::new(Verdict::Confirmed, DoneReason::RunOk, Source::Transcript);
            later_edit(claim, last, session, ground).unwrap_or(opinion)
        }
        (None, How::Well { .. }) if is_hash(&claim.subject) => {
            Opinion::undecided(DoneReason::GitOtherCommit, Source::Transcript)
        }
        (None, How::Well { .. }) => refuted(claim, DoneReason::RunFailedOutput),
        (None, How::Badly { by_output: true }) => refuted(claim, DoneReason::RunFailedOutput),
        (None, How::Badly { by_output: false }) => refuted(claim, DoneReason::RunFailed),
        (None, How::Unknown(reason)) => Opinion::undecided(reason, Source::Transcript),
    };
    opinion.with(last.trace(&ended))
}

fn refuted(claim: &Claim, reason: DoneReason) -> Opinion {
    let verdict = if claim.concedes || is_hash(&claim.subject) {
        Verdict::Undecided
    } else {
        Verdict::Refuted
    };
    Opinion::new(verdict, reason, Source::Transcript)
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
    let path = ground.places.below(&after.path).unwrap_or(&after.path);
    Some(
        Opinion::undecided(DoneReason::StaleRun, Source::Transcript).with(Trace::Edit {
            step: after.order.line,
            path: path.display().to_string(),
        }),
    )
}

/// The hashes that git printed for the commits it made.
fn commits(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| {
        let (inside, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let hash = inside.rsplit(' ').next()?;
        (inside.contains(' ') && is_hash(hash)).then_some(hash)
    })
}

fn is_hash(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
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
