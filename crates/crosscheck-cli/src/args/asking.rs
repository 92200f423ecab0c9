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
    /// Judge that decides whether a text supports a claim; default builtin. One of builtin, ollama,
    /// ollama:MODEL, openai:MODEL and the base URL of an OpenAI-compatible endpoint: the built-in judge
    /// decides what is certain, and the model the rest. Or command, http, replay and both, with the
    /// options below
    #[arg(long, value_parser = judge)]
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

/// The judge that `--judge` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JudgeWord {
    /// One whose details are in other options.
    Kind(JudgeKind),
    /// A model of the Ollama on this machine, or its first one.
    Ollama(Option<String>),
    /// A model of OpenAI.
    OpenAi(String),
    /// An endpoint.
    Url(String),
}

fn judge(word: &str) -> Result<JudgeWord, String> {
    let named = |model: &str| Some(model.to_owned()).filter(|model| !model.is_empty());
    let (name, model) = word.split_once(':').unwrap_or((word, ""));
    Ok(match (name, word) {
        (_, "builtin") => JudgeWord::Kind(JudgeKind::Builtin),
        (_, "command") => JudgeWord::Kind(JudgeKind::Command),
        (_, "http") => JudgeWord::Kind(JudgeKind::Http),
        (_, "replay") => JudgeWord::Kind(JudgeKind::Replay),
        (_, "both") => JudgeWord::Kind(JudgeKind::Both),
        ("ollama", _) => JudgeWord::Ollama(named(model)),
        ("openai", _) => JudgeWord::OpenAi(named(model).ok_or("name the model: openai:MODEL")?),
        ("http" | "https", _) => JudgeWord::Url(word.to_owned()),
        _ => {
            return Err(
                "not one of builtin, ollama[:MODEL], openai:MODEL, URL, command, http, replay, both".to_owned(),
            );
        }
    })
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuiltinWord {
    /// The built-in judge
    Builtin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_names_a_judge() {
        let model = |name: &str| Some(name.to_owned());
        for (word, expected) in [
            ("builtin", JudgeWord::Kind(JudgeKind::Builtin)),
            ("ollama", JudgeWord::Ollama(None)),
            ("ollama:qwen3:8b", JudgeWord::Ollama(model("qwen3:8b"))),
            ("openai:gpt-5", JudgeWord::OpenAi("gpt-5".to_owned())),
            (
                "http://127.0.0.1:8000/v1",
                JudgeWord::Url("http://127.0.0.1:8000/v1".to_owned()),
            ),
        ] {
            assert_eq!(judge(word), Ok(expected), "{word}");
        }
        for word in ["openai", "openai:", "gpt-5", "ftp://x"] {
            assert!(judge(word).is_err(), "{word}");
        }
    }
}
