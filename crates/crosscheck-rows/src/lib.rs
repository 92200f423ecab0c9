//! Tool calls against database rows.
//!
//! Works out which rows each tool call should have left behind, looks them up
//! read-only, and says which calls the database agrees with.

mod certificate;
pub mod check;
mod compare;
pub mod error;
mod fact;
mod judge;
mod look;
pub mod observe;
mod plan;
pub mod quick;
pub mod read;
pub mod reasons;
mod relation;
pub mod report;
mod run;
pub mod schemas;
mod verify;

pub use error::RowsError;
pub use verify::{Log, Request, VerifyError, verify};
