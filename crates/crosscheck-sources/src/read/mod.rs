//! From bytes to statements: what was cited, where, and by whom.

pub mod cited;
pub mod document;
pub mod entry;
pub mod fragment;
pub mod identifier;
pub mod inbox;
pub mod log;
mod names;
pub mod results;
pub mod sentence;
pub(crate) mod tail;
pub mod urls;
