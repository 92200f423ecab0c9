//! Check `derived_claim_grounding` (trace 6.7): derived claims have evidence
//! supports, and supports and citation markers are the same.

use std::collections::HashSet;

use crosscheck_core::json::{Node, Value};

use super::{EventCase, Metrics};
use crate::check::Check::DerivedClaimGrounding;
use crate::finding::{Findings, Spot};
use crate::ids::{self, Key, KeySet};
use crate::read::claim::Claim;
use crate::read::event::Body;
use crate::read::header::Header;
use crate::read::marker::{Marker, Markers, markers};
use crate::reasons::TraceReason;

/// The minimum without a policy.
const DEFAULT_MINIMUM: u64 = 2;

/// The state between claims.
pub(crate) struct Grounding {
    minimum: u64,
    /// Citations of derived claims so far.
    cited: KeySet,
    /// Marked claims with too few supports; excused if the run declares
    /// insufficiency anywhere.
    pending: Vec<Pending>,
}

struct Pending {
    line: u64,
    idx: u64,
    step: Box<str>,
    claim: Box<str>,
    found: usize,
}

impl Grounding {
    pub(crate) fn new(header: &Header, floor: u64, findings: &mut Findings) -> Self {
        let policy = header.metadata("reasoning_policy");
        let declared = match policy {
            None => Ok(DEFAULT_MINIMUM),
            Some(policy) => minimum(policy),
        };
        let minimum = declared.unwrap_or_else(|found| {
            let spot = Spot::Header { line: header.line };
            findings
                .add(DerivedClaimGrounding, TraceReason::BadSupportPolicy, spot)
                .field("metadata.reasoning_policy.min_supports_per_claim")
                .differs("an integer of at least 1", found);
            DEFAULT_MINIMUM
        });
        Self {
            minimum: minimum.max(floor),
            cited: KeySet::default(),
            pending: Vec::new(),
        }
    }

    pub(crate) fn event(
        &mut self,
        case: &EventCase<'_>,
        metrics: &mut Metrics,
        findings: &mut Findings,
    ) {
        match &case.event.body {
            Body::Claimed(claim) => self.claim(claim, case, metrics, findings),
            Body::Finished(output) => {
                if let Some(answer) = output.final_answer() {
                    self.answer(answer, case, metrics, findings);
                }
            }
            Body::Started | Body::Called(_) | Body::Returned(_) | Body::Registered(_) => {}
        }
    }

    fn claim(
        &mut self,
        claim: &Claim<'_>,
        case: &EventCase<'_>,
        metrics: &mut Metrics,
        findings: &mut Findings,
    ) {
        let found = markers(claim.statement);
        metrics.markers += found.good.len() as u64;
        let id = &claim.name.id;
        malformed(&found, Some(id), case.spot, findings);
        let citations = || {
            claim.evidence().map(|support| Marker {
                id: support.ref_id,
                start: support.span.0,
                end: support.span.1,
                hash: support.hash,
            })
        };
        // usually supports and markers are the same, in the same order
        let is_same = citations().eq(found.good.iter().copied());
        if is_same && !claim.is_derived() {
            return;
        }
        let supports = Distinct::of(citations());
        if claim.is_derived() {
            if supports.order.is_empty() {
                findings
                    .add(
                        DerivedClaimGrounding,
                        TraceReason::NoEvidenceSupport,
                        case.spot,
                    )
                    .of_claim(id);
                return;
            }
            if (supports.order.len() as u64) < self.minimum {
                self.too_few(claim, supports.order.len(), case, findings);
            }
            self.cited.extend(supports.order.iter().map(citation));
        }
        if is_same {
            return;
        }
        let cited = Distinct::of(found.good.iter().copied());
        for support in supports.beyond(&cited) {
            findings
                .add(DerivedClaimGrounding, TraceReason::MarkerMissing, case.spot)
                .of_claim(id)
                .refers_to(support.id)
                .differs(written(support), "no such marker in the statement");
        }
        for marker in cited.beyond(&supports) {
            findings
                .add(
                    DerivedClaimGrounding,
                    TraceReason::MarkerWithoutSupport,
                    case.spot,
                )
                .of_claim(id)
                .refers_to(marker.id)
                .differs(format!("a support for {}", written(marker)), "none");
        }
    }

    fn too_few(
        &mut self,
        claim: &Claim<'_>,
        found: usize,
        case: &EventCase<'_>,
        findings: &mut Findings,
    ) {
        if !claim.is_marked_insufficient() {
            too_few(case.spot, &claim.name.id, self.minimum, found, findings);
        } else if let Spot::Event { line, idx, step } = case.spot {
            self.pending.push(Pending {
                line,
                idx,
                step: step.into(),
                claim: claim.name.id.as_ref().into(),
                found,
            });
        }
    }

    fn answer(
        &self,
        answer: &str,
        case: &EventCase<'_>,
        metrics: &mut Metrics,
        findings: &mut Findings,
    ) {
        let found = markers(answer);
        metrics.markers += found.good.len() as u64;
        malformed(&found, None, case.spot, findings);
        let found = Distinct::of(found.good.iter().copied());
        for marker in found
            .order
            .iter()
            .filter(|marker| !self.cited.contains(&citation(marker)))
        {
            findings
                .add(
                    DerivedClaimGrounding,
                    TraceReason::MarkerWithoutSupport,
                    case.spot,
                )
                .field("event.output.final_answer")
                .refers_to(marker.id)
                .differs(
                    format!("a derived claim supported by {}", written(marker)),
                    "none",
                );
        }
    }

    pub(crate) fn finish(&self, declared_insufficient: bool, findings: &mut Findings) {
        if declared_insufficient {
            return;
        }
        for pending in &self.pending {
            let spot = Spot::Event {
                line: pending.line,
                idx: pending.idx,
                step: &pending.step,
            };
            too_few(spot, &pending.claim, self.minimum, pending.found, findings);
        }
    }
}

/// The minimum of a policy, or the value that is not valid.
fn minimum(policy: Node<'_>) -> Result<u64, String> {
    if policy.as_object().is_none() {
        return Err(crate::canonical::of_node(policy));
    }
    let Some(node) = policy.get("min_supports_per_claim") else {
        return Ok(DEFAULT_MINIMUM);
    };
    match node.value() {
        Value::Number(digits) if digits.is_integer() && !digits.text().starts_with('-') => {
            // a number that does not fit is more than any claim has
            match digits.text().parse().unwrap_or(u64::MAX) {
                0 => Err("0".to_owned()),
                number => Ok(number),
            }
        }
        _ => Err(crate::canonical::of_node(node)),
    }
}

fn too_few(spot: Spot<'_>, claim: &str, minimum: u64, found: usize, findings: &mut Findings) {
    findings
        .add(DerivedClaimGrounding, TraceReason::TooFewSupports, spot)
        .of_claim(claim)
        .differs(format!("{minimum} distinct citations"), found.to_string());
}

fn malformed(found: &Markers<'_>, claim: Option<&str>, spot: Spot<'_>, findings: &mut Findings) {
    for text in &found.malformed {
        let noted = findings.add(DerivedClaimGrounding, TraceReason::MarkerMalformed, spot);
        let noted = match claim {
            Some(id) => noted.of_claim(id),
            None => noted.field("event.output.final_answer"),
        };
        noted.differs(
            "[evidence:id:start-end:sha256]",
            format!("[evidence:{text}"),
        );
    }
}

/// Distinct citations in order of their first appearance.
struct Distinct<'t> {
    order: Vec<Marker<'t>>,
    set: HashSet<Marker<'t>>,
}

impl<'t> Distinct<'t> {
    fn of(all: impl Iterator<Item = Marker<'t>>) -> Self {
        let mut set = HashSet::new();
        let order = all.filter(|marker| set.insert(*marker)).collect();
        Self { order, set }
    }

    /// The elements that the other list lacks.
    fn beyond(&self, other: &Self) -> impl Iterator<Item = &Marker<'t>> {
        self.order
            .iter()
            .filter(|marker| !other.set.contains(marker))
    }
}

fn citation(marker: &Marker<'_>) -> Key {
    ids::key_of_parts(&[
        marker.id.as_bytes(),
        &marker.start.to_le_bytes(),
        &marker.end.to_le_bytes(),
        marker.hash.as_bytes(),
    ])
}

fn written(marker: &Marker<'_>) -> String {
    format!(
        "[evidence:{}:{}-{}:{}]",
        marker.id, marker.start, marker.end, marker.hash
    )
}
