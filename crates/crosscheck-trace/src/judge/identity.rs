//! Check `content_ids` (trace 6.15): an id that looks like a hash is the hash
//! of its object. This detects later edits. The functions return the number of
//! opaque ids.

use super::EventCase;
use crate::check::Check::ContentIds;
use crate::finding::{Findings, Spot};
use crate::ids::{self, Form};
use crate::read::event::Body;
use crate::read::header::Header;
use crate::read::named::Named;
use crate::read::plan::{Plan, Spec};
use crate::reasons::TraceReason;

pub(crate) fn plan(plan: &Plan, findings: &mut Findings) -> u64 {
    let names = plan.nodes.iter().map(|node| (&node.name, "nodes.id"));
    std::iter::once((&plan.name, "id"))
        .chain(names)
        .map(|(name, field)| look(name, field, Spot::Plan, findings))
        .sum()
}

pub(crate) fn spec(spec: &Spec, findings: &mut Findings) -> u64 {
    let spot = Spot::File {
        path: "spec.json",
        line: None,
    };
    look(&spec.name, "id", spot, findings)
}

pub(crate) fn event(case: &EventCase<'_>, findings: &mut Findings) -> u64 {
    let (name, field) = match &case.event.body {
        Body::Called(call) => (&call.name, "event.call.id"),
        Body::Registered(evidence) => (&evidence.name, "event.evidence.id"),
        Body::Claimed(claim) => (&claim.name, "event.claim.id"),
        Body::Started | Body::Finished(_) | Body::Returned(_) => return 0,
    };
    look(name, field, case.spot, findings)
}

pub(crate) fn trace(header: &Header, made: &str, findings: &mut Findings) -> u64 {
    let spot = Spot::Header { line: header.line };
    let form = ids::form(&header.id, ["trace"].into_iter());
    match form {
        Form::Absent => {
            findings
                .add(ContentIds, TraceReason::TraceIdMissing, spot)
                .field("id")
                .expects(made);
        }
        Form::Content if header.id != made => mismatch(&header.id, made, "id", spot, findings),
        Form::Content | Form::Opaque => {}
    }
    u64::from(form == Form::Opaque)
}

fn look(name: &Named<'_>, field: &str, spot: Spot<'_>, findings: &mut Findings) -> u64 {
    if let Some(made) = &name.should_be {
        mismatch(&name.id, made, field, spot, findings);
    }
    u64::from(name.form == Form::Opaque)
}

fn mismatch(found: &str, made: &str, field: &str, spot: Spot<'_>, findings: &mut Findings) {
    findings
        .add(ContentIds, TraceReason::IdMismatch, spot)
        .field(field)
        .refers_to(found)
        .differs(made, found);
}
