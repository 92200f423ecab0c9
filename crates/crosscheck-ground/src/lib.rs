//! Reaching the world, always with limits, judging what was found there, and
//! reading what agents logged.
#![warn(missing_docs)]

pub mod judges;
pub mod process;
pub mod transcript;
