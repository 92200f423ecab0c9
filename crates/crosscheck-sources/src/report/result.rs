//! The result of one check, and the documents it goes into.
//!
//! Contract: sources 8.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use crosscheck_fetch::Fetched;
use crosscheck_fetch::address::{mask_user, shown, shown_in_text};
use crosscheck_judge::JudgeSeen;
use schemars::JsonSchema;
use serde::Serialize;

use crate::finding::Finding;
use crate::judge::nearest::Nearest;
use crate::judge::ruling::{Confidence, Ruling};
use crate::observe::Look;
use crate::plan::binding::Strength;
use crate::read::cited::Cited;
use crate::reasons::Code;
use crate::status::SourceStatus;
use crate::words::{one_line, shown_url};

/// The report's version.
pub const VERSION: &str = "CrosscheckSources.v1";

/// What the Chair asked besides, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// The claim.
    pub claim: String,
    /// `yes`, `no` or `unclear`.
    pub outcome: &'static str,
    /// Why.
    pub code: String,
}

/// The content of a `verification_result` entry.
#[derive(Debug, Clone, Serialize)]
pub struct ResultContent {
    /// The entry that was checked.
    pub verified_seq: u64,
    /// Exactly the cited text, without user information.
    pub url: String,
    /// What was found.
    pub status: &'static str,
    /// Why.
    pub explanation: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
}

/// More about a result; what is not known is left out.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Details {
    /// Why, as a code.
    pub code: String,
    /// How sure it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// Where the last redirect led.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The sentence it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// How the sentence is tied to the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<&'static str>,
    /// The entry of the earlier finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_result_seq: Option<u64>,
    /// SHA-256 of the page's body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_sha256: Option<String>,
    /// Who judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// What the Chair asked besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// One row of the report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Row {
    /// The log or document.
    pub input: Arc<str>,
    /// Line, from 1.
    pub line: Option<u64>,
    /// Column, from 1, in characters.
    pub column: Option<u64>,
    /// The entry, in a debate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The URL as it may be shown.
    pub url: Arc<str>,
    /// Where the last redirect led.
    pub final_url: Option<Arc<str>>,
    /// The sentence it is about.
    pub claim: Option<Arc<str>>,
    /// How the sentence is tied to the source.
    pub binding: Option<&'static str>,
    /// What was found.
    pub status: SourceStatus,
    /// Why, as a code.
    pub code: &'static str,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// Why, in words.
    pub explanation: Arc<str>,
    /// What the judgement of the claim rests on, in words.
    pub because: Option<String>,
    /// The sentence of the page that comes nearest to a claim it does not confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// Where an archived copy of a page that is gone was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Status of the answer.
    pub http_status: Option<u16>,
    /// Redirects followed.
    pub redirects: usize,
    /// How long it took.
    pub ms: u64,
    /// Not fetched for this row: known, kept, or from the disk cache.
    pub cached: bool,
    /// The key of the URL, for counting.
    #[serde(skip)]
    pub key: Arc<str>,
    /// The code, for renderers.
    #[serde(skip)]
    pub reason: Code,
    /// SHA-256 of the page's body, where it was worked out.
    #[serde(skip)]
    pub page: Option<Arc<str>>,
}

impl Row {
    /// The row of a ruling about a URL, without its place.
    pub fn new(input: Arc<str>, cited: &Cited, ruling: &Ruling, page: Shown) -> Self {
        Self {
            input,
            line: None,
            column: None,
            seq: None,
            url: shown_url(&cited.text).into(),
            final_url: page.final_url,
            claim: shown_claim(ruling),
            binding: ruling.binding.map(Strength::word),
            status: ruling.status,
            code: ruling.code.word(),
            confidence: ruling.confidence,
            explanation: ruling.explanation().into(),
            because: ruling.because.clone(),
            nearest: ruling.nearest.clone(),
            suggestion: ruling.suggestion.clone(),
            http_status: page.http_status,
            redirects: page.redirects,
            ms: page.ms,
            cached: page.cached,
            key: cited.key.as_str().into(),
            reason: ruling.code,
            page: None,
        }
    }
}

/// The report of a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourcesReport {
    /// Always [`VERSION`].
    pub version: &'static str,
    /// What was read.
    pub inputs: Vec<String>,
    /// One row for each checked citation.
    pub results: Vec<Row>,
    /// What is wrong besides.
    pub lint: Vec<Finding>,
    /// Counts.
    pub summary: Summary,
    /// Who judged the claims.
    pub judge: JudgeSeen,
    /// Results of earlier runs that are in the log and were not checked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Why the run decides nothing although no row says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<String>,
    /// What a reader must know about the run itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Which results fail the run.
    #[serde(skip)]
    pub fail_on: FailOn,
}

/// Counts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Checked citations.
    pub total: usize,
    /// Different URLs among them.
    pub unique: usize,
    /// The page says so.
    pub verified: usize,
    /// The page does not say so.
    pub unreliable: usize,
    /// The page does not exist.
    pub fabricated: usize,
    /// Could not be decided.
    pub suspect: usize,
    /// Not part of the sample.
    pub skipped: usize,
}

/// Counts of earlier results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recorded {
    /// The page says so.
    pub verified: usize,
    /// The page does not say so.
    pub unreliable: usize,
    /// The page does not exist.
    pub fabricated: usize,
    /// Could not be decided.
    pub suspect: usize,
}

impl Recorded {
    /// The worst of them.
    pub fn worst(&self) -> Option<SourceStatus> {
        [
            (self.fabricated, SourceStatus::Fabricated),
            (self.unreliable, SourceStatus::Unreliable),
            (self.suspect, SourceStatus::Suspect),
            (self.verified, SourceStatus::Verified),
        ]
        .into_iter()
        .find(|(count, _)| *count > 0)
        .map(|(_, status)| status)
    }
}

/// A page that a row is about, as documents show it.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Where the last redirect led.
    pub final_url: Option<Arc<str>>,
    /// Status of the answer.
    pub http_status: Option<u16>,
    /// Redirects followed.
    pub redirects: usize,
    /// How long it took.
    pub ms: u64,
    /// Not fetched for this row.
    pub cached: bool,
    /// SHA-256 of the body.
    pub sha256: Option<String>,
}

impl Shown {
    /// What may be shown of a look.
    pub fn of(look: &Look) -> Self {
        Self {
            final_url: look
                .final_url
                .as_ref()
                .map(|url| shown(url.as_str()).into()),
            http_status: look.http_status,
            redirects: look.redirects,
            ms: u64::try_from(look.elapsed.as_millis()).unwrap_or(u64::MAX),
            cached: look.cached,
            sha256: look.page().and_then(|page| page.sha256.clone()),
        }
    }
}

impl Shown {
    /// What may be shown of an answer that was not read.
    pub fn of_answer(fetched: &Fetched) -> Self {
        let response = fetched.outcome.as_ref().ok();
        Self {
            final_url: Some(shown(fetched.final_url.as_str()).into()),
            http_status: response.map(|response| response.status),
            redirects: fetched.redirects,
            ms: u64::try_from(fetched.elapsed.as_millis()).unwrap_or(u64::MAX),
            cached: fetched.cached,
            sha256: response.and_then(|response| response.sha256.clone()),
        }
    }

    /// The same page for another citation.
    #[must_use]
    pub fn again(self) -> Self {
        Self {
            ms: 0,
            cached: true,
            ..self
        }
    }
}

/// The claim as it may be shown.
pub fn shown_claim(ruling: &Ruling) -> Option<Arc<str>> {
    let claim = ruling.claim.as_deref().map(shown_text);
    claim.filter(|claim| !claim.is_empty()).map(Into::into)
}

/// Text of a document on one line, without secrets of URLs in it.
pub fn shown_text(text: &str) -> String {
    shown_in_text(&one_line(text)).into_owned()
}

/// The cited text as a log entry keeps it.
pub fn entry_url(cited: &str) -> String {
    mask_user(cited).into_owned()
}

impl SourcesReport {
    /// The report of these rows.
    pub fn new(
        inputs: Vec<String>,
        results: Vec<Row>,
        lint: Vec<Finding>,
        skipped: usize,
        judge: JudgeSeen,
    ) -> Self {
        let mut report = Self {
            version: VERSION,
            inputs,
            results,
            lint,
            summary: Summary {
                skipped,
                ..Summary::default()
            },
            judge,
            recorded: None,
            undecided: Vec::new(),
            notices: Vec::new(),
            fail_on: FailOn::default(),
        };
        report.count();
        report
    }

    /// Counts the rows.
    pub fn count(&mut self) {
        let rows = &self.results;
        let count = |status| rows.iter().filter(|row| row.status == status).count();
        let mut keys: Vec<&str> = rows.iter().map(|row| &*row.key).collect();
        keys.sort_unstable();
        keys.dedup();
        self.summary = Summary {
            total: rows.len(),
            unique: keys.len(),
            verified: count(SourceStatus::Verified),
            unreliable: count(SourceStatus::Unreliable),
            fabricated: count(SourceStatus::Fabricated),
            suspect: count(SourceStatus::Suspect),
            skipped: self.summary.skipped,
        };
    }

    /// With what the log says already.
    #[must_use]
    pub fn with_recorded(mut self, statuses: &[SourceStatus]) -> Self {
        let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
        self.recorded = (!statuses.is_empty()).then(|| Recorded {
            verified: count(SourceStatus::Verified),
            unreliable: count(SourceStatus::Unreliable),
            fabricated: count(SourceStatus::Fabricated),
            suspect: count(SourceStatus::Suspect),
        });
        self
    }

    /// What is said once where this machine has no network.
    pub fn no_network(&self) -> Option<String> {
        let offline = |row: &Row| row.reason == Code::NoNetwork;
        self.results.iter().any(offline).then(|| {
            "this machine has no network: names that surely exist are not answered either, \
             so nothing is said about sources that could not be reached"
                .to_owned()
        })
    }

    /// The worst that is in the report.
    pub fn worst(&self) -> SourceStatus {
        let own = self.results.iter().map(|row| row.status).max();
        let recorded = self.recorded.and_then(|recorded| recorded.worst());
        let undecided = (!self.undecided.is_empty()).then_some(SourceStatus::Suspect);
        let all = [own, recorded, undecided].into_iter().flatten();
        all.max().unwrap_or(SourceStatus::Verified)
    }

    /// The report as JSON text.
    pub fn json(&self) -> String {
        let mut text = Vec::new();
        let _ = self.write_json(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Writes the report as JSON: that of a long document is a hundred times as long.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(64 * 1024, out);
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    /// The exit code: 1 from the border on, 2 for the rest that is not
    /// verified, 0 when everything is, or when there was nothing to check.
    pub fn exit_code(&self) -> u8 {
        let worst = self.worst();
        let border = match self.fail_on {
            FailOn::Fabricated => SourceStatus::Fabricated,
            FailOn::Unreliable | FailOn::Lint => SourceStatus::Unreliable,
            FailOn::Suspect => SourceStatus::Suspect,
        };
        if worst >= border || (self.fail_on == FailOn::Lint && !self.lint.is_empty()) {
            1
        } else if worst == SourceStatus::Verified {
            0
        } else {
            2
        }
    }
}

/// From where on a run counts as failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailOn {
    /// Only fabricated sources.
    Fabricated,
    /// Fabricated and unreliable ones.
    #[default]
    Unreliable,
    /// Everything that is not verified.
    Suspect,
    /// As unreliable, and lint findings too.
    Lint,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(status: SourceStatus) -> Row {
        Row {
            input: "log".into(),
            line: None,
            column: None,
            seq: Some(1),
            url: "http://a.example/".into(),
            final_url: None,
            claim: None,
            binding: None,
            status,
            code: "x",
            confidence: None,
            explanation: "".into(),
            because: None,
            nearest: None,
            suggestion: None,
            http_status: None,
            redirects: 0,
            ms: 0,
            cached: false,
            key: "http://a.example/".into(),
            reason: Code::Supported,
            page: None,
        }
    }

    #[test]
    fn the_border_decides_between_one_and_two() {
        use FailOn::{Fabricated, Lint, Suspect, Unreliable};
        for (statuses, fail_on, expected) in [
            (vec![], Unreliable, 0),
            (vec![SourceStatus::Verified], Unreliable, 0),
            (
                vec![SourceStatus::Verified, SourceStatus::Suspect],
                Unreliable,
                2,
            ),
            (vec![SourceStatus::Suspect], Suspect, 1),
            (
                vec![SourceStatus::Unreliable, SourceStatus::Suspect],
                Unreliable,
                1,
            ),
            (vec![SourceStatus::Unreliable], Fabricated, 2),
            (vec![SourceStatus::Fabricated], Fabricated, 1),
            (vec![SourceStatus::Suspect], Lint, 2),
        ] {
            let mut report = SourcesReport::new(
                vec![],
                statuses.iter().map(|status| row(*status)).collect(),
                vec![],
                0,
                JudgeSeen::default(),
            );
            report.fail_on = fail_on;
            assert_eq!(report.exit_code(), expected, "{statuses:?} {fail_on:?}");
        }
        let lint = vec![Finding::entry(crate::finding::Rule::R9, 1, "x")];
        let mut report = SourcesReport::new(vec![], vec![], lint, 0, JudgeSeen::default());
        report.fail_on = Lint;
        assert_eq!(report.exit_code(), 1);
    }
}
