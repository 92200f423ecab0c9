//! The output: the result object, the console, the log and the offline report.

pub mod human;
pub mod log;
mod neutral;
pub mod offline;
pub mod result;
pub(crate) mod state;
