//! What is thought of a claim, and what was looked at for it.

use crosscheck_core::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reasons::{Caveat, DoneReason};
use crate::redact::redacted;

/// Where a verdict comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The log of the session.
    Transcript,
    /// The project as it is now.
    Reality,
    /// Another verifier, asked for this one claim.
    Handover,
}

/// Something that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Trace {
    /// A command of the session.
    Run {
        /// Line of the log.
        step: usize,
        /// The command.
        command: String,
        /// Exit status.
        status: Option<i64>,
        /// The line of the output that decides.
        summary: String,
        /// Hash of the output as far as it was read.
        output_sha256: Option<String>,
    },
    /// A change of a file.
    Edit {
        /// Line of the log.
        step: usize,
        /// The file, from the root.
        path: String,
    },
    /// A file that was looked for.
    File {
        /// The file, from the root.
        path: String,
        /// What was found.
        found: String,
    },
    /// Something git said.
    Git {
        /// What was looked at.
        what: String,
        /// What was found.
        found: String,
    },
    /// An answer of an address.
    Http {
        /// The address.
        url: String,
        /// The status it answered with.
        status: Option<u16>,
    },
    /// A command that was run now.
    Command {
        /// The command.
        command: String,
        /// Exit status.
        status: Option<i64>,
        /// The line of the output that decides.
        summary: String,
    },
    /// What another verifier said.
    Handover {
        /// The verifier.
        verifier: String,
        /// What it said.
        found: String,
    },
}

impl Trace {
    /// A command of the session whose output does not matter.
    pub fn ran(step: usize, command: &str, status: Option<i64>) -> Self {
        Self::Run {
            step,
            command: command.to_owned(),
            status,
            summary: String::new(),
            output_sha256: None,
        }
    }

    /// A file, from the root, and what was found.
    pub fn file(path: &str, found: &str) -> Self {
        Self::File {
            path: path.to_owned(),
            found: found.to_owned(),
        }
    }

    /// The same as it may be shown: no text of it holds a secret.
    #[must_use]
    pub fn shown(&self) -> Self {
        let mut shown = self.clone();
        let texts: Vec<&mut String> = match &mut shown {
            Self::Run {
                command, summary, ..
            }
            | Self::Command {
                command, summary, ..
            } => vec![command, summary],
            Self::Edit { path, .. } => vec![path],
            Self::File { path, found } => vec![path, found],
            Self::Git { what, found } => vec![what, found],
            Self::Http { url, .. } => vec![url],
            Self::Handover { found, .. } => vec![found],
        };
        for text in texts {
            *text = redacted(text);
        }
        shown
    }
}

/// Several things that were looked at.
pub type Proof = Vec<Trace>;

/// What one side shows about a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: DoneReason,
    /// Which side it is.
    pub source: Source,
    /// What was looked at.
    pub proof: Proof,
    /// What limits it.
    pub caveats: Vec<Caveat>,
    /// A command that would show it.
    pub suggest: Option<String>,
}

impl Opinion {
    /// An opinion with nothing looked at.
    pub const fn new(verdict: Verdict, reason: DoneReason, source: Source) -> Self {
        Self {
            verdict,
            reason,
            source,
            proof: Vec::new(),
            caveats: Vec::new(),
            suggest: None,
        }
    }

    /// Nothing decides.
    pub const fn undecided(reason: DoneReason, source: Source) -> Self {
        Self::new(Verdict::Undecided, reason, source)
    }

    /// With one more thing that was looked at.
    #[must_use]
    pub fn with(mut self, trace: Trace) -> Self {
        self.proof.push(trace);
        self
    }

    /// With a limit.
    #[must_use]
    pub fn but(mut self, caveat: Caveat) -> Self {
        if !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
        self
    }
}
