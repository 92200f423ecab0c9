//! Check `claim_justifications` (trace 6.6): the supports of a claim come
//! before it.

use super::EventCase;
use super::past::Past;
use crate::check::Check::ClaimJustifications;
use crate::finding::Findings;
use crate::read::claim::SupportKind;
use crate::read::event::Body;
use crate::reasons::TraceReason;

pub(crate) fn event(case: &EventCase<'_>, past: &Past, findings: &mut Findings) {
    let Body::Claimed(claim) = &case.event.body else {
        return;
    };
    for (nth, support) in claim.supports.iter().enumerate() {
        let id = support.ref_id;
        let (known, reason) = match support.kind {
            SupportKind::Claim => (past.has_claim(support.key), TraceReason::UnknownClaimRef),
            SupportKind::Evidence => (
                past.has_evidence(support.key),
                TraceReason::UnknownEvidenceRef,
            ),
            SupportKind::ToolCall => (past.has_result(support.key), TraceReason::UnknownToolRef),
        };
        if !known {
            findings
                .add(ClaimJustifications, reason, case.spot)
                .of_claim(&claim.name.id)
                .refers_to(id)
                .field(format!("event.claim.supports[{nth}]"));
        }
    }
}
