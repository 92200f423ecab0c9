//! Check `core_invariants` (trace 6.2): the plan is valid, and events are
//! numbered, belong to a planned step and have unique ids.

use std::collections::HashSet;

use super::EventCase;
use super::past::Past;
use crate::check::Check::CoreInvariants;
use crate::finding::{Findings, Spot};
use crate::plan::Steps;
use crate::read::event::Body;
use crate::read::plan::Plan;
use crate::reasons::TraceReason;

/// The plan by itself.
pub(crate) fn plan(plan: &Plan, steps: &Steps, findings: &mut Findings) {
    if plan.nodes.is_empty() {
        findings.add(CoreInvariants, TraceReason::PlanEmpty, Spot::Plan);
    }
    let mut seen = HashSet::new();
    let twice = plan.nodes.iter().find(|node| !seen.insert(&node.name.id));
    if let Some(node) = twice {
        findings
            .add(CoreInvariants, TraceReason::PlanDuplicateNode, Spot::Plan)
            .step(&node.name.id);
    }
    for node in &plan.nodes {
        for dependency in node
            .dependencies
            .iter()
            .filter(|id| steps.number(id).is_none())
        {
            findings
                .add(
                    CoreInvariants,
                    TraceReason::PlanMissingDependency,
                    Spot::Plan,
                )
                .step(&node.name.id)
                .refers_to(dependency);
        }
        if node.step_kind != node.kind {
            findings
                .add(
                    CoreInvariants,
                    TraceReason::PlanStepKindMismatch,
                    Spot::Plan,
                )
                .step(&node.name.id)
                .differs(node.kind.word(), node.step_kind.word());
        }
    }
    for end in plan.edges.iter().flat_map(|(from, to)| [from, to]) {
        if steps.number(end).is_none() {
            findings
                .add(CoreInvariants, TraceReason::PlanBadEdge, Spot::Plan)
                .refers_to(end);
        }
    }
    if let Some(step) = steps.find_cycle() {
        findings
            .add(CoreInvariants, TraceReason::PlanCycle, Spot::Plan)
            .step(&step.id);
    }
}

/// One event by itself and compared with earlier ones.
pub(crate) fn event(case: &EventCase<'_>, position: u64, past: &Past, findings: &mut Findings) {
    let mut fail = |reason, reference: Option<&str>| {
        findings
            .add(CoreInvariants, reason, case.spot)
            .with(|failure| failure.location.reference = reference.map(str::to_owned));
    };
    let event = case.event;
    if event.step_id.is_empty() {
        fail(TraceReason::EventMissingStep, None);
    } else if case.step.is_none() {
        fail(TraceReason::UnknownStep, None);
    }
    match &event.body {
        Body::Called(call) if past.has_call(call.name.key) => {
            fail(TraceReason::DuplicateCallId, Some(&call.name.id));
        }
        Body::Returned(result) if !past.has_call(result.call_key) => {
            fail(TraceReason::ResultUnknownCall, Some(result.call_id));
        }
        Body::Registered(evidence) if past.has_evidence(evidence.name.key) => {
            fail(TraceReason::DuplicateEvidenceId, Some(&evidence.name.id));
        }
        Body::Claimed(claim) if past.has_claim(claim.name.key) => {
            fail(TraceReason::DuplicateClaimId, Some(&claim.name.id));
        }
        _ => {}
    }
    match event.idx {
        None => fail(TraceReason::IdxMissing, None),
        Some(_) if event.is_at(position) => {}
        Some(found) => {
            findings
                .add(CoreInvariants, TraceReason::IdxNotSequential, case.spot)
                .field("event.idx")
                .differs(position.to_string(), found);
        }
    }
}
