//! The `[judge]` table of the configuration.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Which judge is asked.
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

/// The one judge that can stand in for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StandIn {
    /// The built-in one.
    Builtin,
}

/// `[judge]` as it is written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawJudge {
    /// Which judge is asked.
    pub kind: Option<JudgeKind>,
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// Base URL of the endpoint.
    pub url: Option<String>,
    /// Model of the endpoint.
    pub model: Option<String>,
    /// The variable that holds the key of the endpoint.
    pub api_key_env: Option<String>,
    /// How the model answers.
    pub answers: Option<Answers>,
    /// What a model that says yes or no is shown, with `{document}` and `{claim}`.
    pub template: Option<String>,
    /// What such a model is told before.
    pub system: Option<String>,
    /// Whether the endpoint is asked for structured output.
    pub structured: Option<bool>,
    /// File of recorded answers.
    pub replay: Option<PathBuf>,
    /// Seconds for one question.
    pub timeout: Option<f64>,
    /// Who answers when the model fails.
    pub fallback: Option<StandIn>,
    /// Who is asked before the model.
    pub first: Option<StandIn>,
    /// The most questions of a run.
    pub budget: Option<u64>,
    /// Whether answers of a model are remembered.
    pub cache: Option<bool>,
    /// Where they are remembered.
    pub cache_dir: Option<PathBuf>,
}
