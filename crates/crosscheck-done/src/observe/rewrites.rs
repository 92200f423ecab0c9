//! Sources that a program of the session rewrote without a sign in its command
//! line: the time of a file says when it was written, the log when each
//! command ended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crosscheck_core::rules::Rule;
use crosscheck_transcript::session::{By, Change, State};
use jiff::Timestamp;

use super::git::Repository;
use super::outputs::Logs;
use crate::kind::Work;
use crate::place::Places;
use crate::read::session::{Candidate, Edit, Run, Session};
use crate::relevance::is_code;

const TIMES: Rule = Rule::new(
    "done.times",
    "a source whose time lies within the run of a program was written by it",
);

/// At most this many programs are looked at: the last ones.
const MAX_RUNS: usize = 64;

/// The changes of sources by programs that ran after a check.
pub fn edits(
    session: &Session,
    logs: &Logs,
    repository: &Repository<'_>,
    places: &Places,
) -> Vec<Edit> {
    let is_check =
        |work: &Work| matches!(work, Work::Tests | Work::Build | Work::Lint | Work::Types);
    let checks = |run: &Run| {
        let mut found = run.candidates.iter().flat_map(|one| &one.found.work);
        found.any(is_check)
    };
    let checked = session.runs.iter().position(checks);
    let Some(first) = checked.filter(|_| TIMES.is_on()) else {
        return Vec::new();
    };
    let later = session.runs.iter().enumerate().skip(first);
    let programs = later.filter_map(|(at, run)| {
        let program = run.candidates.iter().rfind(|one| is_program(one))?;
        let before = session.runs.get(at.checked_sub(1)?)?;
        let counts = run.state == State::Ended && run.by != By::User;
        counts.then_some((before, run, program.segment))
    });
    let programs: Vec<_> = programs.collect();
    let late = programs.get(programs.len().saturating_sub(MAX_RUNS)..);
    let late = late.unwrap_or_default();
    if late.is_empty() {
        return Vec::new();
    }
    let written: Vec<(PathBuf, Timestamp)> = sources(session, repository, places)
        .into_iter()
        .filter_map(|path| Some((path.clone(), written_at(&path)?)))
        .collect();
    let mut all = Vec::new();
    for (before, run, segment) in late {
        let (Some(from), Some(to)) = (logs.answered_at(before), logs.answered_at(run)) else {
            continue;
        };
        let within = written.iter().filter(|(_, at)| from < *at && *at <= to);
        all.extend(within.map(|(path, _)| Edit {
            order: run.order,
            step: run.step,
            id: run.id.clone(),
            segment: *segment,
            path: path.clone(),
            change: Change::Modify,
            done: true,
            by: run.by,
            tool: None,
            command: Some(run.command.clone()),
        }));
    }
    all
}

/// Whether nothing is known of what a program writes.
fn is_program(candidate: &Candidate) -> bool {
    // a build may write sources, too: `build.rs`, generators
    matches!(candidate.found.work.as_slice(), [Work::Exec | Work::Build])
}

/// Sources that the session may have changed: those it edited, and those that
/// differ from the commit before it.
fn sources(session: &Session, repository: &Repository<'_>, places: &Places) -> BTreeSet<PathBuf> {
    let edited = session.edits.iter().map(|edit| edit.path.clone());
    let differing = repository.differing().into_iter();
    let all = edited.chain(differing.map(|path| places.root.join(path)));
    all.filter(|path| is_code(path) && places.below(path).is_some())
        .collect()
}

fn written_at(path: &Path) -> Option<Timestamp> {
    let meta = path
        .symlink_metadata()
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Timestamp::try_from(meta.modified().ok()?).ok()
}
