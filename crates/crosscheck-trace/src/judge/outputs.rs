//! Check `output_linkage` (trace 6.10): what a step reports has occurred, and
//! rejected claims are not part of the answer.

use std::collections::HashSet;

use super::past::Past;
use super::{EventCase, output};
use crate::check::Check::OutputLinkage;
use crate::finding::Findings;
use crate::ids::{self, KeySet};
use crate::reasons::TraceReason;

/// Claims that verify outputs rejected so far.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    turned_down: KeySet,
}

impl Outputs {
    pub(crate) fn event(&mut self, case: &EventCase<'_>, past: &Past, findings: &mut Findings) {
        let Some(output) = output(case.event) else {
            return;
        };
        let mut fail = |reason, field: &str, id: &str| {
            findings
                .add(OutputLinkage, reason, case.spot)
                .field(format!("event.output.{field}"))
                .refers_to(id);
        };
        for id in output
            .ids("evidence_ids")
            .filter(|id| !past.has_evidence(ids::key(id)))
        {
            fail(TraceReason::UnknownOutputRef, "evidence_ids", id);
        }
        for (list, ids) in output.claim_lists() {
            for id in ids.filter(|id| !past.has_claim(ids::key(id))) {
                fail(TraceReason::UnknownOutputRef, list, id);
            }
        }
        // each claim once, however often a list names it
        let mut rejected: HashSet<&str> = output.ids("rejected_claim_ids").collect();
        for id in output
            .ids("validated_claim_ids")
            .filter(|id| rejected.remove(id))
        {
            fail(
                TraceReason::ClaimValidatedAndRejected,
                "validated_claim_ids",
                id,
            );
        }
        for id in output.ids("final_claim_ids") {
            if self.turned_down.contains(&ids::key(id)) || past.is_rejected(ids::key(id)) {
                fail(TraceReason::RejectedClaimFinal, "final_claim_ids", id);
            }
        }
        let down = output
            .ids("rejected_claim_ids")
            .chain(output.ids("missing_support_claim_ids"));
        self.turned_down.extend(down.map(ids::key));
    }
}
