//! Does the page say what it is cited for? Pure: what was seen comes in, a
//! ruling goes out.

pub mod claim;
pub mod classify;
pub mod detect;
pub mod lint;
pub mod nearest;
mod quoted;
pub mod ruling;
