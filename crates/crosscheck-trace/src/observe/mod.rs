//! What the artifacts directory shows. The only room that touches it; it
//! returns what it saw, not what it thinks of it.

pub(crate) mod artifacts;
pub(crate) mod chunks;
pub(crate) mod files;
