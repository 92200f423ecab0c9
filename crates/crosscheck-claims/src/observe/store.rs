//! Every file of a run, read once and shared by all claims as far as memory
//! allows (claims 5.1).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{FileSeen, Missing, Policy};

/// Memory limit for all files together; beyond it the oldest ones are dropped
/// and read again when needed.
const BUDGET: usize = 256 * 1024 * 1024;

/// A file that was read, or why it could not be.
pub(crate) type Visit = Arc<Result<FileSeen, Missing>>;

type Slot = Arc<OnceLock<Visit>>;

/// The files of a run.
pub(crate) struct Store {
    pub(crate) policy: Policy,
    max_bytes: u64,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    by_path: HashMap<Box<str>, Slot>,
    /// In the order they were loaded, with their weight.
    loaded: std::collections::VecDeque<(Box<str>, usize)>,
    weight: usize,
}

impl Store {
    pub(crate) fn new(policy: Policy, max_bytes: u64) -> Self {
        Self {
            policy,
            max_bytes,
            slots: Mutex::default(),
        }
    }

    /// Reads a file by the path in a document.
    pub(crate) fn visit(&self, path: &str) -> Visit {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            match slots.by_path.get(path) {
                Some(slot) => Arc::clone(slot),
                None => Arc::clone(slots.by_path.entry(path.into()).or_default()),
            }
        };
        let mut fresh = false;
        let visit = Arc::clone(slot.get_or_init(|| {
            fresh = true;
            let opened = self.policy.open(path);
            Arc::new(opened.and_then(|opened| FileSeen::look(opened, self.max_bytes)))
        }));
        if fresh {
            self.account(path, visit.as_ref().as_ref().map_or(0, FileSeen::weight));
        }
        visit
    }

    fn account(&self, path: &str, weight: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.weight += weight;
        slots.loaded.push_back((path.into(), weight));
        while slots.weight > BUDGET && slots.loaded.len() > 1 {
            if let Some((path, weight)) = slots.loaded.pop_front() {
                slots.by_path.remove(&path);
                slots.weight -= weight;
            }
        }
    }
}
