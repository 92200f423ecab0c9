//! Does the page say what it is cited for? Pure: what was seen comes in, a
//! ruling goes out.

mod accuse;
pub mod claim;
pub mod classify;
pub mod detect;
pub mod figures;
pub mod lint;
pub mod nearest;
mod quoted;
pub mod request;
pub mod ruling;
