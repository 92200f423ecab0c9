//! The `[judge]` table of the configuration.

use std::path::PathBuf;

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

/// The only judge that can replace a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StandIn {
    /// The built-in one.
    Builtin,
}

/// `[judge]` as in the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawJudge {
    /// The judge to use.
    pub kind: Option<JudgeKind>,
    /// The program and its arguments.
    pub command: Option<Vec<String>>,
    /// Base URL of the endpoint.
    pub url: Option<String>,
    /// Model of the endpoint.
    pub model: Option<String>,
    /// The variable with the key of the endpoint.
    pub api_key_env: Option<String>,
    /// How the model answers.
    pub answers: Option<Answers>,
    /// The prompt for a model that answers yes or no, with `{document}` and
    /// `{claim}`.
    pub template: Option<String>,
    /// The system message for such a model.
    pub system: Option<String>,
    /// Whether to request structured output from the endpoint.
    pub structured: Option<bool>,
    /// File of recorded answers.
    pub replay: Option<PathBuf>,
    /// Seconds for one question.
    pub timeout: Option<f64>,
    /// The judge that answers when the model fails.
    pub fallback: Option<StandIn>,
    /// The judge that is asked before the model.
    pub first: Option<StandIn>,
    /// The largest number of questions of a run.
    pub budget: Option<u64>,
    /// Whether answers of a model are cached.
    pub cache: Option<bool>,
    /// The folder of the cache.
    pub cache_dir: Option<PathBuf>,
}
