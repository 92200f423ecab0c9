//! What is shown and kept.

pub mod hook;
pub mod neutral;
pub mod receipt;
pub mod words;
