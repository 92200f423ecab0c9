//! Check `insufficient_reasoning` (trace 6.9): a run has derived claims, or
//! declares insufficient evidence, or both with every claim clearly marked.

use super::{EventCase, output};
use crate::check::Check::InsufficientReasoning;
use crate::finding::{Findings, Spot};
use crate::ids::{self, Key, KeySet};
use crate::read::claim::ClaimStatus;
use crate::read::event::Body;
use crate::reasons::TraceReason;
use crate::request::Insufficient;

/// The declarations of insufficient evidence.
#[derive(Debug, Default)]
pub(crate) struct Insufficiency {
    declared: bool,
    derived: Vec<Derived>,
    validated: KeySet,
    stated_without_reserve: KeySet,
}

#[derive(Debug)]
struct Derived {
    key: Key,
    id: Box<str>,
    step: Box<str>,
    line: u64,
    idx: u64,
    /// Marked by itself and not emitted as validated.
    marked: bool,
}

impl Insufficiency {
    /// Whether a step declared insufficient evidence.
    pub(crate) const fn is_declared(&self) -> bool {
        self.declared
    }

    pub(crate) fn event(&mut self, case: &EventCase<'_>) {
        if let Some(output) = output(case.event) {
            self.declared |= output.is_insufficient();
            self.validated
                .extend(output.ids("validated_claim_ids").map(ids::key));
            if !output.has_uncertainty() {
                self.stated_without_reserve
                    .extend(output.ids("final_claim_ids").map(ids::key));
            }
        }
        if let (Body::Claimed(claim), Spot::Event { line, idx, step }) =
            (&case.event.body, case.spot)
            && claim.is_derived()
        {
            self.derived.push(Derived {
                key: claim.name.key,
                id: claim.name.id.as_ref().into(),
                step: step.into(),
                line,
                idx,
                marked: claim.is_marked_insufficient() && claim.status != ClaimStatus::Validated,
            });
        }
    }

    pub(crate) fn finish(&self, policy: Insufficient, findings: &mut Findings) {
        if self.derived.is_empty() && !self.declared {
            findings.add(
                InsufficientReasoning,
                TraceReason::NoClaimNoInsufficiency,
                Spot::End,
            );
        }
        if !self.declared {
            return;
        }
        for claim in self
            .derived
            .iter()
            .filter(|claim| !self.holds(claim, policy))
        {
            let spot = Spot::Event {
                line: claim.line,
                idx: claim.idx,
                step: &claim.step,
            };
            findings
                .add(
                    InsufficientReasoning,
                    TraceReason::AmbiguousInsufficiency,
                    spot,
                )
                .of_claim(&claim.id);
        }
    }

    /// Whether the mark of a claim is valid for the whole run.
    fn holds(&self, claim: &Derived, policy: Insufficient) -> bool {
        policy == Insufficient::Marked
            && claim.marked
            && !self.validated.contains(&claim.key)
            && !self.stated_without_reserve.contains(&claim.key)
    }
}
