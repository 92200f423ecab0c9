//! The settings of one run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::plan::Selection;
use crate::rate::Rate;

/// The risk level; selects the sampling rate (claims 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// 5 % of the claims.
    Low,
    /// 15 %.
    #[default]
    Medium,
    /// 30 %.
    High,
}

/// Whether one passed evidence item is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceMode {
    /// One passed item passes the claim.
    #[default]
    Any,
    /// Every item must pass.
    All,
}

/// How much a quote may differ from the file; each level includes the ones
/// before (claims 7.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QuoteLevel {
    /// Not at all.
    Exact,
    /// In line ends, blanks at line ends and Unicode form.
    #[default]
    Eol,
    /// In white space.
    Whitespace,
    /// In typography, letter case, ellipses, line numbers and emphasis.
    Loose,
}

impl QuoteLevel {
    /// The word used in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Eol => "eol",
            Self::Whitespace => "whitespace",
            Self::Loose => "loose",
        }
    }
}

/// How to count a claim the judge cannot decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnUnclear {
    /// Passed where the quote was found and the text is related, else partial.
    #[default]
    Auto,
    /// Passed.
    Pass,
    /// Partial.
    Partial,
    /// Failed.
    Fail,
}

/// All settings of a verification besides the document itself.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub struct Options {
    /// Project root.
    pub root: PathBuf,
    /// The risk level.
    pub risk: Risk,
    /// Overrides settings and the built-in rate.
    pub sample_rate: Option<Rate>,
    /// Which claims are checked.
    pub selection: Selection,
    /// Seed of random and stratified selection; `None` is a hash of the document,
    /// so that its author cannot choose the sample.
    pub seed: Option<String>,
    /// Whether one passed evidence item is enough.
    pub evidence_mode: EvidenceMode,
    /// How much a quote may differ.
    pub quote_level: QuoteLevel,
    /// Lines added on both sides of a range before the quote is searched for.
    pub line_slack: u64,
    /// How to count a claim the judge cannot decide.
    pub on_unclear: OnUnclear,
    /// Whether a quote must match its given hash.
    pub strict_hash: bool,
    /// Whether every violation of the schema makes the document invalid.
    pub strict_schema: bool,
    /// Whether evidence outside the root is refused.
    pub confined: bool,
    /// Further folders allowed under confinement.
    pub allow_paths: Vec<PathBuf>,
    /// The documents of the run, which are no evidence.
    pub documents: Vec<PathBuf>,
    /// Whether hints and views leave out the text of files that git ignores or
    /// that look like secrets.
    pub hides_private: bool,
    /// Whether `byte_range`, `json_path` and `stack_signature` are verified.
    pub extended: bool,
    /// Whether network access is forbidden.
    pub offline: bool,
    /// Whether the settings file is read.
    pub read_settings: bool,
    /// Maximum file size in bytes; larger files stay unverified.
    pub max_file_bytes: u64,
    /// Maximum snippet size in bytes; longer snippets stay unverified.
    pub max_snippet_bytes: u64,
    /// Parallel checks; never changes the output.
    pub jobs: usize,
    /// Whether the details are requested.
    pub details: bool,
    /// Whether views other than the contract document are requested.
    pub views: bool,
    /// Configuration that was ignored; shown in details and views.
    pub notices: Vec<String>,
}

impl Options {
    /// The defaults for this root.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            risk: Risk::default(),
            sample_rate: None,
            selection: Selection::default(),
            seed: Some("0".to_owned()),
            evidence_mode: EvidenceMode::default(),
            quote_level: QuoteLevel::default(),
            line_slack: 0,
            on_unclear: OnUnclear::default(),
            strict_hash: false,
            strict_schema: false,
            confined: false,
            allow_paths: Vec::new(),
            documents: Vec::new(),
            hides_private: false,
            extended: false,
            offline: false,
            read_settings: true,
            max_file_bytes: 268_435_456,
            max_snippet_bytes: 1_048_576,
            jobs: 1,
            details: true,
            views: true,
            notices: Vec::new(),
        }
    }
}
