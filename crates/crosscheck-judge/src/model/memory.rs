//! Cached answers. Errors are never kept.

use std::path::PathBuf;

use crosscheck_core::digest::Digest;
use crosscheck_core::files::{drain_limited, open_regular, write_atomic};

use super::{Ask, PROTOCOL, Said};
use crate::Builtin;

const MAX_BYTES: u64 = 1024 * 1024;

pub(super) struct Memory {
    folder: PathBuf,
}

impl Memory {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Everything that decides an answer.
    pub(super) fn key(model: &str, ask: &Ask) -> String {
        let parts = (
            PROTOCOL,
            model,
            ask.manner(),
            Builtin::version(),
            &ask.claim,
            &ask.snippet,
            &ask.quote,
        );
        Digest::of(serde_json::to_string(&parts).unwrap_or_default()).hex()
    }

    pub(super) fn recall(&self, key: &str) -> Option<Said> {
        let file = open_regular(&self.path(key)).ok()?;
        serde_json::from_slice(&drain_limited(file, MAX_BYTES).ok()??).ok()
    }

    /// If the cache cannot be written, the question is asked again next time.
    pub(super) fn keep(&self, key: &str, said: &Said) {
        if let Ok(bytes) = serde_json::to_vec(said) {
            let _ = write_atomic(&self.path(key), &bytes);
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}
