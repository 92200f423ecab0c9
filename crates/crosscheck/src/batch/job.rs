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

/// Declares the work of jobs: what it is, its task, and the struct that holds what is asked.
macro_rules! works {
    ($(
        $(#[$about:meta])* $variant:ident $task:literal
        $(#[$meta:meta])* $work:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }
    )+) => {
        /// The work of a job, by its task. Paths are below the root; a database is the
        /// name of one that was given at start, or a file below the root.
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(tag = "task", rename_all = "snake_case")]
        #[schemars(title = "Job")]
        pub enum Work {
            $($(#[$about])* $variant($work),)+
        }

        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields)]
            pub struct $work {
                /// Names the job in its answer.
                pub id: Option<Id>,
                $($(#[$field_meta])* pub $field: $type,)*
            }
        )+

        impl Work {
            fn head(&self) -> Head {
                let (task, id) = match self {
                    $(Self::$variant(work) => ($task, &work.id),)+
                };
                Head {
                    id: id.clone(),
                    task: Some(task.to_owned()),
                }
            }
        }
    };
}

works! {
    /// Tool calls against a database.
    Rows "rows"
    /// `rows`
    RowsWork {
        /// The agent's log.
        log: Input,
        /// The database that the agent wrote to.
        db: String,
        /// A written contract for the tools, TOML.
        contract: Option<Input>,
        /// The format of the log, if it is not to be recognised.
        format: Option<String>,
        /// Leave values and keys out of the answer.
        #[serde(default)]
        redact: bool,
    }
    /// The same by the fixed contract of `quick`.
    Quick "quick"
    /// `quick`
    QuickWork {
        /// The agent's log.
        log: Input,
        /// The database that the agent wrote to.
        db: String,
    }
    /// Calls of a workflow by a registry.
    Check "check"
    /// `check`
    CheckWork {
        /// The workflow.
        workflow_id: String,
        /// Its events, one per line.
        events: Input,
        /// The registry, JSON.
        registry: Input,
        /// The database that the agent wrote to.
        db: String,
    }
    /// The claims of a SubResult.v1 against files and pages.
    Claims "claims"
    /// `claims`: every claim is checked, and evidence outside the root is refused.
    ClaimsWork {
        /// The SubResult.v1.
        document: Input,
        /// The folder that its paths begin at; default the root.
        root: Option<String>,
    }
    /// The citations of a document against the web.
    Sources "sources"
    /// `sources`
    SourcesWork {
        /// The document.
        document: Input,
        /// Its name, which also says its format; default the path, or `document.md`.
        name: Option<String>,
    }
    /// A reasoning trace against its plan and evidence.
    Trace "trace"
    /// `trace`: a run directory, or a trace and its plan.
    TraceWork {
        /// A folder with `trace.jsonl` and `plan.json`.
        run_dir: Option<String>,
        /// The trace.
        trace: Option<Input>,
        /// Its plan.
        plan: Option<Input>,
    }
    /// Whether a text supports a claim.
    Judge "judge"
    /// `judge`
    JudgeWork {
        /// The claim.
        claim: String,
        /// The text that should support it.
        text: String,
        /// Where the text comes from.
        #[serde(default)]
        kind: EvidenceKind,
    }
    /// A final message against the session and the project.
    Done "done"
    /// `done`: a message, a transcript, or both.
    DoneWork {
        /// The final message; default the last one of the transcript.
        message: Option<String>,
        /// The session's log.
        transcript: Option<Input>,
        /// The project; default the root.
        root: Option<String>,
    }
    /// A workspace against its acceptance criteria.
    Verify "verify"
    /// `verify`: without an LLM. Only a batch that was started for it does this,
    /// because a workspace names commands.
    VerifyWork {
        /// The workspace.
        workspace: String,
        /// The project; default the root.
        project: Option<String>,
    }
    /// An earlier answer in another format.
    Render "render"
    /// `render`
    RenderWork {
        /// One of the formats of reports, for example `html`.
        format: String,
        /// An answer with units.
        report: super::answer::Given,
    }
    /// What a code means.
    Explain "explain"
    /// `explain`
    ExplainWork {
        /// A code of a report.
        code: String,
    }
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
