//! What a job asks for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crosscheck_core::advice::RunReason;
use crosscheck_judge::EvidenceKind;

use super::answer::Refusal;

/// Names a job in its answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an id is a text or a whole number of 64 bits")]
pub enum Id {
    /// A whole number.
    Number(i64),
    /// Any text.
    Text(String),
}

/// A text of a job.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Input {
    /// A file below the root.
    Path(String),
    /// The text itself.
    Text(String),
}

/// What every job has: who asks, and for what.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Head {
    /// Names the job in its answer.
    #[serde(default)]
    pub id: Option<Id>,
    /// The task.
    #[serde(default)]
    pub task: Option<String>,
}

impl Head {
    /// Who asks. A line that is not whole JSON still says its id where it begins with it.
    pub fn of(line: &[u8]) -> Self {
        let first = || {
            let rest = line.trim_ascii_start().strip_prefix(b"{\"id\":")?;
            let mut values = serde_json::Deserializer::from_slice(rest).into_iter();
            values.next()?.ok()
        };
        serde_json::from_slice(line).unwrap_or_else(|_| Self {
            id: first(),
            task: None,
        })
    }
}

/// One job: a line of standard input of `crosscheck batch`.
#[derive(Debug, Clone)]
pub struct Job {
    /// Who asks, and for what.
    pub head: Head,
    /// The work, or why it cannot be done.
    pub work: Result<Box<Work>, Refusal>,
}

/// The work of a job, by its task. Paths are below the root; a database is the
/// name of one that was given at start, or a file below the root.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "task", rename_all = "snake_case")]
#[schemars(title = "Job")]
pub enum Work {
    /// Tool calls against a database.
    Rows(RowsWork),
    /// The same by the fixed contract of `quick`.
    Quick(QuickWork),
    /// Calls of a workflow by a registry.
    Check(CheckWork),
    /// The claims of a SubResult.v1 against files and pages.
    Claims(ClaimsWork),
    /// The citations of a document against the web.
    Sources(SourcesWork),
    /// A reasoning trace against its plan and evidence.
    Trace(TraceWork),
    /// Whether a text supports a claim.
    Judge(JudgeWork),
    /// A final message against the session and the project.
    Done(DoneWork),
    /// A workspace against its acceptance criteria.
    Verify(VerifyWork),
    /// An earlier answer in another format.
    Render(RenderWork),
    /// What a code means.
    Explain(ExplainWork),
}

/// `rows`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowsWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The agent's log.
    pub log: Input,
    /// The database that the agent wrote to.
    pub db: String,
    /// A written contract for the tools, TOML.
    pub contract: Option<Input>,
    /// The format of the log, if it is not to be recognised.
    pub format: Option<String>,
    /// Leave values and keys out of the answer.
    #[serde(default)]
    pub redact: bool,
}

/// `quick`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuickWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The agent's log.
    pub log: Input,
    /// The database that the agent wrote to.
    pub db: String,
}

/// `check`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The workflow.
    pub workflow_id: String,
    /// Its events, one per line.
    pub events: Input,
    /// The registry, JSON.
    pub registry: Input,
    /// The database that the agent wrote to.
    pub db: String,
}

/// `claims`: every claim is checked, and evidence outside the root is refused.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimsWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The SubResult.v1.
    pub document: Input,
    /// The folder that its paths begin at; default the root.
    pub root: Option<String>,
}

/// `sources`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcesWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The document.
    pub document: Input,
    /// Its name, which also says its format; default the path, or `document.md`.
    pub name: Option<String>,
}

/// `trace`: a run directory, or a trace and its plan.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// A folder with `trace.jsonl` and `plan.json`.
    pub run_dir: Option<String>,
    /// The trace.
    pub trace: Option<Input>,
    /// Its plan.
    pub plan: Option<Input>,
}

/// `judge`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The claim.
    pub claim: String,
    /// The text that should support it.
    pub text: String,
    /// Where the text comes from.
    #[serde(default)]
    pub kind: EvidenceKind,
}

/// `done`: a message, a transcript, or both.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoneWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The final message; default the last one of the transcript.
    pub message: Option<String>,
    /// The session's log.
    pub transcript: Option<Input>,
    /// The project; default the root.
    pub root: Option<String>,
}

/// `verify`: without an LLM. Only a batch that was started for it does this,
/// because a workspace names commands.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerifyWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// The workspace.
    pub workspace: String,
    /// The project; default the root.
    pub project: Option<String>,
}

/// `render`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenderWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// One of the formats of reports, for example `html`.
    pub format: String,
    /// An answer with units.
    pub report: super::answer::Given,
}

/// `explain`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainWork {
    /// Names the job in its answer.
    pub id: Option<Id>,
    /// A code of a report.
    pub code: String,
}

impl Job {
    /// Reads one line. What is wrong with it becomes the answer.
    pub fn read(line: &[u8]) -> Self {
        let read: Result<Box<Work>, _> = serde_json::from_slice(line);
        match read {
            Ok(work) => Self {
                head: work.head(),
                work: Ok(work),
            },
            Err(error) => Self {
                head: Head::of(line),
                work: Err(Refusal::new(
                    RunReason::CliUsage.reason(),
                    format!("the job cannot be read: {error}"),
                    "`crosscheck schema batch-job` prints what a job is",
                )),
            },
        }
    }
}

impl Work {
    fn head(&self) -> Head {
        let (task, id) = match self {
            Self::Rows(work) => ("rows", &work.id),
            Self::Quick(work) => ("quick", &work.id),
            Self::Check(work) => ("check", &work.id),
            Self::Claims(work) => ("claims", &work.id),
            Self::Sources(work) => ("sources", &work.id),
            Self::Trace(work) => ("trace", &work.id),
            Self::Judge(work) => ("judge", &work.id),
            Self::Done(work) => ("done", &work.id),
            Self::Verify(work) => ("verify", &work.id),
            Self::Render(work) => ("render", &work.id),
            Self::Explain(work) => ("explain", &work.id),
        };
        Head {
            id: id.clone(),
            task: Some(task.to_owned()),
        }
    }
}
