//! What several verifiers need of the world around them.
#![warn(missing_docs)]

pub mod transcript;
