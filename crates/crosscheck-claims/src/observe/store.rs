//! Every file of a run, read once and shared by all claims as far as memory
//! allows (claims 5.1).

use std::sync::Arc;

use super::kept::Kept;
use super::{FileSeen, Missing, Policy};

/// Memory limit for all files together.
const BUDGET: usize = 256 * 1024 * 1024;

/// A file that was read, or why it could not be.
pub(crate) type Visit = Arc<Result<FileSeen, Missing>>;

/// The files of a run.
pub(crate) struct Store {
    pub(crate) policy: Policy,
    max_bytes: u64,
    visits: Kept<String, Visit>,
}

impl Store {
    pub(crate) fn new(policy: Policy, max_bytes: u64) -> Self {
        Self {
            policy,
            max_bytes,
            visits: Kept::new(BUDGET),
        }
    }

    /// Reads a file by the path in a document.
    pub(crate) fn visit(&self, path: &str) -> Visit {
        let look = || {
            let opened = self.policy.open(path);
            Arc::new(opened.and_then(|opened| FileSeen::look(opened, self.max_bytes)))
        };
        let weigh = |visit: &Visit| visit.as_ref().as_ref().map_or(0, FileSeen::weight);
        self.visits.get(path, look, weigh)
    }
}
