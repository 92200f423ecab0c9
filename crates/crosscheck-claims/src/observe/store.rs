//! Every file of a run, read once and shared by all claims as far as memory
//! allows (claims 5.1).

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
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
    /// Device and number of the documents of the run.
    documents: Vec<(u64, u64)>,
    visits: Kept<String, Visit>,
}

impl Store {
    pub(crate) fn new(policy: Policy, max_bytes: u64, documents: &[PathBuf]) -> Self {
        let metas = documents.iter().filter_map(|path| path.metadata().ok());
        Self {
            documents: metas.map(|meta| number(&meta)).collect(),
            policy,
            max_bytes,
            visits: Kept::new(BUDGET),
        }
    }

    /// Reads a file by the path in a document.
    pub(crate) fn visit(&self, path: &str) -> Visit {
        let look = || {
            let seen = self.policy.open(path).and_then(|opened| {
                let is_own = |meta: Metadata| self.documents.contains(&number(&meta));
                if opened.file.metadata().is_ok_and(is_own) {
                    return Err(Missing::OwnDocument);
                }
                FileSeen::look(opened, self.max_bytes)
            });
            Arc::new(seen)
        };
        let weigh = |visit: &Visit| visit.as_ref().as_ref().map_or(0, FileSeen::weight);
        self.visits.get(path, look, weigh)
    }
}

/// What a file has whatever it is called.
fn number(meta: &Metadata) -> (u64, u64) {
    (meta.dev(), meta.ino())
}
