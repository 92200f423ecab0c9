//! What a check found, and what it leads to.

use std::time::Instant;

use crosscheck_core::digest::Digest;
use crosscheck_core::{Verdict, canonical};

use super::{Identity, Task, bench, ms};
use crate::claim::{Dropped, Extraction};
use crate::config::{Action, Settings};
use crate::handover::{self, Answer, Handover};
use crate::judge::findings::{Finding, Severity};
use crate::judge::policy::{self, Bounces, GaveUp};
use crate::kind::Claim;
use crate::opinion::{Opinion, Trace};
use crate::reasons::verdict_word;
use crate::report::receipt::{
    ClaimOf, Decision, GitOf, HandoverOf, Receipt, SCHEMA, Timing, TranscriptOf,
};
use crate::state::{GateEntry, Key, Memory};
use crate::tamper::Tampering;

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
    /// What of the configuration was ignored, and why.
    pub notices: Vec<String>,
    /// Statements that other verifiers answer.
    pub handovers: Vec<Handover>,
    /// The settings that held.
    pub settings: Settings,
    /// Statements that are not claims; only when asked for.
    pub dropped: Vec<Dropped>,
    /// What ran in the session; only when asked for.
    pub commands: Vec<String>,
    pub(super) skipped: bool,
    pub(super) decision: Option<Decision>,
    pub(super) base: Base,
}

/// What a receipt holds besides claims.
#[derive(Debug, Default)]
pub(super) struct Base {
    pub(super) subject: String,
    pub(super) identity: Identity,
    pub(super) message_sha256: String,
    pub(super) transcript: Option<TranscriptOf>,
    pub(super) root_sha256: String,
    pub(super) git: Option<GitOf>,
    pub(super) patterns_sha256: String,
    pub(super) left_out: usize,
    pub(super) cut: bool,
    pub(super) timing: Timing,
    /// How much had happened in the session.
    pub(super) seen: usize,
    /// The turn, when the harness does not name it.
    pub(super) turn: String,
}

impl Base {
    pub(super) fn of(task: &Task) -> Self {
        Self {
            subject: task.subject(),
            identity: task.identity.clone(),
            message_sha256: Digest::of(&task.message).hex(),
            root_sha256: Digest::of(task.places.root.to_string_lossy().as_bytes()).hex(),
            patterns_sha256: patterns_hash(),
            ..Self::default()
        }
    }
}

impl Report {
    pub(super) fn empty(
        task: &Task,
        settings: Settings,
        extraction: Extraction,
        started: Instant,
    ) -> Self {
        let mut base = Base::of(task);
        base.cut = extraction.is_cut;
        base.timing.total = ms(started.elapsed());
        Self {
            claims: Vec::new(),
            findings: Vec::new(),
            tampering: Tampering::default(),
            notices: Vec::new(),
            handovers: Vec::new(),
            settings,
            dropped: extraction.dropped,
            commands: Vec::new(),
            skipped: false,
            decision: None,
            base,
        }
    }

    /// Takes the answer of `rows`; one about the log settles all statements.
    pub fn answer(&mut self, answer: &Answer) {
        for handover in &mut self.handovers {
            let span = handover.span;
            let of = |judged: &&mut Judged| judged.claim.span == span && judged.handover.is_some();
            for judged in self.claims.iter_mut().filter(of) {
                judged.opinion = handover::opinion(answer);
            }
            handover.answer = Some(answer.clone());
        }
    }

    /// What was checked: the log of the session, or a message.
    pub fn subject(&self) -> &str {
        &self.base.subject
    }

    /// The worst verdict of claims; `None` without any.
    pub fn verdict(&self) -> Option<Verdict> {
        let claims = self.claims.iter().map(|judged| judged.opinion.verdict);
        // what was not looked at is not established
        let unseen = (self.base.left_out > 0).then_some(Verdict::Undecided);
        claims.chain(unseen).max()
    }

    /// What the claims and findings lead to, before rounds are counted.
    fn action(&self) -> Action {
        if self.skipped {
            return Action::Allow;
        }
        bench::action(&self.claims, &self.findings, &self.settings)
    }

    /// Decides without counting rounds, as for a single message.
    pub fn decide(&mut self) -> Action {
        let action = self.action();
        self.decided(action, 0, None)
    }

    fn decided(&mut self, action: Action, bounces: u32, gave_up: Option<GaveUp>) -> Action {
        self.decision = Some(Decision {
            action,
            bounces,
            gave_up,
            skipped: self.skipped,
        });
        action
    }

    /// Decides where nothing can be counted.
    pub fn decide_without_memory(&mut self) -> Action {
        match self.decide() {
            Action::Block => self.decided(self.uncounted(), 0, Some(GaveUp::StateUnwritable)),
            other => other,
        }
    }

    /// Decides, counting how often the agent was sent back for this prompt.
    pub fn decide_with(&mut self, memory: &Memory) -> Action {
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
        let (action, counted, gave_up) = match self.action() {
            Action::Block => self.another_round(memory, &key, &before),
            other => (other, before.bounces, None),
        };
        self.decided(action, counted, gave_up)
    }

    fn another_round(
        &self,
        memory: &Memory,
        key: &Key,
        before: &Bounces,
    ) -> (Action, u32, Option<GaveUp>) {
        let signature = self.signature();
        // the same advice again helps nobody; what is contradicted stays so
        let is_repeated = before.bounces > 0
            && before.last_signature == signature
            && self.verdict() != Some(Verdict::Refuted);
        let seen = if is_repeated {
            before.seen
        } else {
            self.base.seen
        };
        match policy::bounce(before, &signature, seen, &self.settings) {
            Err(gave_up) => (Action::Warn, before.bounces, Some(gave_up)),
            Ok(bounces) => match memory.keep(key, &bounces) {
                Ok(()) => (Action::Block, bounces.bounces, None),
                Err(_) => (
                    self.uncounted(),
                    before.bounces,
                    Some(GaveUp::StateUnwritable),
                ),
            },
        }
    }

    /// Without a count a block could go on for ever: the agent is sent back
    /// only when the harness says that it was not sent back before.
    const fn uncounted(&self) -> Action {
        if self.base.identity.is_first_stop {
            Action::Block
        } else {
            Action::Warn
        }
    }

    /// What the agent is sent back for.
    fn signature(&self) -> String {
        let blocks = self
            .claims
            .iter()
            .filter(|judged| bench::action_of(judged, &self.settings) == Action::Block);
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
        Digest::of(parts.join("\n")).hex() // a subject may hold a secret
    }

    /// The receipt.
    pub fn receipt(&self, tool: &str, at: &str) -> Receipt {
        let base = &self.base;
        let claims = self.claims.iter().map(|judged| ClaimOf {
            kind: judged.claim.kind,
            quote: crate::redact::redacted(&judged.claim.quote),
            span: judged.claim.span,
            subject: crate::redact::redacted(&judged.claim.subject),
            scope: crate::redact::redacted(&judged.claim.scope.to_string()),
            count: judged.claim.count,
            verdict: verdict_word(judged.opinion.verdict),
            reason: judged.opinion.reason.word(),
            source: judged.opinion.source,
            evidence: judged.opinion.proof.iter().map(Trace::shown).collect(),
            caveats: judged.opinion.caveats.clone(),
            suggest: judged
                .opinion
                .suggest
                .as_deref()
                .map(crate::redact::redacted),
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
            findings: self.findings.iter().map(Finding::shown).collect(),
            tamper: self.tampering.files.clone(),
            notices: self.notices.clone(),
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
    pub fn entry(&self, at: &str) -> GateEntry {
        let decision = self.decision.clone();
        GateEntry {
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
            ledger: None,
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

pub use crosscheck_core::clock::utc_seconds as timestamp;

/// A receipt as canonical JSON.
pub fn canonical_receipt(receipt: &Receipt) -> String {
    canonical::of(receipt).unwrap_or_default()
}

/// A hash over everything that finds claims and reads outputs.
pub(super) fn patterns_hash() -> String {
    static HASH: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
        let mut text = String::new();
        for (_, pack) in crate::claim::PACKS {
            text.push_str(pack);
        }
        text.push_str(crate::runner::BUILT_IN);
        Digest::of(text).hex()
    });
    HASH.clone()
}
