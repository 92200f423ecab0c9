//! Check `tool_linkage` (trace 6.5): each call has exactly one result, each result one
//! call, both in one step.

use super::EventCase;
use super::past::Past;
use crate::check::Check::{CoreInvariants, ToolLinkage};
use crate::finding::{Findings, Spot};
use crate::read::event::Body;
use crate::reasons::TraceReason;

/// Number of open calls that the message names.
const NAMED: usize = 10;

pub(crate) fn event(case: &EventCase<'_>, past: &Past, findings: &mut Findings) {
    let step = case.event.step_id;
    match &case.event.body {
        Body::Called(call) => {
            let id = &call.name.id;
            let is_elsewhere = call.step_id != step;
            let key = call.name.key;
            // a result elsewhere answers this call, if there was no earlier one
            if is_elsewhere || !past.has_call(key) && past.is_result_elsewhere(key, step) {
                let reason = TraceReason::ToolStepMismatch;
                let noted = findings.add(ToolLinkage, reason, case.spot).refers_to(id);
                if is_elsewhere {
                    noted.differs(step, call.step_id);
                }
            }
        }
        Body::Returned(result) => {
            let id = result.call_id;
            let mut fail = |reason| {
                findings.add(ToolLinkage, reason, case.spot).refers_to(id);
            };
            if !past.has_call(result.call_key) {
                fail(TraceReason::OrphanToolResult);
            } else if past.is_call_elsewhere(result.call_key, step) {
                fail(TraceReason::ToolStepMismatch);
            }
            if past.has_result(result.call_key) {
                fail(TraceReason::DuplicateToolResult);
            }
        }
        Body::Started | Body::Finished(_) | Body::Registered(_) | Body::Claimed(_) => {}
    }
}

/// Calls without any result: one failure in each of the two checks.
pub(crate) fn finish(past: &Past, findings: &mut Findings) {
    let open = past.open_calls();
    let Some(first) = open.first() else {
        return;
    };
    let mut names: Vec<&str> = open
        .iter()
        .take(NAMED)
        .map(|call| call.id.as_str())
        .collect();
    let more = format!("and {} more", open.len().saturating_sub(NAMED));
    if open.len() > NAMED {
        names.push(&more);
    }
    let spot = Spot::Event {
        line: first.line,
        idx: first.idx,
        step: &first.step,
    };
    for check in [CoreInvariants, ToolLinkage] {
        findings
            .add(check, TraceReason::MissingToolResult, spot)
            .refers_to(&first.id)
            .says(format!("tool calls without a result: {}", names.join(", ")));
    }
}
