//! Lint findings: what is wrong with the log or breaks a rule of the debate.
//! They are beside the verdicts on URLs and never change one.

use schemars::JsonSchema;
use serde::Serialize;

pub use crate::reasons::LintCode as Rule;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The line, from 1, where there is no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong, for people.
    pub message: String,
}

impl Finding {
    /// About an entry.
    pub fn entry(rule: Rule, seq: u64, message: &str) -> Self {
        Self {
            rule,
            seq: Some(seq),
            line: None,
            message: message.to_owned(),
        }
    }

    /// About a line, counted from 0.
    pub fn line(rule: Rule, line: u64, message: &str) -> Self {
        Self {
            rule,
            seq: None,
            line: Some(line + 1),
            message: message.to_owned(),
        }
    }

    /// The rule and where it was broken, in a few words.
    pub fn name(&self) -> String {
        let rule = self.rule.word();
        match (self.seq, self.line) {
            (Some(seq), _) => format!("{rule} seq {seq}"),
            (None, Some(line)) => format!("{rule} line {line}"),
            (None, None) => rule,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_has_one_word_everywhere() {
        for rule in [Rule::R9, Rule::R24, Rule::ClosingNewFigure, Rule::BadLine] {
            assert_eq!(
                serde_json::to_value(rule).ok(),
                Some(serde_json::Value::String(rule.word()))
            );
        }
        assert_eq!(Finding::entry(Rule::R9, 2, "").name(), "R9 seq 2");
        assert_eq!(
            Finding::line(Rule::BadLine, 2, "").name(),
            "bad_line line 3"
        );
    }
}
