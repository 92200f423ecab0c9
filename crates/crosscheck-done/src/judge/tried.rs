//! Claims that something was tried or run: which commands of the session
//! count for them.

use crosscheck_core::Verdict;
use crosscheck_transcript::session::State;

use super::run::{How, Shown, anchor, shown};
use super::runs::Case;
use super::steer;
use super::{Ground, confirmed, refuted, unproven};
use crate::kind::{Claim, ClaimKind, Work};
use crate::opinion::{Opinion, Trace};
use crate::read::session::{Candidate, Edit, Run, Session};
use crate::reasons::DoneReason;
use crate::relevance::is_documentation;
use crate::shell;

/// "Fixed", "verified": something was run after the change, whatever it was.
pub(super) fn tried(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let case = Case {
        claim,
        session,
        ground,
    };
    let anchor = anchor(session, claim.kind, ground);
    if claim.kind == ClaimKind::Fixed && anchor.is_none() && only_documentation(session, ground) {
        return confirmed(DoneReason::RunNotNeeded);
    }
    let works = [
        Work::Tests,
        Work::Exec,
        Work::Build,
        Work::Lint,
        Work::Types,
        Work::Checks,
        Work::Deploy,
    ];
    let all = shown(session, &works, ground);
    let real: Vec<Shown<'_>> = all
        .iter()
        .filter(|one| !one.candidate.found.disqualified)
        .copied()
        .collect();
    let fresh: Vec<Shown<'_>> = real
        .iter()
        .filter(|one| anchor.is_none_or(|edit| one.is_after(edit)))
        .copied()
        .collect();
    if fresh.is_empty() {
        if let Some(opinion) = tool(session, ground, anchor) {
            return opinion;
        }
        return match anchor {
            Some(edit) if !real.is_empty() => case.stale(&real, edit),
            _ => case.nothing(&all),
        };
    }
    groups(&case, &fresh)
}

/// Of each program the last run counts; one that did well is enough.
fn groups(case: &Case<'_>, fresh: &[Shown<'_>]) -> Opinion {
    let mut seen: Vec<&str> = Vec::new();
    let mut failed: Option<Opinion> = None;
    let mut unknown: Option<Opinion> = None;
    let strong = |one: &Shown<'_>| {
        one.candidate
            .found
            .work
            .iter()
            .any(|work| matches!(work, Work::Tests | Work::Exec))
    };
    let mut order: Vec<&Shown<'_>> = fresh.iter().rev().filter(|one| strong(one)).collect();
    order.extend(fresh.iter().rev().filter(|one| !strong(one)));
    for one in order.into_iter().take(64) {
        let name = &*one.candidate.program;
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let ended = one.ended(case.ground);
        let hidden = steer::reason(one, case.session, case.ground).map(|(reason, _)| reason);
        let hidden = hidden.filter(|reason| *reason == DoneReason::ShadowedTool);
        let ran_at_all = one.candidate.found.work == [Work::Exec]
            && one.run.status == Some(0)
            && !ended.reading.says_fail;
        let mut opinion = match (ended.how, hidden) {
            (How::Well { .. } | How::Badly { .. }, Some(reason)) => unproven(reason),
            (How::Well { by_output: true }, None) => confirmed(DoneReason::RunOkOutput),
            (How::Well { by_output: false }, None) => confirmed(DoneReason::RunOk),
            (How::Badly { by_output: true }, None) => refuted(DoneReason::RunFailedOutput),
            (How::Badly { by_output: false }, None) => refuted(DoneReason::RunFailed),
            // what an unknown program prints decides nothing, but it ran
            (How::Unknown(DoneReason::Masked), None) if ran_at_all => confirmed(DoneReason::RunOk),
            (How::Unknown(reason), _) => unproven(reason),
        };
        opinion.proof.push(one.trace(&ended));
        opinion.caveats.extend(one.caveat());
        match opinion.verdict {
            Verdict::Confirmed => return opinion,
            // who tells of the failure is not refuted by it
            Verdict::Refuted if strong(one) && !case.claim.concedes => {
                failed = failed.or(Some(opinion));
            }
            Verdict::Refuted | Verdict::Undecided => {
                let softer = Opinion {
                    verdict: Verdict::Undecided,
                    ..opinion
                };
                unknown = unknown.or(Some(softer));
            }
        }
    }
    failed
        .or(unknown)
        .unwrap_or_else(|| unproven(DoneReason::NoRun))
}

/// A tool of the harness that counts as trying something out.
fn tool(session: &Session, ground: &Ground<'_>, anchor: Option<&Edit>) -> Option<Opinion> {
    let known = &ground.settings.exec_tools;
    let (order, tool) = session.tools.iter().rfind(|(order, tool)| {
        known.contains(&tool.name) && !tool.failed && anchor.is_none_or(|edit| *order > edit.order)
    })?;
    Some(confirmed(DoneReason::RunOk).with(Trace::ran(order.line, &tool.name, None)))
}

fn only_documentation(session: &Session, ground: &Ground<'_>) -> bool {
    let mut edits = session
        .edits
        .iter()
        .filter(|edit| edit.done && ground.relevance.is_change(&edit.path))
        .peekable();
    edits.peek().is_some()
        && edits.all(|edit| {
            let rel = ground.places.below(&edit.path);
            rel.is_some_and(|rel| is_documentation(rel, ClaimKind::TestsPass))
        })
}

/// "I ran X": it ran, anywhere in the session.
pub(super) fn ran(claim: &Claim, session: &Session, ground: &Ground<'_>) -> Opinion {
    let wanted = wanted_works(claim, ground);
    let does = |one: &Candidate| one.found.work.iter().any(|work| wanted.contains(work));
    let by_work = |run: &Run| {
        let mut candidates = run.candidates.iter();
        candidates.any(|one| !one.found.disqualified && does(one))
    };
    let fits = |run: &&Run| by_work(run) || names_command(&run.command, &claim.subject);
    if let Some(run) = session.runs.iter().rfind(fits) {
        let opinion = match run.state {
            State::Unanswered => unproven(DoneReason::NoResult),
            State::Interrupted => unproven(DoneReason::Interrupted),
            State::Ended | State::Background | State::TimedOut => confirmed(DoneReason::RunOk),
        };
        return opinion.with(Trace::ran(run.order.line, &run.command, run.status));
    }
    let mut others = session.others.iter();
    if let Some((order, command, _)) =
        others.rfind(|(_, line, _)| names_command(line, &claim.subject))
    {
        return confirmed(DoneReason::RunOk).with(Trace::ran(order.line, command, None));
    }
    let mut candidates = session.runs.iter().flat_map(|run| &run.candidates);
    unproven(
        if candidates.any(|one| one.found.disqualified && does(one)) {
            DoneReason::DisqualifiedRun
        } else if session.facts.begins_midway {
            DoneReason::HistoryIncomplete
        } else {
            DoneReason::NoRun
        },
    )
}

/// The work that "the tests" or `pytest -q` stands for.
fn wanted_works(claim: &Claim, ground: &Ground<'_>) -> Vec<Work> {
    let subject = claim.subject.as_str();
    let by_noun = [
        (Work::Tests, &["test", "suite", "spec"][..]),
        (Work::Build, &["build"]),
        (Work::Lint, &["lint", "formatter"]),
        (Work::Types, &["type"]),
    ];
    let is_noun = !subject.contains(['-', '/', '.'])
        && subject
            .split(' ')
            .all(|word| word.chars().all(char::is_alphabetic));
    let named: Vec<Work> = by_noun
        .iter()
        .filter(|(_, words)| is_noun && words.iter().any(|word| subject.contains(word)))
        .map(|(work, _)| *work)
        .collect();
    if !named.is_empty() {
        return named;
    }
    let Ok(line) = shell::line(subject) else {
        return Vec::new();
    };
    // a command is shown by a command of the same program
    let found = line
        .segments
        .iter()
        .flat_map(|segment| ground.table.matches(&segment.run));
    found
        .filter(|found| found.work != [Work::Exec])
        .flat_map(|found| found.work)
        .collect()
}

/// Whether a command line holds a command, word by word.
fn names_command(line: &str, subject: &str) -> bool {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let (line, subject) = (words(line), words(subject));
    !subject.is_empty() && line.windows(subject.len()).any(|window| window == subject)
}
