//! crosscheck as a library: one task and one report for every verifier.
//!
//! The command line, and every other program that runs checks, imports this
//! crate and nothing below it.
#![warn(missing_docs)]

pub mod batch;
pub mod catalogue;
pub mod check;
pub mod claims;
pub mod config;
mod database;
pub mod doctor;
pub mod done;
mod handover;
pub mod ledger;
pub mod quick;
pub mod render;
mod report;
pub mod rows;
pub mod sources;
pub mod tour;
pub mod trace;
pub mod workspace;

pub use crosscheck_core as core;
pub use crosscheck_core::NoListener;
pub use crosscheck_fetch as fetch;
pub use crosscheck_judge as judge;
pub use crosscheck_process as process;
pub use crosscheck_transcript as transcript;
pub use database::Database;
pub use report::{Findings, Neutral, Report};
