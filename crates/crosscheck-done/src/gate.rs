//! One message, from its words to a decision: read, plan, observe, judge,
//! report, in that order.

mod advice;
pub(crate) mod bench;
mod case;
mod report;
mod trust;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crosscheck_config::tables::DONE;
use crosscheck_config::{Config, ConfigError, Place};
use crosscheck_core::advice::{RunReason, with_causes};
use crosscheck_core::files::open_regular;
use crosscheck_core::{Advice, Reason};

use crate::claim::{Commands, Extraction, Extractor, Hints, PackError};
use crate::config::{Mode, Settings};
use crate::kind::ClaimKind;
use crate::observe::git::Repository;
use crate::observe::outputs::Logs;
use crate::observe::rewrites;
use crate::opinion::{Opinion, Source};
use crate::place::Places;
use crate::read::session::{self, Log, LogError, Session};
use crate::reasons::DoneReason;
use crate::report::receipt::Timing;
use crate::runner::{OwnRunner, Table, TableError};
use crate::state::Memory;
use crate::tamper::{self, Steering, Tampering};

use case::Case;
pub use report::{Judged, Report, action_word, canonical_receipt, timestamp};
use trust::Held;

/// The configuration as it was read.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The files and variables.
    pub config: Config,
    /// What is wrong with the project's file, which was left out then.
    pub broken: Option<ConfigError>,
    /// `CROSSCHECK_DONE`.
    pub mode: Option<Mode>,
    /// Whether the command line names the project, so that its programs may
    /// be run although no session is known.
    pub names_project: bool,
    /// The project.
    pub root: PathBuf,
}

impl Layers {
    fn read(&self, config: &Config, distrusted: bool) -> Result<Settings, ConfigError> {
        let mut settings: Settings = config.chosen()?;
        if let Some(mode) = self.mode {
            // a variable that the session may have set loosens nothing
            if mode >= settings.mode || !distrusted {
                settings.mode = mode;
            }
        }
        let commands = config.layer_of(&DONE, "reality.commands");
        let says_which = commands.is_some_and(|layer| layer.place == Place::CommandLine);
        settings.take_project(&self.root, says_which);
        Ok(settings)
    }
}

/// Who asks.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// The harness.
    pub harness: String,
    /// The session.
    pub session: Option<String>,
    /// The prompt or turn.
    pub prompt: Option<String>,
    /// The subagent.
    pub agent: Option<String>,
    /// `Stop`, `SubagentStop`, `check`.
    pub event: String,
    /// Whether the harness says that no hook has sent the agent back in this
    /// turn: all that is known where rounds cannot be counted.
    pub is_first_stop: bool,
}

/// What one check is asked to do.
#[derive(Debug, Clone)]
pub struct Task {
    /// The message to judge.
    pub message: String,
    /// The session's log; without one only the world is looked at.
    pub log: Option<Log>,
    /// The folders.
    pub places: Places,
    /// The configuration.
    pub layers: Layers,
    /// Who asks.
    pub identity: Identity,
    /// Commands that the harness says are still running.
    pub running: Vec<String>,
    /// Files that steer the gate.
    pub steering: Steering,
    /// Variables that configured commands do not see.
    pub hidden: Vec<String>,
    /// Whether what was dropped is reported, too.
    pub explain: bool,
    /// Whether the log may still be written to, so that a missing answer is
    /// waited for once.
    pub live: bool,
    /// Whether a receipt is printed, which holds hashes that cost time.
    pub printed: bool,
    /// Texts of further pattern files, by name.
    pub patterns: Vec<(String, String)>,
    /// Digests of project files that the person accepted.
    pub accepted: Vec<String>,
    /// Where results of own runs are kept.
    pub memory: Option<Memory>,
}

impl Task {
    /// One message and a project, with nothing configured and no session.
    pub fn message(message: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            message: message.into(),
            log: None,
            places: Places {
                cwd: root.clone(),
                root,
                home: None,
                temporary: Vec::new(),
            },
            layers: Layers::default(),
            identity: Identity {
                harness: "text".to_owned(),
                event: "check".to_owned(),
                ..Identity::default()
            },
            running: Vec::new(),
            steering: Steering::default(),
            hidden: Vec::new(),
            explain: false,
            live: false,
            printed: true,
            patterns: Vec::new(),
            accepted: Vec::new(),
            memory: None,
        }
    }

    /// How reports call what is checked.
    fn subject(&self) -> String {
        let path = self.log.as_ref().map(|log| log.path.display().to_string());
        path.unwrap_or_else(|| "message".to_owned())
    }
}

/// What a session says last, and who wrote it.
#[derive(Debug)]
pub struct LastWords {
    /// What a subagent handed back as its last words.
    pub handback: Option<String>,
    /// The last text of the agent.
    pub text: Option<String>,
    /// The session's own id.
    pub session: Option<String>,
    /// The harness, as receipts name it.
    pub harness: &'static str,
    /// The folder that the session was started in.
    pub cwd: Option<PathBuf>,
}

/// Reads what a session says last, from the end of its log.
pub fn last_words(log: &Log) -> Result<LastWords, DoneError> {
    let fail = |source| LogError::Unreadable {
        path: log.path.clone(),
        source,
    };
    let mut file = open_regular(&log.path).map_err(|error| fail(std::io::Error::other(error)))?;
    let head = session::head(&mut file).map_err(fail)?;
    let harness = log
        .harness
        .or(head.harness)
        .ok_or_else(|| LogError::Unrecognised {
            path: log.path.clone(),
        })?;
    let last = session::last_text(&mut file, harness, log.own).map_err(fail)?;
    Ok(LastWords {
        handback: last.handback,
        text: last.text,
        session: head.session,
        harness: harness.name(),
        cwd: head.cwd,
    })
}

/// Why a check could not be done at all.
#[derive(Debug, thiserror::Error)]
pub enum DoneError {
    /// The session's log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The patterns.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The table of runners.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl Advice for DoneError {
    fn reason(&self) -> &'static Reason {
        RunReason::CliUsage.reason()
    }

    fn help(&self) -> String {
        match self {
            Self::Log(_) => "name the log of a session that can be read",
            Self::Pack(_) => "correct the file that `pattern_files` names",
            Self::Table(_) => "correct `[[done.runner]]`",
            Self::Config(_) => "correct the configuration; `crosscheck doctor` checks all of it",
        }
        .to_owned()
    }
}

/// What the words of a message say before anything is opened.
pub fn hints(message: &str, layers: &Layers) -> Hints {
    crate::claim::hints(message, &languages(layers))
}

/// Languages that are looked for: a file of the project can add one, and
/// leave none out.
fn languages(layers: &Layers) -> Vec<String> {
    let list = layers.config.get(&DONE, "languages");
    let words = list.as_array().into_iter().flatten();
    words
        .filter_map(|word| word.as_str().map(str::to_owned))
        .collect()
}

/// Finds the claims of a message, nothing else.
fn claims(task: &Task, table: &LazyTable<'_>, has_database: bool) -> Result<Extraction, DoneError> {
    let known = hints(&task.message, &task.layers);
    let mut wanted = known.languages;
    if wanted.is_empty() && known.done {
        wanted = languages(&task.layers);
    }
    let patterns = trust::patterns(task);
    let extractor = Extractor::new(&wanted, &patterns)?.with_database(has_database);
    if !patterns.is_empty() {
        extractor.self_test(table)?;
    }
    Ok(extractor.read(&task.message, table, task.explain))
}

/// The table of runners, built when a message has a command in it.
struct LazyTable<'r> {
    own: &'r [OwnRunner],
    table: std::cell::OnceCell<Option<Table>>,
}

impl<'r> LazyTable<'r> {
    const fn new(own: &'r [OwnRunner]) -> Self {
        Self {
            own,
            table: std::cell::OnceCell::new(),
        }
    }
}

impl Commands for LazyTable<'_> {
    fn claims(&self, code: &str) -> Vec<ClaimKind> {
        let table = self.table.get_or_init(|| Table::new(self.own).ok());
        table
            .as_ref()
            .map(|table| table.claims(code))
            .unwrap_or_default()
    }
}

/// Judges one message. A message without a claim opens nothing.
pub fn check(task: &Task) -> Result<Report, DoneError> {
    let started = Instant::now();
    let first = task.layers.settings()?;
    let named = task.layers.named_runners()?;
    let lazy = LazyTable::new(&named);
    let extraction = claims(task, &lazy, first.database.is_some())?;
    let asks = !extraction.claims.is_empty()
        || (first.strict && extraction.says_done)
        || !first.require.is_empty();
    if !asks {
        return Ok(Report::empty(task, first, extraction, started));
    }
    let known = lazy.table.into_inner().flatten();
    let mut table = match known.filter(|_| named == first.runners) {
        Some(table) => table,
        None => Table::new(&first.runners)?,
    };
    let read_at = Instant::now();
    let mut session = match task.log.as_ref().map(|log| read(task, log, &first, &table)) {
        None => None,
        Some(Ok(session)) => Some(session),
        // a log that is gone must not let a claim through
        Some(Err(error)) if task.live => return unread(task, extraction, &error, started),
        Some(Err(error)) => return Err(error.into()),
    };
    let started_at = session
        .as_ref()
        .and_then(|session| epoch(session.facts.started.as_deref()?));
    let repository = Repository::new(&task.places, started_at);
    let logs = session
        .as_ref()
        .map(|session| Logs::new(&session.files, session.harness));
    let tampering = match (&session, &logs) {
        (Some(session), Some(logs)) => tamper::look(session, &task.places, &task.steering, logs),
        _ => Tampering::default(),
    };
    let Held {
        settings,
        tampering,
        notices,
        began,
    } = trust::settings(task, tampering, &repository)?;
    if settings.runners != first.runners || settings.skip_types != first.skip_types {
        // what the session itself taught proves nothing
        table = Table::new(&settings.runners)?;
        session = task
            .log
            .as_ref()
            .map(|log| read(task, log, &settings, &table))
            .transpose()?;
    }
    if let (Some(session), Some(logs)) = (&mut session, &logs)
        && settings.reality.fs
    {
        let late = rewrites::edits(session, logs, &repository, &task.places, &table.steers);
        session.rewrite(late);
    }
    let parse = read_at.elapsed();
    let mut case = Case {
        task,
        table: &table,
        session: session.as_ref(),
        settings: &settings,
        repository: &repository,
        logs: logs.as_ref(),
        began,
    };
    let look_at = Instant::now();
    let mut report = case.report(extraction, tampering);
    report.notices = notices;
    report.base.timing = Timing {
        total: ms(started.elapsed()),
        parse: ms(parse),
        reality: ms(look_at.elapsed()),
    };
    Ok(report)
}

/// What is said when there was no time to look: nothing that the message
/// claims is established.
pub fn check_unlooked(task: &Task) -> Result<Report, DoneError> {
    let started = Instant::now();
    let named = task.layers.named_runners()?;
    let first = task.layers.settings()?;
    let extraction = claims(task, &LazyTable::new(&named), first.database.is_some())?;
    undecided(task, extraction, DoneReason::OutOfTime, started)
}

/// What is said when the log is gone, or cannot be read.
fn unread(
    task: &Task,
    extraction: Extraction,
    error: &LogError,
    started: Instant,
) -> Result<Report, DoneError> {
    let mut report = undecided(task, extraction, DoneReason::LogUnreadable, started)?;
    report.notices.push(with_causes(error));
    Ok(report)
}

fn undecided(
    task: &Task,
    mut extraction: Extraction,
    reason: DoneReason,
    started: Instant,
) -> Result<Report, DoneError> {
    let repository = Repository::new(&task.places, None);
    let held = trust::settings(task, Tampering::default(), &repository)?;
    let claims = std::mem::take(&mut extraction.claims).into_iter();
    let claims = claims.map(|claim| Judged {
        claim,
        opinion: Opinion::undecided(reason, Source::Transcript),
        handover: None,
    });
    let claims = claims.collect();
    let mut report = Report::empty(task, held.settings, extraction, started);
    report.claims = claims;
    Ok(report)
}

/// How long a live log is waited for.
const FLUSH: Duration = Duration::from_millis(300);

/// Reads the session. The harness writes its log a little later: a live one
/// that is not there yet, or whose last call has no answer, is waited for.
fn read(task: &Task, log: &Log, settings: &Settings, table: &Table) -> Result<Session, LogError> {
    let read = || session::read(log, &settings.skip_types, table, &task.places);
    let waits = |read: &Result<Session, LogError>| match read {
        Ok(session) => session.is_waiting(),
        Err(error) => matches!(error, LogError::Unreadable { .. }),
    };
    let begun = Instant::now();
    let mut session = read();
    while task.live && waits(&session) && begun.elapsed() < FLUSH {
        std::thread::sleep(FLUSH / 6);
        session = read();
    }
    session
}

/// Seconds since 1970 of a time as logs spell it.
pub(crate) fn epoch(time: &str) -> Option<i64> {
    let time: jiff::Timestamp = time.parse().ok()?;
    Some(time.as_second())
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}
