//! Who says whether a text supports a claim: the options of every command
//! that asks a judge.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use crosscheck::judge::{Answers, JudgeKind};

use super::fetching::time;

/// The judge.
#[derive(Debug, Args)]
#[command(next_help_heading = "Judge")]
pub(crate) struct AskingArgs {
    /// Judge that decides whether a text supports a claim; default builtin
    #[arg(long, value_enum)]
    pub(crate) judge: Option<JudgeWord>,
    /// Judge command and its arguments, up to a lone `;` or the end; `{prompt}` becomes the question
    #[arg(long, value_name = "ARGV", num_args = 1.., value_terminator = ";", allow_hyphen_values = true)]
    pub(crate) judge_command: Vec<String>,
    /// Base URL of an OpenAI-compatible endpoint
    #[arg(long, value_name = "URL")]
    pub(crate) judge_url: Option<String>,
    /// Model of the endpoint
    #[arg(long, value_name = "NAME")]
    pub(crate) judge_model: Option<String>,
    /// Environment variable that holds the key of the endpoint
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) judge_api_key_env: Option<String>,
    /// How the model answers; default json
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) judge_answers: Option<AnswersWord>,
    /// Ask the endpoint for structured output
    #[arg(long)]
    pub(crate) judge_structured: bool,
    /// File of recorded answers for `--judge replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) judge_replay: Option<PathBuf>,
    /// Seconds for one question; default 60
    #[arg(long, value_name = "SECONDS", value_parser = time, allow_negative_numbers = true)]
    pub(crate) judge_timeout: Option<Duration>,
    /// Judge to use when the model judge fails
    #[arg(long, value_enum, value_name = "JUDGE")]
    pub(crate) judge_fallback: Option<BuiltinWord>,
    /// Ask the model only where this judge is unclear
    #[arg(long, value_enum, value_name = "JUDGE")]
    pub(crate) judge_first: Option<BuiltinWord>,
    /// Maximum number of questions per run
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) judge_budget: Option<u64>,
    /// Do not cache answers of a model judge
    #[arg(long)]
    pub(crate) no_judge_cache: bool,
    /// Cache folder for answers of a model judge
    #[arg(long, value_name = "DIR")]
    pub(crate) judge_cache: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeWord {
    /// Offline, by words, names and numbers
    Builtin,
    /// A program that is asked once per question
    Command,
    /// An OpenAI-compatible endpoint
    Http,
    /// Recorded answers
    Replay,
    /// The built-in judge, and the configured model where it is unclear
    Both,
}

/// How a model answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswersWord {
    /// One JSON object with verdict and span
    Json,
    /// Yes or no, as grounded-checking models such as `MiniCheck` do
    YesNo,
}

impl From<AnswersWord> for Answers {
    fn from(word: AnswersWord) -> Self {
        match word {
            AnswersWord::Json => Self::Json,
            AnswersWord::YesNo => Self::YesNo,
        }
    }
}

impl From<JudgeWord> for JudgeKind {
    fn from(word: JudgeWord) -> Self {
        match word {
            JudgeWord::Builtin => Self::Builtin,
            JudgeWord::Command => Self::Command,
            JudgeWord::Http => Self::Http,
            JudgeWord::Replay => Self::Replay,
            JudgeWord::Both => Self::Both,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuiltinWord {
    /// The built-in judge
    Builtin,
}
