//! One message, from its words to a decision: read, plan, observe, judge,
//! report, in that order.

use std::time::{Duration, Instant, SystemTime};

use crosscheck_config::tables::DONE;
use crosscheck_config::{Config, ConfigError, Layer, Place};
use crosscheck_core::digest::Digest;
use crosscheck_core::redact::SecretUrl;
use crosscheck_core::{Verdict, canonical};
use crosscheck_transcript::session::{Change, Harness};

use crate::config::{Action, Mode, RawDone, Reality, STARTER_KEYS, Settings};
use crate::evidence::Outputs as _;
use crate::handover::{self, Answer, Handover};
use crate::judge::findings::{self, Finding, Severity, What};
use crate::judge::policy::{self, Bounces, GaveUp};
use crate::judge::{self, Ground, settle};
use crate::kind::{Claim, Kind, Scope, Work};
use crate::observe::commands::Fresh;
use crate::observe::git::Repository;
use crate::observe::layout::Disk;
use crate::observe::outputs::Logs;
use crate::observe::{env, files, http, symbols};
use crate::opinion::{Opinion, Source, Trace};
use crate::place::Places;
use crate::read::message::{Commands, Dropped, Extraction, Extractor, Hints, PackError};
use crate::read::session::{self, Log, LogError, Session};
use crate::reasons::{Caveat, DoneReason, verdict_word};
use crate::relevance::Relevance;
use crate::report::receipt::{
    ClaimOf, Decision, GitOf, HandoverOf, Receipt, SCHEMA, Timing, TranscriptOf,
};
use crate::runner::{OwnRunner, Table, TableError};
use crate::state::{Entry, Key, Memory};
use crate::tamper::{self, Steering, Tampering};

/// The configuration as it was read.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The files and variables.
    pub config: Config,
    /// What is wrong with the project's file, which was left out then.
    pub broken: Option<ConfigError>,
    /// `CROSSCHECK_DONE`.
    pub mode: Option<Mode>,
    /// The command line.
    pub flags: RawDone,
}

impl Layers {
    /// The settings as long as nobody has looked who wrote the files.
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        let mut config = self.config.clone();
        trust(&mut config);
        self.read(&config, false)
    }

    fn read(&self, config: &Config, distrusted: bool) -> Result<Settings, ConfigError> {
        let mut settings = Settings::default();
        settings.apply(&config.read(&DONE)?);
        if let Some(mode) = self.mode {
            // a variable that the session may have set loosens nothing
            if mode >= settings.mode || !distrusted {
                settings.mode = mode;
            }
        }
        settings.apply(&self.flags);
        Ok(settings)
    }
}

/// The project's file counts, unless the user wants it otherwise.
fn trust(config: &mut Config) {
    if config.get(&DONE, "project") != "tighten" {
        config.trust(&DONE, STARTER_KEYS);
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
    /// Whether what was dropped is told, too.
    pub explain: bool,
    /// Whether the log may still be written to, so that a missing answer is
    /// waited for once.
    pub live: bool,
    /// Whether a receipt is printed, which holds hashes that cost time.
    pub printed: bool,
    /// Texts of further pattern files, by name.
    pub patterns: Vec<(String, String)>,
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

/// A claim with its verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// What was claimed.
    pub claim: Claim,
    /// What is thought of it.
    pub opinion: Opinion,
    /// The verifier it was handed to.
    pub handover: Option<String>,
}

/// What a check found.
#[derive(Debug)]
pub struct Report {
    /// The claims, in the order of the message.
    pub claims: Vec<Judged>,
    /// What the session shows besides.
    pub findings: Vec<Finding>,
    /// What the session wrote of what steers the gate.
    pub tampering: Tampering,
    /// Statements that other verifiers answer.
    pub handovers: Vec<Handover>,
    /// The settings that held.
    pub settings: Settings,
    /// Statements that are no claims; only when asked for.
    pub dropped: Vec<Dropped>,
    /// What ran in the session; only when asked for.
    pub commands: Vec<String>,
    skipped: bool,
    decision: Option<Decision>,
    base: Base,
}

/// What a receipt holds besides claims.
#[derive(Debug, Default)]
struct Base {
    identity: Identity,
    message_sha256: String,
    transcript: Option<TranscriptOf>,
    root_sha256: String,
    git: Option<GitOf>,
    patterns_sha256: String,
    left_out: usize,
    cut: bool,
    timing: Timing,
    /// How much had happened in the session.
    seen: usize,
    /// The turn, when the harness does not name it.
    turn: String,
}

/// What the words of a message say before anything is opened.
pub fn hints(message: &str, layers: &Layers) -> Hints {
    crate::read::message::hints(message, &languages(layers))
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
fn claims(task: &Task, table: &LazyTable<'_>) -> Result<Extraction, DoneError> {
    let known = hints(&task.message, &task.layers);
    let mut wanted = known.languages;
    if wanted.is_empty() && known.done {
        wanted = languages(&task.layers);
    }
    let extractor = Extractor::new(&wanted, &task.patterns)?;
    if !task.patterns.is_empty() {
        extractor.self_test(table)?;
    }
    let mut extraction = extractor.read(&task.message, table, task.explain);
    leave_out_uncommitted(&task.message, &mut extraction);
    Ok(extraction)
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
    fn claims(&self, code: &str) -> Vec<Kind> {
        let table = self.table.get_or_init(|| Table::new(self.own).ok());
        table
            .as_ref()
            .map(|table| table.claims(code))
            .unwrap_or_default()
    }
}

/// "Committed the fix; the notes are still uncommitted" says itself that not
/// everything is.
fn leave_out_uncommitted(message: &str, extraction: &mut Extraction) {
    let lower = message.to_lowercase();
    let words = [
        "uncommitted",
        "not committed",
        "unstaged",
        "left out of the commit",
        "without committing",
        "haven't committed",
        "not been committed",
        "left untracked",
        "not staged",
    ];
    if words.iter().any(|word| lower.contains(word)) {
        for claim in extraction
            .claims
            .iter_mut()
            .filter(|claim| claim.kind == Kind::Committed)
        {
            claim.scope = Scope::Except("uncommitted".to_owned());
        }
    }
}

/// Judges one message. A message without a claim opens nothing.
pub fn check(task: &Task) -> Result<Report, DoneError> {
    let started = Instant::now();
    let first = task.layers.settings()?;
    let lazy = LazyTable::new(&first.runners);
    let extraction = claims(task, &lazy)?;
    let asks = !extraction.claims.is_empty() || (first.strict && extraction.says_done);
    if !asks {
        return Ok(Report::empty(task, first, extraction, started));
    }
    let mut table = Table::new(&first.runners)?;
    let read_at = Instant::now();
    let mut session = task
        .log
        .as_ref()
        .map(|log| read(task, log, &first, &table))
        .transpose()?;
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
    let (settings, tampering) = settings(task, tampering, &repository)?;
    if settings.runners != first.runners || settings.skip_types != first.skip_types {
        // what the session itself taught proves nothing
        table = Table::new(&settings.runners)?;
        session = task
            .log
            .as_ref()
            .map(|log| read(task, log, &settings, &table))
            .transpose()?;
    }
    let parse = read_at.elapsed();
    let mut case = Case {
        task,
        table: &table,
        session: session.as_ref(),
        settings: &settings,
        repository: &repository,
        logs: logs.as_ref(),
    };
    let look_at = Instant::now();
    let mut report = case.report(extraction, tampering);
    report.base.timing = Timing {
        total: ms(started.elapsed()),
        parse: ms(parse),
        reality: ms(look_at.elapsed()),
    };
    Ok(report)
}

/// Reads the session; where a last answer is missing it may be on its way.
fn read(task: &Task, log: &Log, settings: &Settings, table: &Table) -> Result<Session, LogError> {
    let mut session = session::read(log, &settings.skip_types, table, &task.places)?;
    if task.live && session.is_waiting() {
        std::thread::sleep(Duration::from_millis(50));
        session = session::read(log, &settings.skip_types, table, &task.places)?;
    }
    Ok(session)
}

/// The settings that hold: what the session wrote of them counts only where
/// it makes the gate stricter.
fn settings(
    task: &Task,
    mut tampering: Tampering,
    repository: &Repository<'_>,
) -> Result<(Settings, Tampering), DoneError> {
    let mut config = task.layers.config.clone();
    trust(&mut config);
    if tampering.project_config {
        config.distrust(Place::Project);
        let file = task.places.root.join(crosscheck_config::PROJECT_FILE);
        let before = repository.before(&file);
        let layer = before.and_then(|text| {
            Layer::of_text(
                Place::Project,
                &text,
                "crosscheck.toml before the session".to_owned(),
                true,
            )
            .ok()
        });
        if let Some(mut layer) = layer {
            layer.trusted = Some((DONE.name, STARTER_KEYS));
            config.insert(layer);
        }
    } else if let Some(broken) = &task.layers.broken {
        return Err(broken.clone().into());
    }
    if tampering.user_config {
        config.distrust(Place::User);
    }
    if tampering.environment {
        config.distrust(Place::Environment);
    }
    let settings = task.layers.read(&config, tampering.environment)?;
    for notice in config.notices() {
        if let (Some(key), Some(file)) = (
            &notice.key,
            tampering
                .files
                .iter_mut()
                .find(|file| notice.file.ends_with(&file.path)),
        ) && key.starts_with("done.")
        {
            file.ignored.push(key.clone());
        }
    }
    Ok((settings, tampering))
}

fn epoch(time: &str) -> Option<i64> {
    let time: jiff::Timestamp = time.parse().ok()?;
    Some(time.as_second())
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

struct Case<'c> {
    task: &'c Task,
    table: &'c Table,
    session: Option<&'c Session>,
    settings: &'c Settings,
    repository: &'c Repository<'c>,
    logs: Option<&'c Logs>,
}

impl Case<'_> {
    fn report(&mut self, extraction: Extraction, tampering: Tampering) -> Report {
        let none = Logs::new(&[], Harness::Neutral);
        let logs = self.logs.unwrap_or(&none);
        let relevance = Relevance::new(&self.task.places, &self.settings.irrelevant);
        let layout = Disk::new(
            &self.task.places,
            self.settings.reality.fs || self.session.is_some(),
        );
        let ground = Ground {
            session: self.session,
            table: self.table,
            places: &self.task.places,
            relevance: &relevance,
            settings: self.settings,
            outputs: logs,
            layout: &layout,
            running: &self.task.running,
        };
        let time = Duration::from_secs(self.settings.timeout_s);
        let commands = self.commands();
        let mut fresh = Fresh::new(
            commands,
            &self.task.places.root,
            time,
            &self.task.hidden,
            self.table,
        );
        let mut claims: Vec<Judged> = Vec::new();
        let mut handovers = Vec::new();
        for claim in extraction.claims {
            let judged = self.judge(claim, &ground, &mut fresh, &mut handovers);
            claims.push(judged);
        }
        if claims.is_empty() && self.settings.strict && extraction.says_done {
            claims.extend(self.done_alone(&ground));
        }
        let mut findings = self
            .session
            .map(|session| findings::all(session, &ground))
            .unwrap_or_default();
        shadows(&claims, &mut findings);
        tampers(&tampering, &mut findings);
        weaken(&mut claims, &findings);
        handovers.extend(handover::in_message(
            &self.task.message,
            &self.settings.handover,
        ));
        let prompt = self
            .session
            .and_then(|session| session.prompt.as_deref())
            .unwrap_or_default();
        let skipped =
            !self.settings.skip_token.is_empty() && prompt.contains(&self.settings.skip_token);
        Report {
            claims,
            findings,
            tampering,
            handovers,
            settings: self.settings.clone(),
            dropped: extraction.dropped,
            commands: self.explained(),
            skipped,
            decision: None,
            base: self.base(extraction.left_out, extraction.is_cut),
        }
    }

    /// Configured commands; without any, those of the manifest if the user
    /// said so.
    fn commands(&self) -> std::collections::BTreeMap<Work, Vec<String>> {
        let mut commands = self.settings.commands.clone();
        if self.settings.commands_from == crate::config::CommandsFrom::Manifest {
            for work in [Work::Tests, Work::Build, Work::Lint, Work::Types] {
                let changed = |name: &str| {
                    self.session.is_some_and(|session| {
                        session
                            .edits
                            .iter()
                            .any(|edit| edit.done && edit.path.ends_with(name))
                    })
                };
                if let Some(argv) = crate::manifest::command(&self.task.places.root, work, &changed)
                {
                    commands.entry(work).or_insert(argv);
                }
            }
        }
        commands
    }

    fn judge(
        &self,
        claim: Claim,
        ground: &Ground<'_>,
        fresh: &mut Fresh<'_>,
        handovers: &mut Vec<Handover>,
    ) -> Judged {
        let shown = judge::transcript(&claim, ground);
        let world = self.world(&claim, ground, fresh, &shown);
        let mut handed = None;
        let mut opinion = settle(claim.kind, shown, world);
        // `rows` judges calls that write rows; a migration is none
        let is_for_rows = claim.kind == Kind::RowWritten && self.session.is_some();
        if is_for_rows && self.settings.database.is_some() {
            opinion.reason = DoneReason::HandedToRows;
            handed = Some("rows".to_owned());
            handovers.push(Handover::of_claim(handovers.len(), "rows", &claim));
        }
        if opinion.suggest.is_none() && opinion.verdict != Verdict::Confirmed {
            opinion.suggest = self.suggest(claim.kind);
        }
        Judged {
            claim,
            opinion,
            handover: handed,
        }
    }

    /// What would show it, when the session has no such command: the
    /// configured one, or the one the manifest names.
    fn suggest(&self, kind: Kind) -> Option<String> {
        let work = match kind {
            Kind::TestsPass => Work::Tests,
            Kind::BuildOk => Work::Build,
            Kind::LintClean => Work::Lint,
            Kind::TypesClean => Work::Types,
            _ => return None,
        };
        let configured = self.settings.commands.get(&work).cloned();
        let argv = configured
            .or_else(|| crate::manifest::command(&self.task.places.root, work, &|_| false))?;
        Some(crate::redact::redacted(&argv.join(" ")))
    }

    /// What the world shows; `None` when it is not asked.
    fn world(
        &self,
        claim: &Claim,
        ground: &Ground<'_>,
        fresh: &mut Fresh<'_>,
        shown: &Opinion,
    ) -> Option<Opinion> {
        let reality: &Reality = &self.settings.reality;
        let places = &self.task.places;
        let from = [places.cwd.clone()];
        let subject = claim.subject.as_str();
        match claim.kind {
            Kind::FileCreated | Kind::FileDeleted | Kind::FileModified
                if self.was_written_outside(subject) =>
            {
                Some(Opinion::undecided(DoneReason::OutsideRoot, Source::Reality))
            }
            Kind::FileCreated | Kind::FileDeleted => reality
                .fs
                .then(|| files::look(claim.kind, subject, places, &from)),
            Kind::FileModified => reality.fs.then(|| {
                self.repository
                    .modified(subject, self.session, &from, reality.git)
            }),
            Kind::SymbolAdded | Kind::SymbolRemoved => reality.fs.then(|| {
                symbols::look(
                    claim.kind,
                    subject,
                    places,
                    &from,
                    self.was_removed(subject),
                )
            }),
            Kind::Committed => reality.git.then(|| {
                self.repository
                    .committed(claim, self.session, ground.relevance)
            }),
            Kind::Pushed => reality.git.then(|| self.repository.pushed()),
            Kind::EnvSet => reality.env.then(|| env::look(subject, places, &from)),
            Kind::EndpointWorks => reality.http.then(|| http::look(subject, claim.count)),
            Kind::TestsPass => self.run_now(Work::Tests, fresh, shown),
            Kind::BuildOk => self.run_now(Work::Build, fresh, shown),
            Kind::LintClean => self.run_now(Work::Lint, fresh, shown),
            Kind::TypesClean => self.run_now(Work::Types, fresh, shown),
            Kind::ChecksPass
            | Kind::Deployed
            | Kind::Verified
            | Kind::Fixed
            | Kind::Ran
            | Kind::Count
            | Kind::RowWritten
            | Kind::MigrationApplied
            | Kind::Done => None,
        }
    }

    fn run_now(&self, work: Work, fresh: &mut Fresh<'_>, shown: &Opinion) -> Option<Opinion> {
        let wanted = self.settings.reality.commands.contains(&work);
        wanted.then(|| fresh.look(work, shown.verdict == Verdict::Confirmed))
    }

    /// Whether the session wrote a file of this name outside of the project.
    fn was_written_outside(&self, subject: &str) -> bool {
        let name = std::path::Path::new(subject.trim_start_matches("./").trim_end_matches('/'));
        let edits = self
            .session
            .map_or(&[][..], |session| session.edits.as_slice());
        let named = edits
            .iter()
            .filter(|edit| edit.done && edit.path.ends_with(name));
        let (mut inside, mut outside) = (false, false);
        for edit in named {
            match self.task.places.below(&edit.path) {
                Some(_) => inside = true,
                None => outside = true,
            }
        }
        outside && !inside
    }

    /// Whether the session took a name out of the file that is named with it.
    fn was_removed(&self, subject: &str) -> bool {
        let (Some((name, file)), Some(session), Some(logs)) =
            (subject.split_once('@'), self.session, self.logs)
        else {
            return false;
        };
        let edits = session
            .edits
            .iter()
            .filter(|edit| edit.done && edit.change == Change::Modify && edit.path.ends_with(file));
        edits.into_iter().any(|edit| {
            let replaced = logs.replaced(edit);
            replaced.iter().any(|one| {
                one.old.as_deref().unwrap_or_default().matches(name).count()
                    > one.new.matches(name).count()
            })
        })
    }

    /// "Done!" and nothing that can be checked.
    fn done_alone(&self, ground: &Ground<'_>) -> Option<Judged> {
        let message = self.task.message.trim();
        let claim = Claim {
            kind: Kind::Done,
            quote: message.chars().take(200).collect(),
            span: [0, message.chars().count()],
            subject: String::new(),
            scope: Scope::Plain,
            count: None,
            also: Vec::new(),
        };
        let opinion = judge::transcript(&claim, ground);
        (opinion.verdict != Verdict::Confirmed).then_some(Judged {
            claim,
            opinion,
            handover: None,
        })
    }

    fn explained(&self) -> Vec<String> {
        if !self.task.explain {
            return Vec::new();
        }
        let runs = self
            .session
            .map_or(&[][..], |session| session.runs.as_slice());
        let shown = runs.iter().map(|run| {
            let works: Vec<String> = run
                .candidates
                .iter()
                .map(|one| {
                    let works: Vec<&str> = one.found.work.iter().map(|work| work.name()).collect();
                    let mut text = works.join("+");
                    if one.found.disqualified {
                        text += " (disqualified)";
                    }
                    text
                })
                .collect();
            let what = if run.unparsed {
                "not understood".to_owned()
            } else {
                works.join(", ")
            };
            format!(
                "step {}: {} [{what}]",
                run.order.line,
                crate::redact::redacted(&run.command)
            )
        });
        shown.collect()
    }

    fn base(&self, left_out: usize, cut: bool) -> Base {
        let session = self.session;
        let transcript = session.map(|session| TranscriptOf {
            sha256: session
                .files
                .first()
                .filter(|_| self.task.printed || self.settings.receipts)
                .and_then(|path| session::hash(path))
                .map(|hash| hash.hex()),
            bytes: session.bytes,
            lines: session.facts.lines,
            skipped_lines: session.facts.broken,
            other_lines: session.facts.unknown.clone(),
        });
        let asks_git = self.settings.reality.git && (self.task.printed || self.settings.receipts);
        let git = asks_git
            .then(|| self.repository.head())
            .flatten()
            .map(|(head, dirty)| GitOf { head, dirty });
        Base {
            identity: self.task.identity.clone(),
            message_sha256: Digest::of(&self.task.message).hex(),
            transcript,
            root_sha256: Digest::of(self.task.places.root.to_string_lossy().as_bytes()).hex(),
            git,
            patterns_sha256: patterns_hash(),
            left_out,
            cut,
            timing: Timing::default(),
            seen: session.map_or(0, Session::last_deed),
            turn: session.map_or_else(String::new, |session| format!("line {}", session.turn.line)),
        }
    }
}

/// A hash over everything that finds claims and reads outputs.
fn patterns_hash() -> String {
    static HASH: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        let mut text = String::new();
        for (_, pack) in crate::read::message::PACKS {
            text.push_str(pack);
        }
        text.push_str(crate::runner::BUILT_IN);
        Digest::of(text).hex()
    });
    HASH.clone()
}

/// Runs that prove nothing are told besides.
fn shadows(claims: &[Judged], findings: &mut Vec<Finding>) {
    for judged in claims {
        let what = match judged.opinion.reason {
            DoneReason::ShadowedTool => What::ShadowedTool,
            DoneReason::TamperedTarget => What::TamperedTarget,
            _ => continue,
        };
        let step = judged.opinion.proof.iter().find_map(|trace| match trace {
            Trace::Run { step, .. } => Some(*step),
            _ => None,
        });
        findings.push(Finding {
            finding: what,
            kind: "run",
            path: None,
            step: step.unwrap_or_default(),
            severity: Severity::Warn,
        });
    }
}

fn tampers(tampering: &Tampering, findings: &mut Vec<Finding>) {
    findings.extend(tampering.files.iter().map(|file| Finding {
        finding: What::Tamper,
        kind: "written",
        path: Some(file.path.clone()),
        step: file.step,
        severity: Severity::Warn,
    }));
}

/// Tests that were weakened prove less.
fn weaken(claims: &mut [Judged], findings: &[Finding]) {
    if !findings
        .iter()
        .any(|finding| finding.finding == What::TestsWeakened)
    {
        return;
    }
    for judged in claims
        .iter_mut()
        .filter(|judged| matches!(judged.claim.kind, Kind::TestsPass | Kind::ChecksPass))
    {
        if !judged.opinion.caveats.contains(&Caveat::TestsWeakened) {
            judged.opinion.caveats.push(Caveat::TestsWeakened);
            judged.opinion.caveats.sort_unstable();
        }
    }
}

impl Report {
    fn empty(task: &Task, settings: Settings, extraction: Extraction, started: Instant) -> Self {
        Self {
            claims: Vec::new(),
            findings: Vec::new(),
            tampering: Tampering::default(),
            handovers: handover::in_message(&task.message, &settings.handover),
            settings,
            dropped: extraction.dropped,
            commands: Vec::new(),
            skipped: false,
            decision: None,
            base: Base {
                identity: task.identity.clone(),
                message_sha256: Digest::of(&task.message).hex(),
                root_sha256: Digest::of(task.places.root.to_string_lossy().as_bytes()).hex(),
                patterns_sha256: patterns_hash(),
                cut: extraction.is_cut,
                timing: Timing {
                    total: ms(started.elapsed()),
                    ..Timing::default()
                },
                ..Base::default()
            },
        }
    }

    /// Hands statements about rows on: one answer about the session's log
    /// settles all of them. Nothing is asked without such a statement and a
    /// database.
    pub fn ask_rows(&mut self, ask: impl FnOnce(&SecretUrl) -> Answer) {
        let of_rows = self.handovers.iter().filter(|one| one.verifier == "rows");
        let ids: Vec<usize> = of_rows.map(|one| one.id).collect();
        if let Some(database) = self.settings.database.clone().filter(|_| !ids.is_empty()) {
            let answer = ask(&database);
            for id in ids {
                self.settle(id, &answer);
            }
        }
    }

    /// Takes the answer of another verifier.
    pub fn settle(&mut self, id: usize, answer: &Answer) {
        let Some(handover) = self.handovers.iter_mut().find(|handover| handover.id == id) else {
            return;
        };
        handover.answer = Some(answer.clone());
        let Some(span) = handover.span else {
            return;
        };
        for judged in self
            .claims
            .iter_mut()
            .filter(|judged| judged.claim.span == span && judged.handover.is_some())
        {
            judged.opinion = handover::opinion(answer);
        }
    }

    /// The worst verdict; `None` without a claim.
    pub fn verdict(&self) -> Option<Verdict> {
        self.claims
            .iter()
            .map(|judged| judged.opinion.verdict)
            .max()
    }

    /// What the claims and findings lead to, before rounds are counted.
    fn action(&self) -> Action {
        let actions: Vec<Action> = self
            .claims
            .iter()
            .map(|judged| policy::action(judged.claim.kind, &judged.opinion, &self.settings))
            .collect();
        policy::decide(&actions, &self.findings, &self.settings)
    }

    /// Decides without counting rounds, as for a single message.
    pub fn decide(&mut self) -> Action {
        let action = if self.skipped {
            Action::Allow
        } else {
            self.action()
        };
        self.decision = Some(Decision {
            action,
            bounces: 0,
            gave_up: None,
            skipped: self.skipped,
        });
        action
    }

    /// Decides where nothing can be counted: then nobody is sent back.
    pub fn decide_without_memory(&mut self) -> Action {
        let wanted = self.decide();
        if let Some(decision) = self.decision.as_mut().filter(|_| wanted == Action::Block) {
            decision.action = Action::Warn;
            decision.gave_up = Some(GaveUp::StateUnwritable);
        }
        self.decision
            .as_ref()
            .map_or(Action::Allow, |decision| decision.action)
    }

    /// Decides, counting how often the agent was sent back for this prompt.
    pub fn decide_with(&mut self, memory: &Memory, now: SystemTime) -> Action {
        let identity = &self.base.identity;
        let prompt = identity
            .prompt
            .clone()
            .unwrap_or_else(|| self.base.turn.clone());
        let key = Key::new(
            identity.session.as_deref().unwrap_or_default(),
            &prompt,
            identity.agent.as_deref().unwrap_or_default(),
        );
        let before = memory.bounces(&key);
        let wanted = if self.skipped {
            Action::Allow
        } else {
            self.action()
        };
        let (action, counted, gave_up) = match wanted {
            Action::Block => self.another_round(memory, &key, &before, now),
            other => (other, before.bounces, None),
        };
        self.decision = Some(Decision {
            action,
            bounces: counted,
            gave_up,
            skipped: self.skipped,
        });
        action
    }

    fn another_round(
        &self,
        memory: &Memory,
        key: &Key,
        before: &Bounces,
        now: SystemTime,
    ) -> (Action, u32, Option<GaveUp>) {
        match policy::bounce(before, &self.signature(), self.base.seen, &self.settings) {
            Err(gave_up) => (Action::Warn, before.bounces, Some(gave_up)),
            Ok(bounces) => match memory.keep(key, &bounces, now) {
                Ok(()) => (Action::Block, bounces.bounces, None),
                // without a count a block could go on for ever
                Err(_) => (Action::Warn, before.bounces, Some(GaveUp::StateUnwritable)),
            },
        }
    }

    /// What the agent is sent back for.
    fn signature(&self) -> String {
        let blocks = self.claims.iter().filter(|judged| {
            policy::action(judged.claim.kind, &judged.opinion, &self.settings) == Action::Block
        });
        let mut parts: Vec<String> = blocks
            .map(|judged| {
                format!(
                    "{}|{}|{}",
                    judged.claim.kind,
                    judged.claim.subject,
                    judged.opinion.reason.word()
                )
            })
            .collect();
        let strict = self
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Block);
        parts.extend(strict.map(|finding| {
            format!(
                "{:?}|{}|",
                finding.finding,
                finding.path.as_deref().unwrap_or_default()
            )
        }));
        parts.sort();
        parts.join("\n")
    }

    /// The receipt.
    pub fn receipt(&self, tool: &str, at: &str) -> Receipt {
        let base = &self.base;
        let claims = self.claims.iter().map(|judged| ClaimOf {
            kind: judged.claim.kind,
            quote: crate::redact::redacted(&judged.claim.quote),
            span: judged.claim.span,
            subject: judged.claim.subject.clone(),
            scope: judged.claim.scope.to_string(),
            count: judged.claim.count,
            verdict: verdict_word(judged.opinion.verdict),
            reason: judged.opinion.reason.word(),
            source: judged.opinion.source,
            evidence: judged.opinion.proof.clone(),
            caveats: judged.opinion.caveats.clone(),
            suggest: judged.opinion.suggest.clone(),
            handover: judged.handover.clone(),
            also: judged.claim.also.clone(),
        });
        let config = format!("{:?}", self.settings);
        Receipt {
            schema: SCHEMA,
            tool: tool.to_owned(),
            at: at.to_owned(),
            harness: base.identity.harness.clone(),
            session: base.identity.session.clone(),
            prompt: base.identity.prompt.clone(),
            agent: base.identity.agent.clone(),
            event: base.identity.event.clone(),
            message_sha256: base.message_sha256.clone(),
            transcript: base.transcript.clone(),
            root_sha256: base.root_sha256.clone(),
            git: base.git.clone(),
            config_sha256: Digest::of(config).hex(),
            patterns_sha256: base.patterns_sha256.clone(),
            mode: self.settings.mode,
            claims: claims.collect(),
            claims_left_out: base.left_out,
            message_cut: base.cut,
            findings: self.findings.clone(),
            tamper: self.tampering.files.clone(),
            handovers: self.handovers.iter().map(HandoverOf::from).collect(),
            decision: self.decision.clone().unwrap_or(Decision {
                action: Action::Allow,
                bounces: 0,
                gave_up: None,
                skipped: self.skipped,
            }),
            timing_ms: base.timing,
        }
    }

    /// The decision for the log: no text of the session.
    pub fn entry(&self, at: &str) -> Entry {
        let decision = self.decision.clone();
        Entry {
            at: at.to_owned(),
            session_sha256: Digest::of(self.base.identity.session.as_deref().unwrap_or_default())
                .hex(),
            message_sha256: self.base.message_sha256.clone(),
            event: self.base.identity.event.clone(),
            action: decision
                .as_ref()
                .map_or("allow", |decision| action_word(decision.action))
                .to_owned(),
            bounces: decision.as_ref().map_or(0, |decision| decision.bounces),
            gave_up: decision
                .and_then(|decision| decision.gave_up)
                .map(|gave_up| format!("{gave_up:?}")),
            claims: self
                .claims
                .iter()
                .map(|judged| {
                    [
                        judged.claim.kind.name().to_owned(),
                        verdict_word(judged.opinion.verdict).to_owned(),
                        judged.opinion.reason.word(),
                    ]
                })
                .collect(),
            findings: self
                .findings
                .iter()
                .map(|finding| format!("{:?}", finding.finding))
                .collect(),
            ms: self.base.timing.total,
            failure: None,
        }
    }
}

/// The word of an action.
pub const fn action_word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Warn => "warn",
        Action::Block => "block",
    }
}

/// A time by RFC 3339, in whole seconds.
pub fn timestamp(now: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(now).unwrap_or_default();
    let whole = jiff::Timestamp::from_second(time.as_second()).unwrap_or_default();
    whole.to_string()
}

/// A receipt as canonical JSON.
pub fn canonical_receipt(receipt: &Receipt) -> String {
    canonical::of(receipt).unwrap_or_default()
}
