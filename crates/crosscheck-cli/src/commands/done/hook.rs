//! The hook. Whatever happens it prints one document or nothing, and ends
//! with 0: a check that fails must not keep an agent from stopping.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant, SystemTime};

use crosscheck::NoListener;
use crosscheck::core::Verdict;
use crosscheck::core::advice::with_causes;
use crosscheck::core::clock::{Clock as _, SystemClock};
use crosscheck::core::digest::Digest;
use crosscheck::core::files::{drain_limited, open_regular, write_atomic};
use crosscheck::done::config::{Action, Settings};
use crosscheck::done::gate::{self, Identity, Layers};
use crosscheck::done::place::root_of;
use crosscheck::done::read::event::{Caller, HookEvent, MAX_EVENT};
use crosscheck::done::read::session::{Log, head};
use crosscheck::done::report::hook::{document, message, nothing};
use crosscheck::done::report::receipt::Receipt;
use crosscheck::done::report::words::summary;
use crosscheck::done::state::GateEntry;
use crosscheck::done::{Report as DoneReport, Rounds, Task};
use crosscheck::transcript::session::Harness;

use super::place::{accepted, expanded, hidden, memory, places_of, steering};
use super::{TOOL, settings};
use crate::args::done::HarnessArg;
use crate::ledger::Recorder;

/// The time that a hook has before its settings are known.
const FIRST_DEADLINE: u64 = 5000;

/// The time to say that there was none to look. Together with the deadline it
/// is well below the limit that `install` gives the harness.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Answers before the command line is parsed: describing all commands would
/// cost more than the check, and a wrong option must not be an error.
pub(crate) fn before_parsing(words: &[OsString]) -> Option<u8> {
    let words: Vec<&str> = words
        .iter()
        .skip(1)
        .map(|word| word.to_str().unwrap_or_default())
        .collect();
    let ["done", "hook", rest @ ..] = words.as_slice() else {
        return None;
    };
    if rest.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return None;
    }
    let values = |option: &str| {
        let value = move |(at, word): (usize, &&str)| {
            let behind = word.strip_prefix(option)?;
            let next = || rest.get(at + 1).copied();
            behind.strip_prefix('=').map_or_else(
                || behind.is_empty().then(next).flatten().map(str::to_owned),
                |value| Some(value.to_owned()),
            )
        };
        rest.iter()
            .enumerate()
            .filter_map(value)
            .collect::<Vec<_>>()
    };
    let listed = rest.contains(&"--listed");
    let projects = values("--project").into_iter().map(PathBuf::from).collect();
    let harness = match values("--harness").first().map(String::as_str) {
        Some("codex") => Some(HarnessArg::Codex),
        Some("claude-code") => Some(HarnessArg::ClaudeCode),
        _ => None,
    };
    Some(run(harness, listed, projects))
}

/// Answers one event.
pub(crate) fn run(harness: Option<HarnessArg>, listed: bool, projects: Vec<PathBuf>) -> u8 {
    let caller = harness.map(|harness| match harness {
        HarnessArg::ClaudeCode => Caller::ClaudeCode,
        HarnessArg::Codex => Caller::Codex,
    });
    let answer = Answer::new(caller);
    let (watch, last) = (answer.clone(), answer.clone());
    crate::panics::end_with(move |_| {
        last.fail("the check itself failed");
        0
    });
    let deadline = Arc::new(AtomicU64::new(FIRST_DEADLINE));
    let limit = Arc::clone(&deadline);
    crate::signals::outlive_file_limit();
    let watching = std::thread::Builder::new().spawn(move || watch.end_when_late(&limit));
    if watching.is_err() {
        answer.fail("no thread could be started");
        return 0;
    }
    Hook {
        answer: &answer,
        deadline: &deadline,
        listed,
        projects,
    }
    .answer();
    0
}

/// What is said of a message when there was no time to look.
type Unlooked = Box<dyn FnOnce() -> Option<String> + Send>;

/// The one document that may be printed.
#[derive(Clone)]
struct Answer {
    /// How the message is answered when the time is up.
    unlooked: Arc<Mutex<Option<Unlooked>>>,
    said: Arc<AtomicBool>,
    is_codex: Arc<AtomicBool>,
    started: Instant,
}

impl Answer {
    fn new(caller: Option<Caller>) -> Self {
        Self {
            unlooked: Arc::default(),
            said: Arc::default(),
            is_codex: Arc::new(AtomicBool::new(caller == Some(Caller::Codex))),
            started: Instant::now(),
        }
    }

    fn caller(&self) -> Caller {
        if self.is_codex.load(Ordering::Relaxed) {
            Caller::Codex
        } else {
            Caller::ClaudeCode
        }
    }

    /// Prints a document in one write, unless one was printed already.
    fn say(&self, text: Option<String>) {
        let mut out = io::stdout().lock(); // also waits for a document on its way
        if self.said.swap(true, Ordering::SeqCst) {
            return;
        }
        let text = text.or_else(|| nothing(self.caller()));
        if let Some(text) = text {
            let _ = out
                .write_all(format!("{text}\n").as_bytes())
                .and_then(|()| out.flush());
        }
    }

    fn fail(&self, why: &str) {
        self.say(Some(message(&format!(
            "crosscheck: this turn was not checked: {why}"
        ))));
    }

    /// Ends the process when the time is up.
    fn end_when_late(&self, limit: &AtomicU64) {
        loop {
            let limit = Duration::from_millis(limit.load(Ordering::Relaxed));
            match limit.checked_sub(self.started.elapsed()) {
                Some(left) if !left.is_zero() => {
                    std::thread::sleep(left.min(Duration::from_millis(200)));
                }
                _ => break,
            }
        }
        if !self.said.load(Ordering::SeqCst) {
            if let Some(text) = self.unlooked() {
                self.say(Some(text));
            }
            self.fail("it took too long");
        }
        std::process::exit(0);
    }

    /// The claims alone, if the message is known by now.
    fn unlooked(&self) -> Option<String> {
        let judge = self.unlooked.lock().ok()?.take()?;
        let (send, answer) = mpsc::channel();
        let judging = std::thread::Builder::new().spawn(move || send.send(judge()));
        judging.ok()?;
        answer.recv_timeout(LAST_WORDS).ok()?
    }
}

struct Hook<'h> {
    answer: &'h Answer,
    deadline: &'h AtomicU64,
    /// Whether only projects count that the person named.
    listed: bool,
    /// Projects that the command line names: `install` wrote it into settings
    /// that no file or variable of a project replaces.
    projects: Vec<PathBuf>,
}

/// Everything that one event leads to.
#[derive(Clone)]
struct Case {
    event: HookEvent,
    caller: Caller,
    cwd: PathBuf,
    root: PathBuf,
    /// Whether the command line names the project.
    is_named: bool,
}

impl Hook<'_> {
    fn answer(&self) {
        let input = match drain_limited(io::stdin().lock(), MAX_EVENT) {
            Ok(Some(input)) => input,
            Ok(None) => return self.answer.fail("the hook event is too large"),
            Err(error) => {
                return self
                    .answer
                    .fail(&format!("the hook event cannot be read: {error}"));
            }
        };
        let event = match HookEvent::parse(&input) {
            Ok(event) => event,
            Err(error) => return self.answer.fail(&error.to_string()),
        };
        if event.caller() == Caller::Codex {
            self.answer.is_codex.store(true, Ordering::Relaxed);
        }
        let planned = event.permission_mode.as_deref() == Some("plan");
        if !event.is_stop() || planned {
            return self.answer.say(None);
        }
        let cwd = event
            .cwd
            .clone()
            .or_else(|| crate::settings::current_dir().ok())
            .unwrap_or_else(|| PathBuf::from("/"));
        let root = root_of(&cwd, crate::settings::search_end().as_deref());
        let mut case = Case {
            caller: self.answer.caller(),
            event,
            cwd,
            root,
            is_named: false,
        };
        case.find_in(&self.projects);
        if let Err(why) = self.judge(case) {
            self.answer.fail(&why);
        }
    }

    fn judge(&self, mut case: Case) -> Result<(), String> {
        let layers =
            settings::layers(&case.root, None, Vec::new()).map_err(|error| error.to_string())?;
        let first = layers.settings().map_err(|error| error.to_string())?;
        if self.listed && !case.is_named && !first.names(&case.root) {
            self.answer.say(None);
            return Ok(());
        }
        self.deadline
            .store(first.time_ms().max(FIRST_DEADLINE), Ordering::Relaxed);
        if case.event.is_subagent()
            && first
                .skip_types
                .contains(&case.event.agent_type.clone().unwrap_or_default())
        {
            self.answer.say(None);
            return Ok(());
        }
        case.complete()?;
        let Some(text) = case.event.message.clone() else {
            self.answer.say(None);
            return Ok(());
        };
        let hints = gate::hints(&text, &layers);
        let may_claim = !hints.languages.is_empty()
            || (hints.done && first.strict)
            || !first.require.is_empty()
            || !first.pattern_files.is_empty(); // its keywords are not known yet
        if !may_claim {
            self.answer.say(None);
            return Ok(());
        }
        let now = SystemClock.now();
        // what is wrong with `[ledger]` is not a reason to leave the turn unchecked
        let recorder = Recorder::configured(None, &layers.config, &case.root);
        let others = settings::others(&first, Some(self.left() / 2));
        let check = case.task(text, layers, &first);
        if let Ok(mut unlooked) = self.answer.unlooked.lock() {
            let (check, case) = (check.clone(), case.clone());
            *unlooked = Some(Box::new(move || case.unlooked(&check, now)));
        }
        let task = Task {
            others,
            rounds: case.rounds(),
            check,
        };
        let report = task
            .run(&mut NoListener)
            .map_err(|error| error.to_string())?;
        let receipt = self.say(&case, &report, now);
        let lost = || (!report.claims.is_empty()).then(|| "lost CONFIG_INVALID".to_owned());
        let record = match recorder {
            Ok(recorder) => recorder.keep_stop_in_time(&report, &receipt),
            Err(_) => lost(),
        };
        note(&case, &report, &receipt, record, now);
        Ok(())
    }

    /// The time until the hook must have answered.
    fn left(&self) -> Duration {
        let limit = Duration::from_millis(self.deadline.load(Ordering::Relaxed));
        limit.saturating_sub(self.answer.started.elapsed())
    }

    /// Prints the decision.
    fn say(&self, case: &Case, report: &DoneReport, now: SystemTime) -> Receipt {
        let at = gate::timestamp(now);
        let receipt = report.receipt(TOOL, &at);
        if report.settings.receipts && !report.claims.is_empty() {
            keep(&receipt, &case.root);
        }
        self.answer.say(case.document(report, &receipt));
        // without a screen this line is all that somebody may see
        let is_over = receipt.decision.action != Action::Block;
        if is_over && report.verdict() == Some(Verdict::Refuted) {
            let _ = writeln!(io::stderr(), "{}", summary(&receipt));
        }
        receipt
    }
}

/// Notes a decision, and what became of its record.
fn note(
    case: &Case,
    report: &DoneReport,
    receipt: &Receipt,
    record: Option<String>,
    now: SystemTime,
) {
    let is_worth_it = !report.claims.is_empty() || receipt.decision.action != Action::Allow;
    if let Some(memory) = memory(&case.root).filter(|_| is_worth_it) {
        let entry = GateEntry {
            ledger: record,
            ..report.entry(&gate::timestamp(now))
        };
        let _ = memory.note(&entry);
        memory.tidy(now);
    }
}

impl Case {
    /// Looks for the event among the projects of the command line: where the
    /// agent is now, else where its session began. A file that the session
    /// puts above a project does not make that a part of another one.
    fn find_in(&mut self, projects: &[PathBuf]) {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let around = |folder: &Path| {
            let folder = real(folder);
            let projects = projects.iter().map(|project| real(project));
            projects.filter(|project| folder.starts_with(project)).max()
        };
        if around(&self.cwd).is_none() {
            let began = (!projects.is_empty()).then(|| self.began_in()).flatten();
            let Some(began) = began.filter(|began| around(began).is_some()) else {
                return;
            };
            self.root = root_of(&began, crate::settings::search_end().as_deref());
            self.cwd = began;
        }
        let Some(project) = around(&self.cwd) else {
            return;
        };
        self.is_named = true;
        if !real(&self.root).starts_with(&project) {
            self.root = project;
        }
    }

    /// The folder that the first lines of the log name.
    fn began_in(&self) -> Option<PathBuf> {
        let path = expanded(self.event.transcript.as_ref()?);
        head(&mut open_regular(&path).ok()?).ok()?.cwd
    }

    fn rounds(&self) -> Rounds {
        memory(&self.root).map_or(Rounds::Uncountable, Rounds::Counted)
    }

    fn document(&self, report: &DoneReport, receipt: &Receipt) -> Option<String> {
        let settings = &report.settings;
        document(
            receipt,
            self.caller,
            settings.style,
            settings.show,
            &settings.skip_token,
        )
    }

    /// What is said of the message when there was no time to look.
    fn unlooked(&self, check: &gate::Task, now: SystemTime) -> Option<String> {
        let mut report = gate::check_unlooked(check).ok()?;
        self.rounds().decide(&mut report);
        let receipt = report.receipt(TOOL, &gate::timestamp(now));
        note(self, &report, &receipt, None, now);
        self.document(&report, &receipt)
    }

    fn log(&self) -> Option<Log> {
        let path = if self.event.is_subagent() {
            self.event.agent_transcript.as_ref()
        } else {
            self.event.transcript.as_ref()
        };
        Some(Log {
            path: expanded(path?),
            harness: Some(match self.caller {
                Caller::ClaudeCode => Harness::ClaudeCode,
                Caller::Codex => Harness::Codex,
            }),
            own: self.event.is_subagent(),
        })
    }

    /// Finds the message where the event does not have it: in the session, or
    /// in what a subagent hands back.
    fn complete(&mut self) -> Result<(), String> {
        let hands_back = self.event.is_subagent();
        if self.event.message.is_some() && !hands_back {
            return Ok(());
        }
        let Some(log) = self.log() else {
            return Ok(());
        };
        let last = match gate::last_words(&log) {
            Ok(last) => last,
            Err(_) if self.event.message.is_some() => return Ok(()),
            Err(error) => return Err(with_causes(&error)),
        };
        self.event.message = last.handback.or(self.event.message.take()).or(last.text);
        Ok(())
    }

    fn task(&self, message: String, layers: Layers, settings: &Settings) -> gate::Task {
        let event = &self.event;
        gate::Task {
            message,
            log: self.log(),
            places: places_of(self.root.clone(), self.cwd.clone(), event.scratch.clone()),
            identity: Identity {
                harness: self.caller.name().to_owned(),
                session: event.session.clone(),
                prompt: event.prompt.clone().or_else(|| event.turn.clone()),
                agent: event.agent.clone(),
                event: if event.is_subagent() {
                    "SubagentStop"
                } else {
                    "Stop"
                }
                .to_owned(),
                is_first_stop: event.is_again == Some(false),
            },
            running: event.running.clone(),
            steering: steering(&self.root, &self.cwd, &settings.pattern_files),
            hidden: hidden(),
            explain: false,
            live: true,
            printed: false,
            patterns: super::check::pattern_files(settings),
            accepted: accepted(&self.root),
            memory: memory(&self.root),
            layers,
        }
    }
}

/// Whether the part of a path that exists lies in a folder, all links followed.
fn stays_inside(root: &Path, path: &Path) -> bool {
    let there = path.ancestors().find_map(|part| {
        let is_there = part.symlink_metadata().is_ok();
        is_there.then(|| part.canonicalize())
    });
    match (there, root.canonicalize()) {
        (Some(Ok(there)), Ok(root)) => there.starts_with(root),
        _ => false,
    }
}

/// Keeps a receipt in the project, if it asked for that.
fn keep(receipt: &Receipt, root: &Path) {
    let session = receipt.session.as_deref().unwrap_or("session");
    let is_plain = !session.is_empty()
        && session.len() <= 100
        && session
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let name = if is_plain {
        session.to_owned()
    } else {
        Digest::of(session).hex()
    };
    let folder = root.join(".crosscheck/receipts").join(name);
    // before anything is made: a link must not lead the receipt out of the project
    if !stays_inside(root, &folder) || std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    let numbers = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let last = numbers
        .filter_map(|entry| entry.path().file_stem()?.to_str()?.parse::<u64>().ok())
        .max();
    let path = folder.join(format!("{}.json", last.unwrap_or(0) + 1));
    let _ = write_atomic(&path, gate::canonical_receipt(receipt).as_bytes());
}
