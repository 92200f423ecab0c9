//! Recorded answers as a model: for tests and repeatable runs.

use std::collections::HashMap;

use serde::Deserialize;

use super::NoAnswer;
use super::model::{Ask, Model};

/// Answers by claim, or by claim and snippet.
#[derive(Debug, Clone, Default)]
pub struct ReplayModel {
    answers: HashMap<(String, Option<String>), String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    claim: String,
    snippet: Option<String>,
    answer: Box<serde_json::value::RawValue>,
}

impl ReplayModel {
    /// Reads one JSON object per line: `claim`, optionally `snippet`, and `answer`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut answers = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_str(line)
                .map_err(|error| format!("line {}: {error}", number + 1))?;
            answers.insert((line.claim, line.snippet), line.answer.get().to_owned());
        }
        Ok(Self { answers })
    }
}

impl Model for ReplayModel {
    fn id(&self) -> &'static str {
        "replay"
    }

    fn ask(&self, ask: &Ask) -> Result<String, NoAnswer> {
        let exact = (ask.claim.clone(), Some(ask.snippet.clone()));
        let any = (ask.claim.clone(), None);
        self.answers
            .get(&exact)
            .or_else(|| self.answers.get(&any))
            .cloned()
            .ok_or_else(|| NoAnswer::new("there is no recorded answer to this question".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Style;
    use crate::{Question, Text};

    #[test]
    fn an_answer_to_claim_and_snippet_wins_over_one_to_the_claim() {
        let model = ReplayModel::parse(concat!(
            r#"{"claim":"c","answer":{"verdict":"unclear"}}"#,
            "\n\n",
            r#"{"claim":"c","snippet":"s","answer":{"verdict":"supports"}}"#,
        ))
        .unwrap();
        let ask = |claim, snippet: &str| {
            model.ask(&Ask::of(
                &Question::new(claim, &Text::new(snippet)),
                &Style::Json,
            ))
        };
        assert_eq!(ask("c", "s").unwrap(), r#"{"verdict":"supports"}"#);
        assert_eq!(ask("c", "t").unwrap(), r#"{"verdict":"unclear"}"#);
        assert!(ask("d", "s").is_err());
        assert!(ReplayModel::parse("{}").is_err());
    }
}
