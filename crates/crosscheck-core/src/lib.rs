//! What all parts of crosscheck share: verdicts, reasons, reports, JSON with
//! ECMAScript semantics, hashes, and safe file access.
//!
//! Nothing here uses a network, a database, a terminal or the environment.
#![warn(missing_docs)]

pub mod account;
pub mod advice;
pub mod canonical;
pub mod clock;
pub mod digest;
pub mod envelope;
pub mod files;
pub mod folder;
pub mod foreign;
pub mod held;
pub mod id;
pub mod interrupt;
pub mod json;
pub mod listener;
mod literal;
mod machine;
pub mod outcome;
pub mod outputs;
pub mod reason;
pub mod redact;
pub mod rules;
pub mod secrets;
pub mod text;
pub mod verdict;

pub use advice::Advice;
pub use id::UnitId;
pub use json::{Json, Node};
pub use listener::{Event, Listener, NoListener};
pub use machine::is_machine_limit;
pub use outcome::{Outcome, Place, Report};
pub use reason::{Level, Reason};
pub use rules::Rule;
pub use text::{JsStr, JsString};
pub use verdict::Verdict;
