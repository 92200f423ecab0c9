//! Who says whether a text supports a claim: the options of every command
//! that asks a judge.

use clap::Args;
use crosscheck::config::{JUDGE, JudgeSettings};
use crosscheck::judge::JudgeKind;
use serde_json::json;

use super::chosen::{Chosen, Typed};

const OLLAMA: &str = "http://127.0.0.1:11434/v1";
const OPENAI: &str = "https://api.openai.com/v1";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

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
    #[command(flatten)]
    chosen: Chosen<JudgeSettings>,
}

impl AskingArgs {
    /// What was typed. What `--judge` means for other keys comes before what was typed
    /// for them.
    pub(crate) fn values(&self) -> Vec<Typed> {
        let endpoint = |url: &str, model: Option<&str>| {
            vec![
                ("kind", json!("both")),
                ("url", json!(url)),
                ("model", json!(model)),
                // what is configured for another endpoint does not belong to it
                ("command", json!(null)),
                ("replay", json!(null)),
                ("api_key_env", json!(null)),
            ]
        };
        let meant = match &self.judge {
            None => Vec::new(),
            Some(JudgeWord::Kind(kind)) => vec![("kind", json!(kind))],
            Some(JudgeWord::Ollama(model)) => endpoint(OLLAMA, model.as_deref()),
            Some(JudgeWord::OpenAi(model)) => {
                let mut values = endpoint(OPENAI, Some(model));
                values.extend([
                    ("api_key_env", json!(OPENAI_KEY)),
                    ("structured", json!(true)),
                ]);
                values
            }
            Some(JudgeWord::Url(url)) => endpoint(url, None),
        };
        let meant = meant
            .into_iter()
            .filter_map(|(path, value)| Some((&JUDGE, JUDGE.key(path)?, value)));
        meant.chain(self.chosen.values.clone()).collect()
    }

    /// Whether a model is asked for.
    pub(crate) fn names_model(&self) -> bool {
        let builtin = JudgeWord::Kind(JudgeKind::Builtin);
        self.judge.as_ref().is_some_and(|judge| *judge != builtin)
    }
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
