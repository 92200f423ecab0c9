//! Reaching the world, always with limits, and reading what agents logged.
#![warn(missing_docs)]

pub mod process;
pub mod transcript;
