//! Reaching the world, always with limits: bytes, time, redirects, addresses.
//! Judging what was found there, and reading what agents logged.
//!
//! Everything that comes from out there is hostile until judged.
#![warn(missing_docs)]

pub mod http;
pub mod judges;
pub mod process;
pub mod transcript;
