//! Reaching the world, always with limits, judging what was found there, and
//! reading what agents logged.
#![warn(missing_docs)]

pub mod judges;
pub mod process;
pub mod transcript;
//! Reaching the world, always with limits: bytes, time, redirects, addresses.
//!
//! Everything that comes from out there is hostile until judged.
#![warn(missing_docs)]

pub mod http;
