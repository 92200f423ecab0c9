//! Plan, header and events as typed values. Reading is strict and opens no
//! file.

pub(crate) mod claim;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod header;
pub(crate) mod lines;
pub(crate) mod manifest;
pub mod marker;
pub(crate) mod named;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod plan;
pub(crate) mod trace;
