//! The `[claims]` table of the configuration.

use std::path::PathBuf;

use serde::Deserialize;

use crate::plan::Selection;
use crate::rate::Rate;
use crate::request::{EvidenceMode, OnUnclear, Options, QuoteLevel, Risk};

/// `[claims]` as in the file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawClaims {
    /// The risk level.
    pub risk: Option<Risk>,
    /// Share of the claims to check; a text keeps its decimal digits.
    pub sample_rate: Option<Share>,
    /// Which claims are checked.
    pub select: Option<Selection>,
    /// Seed of random and stratified selection.
    pub seed: Option<String>,
    /// Whether one passed evidence item is enough.
    pub evidence_mode: Option<EvidenceMode>,
    /// How much a quote may differ.
    pub quote_match: Option<QuoteLevel>,
    /// Lines added on both sides of a range.
    pub line_slack: Option<u64>,
    /// How to count a claim the judge cannot decide.
    pub on_unclear: Option<OnUnclear>,
    /// Whether a quote must match its given hash.
    pub strict_hash: Option<bool>,
    /// Whether every violation of the schema makes the document invalid.
    pub strict_schema: Option<bool>,
    /// Whether evidence outside the root is refused.
    pub confine: Option<bool>,
    /// Further folders allowed under confinement.
    pub allow_paths: Option<Vec<PathBuf>>,
    /// Whether the locators beyond version 1 are verified.
    pub extended: Option<bool>,
    /// Whether network access is forbidden.
    pub offline: Option<bool>,
    /// The search program and its arguments.
    pub search_command: Option<Vec<String>>,
    /// Whether the report is kept.
    pub persist: Option<bool>,
    /// Maximum file size in bytes; larger files stay unverified.
    pub max_file_bytes: Option<u64>,
    /// Maximum snippet size in bytes; longer snippets stay unverified.
    pub max_snippet_bytes: Option<u64>,
    /// Parallel checks.
    pub jobs: Option<usize>,
}

/// A share as a number or as its decimal text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Share {
    /// A number, by its shortest digits.
    Number(f64),
    /// Its digits.
    Text(String),
}

impl RawClaims {
    /// Applies the table to the defaults; the error says which value is wrong.
    pub fn apply(&self, options: &mut Options) -> Result<(), String> {
        fn put<T: Clone>(place: &mut T, value: Option<&T>) {
            if let Some(value) = value {
                place.clone_from(value);
            }
        }
        if let Some(share) = &self.sample_rate {
            let text = match share {
                Share::Number(number) => number.to_string(),
                Share::Text(text) => text.clone(),
            };
            let rate = Rate::parse(&text);
            let wrong = || format!("`sample_rate`: `{text}` is not a number from 0 to 1");
            options.sample_rate = Some(rate.ok_or_else(wrong)?);
        }
        put(&mut options.risk, self.risk.as_ref());
        put(&mut options.selection, self.select.as_ref());
        if self.seed.is_some() {
            options.seed.clone_from(&self.seed);
        }
        put(&mut options.evidence_mode, self.evidence_mode.as_ref());
        put(&mut options.quote_level, self.quote_match.as_ref());
        put(&mut options.line_slack, self.line_slack.as_ref());
        put(&mut options.on_unclear, self.on_unclear.as_ref());
        put(&mut options.strict_hash, self.strict_hash.as_ref());
        put(&mut options.strict_schema, self.strict_schema.as_ref());
        put(&mut options.confined, self.confine.as_ref());
        put(&mut options.allow_paths, self.allow_paths.as_ref());
        put(&mut options.extended, self.extended.as_ref());
        put(&mut options.offline, self.offline.as_ref());
        put(&mut options.max_file_bytes, self.max_file_bytes.as_ref());
        put(
            &mut options.max_snippet_bytes,
            self.max_snippet_bytes.as_ref(),
        );
        put(&mut options.jobs, self.jobs.as_ref());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_or_its_digits() {
        let rate = |share| {
            let raw = RawClaims {
                sample_rate: Some(share),
                ..RawClaims::default()
            };
            let mut options = Options::new(PathBuf::from("/"));
            raw.apply(&mut options)
                .map(|()| options.sample_rate.map(|rate| rate.of(25)))
        };
        assert_eq!(rate(Share::Number(0.28)), Ok(Some(7)));
        assert_eq!(rate(Share::Text("0.28".into())), Ok(Some(7)));
        assert!(rate(Share::Text("most".into())).is_err());
        assert!(rate(Share::Number(1.5)).is_err());
    }
}
