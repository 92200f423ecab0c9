//! What a person decided about citations that stayed open. An answer counts for
//! the same words on the same page, known by its digest; where either changes,
//! the citation is open again.

use serde::{Deserialize, Serialize};

use crate::reasons::Code;
use crate::report::result::{Row, SourcesReport};
use crate::status::SourceStatus;

/// The version of the file.
pub const VERSION: &str = "CrosscheckDecisions.v1";

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The page says so.
    Yes,
    /// It does not.
    No,
}

/// One citation that a person reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What the author wrote.
    pub claim: String,
    /// The cited page.
    pub url: String,
    /// SHA-256 of its body.
    pub page: String,
    /// Where the citation is.
    #[serde(default)]
    pub place: String,
    /// What the page says nearest to it.
    #[serde(default)]
    pub passage: String,
    /// To be filled in: `"yes"` or `"no"`.
    #[serde(default)]
    pub decision: Option<Answer>,
}

/// The file of decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// Always [`VERSION`].
    pub version: String,
    /// One for each citation that is or was open.
    pub decisions: Vec<Decision>,
}

impl Default for Decisions {
    fn default() -> Self {
        Self {
            version: VERSION.to_owned(),
            decisions: Vec::new(),
        }
    }
}

impl Decisions {
    /// Reads the file; another version is none.
    pub fn parse(text: &str) -> Option<Self> {
        let own: Self = serde_json::from_str(text).ok()?;
        (own.version == VERSION).then_some(own)
    }

    /// The file as text.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Decides what a person has decided, and adds what is still open.
    pub fn apply(&mut self, report: &mut SourcesReport) {
        for row in &mut report.results {
            let Some(open) = open(row) else {
                continue;
            };
            let is_same =
                |known: &&Decision| (&known.claim, &known.page) == (&open.claim, &open.page);
            match self.decisions.iter().find(is_same).map(|one| one.decision) {
                Some(Some(answer)) => decide(row, answer),
                Some(None) => {}
                None => self.decisions.push(open),
            }
        }
        report.count();
    }
}

/// A row that a person can decide: its page was read.
fn open(row: &Row) -> Option<Decision> {
    let claim = row
        .claim
        .as_deref()
        .filter(|_| row.status == SourceStatus::Suspect)?;
    Some(Decision {
        claim: claim.to_owned(),
        url: row.url.to_string(),
        page: row.page.as_deref()?.to_owned(),
        place: format!("{}:{}", row.input, row.line.unwrap_or_default()),
        passage: row
            .nearest
            .as_ref()
            .map(|near| near.text.clone())
            .unwrap_or_default(),
        decision: None,
    })
}

fn decide(row: &mut Row, answer: Answer) {
    let (status, code) = match answer {
        Answer::Yes => (SourceStatus::Verified, Code::ReadYes),
        Answer::No => (SourceStatus::Unreliable, Code::ReadNo),
    };
    row.status = status;
    row.reason = code;
    row.code = code.word();
    row.explanation = code.reason().meaning.into();
    row.because = None;
}
