//! What occurred before an event. Ids are kept as short keys, in full only
//! for calls that are still open.

use std::collections::{HashMap, HashSet};

use crate::ids::{self, Key};
use crate::read::claim::Status;
use crate::read::event::{Body, Event};

/// Everything that occurred so far.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// Calls, with the step of their event.
    calls: HashMap<Key, Key>,
    /// Results, with the step of the event of the first one.
    results: HashMap<Key, Key>,
    evidence: HashSet<Key>,
    /// Claims, and whether they were emitted as rejected.
    claims: HashMap<Key, bool>,
    open: HashMap<Key, OpenCall>,
}

/// A call without a result yet.
#[derive(Debug)]
pub(crate) struct OpenCall {
    pub(crate) id: Box<str>,
    pub(crate) line: u64,
    pub(crate) idx: u64,
    pub(crate) step: Box<str>,
}

impl Past {
    /// The step of a call that occurred.
    pub(crate) fn call(&self, id: &str) -> Option<Key> {
        self.calls.get(&ids::key(id)).copied()
    }

    /// The step of the first result of a call that occurred.
    pub(crate) fn result(&self, id: &str) -> Option<Key> {
        self.results.get(&ids::key(id)).copied()
    }

    pub(crate) fn has_evidence(&self, id: &str) -> bool {
        self.evidence.contains(&ids::key(id))
    }

    pub(crate) fn has_claim(&self, id: &str) -> bool {
        self.claims.contains_key(&ids::key(id))
    }

    /// Whether a claim was emitted as rejected.
    pub(crate) fn is_rejected(&self, id: &str) -> bool {
        self.claims.get(&ids::key(id)) == Some(&true)
    }

    /// The calls without any result, in order.
    pub(crate) fn open_calls(&self) -> Vec<&OpenCall> {
        let mut open: Vec<&OpenCall> = self.open.values().collect();
        open.sort_unstable_by_key(|call| call.line);
        open
    }

    /// Remembers an event.
    pub(crate) fn event(&mut self, event: &Event<'_>, line: u64, idx: u64) {
        match &event.body {
            Body::Started | Body::Finished(_) => {}
            Body::Called(call) => {
                let key = ids::key(&call.name.id);
                self.calls.insert(key, ids::key(event.step_id));
                if !self.results.contains_key(&key) {
                    self.open.entry(key).or_insert_with(|| OpenCall {
                        id: call.name.id.as_ref().into(),
                        line,
                        idx,
                        step: event.step_id.into(),
                    });
                }
            }
            Body::Returned(result) => {
                let key = ids::key(result.call_id);
                self.open.remove(&key);
                self.results
                    .entry(key)
                    .or_insert_with(|| ids::key(event.step_id));
            }
            Body::Registered(evidence) => {
                self.evidence.insert(ids::key(&evidence.name.id));
            }
            Body::Claimed(claim) => {
                let rejected = claim.status == Status::Rejected;
                *self.claims.entry(ids::key(&claim.name.id)).or_default() |= rejected;
            }
        }
    }
}
