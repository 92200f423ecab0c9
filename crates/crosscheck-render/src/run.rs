//! What a report does not know about its run, for the page that is handed over.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crosscheck_core::Verdict;

/// When, with which program, on which files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// When the report was made, by RFC 3339.
    pub at: String,
    /// The program with its version and commit.
    pub tool: String,
    /// The files that were named, each with its SHA-256.
    pub inputs: Vec<(String, String)>,
    /// The verdicts of earlier runs by the name of a check, the oldest first.
    pub history: BTreeMap<String, Vec<Verdict>>,
}

static SOURCE: OnceLock<fn() -> RunFacts> = OnceLock::new();

/// Tells where the facts come from. They are asked for when a page is made, as
/// hashing inputs takes time.
pub fn tell_run(source: fn() -> RunFacts) {
    let _ = SOURCE.set(source);
}

pub(crate) fn facts() -> Option<RunFacts> {
    SOURCE.get().map(|source| source())
}
