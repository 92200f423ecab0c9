//! What is reported: messages to the Chair, entries in the log, the report.

pub mod aid;
pub mod append;
pub mod message;
pub mod neutral;
pub mod outbox;
pub mod result;
