//! The receipt `crosscheck.done.receipt/1`: what was claimed, what was looked
//! at, what was decided.
//!
//! Contract: done 14.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{Action, Mode};
use crate::handover::Handover;
use crate::judge::findings::Finding;
use crate::judge::policy::GaveUp;
use crate::kind::ClaimKind;
use crate::opinion::{Source, Trace};
use crate::reasons::{Caveat, verdict_word};

/// The name of the contract.
pub const SCHEMA: &str = "crosscheck.done.receipt/1";

/// A receipt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Receipt {
    /// `crosscheck.done.receipt/1`.
    pub schema: &'static str,
    /// The program and its version.
    pub tool: String,
    /// When, by RFC 3339.
    pub at: String,
    /// Who called, or wrote the session.
    pub harness: String,
    /// The session.
    pub session: Option<String>,
    /// The prompt or turn.
    pub prompt: Option<String>,
    /// The subagent that stopped.
    pub agent: Option<String>,
    /// `Stop`, `SubagentStop` or `check`.
    pub event: String,
    /// Hash of the message.
    pub message_sha256: String,
    /// The session's log.
    pub transcript: Option<TranscriptOf>,
    /// Hash of the path of the project.
    pub root_sha256: String,
    /// The repository, when it was asked.
    pub git: Option<GitOf>,
    /// Hash of the settings that held.
    pub config_sha256: String,
    /// Hash of the patterns and runners.
    pub patterns_sha256: String,
    /// What a block becomes.
    pub mode: Mode,
    /// The claims, in the order of the message.
    pub claims: Vec<ClaimOf>,
    /// Claims beyond the limit of a receipt.
    pub claims_left_out: usize,
    /// Whether the message was longer than what is read.
    pub message_cut: bool,
    /// What the session shows besides.
    pub findings: Vec<Finding>,
    /// Files that steer the gate and that the session wrote.
    pub tamper: Vec<TamperOf>,
    /// What of the configuration was ignored, why, and what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Statements that other verifiers answer.
    pub handovers: Vec<HandoverOf>,
    /// What it led to.
    pub decision: Decision,
    /// How long it took.
    pub timing_ms: Timing,
}

/// The log of the session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TranscriptOf {
    /// Its hash.
    pub sha256: Option<String>,
    /// Its size.
    pub bytes: u64,
    /// Its lines.
    pub lines: usize,
    /// Lines that could not be read.
    pub skipped_lines: usize,
    /// Lines of other types, by name.
    pub other_lines: std::collections::BTreeMap<String, usize>,
}

/// The repository.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GitOf {
    /// The last commit.
    pub head: String,
    /// Whether a tracked file differs from it.
    pub dirty: bool,
}

/// One claim.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClaimOf {
    /// What it is about.
    pub kind: ClaimKind,
    /// Its words.
    pub quote: String,
    /// First character and the one after the last.
    pub span: [usize; 2],
    /// The file, name or address it speaks of.
    pub subject: String,
    /// The part it speaks of.
    pub scope: String,
    /// The number it claims.
    pub count: Option<u64>,
    /// `verified`, `refuted` or `unproven`.
    pub verdict: &'static str,
    /// Why.
    pub reason: String,
    /// Which side decided.
    pub source: Source,
    /// What was looked at.
    pub evidence: Vec<Trace>,
    /// What limits the verdict.
    pub caveats: Vec<Caveat>,
    /// A command that would show it.
    pub suggest: Option<String>,
    /// The verifier it was handed to.
    pub handover: Option<String>,
    /// Other places of the message that claim the same.
    pub also: Vec<[usize; 2]>,
}

/// A file that steers the gate and that the session wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TamperOf {
    /// The file.
    pub path: String,
    /// Line of the log.
    pub step: usize,
    /// Settings of it that were not taken.
    pub ignored: Vec<String>,
}

/// A statement that another verifier answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HandoverOf {
    /// `rows`.
    pub verifier: String,
    /// What it is asked.
    pub subject: String,
    /// Whether the answer is also the verdict of a claim.
    pub is_claim: bool,
    /// `verified`, `refuted` or `unproven`; nothing while it has not answered.
    pub verdict: Option<String>,
    /// Its own words.
    pub found: Option<String>,
}

impl From<&Handover> for HandoverOf {
    fn from(handover: &Handover) -> Self {
        let answer = handover.answer.as_ref();
        Self {
            verifier: crate::handover::ROWS.to_owned(),
            subject: handover.subject.clone(),
            is_claim: true,
            verdict: answer.map(|answer| verdict_word(answer.verdict).to_owned()),
            found: answer.map(|answer| answer.found.clone()),
        }
    }
}

/// What a receipt led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decision {
    /// Nothing, a warning, or another round.
    pub action: Action,
    /// How often the agent was sent back for this prompt.
    pub bounces: u32,
    /// Why it was not sent back although something is wrong.
    pub gave_up: Option<GaveUp>,
    /// Whether the user switched the check off for this turn.
    pub skipped: bool,
}

/// How long it took, in milliseconds.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
pub struct Timing {
    /// All of it.
    pub total: f64,
    /// Reading the session.
    pub parse: f64,
    /// Looking at the world.
    pub reality: f64,
}
