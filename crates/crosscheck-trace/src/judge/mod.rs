//! The checks, one file for each (trace 6); this file passes events to them.

pub(crate) mod binding;
pub(crate) mod evidence;
mod grounding;
mod identity;
mod insufficiency;
mod invariants;
mod justification;
mod order;
mod outputs;
mod past;
mod reasoning;
pub(crate) mod seal;
mod steps;
mod tools;

use crosscheck_core::digest::Hasher;
use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::{Findings, Spot};
use crate::ids::{self, Key, KeyMap};
use crate::observe::files::Files;
use crate::plan::Steps;
use crate::read::claim::{ClaimType, SupportKind};
use crate::read::event::{Body, Event};
use crate::read::header::{self, Header};
use crate::read::output::Output;
use crate::read::plan::Plan;
use crate::request::Insufficient;

/// One event for the checks.
pub(crate) struct EventCase<'a> {
    pub(crate) event: &'a Event<'a>,
    pub(crate) spot: Spot<'a>,
    /// The number of its planned step.
    pub(crate) step: Option<usize>,
}

/// What is kept of the trace: bounded by ids, evidence and supports.
pub(crate) struct Collected {
    pub(crate) metrics: Metrics,
    pub(crate) evidence: Vec<EvidenceRecord>,
    /// The ids of all evidence, by the same number.
    pub(crate) evidence_ids: Vec<Box<str>>,
    /// Evidence by id; if an id was registered twice, the later registration
    /// counts.
    pub(crate) latest: KeyMap<u32>,
    pub(crate) files: Files,
    pub(crate) supports: Vec<SupportRecord>,
    /// Ids that were cited before they were registered.
    pub(crate) unregistered: KeyMap<Box<str>>,
    /// Ids of the claims that cite evidence.
    pub(crate) claims: Vec<Box<str>>,
    pub(crate) trace_id: String,
}

/// A registered piece of evidence.
pub(crate) struct EvidenceRecord {
    /// The number of its file.
    pub(crate) file: u32,
    pub(crate) sha256: [u8; 32],
    pub(crate) span: (u64, u64),
    pub(crate) chunk_id: [u8; 32],
    pub(crate) line: u64,
    pub(crate) idx: u64,
}

/// A support of kind `evidence`.
pub(crate) struct SupportRecord {
    pub(crate) evidence: Key,
    pub(crate) span: (u64, u64),
    pub(crate) hash: [u8; 32],
    pub(crate) line: u64,
    pub(crate) idx: u64,
    /// Position in the list of claims.
    pub(crate) claim: u32,
    /// Position among the supports of the claim.
    pub(crate) nth: u32,
}

/// Numbers for people; no verdict depends on them.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct Metrics {
    pub(crate) events: u64,
    pub(crate) steps: u64,
    pub(crate) tool_calls: u64,
    pub(crate) tool_results: u64,
    pub(crate) tool_failures: u64,
    pub(crate) evidence: u64,
    pub(crate) evidence_bytes: u64,
    pub(crate) claims: u64,
    pub(crate) claims_derived: u64,
    pub(crate) claims_observed: u64,
    pub(crate) claims_assumed: u64,
    pub(crate) supports: u64,
    pub(crate) supports_verified: u64,
    pub(crate) supports_unverifiable: u64,
    pub(crate) opaque_ids: u64,
    #[serde(skip)]
    pub(crate) markers: u64,
    #[serde(skip)]
    pub(crate) evidence_files: u64,
}

/// All checks of events.
pub(crate) struct Judge<'r> {
    header: &'r Header,
    steps: &'r Steps,
    /// The step of the last event.
    step: Option<usize>,
    collected: Collected,
    past: past::Past,
    progress: steps::Progress,
    grounding: grounding::Grounding,
    reasoning: reasoning::Reasoning,
    insufficiency: insufficiency::Insufficiency,
    outputs: outputs::Outputs,
    identity: Hasher,
}

impl<'r> Judge<'r> {
    pub(crate) fn new(
        header: &'r Header,
        plan: &Plan,
        steps: &'r Steps,
        min_supports: u64,
        findings: &mut Findings,
    ) -> Self {
        invariants::plan(plan, steps, findings);
        let mut identity = Hasher::new();
        identity.update(header::OPENING);
        let mut judge = Self {
            header,
            steps,
            step: None,
            collected: Collected {
                metrics: Metrics::default(),
                evidence: Vec::new(),
                evidence_ids: Vec::new(),
                latest: KeyMap::default(),
                files: Files::default(),
                supports: Vec::new(),
                unregistered: KeyMap::default(),
                claims: Vec::new(),
                trace_id: String::new(),
            },
            past: past::Past::default(),
            progress: steps::Progress::new(steps.len()),
            grounding: grounding::Grounding::new(header, min_supports, findings),
            reasoning: reasoning::Reasoning::default(),
            insufficiency: insufficiency::Insufficiency::default(),
            outputs: outputs::Outputs::default(),
            identity,
        };
        judge.collected.metrics.opaque_ids += identity::plan(plan, findings);
        judge
    }

    /// Passes one event to the checks, then records it.
    pub(crate) fn event(&mut self, event: &Event<'_>, line: u64, findings: &mut Findings) {
        let idx = self.collected.metrics.events;
        self.step = self.step_of(event);
        let case = EventCase {
            event,
            spot: Spot::Event {
                line,
                idx,
                step: event.step_id,
            },
            step: self.step,
        };
        invariants::event(&case, idx, &self.past, findings);
        order::event(&case, self.steps, &self.progress, findings);
        tools::event(&case, &self.past, findings);
        justification::event(&case, &self.past, findings);
        self.grounding
            .event(&case, &mut self.collected.metrics, findings);
        self.reasoning.event(&case, self.header, findings);
        self.insufficiency.event(&case);
        self.outputs.event(&case, &self.past, findings);
        self.collected.metrics.opaque_ids += identity::event(&case, findings);
        self.hash(event);
        self.count(event);
        self.remember(event, line, idx);
        self.progress.event(&case, line, idx);
        self.past.event(event, line, idx);
        self.collected.metrics.events += 1;
    }

    /// Runs the checks that need the whole trace.
    pub(crate) fn finish(mut self, policy: Insufficient, findings: &mut Findings) -> Collected {
        self.progress.finish(self.steps, findings);
        tools::finish(&self.past, findings);
        let insufficient = self.insufficiency.is_declared();
        self.grounding.finish(insufficient, findings);
        self.reasoning.finish(self.header, findings);
        self.insufficiency.finish(policy, findings);
        self.identity.update("]");
        self.identity.update(self.header.closing());
        let made = ids::stable("trace", self.identity.finish());
        self.collected.metrics.opaque_ids += identity::trace(self.header, &made, findings);
        self.collected.metrics.steps = self.progress.started();
        self.collected.trace_id = made;
        self.collected.latest = self.past.into_evidence();
        self.collected
    }

    /// The step of an event, usually that of the event before.
    fn step_of(&self, event: &Event<'_>) -> Option<usize> {
        let before = self.step.and_then(|step| self.steps.get(step));
        if before.is_some_and(|step| step.id == event.step_id) {
            self.step
        } else {
            self.steps.number(event.step_id)
        }
    }

    fn hash(&mut self, event: &Event<'_>) {
        if self.collected.metrics.events > 0 {
            self.identity.update(",");
        }
        self.identity.update(event.text.as_bytes());
    }

    fn count(&mut self, event: &Event<'_>) {
        let metrics = &mut self.collected.metrics;
        match &event.body {
            Body::Started | Body::Finished(_) => {}
            Body::Called(_) => metrics.tool_calls += 1,
            Body::Returned(result) => {
                metrics.tool_results += 1;
                metrics.tool_failures += u64::from(!result.success);
            }
            Body::Registered(_) => metrics.evidence += 1,
            Body::Claimed(claim) => {
                metrics.claims += 1;
                match claim.origin {
                    ClaimType::Derived => metrics.claims_derived += 1,
                    ClaimType::Observed => metrics.claims_observed += 1,
                    ClaimType::Assumed => metrics.claims_assumed += 1,
                }
                metrics.supports += claim.supports.len() as u64;
                metrics.supports_unverifiable += claim
                    .supports
                    .iter()
                    .filter(|support| support.kind != SupportKind::Evidence)
                    .count() as u64;
            }
        }
    }

    /// Keeps what the evidence phase needs.
    fn remember(&mut self, event: &Event<'_>, line: u64, idx: u64) {
        match &event.body {
            Body::Registered(evidence) => {
                self.collected
                    .evidence_ids
                    .push(evidence.name.id.as_ref().into());
                self.collected.evidence.push(EvidenceRecord {
                    file: self.collected.files.add(evidence.content_path),
                    sha256: ids::unhex(evidence.sha256),
                    span: evidence.span,
                    chunk_id: ids::unhex(evidence.chunk_id),
                    line,
                    idx,
                });
            }
            Body::Claimed(claim) => {
                let before = self.collected.supports.len();
                let number = u32::try_from(self.collected.claims.len()).unwrap_or(u32::MAX);
                for (nth, support) in claim.supports.iter().enumerate() {
                    if support.kind == SupportKind::Evidence {
                        if !self.past.has_evidence(support.key) {
                            let id = support.ref_id.into();
                            self.collected.unregistered.insert(support.key, id);
                        }
                        self.collected.supports.push(SupportRecord {
                            evidence: support.key,
                            span: support.span,
                            hash: ids::unhex(support.hash),
                            line,
                            idx,
                            claim: number,
                            nth: u32::try_from(nth).unwrap_or(u32::MAX),
                        });
                    }
                }
                if self.collected.supports.len() > before {
                    self.collected.claims.push(claim.name.id.as_ref().into());
                }
            }
            Body::Started | Body::Finished(_) | Body::Called(_) | Body::Returned(_) => {}
        }
    }
}

/// The output of a step that finished here, if one did.
pub(crate) const fn output<'a>(event: &'a Event<'a>) -> Option<&'a Output<'a>> {
    match &event.body {
        Body::Finished(output) => Some(output),
        _ => None,
    }
}
