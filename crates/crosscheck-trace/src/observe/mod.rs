//! The files of a run. Only this module opens them; it judges nothing.

pub(crate) mod artifacts;
pub(crate) mod chunks;
pub(crate) mod files;
pub(crate) mod inputs;
