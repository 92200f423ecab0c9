//! What was said: plan, header, events. Strict, and without a look at the
//! world.

pub(crate) mod claim;
pub(crate) mod direct;
pub(crate) mod document;
pub(crate) mod event;
pub(crate) mod forms;
pub(crate) mod header;
pub(crate) mod lines;
pub mod marker;
pub(crate) mod named;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod plan;
pub mod schema;
