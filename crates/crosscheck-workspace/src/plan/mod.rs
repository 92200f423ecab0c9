//! The prompts for the LLM, and what is expected. Pure.

pub mod path_claim;
pub mod prompt;
pub mod resume;
