//! Runs: a debate log once, a debate log followed, documents.

mod agenda;
mod commit;
pub mod debate;
pub mod documents;
pub mod inbox;
pub mod listing;
mod shelf;
pub mod watch;

use crate::report::result::Row;

/// Where a run stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Not begun.
    pub pending: usize,
    /// Being checked.
    pub in_progress: usize,
    /// Done.
    pub completed: usize,
}

/// Hears a run while it goes on.
pub trait Audience: Send + Sync {
    /// Something changed.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// One citation was judged.
    fn result(&self, row: &Row) {
        let _ = row;
    }

    /// Something is odd, and the run goes on.
    fn warn(&self, text: &str) {
        let _ = text;
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Audience for Nobody {}
