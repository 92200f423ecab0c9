//! The files of a workspace, read into checked types.

pub mod acceptance;
mod document;
mod kind;
pub mod layout;
pub mod metadata;
pub mod pattern;
pub mod status;
pub mod time;

pub use document::OrderedJson;
