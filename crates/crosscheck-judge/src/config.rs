//! Which judge is asked, and how it answers.

use serde::{Deserialize, Serialize};

/// The judge to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeKind {
    /// The built-in one.
    #[default]
    Builtin,
    /// A program.
    Command,
    /// An OpenAI-compatible endpoint.
    Http,
    /// Recorded answers.
    Replay,
    /// The built-in one, and a model where it is unclear.
    Both,
}

/// How a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answers {
    /// One JSON object with verdict and span.
    #[default]
    Json,
    /// Yes or no, as grounded-checking models do.
    YesNo,
}
