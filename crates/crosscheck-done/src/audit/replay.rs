//! One past session: every stop of it, judged with what had happened until
//! then. The log is read once; nothing of the project is opened.

use std::path::{Path, PathBuf};

use crosscheck_core::Verdict;
use crosscheck_core::files::open_regular;
use crosscheck_transcript::session::{Body, Event, Harness, LogFacts};

use crate::claim::{Extraction, Extractor, hints};
use crate::config::{Action, Settings};
use crate::gate::{Judged, bench, epoch};
use crate::judge::{Ground, findings};
use crate::kind::{Claim, ClaimKind};
use crate::observe::git::Repository;
use crate::observe::layout::Disk;
use crate::observe::outputs::Logs;
use crate::opinion::{Opinion, Trace};
use crate::place::{Places, root_of};
use crate::read::session::{AgentLogs, Head, Log, LogError, Session, SessionStream, head};
use crate::reasons::{DoneReason, verdict_word};
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
    /// What the hook would have answered.
    pub decision: Action,
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
    /// Whether it is refuted only by words that a program with exit status 0
    /// printed: too little to accuse a model.
    pub by_text: bool,
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
            ..
        } = head(&mut file).map_err(fail)?;
        let harness = harness.ok_or_else(|| LogError::Unrecognised {
            path: path.to_owned(),
        })?;
        let cwd = cwd.unwrap_or_else(|| PathBuf::from("/"));
        let places = Places {
            root: root_of(&cwd, self.home.as_deref()),
            cwd,
            home: self.home.clone(),
            temporary: vec!["/tmp".into(), "/var/tmp".into(), "/private/tmp".into()],
        };
        let log = Log {
            path: path.to_owned(),
            harness: Some(harness),
            own,
        };
        let mut tape = Tape {
            replay: self,
            places: &places,
            repository: Repository::new(&places, started.as_deref().and_then(epoch)),
            own,
            turns: 0,
            stops: Vec::new(),
            agents: AgentLogs::default(),
            seen: findings::Seen::default(),
        };
        let mut stream = SessionStream::new(&log, harness, &self.table, &places);
        stream
            .read(&mut file, &mut |stream, event| tape.hear(stream, event))
            .map_err(fail)?;
        tape.stop(&stream);
        let session = tape.so_far(&stream);
        let findings = tape.findings(&session);
        let agents = if own { Vec::new() } else { self.agents(path) };
        Ok(Past {
            path: path.to_owned(),
            harness,
            turns: tape.turns,
            stops: tape.stops,
            findings,
            bytes: session.bytes,
            facts: session.facts,
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
        let extractor = Extractor::new(wanted, &[]).ok()?;
        Some(extractor.read(message, &self.table, false))
    }
}

/// A session while it is replayed.
struct Tape<'t> {
    replay: &'t Replay,
    places: &'t Places,
    repository: Repository<'t>,
    own: bool,
    turns: usize,
    stops: Vec<Stop>,
    agents: AgentLogs,
    seen: findings::Seen,
}

impl Tape<'_> {
    /// An event that comes next: a prompt or the word of a hook ends a turn.
    fn hear(&mut self, stream: &SessionStream<'_>, event: &Event) {
        let is_prompt = matches!(event.body, Body::Prompt(_));
        self.turns += usize::from(is_prompt);
        if !self.own && (is_prompt || matches!(event.body, Body::Feedback)) {
            self.stop(stream);
        }
    }

    /// The agent stopped here, if it said something last.
    fn stop(&mut self, stream: &SessionStream<'_>) {
        let session = stream.session();
        let Some((line, message)) = session.last_words() else {
            return;
        };
        let extraction = self.replay.read(&message);
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
            decision: Action::Allow,
            claims: Vec::new(),
        };
        if let Some(extraction) = extraction.filter(|extraction| !extraction.claims.is_empty()) {
            let session = self.so_far(stream);
            (stop.claims, stop.decision) = self.judge(&session, extraction);
        }
        self.stops.push(stop);
    }

    fn so_far(&mut self, stream: &SessionStream<'_>) -> Session {
        stream.so_far(&self.replay.settings.skip_types, &mut self.agents)
    }

    fn judge(&self, session: &Session, extraction: Extraction) -> (Vec<PastClaim>, Action) {
        self.with_ground(session, |ground| {
            let mut world = |claim: &Claim, _: &Opinion| {
                let asks = self.replay.asks_git && claim.kind == ClaimKind::Committed;
                asks.then(|| self.repository.past(&claim.subject)).flatten()
            };
            let mut judged = bench::judge(extraction.claims, ground, &mut world);
            let findings = bench::findings(&mut judged, ground);
            let decision = bench::action(&judged, &findings, &self.replay.settings);
            // what only the project of that day could show says nothing here
            let is_known = |judged: &&Judged| judged.opinion.reason != DoneReason::NoProbe;
            let known = judged.iter().filter(is_known);
            (known.map(PastClaim::from).collect(), decision)
        })
    }

    fn with_ground<T>(&self, session: &Session, look: impl FnOnce(&Ground<'_>) -> T) -> T {
        let logs = Logs::new(&session.files, session.harness);
        let relevance = Relevance::new(self.places, &self.replay.settings.irrelevant);
        let layout = Disk::new(self.places, false, None);
        look(&Ground {
            session: Some(session),
            table: &self.replay.table,
            places: self.places,
            relevance: &relevance,
            settings: &self.replay.settings,
            outputs: &logs,
            layout: &layout,
            running: &[],
            seen: &self.seen,
        })
    }

    fn findings(&self, session: &Session) -> Vec<String> {
        let found = self.with_ground(session, |ground| findings::all(session, ground));
        let word = |finding: &findings::Finding| {
            let value = serde_json::to_value(finding.finding).unwrap_or_default();
            value.as_str().unwrap_or_default().to_owned()
        };
        found.iter().map(word).collect()
    }
}

impl From<&Judged> for PastClaim {
    fn from(judged: &Judged) -> Self {
        let opinion = &judged.opinion;
        let by_text = |trace: &Trace| {
            matches!(
                trace,
                Trace::Run {
                    status: None | Some(0),
                    ..
                }
            )
        };
        Self {
            kind: judged.claim.kind.name(),
            quote: crate::redact::redacted(&judged.claim.quote),
            verdict: opinion.verdict,
            reason: opinion.reason.word(),
            by_text: opinion.verdict == Verdict::Refuted && opinion.proof.iter().any(by_text),
        }
    }
}
