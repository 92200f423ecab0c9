//! Check `run_binding` (trace 6.3): trace, plan and spec belong to one run.

use super::identity;
use crate::check::Check::RunBinding;
use crate::finding::{Findings, Spot};
use crate::observe::artifacts::Artifact;
use crate::read::header::Header;
use crate::read::plan::{self, Plan};
use crate::reasons::TraceReason;

/// Compares the ids that bind the files; returns the number of opaque ids.
pub(crate) fn judge(header: &Header, plan: &Plan, spec: &Artifact, findings: &mut Findings) -> u64 {
    let spot = Spot::Header { line: header.line };
    match header.plan_id.as_deref() {
        None | Some("") => {
            findings
                .add(RunBinding, TraceReason::PlanUnbound, spot)
                .field("plan_id");
        }
        Some(found) if found != plan.name.id => {
            findings
                .add(RunBinding, TraceReason::PlanIdMismatch, spot)
                .field("plan_id")
                .differs(plan.name.id.as_ref(), found);
        }
        Some(_) => {}
    }
    if let Some(found) = header
        .spec_id
        .as_deref()
        .filter(|found| *found != plan.spec_id)
    {
        findings
            .add(RunBinding, TraceReason::SpecIdMismatch, spot)
            .field("spec_id")
            .differs(plan.spec_id.as_str(), found);
    }
    spec_file(plan, spec, findings)
}

fn spec_file(plan: &Plan, spec: &Artifact, findings: &mut Findings) -> u64 {
    let spot = Spot::File {
        path: "spec.json",
        line: None,
    };
    let read = match spec {
        Artifact::Absent => return 0,
        Artifact::Unreadable(why) => Err(why.clone()),
        Artifact::Bytes(bytes) => plan::spec(bytes),
    };
    match read {
        Err(why) => {
            findings
                .add(RunBinding, TraceReason::SpecMalformed, spot)
                .says(format!("spec.json is not a problem spec: {why}"));
            0
        }
        Ok(spec) => {
            if spec.name.id != plan.spec_id {
                findings
                    .add(RunBinding, TraceReason::SpecIdMismatch, spot)
                    .field("id")
                    .differs(plan.spec_id.as_str(), spec.name.id.as_ref());
            }
            identity::spec(&spec, findings)
        }
    }
}
