//! Files that were written or removed around a check, by whatever: the time of a file says when it
//! was written, the log when each command ended.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crosscheck_core::files::read_regular;
use crosscheck_transcript::session::{By, Change};
use jiff::{SignedDuration, Timestamp};

use super::files::newest_time;
use super::git::Repository;
use super::outputs::Logs;
use crate::claim::listed;
use crate::place::Places;
use crate::read::session::{Edit, Order, OutputPlace, Run, Session};
use crate::relevance::is_code;
use crate::runner::Steers;
use crate::shell;

/// At most this many runs are looked at: the last ones.
const MAX_RUNS: usize = 64;
/// A longer file is not compared with what it was.
const MAX_TEXT: u64 = 1 << 20;

/// Changes that the log need not show, each in its place among the checks: behind the last check that
/// had ended by then, whatever was written or removed; before the first one, what steers checks
/// and is not as it was before the session. What a formatter wrote is no change.
pub fn edits(
    session: &Session,
    logs: &Logs,
    repository: &Repository<'_>,
    places: &Places,
    steers: &Steers,
) -> Vec<Edit> {
    let runs = session.runs.iter().rev();
    let ended = runs.filter_map(|run| Some((run, logs.answered_at(run.output)?)));
    let ended: Vec<(&Run, Timestamp)> = ended.take(MAX_RUNS).collect();
    if ended.is_empty() {
        return Vec::new();
    }
    let began = repository
        .started
        .and_then(|at| Timestamp::from_second(at).ok());
    // what was written a day after the last line is of another session
    let last = session.facts.last.as_ref();
    let last: Option<Timestamp> = last.and_then(|time| time.parse().ok());
    let is_of_session = |time: Timestamp| {
        let is_late = |last: Timestamp| last.duration_until(time) >= SignedDuration::from_hours(24);
        began.is_none_or(|began| began <= time) && !last.is_some_and(is_late)
    };
    let differs = |path: &Path| {
        let now = read_regular(path, MAX_TEXT).unwrap_or_default();
        let now = String::from_utf8_lossy(&now);
        let before = repository.before(path);
        let mut runs = session.runs.iter();
        let is_script = runs.any(|run| run.command.contains(name_of(path)));
        steers.is_changed(name_of(path), before.as_deref(), &now)
            || is_script && before.is_some_and(|before| before != now)
    };
    let mut formats = None;
    let mut all = Vec::new();
    for (path, is_tracked) in files(session, repository, places, steers) {
        let time = match path.symlink_metadata() {
            Ok(meta) if meta.is_file() && is_read(&path, is_tracked, places, steers) => {
                newest_time(&meta)
            }
            Err(_) if is_tracked && !removes(session, &path) => lost_at(&path),
            _ => None,
        };
        let Some(time) = time.filter(|time| is_of_session(*time)) else {
            continue;
        };
        let order = match ended.iter().find(|(_, end)| *end < time) {
            Some((run, _)) => Order {
                sub: run.order.sub + 1,
                ..run.order
            },
            None if differs(&path) => {
                let first = ended.last().map_or(0, |(run, _)| run.order.line);
                Order {
                    line: first.saturating_sub(1),
                    sub: usize::MAX,
                }
            }
            None => continue,
        };
        let formats = formats.get_or_insert_with(|| self::formats(session, logs));
        let is_formatted = |(from, to): &(Timestamp, Timestamp)| *from < time && time <= *to;
        if !formats.iter().any(is_formatted) {
            all.push(changed(path, order));
        }
    }
    all
}

fn changed(path: PathBuf, order: Order) -> Edit {
    Edit {
        order,
        step: 0,
        id: Box::default(),
        segment: 0,
        path,
        change: Change::Modify,
        done: true,
        by: By::Agent,
        tool: None,
        command: None,
    }
}

/// Whether a command of the session removed a file.
fn removes(session: &Session, path: &Path) -> bool {
    let mut edits = session.edits.iter();
    edits.any(|edit| {
        matches!(edit.change, Change::Delete | Change::Tree) && path.starts_with(&edit.path)
    })
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

/// Whether a command line runs formatters, and besides them programs that only look.
fn is_format(command: &str) -> bool {
    let is_formatter = |segment: &shell::Segment| {
        let words = &segment.run.words;
        let first = words.first().map_or("", String::as_str);
        let pair = words.get(..2).unwrap_or_default().join(" ");
        listed("formatters", first) || listed("formatters", &pair)
    };
    let looks = |segment: &shell::Segment| {
        let name = segment.run.words.first();
        name.is_some_and(|name| shell::is_looker(name)) && shell::writes(segment).is_empty()
    };
    shell::line(command).is_ok_and(|line| {
        let is_plain = line.shadows.is_empty() && line.paths.is_empty();
        let mut outputs = line.segments.iter().flat_map(|one| &one.outputs);
        is_plain
            && outputs.next().is_none()
            && line.segments.iter().any(is_formatter)
            && line
                .segments
                .iter()
                .all(|one| is_formatter(one) || looks(one))
    })
}

/// The files whose change can matter, and whether each should be there: those that git knows or does
/// not ignore, what the session edited, and what steers checks in the root, though git ignores it.
fn files(
    session: &Session,
    repository: &Repository<'_>,
    places: &Places,
    steers: &Steers,
) -> BTreeMap<PathBuf, bool> {
    let beside = std::fs::read_dir(&places.root)
        .into_iter()
        .flatten()
        .flatten();
    let beside = beside.map(|entry| entry.path());
    let beside = beside.filter(|path| steers.steers_any(name_of(path)).is_some());
    let edited = session.edits.iter().map(|edit| edit.path.clone());
    let mut all: BTreeMap<PathBuf, bool> = BTreeMap::new();
    all.extend(edited.chain(beside).map(|path| (path, false)));
    let known = repository.files().into_iter();
    all.extend(known.map(|(name, is_tracked)| (places.root.join(name), is_tracked)));
    all.retain(|path, _| places.below(path).is_some());
    all
}

fn name_of(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}

/// Whether a check reads a file: sources, what steers it, and what lies among the tests. Other data
/// that programs write say nothing about the code.
fn is_read(path: &Path, is_tracked: bool, places: &Places, steers: &Steers) -> bool {
    let is_of_tests = || {
        let mut parts = places.below(path).into_iter().flatten();
        parts.any(|part| {
            part.to_str()
                .is_some_and(|part| listed("test_folders", part))
        })
    };
    is_code(path) || steers.steers_any(name_of(path)).is_some() || is_tracked && is_of_tests()
}

/// When a file that is not there was removed: when its folder lost it.
fn lost_at(path: &Path) -> Option<Timestamp> {
    let mut above = path.ancestors().skip(1);
    newest_time(&above.find_map(|folder| folder.symlink_metadata().ok())?)
}
