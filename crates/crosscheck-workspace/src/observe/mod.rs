//! Observes the world: files, git, and the LLM.

pub mod criteria;
pub mod evidence;
pub mod fresh;
mod git;
mod json_value;
mod listing;
pub mod llm;
pub mod lock;
pub mod notify;
pub mod snapshot;
mod texts;

pub use git::{changed_files, head};
