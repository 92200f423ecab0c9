//! `done prove`, `learn` and `trust`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crosscheck::config::PROJECT_FILE;
use crosscheck::core::advice::with_causes;
use crosscheck::core::digest::Digest;
use crosscheck::core::files::{open_regular, read_regular};
use crosscheck::core::text::terminal_safe;
use crosscheck::done::audit::parse_time;
use crosscheck::done::config::Settings;
use crosscheck::done::kind::Work;
use crosscheck::done::learn::Learner;
use crosscheck::done::observe::git::Repository;
use crosscheck::done::own::{How, OwnRun, OwnRuns};
use crosscheck::done::read::session::head;
use crosscheck::done::runner::Table;

use super::install::agreed;
use super::place::{claude_home, hidden, memory, places_of};
use super::{sessions, settings};
use crate::args::done::{LearnArgs, ProveArgs, TrustArgs};
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::project_root;

const MAX_FILE: u64 = 1 << 20;
/// Sessions of Claude Code are one folder below the projects.
const DEPTH: usize = 2;

fn table(held: &Settings) -> Result<Table, Failure> {
    Table::new(&held.runners)
        .map_err(|error| Failure::usage(&error.to_string(), "correct `[[done.runner]]`"))
}

pub(super) fn prove(args: &ProveArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let root = match &args.root {
        Some(root) => std::fs::canonicalize(root).map_err(|error| {
            Failure::usage(
                &format!("cannot use --root {}: {error}", root.display()),
                "name a folder that exists",
            )
        })?,
        None => project_root()?,
    };
    let held = settings::held(&root)?;
    let is_wanted =
        |work: &Work| args.kinds.is_empty() || args.kinds.iter().any(|kind| kind == work.name());
    let wanted: Vec<Work> = held.commands.keys().copied().filter(is_wanted).collect();
    let is_missing = |kind: &&String| wanted.iter().all(|work| work.name() != *kind);
    let missing = args.kinds.iter().find(is_missing);
    if wanted.is_empty() || missing.is_some() {
        let what = missing.map_or("anything", String::as_str);
        return Err(Failure::usage(
            &format!(
                "no command is set up that proves {what} in {}",
                root.display()
            ),
            "run `crosscheck done install` here, which proposes the commands",
        ));
    }
    let table = table(&held)?;
    let memory = memory(&root);
    let hidden = hidden();
    let mut runs = OwnRuns {
        commands: held.commands.clone(),
        root: &root,
        base: before(&root),
        written: Vec::new(),
        began: None,
        time: Duration::from_secs(held.timeout_s),
        hidden: &hidden,
        table: &table,
        memory: memory.as_ref(),
        seen: BTreeMap::new(),
    };
    let mut worst = 0;
    for work in wanted {
        let run = runs.run(work);
        let code = run.as_ref().map_or(2, |run| match run.how {
            How::Passed => 0,
            How::Failed => 1,
            How::Empty | How::Unavailable | How::TimedOut => 2,
        });
        // a failure outweighs what could not be run
        worst = if worst == 1 || code == 1 {
            1
        } else {
            worst.max(code)
        };
        streams.data(terminal_safe(&told(work, run.as_ref())).as_bytes())?;
    }
    Ok(worst)
}

/// The commit before the newest session of this folder, else the last one.
fn before(root: &Path) -> Option<String> {
    let places = places_of(root.to_owned(), root.to_owned(), None);
    let started = sessions::newest(root, root)
        .and_then(|path| head(&mut open_regular(&path).ok()?).ok())
        .and_then(|head| head.started);
    let since = started
        .and_then(|time| parse_time(&time))
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_secs()).ok());
    let repository = Repository::new(&places, since);
    let last = || repository.head().map(|(commit, _)| commit);
    repository.commit_before().or_else(last)
}

/// One line for the verdict, and what it rests on.
fn told(work: Work, run: Option<&OwnRun>) -> String {
    let Some(run) = run else {
        return format!(
            "? {}: the session wrote what this command runs, and no commit has it\n",
            work.name()
        );
    };
    let (mark, outcome) = match run.how {
        How::Passed => ("✓", "passed"),
        How::Failed => ("✗", "failed"),
        How::Empty => ("?", "had nothing to do"),
        How::Unavailable => ("?", "could not be run"),
        How::TimedOut => ("?", "took too long"),
    };
    let status = run
        .status
        .map_or_else(String::new, |status| format!(", exit {status}"));
    let mut text = format!(
        "{mark} {}: `{}` {outcome}{status}\n",
        work.name(),
        run.command
    );
    if !run.summary.is_empty() {
        let _ = writeln!(text, "    {}", run.summary);
    }
    if !run.steered.is_empty() {
        let _ = writeln!(
            text,
            "    as before the session: {}",
            run.steered.join(", ")
        );
    }
    if run.is_kept {
        text += "    kept from an earlier run over the same files\n";
    }
    if run.status.is_some() && !run.is_offline {
        text += "    the network was not switched off\n";
    }
    text
}

pub(super) fn learn(args: &LearnArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let folders = if args.paths.is_empty() {
        let home = claude_home()
            .ok_or_else(|| Failure::usage("there is no home folder", "name the logs"))?;
        vec![home.join("projects")]
    } else {
        args.paths.clone()
    };
    let held = settings::held(&project_root()?)?;
    let table = table(&held)?;
    let mut learner = Learner::new(&table);
    for folder in folders {
        if folder.is_dir() {
            for log in sessions::below(&folder, DEPTH) {
                learner.read(&log.path);
            }
        } else if learner.read(&folder).is_none() {
            return Err(Failure::usage(
                &format!(
                    "`{}` is not a session log that can be read",
                    folder.display()
                ),
                "name logs, or folders that hold them",
            ));
        }
    }
    let text = learner.proposals();
    if text.is_empty() {
        streams.talk("every check that ran often is known\n");
    }
    streams.data(terminal_safe(&text).as_bytes())?;
    Ok(0)
}

pub(super) fn trust(args: &TrustArgs, streams: &mut Streams) -> Result<u8, Failure> {
    let root = project_root()?;
    let file = root.join(PROJECT_FILE);
    let text = read_regular(&file, MAX_FILE).map_err(|error| {
        Failure::usage(
            &with_causes(&error),
            "there is nothing to accept without the file",
        )
    })?;
    let memory = memory(&root).ok_or_else(|| {
        Failure::usage(
            "there is no folder outside of the project to remember it in",
            "set HOME or XDG_STATE_HOME",
        )
    })?;
    streams.data(terminal_safe(&String::from_utf8_lossy(&text)).as_bytes())?;
    if !args.yes && !agreed(streams)? {
        streams.talk("nothing was accepted\n");
        return Ok(0);
    }
    let digest = Digest::of(&text).hex();
    memory.accept(&digest).map_err(|error| {
        Failure::usage(
            &format!("cannot remember it: {error}"),
            "check that the folder of the state may be written to",
        )
    })?;
    streams.data(format!("{}: accepted as it is ({digest})\n", file.display()).as_bytes())?;
    Ok(0)
}
