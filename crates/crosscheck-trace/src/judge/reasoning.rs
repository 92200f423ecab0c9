//! Check `reasoning_trace` (trace 6.8): the reasoning hash in the header is that
//! of a derived claim. Runs only if there is one.

use crosscheck_core::digest::Hasher;
use crosscheck_core::json::Node;

use super::EventCase;
use crate::check::Check::ReasoningTrace;
use crate::finding::{Findings, Spot};
use crate::forms::is_hash;
use crate::read::claim::Claim;
use crate::read::event::Body;
use crate::read::header::Header;
use crate::reasons::TraceReason;

/// The reasoner whose result hash can be recomputed.
const BASELINE: &str = "baseline_extractive_v2";

/// The state of the check so far.
#[derive(Debug, Default)]
pub(crate) struct Reasoning {
    stage: Stage,
    some_hash: bool,
    header_matches: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Stage {
    /// No derived claim yet.
    #[default]
    Idle,
    /// The header names a hash.
    Asked,
    /// The header has no hash; nothing more can be compared.
    Stopped,
}

impl Reasoning {
    pub(crate) fn event(&mut self, case: &EventCase<'_>, header: &Header, findings: &mut Findings) {
        let Body::Claimed(claim) = &case.event.body else {
            return;
        };
        if !claim.is_derived() {
            return;
        }
        if self.stage == Stage::Idle {
            self.stage = if header_is_sound(header, findings) {
                Stage::Asked
            } else {
                Stage::Stopped
            };
        }
        if self.stage == Stage::Stopped {
            return;
        }
        let hash = claim
            .structured("result_sha256")
            .and_then(Node::as_str)
            .filter(|text| is_hash(text));
        let Some(hash) = hash else {
            findings
                .add(
                    ReasoningTrace,
                    TraceReason::ClaimResultHashMissing,
                    case.spot,
                )
                .of_claim(&claim.name.id)
                .field("event.claim.structured.result_sha256");
            return;
        };
        self.some_hash = true;
        self.header_matches |= header_hash(header) == Some(hash);
        if is_baseline(claim) {
            let made = result_hash(claim);
            if made != hash {
                findings
                    .add(ReasoningTrace, TraceReason::ResultHashWrong, case.spot)
                    .of_claim(&claim.name.id)
                    .differs(made, hash);
            }
        }
    }

    pub(crate) fn finish(&self, header: &Header, findings: &mut Findings) {
        if self.stage == Stage::Asked && self.some_hash && !self.header_matches {
            let spot = Spot::Header { line: header.line };
            findings
                .add(ReasoningTrace, TraceReason::ReasoningHashMismatch, spot)
                .field("metadata.reasoning_trace.reasoning_trace_sha256")
                .differs(
                    "the result hash of a derived claim",
                    header_hash(header).unwrap_or_default(),
                );
        }
    }
}

fn header_is_sound(header: &Header, findings: &mut Findings) -> bool {
    let spot = Spot::Header { line: header.line };
    let mut fail = |reason, field: &str| {
        findings.add(ReasoningTrace, reason, spot).field(field);
        false
    };
    if header
        .metadata("reasoning_trace")
        .and_then(Node::as_object)
        .is_none()
    {
        return fail(
            TraceReason::ReasoningMetadataMissing,
            "metadata.reasoning_trace",
        );
    }
    if !header_hash(header).is_some_and(is_hash) {
        return fail(
            TraceReason::ReasoningHashMissing,
            "metadata.reasoning_trace.reasoning_trace_sha256",
        );
    }
    true
}

fn header_hash(header: &Header) -> Option<&str> {
    header
        .metadata("reasoning_trace")?
        .get("reasoning_trace_sha256")?
        .as_str()
}

fn is_baseline(claim: &Claim<'_>) -> bool {
    claim
        .structured("reasoner")
        .and_then(|reasoner| reasoner.get("reasoner"))
        .and_then(Node::as_str)
        == Some(BASELINE)
}

fn result_hash(claim: &Claim<'_>) -> String {
    let mut hasher = Hasher::new();
    hasher.update(claim.statement);
    let mut separator = "|";
    for support in claim.evidence() {
        let (start, end) = support.span;
        hasher.update(format!(
            "{separator}{}:{start}-{end}:{}",
            support.ref_id, support.hash
        ));
        separator = ";";
    }
    if separator == "|" {
        hasher.update(separator);
    }
    hasher.finish().hex()
}
