//! crosscheck as a library: one task and one report for every verifier.
//!
//! The API is small: a `Task` for each verifier, the one [`Report`], [`render`], [`batch`],
//! [`config`], [`ledger`] and the [`catalogue`]. What else is reachable from here is for the
//! command line, hidden from the pages, and may change with any version.
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
pub mod pr;
pub mod quick;
pub mod render;
mod report;
pub mod rows;
pub mod sources;
pub mod tour;
pub mod trace;
pub mod workspace;

#[doc(hidden)]
pub use crosscheck_core as core;
pub use crosscheck_core::NoListener;
#[doc(hidden)]
pub use crosscheck_fetch as fetch;
#[doc(hidden)]
pub use crosscheck_judge as judge;
#[doc(hidden)]
pub use crosscheck_process as process;
#[doc(hidden)]
pub use crosscheck_transcript as transcript;
pub use database::Database;
#[doc(hidden)]
pub use report::{Findings, Neutral, Report};
