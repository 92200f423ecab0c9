//! What the LLM is asked, and what is expected of it. Pure.

pub mod path_claim;
pub mod prompt;
pub mod resume;
