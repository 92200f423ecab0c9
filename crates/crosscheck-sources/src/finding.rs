//! Lint findings: what is wrong with the log or breaks a rule of the debate.
//! They are beside the verdicts on URLs and never change one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::reasons::LintCode;

/// Which rule a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum Rule {
    /// A conjecture without its label.
    R9,
    /// A rebuttal that is conjecture alone.
    R10,
    /// Figures without a source.
    R11,
    /// A fabricated source.
    R12,
    /// A source that does not support its claim.
    R13,
    /// A challenge that names no entry or says nothing.
    R15,
    /// More than five sources.
    R16,
    /// A source correction in another form.
    R17,
    /// A figure that is not on the page.
    R24,
    /// A closing statement with a figure that was not given before.
    #[serde(rename = "closing_new_figure")]
    ClosingNewFigure,
    /// A line that is not an entry.
    #[serde(rename = "bad_line")]
    BadLine,
    /// A code fence that is never closed.
    #[serde(rename = "unclosed_fence")]
    UnclosedFence,
    /// A mark that points to no entry of the list of sources.
    #[serde(rename = "unknown_mark")]
    UnknownMark,
    /// An entry behind a torn beginning.
    #[serde(rename = "glued_line")]
    GluedLine,
    /// A missing line feed was added to the last line.
    #[serde(rename = "torn_line_repaired")]
    TornLineRepaired,
    /// An entry's number is not its line's.
    #[serde(rename = "seq_mismatch")]
    SeqMismatch,
    /// A source without a URL.
    #[serde(rename = "bad_source")]
    BadSource,
    /// The Chair named an entry that is not there.
    #[serde(rename = "unknown_seq")]
    UnknownSeq,
    /// A known URL, cited for something it does not say.
    #[serde(rename = "reused_source")]
    ReusedSource,
    /// A site where anyone can publish.
    #[serde(rename = "self_published")]
    SelfPublished,
}

impl Rule {
    /// The declared reason.
    pub const fn code(self) -> LintCode {
        match self {
            Self::R9 => LintCode::R9,
            Self::R10 => LintCode::R10,
            Self::R11 => LintCode::R11,
            Self::R12 => LintCode::R12,
            Self::R13 => LintCode::R13,
            Self::R15 => LintCode::R15,
            Self::R16 => LintCode::R16,
            Self::R17 => LintCode::R17,
            Self::R24 => LintCode::R24,
            Self::ClosingNewFigure => LintCode::ClosingNewFigure,
            Self::BadLine => LintCode::BadLine,
            Self::UnclosedFence => LintCode::UnclosedFence,
            Self::UnknownMark => LintCode::UnknownMark,
            Self::GluedLine => LintCode::GluedLine,
            Self::TornLineRepaired => LintCode::TornLineRepaired,
            Self::SeqMismatch => LintCode::SeqMismatch,
            Self::BadSource => LintCode::BadSource,
            Self::UnknownSeq => LintCode::UnknownSeq,
            Self::ReusedSource => LintCode::ReusedSource,
            Self::SelfPublished => LintCode::SelfPublished,
        }
    }

    /// The word of the contract.
    pub fn word(self) -> String {
        let code = self.code().code();
        let is_numbered = code.ends_with(|c: char| c.is_ascii_digit());
        if is_numbered {
            code.to_owned()
        } else {
            code.to_ascii_lowercase()
        }
    }
}

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
