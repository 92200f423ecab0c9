//! What occurred before an event. Ids are kept as short keys, and in full only
//! for open calls.

use crate::ids::{self, Key, KeyMap};
use crate::read::claim::ClaimStatus;
use crate::read::event::{Body, Event};

/// Everything that occurred so far.
#[derive(Debug, Default)]
pub(crate) struct Past {
    calls: KeyMap<CallSteps>,
    /// Evidence, and the number of its latest registration.
    evidence: KeyMap<u32>,
    registrations: u32,
    /// Claims, and whether they were emitted as rejected.
    claims: KeyMap<bool>,
    open: KeyMap<OpenCall>,
}

/// The steps of the events around a call id.
#[derive(Debug, Clone, Copy, Default)]
struct CallSteps {
    call: Option<Key>,
    /// Of the first result.
    result: Option<Key>,
}

/// A call without a result yet.
#[derive(Debug)]
pub(crate) struct OpenCall {
    pub(crate) id: String,
    pub(crate) line: u64,
    pub(crate) idx: u64,
    pub(crate) step: String,
}

impl Past {
    /// Whether a call occurred.
    pub(crate) fn has_call(&self, call: Key) -> bool {
        self.calls
            .get(&call)
            .is_some_and(|collected| collected.call.is_some())
    }

    /// Whether a result of a call occurred.
    pub(crate) fn has_result(&self, call: Key) -> bool {
        self.calls
            .get(&call)
            .is_some_and(|collected| collected.result.is_some())
    }

    /// Whether a call occurred, in another step than this one.
    pub(crate) fn is_call_elsewhere(&self, call: Key, step: &str) -> bool {
        let there = self.calls.get(&call).and_then(|collected| collected.call);
        there.is_some_and(|there| there != ids::key(step))
    }

    /// Whether the first result of a call occurred, in another step than this one.
    pub(crate) fn is_result_elsewhere(&self, call: Key, step: &str) -> bool {
        let there = self.calls.get(&call).and_then(|collected| collected.result);
        there.is_some_and(|there| there != ids::key(step))
    }

    pub(crate) fn has_evidence(&self, evidence: Key) -> bool {
        self.evidence.contains_key(&evidence)
    }

    pub(crate) fn has_claim(&self, claim: Key) -> bool {
        self.claims.contains_key(&claim)
    }

    /// Whether a claim was emitted as rejected.
    pub(crate) fn is_rejected(&self, claim: Key) -> bool {
        self.claims.get(&claim) == Some(&true)
    }

    /// Evidence by id, each with the number of its latest registration.
    pub(crate) fn into_evidence(self) -> KeyMap<u32> {
        self.evidence
    }

    /// The calls without any result, in order.
    pub(crate) fn open_calls(&self) -> Vec<&OpenCall> {
        let mut open: Vec<&OpenCall> = self.open.values().collect();
        open.sort_unstable_by_key(|call| call.line);
        open
    }

    /// Records an event.
    pub(crate) fn event(&mut self, event: &Event<'_>, line: u64, idx: u64) {
        match &event.body {
            Body::Started | Body::Finished(_) => {}
            Body::Called(call) => {
                let step = ids::key(event.step_id);
                let collected = self.calls.entry(call.name.key).or_default();
                collected.call = Some(step);
                if collected.result.is_none() {
                    let open = self.open.entry(call.name.key);
                    open.or_insert_with(|| OpenCall {
                        id: call.name.id.to_string(),
                        line,
                        idx,
                        step: event.step_id.to_owned(),
                    });
                }
            }
            Body::Returned(result) => {
                let step = ids::key(event.step_id);
                self.open.remove(&result.call_key);
                let collected = self.calls.entry(result.call_key).or_default();
                collected.result.get_or_insert(step);
            }
            Body::Registered(evidence) => {
                self.evidence.insert(evidence.name.key, self.registrations);
                self.registrations = self.registrations.saturating_add(1);
            }
            Body::Claimed(claim) => {
                let rejected = claim.status == ClaimStatus::Rejected;
                *self.claims.entry(claim.name.key).or_default() |= rejected;
            }
        }
    }
}
