//! What the LLM is asked, and what is expected of it. Pure.

pub mod prompt;
pub mod resume;
