//! Does the work of jobs, with what whoever started it allows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crosscheck_claims::{Options, Rate};
use crosscheck_config::tables::{RowsSettings, TraceSettings};
use crosscheck_core::advice::{RunReason, with_causes};
use crosscheck_core::files::{ReadError, Root};
use crosscheck_core::outcome::Grounds;
use crosscheck_core::{Advice, NoListener, Outcome, UnitId, Verdict};
use crosscheck_fetch::FetchSettings;
use crosscheck_judge::{Answer as Opinioned, Builtin, Judge, NoAnswer, Opinion, Question, Text};

use super::answer::{Answer, Refusal};
use super::files::{Desk, Done, Files, broken, name_of, usage};
use super::job::{
    CheckWork, ClaimsWork, DoneWork, ExplainWork, Input, Job, JudgeWork, QuickWork, RenderWork,
    RowsWork, SourcesWork, TraceWork, VerifyWork, Work,
};
use crate::report::{Findings, Neutral, Report};
use crate::{Database, catalogue, check, claims, done, quick, render, rows, sources};
use crate::{trace, workspace};

/// What an inline document is called in reports.
const INLINE_LOG: &str = "log";
const INLINE_DOCUMENT: &str = "document.md";

/// Opens a database by its URL.
type Opener = Box<dyn Fn(&str) -> Result<Database, String> + Send + Sync>;

/// Does the work of jobs. The public fields are decided by whoever starts it;
/// no job changes them.
pub struct Runner {
    files: Files,
    /// Databases that jobs call by name.
    pub databases: BTreeMap<String, Database>,
    /// Opens what a job names instead; `None` leaves jobs the named databases
    /// and `SQLite` files below the root.
    pub any_database: Option<Opener>,
    /// Says whether a text supports a claim.
    pub judge: Arc<dyn Judge>,
    /// How pages are fetched.
    pub fetch: FetchSettings,
    /// How citations are read and judged.
    pub sources: sources::settings::Settings,
    /// How logs are checked; a job names its own log and contract.
    pub rows: RowsSettings,
    /// How strict traces are checked.
    pub trace: TraceSettings,
    /// Whether workspaces are verified, whose criteria may be commands.
    pub verifies: bool,
    /// Where settings of workspaces come from, also those of the LLM that judges; without
    /// it only their criteria are checked.
    pub workspaces: Option<workspace::config::Surroundings>,
    /// Keeps its connections between jobs.
    checker: OnceLock<Result<sources::check::Checker, String>>,
}

/// The root cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the root: {0}")]
pub struct SetupError(#[from] ReadError);

impl Advice for SetupError {
    fn reason(&self) -> &'static crosscheck_core::Reason {
        RunReason::CliUsage.reason()
    }

    fn help(&self) -> String {
        "name a folder that exists with --root".to_owned()
    }
}

impl Runner {
    /// Jobs below this folder, with the built-in judge and the defaults.
    pub fn new(root: &Path) -> Result<Self, SetupError> {
        Ok(Self {
            files: Files(Root::new(root)?),
            databases: BTreeMap::new(),
            any_database: None,
            judge: Arc::new(Builtin),
            fetch: FetchSettings::default(),
            sources: sources::settings::Settings::default(),
            rows: RowsSettings::default(),
            trace: TraceSettings::default(),
            verifies: false,
            workspaces: None,
            checker: OnceLock::new(),
        })
    }

    /// Does one job.
    pub fn answer(&self, job: Job) -> Answer {
        let answer = Answer::to(job.head.clone());
        let report = match job.work.map(|work| *work) {
            Ok(Work::Render(work)) => return text(answer, rendered(work)),
            Ok(Work::Explain(work)) => return text(answer, explained(&work)),
            Ok(work) => self.report(&work),
            Err(refusal) => Err(refusal),
        };
        match report {
            Ok(report) => answer.with_report(report),
            Err(refusal) => Answer::refused(job.head, refusal),
        }
    }

    /// The report of one check.
    pub fn report(&self, work: &Work) -> Result<Neutral, Refusal> {
        match work {
            Work::Rows(work) => self.rows(work),
            Work::Quick(work) => self.quick(work),
            Work::Check(work) => self.check(work),
            Work::Claims(work) => self.claims(work),
            Work::Sources(work) => self.sources(work),
            Work::Trace(work) => self.trace(work),
            Work::Judge(work) => self.judge(work),
            Work::Done(work) => self.done(work),
            Work::Verify(work) => self.verify(work),
            Work::Render(_) | Work::Explain(_) => Err(usage("it checks nothing".to_owned())),
        }
    }

    fn rows(&self, work: &RowsWork) -> Done {
        let format = work.format.as_deref().filter(|name| *name != "auto");
        let format = format.map(str::parse).transpose();
        let format = format.map_err(|error| usage(format!("`format`: {error}")))?;
        let contract = work.contract.as_ref().map(|input| {
            Ok::<_, Refusal>(rows::Contract {
                name: name_of(input, "contract"),
                text: self.files.text(input)?,
            })
        });
        let task = rows::Task {
            logs: vec![self.log(&work.log)?],
            format: format.map_or(rows::InputFormat::Auto, rows::InputFormat::Is),
            database: self.database(&work.db)?,
            contract: contract.transpose()?,
            redact: work.redact || self.rows.redact,
            claims: self.rows.claims,
            timeout: Some(Duration::from_secs_f64(self.rows.timeout)),
        };
        as_named(neutral(task.run(&mut NoListener)), &task.database, &work.db)
    }

    fn quick(&self, work: &QuickWork) -> Done {
        let task = quick::Task {
            ingest: quick::Ingest::Auto,
            ..quick::Task::new(self.files.bytes(&work.log)?, self.database(&work.db)?)
        };
        as_named(neutral(task.run(&mut NoListener)), &task.database, &work.db)
    }

    fn check(&self, work: &CheckWork) -> Done {
        let desk = Desk::default();
        let events = self.files.file(&work.events, &desk, "events.ndjson")?;
        let registry = self.files.file(&work.registry, &desk, "registry.json")?;
        let database = self.database(&work.db)?;
        let task = check::Task::new(&work.workflow_id, events, registry, database.clone());
        let report = as_named(neutral(task.run(&mut NoListener)), &database, &work.db);
        desk.hidden(report)
    }

    fn claims(&self, work: &ClaimsWork) -> Done {
        let root = self.files.folder(work.root.as_deref())?;
        let judge = Box::new(SharedJudge(Arc::clone(&self.judge)));
        let tools = claims::Tools::new(judge, self.fetch.clone(), Vec::new(), &root);
        let task = claims::Task {
            document: self.files.bytes(&work.document)?,
            options: Options {
                sample_rate: Rate::parse("1"),
                confined: true,
                offline: self.fetch.offline,
                read_settings: false, // the project's own file could lower the rate
                ..Options::new(root)
            },
            tools,
        };
        neutral(task.run(&mut NoListener))
    }

    fn sources(&self, work: &SourcesWork) -> Done {
        let name = name_of(&work.document, INLINE_DOCUMENT);
        let name = work.name.clone().unwrap_or(name);
        let options = sources::read::document::ReadOptions {
            include_code: false,
            identifiers: true,
        };
        let bytes = self.files.bytes(&work.document)?;
        let document = sources::read_document(&name, &bytes, None, options)
            .map_err(|error| Refusal::of(&error))?;
        let checker = self.checker.get_or_init(|| {
            let tools = sources::Tools {
                judge: Arc::clone(&self.judge),
                fetch: self.fetch.clone(),
                settings: self.sources.clone(),
            };
            tools.checker().map_err(|error| with_causes(&error))
        });
        let checker = checker.as_ref().map_err(|why| usage(why.clone()))?;
        let report = sources::run::documents::check(&[document], checker, &mut NoListener);
        Ok(report.neutral().masked())
    }

    fn trace(&self, work: &TraceWork) -> Done {
        let desk = Desk::default();
        let task = match (&work.run_dir, &work.trace, &work.plan) {
            (Some(folder), None, None) => trace::Task::run_dir(self.files.folder(Some(folder))?),
            (None, Some(run), Some(plan)) => trace::Task {
                request: trace::TraceRequest {
                    input: trace::Input::Files {
                        trace: Some(self.files.file(run, &desk, "trace.jsonl")?),
                        plan: self.files.file(plan, &desk, "plan.json")?,
                    },
                    artifacts: None,
                    ..trace::TraceRequest::run_dir(self.files.0.path())
                },
            },
            _ => {
                return Err(usage(
                    "`trace` takes `run_dir`, or `trace` with `plan`".to_owned(),
                ));
            }
        };
        desk.hidden(neutral(task.as_strict(&self.trace).run()))
    }

    fn judge(&self, work: &JudgeWork) -> Done {
        let text = Text::new(work.text.as_str());
        let question = Question {
            kind: work.kind,
            ..Question::new(&work.claim, &text)
        };
        let answer = self.judge.judge(&question).map_err(|error| {
            Refusal::new(
                RunReason::InternalError.reason(),
                format!("the judge gave no answer: {}", error.why),
                "check the judge that was named at start",
            )
        })?;
        Ok(opinion(&work.claim, answer))
    }

    fn done(&self, work: &DoneWork) -> Done {
        let desk = Desk::default();
        let report = self.message(work, &desk);
        desk.hidden(report)
    }

    fn message(&self, work: &DoneWork, desk: &Desk) -> Done {
        let root = self.files.folder(work.root.as_deref())?;
        let mut task = done::Task::message(work.message.clone().unwrap_or_default(), root);
        if let Some(transcript) = &work.transcript {
            let path = self.files.file(transcript, desk, "session.jsonl")?;
            let log = done::read::session::Log::at(path);
            if work.message.is_none() {
                let last = done::gate::last_words(&log).map_err(|error| Refusal::of(&error))?;
                task.check.message = last.text.unwrap_or_default();
            }
            task.check.log = Some(log);
        } else if work.message.is_none() {
            return Err(usage(
                "`done` takes a `message`, a `transcript`, or both".to_owned(),
            ));
        }
        let mut report = neutral(task.run(&mut NoListener))?;
        // a caller who acts on the verdict must not take silence for proof
        if report.outcomes.is_empty() && report.verdict == Verdict::Confirmed {
            report.verdict = Verdict::Undecided;
        }
        Ok(report)
    }

    fn verify(&self, work: &VerifyWork) -> Done {
        if !self.verifies {
            return Err(Refusal::new(
                RunReason::CliUsage.reason(),
                "workspaces are not verified here: their criteria may be commands",
                "start with --allow-verify",
            ));
        }
        let project = self.files.folder(work.project.as_deref())?;
        let place = workspace::config::Surroundings::of_project(project);
        let place = self.workspaces.as_ref().unwrap_or(&place);
        let open = match self.workspaces {
            Some(_) => workspace::Task::open,
            None => workspace::Task::without_judge,
        };
        let task = open(place, &work.workspace).map_err(|error| Refusal::of(&error))?;
        neutral(task.run(&mut NoListener))
    }

    fn database(&self, name: &str) -> Result<Database, Refusal> {
        if let Some(database) = self.databases.get(name) {
            return Ok(database.clone());
        }
        let is_url = name.contains("://");
        if let Some(open) = self.any_database.as_ref().filter(|_| is_url) {
            return open(name).map_err(usage);
        }
        if is_url {
            return Err(Refusal::new(
                RunReason::CliUsage.reason(),
                "a job names no URL of a database",
                "name the database at start with --db NAME=URL, and NAME in the job",
            ));
        }
        self.files.real(name).map(Database::Sqlite)
    }

    fn log(&self, input: &Input) -> Result<rows::Log, Refusal> {
        Ok(rows::Log::Bytes {
            name: name_of(input, INLINE_LOG),
            bytes: self.files.bytes(input)?,
        })
    }
}

/// One judge for all jobs.
struct SharedJudge(Arc<dyn Judge>);

impl Judge for SharedJudge {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn is_model(&self) -> bool {
        self.0.is_model()
    }

    fn judge(&self, question: &Question<'_>) -> Result<Opinioned, NoAnswer> {
        self.0.judge(question)
    }

    fn tally(&self) -> crosscheck_judge::Tally {
        self.0.tally()
    }
}

fn neutral<F: Findings, E: Advice>(report: Result<Report<F>, E>) -> Done {
    match report {
        Ok(report) => Ok(report.into_neutral()),
        Err(error) => Err(Refusal::of(&error)),
    }
}

/// A report about a file calls it by the name that the job has for it. The URL
/// of a server may hold a password, so its shown form stays.
fn as_named(done: Done, database: &Database, name: &str) -> Done {
    let mut report = done?;
    if let Database::Sqlite(_) = database {
        report.subject = report.subject.replace(&database.shown(), name);
    }
    Ok(report)
}

fn opinion(claim: &str, answer: Opinioned) -> Neutral {
    let verdict = match answer.verdict {
        Opinion::Supports => Verdict::Confirmed,
        Opinion::Contradicts => Verdict::Refuted,
        Opinion::Unclear => Verdict::Undecided,
    };
    let message = answer.explanation.clone();
    let reasons = answer.reasons.iter().filter_map(|code| {
        let declared = catalogue::explain(code);
        let (_, reason) = declared.first()?;
        Some(Grounds {
            reason,
            message: message.clone().unwrap_or_else(|| reason.meaning.to_owned()),
        })
    });
    Neutral {
        verifier: "judge",
        subject: claim.to_owned(),
        verdict,
        summary: format!("the text {}", word(answer.verdict)),
        outcomes: vec![Outcome {
            observed: answer.span,
            ..Outcome::new(
                UnitId::numbered('q', 0),
                claim.to_owned(),
                verdict,
                reasons.collect(),
            )
        }],
        notices: Vec::new(),
    }
}

const fn word(opinion: Opinion) -> &'static str {
    match opinion {
        Opinion::Supports => "supports the claim",
        Opinion::Contradicts => "contradicts the claim",
        Opinion::Unclear => "does not decide the claim",
    }
}

fn rendered(work: RenderWork) -> Result<String, Refusal> {
    let format = work.format.parse::<render::Format>();
    let format = format.map_err(|error| usage(error.to_string()))?;
    let report = Neutral::try_from(work.report).map_err(|error| Refusal::of(&error))?;
    let mut text = Vec::new();
    render::render(&report, format, &render::Style::default(), &mut text)
        .map_err(|error| broken(error.to_string()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn explained(work: &ExplainWork) -> Result<String, Refusal> {
    let found = catalogue::explain(&work.code);
    if found.is_empty() {
        return Err(usage(format!("unknown code `{}`", work.code)));
    }
    let line = |(section, reason): &(&catalogue::ReasonSection, &crosscheck_core::Reason)| {
        format!(
            "{}: {}. It occurs {}. What to do: {}.\n",
            reason.code, reason.meaning, section.occurs, reason.help
        )
    };
    Ok(found.iter().map(line).collect())
}

fn text(answer: Answer, text: Result<String, Refusal>) -> Answer {
    match text {
        Ok(text) => Answer {
            text: Some(text),
            ..answer
        },
        Err(refusal) => Answer {
            error: Some(refusal),
            ..answer
        },
    }
}
