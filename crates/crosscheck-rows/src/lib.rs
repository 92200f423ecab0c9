//! Tool calls against database rows.
//!
//! Works out which rows each tool call should have left behind, looks them up
//! read-only, and says which calls the database agrees with.

pub mod check;
pub mod error;
pub mod observe;
pub mod quick;
pub mod reasons;
pub mod schemas;
mod wire;

pub use error::RowsError;
