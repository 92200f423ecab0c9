//! Why a cited URL ended the way it did. The words of the contract are these
//! codes in lower case. What they mean is in the table beside this file: name,
//! code, level, what it means, and one thing to try.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

crosscheck_core::reasons! {
    /// Why a cited URL ended the way it did.
    pub enum Code from include_str!("reasons.tsv"); {
        Supported, SupportedIndirect, Reconfirmed, InvalidUrl, UnsupportedScheme,
        GuardBlocked, DnsNxdomain, NoNetwork, MachineLimit, DnsTemporary,
        ConnectionFailed, TlsError, Timeout, TooManyRedirects, Http404, Http410,
        BlockedUnconfirmed, RateLimited, ServerError, HttpOther, UnsupportedContent,
        TooLarge, Robots, Offline, ParkedDomain, Soft404, ThinContent, OtherLanguage,
        UnrelatedPage, UnreliableDomain, Biased, Contradicted, QuoteNotOnPage,
        FigureMissing, NotSupported, RedirectedHome, ClaimUnclear, ReadYes, ReadNo,
        EntryExists, ClaimNotLocated, NoClaim, GoneArchived, JudgeError, IgnoredByProject,
        LinkExists, LinkMissing, PlaceMissing, PlaceUnseen, LinkUnknown, NotSampled,
    }
}

crosscheck_core::reasons! {
    /// What is wrong with a log or document besides its URLs; never changes a verdict on one.
    pub enum LintCode from include_str!("reasons.tsv"); {
        R9, R10, R11, R12, R13, R15, R16, R17, R24, ClosingNewFigure, BadLine,
        UnclosedFence, UnknownMark, GluedLine, TornLineRepaired, SeqMismatch, BadSource,
        UnknownSeq, ReusedSource, SelfPublished,
    }
}

impl LintCode {
    /// The word of the contract.
    pub fn word(self) -> String {
        let code = self.code();
        let is_numbered = code.ends_with(|c: char| c.is_ascii_digit());
        if is_numbered {
            code.to_owned()
        } else {
            code.to_ascii_lowercase()
        }
    }
}

impl Serialize for LintCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.word())
    }
}

impl JsonSchema for LintCode {
    fn schema_name() -> Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = |code: &Self| {
            let meaning = code.reason().meaning;
            schemars::json_schema!({"const": code.word(), "description": meaning, "type": "string"})
        };
        let all: Vec<Schema> = Self::VARIANTS.iter().map(one).collect();
        schemars::json_schema!({"description": "Which rule a finding is about.", "oneOf": all})
    }
}

impl Code {
    /// The word of the contract.
    pub fn word(self) -> &'static str {
        static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
            let codes = Code::VARIANTS.iter().map(|code| code.code());
            codes.map(str::to_ascii_lowercase).collect()
        });
        WORDS.get(self as usize).map_or("", String::as_str)
    }

    /// Reads the word of the contract.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|code| code.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_found_by_its_word() {
        for code in Code::VARIANTS {
            assert_eq!(Code::from_word(code.word()), Some(*code));
        }
        assert_eq!(Code::Soft404.word(), "soft_404");
    }
}
