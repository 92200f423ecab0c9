//! Records runs: the one place where every report passes on its way into the
//! ledger.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crosscheck::config::{self, Config, ConfigError, LEDGER, Layer, Notice, Settings};
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::digest::{Digest, of_reader};
use crosscheck::core::{Advice as _, Verdict};
use crosscheck::done::report::receipt::Receipt;
use crosscheck::ledger::{
    self, Appended, Care, Item, Ledger, LedgerEntry, LedgerError, LedgerReason, Place, Reader, Run,
    Wanted,
};
use crosscheck::{Database, Neutral, done};

use crate::args::chosen::Chosen;
use crate::args::written;
use crate::failure::Failure;
use crate::output::Streams;
use crate::settings::database;
use crate::settings::{misconfigured, places, project_root, variable};

/// The time that a hook has after its answer.
const HOOK_TIME: Duration = Duration::from_millis(20);

/// What comes before the name of a check in the notes of a record.
pub(crate) const CHECK_NOTE: &str = "check ";

/// Verdicts by the name of a check, the oldest first.
pub(crate) type CheckHistory = BTreeMap<String, Vec<Verdict>>;

/// Where the runs of a command are recorded, and since when it runs.
pub(crate) struct Recorder {
    place: Option<Place>,
    started: Instant,
}

/// What was read, by hash.
#[derive(Default)]
pub(crate) struct Inputs(Vec<Item>);

impl Inputs {
    /// These files, as they are now; what is not a file has no hash.
    pub(crate) fn files<'f>(files: impl IntoIterator<Item = &'f Path>) -> Self {
        let item = |path: &Path| {
            let file = File::open(path).ok()?;
            let is_file = file.metadata().ok()?.is_file();
            let hash = is_file.then(|| of_reader(file).ok()).flatten()?;
            Some(Item {
                name: path.display().to_string(),
                sha256: hash.hex(),
            })
        };
        Self(files.into_iter().filter_map(item).collect())
    }

    /// One document that was read.
    pub(crate) fn bytes(name: &str, bytes: &[u8]) -> Self {
        Self(vec![Item {
            name: name.to_owned(),
            sha256: Digest::of(bytes).hex(),
        }])
    }
}

impl Recorder {
    /// For a command that reads no configuration of its own.
    pub(crate) fn load(named: Option<&Path>, streams: &mut Streams) -> Result<Self, Failure> {
        let root = project_root()?;
        let (recorder, notices) = Self::of_project(named, &root)?;
        crate::settings::tell(&notices, streams);
        Ok(recorder)
    }

    /// For a command with one table, which it reads with what was typed.
    pub(crate) fn and_settings<T: Settings>(
        typed: &Chosen<T>,
        named: Option<&Path>,
        streams: &mut Streams,
    ) -> Result<(Self, T), Failure> {
        let root = project_root()?;
        let wrong = |error: ConfigError| misconfigured(&error);
        let mut config = Config::load(&places(&root, None)).map_err(wrong)?;
        config.insert(Layer::of_options(typed.values.clone()));
        let notices = config.notices().filter(|notice| {
            let table = notice.key.as_deref().and_then(|key| key.split_once('.'));
            table.is_none_or(|(table, _)| table == LEDGER.name || table == T::TABLE.name)
        });
        let notices: Vec<String> = notices.map(Notice::to_string).collect();
        crate::settings::tell(&notices, streams);
        let recorder = Self::configured(named, &config, &root)?;
        Ok((recorder, config.chosen().map_err(wrong)?))
    }

    /// The same for this project, with what of `[ledger]` does not count.
    pub(crate) fn of_project(
        named: Option<&Path>,
        root: &Path,
    ) -> Result<(Self, Vec<String>), Failure> {
        let config = match named {
            Some(_) => Config::default(),
            None => Config::load(&places(root, None)).map_err(|error| misconfigured(&error))?,
        };
        let is_ours = |notice: &&Notice| {
            let key = notice.key.as_deref();
            key.is_some_and(|key| key.starts_with("ledger."))
        };
        let notices = config.notices().filter(is_ours);
        let notices = notices.map(Notice::to_string).collect();
        let recorder = Self::configured(named, &config, root)?;
        Ok((recorder, notices))
    }

    /// For a command that has its configuration.
    pub(crate) fn configured(
        named: Option<&Path>,
        config: &Config,
        root: &Path,
    ) -> Result<Self, Failure> {
        let place = match named {
            Some(named) => Some(place_named(named)?),
            None => config::ledger(config, root, find).map_err(|error| misconfigured(&error))?,
        };
        if let Some(place) = &place {
            spare(place)?;
        }
        Ok(Self {
            place,
            started: Instant::now(),
        })
    }

    /// Whether anything is recorded.
    pub(crate) const fn is_on(&self) -> bool {
        self.place.is_some()
    }

    /// Records a run. The failure is for after the result has been reported.
    pub(crate) fn keep(
        &self,
        report: impl FnOnce() -> Neutral,
        inputs: impl FnOnce() -> Inputs,
    ) -> Result<(), Failure> {
        self.keep_with(report, inputs, BTreeMap::new())
    }

    /// The same with further facts.
    pub(crate) fn keep_with(
        &self,
        report: impl FnOnce() -> Neutral,
        inputs: impl FnOnce() -> Inputs,
        notes: BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        let Some(place) = &self.place else {
            return Ok(());
        };
        let run = Run {
            inputs: inputs().0,
            notes,
            ..Run::default()
        };
        append(place, &self.entry(&report(), run))
    }

    /// The verdicts of the last runs of `ci`. What cannot be read is left out: `ledger verify`
    /// names it.
    pub(crate) fn check_history(&self, last: u64) -> CheckHistory {
        let wanted = Wanted {
            last,
            command: Some("ci"),
        };
        let reader = self.place.as_ref().map(Reader::open);
        let read = reader.map(|reader| history_of(&reader?, wanted));
        read.and_then(Result::ok).unwrap_or_default()
    }

    fn entry(&self, report: &Neutral, run: Run) -> LedgerEntry {
        let took = self.started.elapsed().as_millis();
        let whole = Run {
            duration_ms: u64::try_from(took).unwrap_or(u64::MAX),
            inputs: run.inputs,
            outputs: run.outputs,
            notes: run.notes,
            ..Run::at(done::gate::timestamp(SystemClock.now()))
        };
        ledger::entry(report, whole)
    }

    /// Records a stop that had a claim.
    pub(crate) fn keep_stop(
        &self,
        report: &crosscheck::Report<done::Report>,
        receipt: &Receipt,
    ) -> Result<(), Failure> {
        match &self.place {
            Some(place) if !report.claims.is_empty() => {
                append(place, &self.entry(report.neutral(), of_receipt(receipt)))
            }
            _ => Ok(()),
        }
    }

    /// The same for a hook, after its answer: in time, or as a spool file. Both
    /// may happen; an entry is recorded once. Says what became of a record that
    /// is not in the ledger.
    pub(crate) fn keep_stop_in_time(
        &self,
        report: &crosscheck::Report<done::Report>,
        receipt: &Receipt,
    ) -> Option<String> {
        let place = self.place.clone().filter(|_| !report.claims.is_empty())?;
        let entry = self.entry(report.neutral(), of_receipt(receipt));
        let (sender, receiver) = mpsc::channel();
        let (there, copy) = (place.clone(), entry.clone());
        let writing = std::thread::Builder::new().spawn(move || {
            let kept = Ledger::open(&there, Care::HOOK, ledger::redacted)
                .and_then(|mut open| open.append(&copy));
            let _ = sender.send(kept.map(drop).map_err(|error| error.reason().code));
        });
        let kept = match writing {
            Ok(_) => receiver.recv_timeout(HOOK_TIME),
            Err(_) => Ok(Err(LedgerReason::Unwritable.reason().code)),
        };
        let why = match kept {
            Ok(Ok(())) => return None,
            Ok(Err(code)) => code,
            Err(_) => LedgerReason::Busy.reason().code,
        };
        // whatever is wrong there, the hook has answered
        Some(match place.spool(&entry) {
            Ok(()) => format!("spooled {why}"),
            Err(_) => format!("lost {why}"),
        })
    }
}

/// The ledger of an option: a file, the URL of a PostgreSQL server, or `env:NAME`.
pub(crate) fn place_named(named: &Path) -> Result<Place, Failure> {
    match named.to_str().filter(|name| ledger::is_elsewhere(name)) {
        None => Ok(Place::named(named)),
        Some(name) => find(name).map_err(|why| {
            Failure::usage(
                &format!("the ledger cannot be found: {why}"),
                "name a file, postgres://USER@HOST/DATABASE, or env:NAME for a variable that holds one of both",
            )
        }),
    }
}

/// A ledger that is not named as a file. Passwords come from where they come
/// from for other databases.
pub(crate) fn find(name: &str) -> Result<Place, String> {
    let held = match name.strip_prefix("env:") {
        Some(name) => variable(name).ok_or_else(|| format!("the variable `{name}` is not set"))?,
        None => name.to_owned(),
    };
    if !held.contains("://") {
        return Ok(Place::named(held));
    }
    match database::named(&held)? {
        Database::Postgres { url, .. } => {
            let state = variable("XDG_STATE_HOME").map(PathBuf::from);
            let state =
                state.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".local/state")));
            let state =
                state.ok_or("set HOME or XDG_STATE_HOME, where runs wait for the server")?;
            Ok(ledger::at_server(url, &state.join("crosscheck")))
        }
        _ => Err("of servers, only PostgreSQL holds a ledger".to_owned()),
    }
}

/// The verdicts of records: of each check of `ci`, and of other commands as a whole.
pub(crate) fn history_of(reader: &Reader, wanted: Wanted<'_>) -> Result<CheckHistory, LedgerError> {
    let mut history = CheckHistory::new();
    reader.records(wanted, &mut |found| {
        let Some(record) = found.record else {
            return Ok(());
        };
        let mut add = |name: &str, verdict| {
            history.entry(name.to_owned()).or_default().push(verdict);
        };
        let notes = record.entry.notes.iter();
        let checks = notes.filter_map(|(note, word)| {
            let verdict = serde_json::from_value(word.clone().into()).ok()?;
            Some((note.strip_prefix(CHECK_NOTE)?, verdict))
        });
        if record.entry.command == "ci" {
            checks.for_each(|(name, verdict)| add(name, verdict));
        } else {
            add(&record.entry.command, record.entry.verdict);
        }
        Ok(())
    })?;
    Ok(history)
}

/// Refuses an output that would replace the ledger.
pub(crate) fn spare(place: &Place) -> Result<(), Failure> {
    match written().iter().find(|path| place.holds(path)) {
        None => Ok(()),
        Some(path) => Err(Failure::usage(
            &format!(
                "the output `{}` would replace the ledger `{}`, or a file of it",
                path.display(),
                place.file().display()
            ),
            "name another file for the output",
        )),
    }
}

fn append(place: &Place, entry: &LedgerEntry) -> Result<(), Failure> {
    let appended = Ledger::open(place, Care::COMMAND, ledger::redacted)
        .and_then(|mut ledger| ledger.append(entry))
        .map_err(|error| Failure::of(&error))?;
    let mut streams = Streams::real();
    tell_unusable(&appended, &mut streams);
    if let Some(broken) = appended.broken {
        streams.talk(&format!(
            "warning: the chain of the ledger is broken before this run: {broken}; see `crosscheck ledger verify`\n"
        ));
    }
    Ok(())
}

/// What could not be taken in is never left in silence.
pub(crate) fn tell_unusable(appended: &Appended, streams: &mut Streams) {
    if appended.unusable > 0 {
        streams.talk(&format!(
            "warning: {} file(s) in the spool folder of the ledger are not entries; they were moved to the folder `.spool.rejected` beside it\n",
            appended.unusable
        ));
    }
}

/// What a receipt says about its run.
fn of_receipt(receipt: &Receipt) -> Run {
    let item = |name: &str, sha256: String| Item {
        name: name.to_owned(),
        sha256,
    };
    let log = receipt.transcript.as_ref();
    let log = log.and_then(|log| Some(item("transcript", log.sha256.clone()?)));
    let text = done::gate::canonical_receipt(receipt);
    let mut notes = BTreeMap::from([
        ("event".to_owned(), receipt.event.clone()),
        ("harness".to_owned(), receipt.harness.clone()),
    ]);
    if let Some(session) = &receipt.session {
        notes.insert("session_sha256".to_owned(), Digest::of(session).hex());
    }
    if receipt.event != "check" {
        let action = done::gate::action_word(receipt.decision.action);
        notes.insert("action".to_owned(), action.to_owned());
    }
    Run {
        inputs: std::iter::once(item("message", receipt.message_sha256.clone()))
            .chain(log)
            .collect(),
        outputs: vec![item("receipt", Digest::of(text).hex())],
        notes,
        ..Run::default()
    }
}
