//! Sources that were written after a check, by whatever: the time of a file
//! says when it was written, the log when each command ended.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crosscheck_transcript::session::Change;
use jiff::{SignedDuration, Timestamp};

use super::git::Repository;
use super::outputs::Logs;
use crate::claim::listed;
use crate::kind::Work;
use crate::place::Places;
use crate::read::session::{Edit, Order, OutputPlace, Run, Session};
use crate::relevance::is_code;
use crate::shell;

/// At most this many checks are looked at: the last ones.
const MAX_RUNS: usize = 64;

/// The changes of sources behind checks, each right behind the last one that
/// had ended by then. What a formatter wrote is no change.
pub fn edits(
    session: &Session,
    logs: &Logs,
    repository: &Repository<'_>,
    places: &Places,
) -> Vec<Edit> {
    let is_check =
        |work: &Work| matches!(work, Work::Tests | Work::Build | Work::Lint | Work::Types);
    let checks = session.runs.iter().rev().filter(|run| {
        let mut found = run.candidates.iter().flat_map(|one| &one.found.work);
        found.any(is_check)
    });
    let ended = checks.filter_map(|run| Some((run, logs.answered_at(run.output)?)));
    let ended: Vec<(&Run, Timestamp)> = ended.take(MAX_RUNS).collect();
    if ended.is_empty() {
        return Vec::new();
    }
    let late = sources(session, repository, places).into_iter();
    // what was written a day after the last line is of another session
    let last = session.facts.last.as_ref();
    let last: Option<Timestamp> = last.and_then(|time| time.parse().ok());
    let is_of_session = |time: Timestamp| {
        last.is_none_or(|last| last.duration_until(time) < SignedDuration::from_hours(24))
    };
    let late = late.filter_map(|path| {
        let time = written_at(&path).filter(|time| is_of_session(*time))?;
        let (run, _) = ended.iter().find(|(_, end)| *end < time)?;
        Some((path, time, *run))
    });
    let late: Vec<_> = late.collect();
    if late.is_empty() {
        return Vec::new();
    }
    let formats = formats(session, logs);
    let is_formatted = |time: Timestamp| {
        let mut formats = formats.iter();
        formats.any(|(from, to)| *from < time && time <= *to)
    };
    let late = late.into_iter().filter(|(_, time, _)| !is_formatted(*time));
    late.map(|(path, _, run)| Edit {
        order: Order {
            line: run.order.line,
            sub: run.order.sub + 1,
        },
        step: 0,
        id: Box::default(),
        segment: 0,
        path,
        change: Change::Modify,
        done: true,
        by: run.by,
        tool: None,
        command: None,
    })
    .collect()
}

/// When formatters ran, and nothing else: from the answer before to their own.
fn formats(session: &Session, logs: &Logs) -> Vec<(Timestamp, Timestamp)> {
    let runs = session.runs.iter();
    let runs = runs.map(|run| (run.order, &*run.command, run.output));
    let others = session.others.iter();
    let others = others.map(|(order, command, output)| (*order, &**command, *output));
    let mut all: Vec<(Order, &str, Option<OutputPlace>)> = runs.chain(others).collect();
    all.sort_by_key(|(order, ..)| *order);
    let pairs = all.windows(2).filter_map(|pair| match pair {
        [(.., before), (_, command, own)] if is_format(command) => {
            Some((logs.answered_at(*before)?, logs.answered_at(*own)?))
        }
        _ => None,
    });
    pairs.collect()
}

/// Whether a command line runs formatters alone.
fn is_format(command: &str) -> bool {
    let is_formatter = |segment: &shell::Segment| {
        let words = &segment.run.words;
        let first = words.first().map_or("", String::as_str);
        let pair = words.get(..2).unwrap_or_default().join(" ");
        segment.outputs.is_empty() && (listed("formatters", first) || listed("formatters", &pair))
    };
    shell::line(command).is_ok_and(|line| {
        let is_plain = line.shadows.is_empty() && line.paths.is_empty();
        is_plain && !line.segments.is_empty() && line.segments.iter().all(is_formatter)
    })
}

/// The sources of the project: those that git does not ignore, and those that
/// the session edited.
fn sources(session: &Session, repository: &Repository<'_>, places: &Places) -> BTreeSet<PathBuf> {
    let edited = session.edits.iter().map(|edit| edit.path.clone());
    let known = repository.files().into_iter();
    let all = edited.chain(known.map(|path| places.root.join(path)));
    all.filter(|path| is_code(path) && places.below(path).is_some())
        .collect()
}

fn written_at(path: &Path) -> Option<Timestamp> {
    let meta = path.symlink_metadata().ok().filter(Metadata::is_file)?;
    let written = Timestamp::try_from(meta.modified().ok()?).ok()?;
    Some(changed_at(&meta).map_or(written, |changed| changed.max(written)))
}

/// `touch -d` sets the time of a file; this one it cannot set.
#[cfg(unix)]
fn changed_at(meta: &Metadata) -> Option<Timestamp> {
    use std::os::unix::fs::MetadataExt as _;
    let nanoseconds = i32::try_from(meta.ctime_nsec()).ok()?;
    Timestamp::new(meta.ctime(), nanoseconds).ok()
}

#[cfg(not(unix))]
const fn changed_at(_: &Metadata) -> Option<Timestamp> {
    None
}
