//! The files of the artifacts directory. The only module that reads them; it
//! returns what it saw, not what it thinks of it.

pub(crate) mod artifacts;
pub(crate) mod chunks;
pub(crate) mod files;
