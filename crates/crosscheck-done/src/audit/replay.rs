//! One past session: every stop of it, judged with what had happened until
//! then. The log is read once; nothing of the project is opened.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crosscheck_core::Verdict;
use crosscheck_core::files::open_regular;
use crosscheck_transcript::session::{Body, Harness, LogFacts, SessionReader};

use crate::claim::{Commands, Extraction, Extractor, hints};
use crate::config::Settings;
use crate::gate::epoch;
use crate::judge::{self, Ground, findings, settle};
use crate::kind::ClaimKind;
use crate::observe::git::Repository;
use crate::observe::layout::Disk;
use crate::observe::outputs::Logs;
use crate::place::Places;
use crate::read::session::{Folder, Head, LogError, Session, each_line, head, read_agents};
use crate::reasons::verdict_word;
use crate::relevance::Relevance;
use crate::runner::Table;

/// What all sessions of an audit share.
#[derive(Debug)]
pub struct Replay {
    table: Table,
    settings: Settings,
    languages: Vec<String>,
    home: Option<PathBuf>,
    asks_git: bool,
}

/// A past session.
#[derive(Debug)]
pub struct Past {
    /// Its log.
    pub path: PathBuf,
    /// Who wrote it.
    pub harness: Harness,
    /// What can be said of the log as a whole.
    pub facts: LogFacts,
    /// Prompts that the user typed.
    pub turns: usize,
    /// Where the agent stopped.
    pub stops: Vec<Stop>,
    /// Findings, by name.
    pub findings: Vec<String>,
    /// Bytes of the log.
    pub bytes: u64,
    /// Sessions of subagents.
    pub agents: Vec<Past>,
}

/// A place where the agent stopped.
#[derive(Debug)]
pub struct Stop {
    /// The line of its last words.
    pub line: usize,
    /// Whether files were changed in the turn.
    pub edited: bool,
    /// Whether it says that the work is over.
    pub says_done: bool,
    /// The claims.
    pub claims: Vec<PastClaim>,
}

/// A claim of a past message.
#[derive(Debug, Clone)]
pub struct PastClaim {
    /// Its kind.
    pub kind: &'static str,
    /// The words, secrets aside.
    pub quote: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, as receipts spell it.
    pub reason: String,
}

impl PastClaim {
    /// The word of the verdict.
    pub const fn word(&self) -> &'static str {
        verdict_word(self.verdict)
    }
}

impl Replay {
    /// With these settings; reality is not asked.
    pub fn new(
        settings: Settings,
        home: Option<PathBuf>,
    ) -> Result<Self, crate::runner::TableError> {
        Ok(Self {
            table: Table::new(&settings.runners)?,
            languages: settings.languages.clone(),
            settings,
            home,
            asks_git: false,
        })
    }

    /// Also asks git about commits that a message names by their hash.
    #[must_use]
    pub const fn with_git(mut self, asks_git: bool) -> Self {
        self.asks_git = asks_git;
        self
    }

    /// Replays one log and those of its subagents.
    pub fn session(&self, path: &Path) -> Result<Past, LogError> {
        self.log(path, false)
    }

    fn log(&self, path: &Path, own: bool) -> Result<Past, LogError> {
        let fail = |source| LogError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let mut file = open_regular(path).map_err(|error| fail(std::io::Error::other(error)))?;
        let Head {
            harness,
            cwd,
            started,
        } = head(&mut file).map_err(fail)?;
        let harness = harness.ok_or_else(|| LogError::Unrecognised {
            path: path.to_owned(),
        })?;
        let bytes = file.metadata().map_err(fail)?.len();
        let cwd = cwd.unwrap_or_else(|| PathBuf::from("/"));
        let places = Places {
            root: cwd.clone(),
            cwd,
            home: self.home.clone(),
            temporary: vec!["/tmp".into(), "/var/tmp".into(), "/private/tmp".into()],
        };
        let mut tape = Tape {
            replay: self,
            places: &places,
            folder: Folder::new(&self.table, &places, harness),
            repository: Repository::new(&places, started.as_deref().and_then(epoch)),
            path,
            own,
            turns: 0,
            stops: Vec::new(),
        };
        tape.folder.session.files.push(path.to_owned());
        let mut reader = SessionReader::new(harness, own);
        each_line(&mut file, 0, |at, line| {
            match line {
                Some(line) => reader.line(at, line),
                None => reader.skip(),
            }
            if reader.has_events() {
                tape.take(&mut reader);
            }
        })
        .map_err(fail)?;
        reader.flush();
        tape.take(&mut reader);
        tape.stop();
        let findings = tape.findings();
        let agents = if own { Vec::new() } else { self.agents(path) };
        Ok(Past {
            path: path.to_owned(),
            harness,
            facts: reader.facts().clone(),
            turns: tape.turns,
            stops: tape.stops,
            findings,
            bytes,
            agents,
        })
    }

    /// The subagents of a session, each judged at its own end.
    fn agents(&self, path: &Path) -> Vec<Past> {
        let folder = path.with_extension("").join("subagents");
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut logs: Vec<PathBuf> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect();
        logs.sort();
        let checked = logs.iter().filter(|log| self.is_checked(log));
        checked.filter_map(|log| self.log(log, true).ok()).collect()
    }

    /// Whether the type of a subagent is one that is checked.
    fn is_checked(&self, log: &Path) -> bool {
        let meta = log.with_extension("meta.json");
        let bytes = crosscheck_core::files::read_regular(&meta, 1 << 20).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let kind = value.get("agentType").and_then(|kind| kind.as_str());
        kind.is_some_and(|kind| !self.settings.skip_types.iter().any(|skip| skip == kind))
    }

    fn read(&self, message: &str) -> Option<Extraction> {
        let known = hints(message, &self.languages);
        if known.languages.is_empty() && !known.done {
            return None;
        }
        let wanted = if known.languages.is_empty() {
            &self.languages
        } else {
            &known.languages
        };
        EXTRACTORS.with_borrow_mut(|extractors| {
            if !extractors.contains_key(wanted) {
                extractors.insert(wanted.clone(), Extractor::new(wanted, &[]).ok()?);
            }
            let extractor = extractors.get(wanted)?;
            Some(extractor.read(message, &Runners(&self.table), false))
        })
    }
}

thread_local! {
    /// Compiled patterns, by the languages they hold.
    static EXTRACTORS: RefCell<HashMap<Vec<String>, Extractor>> = RefCell::default();
}

struct Runners<'r>(&'r Table);

impl Commands for Runners<'_> {
    fn claims(&self, code: &str) -> Vec<ClaimKind> {
        self.0.claims(code)
    }
}

/// A session while it is replayed.
struct Tape<'t> {
    replay: &'t Replay,
    places: &'t Places,
    folder: Folder<'t>,
    repository: Repository<'t>,
    path: &'t Path,
    own: bool,
    turns: usize,
    stops: Vec<Stop>,
}

impl Tape<'_> {
    fn take(&mut self, reader: &mut SessionReader) {
        for event in reader.take_events() {
            match event.body {
                Body::Prompt(_) => {
                    self.turns += 1;
                    if !self.own {
                        self.stop();
                    }
                }
                Body::Feedback if !self.own => self.stop(),
                _ => {}
            }
            self.folder.take(event);
        }
    }

    /// The agent stopped here, if it said something last.
    fn stop(&mut self) {
        let said = &self.folder.session.said;
        let Some((order, _)) = said.last() else {
            return;
        };
        let line = order.line;
        let words: Vec<&str> = said.iter().map(|(_, words)| words.as_str()).collect();
        let message = match &self.folder.session.handback {
            Some(handed) => handed.clone(),
            None => words.join("\n"),
        };
        let extraction = self.replay.read(&message);
        let session = &self.folder.session;
        let edited = session
            .edits
            .iter()
            .rev()
            .any(|edit| edit.done && edit.order > session.turn);
        let mut stop = Stop {
            line,
            edited,
            says_done: extraction
                .as_ref()
                .is_some_and(|extraction| extraction.says_done),
            claims: Vec::new(),
        };
        if let Some(extraction) = extraction.filter(|extraction| !extraction.claims.is_empty()) {
            stop.claims = self.judge(extraction);
        }
        self.stops.push(stop);
    }

    fn judge(&mut self, extraction: Extraction) -> Vec<PastClaim> {
        // an agent in the background whose end is not known yet waits on
        let (ended, waiting) = std::mem::take(&mut self.folder.session.agents)
            .into_iter()
            .partition(|(order, _)| order.line != usize::MAX);
        self.folder.session.agents = ended;
        read_agents(
            &mut self.folder,
            self.path,
            &self.replay.settings.skip_types,
        );
        self.folder.session.agents = waiting;
        self.folder.settle();
        self.with_ground(|ground, _| {
            let claims = extraction.claims.into_iter();
            let judged = claims.filter_map(|claim| {
                let shown = judge::transcript(&claim, ground);
                let asks = self.replay.asks_git && claim.kind == ClaimKind::Committed;
                let world = asks.then(|| self.repository.past(&claim.subject));
                let opinion = settle(claim.kind, shown, world.flatten());
                judge::counts(&claim, &opinion).then(|| PastClaim {
                    kind: claim.kind.name(),
                    quote: crate::redact::redacted(&claim.quote),
                    verdict: opinion.verdict,
                    reason: opinion.reason.word(),
                })
            });
            judged.collect()
        })
    }

    fn with_ground<T>(&self, look: impl FnOnce(&Ground<'_>, &Session) -> T) -> T {
        let session = &self.folder.session;
        let logs = Logs::new(&session.files, session.harness);
        let relevance = Relevance::new(self.places, &self.replay.settings.irrelevant);
        let layout = Disk::new(self.places, false, None);
        let ground = Ground {
            session: Some(session),
            table: &self.replay.table,
            places: self.places,
            relevance: &relevance,
            settings: &self.replay.settings,
            outputs: &logs,
            layout: &layout,
            running: &[],
        };
        look(&ground, session)
    }

    fn findings(&mut self) -> Vec<String> {
        self.folder.settle();
        let found = self.with_ground(|ground, session| findings::all(session, ground));
        let word = |finding: &findings::Finding| {
            let value = serde_json::to_value(finding.finding).unwrap_or_default();
            value.as_str().unwrap_or_default().to_owned()
        };
        found.iter().map(word).collect()
    }
}
