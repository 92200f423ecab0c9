//! The only part that touches the world: files, git, environment files,
//! addresses on this machine. It returns opinions of
//! single looks; weighing them is the judge's.

pub mod env;
pub mod files;
pub mod git;
pub mod http;
pub mod layout;
pub mod outputs;
pub mod rewrites;
pub mod symbols;

use crosscheck_core::Verdict;

use crate::opinion::{Opinion, Source};
use crate::reasons::DoneReason;

pub(crate) fn confirmed(reason: DoneReason) -> Opinion {
    Opinion::new(Verdict::Confirmed, reason, Source::Reality)
}

pub(crate) fn refuted(reason: DoneReason) -> Opinion {
    Opinion::new(Verdict::Refuted, reason, Source::Reality)
}

pub(crate) fn undecided(reason: DoneReason) -> Opinion {
    Opinion::undecided(reason, Source::Reality)
}
