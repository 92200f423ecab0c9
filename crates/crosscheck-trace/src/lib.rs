//! Reasoning traces: every id and hash is recomputed, order, linkage and
//! grounding are checked, and a run is accepted only if everything holds.
//! docs/contracts/trace.md states the rules that comments cite as `trace 6.7`.
//!
//! The trace is read once, line by line. Memory grows with the number of ids,
//! evidence files and citations, never with the size of payloads.
#![warn(missing_docs)]

mod canonical;
mod check;
mod diff;
mod error;
mod finding;
mod forms;
mod ids;
mod judge;
mod observe;
mod plan;
pub mod read;
mod reader;
mod reasons;
pub mod report;
mod request;
mod run;
mod seal;
mod words;

pub use check::Check;
pub use diff::{DiffSide, TraceDiff, diff};
pub use error::TraceError;
pub use finding::{Failure, Location};
pub use reasons::{TraceReason, TraceRunReason};
pub use report::TraceReport;
pub use request::{Input, Insufficient, Policy, TraceRequest};
pub use run::{verify, verify_bytes};
pub use seal::{Seal, seal};
