//! `done audit`: past sessions, replayed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::SystemTime;

use crosscheck::core::advice::with_causes;
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::digest::Digest;
use crosscheck::core::files::read_limited;
use crosscheck::done::audit::{Audit, Past, Replay, Tally, human, labels, parse_time, stop_lines};
use crosscheck::render::Format;

use super::place::{claude_home, codex_home, home};
use super::sessions::{self, CODEX_DEPTH};
use super::{TOOL, settings};
use crate::args::done::AuditArgs;
use crate::commands::spare::spare;
use crate::failure::Failure;
use crate::output::Streams;

const MAX_LABELS: u64 = 64 << 20;
/// Sessions of Claude Code are one folder below the projects.
const CLAUDE_DEPTH: usize = 2;
/// Folders that are named are searched this deep.
const NAMED_DEPTH: usize = 8;

pub(super) fn run(args: &AuditArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let format = args.presented.format();
    let since = args.since.as_deref().map(moment).transpose()?;
    let labels = args.label.as_deref().map(read_labels).transpose()?;
    let logs = logs(args, since)?;
    if let Some(output) = &args.presented.output {
        spare(output, &logs, &[])?;
    }
    let held = settings::held(&crate::settings::current_dir()?)?;
    let replay = Replay::new(held, home())
        .map_err(|error| Failure::usage(&error.to_string(), "correct `[[done.runner]]`"))?
        .with_git(args.reality == "git");
    let mut tally = Tally::new(TOOL, labels.unwrap_or_default());
    let salt = if args.redact { Some(salt()?) } else { None };
    let hide = |text: &str| match &salt {
        Some(salt) => hidden(salt, text),
        None => text.to_owned(),
    };
    let mut stops = Vec::new();
    each(&replay, &logs, args.jobs, |replayed| match replayed {
        Ok(past) => {
            if since.is_none_or(|since| is_since(&past, since)) {
                tally.add(&past);
                if format == Format::Ndjson {
                    stops.extend(stop_lines(&past, &hide));
                }
            }
        }
        Err(why) => tally.unread(why),
    });
    let mut audit = tally.finish();
    audit.redact(&hide);
    show(args, &audit, &stops, streams)?;
    Ok(exit_code(args, &audit))
}

fn exit_code(args: &AuditArgs, audit: &Audit) -> u8 {
    let rate = &audit.false_done_rate;
    let value = if args.strict_interval {
        rate.high
    } else {
        rate.rate
    };
    let is_over = args
        .max_false_done_rate
        .zip(value)
        .is_some_and(|(most, value)| value > most);
    u8::from(is_over)
}

/// The logs that are asked for, each once, in the order of their names.
fn logs(args: &AuditArgs, since: Option<SystemTime>) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let no_home = || Failure::usage("there is no home folder", "set HOME, or name the logs");
    if args.claude_projects {
        let folder = claude_home().ok_or_else(no_home)?.join("projects");
        found.extend(sessions::below(&folder, CLAUDE_DEPTH));
    }
    if args.codex_sessions {
        let home = codex_home().ok_or_else(no_home)?;
        for name in ["sessions", "archived_sessions"] {
            found.extend(sessions::below(&home.join(name), CODEX_DEPTH));
        }
    }
    for path in &args.paths {
        if path.is_dir() {
            found.extend(sessions::below(path, NAMED_DEPTH));
        } else if path.exists() {
            found.push(sessions::Found {
                changed: SystemClock.now(),
                path: path.clone(),
            });
        } else {
            return Err(Failure::usage(
                &format!("there is no `{}`", path.display()),
                "name logs or folders that exist",
            ));
        }
    }
    if args.paths.is_empty() && !args.claude_projects && !args.codex_sessions {
        return Err(Failure::usage(
            "there is nothing to audit",
            "name logs or folders, or pass --claude-projects or --codex-sessions",
        ));
    }
    // what was not written to since then has no newer record
    found.retain(|one| since.is_none_or(|since| one.changed >= since));
    let is_agent = |path: &Path| {
        path.parent()
            .is_some_and(|folder| folder.ends_with("subagents"))
    };
    let mut paths: Vec<PathBuf> = found.into_iter().map(|one| one.path).collect();
    let named = args.paths.clone();
    paths.retain(|path| !is_agent(path) || named.contains(path));
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// Replays in parallel and tells in order; few results wait at a time.
fn each(
    replay: &Replay,
    logs: &[PathBuf],
    jobs: Option<usize>,
    mut tell: impl FnMut(Result<Past, String>),
) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = jobs.unwrap_or(cores).clamp(1, 64).min(logs.len().max(1));
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<(usize, Result<Past, String>)>(workers * 2);
        for _ in 0..workers {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = logs.get(at) else {
                        break;
                    };
                    let past = replay.session(path).map_err(|error| with_causes(&error));
                    if send.send((at, past)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = std::collections::BTreeMap::new();
        let mut due = 0;
        for (at, past) in receive {
            waiting.insert(at, past);
            while let Some(past) = waiting.remove(&due) {
                tell(past);
                due += 1;
            }
        }
    });
}

fn is_since(past: &Past, since: SystemTime) -> bool {
    let last = past.facts.last.as_deref().or(past.facts.started.as_deref());
    last.and_then(parse_time).is_none_or(|last| last >= since)
}

/// A day or a time.
fn moment(text: &str) -> Result<SystemTime, Failure> {
    parse_time(text).ok_or_else(|| {
        Failure::usage(
            &format!("`{text}` is not a day or a time"),
            "write it like 2026-10-01 or 2026-10-01T08:00:00Z",
        )
    })
}

fn read_labels(path: &Path) -> Result<Vec<crosscheck::done::audit::Label>, Failure> {
    let wrong = |why: &str| {
        Failure::usage(
            &format!("cannot read the labels of {}: {why}", path.display()),
            "write lines of `file,line,kind,verdict`",
        )
    };
    let bytes = read_limited(path, MAX_LABELS).map_err(|error| wrong(&with_causes(&error)))?;
    labels(&String::from_utf8_lossy(&bytes)).map_err(|why| wrong(&why))
}

fn salt() -> Result<[u8; 16], Failure> {
    crosscheck::done::state::random().map_err(|error| {
        Failure::usage(
            &format!("no random numbers: {error}"),
            "run it without --redact",
        )
    })
}

fn hidden(salt: &[u8; 16], text: &str) -> String {
    let mut bytes = salt.to_vec();
    bytes.extend_from_slice(text.as_bytes());
    let hex = Digest::of(bytes).hex();
    format!("h:{}:{}", hex.get(..12).unwrap_or_default(), text.len())
}

fn show(
    args: &AuditArgs,
    audit: &Audit,
    stops: &[serde_json::Value],
    streams: &mut Streams,
) -> Result<(), Failure> {
    let neutral = audit.neutral("past sessions");
    let presenter = args.presented.presenter();
    presenter.present(
        || vec![&neutral],
        Ok(()),
        streams,
        |format, _, out| {
            for stop in stops {
                writeln!(out, "{}", serde_json::to_string(stop)?)?;
            }
            let text = match format {
                Format::Json => crosscheck::core::canonical::of(audit).unwrap_or_default() + "\n",
                Format::Human => human(audit),
                _ => return Ok(false),
            };
            presenter.write_text(&text, out)
        },
    )
}
