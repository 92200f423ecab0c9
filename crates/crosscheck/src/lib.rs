//! crosscheck as a library: every verifier behind one door.
//!
//! The command line, and whatever else wants to run checks, imports this
//! crate and nothing below it.
#![warn(missing_docs)]

pub mod catalogue;
pub mod check;
pub mod config;
mod database;
pub mod doctor;
pub mod quick;
pub mod tour;

pub use crosscheck_claims as claims;
pub use crosscheck_core as core;
pub use crosscheck_fetch as fetch;
pub use crosscheck_judge as judge;
pub use crosscheck_sources as sources;
pub use crosscheck_trace as trace;
pub use crosscheck_transcript as transcript;
pub use crosscheck_workspace as workspace;
pub use database::Database;
