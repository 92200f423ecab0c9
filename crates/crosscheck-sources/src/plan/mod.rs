//! What should be true: which sentences a source must support, and in which
//! order the sources are looked at.

pub mod binding;
pub mod candidate;
pub mod queue;
