//! Reaching the world, always with limits.
#![warn(missing_docs)]

pub mod process;
